"""Every text that a published folder holds, decoded: what a reader of a file can read, and where it stands.

Belongs here: JSON values and keys, cells of CSV and Parquet, texts and attributes of pages and drawings, names of
files. Does not: what is looked for in them (leaks). Each file is read once; of a table each value once a column.
"""

import csv
import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from evenhand.errors import DisclosureError

Told = tuple[str, str]
"""Where in a file a text stands (empty: anywhere), and the text."""

_NO_NAME = "^([0-9a-f]{64}|[0-9TZ:. +-]*)$"
# These do not end a text: a name may break within them.
_INLINE = frozenset({"wbr", "bdi", "b", "i", "em", "strong", "code", "span", "mark", "abbr"})
# How a drawing is drawn: numbers and the renderer's own words.
_DRAWING = ("class", "d", "transform", "role", "stroke", "fill", "font", "text-anchor", "opacity", "xmlns")
_PARTS = 16 << 20


def texts_of(folder: Path, name: str) -> Iterator[Told]:
    """The texts of one file below a folder, its name among them. DisclosureError for a file of a kind nobody reads."""
    path = folder / name
    read = _READERS.get(path.suffix)
    if read is None and path.suffix:
        raise DisclosureError(f"{name} is of a kind that the leak scan cannot read: nothing was published")
    yield "name of the file", name
    yield "name of the file", name.removesuffix(path.suffix)
    yield from (read or _lines)(path)


def _lines(path: Path) -> Iterator[Told]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, line in enumerate(file, 1):
            yield f"line {number}", line


def _json(path: Path) -> Iterator[Told]:
    return (("", text) for text in json_texts(json.loads(path.read_text(encoding="utf-8"))))


def json_texts(document: Any) -> Iterator[str]:
    """Every key and every text of a parsed document; numbers are no names."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _csv(path: Path) -> Iterator[Told]:
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file), [])
    options = pa_csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False)
    table = pa_csv.read_csv(
        path,
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        read_options=pa_csv.ReadOptions(block_size=_PARTS),
        convert_options=options,
    )
    for column in table.column_names:
        for text in _distinct(table[column]):
            yield f"column {column}", text.removeprefix("'")


def _parquet(path: Path) -> Iterator[Told]:
    file = pq.ParquetFile(path)
    for key, value in (file.metadata.metadata or {}).items():
        yield "metadata", f"{key.decode('utf-8', 'replace')} {value.decode('utf-8', 'replace')}"
    for index, column in enumerate(file.schema_arrow):
        yield "name of a column", column.name
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            for text in _distinct(file.read([file.schema_arrow.names[index]]).column(0)):
                yield f"column {column.name}", text


def _distinct(column: pa.ChunkedArray) -> Iterator[str]:
    """Each text of a column once; digests, numbers and instants aside."""
    found = pc.unique(column)
    for text in found.filter(pc.invert(pc.match_substring_regex(found, _NO_NAME))).to_pylist():
        if text:
            yield text


class _Page(HTMLParser):
    """The texts of a page: runs of text between tags that end one, attributes, comments, and JSON in scripts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Told] = []
        self._text: list[str] = []
        self._json = self._drawing = False

    def _end_text(self) -> None:
        text = "".join(self._text).strip()
        self._text.clear()
        if self._json and text:
            self.found += (("", told) for told in json_texts(json.loads(text)))
        elif text:
            self._say(text)

    def _say(self, text: str) -> None:
        self.found.append((f"line {self.getpos()[0]}", text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self._end_text()
        self._drawing |= tag == "svg"
        self._json = tag == "script" and ("json" in (dict(attrs).get("type") or ""))
        for name, value in attrs:
            if value and not (self._drawing and name.startswith(_DRAWING)):
                self._say(unquote(value))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self._end_text()
            self._json = False
        self._drawing &= tag != "svg"

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_comment(self, data: str) -> None:
        self._say(data)

    def close(self) -> None:
        super().close()
        self._end_text()


def _page(path: Path) -> Iterator[Told]:
    parser = _Page()
    parser.feed(path.read_text(encoding="utf-8"))
    parser.close()
    yield from parser.found


_READERS: dict[str, Callable[[Path], Iterator[Told]]] = {
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
    **dict.fromkeys((".html", ".svg", ".xml", ".atom"), _page),
    **dict.fromkeys((".css", ".js", ".txt", ".md", ".cff", ".sig", ".pem", ".toml", ".jsonl", ".ndjson"), _lines),
}
