"""The same arguments give the same bytes, other seeds give others, and an export is whole or absent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from evenhand.sample import fleet

Make = Callable[..., Path]

FILES = {
    "export.sqlite",
    "reviews.ndjson",
    "seats.ndjson",
    "github_events.ndjson",
    "policy.toml",
    "anchor-keys.json",
}


def test_same_seed_gives_identical_bytes_in_another_process(sample: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "evenhand.sample", str(tmp_path), "--events", "4700", "--seed", "7"]
    command += ["--as-of", "2026-11-01T00:00:00Z"]
    # another hash seed: no order of a set or dict may reach the files
    subprocess.run(command, check=True, env={"PYTHONHASHSEED": "12345"})
    assert {path.name for path in tmp_path.iterdir()} == FILES
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (sample / name).read_bytes(), name


def test_another_seed_gives_another_export(sample: Path, tmp_path: Path, make_sample: Make) -> None:
    make_sample(tmp_path, seed=8, events=1_000)
    assert (tmp_path / "export.sqlite").read_bytes() != (sample / "export.sqlite").read_bytes()


def test_the_committed_sample_is_what_the_generator_writes(sample: Path) -> None:
    committed = Path(__file__).parents[3] / "data" / "sample"
    for name in FILES - {"export.sqlite"}:
        assert (committed / name).read_bytes() == (sample / name).read_bytes(), name


def test_a_failed_run_leaves_yesterdays_export(
    tmp_path: Path, make_sample: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_sample(tmp_path, events=1_000)
    before = (tmp_path / "export.sqlite").read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(fleet, "signals", fail)
    with pytest.raises(OSError, match="no space"):
        make_sample(tmp_path, events=1_000, seed=9)
    assert (tmp_path / "export.sqlite").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == FILES


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"days": 0}, "at least one day"),
        ({"events": 10}, "at least 1000 events"),
        ({"seed": -1}, "must not be negative"),
        ({"as_of": datetime(2026, 11, 1)}, "needs a time zone"),
    ],
)
def test_arguments_that_cannot_give_a_sample_are_refused(
    tmp_path: Path, make_sample: Make, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        make_sample(tmp_path / "none", **changes)
    assert not (tmp_path / "none").exists()
