"""A folder with one file per table as an export (contract section 0)."""

import gzip
import os
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.errors import SourceError
from evenhand.lake.tables import TABLES
from evenhand.sources import open_source

FILES = TABLES["pull_request_files"]
Row = tuple[str | None, ...]


def read(folder: Path, table: str = "pull_request_files") -> tuple[list[tuple[int, Row]], list[int]]:
    """Positions and rows, and the positions of unreadable ones."""
    rows: list[tuple[int, Row]] = []
    unreadable: list[int] = []
    with open_source(str(folder)) as source:
        for batch in source.batches(TABLES[table]):
            assert len(batch.locate()) == batch.rows
            texts = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            rows.extend(zip(batch.locate(), texts, strict=True))
            unreadable.extend(batch.unreadable)
    return rows, unreadable


def folder_of(path: Path, name: str, data: bytes) -> Path:
    path.mkdir(exist_ok=True)
    (path / name).write_bytes(data)
    return path


# --- CSV -------------------------------------------------------------------------------------------------------

HEADER = b"repo_full_name,pull_number,path\n"


def csv(tmp_path: Path, body: bytes) -> tuple[list[tuple[int, Row]], list[int]]:
    return read(folder_of(tmp_path / "x", "pull_request_files.csv", body))


def test_csv_nothing_is_null_and_two_quotes_are_the_empty_text(tmp_path: Path) -> None:
    rows, _ = csv(tmp_path, HEADER + b'a/b,,""\n"",1,\n')
    assert [row for _, row in rows] == [("a/b", None, ""), ("", "1", None)]


def test_csv_quotes_hold_commas_line_feeds_and_quotes(tmp_path: Path) -> None:
    rows, _ = csv(tmp_path, HEADER + b'"a,b",1,"x\r\ny ""z"""\r\nc,2,d\r\n')
    assert [row for _, row in rows] == [("a,b", "1", 'x\r\ny "z"'), ("c", "2", "d")]


def test_csv_words_that_look_like_null_or_numbers_are_texts(tmp_path: Path) -> None:
    rows, _ = csv(tmp_path, HEADER + b"NULL,007,NaN\nnull,1e3,true\n")
    assert [row for _, row in rows] == [("NULL", "007", "NaN"), ("null", "1e3", "true")]


def test_csv_columns_come_in_any_order_and_others_are_ignored(tmp_path: Path) -> None:
    rows, _ = csv(tmp_path, b"\xef\xbb\xbfextra,path,repo_full_name,pull_number\n1,p,a/b,2\n")
    assert [row for _, row in rows] == [("a/b", "2", "p")]


def test_csv_a_row_with_other_fields_or_no_utf8_is_unreadable(tmp_path: Path) -> None:
    rows, unreadable = csv(tmp_path, HEADER + b"a,1,p\nb,2\nc,3,p\nd,4,p,q\ne,5,\xff\nf,6,p\n")
    assert [row[0] for _, row in rows] == ["a", "c", "f"]
    assert len(unreadable) == 3


def test_csv_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    assert csv(tmp_path, HEADER) == ([], [])


def test_csv_without_a_line_feed_at_its_end_has_its_last_row(tmp_path: Path) -> None:
    assert csv(tmp_path, HEADER + b"a,1,p")[0] == [(1, ("a", "1", "p"))]


def test_csv_of_many_blocks_keeps_its_rows(tmp_path: Path) -> None:
    body = b"".join(b'a/b,%d,"%s\n%d"\n' % (number, b"x" * 300, number) for number in range(12_000))
    rows, unreadable = csv(tmp_path, HEADER + body)
    assert [row[1] for _, row in rows] == [str(number) for number in range(12_000)]
    assert [position for position, _ in rows] == list(range(1, 12_001))
    assert unreadable == []


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"", "no readable CSV"), (b"path,path\n1,2\n", "the column path twice"), (HEADER + b'a,1,"x', "cut off")],
)
def test_csv_without_sense_is_refused(tmp_path: Path, data: bytes, word: str) -> None:
    with pytest.raises(SourceError, match=word):
        csv(tmp_path, data)


# --- NDJSON ----------------------------------------------------------------------------------------------------


def ndjson(tmp_path: Path, body: bytes) -> tuple[list[tuple[int, Row]], list[int]]:
    return read(folder_of(tmp_path / "x", "pull_request_files.ndjson", body))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("null", None),
        ('""', ""),
        ('"é\\u2603\\n"', "é☃\n"),
        ("12", "12"),
        ("12345678901234567890", "12345678901234567890"),
        ("12.0", "12.0"),
        ("1.50", "1.5"),
        ("1e3", "1000.0"),
        ("true", "true"),
        ('{"a": [1.50, "x"]}', '{"a": [1.50, "x"]}'),
        ("[1]", "[1]"),
    ],
)
def test_ndjson_values_read_as_their_text(tmp_path: Path, value: str, text: str | None) -> None:
    rows, _ = ndjson(tmp_path, ('{"repo_full_name":"a/b","path":' + value + "}\n").encode())
    assert [row for _, row in rows] == [("a/b", None, text)]


def test_ndjson_a_bad_line_is_an_unreadable_row_and_no_other(tmp_path: Path) -> None:
    good = b'{"repo_full_name":"a/b","pull_number":1,"path":"p"}'
    bad = [b"{", b"[]", b"1", good[:-1], good + b"x", b'{"path":NaN}', b'{"path":"\xff"}', b'{"path":"\\ud800"}']
    body = b"\xef\xbb\xbf" + b"\r\n".join([good, *bad, b"", good])
    rows, unreadable = ndjson(tmp_path, body)
    assert [position for position, _ in rows] == [1, 11]
    assert unreadable == list(range(2, 10))


def test_ndjson_an_empty_file_is_an_empty_table_that_lacks_no_column(tmp_path: Path) -> None:
    assert ndjson(tmp_path, b"") == ([], [])
    with open_source(str(tmp_path / "x")) as source:
        assert source.missing_columns(FILES) == ()


def test_ndjson_a_member_that_no_line_names_is_missing(tmp_path: Path) -> None:
    ndjson(tmp_path, b'{"repo_full_name":"a"}\n{"pull_number":1}\n')
    with open_source(str(tmp_path / "x")) as source:
        assert source.missing_columns(FILES) == ("path",)


# --- Parquet ---------------------------------------------------------------------------------------------------


def parquet(tmp_path: Path, array: pa.Array) -> list[str | None]:
    folder = tmp_path / "x"
    folder.mkdir()
    pq.write_table(pa.table({"path": array}), folder / "pull_request_files.parquet")
    return [row[2] for _, row in read(folder)[0]]


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array(["a", None, ""]), ["a", None, ""]),
        (pa.array(["a", None]).dictionary_encode(), ["a", None]),
        (pa.array(["a"], pa.large_string()), ["a"]),
        (pa.array([b"a"]), ["a"]),
        (pa.array([1, None, -2], pa.int32()), ["1", None, "-2"]),
        (pa.array([0.1, 12.0, None, 1e16]), ["0.1", "12.0", None, "1e+16"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([None, None]), [None, None]),
        (pa.array([date(2026, 5, 1)]), ["2026-05-01"]),
        (pa.array([Decimal("1.50")]), ["1.50"]),
        (pa.array([datetime(2026, 5, 1, 12)], pa.timestamp("s")), ["2026-05-01T12:00:00.000Z"]),
        (pa.array([datetime(2026, 5, 1, 12)], pa.timestamp("us", "+02:00")), ["2026-05-01T12:00:00.000Z"]),
        (pa.array([datetime(2026, 5, 1, 12, 0, 0, 5)], pa.timestamp("us")), ["2026-05-01T12:00:00.000005Z"]),
    ],
)
def test_parquet_types_read_as_their_text(tmp_path: Path, array: pa.Array, texts: list[str | None]) -> None:
    assert parquet(tmp_path, array) == texts


def test_parquet_bytes_that_are_not_utf8_make_their_row_unreadable(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    pq.write_table(pa.table({"path": pa.array([b"a", b"\xff", b"c"])}), folder / "pull_request_files.parquet")
    rows, unreadable = read(folder)
    assert [(position, row[2]) for position, row in rows] == [(1, "a"), (3, "c")]
    assert unreadable == [2]


def test_parquet_a_nested_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the column path has the type"):
        parquet(tmp_path, pa.array([[1]]))


# --- the folder ------------------------------------------------------------------------------------------------


def _cut_gzip(folder: Path) -> None:
    packed = gzip.compress(HEADER + b"a,1,p\n" * 100_000)
    folder_of(folder, "pull_request_files.csv.gz", packed[: len(packed) // 2])


def _no_gzip(folder: Path) -> None:
    folder_of(folder, "pull_request_files.ndjson.gz", b'{"path":"p"}\n')


def _cut_parquet(folder: Path) -> None:
    folder.mkdir()
    pq.write_table(pa.table({"path": ["p"] * 1000}), folder / "whole")
    folder_of(folder, "pull_request_files.parquet", (folder / "whole").read_bytes()[:-20])


def _two_files(folder: Path) -> None:
    folder_of(folder, "pull_request_files.csv", HEADER)
    folder_of(folder, "pull_request_files.ndjson", b"")


def _other_files(folder: Path) -> None:
    folder_of(folder, "notes.csv", HEADER)


def _one_line_without_end(folder: Path) -> None:
    folder_of(folder, "pull_request_files.ndjson.gz", gzip.compress(b'{"path":"' + b"a" * (65 << 20), 1))


def _lines_without_end(folder: Path) -> None:
    """320 MB of lines in less than 1 MB."""
    folder_of(folder, "pull_request_files.ndjson.gz", _packed(b'{"path":"a"}' + b" " * 8000 + b"\n"))


def _records_without_end(folder: Path) -> None:
    folder_of(folder, "pull_request_files.csv.gz", _packed(b"a,1," + b"p" * 8000 + b"\n", HEADER))


def _packed(line: bytes, head: bytes = b"") -> bytes:
    # Members of a gzip file follow one another: one is packed, and then said often.
    member = gzip.compress(line * 1000, 9)
    return gzip.compress(head) + member * 40


def _rows_without_end(folder: Path) -> None:
    folder.mkdir()
    table = pa.table({"path": pa.nulls(1_000_000, pa.string())})
    with pq.ParquetWriter(folder / "pull_request_files.parquet", table.schema) as writer:
        for _ in range(11):
            writer.write_table(table, row_group_size=1_000_000)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (_one_line_without_end, "has a line of more than 64 MB"),
        (_lines_without_end, "unpacks to more than 300 times"),
        (_records_without_end, "unpacks to more than 300 times"),
        (_rows_without_end, "11,000,000 rows"),
        (_cut_gzip, "cut off"),
        (_no_gzip, "cut off or no gzip"),
        (_cut_parquet, "cut off or no Parquet"),
        (_two_files, "leave one file for each table"),
        (_other_files, "no file of a known table"),
    ],
)
def test_a_folder_that_cannot_be_read_whole_is_refused(tmp_path: Path, make: Callable[[Path], None], word: str) -> None:
    make(tmp_path / "x")
    with pytest.raises(SourceError, match=word) as caught:
        read(tmp_path / "x")
    assert str(tmp_path) not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_name_no_table_are_ignored(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "x", "pull_request_files.csv", HEADER)
    folder_of(folder, "README.md", b"\xff")
    (folder / "notes.csv").mkdir()
    with open_source(str(folder)) as source:
        assert source.tables() == ("pull_request_files",)
        assert source.label == "x"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no file or folder"):
        open_source(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("nowhere"), os.mkfifo])
def test_a_table_file_that_is_no_file_is_refused_and_not_taken_for_absent(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "orb_instances.csv").write_text("instance_id,registered\n")
    make(tmp_path / "audit_events.csv")
    with pytest.raises(SourceError, match=r"audit_events\.csv .* is no readable file"):
        open_source(str(tmp_path))
