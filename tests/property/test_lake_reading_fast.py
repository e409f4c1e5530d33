"""What is read fast is what is read one value at a time, on anything."""

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.lake import metadata_bulk
from evenhand.lake.instants import instant_of, parse_instants
from evenhand.lake.metadata import COLUMNS, parse_metadata, parse_metadata_strictly
from evenhand.lake.ordering import sort_rows, sorted_on_disk
from evenhand.lake.parse import schema_of
from evenhand.lake.tables import TABLES
from evenhand.sources.sqlite_file import SqliteSource
from evenhand.sources.sqlite_text import NULL_MARK, SEPARATOR, split_texts

KEYS = ["verdict", "basis", "provenance", "outcome", "confidence", "mode", "reviewEffortMinutes", "corpusChecksum"]
KEYS += ["comparison", "ruleId", "x", "", "\\u0076erdict", "reviewEffort\\u004dinutes", "verdict.x", "$", 'a\\"b']
SCALARS = ["null", "true", "false", "0", "-0", "-0.0", "1", "12", "0.1", "0.10", "0.7315", "1e400", "-1E400", "1e-400"]
SCALARS += ["1E5", "10.50", "12345678901234567890", "0.1000000000000000055", "1e22", "123456789012345678901234567890.5"]
SCALARS += ["NaN", "nan", "Infinity", "-Infinity", "inf", "01", "+1", ".5", "5.", "0x1", "tru", "TRUE", "1e", "-"]
TEXTS = ['""', '"confirmed"', '"reversed "', '"\\n\\t\\/"', '"\\u0000"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00x"']
TEXTS += [
    '"\t"',
    '"\x00"',
    '"\\x41"',
    '"\\u12"',
    '"é☃😀"',
    '",}"',
    '",]"',
    '"NaN,}"',
    "'a'",
    '"\\',
    '"',
    '"\x7f"',
    '"\\ud800\\u0041"',
]
TEXTS += ['"\\"reviewEffortMinutes\\":0.1,"', '"reviewEffortMinutes"']
SPACES = ["", "", "", "", " ", "\n", "\t\r", "\v", "\u00a0", "\ufeff", "/**/"]
COMMAS = [",", ",", ",", ",", ", ", ",,", "", " ,"]


@st.composite
def json_like(draw: st.DrawFn, depth: int = 3) -> str:
    """A text that is JSON but for a slip here and there."""
    kind = draw(st.integers(0, 9))
    if depth == 0 or kind < 6:
        return draw(st.sampled_from(SCALARS + TEXTS))
    opening, closing = ("{", "}") if kind < 9 else ("[", "]")
    members = []
    for _ in range(draw(st.integers(0, 4))):
        key = '"' + draw(st.sampled_from(KEYS)) + '"' + draw(st.sampled_from([":", ":", ":", ": ", " :", ""]))
        members.append((key if opening == "{" else "") + draw(json_like(depth - 1)))
    comma = draw(st.sampled_from(COMMAS))
    end = draw(st.sampled_from(["", "", "", "", "", ",", " "]))
    space = draw(st.sampled_from(SPACES))
    return space + opening + comma.join(members) + end + draw(st.sampled_from([closing] * 8 + ["", "}"])) + space


@st.composite
def good_object(draw: st.DrawFn) -> str:
    """A strict object with members that are read."""
    good = list(SCALARS[:20] + TEXTS[:6] + ['{"ruleId":"r","verdict":"v","verdict":1}', "[1,{}]", "{}"])
    members = draw(st.lists(st.tuples(st.sampled_from(KEYS[:13]), st.sampled_from(good)), max_size=7))
    colon, comma = draw(st.sampled_from([(":", ","), (": ", ", "), (" : ", "\n,")]))
    return "{" + comma.join(f'"{key}"{colon}{value}' for key, value in members) + "}"


def assert_same(texts: list[str]) -> None:
    column = pa.array(texts, pa.string())
    expected = parse_metadata_strictly(column)
    got = metadata_bulk.read_many(column)
    for name in COLUMNS:
        assert got[name].to_pylist() == expected[name].to_pylist(), (name, texts)
        assert got[name].equals(expected[name]), name


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(json_like(), good_object(), st.text(max_size=12)), min_size=1, max_size=30))
def test_metadata_read_in_bulk_is_metadata_read_strictly(texts: list[str]) -> None:
    assert_same(texts)


def test_deep_and_long_metadata_reads_alike() -> None:
    deep = '{"verdict":"confirmed","x":' + "[" * 100_000 + "]" * 100_000 + "}"
    long = '{"x":"' + "\\n" * 500_000 + '","verdict":"reversed"}'
    assert_same([deep, deep[:-1], long, long[:-1], '{"x":[' + "1," * 100_000 + "],}"])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.none(), st.sampled_from(['{"verdict":"confirmed"}', "{", '{"confidence":1}']))))
def test_metadata_columns_repeat_and_miss_texts(texts: list[str | None]) -> None:
    column = pa.array(texts, pa.string())
    expected = parse_metadata_strictly(column)
    assert {name: array.to_pylist() for name, array in parse_metadata(column).items()} == {
        name: array.to_pylist() for name, array in expected.items()
    }


INSTANTS = st.one_of(
    st.none(),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z"),
    st.datetimes().map(lambda moment: moment.isoformat(" ", timespec="seconds")),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes") + "+02:00"),
    st.from_regex(r"\A[0-2][0-9]{3}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{3})?Z?\Z"),
    st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]\Z"),
    st.text(alphabet="0123456789-:TZ. +é", max_size=25),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(INSTANTS, max_size=40))
def test_instants_read_in_bulk_are_instants_read_one_by_one(texts: list[str | None]) -> None:
    moments, known, bad = parse_instants(pa.array(texts, pa.string()))
    expected = [None if text is None else instant_of(text) for text in texts]
    assert [int(m) if k else None for m, k in zip(moments, known, strict=True)] == expected
    assert bad.tolist() == [text is not None and moment is None for text, moment in zip(texts, expected, strict=True)]


VALUES = st.one_of(
    st.none(),
    st.text(alphabet="ab\x00\x1e\x1f\x1dé☃😀\n,", max_size=5),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.binary(max_size=3),
)
DECLARED = st.sampled_from(
    ["", "TEXT", "INTEGER", "REAL", "BLOB", "TEXT NOT NULL DEFAULT 'x'", "VARCHAR(3)", "NUMERIC"]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=80),
    st.tuples(DECLARED, DECLARED, DECLARED),
    st.sampled_from([1, 2, 5]),
)
def test_rows_joined_by_sqlite_are_rows_read_one_by_one(
    rows: list[tuple[object, ...]], declared: tuple[str, ...], gap: int
) -> None:
    names = ("repo_full_name", "pull_number", "path")
    table = TABLES["pull_request_files"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "e.sqlite"
        with sqlite3.connect(path) as connection:
            columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, declared, strict=True))
            connection.execute(f"CREATE TABLE pull_request_files ({columns})")
            connection.executemany(
                f"INSERT OR REPLACE INTO pull_request_files (rowid, {', '.join(names)}) VALUES (?, ?, ?, ?)",
                [(number * gap, *row) for number, row in enumerate(rows)],
            )
        with SqliteSource(path) as source:

            def read(parts: list[tuple[int, int] | None]) -> tuple[list[tuple[object, ...]], list[int]]:
                found: list[tuple[object, ...]] = []
                unreadable: list[int] = []
                for part in parts:
                    for batch in source.batches(table, part):
                        texts = (column.to_pylist() for column in batch.columns)
                        found.extend(zip(batch.locate(), *texts, strict=True))
                        unreadable.extend(batch.unreadable)
                return sorted(found, key=lambda row: row[0]), sorted(unreadable)  # type: ignore[arg-type, return-value]

            assert read(source.parts(table)) == read([None])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.text(alphabet="abé☃\x00\n", max_size=4)), min_size=1, max_size=8),
        min_size=1,
        max_size=5,
    )
)
def test_joined_texts_split_into_what_they_were(chunks: list[list[str | None]]) -> None:
    parts = [SEPARATOR.join(NULL_MARK if text is None else text for text in chunk).encode() for chunk in chunks]
    texts = [text for chunk in chunks for text in chunk]
    column = split_texts(parts, len(texts), sum(text is None for text in texts))
    assert column is not None
    column.validate(full=True)
    assert [None if value is None else value.decode() for value in column.to_pylist()] == texts
    assert split_texts(parts, len(texts) + 1, 0) is None


def _rows() -> Iterator[st.SearchStrategy[object]]:
    few = st.one_of(st.none(), st.sampled_from(["", "a", "b", "é", "\U0001f600", "\uffff"]))
    for field in schema_of(TABLES["orb_signals"]):
        if field.type == pa.int64():
            yield st.one_of(st.none(), st.integers(-3, 3), st.just(-(2**63)))
        elif field.type == pa.bool_():
            yield st.booleans()
        elif field.type == pa.date32():
            yield st.one_of(st.none(), st.integers(0, 2))
        else:
            yield few


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*_rows()), max_size=30), st.randoms())
def test_one_order_however_rows_arrive_and_wherever_they_are_sorted(
    rows: list[tuple[object, ...]], random: object
) -> None:
    table = TABLES["orb_signals"]
    schema = schema_of(table)

    def made(of: list[tuple[object, ...]]) -> pa.Table:
        arrays = [pa.array([row[n] for row in of], kind.type) for n, kind in enumerate(schema)]
        return pa.Table.from_arrays(arrays, schema=schema)

    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    expected = sort_rows(table, made(rows))
    assert sort_rows(table, made(shuffled)).equals(expected)
    with tempfile.TemporaryDirectory() as folder:
        batches = list(sorted_on_disk(table, iter(made(shuffled).to_batches()), schema, Path(folder), "64MB"))
    assert pa.Table.from_batches(batches, schema).equals(expected)
