"""A SQLite file as an export: read strictly, never written, every value accounted for."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from support.exports import write_sqlite

from evenhand.errors import BusySourceError, SourceError
from evenhand.lake.tables import TABLES
from evenhand.sources import open_source

EVENTS = TABLES["audit_events"]
FILES = TABLES["pull_request_files"]


def read(source: str | Path, table: str = "pull_request_files") -> tuple[list[tuple[str | None, ...]], list[int]]:
    """Rows in order of position, and positions of unreadable ones."""
    rows: list[tuple[int, tuple[str | None, ...]]] = []
    unreadable: list[int] = []
    with open_source(str(source)) as opened:
        for part in opened.parts(TABLES[table]):
            for batch in opened.batches(TABLES[table], part):
                texts = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                rows.extend(zip(batch.locate(), texts, strict=True))
                unreadable.extend(batch.unreadable)
    return [row for _, row in sorted(rows)], sorted(unreadable)


def export(path: Path, *rows: tuple[object, ...], create: str = "(repo_full_name, pull_number, path)") -> Path:
    """An export of pull_request_files alone."""
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE pull_request_files {create}")
    connection.executemany("INSERT INTO pull_request_files VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def test_values_read_as_their_text(tmp_path: Path) -> None:
    path = export(
        tmp_path / "e.sqlite",
        ("a/b", 12, ""),
        (None, -3, "é\0☃\n"),
        ("12", 12.0, "x"),
        ("r", 0.1 + 0.2, "y"),
        (1e16, 2**63 - 1, "z"),
    )
    assert read(path)[0] == [
        ("a/b", "12", ""),
        (None, "-3", "é\0☃\n"),
        ("12", "12.0", "x"),
        ("r", "0.30000000000000004", "y"),
        ("1e+16", "9223372036854775807", "z"),
    ]


@pytest.mark.parametrize("odd", ["\x1f", "\x1e", "a\x1fb", "\x1e\x1e", "x\x1e"])
def test_a_text_with_the_marks_of_the_join_in_it_reads_as_it_is(tmp_path: Path, odd: str) -> None:
    rows = [("a/b", number, odd if number == 500 else None if number % 7 else "p") for number in range(1000)]
    got = read(export(tmp_path / "e.sqlite", *rows))[0]
    assert got == [(repo, str(number), path) for repo, number, path in rows]


@pytest.mark.parametrize("odd", [b"bytes", b""])
def test_a_blob_makes_its_row_unreadable_and_no_other(tmp_path: Path, odd: bytes) -> None:
    rows = [("a/b", number, odd if number in (5, 700) else "p") for number in range(1, 1001)]
    got, unreadable = read(export(tmp_path / "e.sqlite", *rows))
    assert unreadable == [5, 700]
    assert len(got) == 998


def test_a_text_that_is_not_utf8_makes_its_row_unreadable_and_no_other(tmp_path: Path) -> None:
    path = export(tmp_path / "e.sqlite", *(("a/b", number, "p") for number in range(1, 1001)))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE pull_request_files SET path = CAST(x'41ff' AS TEXT) WHERE pull_number IN (3, 900)")
        connection.execute("UPDATE pull_request_files SET path = CAST(x'eda080' AS TEXT) WHERE pull_number = 4")
    got, unreadable = read(path)
    assert unreadable == [3, 4, 900]
    assert len(got) == 997


@pytest.mark.parametrize(
    "create",
    [
        "(repo_full_name TEXT, pull_number INTEGER, path TEXT, PRIMARY KEY (pull_number, path)) WITHOUT ROWID",
        "(repo_full_name TEXT NOT NULL, pull_number INTEGER NOT NULL, path TEXT NOT NULL)",
        "(repo_full_name TEXT, pull_number INTEGER PRIMARY KEY, path TEXT)",
        "(repo_full_name, pull_number INT, path CLOB)",
        "(REPO_full_name, PULL_number REAL, Path)",
    ],
)
def test_every_shape_of_table_reads_alike(tmp_path: Path, create: str) -> None:
    rows = [("a/b", number, f"p{number}") for number in range(1, 300)]
    got, unreadable = read(export(tmp_path / "e.sqlite", *rows, create=create))
    assert [(repo, (number or "").removesuffix(".0"), path) for repo, number, path in got] == [
        (repo, str(number), path) for repo, number, path in rows
    ]
    assert unreadable == []


@pytest.mark.parametrize("hidden", [["rowid"], ["rowid", "_rowid_"], ["rowid", "oid", "_rowid_"]])
def test_a_column_may_be_called_rowid(tmp_path: Path, hidden: list[str]) -> None:
    path = tmp_path / "e.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE pull_request_files (repo_full_name, pull_number, path, {', '.join(hidden)})")
        marks = ", ".join("?" * len(hidden))
        connection.executemany(
            f"INSERT INTO pull_request_files VALUES ('a/b', ?, 'p', {marks})",
            [(number, *["same"] * len(hidden)) for number in range(100)],
        )
    assert [row[1] for row in read(path)[0]] == [str(number) for number in range(100)]


@pytest.mark.parametrize("rowids", [[-(2**63), -5, 0, 2**63 - 1], [1, 10**6, 10**12, 10**18], [-3, -2, -1, 4, 900]])
def test_rowids_may_lie_far_apart(tmp_path: Path, rowids: list[int]) -> None:
    path = tmp_path / "e.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE pull_request_files (repo_full_name, pull_number INTEGER PRIMARY KEY, path)")
        connection.executemany("INSERT INTO pull_request_files VALUES ('a/b', ?, 'p')", [(r,) for r in rowids])
    assert [row[1] for row in read(path)[0]] == [str(rowid) for rowid in rowids]


def test_long_texts_are_read_in_fewer_rows(tmp_path: Path) -> None:
    rows = [("a/b", number, "x" * (3_000_000 if number % 100 == 0 else 10)) for number in range(400)]
    got = read(export(tmp_path / "e.sqlite", *rows))[0]
    assert [len(path or "") for _, _, path in got] == [len(row[2]) for row in rows]


def test_a_missing_column_reads_as_null_and_is_named(tmp_path: Path) -> None:
    path = write_sqlite(
        tmp_path / "e.sqlite",
        {"audit_events": [{"id": "1", "event_type": "x", "created_at": "2026-05-01"}]},
        without={"audit_events": ["detail", "actor"]},
    )
    with open_source(str(path)) as source:
        assert source.tables() == ("audit_events",)
        assert source.missing_columns(EVENTS) == ("actor", "detail")
        (batch,) = source.batches(EVENTS, source.parts(EVENTS)[0])
        assert [column.to_pylist() for column in batch.columns][2] == [None]


def test_an_empty_table_has_no_parts(tmp_path: Path) -> None:
    assert read(export(tmp_path / "e.sqlite")) == ([], [])


@pytest.mark.parametrize("name", ["odd ?#%&;.sqlite", "é☃.sqlite", "mode=rw.sqlite", "a?mode=rwc&cache=shared"])
def test_a_path_is_only_a_path(tmp_path: Path, name: str) -> None:
    path = export(tmp_path / "plain", ("a/b", 1, "p")).rename(tmp_path / name)
    assert read(path)[0] == read(f"sqlite:{path}")[0] == [("a/b", "1", "p")]
    with open_source(str(path)) as source:
        assert source.label == name


# --- refusals --------------------------------------------------------------------------------------------------


def refused(source: str | Path) -> str:
    """The sentence; it must be one line and must not show where the file lies."""
    with pytest.raises(SourceError) as caught, open_source(str(source)):
        pass
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert str(Path(str(source)).parent) not in sentence
    return sentence


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])


def _text(path: Path) -> None:
    path.write_text("id,event_type\n")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _header_alone(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def _scrambled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xa5" * 3996
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (_cut, "cut off"),
        (_text, "not a SQLite database"),
        (_empty, "not a SQLite database"),
        (_header_alone, "not a SQLite database"),
        (_scrambled, "export it again"),
        (Path.unlink, "there is no file"),
    ],
)
def test_what_is_no_sound_database_is_refused(tmp_path: Path, damage: Callable[[Path], None], word: str) -> None:
    path = export(tmp_path / "e.sqlite", *(("a/b", number, "p" * 100) for number in range(1000)))
    damage(path)
    assert word in refused(path)


def test_damage_in_the_middle_is_an_error_and_no_shorter_table(tmp_path: Path) -> None:
    path = export(tmp_path / "e.sqlite", *(("a/b", number, "p" * 100) for number in range(5000)))
    data = bytearray(path.read_bytes())
    data[20 * 4096 : 21 * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"pull_request_files in e\.sqlite"):
        read(path)


def test_a_database_without_any_known_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (a)")
    assert "none of the tables" in refused(path)


@pytest.mark.parametrize(
    "create",
    [
        "CREATE VIEW audit_events AS SELECT 1 AS id",
        "CREATE VIRTUAL TABLE audit_events USING fts5(id, event_type, created_at)",
    ],
)
def test_a_view_or_virtual_table_is_refused_because_it_runs_code(tmp_path: Path, create: str) -> None:
    path = tmp_path / "e.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(create)
    assert "store its rows as a table" in refused(path)


@pytest.mark.parametrize(
    "spec",
    [
        "postgresql://user:hunter2@host/db",
        "postgres://user:hunter2@host/db",
        "env:DATABASE",
        "d1:x.sql",
        "d1-json:x",
        "mysql://user:hunter2@host/db",
        "https://user:hunter2@host/x.sqlite",
    ],
)
def test_a_kind_that_is_not_read_is_refused_without_repeating_its_address(spec: str) -> None:
    with pytest.raises(SourceError) as caught:
        open_source(spec)
    assert "hunter2" not in str(caught.value)


def test_a_locked_database_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.sources.sqlite_file.BUSY_SECONDS", 0.1)
    path = export(tmp_path / "e.sqlite", ("a/b", 1, "p"))
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BusySourceError, match=r"e\.sqlite is locked by its writer"):
        open_source(str(path))
    writer.close()


# --- nothing is written beside an export -----------------------------------------------------------------------


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_size, path.read_bytes()) for path in folder.iterdir()}


def in_wal_mode(path: Path, keep_log: bool) -> Path:
    """An export in WAL mode; with `keep_log` its rows stand in the -wal file alone, as a killed writer leaves it."""
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("CREATE TABLE pull_request_files (repo_full_name, pull_number, path)")
    writer.execute("INSERT INTO pull_request_files VALUES ('a/b', 1, 'p')")
    writer.commit()
    if keep_log:
        left = path.with_name("left.sqlite")
        shutil.copy(path, left)
        shutil.copy(f"{path}-wal", f"{left}-wal")
        writer.close()
        path.unlink()
        return left
    writer.close()
    return path


@pytest.mark.parametrize("keep_log", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_in_wal_mode_is_read_whole_and_nothing_is_written(
    tmp_path: Path, keep_log: bool, read_only: bool
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    path = in_wal_mode(folder / "e.sqlite", keep_log)
    before = state(folder)
    if read_only:
        folder.chmod(0o555)
    try:
        assert read(path)[0] == [("a/b", "1", "p")]
        assert state(folder) == before
    finally:
        folder.chmod(0o755)


def test_a_left_journal_is_rolled_back_in_a_copy(tmp_path: Path) -> None:
    path = export(tmp_path / "e.sqlite", *(("a/b", number, "p" * 500) for number in range(2000)))
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size=5")
    writer.execute("BEGIN")
    writer.execute("UPDATE pull_request_files SET path = 'q' || path")
    left = tmp_path / "left"
    left.mkdir()
    shutil.copy(path, left / "e.sqlite")
    shutil.copy(f"{path}-journal", left / "e.sqlite-journal")
    writer.close()
    before = state(left)
    assert {row[2] for row in read(left / "e.sqlite")[0]} == {"p" * 500}
    assert state(left) == before


def test_a_copy_made_for_reading_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = in_wal_mode(tmp_path / "e.sqlite", keep_log=True)
    with open_source(str(path)):
        assert len(list(scratch.iterdir())) == 1
    assert list(scratch.iterdir()) == []


def test_an_export_that_is_written_to_while_it_is_read_is_busy(tmp_path: Path) -> None:
    path = in_wal_mode(tmp_path / "e.sqlite", keep_log=False)
    with open_source(str(path)) as source:
        with sqlite3.connect(path) as writer:
            writer.execute("INSERT INTO pull_request_files VALUES ('a/b', 2, 'p')")
        with pytest.raises(BusySourceError, match="written to while it was read"):
            source.check_unchanged()


def test_a_connection_cannot_write(tmp_path: Path) -> None:
    from evenhand.sources.sqlite_file import connect

    path = export(tmp_path / "e.sqlite", ("a/b", 1, "p"))
    connection = connect(path, "e")
    with pytest.raises(sqlite3.OperationalError, match=r"readonly|query_only"):
        connection.execute("DELETE FROM pull_request_files")
    with pytest.raises(sqlite3.Error):
        connection.execute("SELECT load_extension('x')")
    connection.close()
