"""A PostgreSQL server for tests: started in a temporary folder as a user that is not root, gone when they end.

`EVENHAND_NO_POSTGRES=1` leaves these tests out where there is no server; otherwise its absence is a failure, so that
nobody takes a skipped test for a passed one.
"""

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from adbc_driver_postgresql import dbapi

from evenhand.lake.tables import READABLE

PASSWORD = "pw-Zebra%407"
"""With characters that an address must escape; in a URI it is already escaped."""
_NUMBERS = count(1)


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int

    def address(self, database: str = "postgres", user: str = "postgres", password: str = PASSWORD) -> str:
        """The URI of a database."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Statements, each for itself."""
        with dbapi.connect(self.address(database), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with dbapi.connect(self.address(database), autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def new_database(self) -> str:
        """An empty database of its own."""
        name = f"export_{next(_NUMBERS)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        return name

    def new_schema(self, *statements: str) -> str:
        """A schema of its own in a database for all, in which the statements are run: cheaper than a database."""
        name = f"schema_{next(_NUMBERS)}"
        self.run(f"CREATE SCHEMA {name}", f"SET search_path TO {name}", *statements)
        return name

    def load(self, export: Path, database: str) -> str:
        """The declared tables of a SQLite export, every column as text; gives the address."""
        connection = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
        present = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        with dbapi.connect(self.address(database), autocommit=True) as target, target.cursor() as cursor:
            for name in sorted(present & READABLE.keys()):
                rows = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
                columns = [column[0] for column in rows.description]
                values = list(zip(*rows, strict=True)) or [()] * len(columns)
                texts = [pa.array([_text(value) for value in column], pa.string()) for column in values]
                cursor.adbc_ingest(name, pa.table(texts, names=columns), mode="create")
        connection.close()
        return self.address(database)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value)


def binaries() -> Path | None:
    """Where the server's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@contextmanager
def running() -> Iterator[Server]:
    """A server on a free port, with a password for everyone."""
    programs = binaries()
    if programs is None:
        raise RuntimeError("the tests need PostgreSQL: run `make postgres`, or set EVENHAND_NO_POSTGRES=1")
    folder = Path(tempfile.mkdtemp(prefix="evenhand-pg-"))
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres", "postgres")
    (folder / "password").write_text(_unescaped(PASSWORD) + "\n")
    (folder / "password").chmod(0o644)
    environment = {**os.environ, "LC_ALL": "C", "PGTZ": "UTC"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(programs / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=environment, cwd=folder)

    data = str(folder / "data")
    try:
        run(
            "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "--pwfile=password",
            "--no-sync",
            "-E",
            "UTF8",
        )
        settings = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", data, "-w", "-t", "60", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield Server(port)
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "fast", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unescaped(password: str) -> str:
    return password.replace("%40", "@")
