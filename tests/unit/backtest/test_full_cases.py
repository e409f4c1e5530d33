"""Full cases: which override labels a firing over the whole history, and what a case keeps of it."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.backtests import history_cases
from support.rows import event, firing, override

from evenhand.backtest.cases import Case, javascript_text, metadata_texts, read_firing, shallow_text
from evenhand.canonical import canonical
from evenhand.lake.strict_json import object_members

KEY = "acme/widgets#1"


def shown(cases: list[Case]) -> list[tuple[str, str, str]]:
    return [(case.fired_at[:10], case.decided_at[:10], case.label) for case in cases]


def test_history_has_no_first_day_and_ends_before_as_of(tmp_path):
    cases = history_cases(
        tmp_path,
        firing("slop", KEY, "1999-01-01T00:00:00Z"),
        override("slop", KEY, "2026-06-09T23:59:59Z"),
        override("slop", KEY, "2026-06-10T00:00:00Z", "reversed"),
    )
    assert shown(cases["slop"]) == [("1999-01-01", "2026-06-09", "confirmed")]


def test_a_case_keeps_the_times_as_stored_and_the_firing_s_metadata_without_its_outcome(tmp_path):
    [case] = history_cases(
        tmp_path,
        firing("slop", "acme/widgets#1#c0ffee", "2026-05-01 10:00:00", outcome="blocker", confidence=0.5, gateMode="x"),
        override("slop", "acme/widgets#1#c0ffee", "2026-05-02T01:00:00+02:00", note="never in a case"),
    )["slop"]
    assert case.json() == {
        "ruleId": "slop",
        "targetKey": "acme/widgets#1#c0ffee",
        "outcome": "blocker",
        "label": "confirmed",
        "firedAt": "2026-05-01 10:00:00",
        "decidedAt": "2026-05-02T01:00:00+02:00",
        "metadata": {"confidence": 0.5, "gateMode": "x"},
    }


def test_nothing_left_of_the_metadata_is_no_metadata(tmp_path):
    cases = history_cases(
        tmp_path,
        firing("slop", KEY, "2026-05-01T00:00:00Z", outcome=5),
        {**firing("slop", KEY, "2026-05-02T00:00:00Z"), "metadata_json": '{"confidence": 0.5,}'},
        override("slop", KEY, "2026-05-03T00:00:00Z"),
    )["slop"]
    assert [(case.outcome, "metadata" in case.json()) for case in cases] == [("", False), ("", False)]


def test_unrecognized_and_copied_verdicts_label_nothing(tmp_path):
    assert (
        history_cases(
            tmp_path,
            firing("slop", KEY, "2026-05-01T00:00:00Z"),
            override("slop", KEY, "2026-05-02T00:00:00Z", "Confirmed"),
            override("slop", KEY, "2026-05-02T00:00:00Z", provenance="slop_replay_backfill_v1"),
        )
        == {}
    )


def test_since_keeps_firings_and_verdicts_that_are_both_at_or_after_it(tmp_path):
    events = [
        firing("slop", "a/b#1", "2026-05-01T00:00:00Z"),
        override("slop", "a/b#1", "2026-05-02T00:00:00Z"),
        firing("slop", "a/b#2", "2026-05-02T00:00:00Z"),
        override("slop", "a/b#2", "2026-05-01T00:00:00Z"),
        firing("slop", "a/b#3", "2026-05-02T00:00:00Z"),
        override("slop", "a/b#3", "2026-05-02T00:00:00Z"),
    ]
    assert [case.target_key for case in history_cases(tmp_path, *events, since="2026-05-02T00:00:00Z")["slop"]] == [
        "a/b#3"
    ]


def test_cases_come_in_the_order_of_their_firings_time_and_id(tmp_path):
    first, second = firing("slop", "a/b#2", "2026-05-01T00:00:00Z"), firing("slop", "a/b#1", "2026-05-01T00:00:00Z")
    late = firing("slop", "a/b#3", "2026-04-01 00:00:00")
    events = [override("slop", f"a/b#{number}", "2026-05-03T00:00:00Z") for number in (1, 2, 3)]
    cases = history_cases(tmp_path, second, first, late, *events)["slop"]
    assert [case.target_key for case in cases] == ["a/b#3", "a/b#2", "a/b#1"]


TIMES = st.integers(0, 6)
EVENTS = st.lists(
    st.tuples(st.sampled_from("fcr"), st.sampled_from(["x", "y"]), st.sampled_from(["a/b#1", "a/b#2", ""]), TIMES),
    max_size=24,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EVENTS)
def test_pairing_is_what_looking_at_every_pair_gives(drawn):
    rows = []
    for number, (kind, rule, key, second) in enumerate(drawn):
        at = f"2026-05-01T00:00:0{second}Z"
        make = (
            firing(rule, key, at) if kind == "f" else override(rule, key, at, {"c": "confirmed", "r": "reversed"}[kind])
        )
        rows.append({**make, "id": f"e{number * 7 % 31:02d}"})
    with tempfile.TemporaryDirectory() as folder:
        got = history_cases(Path(folder), *rows)
    assert {
        rule: [(c.target_key, c.fired_at, c.decided_at, c.label) for c in cases] for rule, cases in got.items()
    } == (every_pair(rows))


def every_pair(rows):
    """The rule of the contract, written as it is read: nearest strictly after, ties smallest id; else latest of all."""
    found = {}
    firings = sorted(
        (row for row in rows if "fired" in row["event_type"]), key=lambda row: (row["created_at"], row["id"])
    )
    for fired in firings:
        rule = fired["event_type"].split(":")[1]
        fitting = [
            (row["created_at"], row["id"], json.loads(row["metadata_json"])["verdict"])
            for row in rows
            if row["event_type"] == f"signal.human_override:{rule}" and row["target_key"] == fired["target_key"]
        ]
        after = [one for one in fitting if one[0] > fired["created_at"]]
        chosen = min(after) if after else max(fitting, default=None)
        if chosen:
            found.setdefault(rule, []).append((fired["target_key"], fired["created_at"], chosen[0], chosen[2]))
    return found


# --- metadata -------------------------------------------------------------------------------------------------


def test_of_duplicate_keys_the_first_counts_at_every_depth():
    told = read_firing('{"confidence": 0.1, "confidence": 0.2, "a": {"b": 1, "b": 2}}', 100)
    assert told.members == {"confidence": 0.1, "a": {"b": 1}}
    assert float(told.confidence) == 0.1


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("0.7315", "7315/10000"),
        ("0.30000000000000004", "30000000000000004/100000000000000000"),
        ("0.60000000000000000001", "60000000000000000001/100000000000000000000"),
        ("1e-7", "1/10000000"),
        ("12345678901234567890", "12345678901234567890"),
        ("-0.0", "0"),
    ],
)
def test_a_confidence_is_the_exact_decimal_that_is_written(text, exact):
    from fractions import Fraction

    assert read_firing(f'{{"confidence": {text}}}', 100).confidence == Fraction(exact)


@pytest.mark.parametrize("text", ["true", '"0.5"', "null", "[0.5]", "1e400"])
def test_what_is_no_finite_number_is_no_confidence(text):
    assert read_firing(f'{{"confidence": {text}}}', 100).confidence is None


def test_a_long_captured_context_is_read_like_a_short_one_and_not_kept_twice():
    long, short = (read_firing(f'{{"issueText": "{"x" * size}", "confidence": 0.5}}', 100) for size in (5000, 5))
    assert (long.members["issueText"], long.confidence) == ("x" * 5000, short.confidence)
    assert (long.texts, short.texts.canonical) == (None, '{"confidence":0.5,"issueText":"xxxxx"}')


def test_a_hundred_thousand_brackets_are_left_out_and_the_rest_stays():
    deep = "[" * 100_000 + "]" * 100_000
    told = read_firing(f'{{"deep": {deep}, "confidence": 0.5, "outcome": "x"}}', 100)
    assert (told.members, told.outcome) == ({"confidence": 0.5}, "x")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.sampled_from(["0", "7", "10", "07"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text("abZ019é😀_", max_size=3), JSON, max_size=5), st.booleans())
def test_the_quick_reading_and_the_strict_one_give_the_same_texts(members, is_ascii):
    text = json.dumps(members, ensure_ascii=is_ascii)
    told = read_firing(text, 100)
    rest = {key: value for key, value in json.loads(text).items() if key != "outcome"}
    if rest:
        texts = metadata_texts(told.members)
        assert texts == (canonical(rest).decode(), javascript_text(told.members))
        assert told.texts in (texts, None)
    assert object_members(text) is not None


def test_javascript_puts_integer_like_keys_first_ascending_and_keeps_the_others():
    assert javascript_text({"b": 1, "10": 2, "2": {"z": 0, "1": []}, "a": 3, "01": 4, "4294967295": 5}) == (
        '{"2":{"1":[],"z":0},"10":2,"b":1,"a":3,"01":4,"4294967295":5}'
    )


def test_the_shallow_rule_sorts_the_case_alone():
    assert shallow_text({"ruleId": "r", "metadata": {"b": 1, "a": 2}, "label": "x"}) == (
        '{"label":"x","metadata":{"b":1,"a":2},"ruleId":"r"}'
    )


def test_events_that_are_no_signals_are_none(tmp_path):
    assert history_cases(tmp_path, event("signal.rule_firedx:slop", KEY, "2026-05-01T00:00:00Z")) == {}
