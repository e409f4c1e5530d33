"""A lake of a PostgreSQL database, which has no row numbers, goes on by days: byte for byte as from reading all."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.postgres import Server
from unit.lake.test_increments import DATES, contents

from evenhand.lake.instants import instant_of
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.writing import write_lake
from evenhand.policy import Policy, Postgresql
from evenhand.sources import open_source
from evenhand.sources.postgresql import literal
from evenhand.sources.postgresql_days import certain_day_of, day_of, is_day
from evenhand.timeline import DAY, day_text, instant_argument

AS_OF = instant_argument("2026-05-20T00:00:00Z")
EVENTS = """
CREATE TABLE audit_events (id text PRIMARY KEY, event_type text, outcome text, metadata_json text, created_at {})
"""
LEDGER = """
CREATE TABLE decision_ledger
  (seq bigint, record_id text, record_digest text, prev_hash text, row_hash text, created_at text)
"""
EXPORT = (EVENTS.format("text"), LEDGER, "CREATE INDEX by_time ON audit_events (created_at)")


class Database:
    """One schema of the server, and the lake that is made from it."""

    def __init__(self, server: Server, folder: Path, *statements: str) -> None:
        self._server, self._lake = server, folder / "lake"
        self._schema = server.new_schema(*(statements or EXPORT))
        self._number = 0

    def run(self, *statements: str) -> None:
        self._server.run(f"SET search_path TO {self._schema}", *statements)

    def add(self, *dates: str | None) -> None:
        """An event and a row of the ledger for each date."""
        statements = []
        for date in dates:
            self._number += 1
            name, moment = f"'e{self._number}'", "NULL" if date is None else literal(date)
            statements.append(f"INSERT INTO audit_events VALUES ({name}, 'pr_outcome', 'merged', '{{}}', {moment})")
            statements.append(f"INSERT INTO decision_ledger VALUES ({self._number}, {name}, '', '', '', {moment})")
        self.run(*statements)

    def extract(self, as_of: int | None = None, lake: Path | None = None, **options: Any) -> tuple[LakeManifest, str]:
        said: list[str] = []
        policy = replace(Policy(), postgresql=Postgresql(schema=self._schema))
        with open_source(self._server.address(), policy) as source:
            manifest = write_lake(source, lake or self._lake, as_of=as_of, say=said.append, **{"workers": 1, **options})
        return manifest, "\n".join(said)

    def check_like_full(self, as_of: int | None = None, **options: Any) -> str:
        """Goes on from the lake and compares it with a full extraction; what was said."""
        _, said = self.extract(as_of, **options)
        whole = self._lake.with_name("whole")
        self.extract(as_of, whole, full=True)
        assert contents(self._lake) == contents(whole)
        return said

    def outcomes(self, day: str) -> list[Any]:
        return list(pq.read_table(self._lake / "audit_events" / f"{day}.parquet")["outcome"].to_pylist())


Make = Callable[..., Database]


@pytest.fixture
def database(postgres: Server, tmp_path: Path) -> Iterator[Make]:
    """Makes a database of its own."""
    yield lambda *statements: Database(postgres, tmp_path, *statements)


def in_may(*days: int) -> list[str]:
    return [f"2026-05-{day:02}T12:00:00Z" for day in days]


@settings(max_examples=10, deadline=None)
@given(
    nights=st.lists(
        st.lists(st.sampled_from((*DATES, "2026-02-30T00:00:00Z", "2026-05-12Tx")), max_size=6), min_size=2, max_size=3
    ),
    ages=st.booleans(),
)
def test_however_the_rows_come_in_the_lake_is_that_of_one_full_extraction(
    nights: list[list[str | None]], ages: bool, postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = Database(postgres, tmp_path_factory.mktemp("nights"))
    for night, dates in enumerate(nights):
        database.add(*dates)
        database.check_like_full(AS_OF + night * 40 * DAY if ages else None)


@pytest.mark.parametrize("declared", ["text", "varchar(40)", "timestamptz", "timestamp", "date", 'text COLLATE "C"'])
def test_the_last_days_are_read_again_whatever_type_the_time_has(declared: str, database: Make) -> None:
    held = database(EVENTS.format(declared), LEDGER)
    held.add(*in_may(*range(1, 20)), None)
    held.extract()
    held.run("DELETE FROM audit_events WHERE id = 'e18'", "UPDATE audit_events SET outcome = 'late' WHERE id = 'e19'")
    held.add(*in_may(17, 20), None)
    said = held.check_like_full()
    assert "audit_events: the days from 2026-05-16 again, 5 rows; a row changed in an earlier day is found by" in said
    assert "decision_ledger: the days from 2026-05-16 again, 6 rows" in said
    assert held.outcomes("2026-05-19") == ["late"]


def test_rows_of_no_day_are_counted_once_however_often_they_are_read(database: Make) -> None:
    held = database()
    held.add(*in_may(*range(1, 20)), "yesterday", None, "2026-02-30", "2026-05-18Tnoon", "0001-01-01T00:00:00+05:00")
    for _ in range(3):
        held.check_like_full()
        held.add("")
    manifest, said = held.extract()
    events = manifest.table("audit_events")
    assert (events.rows_read, events.rows_kept) == (27, 19)
    assert "read whole" not in said


def test_a_changed_row_of_an_earlier_day_is_found_by_a_full_extraction_alone(database: Make) -> None:
    held = database()
    # Two rows a day, of which the first is remembered.
    held.add(*in_may(*range(1, 20)), *in_may(*range(1, 20)))
    held.extract()
    held.run("UPDATE audit_events SET outcome = 'changed' WHERE id = 'e26'")
    held.extract()
    assert held.outcomes("2026-05-07") == ["merged", "merged"]
    held.extract(full=True)
    assert sorted(held.outcomes("2026-05-07")) == ["changed", "merged"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM audit_events WHERE id = 'e10'", "1 rows of days before 2026-05-16 are gone from its middle"),
        ("DELETE FROM audit_events WHERE created_at > '2026-05-12'", "gone from its middle, or the source was rewound"),
        ("UPDATE audit_events SET id = 'other' || id", "the source was replaced, or its rows were moved"),
        (
            "INSERT INTO audit_events VALUES ('x', 'pr_outcome', '', '{}', '2026-05-02T00:00:00Z')",
            "1 rows came in that are dated before 2026-05-16",
        ),
        ("DELETE FROM audit_events WHERE created_at < '2026-05-17'", "nothing is left of what had been read"),
        ("DELETE FROM audit_events", "it is empty now"),
        ("UPDATE audit_events SET created_at = 'then'", "no time that its server can tell the day of"),
        ("ALTER TABLE audit_events DROP COLUMN outcome", "the columns of audit_events have changed"),
    ],
)
def test_a_database_that_is_not_the_same_any_more_is_read_whole_and_that_is_said(
    change: str, said: str, database: Make
) -> None:
    held = database()
    held.add(*in_may(*range(1, 20)))
    held.extract()
    held.run(change)
    assert said in held.check_like_full()


def test_what_a_database_prunes_at_its_beginning_stays_in_the_lake(database: Make) -> None:
    held = database()
    held.add(*in_may(*range(1, 20)), "2026-05-05T18:00:00Z")
    held.extract()
    held.run("DELETE FROM audit_events WHERE created_at < '2026-05-05T15'", "VACUUM audit_events")
    held.add(*in_may(20))
    manifest, said = held.extract()
    assert "audit_events: 5 of its first rows were pruned from the source; the lake keeps them" in said
    assert manifest.table("audit_events").rows_in_files == 21
    # The next night knows the shorter database again.
    held.add(*in_may(21))
    manifest, said = held.extract()
    assert "pruned" not in said and "whole" not in said
    assert manifest.table("audit_events").rows_in_files == 22


def test_rows_that_could_not_be_read_have_no_day_and_so_all_is_read(database: Make) -> None:
    held = database(EVENTS.format("text").replace("outcome text", "outcome bytea"), LEDGER)
    held.add(*in_may(*range(1, 20)))
    held.run("UPDATE audit_events SET outcome = NULL WHERE id <> 'e5'")
    held.extract()
    assert "audit_events is read whole: rows that could not be read have no day" in held.check_like_full()


def test_a_view_has_no_places_of_rows_and_is_read_whole(database: Make) -> None:
    held = database(EVENTS.format("text").replace("audit_events", "stored"), LEDGER)
    held.run("CREATE VIEW audit_events AS SELECT * FROM stored")
    held.add(*in_may(1, 2))
    manifest, _ = held.extract()
    assert manifest.table("audit_events").mark is None
    assert "audit_events" not in held.check_like_full()


def test_two_processes_give_the_same_lake_as_one(database: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    held = database()
    held.add(*in_may(*range(1, 20)), None)
    held.extract()
    held.add(*in_may(20), "then")
    monkeypatch.setattr("evenhand.lake.writing.SMALL_EXPORT_BYTES", 0)
    held.check_like_full(workers=2)


CLOCKS = (
    "",
    "T10:00",
    "T23:59:59.9999999",
    "T00:00:00.000Z",
    "T23:59:59.999Z",
    "T24:59:59.999Z",
    "T23:60:00.000Z",
    " 10:00",
    " 23:59:59",
    "T24:00",
    "T10:60Z",
    "t10:00Z",
)
OFFSETS = ("", "Z", "+02", "-0200", "+14:59", "-15:00", "+23:59", "+24:00", "+2")
WORDS = st.builds(
    "{:04}-{:02}-{:02}{}{}".format,
    st.sampled_from((0, 1, 2, 1900, 2000, 2024, 2026, 9998, 9999)),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(CLOCKS),
    st.sampled_from(OFFSETS),
)


@given(texts=st.lists(st.one_of(WORDS, st.sampled_from([date for date in DATES if date])), min_size=50, max_size=200))
@settings(max_examples=20, deadline=None)
def test_the_server_takes_for_a_day_what_the_lake_takes_for_it(texts: list[str], postgres: Server) -> None:
    values = ", ".join(f"({literal(text)})" for text in texts)
    days = f"{day_of('t', 'text')}, {certain_day_of('t', 'text')}"
    for text, day, certain in postgres.rows(f"SELECT t, {days} FROM (VALUES {values}) AS v (t)"):
        moment = instant_of(text)
        if moment is not None:
            assert day == certain
        if certain is not None:
            assert moment is not None and day_text(moment) == certain, text
            assert is_day(certain)
        elif moment is not None:
            # Read each time: the ends of the calendar, and offsets and fractions that the server does not know so.
            assert text[:4] in ("0001", "9999") or "-15:" in text or "+23" in text or ".9999999" in text, text
