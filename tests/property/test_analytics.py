"""Figures over many reviews, whatever the reviews: order of records does not matter, and parts add up to wholes."""

from dataclasses import fields
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from property.test_evidence import copies
from support.analytics import figures, reviewed_of
from support.reviews import Json, review, seat_record

from evenhand.figures import Scale
from evenhand.policy import Reviews, policy_from

reviews = st.lists(
    st.tuples(
        copies,
        st.fixed_dictionaries(
            {
                "pass": st.sampled_from(["first", "deep"]),
                "status": st.sampled_from(["complete", "complete", "partial", "failed"]),
                "shards_reviewed": st.sampled_from([0, 3]),
                "finished_at": st.sampled_from(["2026-03-01T10:04:05Z", "2025-03-01T10:04:05Z", None]),
                "pull_number": st.integers(1, 2),
                "fix_pr": st.sampled_from([None, {"state": "merged"}, {"state": "closed"}, {"state": "open"}]),
            }
        ),
    ),
    max_size=5,
).map(lambda made: [review(*found, **changes) for found, changes in made])
outcomes = st.sampled_from(["proven", "contested", "settled", "rejected", "merged", "closed"])
seats = st.lists(
    st.builds(
        lambda seat, account, outcome, n: seat_record(seat, "docs", account, **{outcome: n}),
        st.sampled_from(["alder", "birch"]),
        st.sampled_from(["acme", "other"]),
        outcomes,
        st.integers(0, 6),
    ),
    max_size=6,
)


def told(export: list[Json], records: list[Json]) -> dict[str, Any]:
    found = reviewed_of(*export, seats=records)
    return {f"{name}:{key}": one for name, of in found.results.items() for key, one in figures(of).items()}


@given(reviews, seats.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
@settings(max_examples=25, deadline=None)
def test_seat_records_in_any_order_give_the_same_figures(
    export: list[Json], orders: tuple[list[Json], list[Json]]
) -> None:
    one, other = orders
    assert told(export, one) == told(export, other)


@given(reviews)
@settings(max_examples=40, deadline=None)
def test_the_parts_of_a_statistic_add_up_to_its_whole(export: list[Json]) -> None:
    found = reviewed_of(*export)
    for group in found.results["reviews.coverage"].groups:
        assert sum(group.counts.values()) == group.reviews.value
    for group in found.results["reviews.evidence_states"].groups:
        assert sum(figure.numerator for figure in group.shares.values()) == group.total == group.mechanisms.value
    first = found.results["reviews.first_pass"]
    assert sum(figure.value for figure in first.counts.values()) == first.suggestions.value
    for one in found.results["reviews.severity"].passes:
        assert sum(figure.value for figure in one.counts.values()) == one.mechanisms.value
    states = found.results["reviews.evidence_states"].groups[0].shares
    decided = states["proven"].numerator + states["refuted"].numerator
    confidence, _ = found.results["reviews.reliability"].curves
    assert confidence.decided.value == decided
    assert found.within + found.earlier + found.later + found.undated == len(export)


@given(reviews)
@settings(max_examples=40, deadline=None)
def test_no_share_stands_below_its_floor(export: list[Json]) -> None:
    floors = {entry.name: 3 for entry in fields(Reviews) if entry.name.endswith("_floor")}
    found = reviewed_of(*export, policy=policy_from({"reviews": floors}))
    for name, result in found.results.items():
        for key, figure in figures(result).items():
            if figure.scale is Scale.PERCENT:
                assert figure.denominator is not None, (name, key)
                assert (figure.exact is not None) == (figure.denominator >= 3), (name, key)
                assert figure.as_json()["numerator"] is None or figure.denominator >= 3, (name, key)
