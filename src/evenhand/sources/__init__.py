"""Exports of an audit trail, read strictly and never written.

Belongs here: which kind of export a SOURCE argument names. Does not: how a kind is read (one module each).

Source: interface contract, "Commands", SOURCE.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import SourceError
from evenhand.sources.base import RawBatch, Source

if TYPE_CHECKING:
    from evenhand.policy import Policy

__all__ = ["RawBatch", "Source", "database_address", "is_database", "local_path", "open_source"]

_DATABASE = re.compile(r"postgres(?:ql)?://|postgresql-snapshot:", re.IGNORECASE)
# libpq's other form, `host=… dbname=…` or `service=…`.
_KEYWORDS = re.compile(r"\s*(?:service|host|hostaddr|port|dbname|user|password|passfile)\s*=")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")
_VARIABLE = "env:"
_OF_FILES = ("sqlite:", "d1-json:", "d1:")


def open_source(spec: str, policy: "Policy | None" = None) -> Source:
    """The export that a SOURCE argument names.

    A SQLite file, `sqlite:PATH`, a folder with a file per table, `d1:DUMP.sql`, `d1-json:FOLDER`, a PostgreSQL address,
    or `env:NAME` for an address in a variable. `policy` says how long a database may take.

    Raises SourceError when there is nothing readable there, BusySourceError when it may be readable later.
    Never repeats a SOURCE with a scheme in a message: it may hold a credential.
    """
    if spec.startswith(_VARIABLE) or is_database(spec):
        return _open_database(database_address(spec), policy)
    for scheme, opened in (("sqlite:", _open_file), ("d1:", _open_dump), ("d1-json:", _open_outputs)):
        if spec.startswith(scheme):
            return opened(Path(spec.removeprefix(scheme)))
    if "://" in spec:
        scheme_of = _SCHEME.match(spec)
        named = f"the scheme {scheme_of.group()}://" if scheme_of else "such a scheme"
        raise SourceError(f"no source has {named}: give a SQLite file, a folder, a D1 dump or a PostgreSQL address")
    path = Path(spec)
    return _open_folder(path) if path.is_dir() else _open_file(path)


def database_address(spec: str) -> str:
    """The address of a SOURCE argument that names a database; to be shown to nobody."""
    return _address_in(spec.removeprefix(_VARIABLE)) if spec.startswith(_VARIABLE) else spec


def local_path(spec: str) -> Path | None:
    """The file or folder that a SOURCE argument names; None when it is none of this machine's."""
    for scheme in _OF_FILES:
        if spec.startswith(scheme):
            return Path(spec.removeprefix(scheme))
    return None if "://" in spec or spec.startswith(_VARIABLE) or is_database(spec) else Path(spec)


def is_database(spec: str) -> bool:
    """Whether a SOURCE argument is the address of a database, which may hold a credential."""
    return bool(_DATABASE.match(spec) or _KEYWORDS.match(spec))


def _address_in(name: str) -> str:
    """The address in an environment variable, which no message repeats."""
    address = os.environ.get(name)
    if not address:
        raise SourceError(f"the variable {name} is not set: put the address of the database there")
    if not is_database(address) or address.startswith("postgresql-snapshot:"):
        raise SourceError(
            f"the variable {name} holds no address of a database: write it as postgresql://user@host/name"
        )
    return address


def _open_database(address: str, policy: "Policy | None") -> Source:
    from evenhand.policy import Policy
    from evenhand.sources.postgresql import SNAPSHOT_SCHEME, PostgresSource, joined

    if address.startswith(SNAPSHOT_SCHEME):
        return joined(address)
    return PostgresSource(address, policy or Policy())


def _open_file(path: Path) -> Source:
    from evenhand.sources.sqlite_file import SqliteSource

    return SqliteSource(path)


def _open_dump(path: Path) -> Source:
    from evenhand.sources.d1_dump import D1DumpSource

    return D1DumpSource(path)


def _open_outputs(path: Path) -> Source:
    from evenhand.sources.d1_json import D1JsonSource

    return D1JsonSource(path)


def _open_folder(path: Path) -> Source:
    from evenhand.sources.folder import FolderSource

    return FolderSource(path)
