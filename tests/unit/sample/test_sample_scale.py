"""The generator holds its promises at other sizes: row counts, unique metadata, short spans."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

Make = Callable[..., Path]


@pytest.mark.parametrize(("events", "days"), [(20_000, 120), (3_000, 30)])
def test_about_as_many_events_as_asked_for(tmp_path: Path, make_sample: Make, events: int, days: int) -> None:
    make_sample(tmp_path, events=events, days=days)
    with sqlite3.connect(tmp_path / "export.sqlite") as export:
        (found,) = export.execute("SELECT COUNT(*) FROM audit_events").fetchone()
        assert export.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert abs(found - events) < 0.06 * events


def test_events_arrive_in_rough_time_order(export: sqlite3.Connection) -> None:
    query = "SELECT substr(created_at, 1, 10) FROM audit_events WHERE created_at GLOB '????-??-??T*' ORDER BY rowid"
    days = [day for (day,) in export.execute(query)]
    backwards = sum(later < earlier for earlier, later in pairwise(days))
    assert backwards < len(days) / 20


def test_unique_metadata_is_long_escaped_and_still_says_the_same(
    tmp_path: Path, sample: Path, make_sample: Make
) -> None:
    make_sample(tmp_path, unique_metadata=True)
    query = "SELECT event_type, target_key, metadata_json FROM audit_events ORDER BY rowid"
    with sqlite3.connect(tmp_path / "export.sqlite") as export:
        unique = export.execute(query).fetchall()
    with sqlite3.connect(sample / "export.sqlite") as export:
        usual = export.execute(query).fetchall()
    traced = []
    for (kind, target, text), (usual_kind, usual_target, usual_text) in zip(unique, usual, strict=True):
        assert (kind, target) == (usual_kind, usual_target)
        if text != usual_text:
            value = json.loads(text)
            del value["trace"]
            assert value == json.loads(usual_text)
            traced.append(text)
    assert len(traced) > 0.95 * len(unique)
    assert len(set(traced)) == len(traced)
    assert min(len(text) for text in traced) > 600
    assert all(escape in traced[0] for escape in (r"\n", r"\"", r"\\", r"\u"))
