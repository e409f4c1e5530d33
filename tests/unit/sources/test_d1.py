"""D1 as an SQL dump and as JSON outputs: the rows that it holds, and nothing that it would like to run."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.d1 import to_dump, to_outputs
from support.exports import write_sqlite
from support.rows import event

from evenhand.errors import SourceError
from evenhand.lake.tables import AUDIT_EVENTS, READABLE
from evenhand.sources import d1_json, open_source, sql_text
from evenhand.sources.base import Source

EVENTS = "CREATE TABLE audit_events (id TEXT PRIMARY KEY, event_type TEXT, created_at TEXT, detail TEXT);\n"
ROW = "INSERT INTO audit_events VALUES('1','pr_outcome','2026-01-01T00:00:00Z','x');\n"


def rows(source: Source) -> list[dict[str, Any]]:
    found = []
    for part in source.parts(AUDIT_EVENTS):
        for batch in source.batches(AUDIT_EVENTS, part):
            columns = dict(zip(AUDIT_EVENTS.source_columns, batch.columns, strict=True))
            for number in range(batch.rows):
                values = {name: column[number].as_py() for name, column in columns.items()}
                found.append({name: value for name, value in values.items() if value is not None})
            found += [{"unreadable": True}] * len(batch.unreadable)
    return found


def dump(tmp_path: Path, text: str | bytes) -> Source:
    path = tmp_path / "dump.sql"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_source(f"d1:{path}")


def details(tmp_path: Path, text: str | bytes) -> list[str | None]:
    with dump(tmp_path, text) as source:
        return [row.get("detail") for row in rows(source)]


class TestDump:
    def test_a_dump_as_wrangler_writes_it_is_read(self, tmp_path: Path) -> None:
        text = "PRAGMA defer_foreign_keys=TRUE;\n" + EVENTS + ROW + "CREATE INDEX i ON audit_events (created_at);\n"
        with dump(tmp_path, text) as source:
            assert (source.kind, source.label) == ("d1", "dump.sql")
            assert source.tables() == ("audit_events",)
            assert len(rows(source)) == 1

    def test_so_is_one_that_the_shell_of_sqlite_writes(self, tmp_path: Path) -> None:
        text = (
            "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"
            + EVENTS
            + "INSERT INTO audit_events VALUES('1','a','b',replace('one\\ntwo','\\n',char(10)));\n"
            + "DELETE FROM sqlite_sequence;\nINSERT INTO sqlite_sequence VALUES('audit_events',1);\nCOMMIT;\n"
        )
        assert details(tmp_path, text) == ["one\ntwo"]

    @pytest.mark.parametrize(
        "value", ["a;b", "it''s; -- no comment", "/* no comment */", '"', "`[", "\n;\n", "INSERT INTO x;", "é漢😀"]
    )
    def test_a_semicolon_in_a_text_ends_no_statement(self, value: str, tmp_path: Path) -> None:
        text = EVENTS + f"INSERT INTO audit_events VALUES('1','a','b','{value}');\n"
        assert details(tmp_path, text) == [value.replace("''", "'")]

    def test_comments_are_passed_over(self, tmp_path: Path) -> None:
        text = "-- one; it's\n/* two; \n it's */" + EVENTS + "-- three\n" + ROW + "/* four */ -- five;"
        assert details(tmp_path, text) == ["x"]

    @pytest.mark.parametrize(
        "name", ['"audit_events"', "`audit_events`", "[audit_events]", "AUDIT_EVENTS", "main.audit_events"]
    )
    def test_a_table_is_named_in_any_way_that_sqlite_takes(self, name: str, tmp_path: Path) -> None:
        text = EVENTS.replace("audit_events", name) + ROW.replace("audit_events", name)
        assert details(tmp_path, text) == ["x"]

    def test_rows_may_name_their_columns_and_come_several_at_a_time(self, tmp_path: Path) -> None:
        text = EVENTS + "INSERT INTO \"audit_events\" (\"detail\",\"id\") VALUES ('p','1'),('q','2');\n"
        assert details(tmp_path, text) == ["p", "q"]

    @pytest.mark.parametrize("block", [1, 7, 64])
    def test_a_mark_that_lies_across_two_blocks_is_one(self, block: int, tmp_path: Path, monkeypatch: Any) -> None:
        monkeypatch.setattr(sql_text, "BLOCK", block)
        text = "-- a;\n/* b;*/" + EVENTS + ROW.replace("'x'", "'it''s; /* -- */'") + "/**/"
        assert details(tmp_path, text) == ["it's; /* -- */"]

    @pytest.mark.parametrize("cut", [3, 20, len(EVENTS) + 30, len(EVENTS) + len(ROW) - 3])
    def test_a_dump_that_is_cut_off_is_refused(self, cut: int, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="cut off"):
            dump(tmp_path, (EVENTS + ROW)[:cut])

    @pytest.mark.parametrize(
        ("statement", "named"),
        [
            ("ATTACH DATABASE 'FILE' AS other", "ATTACH"),
            ("DETACH other", "DETACH"),
            ("PRAGMA writable_schema=ON", "PRAGMA"),
            ("PRAGMA defer_foreign_keys=TRUE, x", "PRAGMA"),
            ("CREATE TRIGGER t AFTER INSERT ON audit_events BEGIN DELETE FROM audit_events; END", "CREATE TRIGGER"),
            ("CREATE VIEW v AS SELECT 1", "CREATE VIEW"),
            ("CREATE VIRTUAL TABLE v USING fts5(x)", "CREATE VIRTUAL"),
            ("CREATE TEMP TABLE audit_events (id)", "CREATE TEMP"),
            ("SELECT load_extension('FILE')", "SELECT"),
            ("DELETE FROM audit_events", "DELETE"),
            ("UPDATE audit_events SET id = 1", "UPDATE"),
            ("DROP TABLE audit_events", "DROP"),
            ("VACUUM INTO 'FILE'", "VACUUM"),
            ("WITH x AS (SELECT 1) INSERT INTO audit_events SELECT 1, 2, 3, 4 FROM x", "WITH"),
            ("REPLACE INTO audit_events VALUES(1, 2, 3, 4)", "REPLACE"),
            ("ALTER TABLE audit_events ADD COLUMN x", "ALTER"),
            ("/* PRAGMA defer_foreign_keys=TRUE */ ATTACH 'FILE' AS x", "ATTACH"),
            ("hello", "HELLO"),
            ("123", "no statement"),
        ],
    )
    def test_what_is_neither_a_table_nor_a_row_is_refused_by_name_and_not_run(
        self, statement: str, named: str, tmp_path: Path
    ) -> None:
        made = tmp_path / "made.sqlite"
        with pytest.raises(SourceError, match=named) as refused:
            dump(tmp_path, EVENTS + statement.replace("FILE", str(made)) + ";\n" + ROW)
        assert "line 2 of dump.sql" in str(refused.value)
        assert not made.exists()

    @pytest.mark.parametrize(
        "value",
        [
            "load_extension('FILE')",
            "readfile('FILE')",
            "randomblob(1000000000)",
            "zeroblob(1000000000)",
            "(SELECT detail FROM audit_events)",
            "(SELECT sql FROM sqlite_master)",
            "(WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x FROM r) SELECT count(*) FROM r)",
            "(SELECT count(*) FROM pragma_database_list)",
            "detail",
            "?",
            ":a",
        ],
    )
    def test_a_row_may_only_name_values(self, value: str, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"line 2 of dump\.sql"):
            dump(tmp_path, EVENTS + f"INSERT INTO audit_events VALUES('1','a','b',{value});\n")

    @pytest.mark.parametrize(
        "insert",
        [
            "INSERT INTO audit_events SELECT * FROM audit_events",
            "INSERT INTO audit_events VALUES('1','a','b','c') RETURNING id",
            "INSERT INTO audit_events VALUES('1')",
            "INSERT INTO audit_events VALUES('1','a','b','c'",
        ],
    )
    def test_an_insert_that_does_more_or_less_is_refused(self, insert: str, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"line 2 of dump\.sql"):
            dump(tmp_path, EVENTS + insert + ";\n")

    def test_a_table_out_of_a_query_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"line 1 of dump\.sql"):
            dump(tmp_path, "CREATE TABLE audit_events AS SELECT 1 AS id;\n")

    def test_defaults_checks_and_generated_columns_of_a_table_never_run(self, tmp_path: Path) -> None:
        table = (
            "CREATE TABLE audit_events (id TEXT NOT NULL CHECK (length(id) > 100), event_type TEXT, "
            "created_at TEXT DEFAULT (hex(randomblob(1000000000))), detail TEXT GENERATED ALWAYS AS (upper(id)), "
            "FOREIGN KEY (id) REFERENCES other(id));\n"
        )
        with dump(tmp_path, table + "INSERT INTO audit_events (id) VALUES('1');\n") as source:
            assert rows(source) == [{"id": "1"}]
            assert "detail" in source.missing_columns(AUDIT_EVENTS)

    def test_tables_of_others_are_passed_over_with_whatever_their_rows_say(self, tmp_path: Path) -> None:
        text = "CREATE TABLE other (x);\nINSERT INTO other SELECT load_extension('x');\n" + EVENTS + ROW
        assert details(tmp_path, text) == ["x"]

    def test_a_row_of_a_table_that_nothing_creates_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="with its schema"):
            dump(tmp_path, ROW)

    def test_a_dump_without_any_table_of_an_export_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="none of the tables"):
            dump(tmp_path, "CREATE TABLE other (x);\n")

    def test_a_row_that_is_not_utf_8_is_an_unreadable_one(self, tmp_path: Path) -> None:
        text = (EVENTS + ROW).encode() + ROW.replace("'1'", "'2'").encode().replace(b"'x'", b"'\xff'") + ROW.encode()
        with dump(tmp_path, text) as source:
            found = rows(source)
        assert [row.get("unreadable", False) for row in found].count(True) == 1
        assert len(found) == 3

    def test_nothing_is_left_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        with dump(tmp_path, EVENTS + ROW):
            assert list(scratch.iterdir())
        assert list(scratch.iterdir()) == []
        with pytest.raises(SourceError):
            dump(tmp_path, "ATTACH 'x' AS y;")
        assert list(scratch.iterdir()) == []

    def test_a_dump_that_is_not_there_is_one_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"no\.sql"):
            open_source(f"d1:{tmp_path / 'no.sql'}")


def output(tmp_path: Path, text: str | bytes) -> Source:
    path = tmp_path / "audit_events.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_source(f"d1-json:{tmp_path}")


class TestOutputs:
    def test_rows_of_every_result_are_read(self, tmp_path: Path) -> None:
        results = [{"results": [{"id": "1"}, {"id": "2"}], "success": True, "meta": {"a": [1, {}]}}, {"results": []}]
        with output(
            tmp_path, json.dumps([*results, {"success": True, "results": [{"id": 3, "detail": None}]}])
        ) as source:
            assert (source.kind, source.tables()) == ("d1-json", ("audit_events",))
            assert rows(source) == [{"id": "1"}, {"id": "2"}, {"id": "3"}]

    def test_no_rows_are_an_empty_table(self, tmp_path: Path) -> None:
        with output(tmp_path, '[{"results": [], "success": true}]') as source:
            assert rows(source) == []

    @pytest.mark.parametrize("block", [1, 5, 33])
    def test_brackets_and_quotes_in_texts_are_text_wherever_a_block_ends(
        self, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(d1_json, "BLOCK", block)
        values = ['}]"', "[{", "\\", 'a\\"}', "é漢😀", ""]
        text = json.dumps([{"results": [{"id": str(n), "detail": v} for n, v in enumerate(values)], "success": True}])
        with output(tmp_path, text) as source:
            assert [row["detail"] for row in rows(source)] == values

    def test_a_blob_makes_its_row_unreadable(self, tmp_path: Path) -> None:
        text = '[{"results": [{"id": "1", "detail": [1, 2]}, {"id": "2", "detail": ": [1]"}], "success": true}]'
        with output(tmp_path, text) as source:
            assert rows(source) == [{"id": "2", "detail": ": [1]"}, {"unreadable": True}]

    @pytest.mark.parametrize(
        "row", ["7", '"x"', "null", '{"id": NaN}', '{"id" "1"}', '{"id": "\\ud800"}'], ids=lambda row: row[:8]
    )
    def test_a_row_that_is_no_strict_object_is_unreadable_and_the_others_are_read(
        self, row: str, tmp_path: Path
    ) -> None:
        with output(tmp_path, f'[{{"results": [{row}, {{"id": "2"}}], "success": true}}]') as source:
            assert rows(source) == [{"id": "2"}, {"unreadable": True}]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "{}",
            '{"error": "no"}',
            "[",
            "[1]",
            "[{}]",
            '[{"results": 1}]',
            '[{"results": [{"id": "1"}',
            '[{"results": [{"id": "1"}], "success": true}',
            '[{"results": []}] x',
        ],
    )
    def test_what_is_no_output_or_cut_off_is_refused(self, text: str, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="cut off"), output(tmp_path, text) as source:
            rows(source)

    @pytest.mark.parametrize("text", ['[{"results": [], "success": false}]', '[{"error": "no such table"}]'])
    def test_the_output_of_a_failed_command_is_refused(self, text: str, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="failed"), output(tmp_path, text) as source:
            rows(source)

    def test_a_folder_without_outputs_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"audit_events\.json"):
            open_source(f"d1-json:{tmp_path}")


def test_dumps_and_outputs_give_the_texts_that_sqlite_gives(tmp_path: Path) -> None:
    odd = ["plain", "it's; --\n", "", None, "é\u2028😀", '{"a": [1]}', "NULL"]
    events = [{**event("pr_outcome", "a/b#1", "2026-01-01T00:00:00Z"), "detail": value} for value in odd]
    numbers = [{"repo_full_name": "a/b", "number": number} for number in (7, "07", None, 2**60)]
    export = write_sqlite(tmp_path / "export.sqlite", {"audit_events": events, "pull_requests": numbers})
    specs = (
        str(export),
        f"d1:{to_dump(export, tmp_path / 'dump.sql')}",
        f"d1-json:{to_outputs(export, tmp_path / 'outputs')}",
    )
    read = []
    for spec in specs:
        with open_source(spec) as source:
            read.append(
                [
                    [column.to_pylist() for column in batch.columns]
                    for name in source.tables()
                    for part in source.parts(READABLE[name])
                    for batch in source.batches(READABLE[name], part)
                ]
            )
    assert read[0] == read[1] == read[2]


def test_a_scratch_database_has_no_more_than_the_rows(tmp_path: Path) -> None:
    with dump(tmp_path, EVENTS + ROW + "CREATE INDEX i ON audit_events (id);\n") as source:
        connection = sqlite3.connect(source.address().removeprefix("sqlite:"))
        kinds = connection.execute("SELECT type, name FROM sqlite_schema").fetchall()
        connection.close()
    assert kinds == [("table", "audit_events")]
