"""Corpora: which override labels which firing, and the text that its checksum is taken over."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ecmascript import canonical_text
from support.exports import every_table, write_sqlite
from support.pipeline import Published, publish
from support.rows import firing, override

from evenhand.canonical import canonical, sha256_hex
from evenhand.corpus.corpora import case_text, file_stem
from evenhand.policy import policy_from

AS_OF = "2026-06-10T00:00:00Z"
KEY = "acme/widgets#1"


def published(tmp_path: Path, *events, json_cases: int = 2000) -> Published:
    export = write_sqlite(tmp_path / "export.sqlite", every_table({"audit_events": events}))
    return publish(export, AS_OF, policy=policy_from({"corpus": {"json_cases": json_cases}}))


def labels(tmp_path: Path, *events) -> list[tuple[str, str, str]]:
    cases = published(tmp_path, *events).corpora["slop"]["cases"]
    return [(case["firedAt"][:10], case["decidedAt"][:10], case["label"]) for case in cases]


def test_a_firing_takes_the_nearest_override_strictly_after_it(tmp_path):
    assert labels(
        tmp_path,
        override("slop", KEY, "2026-05-01T00:00:00Z"),
        firing("slop", KEY, "2026-05-02T00:00:00Z"),
        override("slop", KEY, "2026-05-02T00:00:00Z"),
        override("slop", KEY, "2026-05-03T00:00:00Z", "reversed"),
        override("slop", KEY, "2026-05-04T00:00:00Z"),
    ) == [("2026-05-02", "2026-05-03", "reversed")]


def test_without_one_after_it_takes_the_latest_of_all(tmp_path):
    assert labels(
        tmp_path,
        override("slop", KEY, "2026-05-01T00:00:00Z"),
        override("slop", KEY, "2026-05-02T00:00:00Z", "reversed"),
        firing("slop", KEY, "2026-05-02T00:00:00Z"),
        firing("slop", KEY, "2026-05-09T00:00:00Z"),
    ) == [("2026-05-02", "2026-05-02", "reversed"), ("2026-05-09", "2026-05-02", "reversed")]


def test_of_overrides_at_one_time_the_smallest_id_counts_after_and_the_greatest_before(tmp_path):
    first, second = (
        override("slop", KEY, "2026-05-02T00:00:00Z"),
        override("slop", KEY, "2026-05-02T00:00:00Z", "reversed"),
    )
    assert first["id"] < second["id"]
    early, late = firing("slop", KEY, "2026-05-01T00:00:00Z"), firing("slop", KEY, "2026-05-03T00:00:00Z")
    assert labels(tmp_path, second, late, first, early) == [
        ("2026-05-01", "2026-05-02", "confirmed"),
        ("2026-05-03", "2026-05-02", "reversed"),
    ]


def test_times_are_compared_as_instants_whatever_their_form(tmp_path):
    assert labels(
        tmp_path,
        firing("slop", KEY, "2026-05-02T01:30:00+02:00"),  # 1 May, 23:30 UTC
        override("slop", KEY, "2026-05-01 23:29:59", "reversed"),
        override("slop", KEY, "2026-05-02"),
    ) == [("2026-05-01", "2026-05-02", "confirmed")]


def test_the_whole_target_text_is_the_identity_and_no_target_is_one_of_its_own(tmp_path):
    assert labels(
        tmp_path,
        firing("slop", "acme/widgets#1", "2026-05-01T00:00:00Z"),
        override("slop", "Acme/widgets#1", "2026-05-02T00:00:00Z"),
        override("slop", "acme/widgets#01", "2026-05-02T00:00:00Z"),
        firing("slop", None, "2026-05-03T00:00:00Z"),
        override("slop", "", "2026-05-04T00:00:00Z", "reversed"),
    ) == [("2026-05-03", "2026-05-04", "reversed")]


def test_another_rule_labels_nothing_however_alike_its_name(tmp_path):
    corpora = published(
        tmp_path,
        firing("slop", KEY, "2026-05-01T00:00:00Z"),
        override("slop:x", KEY, "2026-05-02T00:00:00Z"),
        override("Slop", KEY, "2026-05-02T00:00:00Z"),
    ).corpora
    assert {rule: corpus["caseCount"] for rule, corpus in corpora.items()} == {"Slop": 0, "slop:x": 0}


def test_a_rule_of_excluded_overrides_alone_has_an_empty_corpus_and_no_record(tmp_path):
    result = published(
        tmp_path,
        firing("slop", KEY, "2026-05-01T00:00:00Z"),
        override("slop", KEY, "2026-05-02T00:00:00Z", provenance="slop_replay_backfill_v1"),
    )
    assert result.corpora["slop"]["caseCount"] == 0
    assert result.records == []
    assert result.stats["rulePrecision"]["rules"] == []


def test_the_json_is_the_first_cases_in_order_and_says_when_there_are_more(tmp_path):
    events = [override("slop", KEY, "2026-06-01T00:00:00Z")]
    events += [firing("slop", KEY, f"2026-05-{day:02d}T12:00:00Z") for day in (4, 2, 3, 1)]
    whole = published(tmp_path, *events, json_cases=4)
    assert not whole.corpora["slop"]["truncated"]
    assert len(whole.records) == 1
    (tmp_path / "export.sqlite").unlink()
    cut = published(tmp_path, *events, json_cases=3)
    assert cut.corpora["slop"]["truncated"]
    assert [case["firedAt"][:10] for case in cut.corpora["slop"]["cases"]] == ["2026-05-01", "2026-05-02", "2026-05-03"]
    assert cut.records == []
    assert cut.computed.cases.num_rows == 4


def test_cases_of_one_day_are_ordered_by_outcome_label_and_confidence_absent_first(tmp_path):
    keys = [f"acme/widgets#{number}" for number in range(6)]
    events = [override("slop", key, "2026-05-02T00:00:00Z") for key in keys]
    told = [{"confidence": 0.5}, {"confidence": 0.25}, {}, {"outcome": "é"}, {"outcome": "b"}, {"outcome": "B"}]
    events += [firing("slop", key, "2026-05-01T00:00:00Z", **more) for key, more in zip(keys, told, strict=True)]
    cases = published(tmp_path, *events).corpora["slop"]["cases"]
    assert [(case["outcome"], case.get("metadata")) for case in cases] == [
        ("", None),
        ("", {"confidence": 0.25}),
        ("", {"confidence": 0.5}),
        ("B", None),
        ("b", None),
        ("é", None),
    ]


def test_the_checksum_is_of_the_canonical_json_of_the_cases_as_anyone_parses_them(tmp_path):
    confidences = [0.1, 1.0, 1e-7, 1e21, 5e-324, 12345678901234567890, "0.5", None]
    outcomes = ['"\\', "\u2028", "😀", "\x01", "é", "", 7, None]
    events = [override("slop", KEY, "2026-06-01T00:00:00Z")]
    events += [
        firing("slop", KEY, f"2026-05-{day + 1:02d}T00:00:00Z", confidence=confidence, outcome=outcome)
        for day, (confidence, outcome) in enumerate(zip(confidences, outcomes, strict=True))
    ]
    corpus = published(tmp_path, *events).corpora["slop"]
    assert corpus["caseCount"] == 8
    assert corpus["checksum"] == sha256_hex(canonical_text(corpus["cases"]).encode())


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(
    TEXTS,
    st.dates(),
    st.dates(),
    TEXTS,
    st.sampled_from(("confirmed", "reversed")),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_the_quick_text_of_a_case_is_its_canonical_json(rule, fired, decided, outcome, label, confidence):
    case = {
        "ruleId": rule,
        "outcome": outcome,
        "label": label,
        "firedAt": f"{fired.isoformat()}T00:00:00.000Z",
        "decidedAt": f"{decided.isoformat()}T00:00:00.000Z",
    }
    if confidence is not None:
        case["metadata"] = {"confidence": confidence}
    text = case_text(rule, fired, decided, outcome, label, confidence)
    assert text.encode() == canonical(case)
    assert text == canonical_text(case)


@pytest.mark.parametrize("text", ["\x00\x1f", '"\\/', "\u2028\u2029", "😀\ue000", "\t\n"])
def test_hard_texts_in_a_case_are_canonical_too(text):
    day = date(2026, 5, 1)
    assert json.loads(case_text(text, day, day, text, "confirmed", None))["outcome"] == text


@pytest.mark.parametrize("harmless", ["slop", "ai_consensus_defect", "a-1"])
def test_a_harmless_rule_names_its_own_file(harmless):
    assert file_stem(harmless) == harmless


@pytest.mark.parametrize(
    "hostile",
    ["../x", "a/b", "A", "Slop", "", ".", "con", "nul", "index", "rule-00", "é", "a" * 81, "a:b", "a\x00b", "-x"],
)
def test_any_other_rule_gets_a_digest_for_a_file_name(hostile):
    assert file_stem(hostile).startswith("rule-")
    assert len(file_stem(hostile)) == 21


def test_rules_that_differ_have_files_that_differ_also_where_case_does_not_count():
    rules = ["slop", "Slop", "SLOP", "slop ", "slöp"]
    assert len({file_stem(rule).lower() for rule in rules}) == len(rules)
