"""What every test may rely on: the same examples in every run, and nothing left behind by them."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from support.postgres import Server

settings.register_profile("evenhand", derandomize=True, database=None, deadline=None, max_examples=60)
settings.load_profile("evenhand")


@pytest.fixture(scope="session")
def postgres() -> Iterator["Server"]:
    """A PostgreSQL server. Without one its tests fail: a check that did not run has not passed."""
    if os.environ.get("EVENHAND_NO_POSTGRES") == "1":
        pytest.skip("EVENHAND_NO_POSTGRES=1")
    from support.postgres import running

    with running() as server:
        yield server
