"""Each golden export is published once, however many tests read it."""

from collections.abc import Callable

import pytest
from support.golden import GOLDEN, Case
from support.pipeline import Published

Publish = Callable[[str], Published]


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Publish:
    """The published figures of a fairness case by its name."""
    done: dict[str, Published] = {}

    def of(name: str) -> Published:
        if name not in done:
            done[name] = Case(GOLDEN / "fairness" / name).publish(tmp_path_factory.mktemp(name))
        return done[name]

    return of
