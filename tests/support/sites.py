"""Whole sites for tests: pages with their files, as the build writes them, without publishing anything."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from support.exports import Row, Tables, write_sqlite
from support.pipeline import Published, publish

from evenhand.computed import Computed
from evenhand.policy import Policy
from evenhand.site.api_files import write_public
from evenhand.site.datasets import write_datasets
from evenhand.site.facts import BuildFacts, PublishedFile
from evenhand.site.pages import write_operator_pages, write_pages

AS_OF = "2026-11-01T00:00:00Z"
BUILD = "2026-11-01-4f1c09ab77e2"
PREVIOUS = "2026-10-31-0123456789ab"


@dataclass(frozen=True)
class Written:
    """A site on disk."""

    folder: Path
    computed: Computed

    def pages(self) -> Iterator[tuple[str, str]]:
        """Path and text of every page, in order."""
        for path in sorted(self.folder.rglob("*.html")):
            yield path.relative_to(self.folder).as_posix(), path.read_text(encoding="utf-8")

    def page(self, path: str) -> str:
        """The text of one page."""
        return (self.folder / path).read_text(encoding="utf-8")

    def texts(self) -> Iterator[tuple[str, str]]:
        """Everything that a page shows: its text and the specifications of its charts."""
        yield from self.pages()
        for path in sorted(self.folder.glob("charts/*.json")):
            yield path.relative_to(self.folder).as_posix(), path.read_text(encoding="utf-8")


def facts_of(computed: Computed, folder: Path, previous: Mapping[str, Mapping[str, Any]] | None = None) -> BuildFacts:
    """The files behind the pages, written, and what the build knows of them."""
    write_public(computed, folder)
    tables = dict(write_datasets(computed, folder))
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [_published(path, path.relative_to(folder).as_posix(), tables) for path in paths]
    return BuildFacts(BUILD, "4f" * 32, tuple(files), PREVIOUS if previous is not None else None, previous or {})


def _published(path: Path, name: str, tables: Mapping[str, Any]) -> PublishedFile:
    data = path.read_bytes()
    table = tables.get(name)
    if table is None:
        return PublishedFile(name, "API file", len(data), sha256(data).hexdigest())
    return PublishedFile(name, table.title, len(data), sha256(data).hexdigest(), table.rows.num_rows, table.columns)


def written(published: Published, folder: Path, previous: Mapping[str, Mapping[str, Any]] | None = None) -> Written:
    """The public site."""
    write_pages(published.computed, facts_of(published.computed, folder, previous), folder)
    return Written(folder, published.computed)


def operators(published: Published, folder: Path) -> Written:
    """The operator's site, whose files lie elsewhere."""
    facts = facts_of(published.computed, folder / "elsewhere")
    write_operator_pages(published.computed, facts, folder / "site")
    return Written(folder / "site", published.computed)


def published_from(
    tables: Tables, folder: Path, policy: Policy | None = None, repos: tuple[str, ...] = ()
) -> Published:
    """What the pipeline makes of rows."""
    return publish(write_sqlite(folder / "export.sqlite", tables), AS_OF, repos, policy)


def verdicts(rule: str, confirmed: int, reversed_: int, **metadata: str) -> Iterator[Row]:
    """Firings and overrides of one rule, one target each."""
    for index in range(confirmed + reversed_):
        target = f"acme/widgets#{index + 1}"
        verdict = "confirmed" if index < confirmed else "reversed"
        yield event(f"signal.rule_fired:{rule}", target, index, outcome="block")
        yield event(f"signal.human_override:{rule}", target, index + 1000, verdict=verdict, **metadata)


def event(event_type: str, target: str, order: int, **metadata: str) -> Row:
    """One audit event in October, later with its order."""
    return {
        "id": f"{event_type}-{target}-{order}",
        "event_type": event_type,
        "target_key": target,
        "outcome": "completed",
        "metadata_json": json.dumps(metadata),
        "created_at": f"2026-10-{1 + order // 1000 * 3:02d}T{order // 60 % 24:02d}:{order % 60:02d}:00Z",
    }


_BLOCK_END = re.compile("</(?:t[dhr]|p|li|d[dt]|h[1-6]|caption|a|div)>")


class Document(HTMLParser):
    """What the checks need of a page: its tags in order, with attributes, and the text of headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def all(self, *names: str) -> list[dict[str, str]]:
        """Attributes of every tag of these names."""
        return [attributes for tag, attributes in self.tags if tag in names]

    def values(self, attribute: str) -> list[str]:
        """Every value of an attribute, in order."""
        return [attributes[attribute] for _, attributes in self.tags if attribute in attributes]


def words(page: str) -> str:
    """The text of a page without its markup, spaces as one."""
    return re.sub(r"[ \n\t]+", " ", html.unescape(re.sub(r"<[^>]*>", "", re.sub(_BLOCK_END, " ", page))))
