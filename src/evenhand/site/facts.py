"""What a build knows of itself when its pages are drawn: its files, its identity, and the build before it.

Belongs here: plain facts, gathered once. Does not: how they are gathered (build) or shown (pages).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class FileColumn:
    """One column of a published table."""

    name: str
    type: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of the build that a reader can download."""

    path: str
    """Relative to the build's folder, with forward slashes."""
    title: str
    bytes: int
    sha256: str
    rows: int | None = None
    columns: tuple[FileColumn, ...] = ()
    row_digest: str = ""
    """SHA-256 of the rows, the same for every file that holds them."""


@dataclass(frozen=True, slots=True)
class MadeBuild:
    """A build that was made, this one among them."""

    build_id: str
    as_of: int
    digest: str
    restated: str = ""
    """Why its as-of was built anew."""


@dataclass(frozen=True)
class Compared:
    """The build that restatements are told against: what it published, and by what policy and code."""

    build_id: str
    as_of: int
    figures: Mapping[str, Mapping[str, Any]]
    policy: Mapping[str, Any]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class BuildFacts:
    """A build and its predecessor."""

    build_id: str
    digest: str
    files: tuple[PublishedFile, ...]
    previous_id: str | None = None
    previous_figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The figures of the predecessor's report.json by id."""
    restated: str = ""
    """Why a past as-of was built anew."""
    builds: tuple[MadeBuild, ...] = ()
    """Every build in the order in which they were made, this one last."""
    compared: Compared | None = None
    """The build before, or the one of the same as-of that this one restates."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    """This build's policy as build.json tells it."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The code that made it."""

    def file(self, path: str) -> PublishedFile | None:
        """The published file at a path, or None."""
        return next((file for file in self.files if file.path == path), None)
