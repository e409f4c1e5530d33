"""Which reviews count: those before as-of, and of them those in the window.

Belongs here: the instant of a review, and what lies in no window. Does not: counting (a module a statistic) or reading
files (reviewed.py).

A review is placed by the instant at which it ended; one whose end is not known by its start. Without either it stands
in no window, for it cannot be said to lie before as-of; it is counted as undated, so that reviews that never ran do not
vanish. Seat records bear no time: they are taken as they stood when their file was written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.records import Pass, Review
from evenhand.evidence.seats import SeatRecords
from evenhand.metrics.registry import Cells
from evenhand.timeline import Window


@dataclass(frozen=True)
class Population:
    """The reviews of an export before as-of, all assessed together, and those of them in the window."""

    assessment: Assessment
    within: tuple[Assessed, ...]
    records: SeatRecords

    @property
    def deep(self) -> Iterator[Assessed]:
        """Those of the deep pass: a first pass proves nothing, so that its states say nothing."""
        return (assessed for assessed in self.within if assessed.review.review_pass is Pass.DEEP)

    @property
    def first(self) -> Iterator[Assessed]:
        """Those of the first pass."""
        return (assessed for assessed in self.within if assessed.review.review_pass is Pass.FIRST)


def moment_of(review: Review) -> int | None:
    """Whole microseconds since the epoch of a review's end, else of its start; None when neither is known."""
    moment = review.finished_at if review.finished_at is not None else review.started_at
    return None if moment is None else int(moment // 1)


def population_of(assessment: Assessment, records: SeatRecords, window: Window) -> Population:
    """The population of an assessment for a window."""
    moments = ((assessed, moment_of(assessed.review)) for assessed in assessment.reviews)
    within = tuple(assessed for assessed, moment in moments if moment is not None and window.holds(moment))
    return Population(assessment, within, records)


class Before:
    """Lets the reviews before as-of through, undated ones too, and counts the others."""

    def __init__(self, as_of: int) -> None:
        self._as_of = as_of
        self.later = 0
        self.undated: Counter[bool] = Counter()
        """How many bear no instant, by whether they did not run."""

    def passing(self, reviews: Iterable[Review]) -> Iterator[Review]:
        """The reviews that as-of may know."""
        for review in reviews:
            moment = moment_of(review)
            if moment is not None and moment >= self._as_of:
                self.later += 1
                continue
            if moment is None:
                self.undated[review.did_not_run] += 1
            yield review


def cells_of(names: tuple[str, ...], counted: Counter[tuple[str, ...]]) -> Cells:
    """Counts by a key as rows, the key's parts under their names, ordered by the key."""
    return [dict(zip(names, map(plain, key), strict=True)) | {"n": counted[key]} for key in sorted(counted)]


def plain(name: str) -> str:
    """A name as text that has UTF-8: half a surrogate pair, which JSON can hold, is written out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
