"""How each declared column is made from the export's text (contract section 1)."""

import datetime

import pyarrow as pa
import pytest

from evenhand.lake.parse import ParsedBatch, parse_batch, parse_integers, schema_of
from evenhand.lake.tables import TABLES
from evenhand.sources.base import RawBatch
from evenhand.timeline import parse_instant

MAY = "2026-05-01T00:00:00.000Z"


def parse(table: str, *rows: dict[str, str | None]) -> ParsedBatch:
    """Rows of raw text; a column that a row leaves out is NULL."""
    declared = TABLES[table]
    columns = [pa.array([row.get(name) for row in rows], pa.string()) for name in declared.source_columns]
    return parse_batch(declared, RawBatch(columns, len(rows), lambda: list(range(1, len(rows) + 1))))


def event(**values: str | None) -> dict[str, str | None]:
    return {"id": "e", "event_type": "pr_outcome", "metadata_json": "{}", "created_at": MAY, **values}


def values(parsed: ParsedBatch, column: str) -> list[object]:
    return parsed.rows.column(column).to_pylist()


@pytest.mark.parametrize("table", TABLES)
def test_every_table_parses_into_its_declared_schema(table: str) -> None:
    assert parse(table).rows.schema == schema_of(TABLES[table])
    assert parse(table, {}).rows.schema == schema_of(TABLES[table])


@pytest.mark.parametrize(
    ("event_type", "family", "rule"),
    [
        ("signal.rule_fired:secret_leak", "signal.rule_fired", "secret_leak"),
        ("signal.human_override:cred:Password", "signal.human_override", "cred:Password"),
        ("Signal.rule_fired:secret_leak", "Signal.rule_fired:secret_leak", None),
        ("signal.rule_fired", "signal.rule_fired", None),
        ("signal.other:x", "signal.other:x", None),
        ("agent.action.close", "agent.action.close", None),
    ],
)
def test_a_signal_type_is_a_family_and_a_rule(event_type: str, family: str, rule: str | None) -> None:
    parsed = parse("audit_events", event(event_type=event_type))
    assert (values(parsed, "family"), values(parsed, "rule_id")) == ([family], [rule])


def test_an_empty_rule_id_is_quarantined() -> None:
    parsed = parse("audit_events", event(), event(event_type="signal.rule_fired:"), event())
    assert parsed.rows.num_rows == 2
    assert parsed.quarantined == {"empty_rule_id": [2]}


@pytest.mark.parametrize(
    ("key", "repo", "pull_request"),
    [
        ("Acme/Widgets#7", "acme/widgets", "acme/widgets#7"),
        ("a/b#007", "a/b", "a/b#7"),
        ("a/b#000", "a/b", "a/b#0"),
        ("É/b#1", "É/b", "É/b#1"),
        ("a\nb#1", "a\nb", "a\nb#1"),
        ("a/b#7#c0ffee", None, None),
        ("#7", None, None),
        ("a/b#", None, None),
        ("a/b#7x", None, None),
        ("a/b#7\n", None, None),
        ("a/b#-7", None, None),
        ("a/b#٧", None, None),
        ("a/b", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_target_key_names_a_pull_request(key: str | None, repo: str | None, pull_request: str | None) -> None:
    parsed = parse("audit_events", event(target_key=key))
    assert values(parsed, "target_key") == [key]
    assert (values(parsed, "repo"), values(parsed, "pull_request")) == ([repo], [pull_request])


@pytest.mark.parametrize("created_at", [None, "", "not-a-date", "2026-02-30"])
def test_an_event_without_a_time_is_set_aside(created_at: str | None) -> None:
    parsed = parse("audit_events", event(created_at=created_at), event(id="good"))
    assert values(parsed, "id") == ["good"]
    assert parsed.quarantined == {"unparseable_created_at": [1]}


def test_days_and_weeks_are_utc() -> None:
    parsed = parse("audit_events", event(created_at="2026-05-04T01:00:00+02:00"), event(created_at="1969-12-28"))
    assert values(parsed, "day") == [datetime.date(2026, 5, 3), datetime.date(1969, 12, 28)]
    assert values(parsed, "week") == [datetime.date(2026, 4, 27), datetime.date(1969, 12, 22)]


def test_the_stored_time_is_kept_for_backtest_runs_alone() -> None:
    stored = "2026-05-01 00:00:00"
    run = event(event_type="calibration.logic_backtest_run", created_at=stored)
    assert values(parse("audit_events", run, event(created_at=stored)), "stored_at") == [stored, None]


def test_malformed_metadata_is_counted_over_all_and_over_listed_types() -> None:
    parsed = parse(
        "audit_events",
        event(metadata_json="{bad"),
        event(metadata_json=None, event_type="agent.action.label"),
        event(metadata_json="[]", event_type="something.else"),
        event(metadata_json='{"verdict":"confirmed"}'),
    )
    assert values(parsed, "metadata_malformed") == [True, True, True, False]
    assert values(parsed, "verdict") == [None, None, None, "confirmed"]
    assert (parsed.malformed, parsed.malformed_listed) == (3, 2)


def test_metadata_values_have_their_kinds() -> None:
    text = (
        '{"verdict":"confirmed","basis":1,"provenance":"p","outcome":"o","confidence":0.7315,"mode":"dry_run",'
        '"reviewEffortMinutes":10.50,"corpusChecksum":"c","comparison":{"ruleId":"r","verdict":"regressed"}}'
    )
    row = parse("audit_events", event(metadata_json=text)).rows.to_pylist()[0]
    assert (row["verdict"], row["basis"], row["provenance"]) == ("confirmed", None, "p")
    assert (row["signal_outcome"], row["confidence"], row["mode"]) == ("o", 0.7315, "dry_run")
    assert (row["review_effort_minutes"], row["corpus_checksum"]) == ("10.50", "c")
    assert (row["comparison_rule"], row["comparison_verdict"]) == ("r", "regressed")


@pytest.mark.parametrize(
    ("number", "double"),
    [("1e400", None), ("-1E400", None), ("1e-400", 0.0), ("-0", 0.0), ("12345678901234567890", 1.2345678901234567e19)],
)
def test_a_confidence_beyond_every_double_is_none(number: str, double: float | None) -> None:
    parsed = parse("audit_events", event(metadata_json='{"confidence":' + number + "}"))
    assert values(parsed, "confidence") == [double]
    assert str(values(parsed, "confidence")[0]) != "-0.0"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("-3", -3),
        ("12.0", 12),
        ("007", 7),
        ("-0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("00000000000000000000012", 12),
        ("9223372036854775808", None),
        ("1" * 5000, None),
        ("+12", None),
        ("1e3", None),
        ("12.5", None),
        ("12.", None),
        (" 12", None),
        ("12\n", None),
        ("", None),
        ("١", None),
        (None, None),
    ],
)
def test_an_integer_is_digits_or_a_real_without_a_fraction(text: str | None, number: int | None) -> None:
    numbers, known = parse_integers(pa.array(["5", text], pa.string()))
    assert [int(n) if k else None for n, k in zip(numbers, known, strict=True)] == [5, number]


def test_a_pull_request_without_a_number_is_set_aside() -> None:
    parsed = parse(
        "pull_requests",
        {"repo_full_name": "A/b", "number": "12.0"},
        {"repo_full_name": "A/b", "number": "x"},
        {"repo_full_name": "A/b", "number": None},
        {"repo_full_name": "A/b", "number": "-1"},
    )
    assert values(parsed, "pull_request") == ["a/b#12"]
    assert values(parsed, "repo_full_name") == ["A/b"]
    assert parsed.quarantined == {"unparseable_number": [2, 3, 4]}


def test_a_pull_request_stays_when_its_times_do_not_parse() -> None:
    pull = {"repo_full_name": "a/b", "number": "1"}
    parsed = parse(
        "pull_requests",
        {**pull, "merged_at": "soon", "updated_at": MAY, "created_at": MAY},
        {**pull, "merged_at": None, "updated_at": "later", "created_at": "?"},
    )
    assert values(parsed, "merged") == [True, False]
    assert values(parsed, "merged_us") == [None, None]
    assert values(parsed, "merged_week") == [None, None]
    assert values(parsed, "updated_us") == [parse_instant(MAY), None]
    assert parsed.quarantined == {
        "unparseable_merged_at": [1],
        "unparseable_updated_at": [2],
        "unparseable_created_at": [2],
    }


def test_a_decision_record_needs_its_number_and_its_time() -> None:
    record = {"repo_full_name": "a/b", "pull_number": "1", "created_at": MAY, "findings_count": "many"}
    parsed = parse("decision_records", record, {**record, "pull_number": "?"}, {**record, "created_at": None})
    assert values(parsed, "findings_count") == [None]
    assert parsed.quarantined == {
        "unparseable_pull_number": [2],
        "unparseable_created_at": [3],
        "unparseable_findings_count": [1, 2, 3],
    }


def test_a_ledger_row_needs_its_sequence_alone() -> None:
    row = {"seq": "1", "created_at": "?"}
    parsed = parse("decision_ledger", row, {**row, "seq": None})
    assert values(parsed, "created_at") == ["?"]
    assert values(parsed, "ts_us") == [None]
    assert parsed.quarantined == {"unparseable_seq": [2], "unparseable_created_at": [1, 2]}


def test_the_trend_day_is_the_decision_else_the_arrival_and_none_when_it_does_not_parse() -> None:
    row = {"instance_id": "i", "received_at": "2026-05-06"}
    parsed = parse(
        "orb_signals",
        row,
        {**row, "decision_timestamp": "2026-04-30"},
        {**row, "decision_timestamp": ""},
    )
    assert values(parsed, "decided_given") == [False, True, True]
    assert values(parsed, "trend_day") == [datetime.date(2026, 5, 6), datetime.date(2026, 4, 30), None]
    assert values(parsed, "trend_week") == [datetime.date(2026, 5, 4), datetime.date(2026, 4, 27), None]
    assert parsed.quarantined == {"unparseable_decision_timestamp": [3]}


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("1", True),
        ("TRUE", True),
        ("t", True),
        ("2", True),
        ("-1", True),
        ("1.0", True),
        ("0", False),
        ("F", False),
        ("false", False),
        (None, False),
        ("0.0", False),
    ],
)
def test_a_flag_is_a_truth_value_or_an_integer(text: str | None, flag: bool) -> None:
    parsed = parse("orb_instances", {"instance_id": "i", "registered": text})
    assert values(parsed, "registered") == [flag]


@pytest.mark.parametrize("text", ["", "yes", "0.5", " 1"])
def test_what_is_no_flag_is_set_aside(text: str) -> None:
    parsed = parse("orb_instances", {"instance_id": "i", "registered": text})
    assert parsed.rows.num_rows == 0
    assert parsed.quarantined == {"unparseable_registered": [1]}


def test_a_rollup_without_a_day_or_a_count_is_set_aside() -> None:
    row = {"instance_id": "i", "day": "2026-05-06", "n": "3"}
    parsed = parse("orb_signal_rollups", row, {**row, "day": "?"}, {**row, "n": None})
    assert values(parsed, "week") == [datetime.date(2026, 5, 4)]
    assert parsed.quarantined == {"unparseable_day": [2], "unparseable_n": [3]}


def test_a_sum_of_outcomes_that_is_null_stays_null_and_no_number_is_set_aside() -> None:
    row = {"account_login": "a", "merged": "1", "closed": "2", "total": None}
    parsed = parse("orb_outcome_rollups", row, {**row, "merged": "x"})
    assert parsed.rows.to_pylist() == [{"account_login": "a", "merged": 1, "closed": 2, "total": None}]
    assert parsed.quarantined == {"unparseable_merged": [2]}


def test_an_outcome_keeps_its_row_when_its_installation_does_not_parse() -> None:
    row = {"repository_full_name": "A/b", "pr_number": "1", "installation_id": "x", "occurred_at": MAY}
    parsed = parse("orb_pr_outcomes", row, {**row, "occurred_at": None})
    assert values(parsed, "installation_id") == [None]
    assert values(parsed, "pull_request") == ["a/b#1"]
    assert parsed.quarantined == {"unparseable_installation_id": [1, 2], "unparseable_occurred_at": [2]}


def test_an_arm_stays_when_its_time_does_not_parse() -> None:
    parsed = parse("orb_risk_control_arms", {"instance_id": "i", "arm": "close", "updated_at": "?"})
    assert values(parsed, "updated_us") == [None]
    assert parsed.quarantined == {"unparseable_updated_at": [1]}


def test_many_rows_set_aside_leave_the_right_ones() -> None:
    rows = [event(id=str(number), created_at=MAY if number % 3 else "?") for number in range(200)]
    parsed = parse("audit_events", *rows)
    assert values(parsed, "id") == [str(number) for number in range(200) if number % 3]
