"""Section 1: what is a record, what is a bad one, and that neither stops or shrinks a run."""

import json

import pytest
from support.reviews import (
    CITED,
    RAN,
    SEATS,
    document,
    finding,
    patch,
    review,
    seat_record,
    suite,
    text_of,
    without,
)

from evenhand.errors import SourceError
from evenhand.evidence.reading import read_reviews


def problem(record, **options):
    """Why a record is bad; None when it is read."""
    found = document(record, **options)
    assert len(found["reviews"]) + len(found["bad_records"]) == 1
    return found["bad_records"][0]["reason"] if found["bad_records"] else None


def changed(**changes):
    return problem(review(finding(**changes)))


NULLABLE = ("started_at", "finished_at", "settled_cost_usd", "fix_pr", "tests_at_head")
NULLABLE_OF_A_FINDING = (
    "stated_confidence",
    "impact",
    "reach",
    "patch",
    "reproduction",
    "suite",
    "contradiction",
    "promise",
)


@pytest.mark.parametrize("field", review())
def test_a_field_that_is_missing_makes_a_bad_record_unless_it_may_be_null(field):
    said = problem(without(review(), field))
    assert said == (None if field in NULLABLE else f"{field} is missing")


@pytest.mark.parametrize("field", finding())
def test_a_field_that_is_missing_in_a_finding_makes_the_review_bad(field):
    said = problem(review(finding("A"), without(finding("B"), field)))
    may_be_missing = field in (*NULLABLE_OF_A_FINDING, "symbols", "claims_speed")
    assert said == (None if may_be_missing else f"findings[1].{field} is missing")


@pytest.mark.parametrize("field", [*NULLABLE])
def test_null_is_read_where_it_may_stand(field):
    assert problem(review(**{field: None})) is None


@pytest.mark.parametrize("field", [*NULLABLE_OF_A_FINDING, "symbols"])
def test_null_is_read_where_it_may_stand_in_a_finding(field):
    assert changed(**{field: None}) is None


@pytest.mark.parametrize("field", sorted({*review()} - {*NULLABLE}))
def test_null_is_bad_elsewhere(field):
    assert field in problem(review(**{field: None}))


@pytest.mark.parametrize("field", sorted({*finding()} - {*NULLABLE_OF_A_FINDING, "symbols"}))
def test_null_is_bad_elsewhere_in_a_finding(field):
    assert problem(review(finding() | {field: None})).startswith(f"findings[0].{field}")


@pytest.mark.parametrize(
    "changes",
    [
        {"review_id": 7},
        {"pull_number": "7"},
        {"pull_number": True},
        {"pull_number": 7.0},
        {"head_is_fork": 0},
        {"source_state": "OPEN"},
        {"pass": "second"},
        {"status": "done"},
        {"tests_at_head": "yellow"},
        {"fix_pr": {}},
        {"fix_pr": {"state": "draft"}},
        {"fix_pr": "open"},
        {"settled_cost_usd": "0.5"},
        {"settled_cost_usd": True},
        {"seats": {}},
        {"seats": [SEATS[0] | {"rank": "1"}]},
        {"seats": [without(SEATS[0], "lab")]},
        {"lenses_cut": ["a", 1]},
        {"dead_code": [{"file": "a", "symbol": "s", "start_line": 1}]},
        {"findings": [1]},
        {"files_at_head": []},
        {"files_at_head": {"a": {"start_line": 1, "lines": "x"}}},
        {"files_at_head": {"a": {"lines": []}}},
        {"files_at_head": {"a": None}},
        {"started_at": "2026-03-01T10:00:00"},
        {"started_at": "2026-03-01"},
        {"started_at": "2026-02-30T10:00:00Z"},
        {"started_at": "yesterday"},
        {"started_at": 1772359200},
        {"finished_at": "2026-03-01 10:00:00"},
    ],
)
def test_a_wrong_type_word_or_instant_makes_a_bad_record(changes):
    assert problem(review(**changes)) is not None


@pytest.mark.parametrize(
    "text", ["2026-03-01T10:00:00Z", "2026-03-01T10:00Z", "2026-03-01T10:00:00.5-06:30", "2026-03-01 10:00:00+02"]
)
def test_instants_with_an_offset_are_read(text):
    assert problem(review(started_at=text)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": "style"},
        {"impact": "severe"},
        {"impact": ""},
        {"files": "a.py"},
        {"symbols": "a"},
        {"symbols": [None]},
        {"stated_confidence": 1.01},
        {"stated_confidence": -0.01},
        {"stated_confidence": 2},
        {"stated_confidence": "0.5"},
        {"stated_confidence": True},
        {"claims_speed": None},
        {"claims_speed": "yes"},
        {"edge_input_only": 1},
        {"patch": {}},
        {"patch": patch() | {"start_line": 1.5}},
        {"patch": without(patch(), "replacement")},
        {"reproduction": RAN | {"status": "no_test_command"}},
        {"reproduction": without(RAN, "referent_gone")},
        {"suite": suite(status="broken")},
        {"suite": suite("yellow")},
        {"contradiction": without(CITED, "quote")},
        {"promise": CITED | {"line": "11"}},
        {"contested_by": None},
    ],
)
def test_one_bad_finding_makes_the_whole_line_bad(changes):
    copies = finding("A"), finding("B", **changes)
    assert problem(review(*copies)).startswith("findings[1].")


@pytest.mark.parametrize("number", [0, 1, 0.0, 1.0, "1e-400", "0.1E+1"])
def test_a_confidence_of_nought_to_one_is_read_however_it_is_written(number):
    line = text_of([review(finding(stated_confidence=0.123))]).replace("0.123", str(number))
    assert problem(line.strip()) is None


@pytest.mark.parametrize(
    "number", ["1.00000000000000000001", "-1e-9", "1e999", "NaN", "Infinity", "-Infinity", "01", ".5"]
)
def test_what_is_no_number_or_outside_is_bad(number):
    line = text_of([review(finding(stated_confidence=0.123))]).replace("0.123", number)
    assert problem(line.strip()) is not None


@pytest.mark.parametrize("amount", ["1e999", "1" + "0" * 400, "-1e309"])
def test_an_amount_beyond_every_amount_is_bad_and_a_small_one_is_none(amount):
    line = text_of([review(settled_cost_usd=0.123)]).strip()
    assert problem(line.replace("0.123", amount)) == "settled_cost_usd is beyond every amount"
    assert document(line.replace("0.123", "1e-999999999"))["reviews"][0]["cost"] == "$0.00"


def test_an_instant_of_very_many_digits_is_read():
    [found] = document(review(finished_at=f"2026-03-01T10:00:01.{'9' * 9000}Z"))["reviews"]
    assert found["elapsed"] == "0m 1s"


def test_unknown_fields_are_ignored():
    assert problem(review(finding(more={"deep": [1, None]}), unknown=1e300)) is None


def test_suites_may_lack_their_colours():
    assert changed(suite={"status": "ran"}) is None


def test_a_duplicate_finding_id_is_bad_and_a_duplicate_review_id_too():
    assert "finding_id 'A' twice" in problem(review(finding("A"), finding("A")))
    found = document(review(review_id="x"), review(review_id="x", status="failed"))
    assert [entry["headline"] for entry in found["reviews"]] == ["0 findings"]
    [bad] = found["bad_records"]
    assert (bad["file"], bad["line"]) == ("reviews.ndjson", 2)
    assert "'x' was already read" in bad["reason"]


def test_the_id_of_a_bad_record_is_free():
    found = document(review(review_id="x", status="?"), review(review_id="x"))
    assert len(found["reviews"]) == 1


def lines(*parts, name="reviews.ndjson"):
    found = document(data=b"".join(parts), name=name)
    return len(found["reviews"]), [(bad["line"], bad["reason"]) for bad in found["bad_records"]]


def encoded(**changes):
    return json.dumps(review(**changes)).encode()


def test_blank_lines_are_skipped_but_counted():
    assert lines(encoded(), b"\n\n \t\r\n\xe3\x80\x80\n\x0b\n", b"x\n") == (
        1,
        [(6, "is not JSON: Expecting value at character 1")],
    )


def test_a_byte_order_mark_is_dropped_once():
    assert lines(b"\xef\xbb\xbf", encoded(), b"\r\n", encoded()) == (2, [])
    assert lines(b"\xef\xbb\xbf\n", encoded())[0] == 1
    assert lines(encoded(), b"\n\xef\xbb\xbf", encoded())[1][0][0] == 2


def test_lines_end_at_lf_alone():
    line = json.dumps(review(account="a\u2028b\u0085c"), ensure_ascii=False).encode()
    assert lines(line, b"\n", line.replace(b"rv-", b"other-")) == (2, [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not JSON"),
        (b"[1]", "the record must be an object, not a list"),
        (b"17", "must be an object, not a number"),
        (b"1.5", "must be an object, not a decimal number"),
        (b"null", "must be an object, not null"),
        (b'"x"', "must be an object, not a text"),
        (b"\xff", "is not UTF-8 at byte 1"),
        (b'{"a":NaN}', "NaN is no number"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"{} {}", "is not JSON"),
        (b'{"a":"\t"}', "is not JSON"),
    ],
)
def test_what_is_no_record_is_named(line, reason):
    read, [(number, said)] = lines(encoded(), b"\n", line, b"\n", encoded())
    assert (read, number) == (2, 2)
    assert reason in said


def test_a_json_array_holds_the_same_records():
    data = b"\xef\xbb\xbf [\n" + encoded() + b",\n\n 7,\n" + encoded() + b"\n]\n"
    assert lines(data, name="reviews.json") == (2, [(4, "the record must be an object, not a number")])
    assert lines(b"[]", name="reviews.json") == (0, [])


@pytest.mark.parametrize(
    ("data", "bad"),
    [
        (b"", [(1, "is not a JSON array")]),
        (b"{}", [(1, "is not a JSON array")]),
        (b"[\n{},\n{]", [(2, None), (3, None)]),
        (b"[{}", [(1, None), (1, "does not end as a JSON array")]),
        (b"[{}] x", [(1, None), (1, "does not end as a JSON array")]),
        (b"[{},]", [(1, None), (1, None)]),
        (b"[\n\xff]", [(2, "is not UTF-8")]),
    ],
)
def test_an_array_that_breaks_off_keeps_what_came_before(data, bad):
    found = lines(data, name="reviews.json")[1]
    assert [line for line, _ in found] == [line for line, _ in bad]
    assert all(said is None or said == reason for (_, reason), (_, said) in zip(found, bad, strict=True))


def test_an_unpaired_surrogate_is_read_and_printed_as_an_escape():
    line = text_of([review(finding("F1"))]).replace('"F1"', '"\\ud800"').strip()
    [found] = document(line)["reviews"]
    assert found["compact_list"] == ["\ud800"]


@pytest.mark.parametrize(
    "record",
    [
        seat_record(proven=-1),
        seat_record(proven=None),
        seat_record(proven=1.5),
        seat_record(proven=True),
        without(seat_record(), "closed"),
        without(seat_record(), "lens"),
        "[1]",
        "{",
    ],
)
def test_a_bad_seat_record_is_named_and_counts_for_nothing(record):
    found = document(seats=[seat_record(proven=1), record, seat_record(proven=1)])
    assert [entry["decided"] for entry in found["seat_scores"]] == [2]
    assert [(bad["file"], bad["line"]) for bad in found["bad_records"]] == [("seats.ndjson", 2)]


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(SourceError, match=r"'none.ndjson' cannot be read: No such file"):
        list(read_reviews(tmp_path / "none.ndjson", []))
