"""A figure has a value with its evidence, or exactly one reason why it has none."""

import dataclasses
from fractions import Fraction

import pytest

from evenhand.figures import Figure, Interval, Reason, Scale, Source, Unit, Withheld
from evenhand.timeline import DAY, Window

EVIDENCE = {"unit": Unit.OVERRIDE, "source": Source.SIGNALS, "window": Window(0, 90 * DAY)}
SHARE = {**EVIDENCE, "z": 1.96, "places": 1}


def test_a_share_carries_counts_interval_method_window_and_source():
    assert Figure.proportion(62, 100, **SHARE, basis="votes").as_json() == {
        "value": 62,
        "scale": "percent",
        "numerator": 62,
        "denominator": 100,
        "unit": "override",
        "interval": {"low": 52.2, "high": 70.9, "method": "wilson"},
        "intervalWithheld": None,
        "window": {"start": "1970-01-01T00:00:00.000Z", "end": "1970-04-01T00:00:00.000Z"},
        "source": "signals",
        "basis": "votes",
        "withheld": None,
    }


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (Figure.proportion(3, 7, **SHARE, floor=10), {"reason": "below_floor", "floor": 10, "n": 7}),
        (Figure.proportion(0, 0, **SHARE, floor=10), {"reason": "below_floor", "floor": 10, "n": 0}),
        (Figure.proportion(0, 0, **SHARE), {"reason": "nothing_decided"}),
        (Figure.proportion(0, 0, **SHARE, nothing="none came"), {"reason": "not_measurable", "detail": "none came"}),
        (
            Figure.proportion(0, 0, **SHARE, floor=3, nothing="none came"),
            {"reason": "not_measurable", "detail": "none came"},
        ),
        (Figure.mean(0, 0, **EVIDENCE, places=2, nothing="none"), {"reason": "not_measurable", "detail": "none"}),
        (Figure.counted(5, **EVIDENCE).hidden("two"), {"reason": "withheld_for_privacy", "detail": "two"}),
        (
            Figure.counted(5, **EVIDENCE).not_measurable("not provided: x"),
            {"reason": "not_measurable", "detail": "not provided: x"},
        ),
    ],
)
def test_a_missing_value_has_one_reason_and_shows_no_numerator_and_no_interval(figure, reason):
    shown = figure.as_json()
    assert shown["withheld"] == reason
    assert (shown["value"], shown["numerator"], shown["interval"]) == (None, None, None)


def test_a_measured_zero_is_a_value():
    zero = Figure.counted(0, **EVIDENCE).as_json()
    assert (zero["value"], zero["withheld"]) == (0, None)
    assert Figure.proportion(0, 5, **SHARE).value == 0


def test_without_counts_keeps_the_value_and_says_why_the_rest_is_gone():
    figure = Figure.proportion(9, 11, **SHARE).without_counts("two instances")
    shown = figure.as_json()
    assert (shown["value"], shown["numerator"], shown["denominator"], shown["interval"]) == (81.8, None, None, None)
    assert shown["intervalWithheld"] == {"reason": "withheld_for_privacy", "detail": "two instances"}


def test_neither_and_both_are_impossible():
    figure = Figure.counted(1, **EVIDENCE)
    with pytest.raises(ValueError, match="a value or one reason"):
        dataclasses.replace(figure, withheld=Withheld(Reason.NOTHING_DECIDED))
    with pytest.raises(ValueError, match="a value or one reason"):
        dataclasses.replace(figure, exact=None)


def test_a_bare_number_is_impossible():
    with pytest.raises(ValueError, match="carries its counts"):
        dataclasses.replace(Figure.counted(1, **EVIDENCE), numerator=None)


def test_an_interval_without_a_value_is_impossible():
    with pytest.raises(ValueError, match="no interval"):
        dataclasses.replace(Figure.proportion(0, 0, **SHARE), interval=Interval(0, 1, "wilson"))


@pytest.mark.parametrize(
    "wrong", [(Reason.BELOW_FLOOR, None, None), (Reason.BELOW_FLOOR, 3, None), (Reason.NOT_MEASURABLE, 3, 2)]
)
def test_a_floor_and_its_n_belong_to_that_one_reason(wrong):
    with pytest.raises(ValueError, match="do not go together"):
        Withheld(*wrong)


def test_a_mean_is_exact_until_it_is_printed():
    mean = Figure.mean(20, 6, **EVIDENCE, places=2)
    assert (mean.exact, mean.value) == (Fraction(10, 3), 3.33)


def test_without_places_a_value_is_its_nearest_double():
    statistic = Figure.statistic(
        Fraction(11, 12), 3, scale=Scale.RATIO, **EVIDENCE, places=None, basis="median over eligible instances"
    )
    assert statistic.value == 11 / 12
