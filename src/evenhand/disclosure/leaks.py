"""The leak scan: every text of a finished build against every private identifier of the lake, before it is installed.

Belongs here: the search, what is exempt, and the refusal. Does not: how files are decoded (decoding), what a word is
(words), or which columns are private (private). Every file is read once into a set of runs of words; DuckDB then
reads each private column once and keeps what is in the set, so the time grows with the two and never with their
product. A text of more words than a run is found by all its runs and then whole.

Not every match is a leak. Exempt, and counted:
- *numbers*: an identifier of digits alone (or an instant) cannot be told from a count;
- *public*: what the contract makes public (rule ids, outcomes, reasons, actions, repositories of the allowlist with
  their owners and names, lenses and seats of reviews, values of the policy that the methodology page prints), and every
  part of it: a login `acme` is no leak where `acme/widgets` may be named;
- *own words*: what the pages and the code that writes them say by themselves: a login `merged`, `bot` or `data` stands
  on every page of everybody. A name of several words is exempt only where the same words stand in that order.

A found one is never repeated in the error: logs of a nightly job are often public. The file, the place and the class
are enough for the operator, who has the lake.

Source: design, section 3 "Disclosure"; fairness contract, section 1.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pyarrow as pa

from evenhand.computed import Computed
from evenhand.disclosure.decoding import json_texts, texts_of
from evenhand.disclosure.private import JSON_TEXTS, LOGIN, PRIVATE, PUBLIC, RECORD, REPOSITORY, TEXT
from evenhand.disclosure.words import RUN, joined, runs_of, words_in_sql, words_of
from evenhand.duck import in_memory
from evenhand.errors import DisclosureError
from evenhand.lake.reading import table_files

_NUMBER = re.compile(r"[0-9 .#tz+-]+")
_OWN = ("site", "metrics", "evidence", "rows", "corpus", "disclosure")
_OWN_FILES = ("policy.py", "figures.py", "build.py", "lake/tables.py", "lake/views.sql", "lake/metadata.py")
_JSON_TEXT = r'"((?:[^"\\]|\\.)*)"'


@dataclass(frozen=True)
class LeakScan:
    """What a scan looked at. exempt: identifiers that stand in the build and may, by why."""

    files: int
    runs: int
    exempt: Mapping[str, int]


def scan(computed: Computed, folder: Path) -> LeakScan:
    """Looks for every private identifier in every file below a folder.

    Raises DisclosureError naming the file, the place and the class of the first one found, by file and class.
    """
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    shown, long_texts = _shown(folder, names)
    with _Lake(computed, shown) as lake:
        suspects = [
            (kind, text) for kind, text in lake.suspects() if _is_shown(text, shown, long_texts) and _is_private(text)
        ]
        exempt: Counter[str] = Counter({"numbers": lake.numbers})
        leaks = []
        public = lake.public() if suspects else _Said(())
        site = computed.context.policy.site
        # "The stale bot" of a title has the words of the login stale[bot], and is the publisher's own wording.
        titles = _Said((site.title, site.source_label))
        for kind, text in sorted(set(suspects)):
            if text in public or (kind == LOGIN and text in titles):
                exempt["public"] += 1
            elif text in _own_words():
                exempt["own words"] += 1
            else:
                leaks.append((kind, text))
    if leaks:
        raise DisclosureError(_refusal(folder, names, leaks))
    return LeakScan(len(names), len(shown), dict(sorted(exempt.items())))


def _is_private(text: str) -> bool:
    return not _NUMBER.fullmatch(text)


def _shown(folder: Path, names: Iterable[str]) -> tuple[set[str], list[str]]:
    """Every run of words that is published, and every published text of more words than a run."""
    shown: set[str] = set()
    long_texts: list[str] = []
    seen: set[str] = set()
    for name in names:
        for _, text in texts_of(folder, name):
            if text in seen:
                continue
            seen.add(text)
            shown.update(runs_of(text))
            told = joined(text)
            if told.count(" ") >= RUN:
                long_texts.append(f" {told} ")
    return shown, long_texts


def _is_shown(text: str, shown: set[str], long_texts: list[str]) -> bool:
    words = text.split(" ")
    if len(words) <= RUN:
        return text in shown
    if any(" ".join(words[start : start + RUN]) not in shown for start in range(len(words) - RUN + 1)):
        return False
    return any(f" {text} " in told for told in long_texts)


class _Lake:
    """The private and the public texts of a lake, as words."""

    def __init__(self, computed: Computed, shown: set[str]) -> None:
        self._computed = computed
        self.numbers = 0
        self._connection = in_memory()
        memory = computed.context.policy.lake.memory_megabytes
        self._connection.execute(f"SET memory_limit='{memory}MB'")
        self._connection.register("shown", pa.table({"run": pa.array(list(shown), pa.string())}))

    def __enter__(self) -> "_Lake":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def _from(self, table: str) -> str:
        """The files of a table, as SQL; '' when it has none."""
        if self._computed.lake is None:
            return ""
        paths = table_files(self._computed.lake, self._computed.manifest, table)
        listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
        return f"read_parquet([{listed}], hive_partitioning=false)" if paths else ""

    def suspects(self) -> Iterator[tuple[str, str]]:
        """(class, words) of private texts whose first run is published."""
        for table, texts in _texts_by_table(self._computed).items():
            if source := self._from(table):
                told = ", ".join(f"{{'kind': '{kind}', 'told': {column}}}" for kind, column in texts)
                yield from self._matching(f"SELECT unnest([{told}], recursive := true) FROM {source}")
        for table, column in JSON_TEXTS:
            if source := self._from(table):
                parts = f"unnest(regexp_extract_all({column}, '{_JSON_TEXT}', 1))"
                yield from self._matching(f"SELECT '{TEXT}' AS kind, {parts} AS told FROM {source}")
        given = [(kind, text) for kind, texts in _given(self._computed).items() for text in sorted(texts)]
        given_texts = {"kind": [kind for kind, _ in given], "told": [text for _, text in given]}
        self._connection.register("given", pa.table(given_texts))
        if given:
            yield from self._matching("SELECT kind, told FROM given")

    def _matching(self, texts: str) -> Iterator[tuple[str, str]]:
        # DISTINCT beside unnest would compare rows before they are unnested.
        distinct = f"SELECT DISTINCT kind, told FROM ({texts}) WHERE told IS NOT NULL"
        split = f"SELECT kind, {words_in_sql('told')} AS words FROM ({distinct})"
        found = self._rows(
            f"SELECT kind, array_to_string(words, ' ') FROM ({split}) AS split "
            f"SEMI JOIN shown ON shown.run = array_to_string(split.words[1:{RUN}], ' ') WHERE len(words) > 0"
        )
        for kind, text in found:
            self.numbers += not _is_private(text)
            yield kind, text

    def public(self) -> "_Said":
        """What the contract makes public of this lake and of the policy."""
        said: list[str] = list(_public_names(self._computed))
        for table in dict.fromkeys(table for table, _ in PUBLIC):
            columns = ", ".join(column for of, column in PUBLIC if of == table)
            if source := self._from(table):
                found = self._rows(f"SELECT DISTINCT told FROM (SELECT unnest([{columns}]) AS told FROM {source})")
                said += (text for (text,) in found if text)
        return _Said(said)


def _texts_by_table(computed: Computed) -> dict[str, list[tuple[str, str]]]:
    """(class, column) of every private column, by table; record ids only when the policy keeps them private."""
    by_table: dict[str, list[tuple[str, str]]] = {}
    for kind, columns in PRIVATE.items():
        if kind != RECORD or not computed.context.policy.ledger.publish_record_ids:
            for table, column in columns:
                by_table.setdefault(table, []).append((kind, column))
    return by_table


class _Said:
    """Texts, by their words and runs of words."""

    def __init__(self, texts: Iterable[str]) -> None:
        told = dict.fromkeys(form for text in texts for form in (joined(text), joined(text.replace("#", " "))))
        self._words = {word for text in told for word in text.split(" ")}
        self._text = " " + " \n ".join(told) + " "

    def __contains__(self, text: str) -> bool:
        return text in self._words if " " not in text else f" {text} " in self._text


def _given(computed: Computed) -> dict[str, set[str]]:
    """Private texts that no column of the lake holds: logins of the policy, and those of reviews."""
    policy = computed.context.policy
    given = {LOGIN: {login for logins in policy.owners.logins.values() for login in logins} | set(policy.bots.logins)}
    if computed.reviews:
        given[REPOSITORY] = set(computed.reviews.unnamed)
        for kind, texts in computed.reviews.private.items():
            given[kind] = given.get(kind, set()) | texts
    return given


def _public_names(computed: Computed) -> Iterator[str]:
    policy = computed.context.policy
    for name in policy.repositories.allow:
        yield from (name, *name.split("/"))
    for value in policy.described():
        if value.table not in ("owners", "bots", "repositories"):
            # A title says single words of its own; a repository or a pull request in it is no less a leak.
            texts = json_texts([value.value] if isinstance(value.value, str) else list(_listed(value.value)))
            yield from (word for text in texts for word in (words_of(text) if value.table == "site" else (text,)))
    if computed.reviews:
        yield from computed.reviews.names


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else ()


@lru_cache(maxsize=1)
def _own_words() -> _Said:
    """What Evenhand says by itself: its templates, its own texts, its SQL."""
    root = files("evenhand")
    texts = [path.read_text(encoding="utf-8") for room in _OWN for path in _text_files(root.joinpath(room))]
    return _Said([*texts, *(root.joinpath(name).read_text(encoding="utf-8") for name in _OWN_FILES)])


def _text_files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _text_files(entry)
        elif entry.name.endswith((".py", ".sql", ".html", ".json", ".css", ".js", ".svg", ".md")):
            yield entry


def _refusal(folder: Path, names: list[str], leaks: list[tuple[str, str]]) -> str:
    """Where the first leak stands; which one it is, is not said."""
    # The longest first: a record's id holds the repository's name.
    kinds = {text: kind for kind, text in sorted(leaks, key=lambda leak: (-len(leak[1]), leak))}
    for name in names:
        for place, text in texts_of(folder, name):
            runs = {*runs_of(text), joined(text)}
            for leak in kinds:
                if leak in runs or (leak.count(" ") >= RUN and f" {leak} " in f" {joined(text)} "):
                    where = f"{name}, {place}" if place else name
                    more = f" ({len(kinds)} such names in all)" if len(kinds) > 1 else ""
                    return f"{where}: holds a {kinds[leak]} that must not be published{more}: nothing was published"
    raise AssertionError("a leak was found in no file")
