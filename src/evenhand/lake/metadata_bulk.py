"""Many distinct metadata texts at once: DuckDB's parser where it agrees with the strict one, the strict one elsewhere.

Belongs here: proving that DuckDB may be trusted with a text, and taking the members out of it.
Does not: what the members mean (metadata.py); a property test holds this module and read_metadata together.

DuckDB's JSON parser is strict but for two things: it takes NaN and Infinity, and it takes trailing commas. LEXICON
leaves both out. It need not know the grammar: brackets in any order pass it, and fail in the parser.
"""

import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.metadata import COLUMNS, parse_metadata_strictly
from evenhand.lake.text_buffers import Mask

_STRING = r'"(?:[^"\\]|\\[^\n])*"'
_VALUE_START = r'"(?:[^"\\]|\\[^\n])*"|[\[{0-9-]|true|false|null'
LEXICON = (
    r"^[ \t\r\n]*\{(?:" + _STRING + r"|[{}\[\]: \t\r\n0-9.+eE-]|true|false|null|,[ \t\r\n]*(?:" + _VALUE_START + r"))*$"
)
"""An object out of JSON's own words, with no comma before a closing bracket. The letters of NaN are not among them."""

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
"""Lake column -> where DuckDB finds it. One call extracts all of them out of one parse; it takes the first of
duplicate keys."""


def _is_number(name: str) -> str:
    return f"regexp_matches({name}, '^-?[0-9]')"


def _query() -> str:
    paths = ", ".join(f"'{path}'" for path in _PATHS.values())
    members = ", ".join(f"found[{number}] AS {name}" for number, name in enumerate(_PATHS, 1))
    texts = ", ".join(
        f"CASE WHEN starts_with({name}, '\"') THEN {name}->>'$' END AS {name}" for name in list(_PATHS)[:-2]
    )
    # Printed again by DuckDB, an integer is what it was (JSON has no leading zeros; minus zero is zero). Anything
    # else may have lost digits, and counts only when the text has that very number, under that key, once.
    effort = "review_effort_minutes::VARCHAR"
    there = " OR ".join(
        f"contains(text, '\"{_EFFORT}\":{space}' || {effort} || '{end}')" for space in ("", " ") for end in ",}"
    )
    only = f"contains(text, '{_EFFORT}') AND NOT contains(substr(text, strpos(text, '{_EFFORT}') + 1), '{_EFFORT}')"
    unescaped = f"NOT regexp_matches(text, '{_ESCAPED_LETTER}')"
    kept = f"regexp_full_match({effort}, '-?[0-9]+') OR (({there}) AND {only} AND {unescaped})"
    return f"""
        WITH parsed AS (SELECT number, text, TRY_CAST(text AS JSON) AS json FROM metadata_texts),
        extracted AS (SELECT number, text, json, json_extract(json, [{paths}]) AS found FROM parsed),
        members AS (SELECT number, text, json, {members} FROM extracted)
        SELECT
            number, json IS NULL AS metadata_malformed, {texts},
            CASE WHEN isfinite(TRY_CAST(confidence::VARCHAR AS DOUBLE)) AND {_is_number("confidence")}
                 THEN TRY_CAST(confidence::VARCHAR AS DOUBLE) + 0.0 END AS confidence,
            CASE WHEN {_is_number("review_effort_minutes")} THEN {effort} END AS review_effort_minutes,
            coalesce({_is_number("review_effort_minutes")} AND NOT ({kept}), false) AS is_inexact
        FROM members
    """


_local = threading.local()


def _connection() -> Any:
    """DuckDB for this thread: one thread of its own, and nothing of the outside within reach."""
    if not hasattr(_local, "connection"):
        import duckdb

        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute("SET enable_external_access = false")
        connection.execute("SET memory_limit = '256MB'")
        connection.execute("SET lock_configuration = true")
        _local.connection = connection
    return _local.connection


def read_many(texts: pa.StringArray) -> dict[str, pa.Array]:
    """Every column of COLUMNS for distinct, present texts; equal to read_metadata on each."""
    plain = is_plain(texts)
    numbers = pa.array(np.flatnonzero(plain).astype(np.int32))
    chosen = texts if len(numbers) == len(texts) else texts.take(numbers)
    connection = _connection()
    connection.register("metadata_texts", pa.table({"number": numbers, "text": chosen}))
    try:
        found = connection.sql(_query()).to_arrow_table().combine_chunks().sort_by("number")
    finally:
        connection.unregister("metadata_texts")
    inexact = np.asarray(found.column("is_inexact").to_pylist(), dtype=np.bool_) if len(found) else np.zeros(0, bool)
    places = np.flatnonzero(plain)
    strict = np.concatenate([np.flatnonzero(~plain), places[inexact]]) if inexact.any() else np.flatnonzero(~plain)
    read = {name: found.column(name).combine_chunks().cast(kind) for name, kind in COLUMNS.items()}
    if len(strict) == 0:
        return read
    return _with_strict(texts, read, places[~inexact], np.flatnonzero(~inexact), strict)


def is_plain(texts: pa.StringArray) -> Mask:
    """Which texts hold only JSON's own words, so that DuckDB's parser is as strict as the standard."""
    # As bytes: RE2 then needs no UTF-8 decoding, and no character class here tells bytes above 127 apart.
    as_bytes = pa.Array.from_buffers(pa.binary(), len(texts), texts.buffers(), texts.null_count, texts.offset)
    matches = pc.match_substring_regex(as_bytes, LEXICON)
    bits = np.unpackbits(np.frombuffer(matches.buffers()[1], dtype=np.uint8), bitorder="little")
    return bits[matches.offset : matches.offset + len(matches)].astype(np.bool_)


def _with_strict(
    texts: pa.StringArray, read: dict[str, pa.Array], places: Any, rows: Any, strict: Any
) -> dict[str, pa.Array]:
    """DuckDB's rows at their places, and the strict parser's between them."""
    strictly = parse_metadata_strictly(texts.take(pa.array(strict)))
    order = np.empty(len(texts), dtype=np.int64)
    order[places] = rows
    order[strict] = len(next(iter(read.values()))) + np.arange(len(strict))
    return {name: pa.concat_arrays([read[name], strictly[name]]).take(pa.array(order)) for name in COLUMNS}
