"""Instants, half-open windows, UTC days and ISO weeks.

Belongs here: the arithmetic of time on whole microseconds since 1970-01-01 UTC, and the one text grammar
of an instant. Does not: reading columns of text times in bulk (lake), or any clock: `as_of` is always given.

Source: fairness contract section 1, "Instants" and "Windows".
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from evenhand.errors import UsageError

MICROSECOND = 1
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# 1970-01-01 was a Thursday: the Monday of its week lies three days earlier.
_EPOCH_MONDAY = -3 * DAY

# ISO 8601 with an upper-case T (seconds optional), the space form (seconds required), or a date alone.
_INSTANT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:(?P<separator>[T ])(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?"
    r"(?P<offset>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?",
)


def parse_instant(text: str) -> int | None:
    """Microseconds since the epoch of one text instant, or None when it is not one.

    Fractions finer than a microsecond are floored, which keeps every comparison with a window
    bound right: 12:00:00.0000009 is not before 12:00:00.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    part = match.groupdict()
    try:
        day = date.fromisoformat(part["date"])
    except ValueError:
        return None
    moment = (day.toordinal() - _EPOCH.toordinal()) * DAY
    if part["separator"] is None:
        return moment
    if part["separator"] == " " and part["second"] is None:
        return None
    hour, minute, second = int(part["hour"]), int(part["minute"]), int(part["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = int((part["fraction"] or "0")[:6].ljust(6, "0"))
    offset = _offset(part["offset"])
    if offset is None:
        return None
    return moment + hour * HOUR + minute * MINUTE + second * SECOND + fraction - offset


def _offset(text: str | None) -> int | None:
    """Microseconds east of UTC of `Z`, `+hh`, `+hhmm` or `+hh:mm`; none means UTC."""
    if text is None or text == "Z":
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        return None
    size = hours * HOUR + minutes * MINUTE
    return size if text[0] == "+" else -size


_EARLIEST = 0
_LATEST = (date(9000, 1, 1).toordinal() - _EPOCH.toordinal()) * DAY


def instant_argument(text: str) -> int:
    """The instant of a command-line argument; UsageError when it does not parse."""
    moment = parse_instant(text)
    if moment is None:
        raise UsageError(f"{text!r} is not an instant: write it as 2026-11-01T00:00:00Z")
    if not _EARLIEST <= moment < _LATEST:
        raise UsageError(f"{text!r} lies outside the years 1970 to 8999, in which windows can be counted")
    return moment


def to_datetime(moment: int) -> datetime:
    """The aware UTC datetime of microseconds since the epoch."""
    return _EPOCH + timedelta(microseconds=moment)


def iso(moment: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ`, floored to the millisecond."""
    # isoformat pads the years that strftime does not.
    return to_datetime(moment).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def day_start(moment: int) -> int:
    """Midnight UTC at or before an instant."""
    return moment - moment % DAY


def week_start(moment: int) -> int:
    """Midnight UTC of the Monday at or before an instant."""
    return moment - (moment - _EPOCH_MONDAY) % WEEK


def day_text(moment: int) -> str:
    """`YYYY-MM-DD` of the UTC day that holds an instant."""
    return day_date(moment).isoformat()


def day_date(moment: int) -> date:
    """The UTC day that holds an instant."""
    return to_datetime(moment).date()


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open span `[start, end)` in microseconds since the epoch.

    A window cannot be closed by accident: there is no other way to ask than `holds`.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"a window must have a start before its end, not [{self.start}, {self.end})")

    @classmethod
    def days_before(cls, as_of: int, days: int) -> "Window":
        """`[as_of - days * 24 h, as_of)`."""
        return cls(as_of - days * DAY, as_of)

    @property
    def days(self) -> float:
        """Length in days of 24 hours."""
        return (self.end - self.start) / DAY

    def holds(self, moment: int) -> bool:
        """Whether an instant lies in the window: its start does, its end does not."""
        return self.start <= moment < self.end

    def as_json(self) -> dict[str, str]:
        """Start and end as ISO texts."""
        return {"start": iso(self.start), "end": iso(self.end)}


def trend_weeks(as_of: int, weeks: int) -> list[int]:
    """Monday midnights of the `weeks` weeks ending in the one that holds `as_of`, oldest first."""
    last = week_start(as_of)
    return [last - WEEK * back for back in range(weeks - 1, -1, -1)]
