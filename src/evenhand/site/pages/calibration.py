"""The operator's page *Backtest & calibration*: track record, recommendations, reliability, guarantees.

Belongs here: those results in words and rows. Does not: any statistic (backtest), or the weekly trend (operator).
Nothing of it is published.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from evenhand.backtest.calibration import Calibration, RuleCalibration
from evenhand.backtest.decimals import number_text
from evenhand.backtest.guarantee import Guarantee, arm_rules
from evenhand.backtest.paired import Paired
from evenhand.backtest.recommendation import Loop, Recommendation
from evenhand.backtest.reliability import Bin
from evenhand.backtest.words import guarantee_line
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.reliability import Point, reliability_chart
from evenhand.site.pages.site import Page, Site
from evenhand.stats import rounded
from evenhand.timeline import DAY, day_text


@dataclass(frozen=True)
class StepRow:
    """One candidate of a recommendation in words."""

    direction: str
    value: str
    visible: str
    held_out: str
    flips: str
    p_value: str
    decision: str
    recommended: bool


@dataclass(frozen=True)
class KnobRow:
    """One known threshold with its candidates."""

    name: str
    constant: str
    rule_id: str
    current: str
    cases: str
    advice: str
    steps: tuple[StepRow, ...]


@dataclass(frozen=True)
class BinRow:
    """One bin of one rule in words."""

    rule_id: str
    claimed: str
    cases: int
    confirmed: int
    mean: str
    precision: str
    interval: str
    below_floor: bool


@dataclass(frozen=True)
class RuleRow:
    """What one rule's claims are worth, in words."""

    rule_id: str
    cases: int
    claimed: int
    error: str
    loosest: str
    guarantee: str


def page(site: Site) -> Page:
    """`backtests.html`."""
    found = site.computed.calibration
    return Page(
        "backtests.html",
        "operator/backtests.html",
        "Backtest & calibration",
        "backtests",
        {
            "weeks": site.results["signals.backtest_runs"].weeks,
            "latest": site.results["signals.latest_backtest_run"].run,
            "record": site.results["signals.track_record"],
            "known": found is not None,
            "history": _history(site),
            "knobs": [_knob(one, site) for one in found.recommendations] if found else [],
            "arms": list(_arms(found, site)) if found else [],
            "rules": [_rule(one, site) for one in found.rules] if found else [],
            "bins": list(_bins(found, site)) if found else [],
            "charts": list(_charts(found, site)) if found else [],
            "floor": site.policy.backtest.reliability_floor,
            "target": _percent(Fraction(repr(site.policy.backtest.target_precision)), site),
        },
    )


def _history(site: Site) -> str:
    """How far the cases reach back: a lake that forgets knows less than the export."""
    retention = site.computed.manifest.retention
    if retention is None:
        return "all firings and verdicts before as-of"
    first = day_text(retention.events_from * DAY)
    return f"firings and verdicts from {first} on, where the lake begins (the commands read the whole export), to as-of"


def _percent(share: Fraction | float, site: Site) -> str:
    places = site.policy.rounding.percent_places
    return f"{float(rounded(Fraction(share) * 100, places)):.{places}f}"


def _knob(one: Recommendation, site: Site) -> KnobRow:
    visible, held_out = one.visible_cases, one.held_out_cases
    needed = f"at least {one.knob.visible_cases} and {one.knob.held_out_cases} are needed"
    return KnobRow(
        one.name,
        one.knob.constant,
        one.knob.rule,
        number_text(one.current),
        f"{visible:,} visible and {held_out:,} held-out cases; {needed}",
        "; ".join(_advice(loop) for loop in one.loops if loop.steps) or "the policy names no candidate",
        tuple(row for loop in one.loops for row in _steps(loop)),
    )


def _advice(loop: Loop) -> str:
    found = loop.recommended
    if found is None:
        return f"no {loop.direction}"
    return f"{loop.direction} to {number_text(found.value)} is worth a look"


def _steps(loop: Loop) -> Iterator[StepRow]:
    for step in loop.steps:
        yield StepRow(
            loop.direction,
            number_text(step.value),
            step.visible.verdict,
            step.held_out.verdict,
            _flips(step.paired),
            f"{step.paired.p_value:.3g}" if step.paired.corrected + step.paired.broken else "",
            step.refusal or "good enough",
            step is loop.recommended,
        )


def _flips(paired: Paired) -> str:
    return f"{paired.corrected:,} set right, {paired.broken:,} broken"


def _arms(found: Calibration, site: Site) -> Iterator[tuple[str, str, str]]:
    rules = arm_rules(site.policy.backtest)
    for arm, guarantee in found.arms.items():
        yield arm, ", ".join(rules[arm]) or "no rule", guarantee_line(guarantee, site.policy)


def _rule(one: RuleCalibration, site: Site) -> RuleRow:
    error = one.curve.calibration_error
    loosest = "" if one.loosest is None else number_text(one.loosest.threshold)
    return RuleRow(
        one.rule_id,
        one.cases,
        one.curve.cases,
        "" if error is None else _percent(error, site),
        loosest,
        _guarantee(one.guarantee),
    )


def _guarantee(guarantee: Guarantee) -> str:
    if guarantee.chosen:
        return f"from {number_text(guarantee.chosen.threshold)} on"
    return guarantee.status.replace("_", " ")


def _bins(found: Calibration, site: Site) -> Iterator[BinRow]:
    for rule in found.rules:
        for one in rule.curve.bins:
            if one.cases:
                yield _bin(rule.rule_id, one, site)


def _bin(rule_id: str, one: Bin, site: Site) -> BinRow:
    bounds = one.interval(site.policy.intervals.z)
    return BinRow(
        rule_id,
        f"{number_text(one.low)} to {number_text(one.high)}",
        one.cases,
        one.confirmed,
        "" if one.mean_claimed is None else _percent(one.mean_claimed, site),
        "" if one.precision is None else _percent(one.precision, site),
        "" if bounds is None else f"{_percent(bounds[0], site)}–{_percent(bounds[1], site)}",
        one.precision is None,
    )


def _charts(found: Calibration, site: Site) -> Iterator[tuple[str, Drawing]]:
    """The curve of each known threshold's rule, where some bin can be shown."""
    for one in found.recommendations:
        drawing = site.chart(f"claims-{one.name}", partial(_chart, one, site))
        if drawing is not None:
            yield one.knob.rule, drawing


def _chart(one: Recommendation, site: Site) -> Drawing | None:
    label = (
        "Share of cases that were confirmed, by the confidence that the rule claimed, with 95\u202f% intervals, "
        "beside the line on which both would be equal. The table has the numbers."
    )
    return reliability_chart(f"claims-{one.name}", label, list(_points(one, site)))


def _points(one: Recommendation, site: Site) -> Iterator[Point]:
    run = 0
    for found in one.curve.bins:
        bounds = found.interval(site.policy.intervals.z)
        if found.precision is None or found.mean_claimed is None or bounds is None:
            run += 1
            continue
        shares = (found.mean_claimed, found.precision, *bounds)
        claimed, confirmed, low, high = (float(_percent(share, site)) for share in shares)
        yield Point(claimed, confirmed, low, high, run)
