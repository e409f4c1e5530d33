"""Instants, half-open windows and Monday weeks."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import UsageError
from evenhand.timeline import DAY, WEEK, Window, day_text, instant_argument, iso, parse_instant, trend_weeks, week_start

NOON = int(datetime(2026, 3, 17, 12, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-17T12:00:00.000Z",
        "2026-03-17T12:00:00Z",
        "2026-03-17T12:00Z",
        "2026-03-17T12:00",
        "2026-03-17T12:00:00",
        "2026-03-17T14:00:00+02:00",
        "2026-03-17T14:00:00+0200",
        "2026-03-17T14:00+02",
        "2026-03-17T10:30:00.0-01:30",
        "2026-03-18T11:59:00+23:59",
        "2026-03-17T12:00:00.000000000000Z",
        "2026-03-17 12:00:00",
        "2026-03-17 12:00:00.0",
        "2026-03-17 12:00:00Z",
        "2026-03-17 12:00:00+00",
        "2026-03-17 14:00:00.000+02:00",
        "2026-03-17T12:00:00-00:00",
    ],
)
def test_every_form_of_one_instant_is_that_instant(text):
    assert parse_instant(text) == NOON


def test_a_date_is_its_midnight():
    assert parse_instant("2026-03-17") == NOON - DAY // 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing"),
        ("not-a-date", "no date"),
        ("2026-03-17t12:00:00Z", "lower-case t"),
        ("2026-03-17T12:00:00z", "lower-case z"),
        (" 2026-03-17T12:00:00Z", "nothing is trimmed"),
        ("2026-03-17T12:00:00Z ", "nothing is trimmed"),
        ("2026-03-17T12:00:00Z\n", "nothing is trimmed"),
        ("2026-03-17  12:00:00", "two blanks"),
        ("2026-03-17 12:00", "the space form has seconds"),
        ("2026-03-17T12Z", "no minutes"),
        ("2026-03-17T24:00:00Z", "hours end with 23"),
        ("2026-03-17T12:60:00Z", "minutes end with 59"),
        ("2026-03-17T23:59:60Z", "seconds end with 59"),
        ("2026-02-29", "no such day"),
        ("2026-13-01", "no such month"),
        ("0000-01-01", "no such year"),
        ("2026-3-17", "two digits a month"),
        ("20260317", "dashes are needed"),
        ("2026-03-17Z", "a date has no offset"),
        ("2026-03-17T12:00:00.Z", "a point without digits"),
        ("2026-03-17T12:00:00,5Z", "a comma"),
        ("2026-03-17T12:00.5Z", "a fraction of what"),
        ("2026-03-17T12:00:00+2", "an offset has two digits"),
        ("2026-03-17T12:00:00+24:00", "offsets end with 23:59"),
        ("2026-03-17T12:00:00+02:60", "offsets end with 23:59"),
        ("2026-03-17T12:00:00 +02:00", "a blank before the offset"),
        ("2026-03-17T12:00:00GMT", "a name is no offset"),
        ("1773748800", "a number of seconds"),
        ("٢٠٢٦-03-17", "other digits"),
        ("2026-W12-2", "a week date"),
        ("2026-076", "an ordinal date"),
    ],
)
def test_anything_else_is_refused(text, why):
    assert parse_instant(text) is None, why


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("2026-03-17T11:59:59.999Z", True),
        ("2026-03-17T11:59:59.9999999Z", True),
        ("2026-03-17T12:00:00.0000001Z", False),
    ],
)
def test_any_number_of_digits_lies_on_the_right_side_of_a_bound(text, before):
    assert (parse_instant(text) < NOON) == before


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
    st.sampled_from(("T", " ")),
)
def test_what_is_written_with_an_offset_is_read_as_the_same_instant(moment, minutes, separator):
    local = moment + timedelta(minutes=minutes)
    sign, size = ("+", minutes) if minutes >= 0 else ("-", -minutes)
    text = f"{local.isoformat(separator, 'microseconds')}{sign}{size // 60:02d}:{size % 60:02d}"
    expected = (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert parse_instant(text) == expected


@given(st.integers(0, 2**50))
def test_an_instant_is_printed_in_milliseconds_floored(moment):
    assert parse_instant(iso(moment)) == moment - moment % 1000


def test_a_window_holds_its_start_and_not_its_end():
    window = Window.days_before(NOON, 90)
    assert window.holds(NOON - 90 * DAY)
    assert not window.holds(NOON - 90 * DAY - 1)
    assert window.holds(NOON - 1)
    assert not window.holds(NOON)
    assert window.days == 90


@given(st.integers(-(2**50), 2**50), st.integers(1, 400), st.integers(1, 400))
def test_windows_that_meet_hold_every_instant_once(end, earlier, later):
    first, second = Window.days_before(end - later * DAY, earlier), Window.days_before(end, later)
    for moment in (first.start, first.end - 1, first.end, second.start, second.end - 1):
        assert first.holds(moment) + second.holds(moment) == 1
    assert first.holds(second.end) + second.holds(second.end) == 0


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="a start before its end"):
        Window(NOON, NOON)


@given(st.integers(-(2**50), 2**50))
def test_weeks_start_on_mondays(moment):
    start = week_start(moment)
    assert start <= moment < start + WEEK
    assert (datetime(1970, 1, 1) + timedelta(microseconds=start)).weekday() == 0
    assert start % DAY == 0


def test_the_trend_ends_in_the_week_that_holds_as_of_also_when_that_is_its_first_instant():
    sunday, monday = instant_argument("2026-06-14T23:59:59.999Z"), instant_argument("2026-06-15T00:00:00Z")
    assert [day_text(week) for week in trend_weeks(sunday, 3)] == ["2026-05-25", "2026-06-01", "2026-06-08"]
    assert [day_text(week) for week in trend_weeks(monday, 3)] == ["2026-06-01", "2026-06-08", "2026-06-15"]


def test_an_argument_that_is_no_instant_is_named_and_shown_how():
    with pytest.raises(UsageError, match="'yesterday' is not an instant: write it as 2026-11-01T00:00:00Z"):
        instant_argument("yesterday")
