"""What a lake says of itself: what was read, kept and set aside, and which files hold it.

Belongs here: the manifest `lake.json` and its two directions. Does not: writing or reading the rows.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from evenhand.canonical import sha256_hex
from evenhand.lake.retention import Retention
from evenhand.sources.base import AnyMark, mark_from_json

FORMAT_VERSION = 2
MANIFEST_NAME = "lake.json"


@dataclass(frozen=True)
class LakeFile:
    """One Parquet file of a table."""

    path: str
    """Relative to the lake's folder, with forward slashes."""
    rows: int
    sha256: str
    day: str = ""
    """The UTC day it holds, for a table by day."""


@dataclass(frozen=True)
class TableManifest:
    """What the lake holds of one declared table."""

    provided: bool = False
    """False: the export has no such table, which is not the same as an empty one."""
    rows_read: int = 0
    rows_kept: int = 0
    quarantined: dict[str, int] = field(default_factory=dict)
    """Reason -> rows. A row can stand under two reasons, and can be kept with a null value."""
    examples: dict[str, list[int]] = field(default_factory=dict)
    """Reason -> the first few positions in the export, for the operator."""
    missing_columns: list[str] = field(default_factory=list)
    malformed_metadata: int = 0
    """audit_events alone: rows kept whose metadata is no strict JSON object."""
    malformed_metadata_listed: int = 0
    """Those of them whose event type a figure reads."""
    earliest_us: int | None = None
    latest_us: int | None = None
    """Bounds of the table's own instant (ts_us, received_us, occurred_us or updated_us) or of its own days."""
    mark: AnyMark | None = None
    """How far the source was read, where a later extraction can go on from there."""
    files: list[LakeFile] = field(default_factory=list)
    content_sha256: str = ""
    """SHA-256 over the lines `sha256  path` of the files, in order."""

    @property
    def rows_in_files(self) -> int:
        """Rows that are there: those kept when they were read, without those dropped with age since."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True)
class LakeManifest:
    """The whole lake."""

    format_version: int
    source_kind: str
    source_label: str
    as_of_us: int | None
    tables: dict[str, TableManifest]
    retention: Retention | None = None
    """What was dropped; None: nothing."""

    def table(self, name: str) -> TableManifest:
        """What is known of a declared table; not provided when the manifest does not list it."""
        return self.tables.get(name, TableManifest())

    def to_json(self) -> str:
        """The text of `lake.json`."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "LakeManifest":
        """The manifest of a text; KeyError, TypeError or ValueError when it is none."""
        value: dict[str, Any] = json.loads(text)
        tables = {}
        for name, entry in value["tables"].items():
            files = [LakeFile(**file) for file in entry.pop("files")]
            mark = entry.pop("mark")
            tables[name] = TableManifest(files=files, mark=mark_from_json(mark) if mark else None, **entry)
        return cls(
            format_version=value["format_version"],
            source_kind=value["source_kind"],
            source_label=value["source_label"],
            as_of_us=value["as_of_us"],
            tables=tables,
            retention=Retention.from_json(value["retention"]) if value["retention"] else None,
        )


def content_digest(files: list[LakeFile]) -> str:
    """One digest of a table's files."""
    return sha256_hex("".join(f"{file.sha256}  {file.path}\n" for file in files).encode())
