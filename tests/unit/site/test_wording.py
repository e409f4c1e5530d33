"""How figures and reasons read, everywhere the same."""

from fractions import Fraction

import pytest

from evenhand.figures import Figure, Interval, Reason, Scale, Source, Unit, Withheld
from evenhand.site.pages.wording import counted, explanation, reason_words, view, window_words
from evenhand.timeline import DAY, WEEK, Window, instant_argument

AS_OF = instant_argument("2026-11-30")
WINDOW = Window.days_before(AS_OF, 90)


def precision(confirmed: int, decided: int, floor: int = 10) -> Figure:
    return Figure.proportion(
        confirmed,
        decided,
        unit=Unit.OVERRIDE,
        source=Source.SIGNALS,
        window=WINDOW,
        z=1.96,
        places=3,
        scale=Scale.RATIO,
        floor=floor,
    )


def test_the_figure_line_of_the_design():
    shown = view(precision(287, 460))
    assert (shown.value + shown.suffix, shown.interval) == ("62.4\u202f%", "57.9–66.7")
    assert shown.evidence == ("n = 460 overrides", "90 days to 2026-11-30", "signals")
    assert shown.plain == "62.4\u202f%, 95\u202f% interval 57.9–66.7"


def test_a_percentage_keeps_its_decimals_and_a_count_its_thousands():
    assert view(precision(12, 12)).value == "100.0"
    assert view(precision(0, 12)).value == "0.0"
    count = Figure.counted(41388, unit=Unit.EVENT, source=Source.SIGNALS, window=None)
    assert (view(count).value, view(count).evidence) == ("41,388", ("of any age", "signals"))


def test_a_measured_zero_is_a_value_and_no_reason():
    zero = view(Figure.counted(0, unit=Unit.EVENT, source=Source.SIGNALS, window=WINDOW))
    assert zero.shown
    assert (zero.value, zero.why, zero.reason) == ("0", "", "")


@pytest.mark.parametrize(
    ("withheld", "words"),
    [
        (Withheld(Reason.BELOW_FLOOR, 10, 7), "below the floor of 10"),
        (
            Withheld(Reason.NOT_MEASURABLE, detail="no auto-action was recorded"),
            "not measurable: no auto-action was recorded",
        ),
        (
            Withheld(Reason.NOT_MEASURABLE, detail="not provided: decision_records"),
            "not measurable: the export holds no decision_records",
        ),
        (Withheld(Reason.NOT_MEASURABLE), "not measurable: there is nothing to count"),
        (Withheld(Reason.NOTHING_DECIDED), "nothing decided (n = 0)"),
        (Withheld(Reason.WITHHELD_FOR_PRIVACY), "withheld: two instances"),
        (Withheld(Reason.READ_FAILED), "not read"),
        (Withheld(Reason.WINDOW_NOT_COVERED), "the export covers none of the window"),
    ],
)
def test_each_reason_has_its_words(withheld: Withheld, words: str):
    assert reason_words(withheld) == words


@pytest.mark.parametrize("reason", list(Reason))
def test_no_two_reasons_read_alike_and_each_is_explained(reason: Reason):
    def of(one: Reason) -> Withheld:
        return Withheld(one, 10, 7) if one is Reason.BELOW_FLOOR else Withheld(one)

    assert sum(reason_words(of(other)) == reason_words(of(reason)) for other in Reason) == 1
    assert explanation(of(reason), Unit.OVERRIDE, Scale.PERCENT).endswith(".")


def test_a_withheld_figure_gives_its_n_and_nothing_else_of_its_numbers():
    shown = view(precision(3, 7))
    assert (shown.why, shown.count_note, shown.reason) == ("below the floor of 10", "(n = 7)", "below_floor")
    assert (shown.value, shown.interval, shown.glyph, shown.n, shown.order) == ("", "", None, "", "")


def test_a_privacy_withheld_interval_is_said_beside_the_value():
    shown = view(precision(287, 460).without_counts("two"))
    assert (shown.value, shown.interval, shown.n) == ("62.4", "", "")
    assert shown.interval_note == "n and interval withheld: two instances"


def test_the_glyph_is_what_the_text_says():
    shown = view(precision(287, 460))
    assert shown.glyph is not None
    assert (shown.glyph.value, shown.glyph.low, shown.glyph.high) == (62.4, 57.9, 66.7)


def test_the_glyph_rounds_as_the_text_does():
    # 0.6245 is 62.45 %: half away from zero, not to even and not by its double.
    exact = Figure(
        Scale.RATIO,
        Unit.CASE,
        Source.SIGNALS,
        None,
        1249,
        2000,
        Fraction(1249, 2000),
        3,
        Interval(0.6245, 0.6255, "wilson"),
    )
    shown = view(exact)
    assert shown.glyph is not None
    assert shown.value == f"{shown.glyph.value:.1f}" == "62.5"


def test_windows_in_words():
    assert window_words(WINDOW) == "90 days to 2026-11-30"
    assert window_words(Window(AS_OF, AS_OF + WEEK)) == "week of 2026-11-30"
    assert window_words(Window(AS_OF, AS_OF + 2 * DAY)) == "week of 2026-11-30, until 2026-12-02"
    assert window_words(Window.days_before(AS_OF + DAY // 2, 7)) == "7 days to 2026-11-30 12:00 UTC"
    assert window_words(None) == "of any age"


def test_counts_agree_with_their_noun():
    assert (counted(1, "rule"), counted(2, "rule"), counted(0, "repository", "repositories")) == (
        "1 rule",
        "2 rules",
        "0 repositories",
    )
