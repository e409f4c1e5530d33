"""Figures in words: what a person reads of a number, of its evidence, and of the reason when it is missing.

Belongs here: the one wording of every figure and of every reason, and the numbers of its interval glyph. Does not:
HTML (templates) or any decision about what is withheld (metrics, disclosure). A withheld value does not reach the
templates: a `FigureView` of a withheld figure holds no number but the n that its reason may state.
"""

from dataclasses import dataclass
from fractions import Fraction

from evenhand.figures import Figure, Reason, Scale, Source, Unit, Withheld
from evenhand.stats import rounded
from evenhand.timeline import DAY, WEEK, Window, day_text, to_datetime, week_start

SPACE = "\u202f"
"""Narrow no-break space: between a number and its per cent sign, and in figures' units."""

_PLURALS = {
    Unit.EVALUATION: "evaluations",
    Unit.PULL_REQUEST: "pull requests",
    Unit.OVERRIDE: "overrides",
    Unit.FIRING: "firings",
    Unit.INSTANCE: "instances",
    Unit.SIGNAL: "signals",
    Unit.EVENT: "events",
    Unit.RUN: "backtest runs",
    Unit.CASE: "cases",
    Unit.REVIEW: "reviews",
    Unit.MECHANISM: "mechanisms",
    Unit.COPY: "copies",
    Unit.SUGGESTION: "suggestions",
    Unit.FIX: "fixes",
    Unit.RECORD: "records",
}
_SOURCES = {
    Source.SIGNALS: "signals",
    Source.OUTCOMES: "outcomes",
    Source.LEDGER: "ledger",
    Source.FLEET: "fleet signals",
    Source.REVIEWS: "reviews",
    Source.SEATS: "seat records",
}
_BASES = {
    "fleet": "pooled over the fleet",
    "single_instance_self_report": "self-report of fewer instances than a fleet",
    "holds_only": "reduced basis: holds only",
}
_SHARES = (Scale.PERCENT, Scale.RATIO)
_HOUR_MILLISECONDS = 3_600_000
_METHODS = {"wilson": "Wilson"}


@dataclass(frozen=True)
class FigureView:
    """A figure as a page shows it: either a value, or a reason with its explanation."""

    value: str
    suffix: str
    interval: str
    interval_note: str
    why: str
    count_note: str
    """Beside a reason: `(n = 7)`."""
    explanation: str
    reason: str
    n: str
    window: str
    covers: str
    """`covers 45 of 90 days`, when the source does not cover the window whole."""
    source: str
    basis: str
    method: str
    glyph: "Glyph | None"

    @property
    def shown(self) -> bool:
        """Whether there is a value."""
        return not self.why

    @property
    def evidence(self) -> tuple[str, ...]:
        """`n = 460 overrides`, `90 days to 2026-11-30`, `signals`: on a page with dots between them."""
        return tuple(part for part in (self.n, self.window, self.covers, self.source) if part)

    @property
    def plain(self) -> str:
        """One line without any markup, for labels."""
        if self.why:
            return " ".join(part for part in (self.why, self.count_note) if part)
        return f"{self.value}{self.suffix}" + (f", 95{SPACE}% interval {self.interval}" if self.interval else "")

    @property
    def order(self) -> str:
        """What a table sorts by; a withheld figure has nothing to sort by."""
        return self.value.replace(",", "") if not self.why else ""


@dataclass(frozen=True)
class Glyph:
    """Positions of an interval glyph in per cent of its axis."""

    value: float
    low: float
    high: float


def view(figure: Figure) -> FigureView:
    """The words of a figure."""
    withheld = figure.withheld
    bounds = figure.interval
    shows_glyph = withheld is None and bounds is not None and figure.exact is not None
    return FigureView(
        value="" if withheld else _value(figure, figure.exact or Fraction(0)),
        suffix="" if withheld else _suffix(figure.scale),
        interval=f"{_value(figure, bounds.low)}\u2013{_value(figure, bounds.high)}" if shows_glyph and bounds else "",
        interval_note=_interval_note(figure),
        why=reason_words(withheld) if withheld else "",
        count_note=f"(n = {number(withheld.count)})" if withheld and withheld.count is not None else "",
        explanation=explanation(withheld, figure.unit, figure.scale) if withheld else "",
        reason=str(withheld.reason) if withheld else "",
        n=_sample(figure),
        window=window_words(figure.window),
        covers=_covers(figure),
        source=_SOURCES[figure.source],
        basis=_BASES.get(figure.basis, figure.basis),
        method=_METHODS.get(bounds.method, bounds.method) if bounds else "",
        glyph=_glyph(figure) if shows_glyph else None,
    )


def _covers(figure: Figure) -> str:
    if figure.covered_days is None or figure.window is None:
        return ""
    return f"covers {number(figure.covered_days)} of {number(round(figure.window.days))} days"


def _value(figure: Figure, exact: Fraction | float) -> str:
    """The number as printed: a ratio as a percentage, always with its decimals, thousands apart."""
    if figure.scale in _SHARES:
        places = percent_places(figure)
        return f"{float(rounded(Fraction(exact) * 100, places)):.{places}f}"
    if figure.scale is Scale.MILLISECONDS:
        return f"{float(rounded(Fraction(exact) / _HOUR_MILLISECONDS, 1)):,.1f}"
    places = figure.places or 0
    return (
        f"{float(rounded(Fraction(exact), places)):,.{places}f}" if places else number(int(rounded(Fraction(exact), 0)))
    )


def percent_places(figure: Figure) -> int:
    """Decimals of a figure printed as a percentage; one for a figure that is published unrounded."""
    if figure.places is None:
        return 1
    return figure.places if figure.scale is Scale.PERCENT else max(0, figure.places - 2)


def _suffix(scale: Scale) -> str:
    return f"{SPACE}%" if scale in _SHARES else {Scale.MILLISECONDS: f"{SPACE}hours"}.get(scale, "")


def _interval_note(figure: Figure) -> str:
    if figure.interval_withheld is not None:
        return "n and interval withheld: two instances"
    return ""


def _sample(figure: Figure) -> str:
    """`n = 460 overrides`: the denominator of a share or mean; nothing for a count, which is its own n."""
    withheld = figure.withheld
    if withheld is not None or figure.denominator is None:
        return ""
    return f"n = {number(figure.denominator)} {units(figure.unit, figure.denominator)}"


def _glyph(figure: Figure) -> Glyph | None:
    if figure.exact is None or figure.interval is None or figure.scale not in _SHARES:
        return None
    low, high = (round(100 * bound, 1) for bound in (figure.interval.low, figure.interval.high))
    return Glyph(round(float(100 * figure.exact), 1), low, high)


def number(count: int) -> str:
    """A whole number with its thousands apart: 41,388."""
    return f"{count:,d}"


def units(unit: Unit, count: int) -> str:
    """The unit in its number: 1 override, 2 overrides."""
    return str(unit) if count == 1 else _PLURALS[unit]


def counted(count: int, one: str, many: str = "") -> str:
    """`1 rule`, `2 rules`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def window_words(window: Window | None) -> str:
    """`90 days to 2026-11-30`; the week by its Monday; of any age without a window."""
    if window is None:
        return "of any age"
    if window.end - window.start <= WEEK and window.start == week_start(window.start):
        if window.end - window.start == WEEK and window.end % DAY == 0:
            return f"week of {day_text(window.start)}"
        return f"week of {day_text(window.start)}, until {moment_words(window.end)}"
    return f"{_days(window)} to {moment_words(window.end)}"


def _days(window: Window) -> str:
    days = Fraction(window.end - window.start, DAY)
    return counted(int(days), "day") if days.denominator == 1 else f"{float(rounded(days, 1))} days"


def moment_words(moment: int) -> str:
    """`2026-11-30` for a midnight, else with the time; always UTC, as the page says."""
    return day_text(moment) if moment % DAY == 0 else to_datetime(moment).strftime("%Y-%m-%d %H:%M UTC")


def reason_words(withheld: Withheld) -> str:
    """The reason in a few words, without its n."""
    match withheld.reason:
        case Reason.BELOW_FLOOR:
            return f"below the floor of {withheld.floor}"
        case Reason.NOT_MEASURABLE:
            return f"not measurable: {_detail(withheld.detail) or 'there is nothing to count'}"
        case Reason.NOTHING_DECIDED:
            return "nothing decided (n = 0)"
        case Reason.WITHHELD_FOR_PRIVACY:
            return "withheld: two instances"
        case Reason.READ_FAILED:
            return "not read"
        case Reason.WINDOW_NOT_COVERED:
            return "the export covers none of the window"


_NOT_PROVIDED = "not provided: "


def _detail(detail: str) -> str:
    """`not provided: a, b` as a sentence would say it."""
    if detail.startswith(_NOT_PROVIDED):
        return f"the export holds no {detail.removeprefix(_NOT_PROVIDED)}"
    return detail


def explanation(withheld: Withheld, unit: Unit, scale: Scale) -> str:
    """One sentence for a reader who asks why."""
    match withheld.reason:
        case Reason.BELOW_FLOOR:
            what = withheld.detail or _PLURALS[unit]
            return (
                f"Fewer than {withheld.floor} {what} cannot bear a percentage, so none is given; "
                f"there {'was' if withheld.count == 1 else 'were'} {number(withheld.count or 0)}."
            )
        case Reason.NOT_MEASURABLE:
            if scale in _SHARES:
                return "There was nothing to measure. That is neither 0\u202f% nor 100\u202f%."
            return "It was not counted, which is not the same as 0."
        case Reason.NOTHING_DECIDED:
            return "Nothing was decided in the window. That is neither 0\u202f% nor 100\u202f%."
        case Reason.WITHHELD_FOR_PRIVACY:
            return "With two instances either one could subtract its own numbers and learn the other's."
        case Reason.READ_FAILED:
            return f"The read failed: {withheld.detail}." if withheld.detail else "The read failed."
        case Reason.WINDOW_NOT_COVERED:
            return "The export begins only after the window has ended, so it can say nothing of it."
