"""A live PostgreSQL database: the texts that SQLite would give, one snapshot, and one clear sentence when it fails."""

import contextlib
import json
import socket
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.exports import write_sqlite
from support.postgres import PASSWORD, Server
from support.rows import event

from evenhand.cli import main
from evenhand.errors import BusySourceError, EvenhandError, SourceError
from evenhand.lake import writing
from evenhand.lake.tables import AUDIT_EVENTS, DECISION_RECORDS, ORB_INSTANCES, PULL_REQUESTS, Table
from evenhand.lake.writing import write_lake
from evenhand.policy import Policy, Postgresql
from evenhand.sources import open_source
from evenhand.sources.base import Source

EVENTS = "CREATE TABLE audit_events (id text PRIMARY KEY, event_type text, created_at text, detail text)"
ROW = "INSERT INTO audit_events VALUES ('1', 'pr_outcome', '2026-01-01T00:00:00Z', 'x')"


def limited(**changed: Any) -> Policy:
    return replace(Policy(), postgresql=Postgresql(**changed))


def rows(source: Source, table: Table = AUDIT_EVENTS) -> list[dict[str, Any]]:
    found = []
    for part in source.parts(table):
        for batch in source.batches(table, part):
            for number in range(batch.rows):
                values = {n: c[number].as_py() for n, c in zip(table.source_columns, batch.columns, strict=True)}
                found.append({name: value for name, value in values.items() if value is not None})
            found += [{"unreadable": True}] * len(batch.unreadable)
    return found


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """A database with one event."""
    name = postgres.new_database()
    postgres.run(EVENTS, ROW, database=name)
    yield name
    postgres.run(f"DROP DATABASE {name} WITH (FORCE)")


class TestTexts:
    @pytest.mark.parametrize(
        ("declared", "value", "text"),
        [
            ("text", "'x; -- ''é😀'", "x; -- 'é😀"),
            ("text", "''", ""),
            ("text", "NULL", None),
            ("varchar(9)", "'abc'", "abc"),
            ("char(5)", "'abc'", "abc"),
            ("integer", "12", "12"),
            ("bigint", "-9007199254740993", "-9007199254740993"),
            ("numeric", "0.9300", "0.9300"),
            ("double precision", "0.1", "0.1"),
            ("double precision", "12", "12.0"),
            ("double precision", "1e16", "1e+16"),
            ("real", "0.5", "0.5"),
            ("boolean", "true", "true"),
            ("uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
            ("json", """'{"b": 1, "a": [1]}'""", '{"b": 1, "a": [1]}'),
            ("jsonb", """'{"a": [1, 2]}'""", '{"a": [1, 2]}'),
            ("integer[]", "'{7,8}'", "[7,8]"),
            ("timestamptz", "'2026-06-01T02:00:00.123+02:00'", "2026-06-01T00:00:00.123Z"),
            ("timestamptz", "'2026-06-01T00:00:00.123456Z'", "2026-06-01T00:00:00.123456Z"),
            ("timestamptz", "'infinity'", "infinity"),
            ("timestamp", "'2026-06-01 00:00:00'", "2026-06-01T00:00:00.000Z"),
            ("date", "'2026-06-01'", "2026-06-01"),
            ("verdict_kind", "'merge'", "merge"),
            ("short_text", "'x'", "x"),
        ],
    )
    def test_a_value_of_any_type_is_the_text_that_sqlite_would_hold(
        self, declared: str, value: str, text: str | None, postgres: Server
    ) -> None:
        schema = postgres.new_schema(
            "CREATE TYPE verdict_kind AS ENUM ('merge', 'close')",
            "CREATE DOMAIN short_text AS varchar(9)",
            f"CREATE TABLE audit_events (event_type text, created_at text, detail {declared})",
            f"INSERT INTO audit_events VALUES ('a', 'b', {value})",
        )
        with open_source(postgres.address(), limited(schema=schema)) as source:
            [row] = rows(source)
        assert row.get("detail") == text

    def test_bytes_make_their_row_unreadable(self, postgres: Server) -> None:
        database = postgres.new_database()
        postgres.run(
            "CREATE TABLE audit_events (event_type text, created_at text, detail bytea)",
            r"INSERT INTO audit_events VALUES ('a', 'b', NULL), ('c', 'd', '\x41'), ('e', 'f', NULL)",
            database=database,
        )
        with open_source(postgres.address(database)) as source:
            assert [row.get("event_type") for row in rows(source)] == ["a", "e", None]

    def test_text_that_is_not_utf_8_makes_its_row_unreadable(self, postgres: Server) -> None:
        postgres.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
        postgres.run(EVENTS, ROW, r"INSERT INTO audit_events VALUES ('2', 'a', 'b', E'\xff')", database="latin")
        with open_source(postgres.address("latin")) as source:
            assert rows(source)[1:] == [{"unreadable": True}]

    def test_an_operator_finds_a_row_by_its_block_and_line(self, postgres: Server, database: str) -> None:
        with open_source(postgres.address(database)) as source:
            [part] = source.parts(AUDIT_EVENTS)
            [batch] = source.batches(AUDIT_EVENTS, part)
            assert batch.locate() == [1]


class TestNames:
    @pytest.mark.parametrize("schema", ["loopover", 'we"ird; DROP', "Ünï\\'code"])
    def test_the_policy_names_the_schema_in_any_spelling(self, schema: str, postgres: Server) -> None:
        database = postgres.new_database()
        quoted = '"' + schema.replace('"', '""') + '"'
        postgres.run(
            f"CREATE SCHEMA {quoted}",
            EVENTS.replace("audit_events", f"{quoted}.audit_events"),
            ROW.replace("audit_events", f"{quoted}.audit_events"),
            EVENTS,
            database=database,
        )
        with open_source(postgres.address(database), limited(schema=schema)) as source:
            assert len(rows(source)) == 1
        with open_source(postgres.address(database)) as source:
            assert rows(source) == []

    def test_without_one_the_search_path_of_the_address_decides(self, postgres: Server, database: str) -> None:
        postgres.run("CREATE SCHEMA mine", EVENTS.replace("audit_events", "mine.audit_events"), database=database)
        address = postgres.address(database) + "?options=-csearch_path%3Dmine"
        with open_source(address) as source:
            assert rows(source) == []

    def test_columns_and_tables_may_be_spelled_in_any_case(self, postgres: Server) -> None:
        database = postgres.new_database()
        postgres.run(
            'CREATE TABLE "Audit_Events" ("Event_Type" text, "CREATED_AT" text, "a""b" text)',
            """INSERT INTO "Audit_Events" VALUES ('a', 'b', 'c')""",
            database=database,
        )
        with open_source(postgres.address(database)) as source:
            assert rows(source) == [{"event_type": "a", "created_at": "b"}]

    def test_functions_of_a_schema_are_never_called(self, postgres: Server) -> None:
        database = postgres.new_database()
        postgres.run(
            "CREATE TABLE audit_events (event_type text, created_at timestamp, detail text)",
            "INSERT INTO audit_events VALUES ('a', '2026-01-01', 'x')",
            "CREATE FUNCTION public.to_char(timestamp, text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$",
            "CREATE FUNCTION public.isfinite(timestamp) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$",
            database=database,
        )
        with open_source(postgres.address(database) + "?options=-csearch_path%3Dpublic,pg_catalog") as source:
            assert rows(source)[0]["created_at"] == "2026-01-01T00:00:00.000Z"

    def test_views_and_partitions_are_read_whole(self, postgres: Server, database: str) -> None:
        postgres.run(
            "CREATE VIEW pull_requests AS SELECT 'a/b'::text AS repo_full_name, 7 AS number",
            "CREATE TABLE orb_instances (instance_id text, registered boolean) PARTITION BY LIST (instance_id)",
            "CREATE TABLE one PARTITION OF orb_instances DEFAULT",
            "INSERT INTO orb_instances VALUES ('i', true)",
            database=database,
        )
        with open_source(postgres.address(database)) as source:
            assert rows(source, PULL_REQUESTS) == [{"repo_full_name": "a/b", "number": "7"}]
            assert rows(source, ORB_INSTANCES) == [{"instance_id": "i", "registered": "true"}]


class TestSnapshot:
    def test_what_is_written_meanwhile_is_not_read(self, postgres: Server, database: str) -> None:
        with open_source(postgres.address(database)) as source:
            postgres.run(ROW.replace("'1'", "'2'"), "UPDATE audit_events SET detail = 'new'", database=database)
            assert [row["detail"] for row in rows(source)] == ["x"]

    def test_the_transaction_is_read_only(self, postgres: Server, database: str) -> None:
        with open_source(postgres.address(database)) as source, pytest.raises(SourceError):
            source._run("DELETE FROM public.audit_events")  # type: ignore[attr-defined]
        assert postgres.rows("SELECT count(*) FROM audit_events", database) == [(1,)]

    def test_parts_are_every_row_once(self, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("evenhand.sources.postgresql._BLOCKS_PER_PART", 2)
        many = "SELECT 'n' || x, 'a', 'b', repeat('x', 100) FROM generate_series(1, 3000) x"
        postgres.run(
            f"INSERT INTO audit_events {many}", "DELETE FROM audit_events WHERE id LIKE 'n1%'", database=database
        )
        with open_source(postgres.address(database)) as source:
            assert len(source.parts(AUDIT_EVENTS)) > 10
            read = sorted(row["id"] for row in rows(source))
        assert read == sorted(row[0] for row in postgres.rows("SELECT id FROM audit_events", database))

    def test_two_processes_read_one_snapshot_and_write_the_same_lake(
        self, postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("evenhand.sources.postgresql._BLOCKS_PER_PART", 2)
        events = [event("pr_outcome", f"a/b#{n}", f"2026-01-0{n % 9 + 1}T00:00:00Z") for n in range(2000)]
        export = write_sqlite(tmp_path / "export.sqlite", {"audit_events": events})
        database = postgres.new_database()
        address = postgres.load(export, database)
        manifests = []
        for threshold in (1 << 60, 0):
            monkeypatch.setattr(writing, "SMALL_EXPORT_BYTES", threshold)
            with open_source(address) as source:
                if threshold == 0:
                    postgres.run("DELETE FROM audit_events", database=database)
                manifests.append(write_lake(source, tmp_path / f"lake{threshold}"))
        one, two = (manifest.table("audit_events") for manifest in manifests)
        assert one.rows_kept == 2000
        assert one.content_sha256 == two.content_sha256


class TestOlderSchemas:
    def test_a_missing_table_is_not_provided_and_a_missing_column_is_named(
        self, postgres: Server, database: str
    ) -> None:
        postgres.run(
            "CREATE TABLE decision_records (repo_full_name text, pull_number int, action text, created_at text)",
            database=database,
        )
        with open_source(postgres.address(database)) as source:
            assert source.tables() == ("audit_events", "decision_records")
            assert "findings_count" in source.missing_columns(DECISION_RECORDS)

    def test_a_database_without_any_table_of_an_export_is_refused(self, postgres: Server) -> None:
        with pytest.raises(SourceError, match="none of the tables"):
            open_source(postgres.address(postgres.new_database()))


@contextlib.contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(5)
        yield server.getsockname()[1]


SECRET = "hunter2secret"


class TestFailures:
    def test_a_wrong_password(self, postgres: Server, database: str) -> None:
        with pytest.raises(SourceError, match="refuses the user or the password"):
            open_source(postgres.address(database, password=SECRET))

    def test_a_database_that_is_not_there(self, postgres: Server) -> None:
        with pytest.raises(SourceError, match="no such database"):
            open_source(postgres.address("nowhere"))

    def test_a_host_that_nobody_knows(self) -> None:
        with pytest.raises(SourceError, match="host name that nobody knows"):
            open_source("postgresql://u:p@no-such-host.invalid/x")

    def test_a_port_where_nothing_listens(self) -> None:
        with silent_port() as port:
            pass
        with pytest.raises(BusySourceError, match="does not answer"):
            open_source(f"postgresql://u:p@127.0.0.1:{port}/x")

    def test_a_host_that_never_says_a_word(self) -> None:
        with silent_port() as port, pytest.raises(BusySourceError, match="does not answer"):
            open_source(f"postgresql://u:p@127.0.0.1:{port}/x", limited(connect_seconds=2))

    def test_a_service_that_no_file_defines(self) -> None:
        with pytest.raises(SourceError, match="service"):
            open_source("postgresql:///?service=nowhere")

    def test_a_table_without_permission(self, postgres: Server, database: str) -> None:
        postgres.run(
            f"CREATE ROLE reader_{database} LOGIN PASSWORD 'pw'",
            "CREATE TABLE orb_instances (instance_id text, registered int)",
            f"GRANT SELECT ON audit_events TO reader_{database}",
            database=database,
        )
        address = postgres.address(database, f"reader_{database}", "pw")
        with pytest.raises(SourceError, match="may not read the table orb_instances: grant SELECT"):
            open_source(address)
        postgres.run(f"GRANT SELECT (instance_id) ON orb_instances TO reader_{database}", database=database)
        with open_source(address) as source:
            assert source.missing_columns(ORB_INSTANCES) == ("registered",)

    def test_a_connection_that_is_cut_in_the_middle_of_a_table(self, postgres: Server, database: str) -> None:
        many = "SELECT 'n' || x, 'a', 'b', repeat('x', 1000) FROM generate_series(1, 100000) x"
        postgres.run(f"INSERT INTO audit_events {many}", database=database)
        with open_source(postgres.address(database)) as source:
            batches = source.batches(AUDIT_EVENTS)
            next(batches)
            postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
            with pytest.raises(BusySourceError, match="cut while the table audit_events"):
                list(batches)

    def test_a_statement_that_takes_too_long(self, postgres: Server) -> None:
        database = postgres.new_database()
        postgres.run(
            "CREATE VIEW audit_events AS SELECT 'a'::text AS event_type, pg_sleep(30)::text AS created_at",
            database=database,
        )
        with (
            open_source(postgres.address(database), limited(statement_seconds=1)) as source,
            pytest.raises(BusySourceError, match="longer than 1 seconds"),
        ):
            rows(source)

    def test_a_table_that_another_session_has_locked(self, postgres: Server, database: str) -> None:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(postgres.address(database)) as other, other.cursor() as cursor:
            cursor.execute("LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(BusySourceError, match="locked by another session"):
                open_source(postgres.address(database), limited(statement_seconds=1))

    def test_nothing_is_published_when_it_fails(self, postgres: Server, tmp_path: Path) -> None:
        arguments = [
            "--as-of",
            "2026-01-02T00:00:00Z",
            "--lake",
            str(tmp_path / "lake"),
            "--out",
            str(tmp_path / "out"),
        ]
        assert main(["build", postgres.address("nowhere"), *arguments]) == 1
        assert not (tmp_path / "out").exists()
        assert not (tmp_path / "lake").exists()


class TestAddresses:
    def test_a_variable_holds_the_address(
        self, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AUDIT_DATABASE", postgres.address(database))
        with open_source("env:AUDIT_DATABASE") as source:
            assert (source.kind, source.label) == ("postgresql", "PostgreSQL")

    def test_a_service_file_holds_it(
        self, postgres: Server, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        password = PASSWORD.replace("%40", "@")
        service = (
            f"[audit]\nhost=127.0.0.1\nport={postgres.port}\nuser=postgres\npassword={password}\ndbname={database}\n"
        )
        (tmp_path / "services").write_text(service)
        monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
        for spec in ("postgresql:///?service=audit", "service=audit"):
            with open_source(spec) as source:
                assert len(rows(source)) == 1

    @pytest.mark.parametrize("held", [None, "", "export.sqlite", f"user:{SECRET}@host/x", f"mysql://u:{SECRET}@h/x"])
    def test_a_variable_without_an_address_is_named_and_not_repeated(
        self, held: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if held is None:
            monkeypatch.delenv("AUDIT_DATABASE", raising=False)
        else:
            monkeypatch.setenv("AUDIT_DATABASE", held)
        with pytest.raises(SourceError, match="variable AUDIT_DATABASE") as refused:
            open_source("env:AUDIT_DATABASE")
        assert SECRET not in str(refused.value)


def everything_said_by(error: BaseException) -> str:
    """An error with all that hangs on it."""
    said = [repr(error), str(error), "".join(traceback.format_exception(error))]
    said += [everything_said_by(other) for other in (error.__cause__, error.__context__) if other is not None]
    return "\n".join(said)


PLACES = [
    f"postgresql://u:{SECRET}@127.0.0.1:1/x",
    f"postgresql://{SECRET}@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}@127.0.0.1:bad/x",
    f"postgresql://u:{SECRET} x@127.0.0.1:1/x",
    f"postgresql://u:%zz{SECRET}@127.0.0.1:1/x",
    f"postgresql://u:p@[{SECRET}/x",
    f"postgresql://u:p@127.0.0.1:{SECRET}/x",
    f"postgresql://u:p@{SECRET}.invalid/x",
    f"postgresql://u:p@127.0.0.1:1/{SECRET}",
    f"postgresql://u:p@127.0.0.1:1/x?{SECRET}=1",
    f"postgresql://u:p@127.0.0.1:1/x?password={SECRET}",
    f"postgresql://u:p@127.0.0.1:1/x?sslmode={SECRET}",
    f"postgresql:///?service={SECRET}",
    f"POSTGRESQL://u:{SECRET}@127.0.0.1:1/x",
    f"host=127.0.0.1 port=1 password={SECRET}",
    f"host=127.0.0.1 port=1 password='{SECRET}",
    f"password={SECRET} {SECRET}",
    f"postgre://u:{SECRET}@127.0.0.1:1/x",
    f"u:{SECRET}://x",
]


class TestSecrecy:
    @pytest.mark.parametrize("address", PLACES)
    def test_no_part_of_an_address_that_fails_is_ever_said(
        self, address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(EvenhandError) as refused:
            open_source(address)
        assert SECRET not in everything_said_by(refused.value)
        for command in (["extract", address, "--lake"], ["outcomes", "no.ndjson", "--source", address, "--out"]):
            assert main([*command, str(tmp_path / "x")]) in (1, 2)
        with pytest.raises(EvenhandError) as refused:
            main(["--debug", "extract", address, "--lake", str(tmp_path / "x")])
        assert SECRET not in everything_said_by(refused.value)
        printed = capfd.readouterr()
        assert SECRET not in printed.out + printed.err

    def test_nor_of_one_that_is_read(
        self, postgres: Server, database: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        secret = PASSWORD.split("%")[0]
        address = postgres.address(database)
        arguments = [
            "--as-of",
            "2026-01-02T00:00:00Z",
            "--lake",
            str(tmp_path / "lake"),
            "--out",
            str(tmp_path / "out"),
        ]
        assert main(["build", address, *arguments, "--operator", str(tmp_path / "operator")]) == 0
        printed = capfd.readouterr()
        held = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(held) > 50
        for word in (secret, address, str(postgres.port), "127.0.0.1", database):
            assert word not in printed.out + printed.err
            assert [path for path in held if word.encode() in path.read_bytes() and len(word) > 5] == []
        build = json.loads((tmp_path / "out" / "latest" / "build.json").read_text())
        assert build["source"] == "audit export"

    def test_nor_in_the_line_of_the_second_process(self, postgres: Server, database: str) -> None:
        """Its address goes through a pipe: nothing on a command line, where every user of the machine could read it."""
        from evenhand.lake import processes

        started: list[list[str]] = []
        real = processes.subprocess.Popen

        def watched(command: list[str], **more: Any) -> Any:
            started.append(command)
            return real(command, **more)

        with pytest.MonkeyPatch.context() as patch, open_source(postgres.address(database)) as source:
            patch.setattr(processes.subprocess, "Popen", watched)
            patch.setattr(writing, "SMALL_EXPORT_BYTES", 0)
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                write_lake(source, Path(folder) / "lake")
        assert started
        assert PASSWORD not in repr(started)


def test_several_threads_may_open_the_same_database(postgres: Server, database: str) -> None:
    read: list[int] = []

    def one() -> None:
        with open_source(postgres.address(database)) as source:
            read.append(len(rows(source)))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [1] * 4


@pytest.mark.parametrize("spec", ["postgresql://u:hunter2secret@h/x", "host=h password=hunter2secret"])
def test_the_pipeline_keeps_an_address_out_of_the_settings_that_it_stores(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.definitions import _settings

    monkeypatch.setenv("EVENHAND_SOURCE", spec)
    assert _settings()["source"] == "env:EVENHAND_SOURCE"
