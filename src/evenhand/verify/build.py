"""One build, read: its documents and tables, each once.

Belongs here: what the checks read, and refusing to guess when something is missing. Does not: any claim.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.verify.parquet_reader import MOST_ROWS_WHOLE, Rows, read_parquet
from evenhand.verify.plain import NotReadableError, parse_json
from evenhand.verify.target import Target

_ROWS_OF_A_CORPUS = 100_000


class MissingTableError(NotReadableError):
    """A table that the build does not list: what it would hold was not provided, or may not be told."""


@dataclass
class Build:
    """A build's documents, by path, and its Parquet tables."""

    target: Target
    digests: Mapping[str, str]
    counted: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was counted again of a metric whose figures are counted together, by name."""
    _documents: dict[str, Any] = field(default_factory=dict)
    _tables: dict[str, "Rows | NotReadableError"] = field(default_factory=dict)
    _rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def document(self, path: str) -> Any:
        """A JSON document; NotReadableError when it is missing or none."""
        if path not in self._documents:
            try:
                self._documents[path] = parse_json(self.target.read(path), path)
            except OSError as error:
                raise NotReadableError(f"{path} is missing") from error
        return self._documents[path]

    def has(self, path: str) -> bool:
        """Whether a file of that path is there."""
        return (self.target.folder / path).is_file()

    def read_tables(self) -> None:
        """Read every Parquet file, all of their rows but for the corpora, of which the first are enough."""
        paths = [path for path in self.digests if path.endswith(".parquet") and self.has(path)]
        wanted = {
            self.target.folder / path: _ROWS_OF_A_CORPUS if path.startswith("data/corpus/") else MOST_ROWS_WHOLE
            for path in paths
        }
        found = read_parquet(wanted)
        self._tables = {path: found[self.target.folder / path] for path in paths}

    def table_paths(self) -> list[str]:
        """The Parquet files that are there."""
        return list(self._tables)

    def table(self, path: str) -> Rows:
        """A Parquet file's rows; MissingTableError when none is listed, NotReadableError when it is gone or refused."""
        found = self._tables.get(path)
        if found is None and path not in self.digests:
            raise MissingTableError(f"{path} is not published")
        if found is None:
            raise NotReadableError(f"{path} is missing")
        if isinstance(found, NotReadableError):
            raise found
        return found

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of `data/NAME.parquet` as dictionaries."""
        if name not in self._rows:
            table = self.table(f"data/{name}.parquet")
            self._rows[name] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        return self._rows[name]

    @property
    def policy(self) -> dict[str, dict[str, Any]]:
        """The policy in force, as the build says."""
        policy: dict[str, dict[str, Any]] = self.document("build.json")["policy"]
        return policy
