"""A small sample, written once for all tests of this folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evenhand.sample import write_sample

Make = Callable[..., Path]


@pytest.fixture(scope="session")
def make_sample() -> Make:
    """Writes a small sample into a folder, with whatever a test wants different."""

    def make(directory: Path, **changes: object) -> Path:
        usual = {"days": 120, "events": 4_700, "seed": 7, "as_of": datetime(2026, 11, 1, tzinfo=UTC)}
        write_sample(directory, **{**usual, **changes})  # type: ignore[arg-type]
        return directory

    return make


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, make_sample: Make) -> Path:
    """The folder of a small sample."""
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def export(sample: Path) -> Iterator[sqlite3.Connection]:
    """Its export, read-only."""
    connection = sqlite3.connect(f"file:{sample / 'export.sqlite'}?mode=ro", uri=True)
    yield connection
    connection.close()
