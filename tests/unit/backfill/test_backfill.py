"""Historical decisions become one firing and one verdict a target; what gives none is counted by reason."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.postgres import Server

from evenhand.backfill.decisions import Backfill, Skipped, plan
from evenhand.backfill.writing import write_sqlite
from evenhand.cli import main
from evenhand.errors import SourceError
from evenhand.sources import open_source
from evenhand.timeline import instant_argument

EVENTS = (
    "CREATE TABLE audit_events (id {key}, event_type TEXT, actor TEXT, target_key TEXT, outcome TEXT, detail TEXT, "
    "metadata_json TEXT, created_at TEXT)"
)
TARGETS = (
    "CREATE TABLE review_targets (kind TEXT, repo TEXT, number INTEGER, verdict TEXT, status TEXT, confidence, "
    "decision_json TEXT, terminal_at TEXT)"
)

Values = tuple[Any, ...]


def decision(pull: int = 1, **changed: Any) -> Values:
    row = {
        "kind": "pull_request",
        "repo": "acme/widgets",
        "number": pull,
        "verdict": "close",
        "status": "closed",
        "confidence": 0.93,
        "decision_json": None,
        "terminal_at": "2026-01-01T00:00:00Z",
    }
    return tuple({**row, **changed}.values())


def export(path: Path, *rows: Values, key: str = "TEXT PRIMARY KEY") -> Path:
    connection = sqlite3.connect(path)
    connection.execute(EVENTS.format(key=key))
    connection.execute(TARGETS)
    connection.executemany("INSERT INTO review_targets VALUES (?,?,?,?,?,?,?,?)", rows)
    connection.commit()
    connection.close()
    return path


def planned(tmp_path: Path, *rows: Values, as_of: str | None = None) -> Backfill:
    with open_source(str(export(tmp_path / "export.sqlite", *rows))) as source:
        return plan(source, None if as_of is None else instant_argument(as_of))


def stored(path: Path) -> list[Values]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM audit_events ORDER BY created_at").fetchall()
    connection.close()
    return rows


def test_a_decision_is_a_firing_and_a_second_later_a_verdict(tmp_path: Path) -> None:
    firing, verdict = planned(tmp_path, decision()).rows()
    assert firing["event_type"] == "signal.rule_fired:ai_consensus_defect"
    assert json.loads(firing["metadata_json"])["confidence"] == 0.93
    assert (firing["target_key"], firing["created_at"]) == ("acme/widgets#1", "2026-01-01T00:00:00.000Z")
    assert verdict["event_type"] == "signal.human_override:ai_consensus_defect"
    assert verdict["created_at"] == "2026-01-01T00:00:01.000Z"
    assert json.loads(verdict["metadata_json"]) == {
        "provenance": "review_targets_decision_level",
        "verdict": "confirmed",
    }


def test_what_was_merged_after_all_is_a_reversal(tmp_path: Path) -> None:
    _, verdict = planned(tmp_path, decision(status="merged")).rows()
    assert json.loads(verdict["metadata_json"])["verdict"] == "reversed"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"verdict": "merge"}, Skipped.NOT_A_CLOSE),
        ({"verdict": None}, Skipped.NOT_A_CLOSE),
        ({"verdict": "Close"}, Skipped.NOT_A_CLOSE),
        ({"status": "open"}, Skipped.NOT_ENDED),
        ({"confidence": None}, Skipped.NO_NUMERIC_CONFIDENCE),
        ({"confidence": "high"}, Skipped.NO_NUMERIC_CONFIDENCE),
        ({"confidence": None, "decision_json": '{"confidence": "0.9"}'}, Skipped.NO_NUMERIC_CONFIDENCE),
        ({"confidence": None, "decision_json": '{"confidence": NaN}'}, Skipped.NO_NUMERIC_CONFIDENCE),
        ({"confidence": None, "decision_json": '{"confidence": 1e999}'}, Skipped.NO_NUMERIC_CONFIDENCE),
        ({"terminal_at": "last Tuesday"}, Skipped.UNPARSEABLE_TERMINAL_AT),
        ({"terminal_at": None}, Skipped.UNPARSEABLE_TERMINAL_AT),
        ({"kind": "issue"}, Skipped.NOT_A_PULL_REQUEST),
        ({"number": None}, Skipped.NOT_A_PULL_REQUEST),
        ({"repo": "a#b"}, Skipped.NOT_A_PULL_REQUEST),
        ({"repo": b"\xff"}, Skipped.UNREADABLE_ROW),
    ],
)
def test_what_gives_no_rows_is_counted_by_reason(changed: dict[str, Any], reason: Skipped, tmp_path: Path) -> None:
    found = planned(tmp_path, decision(1, **changed), decision(2))
    assert found.skipped == {reason: 1}
    assert [decided.target for decided in found.decisions] == ["acme/widgets#2"]


def test_the_confidence_of_the_decision_counts_where_the_column_has_none(tmp_path: Path) -> None:
    [decided] = planned(tmp_path, decision(confidence=None, decision_json='{"confidence":0.81}')).decisions
    assert decided.confidence == 0.81


def test_the_latest_decision_of_a_target_wins_in_any_spelling_and_order(tmp_path: Path) -> None:
    late = decision(repo="ACME/widgets", status="merged", terminal_at="2026-01-02 00:00:00")
    for number, rows in enumerate(([decision(), late], [late, decision()])):
        (tmp_path / str(number)).mkdir()
        found = planned(tmp_path / str(number), *rows)
        assert [(decided.target, decided.verdict) for decided in found.decisions] == [("ACME/widgets#1", "reversed")]
        assert found.skipped == {Skipped.EARLIER_DECISION: 1}


def test_what_ended_at_or_after_the_as_of_is_left_out(tmp_path: Path) -> None:
    rows = [decision(1), decision(2, terminal_at="2026-01-02T00:00:00Z")]
    found = planned(tmp_path, *rows, as_of="2026-01-02T00:00:00Z")
    assert [decided.target for decided in found.decisions] == ["acme/widgets#1"]


@pytest.mark.parametrize("key", ["TEXT PRIMARY KEY", "TEXT"])
def test_applied_twice_it_writes_once_also_where_the_table_has_no_key(key: str, tmp_path: Path) -> None:
    path = export(tmp_path / "export.sqlite", decision(1), decision(2), key=key)
    assert main(["backfill", str(path), "--apply"]) == 0
    once = stored(path)
    assert len(once) == 4
    assert main(["backfill", str(path), "--apply"]) == 0
    assert stored(path) == once


def test_without_apply_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = export(tmp_path / "export.sqlite", decision(1), decision(2, verdict="merge"))
    before = path.read_bytes()
    assert main(["backfill", str(path)]) == 0
    printed = capsys.readouterr()
    assert [json.loads(text)["target_key"] for text in printed.out.splitlines()] == ["acme/widgets#1"] * 2
    assert "skipped 1: not_a_close" in printed.err
    assert path.read_bytes() == before


def test_one_row_that_the_table_refuses_leaves_it_as_it_was(tmp_path: Path) -> None:
    path = export(tmp_path / "export.sqlite", decision(1), decision(2))
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TRIGGER no BEFORE INSERT ON audit_events WHEN NEW.target_key = 'acme/widgets#2' "
        "BEGIN SELECT RAISE(ABORT, 'not this one'); END"
    )
    connection.commit()
    connection.close()
    with open_source(str(path)) as source:
        rows = list(plan(source, None).rows())
    with pytest.raises(SourceError, match="not this one"):
        write_sqlite(path, rows)
    assert stored(path) == []


def test_a_folder_can_be_looked_at_and_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["kind", "repo", "number", "verdict", "status", "confidence", "decision_json", "terminal_at"]
    row = dict(zip(columns, decision(), strict=True))
    (tmp_path / "review_targets.ndjson").write_text(json.dumps(row) + "\n")
    assert main(["backfill", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["backfill", str(tmp_path), "--apply"]) == 2
    assert "SQLite file or PostgreSQL" in capsys.readouterr().err


def test_an_export_without_decisions_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "audit_events.ndjson").write_text("")
    assert main(["backfill", str(tmp_path)]) == 1
    assert "no table review_targets" in capsys.readouterr().err


class TestPostgres:
    @staticmethod
    def database(postgres: Server, events: str, tmp_path: Path) -> tuple[str, str]:
        name = postgres.new_database()
        address = postgres.load(export(tmp_path / "export.sqlite", decision(1), decision(2, status="merged")), name)
        postgres.run("DROP TABLE audit_events", events, database=name)
        return name, address

    @pytest.mark.parametrize("key", [" PRIMARY KEY", ""])
    def test_applied_twice_it_writes_once(self, key: str, postgres: Server, tmp_path: Path) -> None:
        events = (
            f"CREATE TABLE audit_events (id text{key}, event_type text, actor text, target_key text, outcome text, "
            "detail text, metadata_json jsonb, created_at timestamptz)"
        )
        name, address = self.database(postgres, events, tmp_path)
        for _ in range(2):
            assert main(["backfill", address, "--apply"]) == 0
            assert postgres.rows("SELECT count(*), count(DISTINCT id) FROM audit_events", name) == [(4, 4)]
        query = "SELECT target_key, metadata_json->>'verdict' FROM audit_events WHERE actor = 'human' ORDER BY 1"
        assert postgres.rows(query, name) == [("acme/widgets#1", "confirmed"), ("acme/widgets#2", "reversed")]

    def test_without_apply_nothing_is_written(self, postgres: Server, tmp_path: Path) -> None:
        events = (
            "CREATE TABLE audit_events (id text, event_type text, target_key text, metadata_json text, created_at text)"
        )
        name, address = self.database(postgres, events, tmp_path)
        assert main(["backfill", address]) == 0
        assert postgres.rows("SELECT count(*) FROM audit_events", name) == [(0,)]

    def test_one_row_that_the_table_refuses_leaves_it_as_it_was(
        self, postgres: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        events = (
            "CREATE TABLE audit_events (id text, event_type text, metadata_json text, created_at text, "
            "target_key text CHECK (target_key <> 'acme/widgets#2'))"
        )
        name, address = self.database(postgres, events, tmp_path)
        assert main(["backfill", address, "--apply"]) == 1
        assert "refuses the rows (SQLSTATE 23514), and nothing was written" in capsys.readouterr().err
        assert postgres.rows("SELECT count(*) FROM audit_events", name) == [(0,)]
