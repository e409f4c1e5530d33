"""Many distinct metadata texts at once: DuckDB's parser where it agrees with the strict one, the strict one elsewhere.

Belongs here: proving that DuckDB may be trusted with a text, and taking the members out of it.
Does not: what the members mean (metadata.py); a property test holds this module and read_metadata together.

DuckDB's JSON parser is strict but for two things: it takes NaN and Infinity, and it takes trailing commas. So
there are three ways for a text:
- OBJECT, the whole grammar for objects three deep, matches: DuckDB extracts without checking again (nearly all texts).
- LEXICON alone matches: no NaN and no trailing comma, so DuckDB's check is as strict as the standard.
- Neither does: the strict parser reads it.
"""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.duck import in_memory
from evenhand.lake.metadata import COLUMNS, parse_metadata_strictly
from evenhand.lake.strict_json import NUMBER_GRAMMAR, STRING_GRAMMAR
from evenhand.lake.text_buffers import Mask

Rows = npt.NDArray[np.int64]

_SPACE = r"[ \t\r\n]*"
_SCALAR = f"{STRING_GRAMMAR}|{NUMBER_GRAMMAR}|true|false|null"


def _object(value: str) -> str:
    member = f"{STRING_GRAMMAR}{_SPACE}:{_SPACE}{value}{_SPACE}"
    return rf"\{{{_SPACE}(?:{member}(?:,{_SPACE}{member})*)?\}}"


def _nested(value: str) -> str:
    """A value whose own members are such values."""
    item = f"{value}{_SPACE}"
    return rf"(?:{_SCALAR}|{_object(value)}|\[{_SPACE}(?:{item}(?:,{_SPACE}{item})*)?\])"


OBJECT = f"^{_SPACE}{_object(_nested(_nested(f'(?:{_SCALAR})')))}{_SPACE}$"
"""A strict object whose values are three deep at most. RE2 runs it in one pass, whatever the text."""

_LOOSE_STRING = r'"(?:[^"\\]|\\[^\n])*"'
_VALUE_START = _LOOSE_STRING + r"|[\[{0-9-]|true|false|null"
LEXICON = rf"^{_SPACE}\{{(?:{_LOOSE_STRING}|[{{}}\[\]: \t\r\n0-9.+eE-]|true|false|null|,{_SPACE}(?:{_VALUE_START}))*$"
"""An object out of JSON's own words, with no comma before a closing bracket. The letters of NaN are not among them.
Brackets in any order pass it, and fail in the parser."""

_ESCAPED_LETTER = r"\\u00(?:4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])"
_EFFORT = "reviewEffortMinutes"

_PATHS = {
    "verdict": "$.verdict",
    "basis": "$.basis",
    "provenance": "$.provenance",
    "signal_outcome": "$.outcome",
    "mode": "$.mode",
    "corpus_checksum": "$.corpusChecksum",
    "comparison_rule": "$.comparison.ruleId",
    "comparison_verdict": "$.comparison.verdict",
    "confidence": "$.confidence",
    "review_effort_minutes": f"$.{_EFFORT}",
}
"""Lake column -> where DuckDB finds it, all in one parse. It takes the first of duplicate keys."""
_NUMBERS = ("confidence", "review_effort_minutes")


def _extraction(json: str) -> str:
    """The query for the members of `metadata_texts`; a NULL for the JSON is a malformed text."""
    paths = ", ".join(f"'{path}'" for path in _PATHS.values())
    members = ", ".join(f"found[{number}] AS {name}" for number, name in enumerate(_PATHS, 1))
    texts = ", ".join(
        f"CASE WHEN starts_with({name}, '\"') THEN {name}->>'$' END AS {name}"
        for name in _PATHS
        if name not in _NUMBERS
    )
    numbers = ", ".join(
        f"CASE WHEN regexp_matches({name}, '^-?[0-9]') THEN {name}::VARCHAR END AS {name}" for name in _NUMBERS
    )
    return f"""
        WITH extracted AS (SELECT number, json_extract({json}, [{paths}]) AS found FROM metadata_texts),
        members AS (SELECT number, found, {members} FROM extracted),
        kinds AS (SELECT number, found IS NULL AS metadata_malformed, {texts}, {numbers} FROM members)
        SELECT
            * REPLACE (
                CASE WHEN isfinite(TRY_CAST(confidence AS DOUBLE)) THEN TRY_CAST(confidence AS DOUBLE) + 0.0 END
                AS confidence
            )
        FROM kinds
        ORDER BY number
    """


def _exactness() -> str:
    """The query for texts that show the very number that DuckDB printed, under its key, once.

    What DuckDB prints of a number with a fraction or an exponent may have lost digits of it.
    """
    there = " OR ".join(
        f"contains(text, '\"{_EFFORT}\":{space}' || printed || '{end}')" for space in ("", " ") for end in (",", "}")
    )
    after = f"substr(text, strpos(text, '{_EFFORT}') + 1)"
    return f"""
        SELECT number FROM printed_efforts
        WHERE ({there}) AND NOT contains({after}, '{_EFFORT}') AND NOT regexp_matches(text, '{_ESCAPED_LETTER}')
    """


_local = threading.local()


def _connection() -> Any:
    """DuckDB for this thread: one thread of its own, and nothing of the outside within reach."""
    if not hasattr(_local, "connection"):
        connection = in_memory(threads=1)
        connection.execute("SET enable_external_access = false")
        connection.execute("SET memory_limit = '256MB'")
        connection.execute("SET lock_configuration = true")
        _local.connection = connection
    return _local.connection


def _asked(query: str, name: str, table: pa.Table) -> pa.Table:
    """The answer to a query over one table."""
    connection = _connection()
    connection.register(name, table)
    try:
        return connection.sql(query).to_arrow_table().combine_chunks()
    finally:
        connection.unregister(name)


def read_many(texts: pa.StringArray) -> dict[str, pa.Array]:
    """Every column of COLUMNS for texts that are all present; equal to read_metadata on each."""
    is_object = matching(texts, OBJECT)
    parts = [_extracted(texts, np.flatnonzero(is_object), "text")]
    others = np.flatnonzero(~is_object)
    if len(others):
        is_plain = matching(texts.take(pa.array(others)), LEXICON)
        parts.append(_extracted(texts, others[is_plain], "TRY_CAST(text AS JSON)"))
        parts.append(_strictly(texts, others[~is_plain]))
    inexact = np.concatenate([_inexact(texts, rows, read) for rows, read in parts[:2]])
    parts = [_left_out(rows, read, inexact) for rows, read in parts]
    parts.append(_strictly(texts, inexact))
    return _together(parts)


Part = tuple[Rows, dict[str, pa.Array]]
"""Places of texts, and the columns of those."""


def matching(texts: pa.StringArray, pattern: str) -> Mask:
    """Which texts match a pattern of ASCII characters, read as bytes: no byte of another character is one of them."""
    as_bytes = pa.Array.from_buffers(pa.binary(), len(texts), texts.buffers(), texts.null_count, texts.offset)
    matches = pc.match_substring_regex(as_bytes, pattern)
    if len(matches) == 0:
        return np.zeros(0, dtype=np.bool_)
    bits = np.unpackbits(np.frombuffer(matches.buffers()[1], dtype=np.uint8), bitorder="little")
    return bits[matches.offset : matches.offset + len(matches)].astype(np.bool_)


def _extracted(texts: pa.StringArray, rows: Rows, json: str) -> Part:
    chosen = texts if len(rows) == len(texts) else texts.take(pa.array(rows))
    table = pa.table({"number": pa.array(rows), "text": chosen})
    found = _asked(_extraction(json), "metadata_texts", table)
    return rows, {name: _one_array(found.column(name)).cast(kind) for name, kind in COLUMNS.items()}


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _strictly(texts: pa.StringArray, rows: Rows) -> Part:
    return rows, parse_metadata_strictly(texts.take(pa.array(rows)))


def _inexact(texts: pa.StringArray, rows: Rows, read: dict[str, pa.Array]) -> Rows:
    """Places whose effort is not sure to be printed digit by digit. Integers are: JSON has no leading zeros."""
    printed = read["review_effort_minutes"]
    is_integer = pc.match_substring_regex(printed, "^-?[0-9]+$")
    doubtful = pc.indices_nonzero(pc.fill_null(pc.invert(is_integer), False)).cast(pa.int64())
    if len(doubtful) == 0:
        return np.zeros(0, dtype=np.int64)
    places = pa.array(rows).take(doubtful)
    table = pa.table({"number": places, "text": texts.take(places), "printed": printed.take(doubtful)})
    exact = _asked(_exactness(), "printed_efforts", table).column("number").to_pylist()
    return np.setdiff1d(np.array(places.to_pylist(), dtype=np.int64), np.array(exact, dtype=np.int64))


def _left_out(rows: Rows, read: dict[str, pa.Array], gone: Rows) -> Part:
    """A part without some places."""
    kept = ~np.isin(rows, gone)
    if bool(kept.all()):
        return rows, read
    mask = pa.array(kept)
    return rows[kept], {name: column.filter(mask) for name, column in read.items()}


def _together(parts: list[Part]) -> dict[str, pa.Array]:
    """The columns of all parts, each text's at its place."""
    parts = [part for part in parts if len(part[0])]
    if len(parts) == 1:
        return parts[0][1]
    if not parts:
        return parse_metadata_strictly(pa.array([], pa.string()))
    order = pa.array(np.argsort(np.concatenate([rows for rows, _ in parts]), kind="stable"))
    return {name: pa.concat_arrays([read[name] for _, read in parts]).take(order) for name in COLUMNS}
