"""The sample's calendar: its span of days, the weekly rhythm, the quiet weeks, and how instants are written.

Times are integers, milliseconds since the epoch, UTC. What happens at those times belongs elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

# 1 January 1970 was a Thursday, the fourth day of a week that starts on Monday
EPOCH_WEEKDAY = 3
WEEKDAY_LOAD = (1.00, 1.08, 1.05, 0.98, 0.86, 0.38, 0.34)

# Quiet weeks, counted back from the week that holds as_of, so that they always lie inside the trend
FROZEN_WEEKS_BACK = 4  # a release freeze: nearly nothing opens, nothing ends
DRY_RUN_WEEKS_BACK = 6  # the gate ran in dry-run: volume, but no auto-action to be right or wrong about
PAUSED_WEEKS_BACK = 2  # one repository switched auto-actions off
FROZEN_LOAD = 0.03


@dataclass(frozen=True)
class Span:
    """The days of one sample, ending at `as_of` (exclusive)."""

    as_of: int
    days: int

    @property
    def start(self) -> int:
        """The first instant of the sample."""
        return self.as_of - self.days * DAY

    def day_starts(self) -> Iterator[int]:
        """The start of each 24 hours, oldest first."""
        return iter(range(self.start, self.as_of, DAY))

    def week_back(self, weeks: int) -> int:
        """The Monday that starts the week `weeks` before the one that holds `as_of`."""
        return week_start(self.as_of) - weeks * WEEK

    def in_week(self, times: npt.NDArray[np.int64], weeks_back: int) -> npt.NDArray[np.bool_]:
        """Which of `times` fall in that week."""
        monday = self.week_back(weeks_back)
        inside: npt.NDArray[np.bool_] = (times >= monday) & (times < monday + WEEK)
        return inside

    def thaw(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Move what would happen during the freeze to the same hour one week later."""
        return np.where(self.in_week(times, FROZEN_WEEKS_BACK), times + WEEK, times)

    def loads(self) -> npt.NDArray[np.float64]:
        """How much opens on each day, relative to a Monday."""
        starts = np.array(list(self.day_starts()), dtype=np.int64)
        weekday = (starts // DAY + EPOCH_WEEKDAY) % 7
        load = np.array(WEEKDAY_LOAD)[weekday]
        return np.where(self.in_week(starts, FROZEN_WEEKS_BACK), load * FROZEN_LOAD, load)


def week_start(time: int) -> int:
    """The Monday, midnight UTC, of the week that holds `time`."""
    day = time // DAY
    return (day - (day + EPOCH_WEEKDAY) % 7) * DAY


def to_ms(instant: datetime) -> int:
    """Milliseconds since the epoch."""
    whole = instant.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return whole.days * DAY + whole.seconds * SECOND + whole.microseconds // 1000


def iso_all(times: npt.NDArray[np.int64]) -> list[str]:
    """Each instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    texts: list[str] = np.datetime_as_string(times.astype("datetime64[ms]"), timezone="UTC").tolist()
    return texts


def iso(time: int) -> str:
    """One instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    return iso_all(np.array([time], dtype=np.int64))[0]


def spaced(text: str) -> str:
    """An ISO text as SQL's CURRENT_TIMESTAMP writes it: `YYYY-MM-DD HH:MM:SS`."""
    return f"{text[:10]} {text[11:19]}"


def day_text(time: int) -> str:
    """The UTC day, `YYYY-MM-DD`."""
    return iso(time)[:10]
