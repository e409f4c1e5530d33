"""Data and its quality: every published file, the data dictionary, and what could not be read.

Belongs here: files with rows, bytes, checksums and columns; the declared tables; quarantine as counts. Does not:
the bytes themselves (datasets), or which rows were quarantined (operator).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evenhand.corpus.corpora import file_stem
from evenhand.lake.manifest import TableManifest
from evenhand.lake.tables import HAPPENINGS, LISTED_EVENT_FAMILIES, TABLES, Privacy, Table
from evenhand.site.facts import FileColumn, PublishedFile
from evenhand.site.pages.site import Page, Site
from evenhand.timeline import day_text

_TABLES = "data/"


@dataclass(frozen=True)
class FileGroup:
    """Files that hold the same rows in several forms, with their columns."""

    title: str
    anchor: str
    files: tuple[PublishedFile, ...]
    columns: tuple[FileColumn, ...]


@dataclass(frozen=True)
class CorpusFiles:
    """The two files of one rule's corpus."""

    rule_id: str
    page: str
    json: PublishedFile | None
    parquet: PublishedFile | None


@dataclass(frozen=True)
class TableQuality:
    """What was read of one declared table."""

    table: Table
    manifest: TableManifest
    withheld: bool = False
    """Its numbers of rows would give a withheld count back."""

    @property
    def since(self) -> str:
        """UTC day of the earliest row of a table of things that happen: from then on the export tells of them."""
        earliest = self.manifest.earliest_us if self.table.name in HAPPENINGS and not self.withheld else None
        return "" if earliest is None else day_text(earliest)

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Reason -> values or rows, by reason."""
        return [] if self.withheld else sorted(self.manifest.quarantined.items())


def pages(site: Site) -> Iterator[Page]:
    """`data.html` and `quality.html`."""
    files = site.facts.files
    corpora = _corpus_files(site)
    paired = {file.path for pair in corpora for file in (pair.json, pair.parquet) if file}
    rest = [file for file in files if file.path not in paired]
    yield Page(
        "data.html",
        "data.html",
        "Data",
        "data",
        {
            "groups": _groups(file for file in rest if file.path.startswith(_TABLES)),
            "documents": [file for file in rest if not file.path.startswith(_TABLES)],
            "corpora": corpora,
            "corpus_columns": next(
                (pair.parquet.columns for pair in corpora if pair.parquet and pair.parquet.columns), ()
            ),
            "total_bytes": sum(file.bytes for file in files),
            "file_count": len(files),
            "tables": list(TABLES.values()),
            "privacy": PRIVACY_MEANINGS,
            "licence": site.policy.site.licence,
        },
        "Every published file with its rows, size, checksum and columns, and the data dictionary.",
    )
    yield Page(
        "quality.html",
        "quality.html",
        "Data quality",
        "data",
        {
            "tables": _quality(site),
            "not_provided": [TABLES[name] for name in site.not_provided],
            "malformed": site.computed.manifest.table("audit_events").malformed_metadata,
            "malformed_listed": site.computed.manifest.table("audit_events").malformed_metadata_listed,
            "families": LISTED_EVENT_FAMILIES,
            "mentions": [(MENTION_MEANINGS[reason], count) for reason, count in site.computed.mentions.items()],
        },
        "Rows read, rows that could not be read, and tables that the export does not hold.",
    )


def _groups(files: Iterable[PublishedFile]) -> list[FileGroup]:
    """Files by their name without its ending: a table is published as CSV and as Parquet."""
    by_stem: dict[str, list[PublishedFile]] = {}
    for file in files:
        by_stem.setdefault(file.path.rsplit(".", 1)[0], []).append(file)
    return [
        FileGroup(
            found[0].title,
            stem.replace("/", "-").replace("_", "-"),
            tuple(found),
            next((file.columns for file in found if file.columns), ()),
        )
        for stem, found in by_stem.items()
    ]


def _corpus_files(site: Site) -> list[CorpusFiles]:
    return [
        CorpusFiles(
            corpus.rule_id,
            f"rules/{file_stem(corpus.rule_id)}.html",
            site.file(f"v1/public/eval-corpus/{file_stem(corpus.rule_id)}.json"),
            site.file(f"data/corpus/{file_stem(corpus.rule_id)}.parquet"),
        )
        for corpus in site.computed.corpora
    ]


def _quality(site: Site) -> list[TableQuality]:
    manifest = site.computed.manifest
    return [
        TableQuality(table, manifest.table(name), name in site.hidden)
        for name, table in TABLES.items()
        if manifest.table(name).provided
    ]


MENTION_MEANINGS = {
    "merge_not_recorded": "says that it reverts a pull request whose merge was not recorded before",
    "never_merged": "says that it reverts another and was itself never merged",
    "other_form": "speaks of a revert in another form than “Reverts #N”",
    "other": "of another kind",
}
"""What a body says that nothing bears out."""

PRIVACY_MEANINGS = (
    (Privacy.PUBLIC, "may stand in what is published"),
    (
        Privacy.PRIVATE,
        "names a person, a pull request, an instance or a repository: the operator’s eyes only",
    ),
    (Privacy.SECRET, "raw text that may hold anything, credentials included: never leaves the lake"),
)
"""What the classes of the data dictionary mean."""
