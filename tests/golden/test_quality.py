"""What the hand-made cases say of data quality: rows set aside and malformed texts, counted by table and reason."""

from collections.abc import Callable

from support.pipeline import Published


def test_a_time_that_does_not_parse_is_counted_by_table_and_reason(published: Callable[[str], Published]) -> None:
    quality = published("open-hand-06").operator["quality"]
    assert quality["quarantined"] == {"audit_events": {"unparseable_created_at": 1}}


def test_malformed_metadata_and_payloads_are_counted_apart(published: Callable[[str], Published]) -> None:
    quality = published("open-hand-08").operator["quality"]
    assert quality["malformed"] == {"audit_events": 4, "orb_risk_control_arms": 1}
