"""Exports of an audit trail, read strictly and never written.

Belongs here: which kind of export a SOURCE argument names. Does not: how a kind is read (one module each).
"""

from pathlib import Path

from evenhand.errors import SourceError
from evenhand.sources.base import RawBatch, Source

__all__ = ["RawBatch", "Source", "local_path", "open_source"]

# Kinds that the interface names and that are not read yet: better a clear word than "no such file".
_NOT_YET = {
    "postgresql:": "PostgreSQL databases",
    "postgres:": "PostgreSQL databases",
    "env:": "addresses in environment variables",
}


def open_source(spec: str) -> Source:
    """The export that a SOURCE argument names: a SQLite file, `sqlite:PATH`, or a folder with a file per table.

    Raises SourceError when there is nothing readable there, BusySourceError when its writer has it locked.
    Never repeats a SOURCE with a scheme in a message: it may hold a credential.
    """
    for scheme, what in _NOT_YET.items():
        if spec.startswith(scheme):
            raise SourceError(f"{what} cannot be read yet: export to a SQLite file or a folder of Parquet files")
    if spec.startswith("sqlite:"):
        return _open_file(Path(spec.removeprefix("sqlite:")))
    if spec.startswith("d1:"):
        return _open_dump(Path(spec.removeprefix("d1:")))
    if spec.startswith("d1-json:"):
        return _open_outputs(Path(spec.removeprefix("d1-json:")))
    if "://" in spec:
        scheme = spec.split("://", 1)[0]
        raise SourceError(f"no source has the scheme {scheme}://: give a SQLite file or a folder")
    path = Path(spec)
    return _open_folder(path) if path.is_dir() else _open_file(path)


def local_path(spec: str) -> Path | None:
    """The file or folder that a SOURCE argument names; None when it is none of this machine's."""
    for scheme in ("sqlite:", "d1-json:", "d1:"):
        if spec.startswith(scheme):
            return Path(spec.removeprefix(scheme))
    return None if "://" in spec or spec.startswith("env:") else Path(spec)


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
