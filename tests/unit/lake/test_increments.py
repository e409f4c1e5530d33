"""A lake that goes on from an earlier one is, byte for byte, the lake that reading everything gives."""

import hashlib
import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exports import Row, write_sqlite

from evenhand.canonical import canonical, sha256_hex
from evenhand.computed import Computation
from evenhand.errors import LakeError
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.writing import write_lake
from evenhand.policy import Policy
from evenhand.sources import open_source
from evenhand.timeline import DAY, instant_argument

AS_OF = instant_argument("2026-05-20T00:00:00Z")
FIRED, SURFACE = "signal.rule_fired:x", "github_app.pr_public_surface_published"


def event(number: int, created_at: str | None, event_type: str = FIRED, **values: object) -> dict[str, object]:
    return {"id": f"e{number}", "event_type": event_type, "metadata_json": "{}", "created_at": created_at, **values}


def record(number: int, created_at: str, text: str | None = None) -> dict[str, object]:
    return {
        "id": f"r{number}",
        "repo_full_name": "a/b",
        "pull_number": number,
        "action": "merge",
        "record_json": json.dumps({"b": number, "a": [1.0]}) if text is None else text,
        "created_at": created_at,
    }


def add(path: Path, table: str, *rows: Row) -> Path:
    with sqlite3.connect(path) as connection:
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    return path


def run(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()


def extract(source: Path, lake: Path, as_of: int | None = None, **options: Any) -> tuple[LakeManifest, str]:
    said: list[str] = []
    with open_source(str(source)) as opened:
        manifest = write_lake(opened, lake, as_of=as_of, say=said.append, workers=1, **options)
    return manifest, "\n".join(said)


def contents(lake: Path) -> dict[str, str]:
    """Digest of every file of a lake, its manifest too, by its path."""
    return {
        str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(lake.rglob("*"))
        if path.is_file()
    }


def check_like_full(source: Path, lake: Path, as_of: int | None = None) -> str:
    """Goes on from the lake and compares it with a full extraction; what was said."""
    _, said = extract(source, lake, as_of)
    whole = lake.with_name(lake.name + "-whole")
    extract(source, whole, as_of, full=True)
    assert contents(lake) == contents(whole)
    return said


def export(tmp_path: Path, *events: Row, records: list[dict[str, object]] | None = None) -> Path:
    tables = {"audit_events": list(events), "decision_records": records or [], "pull_requests": []}
    return write_sqlite(tmp_path / "e.sqlite", tables)


DATES = (
    "2026-04-30T10:00:00.000Z",
    "2026-05-01T23:59:59.999Z",
    "2026-05-09 00:00:00",
    "2026-05-10T01:30:00+02:00",
    "2026-05-09T23:30:00-02:00",
    "2026-05-10",
    "2026-05-11T12:00:00Z",
    "2026-05-12T12:00:00Z",
    "2999-01-01T00:00:00Z",
    "0001-01-01T00:00:00+05:00",
    "yesterday",
    "",
    None,
)
EVENTS = st.tuples(
    st.sampled_from(DATES),
    st.sampled_from((FIRED, "signal.human_override:", SURFACE, "agent.action.close")),
    st.sampled_from(("{}", "{", None, '{"confidence": 0.5}')),
)


@settings(max_examples=25, deadline=None)
@given(nights=st.lists(st.lists(EVENTS, max_size=8), min_size=2, max_size=4), ages=st.booleans())
def test_however_the_rows_come_in_the_lake_is_that_of_one_full_extraction(
    nights: list[list[tuple[str | None, str, str | None]]], ages: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("nights")
    source, number = export(folder), 0
    for night, rows in enumerate(nights):
        for created_at, event_type, metadata in rows:
            number += 1
            add(source, "audit_events", event(number, created_at, event_type, metadata_json=metadata))
            if created_at:
                add(source, "decision_records", record(number, created_at, None if metadata else "{"))
        check_like_full(source, folder / "lake", AS_OF + night * 40 * DAY if ages else None)


def test_new_rows_are_found_however_old_they_say_they_are(tmp_path: Path) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    extract(source, tmp_path / "lake")
    add(source, "audit_events", event(30, "2026-05-02T08:00:00Z"), event(31, "2026-05-20T00:00:00Z"))
    said = check_like_full(source, tmp_path / "lake")
    assert "audit_events: 2 new rows, and the days from 2026-05-16 again" in said


def test_a_changed_row_is_found_in_the_last_days_and_before_them_only_by_a_full_extraction(tmp_path: Path) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 200 // 10)))
    extract(source, tmp_path / "lake")
    run(source, "UPDATE audit_events SET outcome = 'late' WHERE id = 'e18'")
    check_like_full(source, tmp_path / "lake")
    run(source, "UPDATE audit_events SET outcome = 'old' WHERE id = 'e7'")
    extract(source, tmp_path / "lake")
    day = tmp_path / "lake" / "audit_events" / "2026-05-07.parquet"
    assert pq.read_table(day)["outcome"].to_pylist() == [None]
    extract(source, tmp_path / "lake", full=True)
    assert pq.read_table(day)["outcome"].to_pylist() == ["old"]


def test_days_that_nothing_was_added_to_are_the_same_files(tmp_path: Path) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    extract(source, tmp_path / "lake")
    day = tmp_path / "lake" / "audit_events" / "2026-05-03.parquet"
    before = day.stat().st_ino
    add(source, "audit_events", event(30, "2026-05-20T00:00:00Z"))
    extract(source, tmp_path / "lake")
    assert day.stat().st_ino == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM audit_events WHERE rowid > 15", "was rewound, to row 15 from row 19"),
        ("UPDATE audit_events SET id = 'other' || id", "was replaced or numbered anew"),
        ("UPDATE audit_events SET rowid = rowid + 100", "was replaced or numbered anew|nothing is left"),
        ("DELETE FROM audit_events WHERE rowid = 10", "was replaced or numbered anew|gone from its middle"),
        ("DELETE FROM audit_events", "it is empty now"),
        ("ALTER TABLE audit_events DROP COLUMN detail", "the columns of audit_events have changed"),
        ("DROP TABLE pull_requests", "the table pull_requests is gone"),
    ],
)
def test_a_source_that_is_not_the_same_any_more_is_read_whole_and_that_is_said(
    change: str, said: str, tmp_path: Path
) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    extract(source, tmp_path / "lake")
    run(source, change)
    heard = check_like_full(source, tmp_path / "lake")
    assert any(part in heard for part in said.split("|")), heard


def test_rows_gone_from_between_two_remembered_ones_are_noticed_by_their_number(tmp_path: Path) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{1 + n // 20:02}T12:00:00Z") for n in range(1, 300)))
    extract(source, tmp_path / "lake")
    run(source, "DELETE FROM audit_events WHERE rowid IN (12, 13)")
    assert "2 rows that had been read are gone from its middle" in check_like_full(source, tmp_path / "lake")


def test_what_a_source_prunes_at_its_beginning_stays_in_the_lake(tmp_path: Path) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    extract(source, tmp_path / "lake")
    run(source, "DELETE FROM audit_events WHERE rowid <= 4")
    add(source, "audit_events", event(30, "2026-05-20T00:00:00Z"))
    manifest, said = extract(source, tmp_path / "lake")
    assert "4 of its first rows were pruned from the source; the lake keeps them" in said
    assert manifest.table("audit_events").rows_in_files == 20
    # The next night knows the shorter source again.
    add(source, "audit_events", event(31, "2026-05-21T00:00:00Z"))
    manifest, said = extract(source, tmp_path / "lake")
    assert "pruned" not in said
    assert manifest.table("audit_events").rows_in_files == 21


def test_another_export_under_another_name_starts_anew(tmp_path: Path) -> None:
    extract(export(tmp_path, event(1, "2026-05-01")), tmp_path / "lake")
    other = write_sqlite(tmp_path / "f.sqlite", {"audit_events": [event(2, "2026-05-02")]})
    assert "the lake was made from e.sqlite, and this is f.sqlite" in check_like_full(other, tmp_path / "lake")


def test_a_damaged_earlier_lake_is_built_anew(tmp_path: Path) -> None:
    source = export(tmp_path, event(1, "2026-05-01"), event(2, "2026-05-19"))
    extract(source, tmp_path / "lake")
    (tmp_path / "lake" / "audit_events" / "2026-05-01.parquet").unlink()
    assert "the lake lacks audit_events/2026-05-01.parquet" in check_like_full(source, tmp_path / "lake")


def test_events_past_their_retention_go_but_never_those_that_figures_of_any_age_read(tmp_path: Path) -> None:
    rows = [event(1, "2026-01-01"), event(2, "2026-01-01", SURFACE), event(3, "2026-02-19T12:00:00Z")]
    source = export(tmp_path, *rows, event(4, "2026-05-19"))
    manifest, _ = extract(source, tmp_path / "lake", AS_OF)
    events = manifest.table("audit_events")
    # 90 days before 2026-05-20 is 2026-02-19: that day is whole.
    assert [file.day for file in events.files] == ["2026-01-01", "2026-02-19", "2026-05-19"]
    assert (events.rows_read, events.rows_kept, events.rows_in_files) == (4, 4, 3)
    check_like_full(source, tmp_path / "lake", AS_OF + DAY)
    # Dropped with the night's as-of, and kept dropped by a run that names none.
    manifest, _ = extract(source, tmp_path / "lake")
    assert manifest.table("audit_events").rows_in_files == 2


def test_of_a_record_past_its_retention_its_digest_is_left(tmp_path: Path) -> None:
    rows = [record(1, "2025-06-01"), record(2, "2025-06-01", "{"), record(3, "2026-05-19")]
    source = export(tmp_path, event(1, "2026-05-19"), records=rows)
    extract(source, tmp_path / "lake", AS_OF)
    old = pq.read_table(tmp_path / "lake" / "decision_records" / "2025-06-01.parquet")
    assert old["record_json"].to_pylist() == [None, None]
    assert old["record_content"].to_pylist() == [sha256_hex(canonical({"a": [1], "b": 1})), ""]
    new = pq.read_table(tmp_path / "lake" / "decision_records" / "2026-05-19.parquet")
    assert (new["record_content"].to_pylist(), new["record_json"].null_count) == ([None], 0)


def test_figures_that_look_back_to_dropped_days_are_refused(tmp_path: Path) -> None:
    source = export(tmp_path, event(1, "2026-01-01"), event(2, "2026-05-19"))
    extract(source, tmp_path / "lake", AS_OF)
    Computation(tmp_path / "lake", Policy(), AS_OF).close()
    with pytest.raises(LakeError, match=r"dropped events before 2026-02-19.*look back to 2026-02-18"):
        Computation(tmp_path / "lake", Policy(), AS_OF - 1)


def test_a_run_that_fails_anywhere_leaves_a_lake_that_the_next_one_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    lake = tmp_path / "lakes" / "lake"
    extract(source, lake, AS_OF)
    before = contents(lake)
    add(source, "audit_events", event(30, "2026-05-02T08:00:00Z"), event(31, "2026-05-20T00:00:00Z"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for target in (
        "evenhand.lake.work.sync",
        "evenhand.lake.work.assemble",
        "evenhand.lake.staging.pa.OSFile",
        "evenhand.lake.writing._taken_over",
        "evenhand.lake.writing.write_tallies",
        "evenhand.lake.writing.write_quarantine",
        "pathlib.Path.write_text",
        "pathlib.Path.mkdir",
        "evenhand.lake.writing._exchanged",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, full)
            with pytest.raises(OSError, match="No space left"):
                extract(source, lake, AS_OF)
        assert contents(lake) == before, target
    check_like_full(source, lake, AS_OF)


def test_a_file_system_without_links_is_served_by_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    source = export(tmp_path, *(event(n, f"2026-05-{n:02}T12:00:00Z") for n in range(1, 20)))
    extract(source, tmp_path / "lake")
    add(source, "audit_events", event(31, "2026-05-20T00:00:00Z"))
    check_like_full(source, tmp_path / "lake")


def test_two_processes_give_the_same_lake_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.lake.writing.SMALL_EXPORT_BYTES", 0)
    draw = random.Random(7)
    dated = [event(n, f"2026-05-{draw.randint(1, 19):02}T12:00:00Z") for n in range(1, 400)]
    source = export(tmp_path, *dated[:300])
    for lake in ("one", "two"):
        extract(source, tmp_path / lake, AS_OF)
    add(source, "audit_events", *dated[300:])
    with open_source(str(source)) as opened:
        write_lake(opened, tmp_path / "two", as_of=AS_OF, workers=2)
    extract(source, tmp_path / "one", AS_OF)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_damaged_file_of_the_lake_is_one_sentence_that_names_no_path(tmp_path: Path) -> None:
    source = export(tmp_path, event(1, "2026-05-19"))
    extract(source, tmp_path / "lake", AS_OF)
    (tmp_path / "lake" / "audit_events" / "2026-05-19.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(LakeError, match=r"^a file of the lake is damaged or gone: extract again with --full$"):
        Computation(tmp_path / "lake", Policy(), AS_OF).computed()


def test_a_lake_replaced_while_it_is_read_is_refused(tmp_path: Path) -> None:
    source = export(tmp_path, event(1, "2026-05-19"))
    extract(source, tmp_path / "lake", AS_OF)
    with Computation(tmp_path / "lake", Policy(), AS_OF) as computation:
        add(source, "audit_events", event(2, "2026-05-19"))
        extract(source, tmp_path / "lake", AS_OF)
        with pytest.raises(LakeError, match="replaced by another run while it was read"):
            computation.computed()
