"""Reviews: what their findings are worth together, whose word held, and what a confidence says; without any one review.

Belongs here: the aggregate pages, which exist only when the build was given reviews. Does not: a page a review, which
shows code, titles and pull requests (evidence/pages.py) and belongs to the operator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from evenhand.evidence.analytics.coverage import KINDS, Coverage
from evenhand.evidence.analytics.evidence_states import ALL, LENS, SEAT, EvidenceStates, StateShares
from evenhand.evidence.analytics.first_pass import MET, NOT_MET, FirstPass
from evenhand.evidence.analytics.fix_plans import FixOutcomes, FixPlans
from evenhand.evidence.analytics.registry import span
from evenhand.evidence.analytics.reliability import CONFIDENCE, STATED, Bin, Reliability
from evenhand.evidence.analytics.reviewed import SEATS, Reviewed
from evenhand.evidence.analytics.seat_calibration import SeatRow
from evenhand.evidence.analytics.severity import LEVELS
from evenhand.evidence.rules import State
from evenhand.figures import Figure
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.intervals import IntervalRow, interval_chart
from evenhand.site.charts.reliability import Point, reliability_chart
from evenhand.site.charts.states import SEGMENT_ROLES, StackRow, stacked_chart
from evenhand.site.pages.series import bounds_of, percent_of
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import counted, number, view, window_words

CHARTED = 20
"""Most lenses, and most seats, in one chart: those with the most mechanisms. The table beside it has all."""

_SECTION = "reviews"
_COVERAGE_WORDS = {
    "complete": "complete",
    "complete_with_gaps": "complete with gaps",
    "partial": "partial",
    "broken_off": "broken off",
    "did_not_run": "did not run",
}
_OUTCOME_WORDS = {
    "withdrawn": "withdrawn: a patch on the same lines was refuted",
    "proven": "the same lines proven",
    "suite_green": "the same lines with a green suite",
    "unverified": "the same lines unverified",
    "could_not_run": "the same lines could not be run",
    "not_seen": "nothing on these lines",
    "insertion": "only inserts lines, so that nothing can share them",
    "deep_pass_incomplete": "nothing on these lines, in a deep pass that was not complete",
    "no_deep_pass": "no deep pass ran",
}
_CURVE_WORDS = {
    CONFIDENCE: "Confidence of mechanisms, as published",
    STATED: "Confidence that reviewers state, of copies",
}


@dataclass(frozen=True)
class Left:
    """What the reviews did not cover, for the note on every page: counts by kind of coverage, in words."""

    total: int
    incomplete: int
    parts: tuple[str, ...]
    undated: int
    undated_unrun: int


@dataclass(frozen=True)
class OutcomeRow:
    """One outcome of first-pass suggestions. share: None where nothing can be said."""

    words: str
    count: Figure
    share: Figure | None


def pages(site: Site) -> Iterator[Page]:
    """`reviews.html` and, beside it, seats and confidence; nothing without reviews."""
    reviews = site.computed.reviews
    if reviews is None:
        return
    yield _overview(site, reviews)
    yield _seats(site, reviews)
    yield _confidence(site, reviews)


def _page(site: Site, reviews: Reviewed, path: str, title: str, description: str, content: dict[str, object]) -> Page:
    shared = {
        "reviews": reviews,
        "left": left_out(reviews),
        "window": window_words(span(site.context)),
        "has_pages": site.operator and reviews.assessment is not None,
    }
    return Page(f"{path}.html", f"{path.replace('-', '_')}.html", title, _SECTION, {**shared, **content}, description)


def left_out(reviews: Reviewed) -> Left:
    """The coverage of all reviews in the window."""
    everything: Coverage = reviews.results["reviews.coverage"].groups[0]
    parts = tuple(
        f"{number(everything.counts[kind])} {_COVERAGE_WORDS[kind]}" for kind in KINDS if everything.counts[kind]
    )
    total = sum(everything.counts.values())
    return Left(total, everything.incomplete, parts, reviews.undated, reviews.undated_unrun)


def _overview(site: Site, reviews: Reviewed) -> Page:
    states: EvidenceStates = reviews.results["reviews.evidence_states"]
    first: FirstPass = reviews.results["reviews.first_pass"]
    fixes: FixPlans = reviews.results["reviews.fix_plans"]
    [everything] = states.of(ALL)
    return _page(
        site,
        reviews,
        "reviews",
        "Reviews",
        "What became of the findings of automated reviews: evidence, severity, coverage, first pass and deep pass.",
        {
            "read": reviews.results["reviews.coverage"].groups[0],
            "proven": everything.shares[State.PROVEN],
            "refuted": everything.shares[State.REFUTED],
            "withdrawn": first.shares["withdrawn"],
            "merged": fixes.follow_ups.share,
            "coverage": reviews.results["reviews.coverage"].groups,
            "kinds": [(kind, _COVERAGE_WORDS[kind]) for kind in KINDS],
            "states": [(str(state), state.replace("_", " ")) for state in State],
            "keys": list(zip((state.replace("_", " ") for state in State), SEGMENT_ROLES, strict=True)),
            "everything": everything,
            "groups": [("Lens", states.of(LENS)), ("Seat", states.of(SEAT))],
            "chart": site.chart("review-states", lambda: states_drawing(states)),
            "charted": CHARTED,
            "uncharted": [word for word, by in (("lenses", LENS), ("seats", SEAT)) if len(states.of(by)) > CHARTED],
            "severity": reviews.results["reviews.severity"].passes,
            "levels": LEVELS,
            "first": first,
            "outcomes": outcome_rows(first),
            "floor": site.policy.reviews.mechanism_floor,
        },
    )


def outcome_rows(first: FirstPass) -> list[OutcomeRow]:
    """What became of the suggestions: first what a deep pass can decide, then why nothing can be said."""
    return [
        OutcomeRow(_OUTCOME_WORDS[outcome], first.counts[outcome], first.shares.get(outcome))
        for outcome in (*MET, *NOT_MET)
    ]


def states_drawing(states: EvidenceStates) -> Drawing | None:
    """The states of every lens and seat whose shares are shown, those with the most mechanisms first."""
    rows = [_stack(group, "All mechanisms") for group in states.of(ALL) if _is_shown(group)]
    for heading, by in (("By lens", LENS), ("By seat", SEAT)):
        shown = sorted((group for group in states.of(by) if _is_shown(group)), key=lambda group: -group.total)
        if shown:
            rows += [StackRow(heading), *(_stack(group, group.name) for group in shown[:CHARTED])]
    return stacked_chart(
        "review-states",
        "Shares of the evidence states of mechanisms, by lens and by seat, as bars. The table has the numbers.",
        rows,
    )


def _is_shown(group: StateShares) -> bool:
    return all(figure.withheld is None for figure in group.shares.values())


def _stack(group: StateShares, label: str) -> StackRow:
    segments = tuple(percent_of(figure) or 0.0 for figure in group.shares.values())
    return StackRow(label, f"n {number(group.total)}", segments)


def _seats(site: Site, reviews: Reviewed) -> Page:
    calibration = reviews.results["reviews.seat_calibration"]
    fixes: FixPlans = reviews.results["reviews.fix_plans"]
    evidence = site.policy.evidence
    seats = next((one for one in reviews.inputs if one.kind == SEATS), None)
    return _page(
        site,
        reviews,
        "reviews-seats",
        "Seats",
        "The record of each seat, its score, and what became of its fixes.",
        {
            "accounts": by_account(calibration.every if site.operator else calibration.rows),
            "seats": seats,
            "counts_records": evidence.seat_counts_records,
            "ahead_records": evidence.seat_ahead_records,
            "ahead_margin": f"{evidence.seat_ahead_margin:g}",
            "merged_weight": evidence.merged_weight,
            "fixes": fixes,
            "chart": site.chart("review-fixes", lambda: fixes_drawing(fixes)),
            "charted": CHARTED,
            "floor": site.policy.reviews.fix_floor,
        },
    )


def by_account(rows: Sequence[SeatRow]) -> list[tuple[str | None, list[SeatRow]]]:
    """The rows of each account under its name; None: of all accounts that are not named."""
    return [(account, list(group)) for account, group in groupby(rows, key=lambda row: row.account)]


def fixes_drawing(fixes: FixPlans) -> Drawing | None:
    """Merged of merged and closed, by seat, from both sources; None when no share can be shown."""
    rows = [
        *_fix_rows("By the plans of follow-ups", fixes.follow_up_seats),
        *_fix_rows("By the records of seats", fixes.records),
    ]
    if not rows:
        return None
    return interval_chart(
        "review-fixes",
        "Share of fixes that were merged, by seat, with 95\u202f% intervals. The table has the numbers.",
        rows,
    )


def _fix_rows(heading: str, outcomes: Sequence[FixOutcomes]) -> list[IntervalRow]:
    shown = sorted(
        (one for one in outcomes if one.share.withheld is None), key=lambda one: -(one.share.denominator or 0)
    )
    rows = [_fix_row(one) for one in shown[:CHARTED]]
    return [IntervalRow(heading), *rows] if rows else []


def _fix_row(one: FixOutcomes) -> IntervalRow:
    low, high = bounds_of(one.share)
    return IntervalRow(one.name, f"n {number(one.share.denominator or 0)}", percent_of(one.share), low, high)


def _confidence(site: Site, reviews: Reviewed) -> Page:
    found: Reliability = reviews.results["reviews.reliability"]
    return _page(
        site,
        reviews,
        "reviews-confidence",
        "Confidence against outcome",
        "Whether a higher confidence means that a finding holds more often; it is a score, not a probability.",
        {
            "curves": [(curve.name, _CURVE_WORDS[curve.name], curve) for curve in found.curves],
            "chart": site.chart("review-confidence", lambda: confidence_drawing(found)),
            "floor": site.policy.reviews.bin_floor,
            "proven_floor": f"{100 * site.policy.evidence.proven_floor:g}",
            "refuted_multiplier": f"{site.policy.evidence.refuted_multiplier:g}",
            "example": _example(found),
        },
    )


def confidence_drawing(found: Reliability) -> Drawing | None:
    """Every bin with a share as a point: the published confidence, and what reviewers state. No line crosses a gap."""
    points = []
    for curve in found.curves:
        run = 0
        for one in curve.bins:
            run += one.held.exact is None
            low, high = bounds_of(one.held)
            held = percent_of(one.held)
            if held is not None and one.mean.exact is not None and low is not None and high is not None:
                points.append(Point(float(one.mean.exact), held, low, high, run, curve.name == STATED))
    return reliability_chart(
        "review-confidence",
        "Share of decided findings that were proven, by confidence, with 95\u202f% intervals, beside the line on which "
        "both would be equal. The table has the numbers.",
        points,
    )


def _distance(one: Bin) -> Fraction:
    return abs(100 * (one.held.exact or Fraction()) - (one.mean.exact or Fraction()))


def _example(found: Reliability) -> str:
    """The bin that says most plainly that a confidence is no probability: the stated one farthest from its own line."""
    stated = next(curve for curve in found.curves if curve.name == STATED)
    shown = [one for one in stated.bins if one.held.exact is not None and one.mean.exact is not None]
    if not shown:
        return ""
    far = max(shown, key=_distance)
    mean, held = view(far.mean), view(far.held)
    return (
        f"Of {counted(far.decided, 'copy', 'copies')} for which reviewers stated {mean.value}\u202f% on average, "
        f"{held.value}\u202f% held."
    )
