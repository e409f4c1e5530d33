"""Whether every published figure is what the published rows give, with its interval and its floor.

Belongs here: comparing a figure with what was counted again; intervals; floors; the same figure in every file. Does
not: what is counted (recount).

Source: fairness contract, section 1.
"""

from datetime import datetime
from fractions import Fraction
from typing import Any

from evenhand.verify.build import Build, MissingTableError
from evenhand.verify.claims import Claims
from evenhand.verify.counted import Counted, NotDerivableError
from evenhand.verify.plain import NotReadableError, number, rounded, wilson
from evenhand.verify.recount import recount
from evenhand.verify.reviews import is_below_floor

_RATES = ("percent", "ratio")


def check_figures(build: Build, claims: Claims) -> None:
    """Each figure of the report: counted again, its interval, its floor."""
    figures = build.document("report.json")["figures"]
    names = [figure["id"] for figure in figures]
    claims.equal("figure: each once", len(names), len(set(names)))
    weeks = _weeks_below_floor(build)
    for figure in figures:
        name = f"figure: {figure['id']}"
        _check_covered(name, figure, claims)
        claims.holds(
            f"{name}: value or reason",
            (figure["value"] is None) != (figure["withheld"] is None),
            "a value, or one reason for none",
            "both or neither",
        )
        try:
            _check_value(name, figure, recount(build, figure), weeks, build, claims)
        except NotDerivableError as error:
            claims.skip(name, str(error))
        except MissingTableError as error:
            if _not_provided(figure):
                claims.skip(name, _cannot_be_measured(figure))
            else:
                claims.fail(name, "rows that it can be counted from", str(error))
        except (NotReadableError, KeyError, TypeError, ValueError) as error:
            claims.fail(name, "rows that it can be counted from", f"{type(error).__name__}: {error}")
        _check_interval(name, figure, build, claims)


def _check_covered(name: str, figure: dict[str, Any], claims: Claims) -> None:
    """A figure can only be said to cover a part of its own window. From when on an export tells is not published."""
    if "coveredDays" not in figure:
        return
    covered, window = figure["coveredDays"], figure["window"]
    days = 0.0
    if window is not None:
        start, end = (datetime.fromisoformat(window[name].replace("Z", "+00:00")) for name in ("start", "end"))
        days = (end - start).total_seconds() / 86_400
    is_part = isinstance(covered, int) and 0 <= covered < days + 1
    claims.holds(f"{name}: covered days", is_part, f"0 to {days:g} days", str(covered))


def _places(figure: dict[str, Any], build: Build) -> int:
    rounding = build.policy["rounding"]
    if figure["scale"] == "percent":
        return int(rounding["percent_places"])
    if figure["scale"] == "ratio":
        return int(rounding["precision_places"])
    if figure["scale"] == "score":
        return int(build.policy["evidence"]["score_places"])
    if figure["id"].startswith("reviews.reliability:"):
        # The mean confidence of a bin is a place on an axis of percentages.
        return int(rounding["percent_places"]) if figure["scale"] == "mean" else 0
    return int(rounding["mean_places"]) if figure["scale"] == "mean" else 0


def _printed(value: Fraction, figure: dict[str, Any], build: Build) -> str:
    scale = 100 if figure["scale"] == "percent" else 1
    return number(float(rounded(value * scale, _places(figure, build))))


def _check_value(
    name: str, figure: dict[str, Any], counted: Counted, weeks: set[str], build: Build, claims: Claims
) -> None:
    reason = figure["withheld"]["reason"] if figure["withheld"] else None
    expected = _expected_reason(figure, counted, weeks, build)
    if reason == "not_measurable" and (expected != "not_measurable" or _not_provided(figure)):
        claims.skip(name, _cannot_be_measured(figure))
        return
    if expected or reason:
        told = f"withheld: {reason}" if reason else number(figure["value"])
        claims.equal(name, f"withheld: {expected}" if expected else _shown(counted, figure, build), told)
        return
    denominator = figure["denominator"]
    found = f"{number(figure['value'])} ({figure['numerator']} of {denominator})"
    assert counted.value is not None
    claims.equal(
        name, f"{_printed(counted.value, figure, build)} ({counted.numerator} of {counted.denominator})", found
    )


def _not_provided(figure: dict[str, Any]) -> bool:
    """Whether the build says that the export did not hold what the figure is counted of."""
    withheld = figure["withheld"] or {}
    return withheld.get("reason") == "not_measurable" and str(withheld.get("detail", "")).startswith("not provided: ")


def _cannot_be_measured(figure: dict[str, Any]) -> str:
    return f"the build says that it cannot be measured: {figure['withheld'].get('detail', '')}"


def _shown(counted: Counted, figure: dict[str, Any], build: Build) -> str:
    return "nothing to divide by" if counted.value is None else _printed(counted.value, figure, build)


def _expected_reason(figure: dict[str, Any], counted: Counted, weeks: set[str], build: Build) -> str:
    """Why the figure must have no value; empty when it must have one."""
    metric, _, name = figure["id"].partition(":")
    floors = build.policy["floors"]
    told = figure["withheld"]["reason"] if figure["withheld"] else ""
    if told == "window_not_covered" and not (counted.numerator or counted.denominator):
        return "window_not_covered"
    if is_below_floor(build, metric, figure, counted):
        return "below_floor"
    if metric == "signals.rule_precision" and (counted.denominator or 0) < floors["rule_precision"]:
        return "below_floor"
    if metric == "outcomes.weekly_trend":
        week, _, what = name.rpartition("/")
        if week in weeks:
            return "below_floor"
        if what == "accuracy" and 0 < (counted.denominator or 0) < floors["weekly_accuracy"]:
            return "below_floor"
    if metric == "fleet.fleet_trend":
        week = name.rpartition("/")[0]
        of = sum(row["n"] for row in build.rows("rows_fleet_weeks") if row["week"] == week)
        if of < floors["weekly_fleet"]:
            return "below_floor"
    if counted.value is None:
        return told if told in ("not_measurable", "nothing_decided") else "not_measurable"
    return ""


def _weeks_below_floor(build: Build) -> set[str]:
    """Weeks of the trend whose whole row is withheld, for fewer merged and closed than the floor."""
    floor = build.policy["floors"]["weekly_accuracy"]
    weeks: dict[str, int] = {}
    try:
        for figure in build.document("report.json")["figures"]:
            metric, _, name = figure["id"].partition(":")
            week, _, what = name.rpartition("/")
            if metric == "outcomes.weekly_trend" and what in ("merged", "closed"):
                weeks[week] = weeks.get(week, 0) + int(recount(build, figure).numerator or 0)
    except (NotReadableError, NotDerivableError, KeyError, TypeError):
        return set()
    return {week for week, volume in weeks.items() if volume < floor}


def _check_interval(name: str, figure: dict[str, Any], build: Build, claims: Claims) -> None:
    interval, numerator, denominator = figure["interval"], figure["numerator"], figure["denominator"]
    if interval is None:
        if figure["value"] is not None and figure["scale"] in _RATES and not figure["intervalWithheld"]:
            if figure["id"].startswith("fleet.guarantees:"):
                return
            claims.fail(f"{name}: interval", "an interval", "none")
        return
    if figure["value"] is None:
        claims.fail(f"{name}: interval", "none beside a withheld value", "one")
        return
    if interval.get("method") != "wilson" or not denominator:
        claims.fail(f"{name}: interval", "Wilson's, of counts", str(interval.get("method")))
        return
    if not isinstance(numerator, int) or not 0 <= numerator <= denominator:
        claims.fail(f"{name}: interval", "counts of a share", f"{numerator} of {denominator}")
        return
    low, high = wilson(numerator, denominator, build.policy["intervals"]["z"])
    claims.equal(
        f"{name}: interval",
        f"{_printed(low, figure, build)} to {_printed(high, figure, build)}",
        f"{number(interval['low'])} to {number(interval['high'])}",
    )


def check_figures_table(build: Build, claims: Claims) -> None:
    """`figures.csv` and `.parquet` say what the report says."""
    rows = {row["id"]: row for row in build.rows("figures")}
    figures = {figure["id"]: figure for figure in build.document("report.json")["figures"]}
    claims.equal("figures table: names", sorted(figures), sorted(rows))
    for name, figure in figures.items():
        row = rows.get(name)
        if row is None:
            continue
        interval = figure["interval"] or {"low": None, "high": None}
        reason = figure["withheld"]["reason"] if figure["withheld"] else None
        covered = figure.get("coveredDays")
        told = (figure["value"], interval["low"], interval["high"], reason, figure["denominator"], covered)
        claims.equal(
            f"figures table: {name}",
            _numbers(told),
            _numbers(tuple(row[name] for name in ("value", "low", "high", "withheld", "denominator", "covered_days"))),
        )


def _numbers(values: tuple[Any, ...]) -> str:
    return ", ".join(number(value) if isinstance(value, int | float) else str(value) for value in values)
