"""The published tables over reviews: coverage, states, severity, first pass, confidence, fixes and seats, as counts.

Belongs here: their columns with meanings, and their rows. Does not: any counting, or the writing (datasets). No table
holds code, a title, a pull request, a review's id, or an account that owns no repository of the allowlist.

Source: interface contract, "The published tree".
"""

from collections.abc import Iterator
from typing import Any

from evenhand.evidence.analytics.coverage import KINDS, Coverages
from evenhand.evidence.analytics.evidence_states import EvidenceStates
from evenhand.evidence.analytics.first_pass import MET, NOT_MET, FirstPass
from evenhand.evidence.analytics.fix_plans import FOLLOW_UP, FOLLOW_UP_SEAT, RECORDS, FixOutcomes, FixPlans
from evenhand.evidence.analytics.reliability import Reliability
from evenhand.evidence.analytics.reviewed import Reviewed
from evenhand.evidence.analytics.seat_calibration import SeatCalibration
from evenhand.evidence.analytics.severity import LEVELS, Severities
from evenhand.evidence.seats import OUTCOMES
from evenhand.site.tabular import Dataset, columns, dataset, evidence, evidence_of


def review_datasets(reviews: Reviewed) -> Iterator[Dataset]:
    """Every published table over reviews, in the order of the data page."""
    results = reviews.results
    yield _coverage(results["reviews.coverage"])
    yield _states(results["reviews.evidence_states"])
    yield _severity(results["reviews.severity"])
    yield _first_pass(results["reviews.first_pass"])
    yield _confidence(results["reviews.reliability"])
    yield _fixes(results["reviews.fix_plans"])
    if reviews.has_seats:
        yield _seats(results["reviews.seat_calibration"])


_COVERAGE = columns(
    ("pass", "text", "first, deep, or all"),
    ("coverage", "text", "complete, complete_with_gaps, partial, broken_off or did_not_run"),
    ("reviews", "integer", "reviews of that coverage"),
    ("of", "integer", "reviews of that pass"),
    *evidence("percent of the reviews of that pass"),
)


def _coverage(found: Coverages) -> Dataset:
    return dataset(
        "review_coverage",
        "Coverage of reviews",
        _COVERAGE,
        (
            (group.group, kind, group.counts[kind], group.reviews.value, *evidence_of(group.shares[kind]))
            for group in found.groups
            for kind in KINDS
        ),
    )


_STATES = columns(
    ("by", "text", "all, lens or seat"),
    ("name", "text", "the lens or seat; empty for all"),
    ("state", "text", "proven, suite_green, unverified, could_not_run or refuted"),
    ("mechanisms", "integer", "mechanisms of that state; empty when the share is withheld"),
    ("of", "integer", "mechanisms of the lens or seat"),
    *evidence("percent of the mechanisms of the lens or seat"),
)


def _states(found: EvidenceStates) -> Dataset:
    return dataset(
        "review_evidence_states",
        "Evidence states by lens and seat",
        _STATES,
        (
            (
                group.by,
                group.name or None,
                state,
                None if figure.withheld else figure.numerator,
                group.total,
                *evidence_of(figure),
            )
            for group in found.groups
            for state, figure in group.shares.items()
        ),
    )


_SEVERITY = columns(
    ("pass", "text", "first or deep"),
    ("severity", "text", "critical, high, moderate, low, or unrated"),
    ("mechanisms", "integer", "mechanisms of that severity"),
    *evidence("percent of the mechanisms of that pass"),
)


def _severity(found: Severities) -> Dataset:
    return dataset(
        "review_severity",
        "Severity of findings",
        _SEVERITY,
        (
            (one.review_pass, level, one.counts[level].value, *evidence_of(one.shares[level]))
            for one in found.passes
            for level in LEVELS
        ),
    )


_FIRST_PASS = columns(
    ("outcome", "text", "what the deep pass made of the suggestion, or why nothing can be said"),
    ("suggestions", "integer", "first-pass suggestions with that outcome"),
    *evidence("percent of the suggestions that a complete deep pass met; empty where nothing can be said"),
)


def _first_pass(found: FirstPass) -> Dataset:
    return dataset(
        "review_first_pass",
        "First-pass suggestions in the deep pass",
        _FIRST_PASS,
        (
            (
                outcome,
                found.counts[outcome].value,
                *(evidence_of(found.shares[outcome]) if outcome in found.shares else (None,) * 4),
            )
            for outcome in (*MET, *NOT_MET)
        ),
    )


_CONFIDENCE = columns(
    ("curve", "text", "confidence: as published, of mechanisms; stated: by reviewers, of copies"),
    ("from", "number", "least confidence of the bin, in percent"),
    ("to", "number", "first confidence beyond the bin, in percent; the last bin holds 100"),
    ("decided", "integer", "cases that were proven or refuted"),
    ("held", "integer", "of them proven; empty when the share is withheld"),
    ("confidence_sum", "integer", "confidences of the decided added up, in hundredths; empty when withheld"),
    ("mean_confidence", "number", "mean confidence of the decided cases, in percent; empty when withheld"),
    *evidence("percent of the decided that was proven"),
)


def _confidence(found: Reliability) -> Dataset:
    return dataset(
        "review_confidence",
        "Confidence against outcome",
        _CONFIDENCE,
        (
            (
                curve.name,
                one.low,
                one.high,
                one.decided,
                None if one.held.withheld else one.held.numerator,
                None if one.mean.withheld else one.mean.numerator,
                one.mean.value,
                *evidence_of(one.held),
            )
            for curve in found.curves
            for one in curve.bins
        ),
    )


_FIXES = columns(
    ("kind", "text", "follow_up: all; follow_up_seat: by the seats in the plan; records: by seat as its records tell"),
    ("seat", "text", "the seat; empty for all"),
    ("open", "integer", "still open; empty where the source does not tell"),
    ("merged", "integer", "fixes that were merged"),
    ("closed", "integer", "fixes that were closed unmerged"),
    *evidence("percent of merged and closed that was merged"),
)


def _fixes(found: FixPlans) -> Dataset:
    rows = [(FOLLOW_UP, found.follow_ups)]
    rows += [(FOLLOW_UP_SEAT, one) for one in found.follow_up_seats]
    rows += [(RECORDS, one) for one in found.records]
    return dataset("review_fixes", "Fixes and what became of them", _FIXES, (_fix_row(*row) for row in rows))


def _fix_row(kind: str, one: FixOutcomes) -> tuple[Any, ...]:
    return (
        kind,
        one.name or None,
        one.open.value if one.open else None,
        one.merged.value,
        one.closed.value,
        *evidence_of(one.share),
    )


_SEATS = columns(
    ("account", "text", "an owner of the allowlist; empty: all other accounts together"),
    ("lens", "text", "the lens"),
    ("seat", "text", "the seat"),
    *((outcome, "integer", f"records: {outcome}") for outcome in OUTCOMES),
    ("decided", "integer", "records with an outcome that counts as decided"),
    ("score", "number", "the seat's score; empty for several accounts together"),
    ("weighs", "flag", "whether there are enough decided records for the score to change a confidence"),
    ("beside_the_pick", "integer", "reviews in the window in which the seat sat beside another pick of the router"),
    ("ahead", "integer", "of them, reviews in which it moves ahead of that pick on this lens"),
)


def _seats(found: SeatCalibration) -> Dataset:
    return dataset(
        "review_seats",
        "Records and score of each seat",
        _SEATS,
        (
            (
                row.account,
                row.lens,
                row.seat,
                *(row.counts[outcome] for outcome in OUTCOMES),
                row.decided.value,
                row.score.value,
                row.weighs,
                row.beside.value,
                row.ahead.value,
            )
            for row in found.rows
        ),
    )
