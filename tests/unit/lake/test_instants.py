"""The bulk reading of instants (contract section 1, "Instants")."""

import pyarrow as pa
import pytest

from evenhand.lake.instants import instant_of, parse_instants
from evenhand.timeline import parse_instant


def read(texts: list[str | None]) -> list[int | None]:
    moments, known, _ = parse_instants(pa.array(texts, pa.string()))
    return [int(moment) if is_known else None for moment, is_known in zip(moments, known, strict=True)]


COMMON = [
    "2026-05-01T12:30:45.123Z",
    "2026-05-01 12:30:45",
    "2026-05-01T12:30:45Z",
    "2026-05-01",
    "2024-02-29T00:00:00.000Z",
    "2000-02-29",
    "1970-01-01T00:00:00.000Z",
    "1969-12-31T23:59:59.999Z",
    "0001-01-01",
    "9999-12-31T23:59:59.999Z",
]


@pytest.mark.parametrize("text", COMMON)
def test_a_common_form_reads_as_the_grammar_does(text: str) -> None:
    assert read([text]) == [parse_instant(text)]
    assert parse_instant(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01T14:00:00+02:00",
        "2026-05-01T14:00+0200",
        "2026-05-01 14:00:00.5+02",
        "2026-05-01T12:30:45.123456789Z",
    ],
)
def test_an_odd_form_reads_as_the_grammar_does(text: str) -> None:
    assert read([text, "2026-05-01"]) == [parse_instant(text), parse_instant("2026-05-01")]


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-29",
        "1900-02-29T00:00:00Z",
        "2026-04-31 00:00:00",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "0000-01-01",
        "2026-05-01T24:00:00Z",
        "2026-05-01T23:60:00Z",
        "2026-05-01T23:59:60.000Z",
        "2026-05-01t12:30:45.123Z",
        "2026-05-01T12:30:45.12xZ",
        "2026-05-01T12:30:45.123z",
        "２026-05-01",
        " 2026-05-01",
        "2026-05-01 12:30",
        "",
        "not-a-date",
    ],
)
def test_what_is_no_instant_is_bad_and_its_neighbours_are_not(text: str) -> None:
    moments, known, bad = parse_instants(pa.array(["2026-05-01", text, None], pa.string()))
    assert known.tolist() == [True, False, False]
    assert bad.tolist() == [False, True, False]
    assert moments.tolist()[1:] == [0, 0]


def test_an_instant_outside_the_years_1_to_9999_is_none() -> None:
    assert instant_of("0001-01-01T00:00:00+01:00") is None
    assert instant_of("9999-12-31T23:30:00-01:00") is None
    assert instant_of("9999-12-31T23:30:00+01:00") is not None


def test_a_slice_of_a_column_reads_as_the_column_does() -> None:
    column = pa.array([None, *COMMON, None, "x", *COMMON], pa.string())
    whole = [None, *map(parse_instant, COMMON), None, None, *map(parse_instant, COMMON)]
    for start in range(12):
        moments, known, _ = parse_instants(column.slice(start, 9))
        got = [int(m) if k else None for m, k in zip(moments, known, strict=True)]
        assert got == whole[start : start + 9]


def test_an_empty_column_has_no_instants() -> None:
    moments, known, bad = parse_instants(pa.array([], pa.string()))
    assert len(moments) == len(known) == len(bad) == 0
