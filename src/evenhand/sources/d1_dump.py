"""A D1 database as the SQL dump that `wrangler d1 export` writes.

Belongs here: which statements of a dump are taken, and the scratch database that they fill. Does not: reading that
database (sqlite_file.py), or where a statement ends (sql_text.py).

Nothing that a dump brings along runs. Its CREATE TABLE is only asked for names and types, and its rows go into a plain
table of those: without defaults, checks, keys or generated columns. An INSERT may name values and the functions with
which a dump writes line ends; an authorizer of SQLite denies everything else, whatever the text of a statement says.
"""

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

from evenhand.errors import SourceError
from evenhand.lake.tables import READABLE
from evenhand.sources.base import Fingerprint, label_of
from evenhand.sources.open_text import open_bytes
from evenhand.sources.sql_text import LONGEST_STATEMENT, Statement, statements
from evenhand.sources.sqlite_file import SqliteSource
from evenhand.sources.sqlite_text import quoted

_FUNCTIONS = {"replace", "char", "unistr"}
"""What a dump writes line ends with."""
_PASSED_PRAGMAS = re.compile(r"PRAGMA\s+(?:defer_foreign_keys|foreign_keys)\s*=\s*\w+\s*", re.IGNORECASE)
_TRANSACTION = {"BEGIN", "COMMIT", "END"}
_NAME = r"""(?:main\.)?("(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|'(?:[^']|'')*'|\w+)"""
_INSERT = re.compile(r"\s*INSERT\s+(?:OR\s+\w+\s+)?INTO\s+" + _NAME, re.IGNORECASE)
_CREATE = re.compile(r"\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?" + _NAME, re.IGNORECASE)
_LEADING_COMMENTS = re.compile(r"(?:\s++|--[^\n]*+\n|/\*.*?\*/)++", re.DOTALL)

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


class D1DumpSource(SqliteSource):
    """An export in one SQL dump, read through a scratch database that goes with the source."""

    kind = "d1"

    def __init__(self, path: Path) -> None:
        """Takes the dump in; SourceError when it is none, is cut off or holds more than tables and rows."""
        label = label_of(path)
        fingerprint = Fingerprint.of((path,))
        self._scratch = Path(tempfile.mkdtemp(prefix="evenhand-"))
        try:
            scratch = self._scratch / label
            _Taking(scratch, label).take(path)
            super().__init__(scratch)
        except BaseException:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise
        self._fingerprint = fingerprint

    def close(self) -> None:
        """Close the scratch database and remove it."""
        super().close()
        shutil.rmtree(self._scratch, ignore_errors=True)


class _Taking:
    """One dump being taken in."""

    def __init__(self, scratch: Path, label: str) -> None:
        self._label = label
        self._schema = sqlite3.connect(":memory:", isolation_level=None)
        self._rows = sqlite3.connect(scratch, isolation_level=None)
        self._created: set[str] = set()
        for pragma in ("page_size=4096", "journal_mode=OFF", "synchronous=OFF", "temp_store=FILE"):
            self._rows.execute(f"PRAGMA {pragma}")
        for database in (self._schema, self._rows):
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_STATEMENT)
            database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)

    def take(self, path: Path) -> None:
        """Every statement of the file."""
        try:
            self._rows.execute("BEGIN")
            with open_bytes(path, self._label) as file:
                for statement in statements(file, self._label):
                    self._take(statement)
            if not self._created:
                raise SourceError(f"{self._label} creates none of the tables of an audit export, e.g. audit_events")
            self._rows.set_authorizer(None)
            self._rows.execute("COMMIT")
        finally:
            self._schema.close()
            self._rows.close()

    def _take(self, statement: Statement) -> None:
        words = statement.words()
        first = words[0] if words else ""
        if first == "INSERT":
            self._insert(statement)
        elif words[:2] == ["CREATE", "TABLE"]:
            self._create(statement)
        elif not self._is_passed(statement, words):
            what = " ".join(words[:2] if first == "CREATE" else words[:1]) or "text that is no statement"
            raise SourceError(
                f"line {statement.line} of {self._label} holds {what}, and a dump may only create tables and indexes "
                "and insert rows: nothing of it was run; export the tables alone"
            )

    @staticmethod
    def _is_passed(statement: Statement, words: list[str]) -> bool:
        """What dumps hold beside tables and rows, and what needs no run to have the rows."""
        text = _without_comments(statement.data.decode("utf-8", "replace"))
        if not text.strip() or (words and words[0] in _TRANSACTION and len(text) < 64):
            return True
        if words[:2] == ["CREATE", "INDEX"] or words[:3] == ["CREATE", "UNIQUE", "INDEX"]:
            return True
        if words[:2] == ["DELETE", "FROM"]:
            return re.fullmatch(r"DELETE\s+FROM\s+[\"'`]?sqlite_sequence[\"'`]?\s*", text, re.IGNORECASE) is not None
        return _PASSED_PRAGMAS.fullmatch(text) is not None

    def _create(self, statement: Statement) -> None:
        text = statement.data.decode("utf-8", "replace")
        name = _named(_CREATE, text)
        if name not in READABLE:
            return
        if name in self._created:
            raise SourceError(f"line {statement.line} of {self._label} creates {name} a second time: export it again")
        self._run(self._schema, statement, text, _creating)
        self._schema.set_authorizer(None)
        columns = [
            f"{quoted(column)} {_affinity(declared)}"
            for _, column, declared, _, _, _, hidden in self._schema.execute(f"PRAGMA table_xinfo({quoted(name)})")
            if hidden == 0
        ]
        self._rows.set_authorizer(None)
        self._rows.execute(f"CREATE TABLE {quoted(name)} ({', '.join(columns)})")
        self._rows.set_authorizer(_inserting)
        self._created.add(name)

    def _insert(self, statement: Statement) -> None:
        try:
            text, is_readable = statement.data.decode("utf-8"), True
        except UnicodeDecodeError:
            text, is_readable = statement.data.decode("utf-8", "replace"), False
        name = _named(_INSERT, text)
        if name not in READABLE:
            return
        if name not in self._created:
            raise SourceError(
                f"line {statement.line} of {self._label} has a row of {name}, which nothing before it creates: "
                "export it with its schema"
            )
        self._run(self._rows, statement, text, None)
        if not is_readable:
            self._rows.set_authorizer(None)
            # A value of bytes makes the row an unreadable one, which is what it is.
            first = self._rows.execute(f"PRAGMA table_info({quoted(name)})").fetchone()[1]
            where = "rowid = last_insert_rowid()"
            self._rows.execute(f"UPDATE {quoted(name)} SET {quoted(first)} = x'00' WHERE {where}")
            self._rows.set_authorizer(_inserting)

    def _run(
        self, database: sqlite3.Connection, statement: Statement, text: str, authorizer: Authorizer | None
    ) -> None:
        if authorizer is not None:
            database.set_authorizer(authorizer)
        try:
            database.execute(text)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            what = "does more than to name values" if "not authorized" in str(error) else f"cannot be read ({error})"
            raise SourceError(f"line {statement.line} of {self._label} {what}: export it again") from error


def _inserting(action: int, first: str | None, second: str | None, _database: str | None, trigger: str | None) -> int:
    """Rows into declared tables, out of values and the functions of line ends; no table is read."""
    if trigger is None:
        if action == sqlite3.SQLITE_INSERT and (first or "").lower() in READABLE:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK  # a list of several rows is one, of no table
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
            return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


_SCHEMA_TABLES = {"sqlite_master", "sqlite_schema", "sqlite_sequence"}
_NEVER_IN_SCHEMA = {
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_PRAGMA,
    sqlite3.SQLITE_CREATE_TRIGGER,
    sqlite3.SQLITE_CREATE_TEMP_TRIGGER,
    sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_CREATE_VTABLE,
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_RECURSIVE,
}


def _creating(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    """A table's definition in an empty database, which nothing is ever put into."""
    if action in _NEVER_IN_SCHEMA:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    if action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE) and (first or "") not in _SCHEMA_TABLES:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _without_comments(text: str) -> str:
    leading = _LEADING_COMMENTS.match(text)
    return text[leading.end() :] if leading else text


def _named(pattern: re.Pattern[str], text: str) -> str:
    """The table that a statement is about, in lower case; empty when it names none."""
    match = pattern.match(_without_comments(text))
    if match is None:
        return ""
    name = match.group(1)
    if name[0] in "\"'`":
        name = name[1:-1].replace(name[0] * 2, name[0])
    elif name[0] == "[":
        name = name[1:-1]
    return name.lower()


def _affinity(declared: str) -> str:
    """What SQLite makes of a declared type (datatype3, section 3.1)."""
    upper = declared.upper()
    if "INT" in upper:
        return "INTEGER"
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if not upper or "BLOB" in upper:
        return "BLOB"
    if any(word in upper for word in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"
