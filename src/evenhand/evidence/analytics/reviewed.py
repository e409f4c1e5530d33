"""Reviews in a build: the export and its seat records read once, assessed as of an instant, and folded into figures.

Belongs here: from two files to results, with what was bad and the digests of the inputs. Does not: any statistic (a
module each), or pages (site).

Source: What a review means; design, section 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from evenhand.errors import SourceError
from evenhand.evidence.analytics.evidence_states import EvidenceStates
from evenhand.evidence.analytics.fix_plans import FixPlans
from evenhand.evidence.analytics.population import Before, population_of
from evenhand.evidence.analytics.registry import SEATS_PROVIDED, span, statistics
from evenhand.evidence.analytics.seat_calibration import SeatCalibration
from evenhand.evidence.assessment import Assessment, assess
from evenhand.evidence.collecting import without_cycle_search
from evenhand.evidence.reading import BadRecord, read_reviews, read_seats
from evenhand.evidence.seats import SeatRecords
from evenhand.figures import Figure
from evenhand.metrics.registry import Context
from evenhand.policy import Policy, ascii_lower

REVIEWS, SEATS = "reviews", "seats"


@dataclass(frozen=True, slots=True)
class Input:
    """One file that was read. records: those that could be read."""

    kind: str
    sha256: str
    records: int
    bad: int


@dataclass(frozen=True)
class Reviewed:
    """Everything computed of a review export for one as-of.

    later: reviews at or after as-of, which take no part. undated: reviews without an instant, of which `undated_unrun`
    did not run. unnamed: repositories of the export that are not on the allowlist.
    assessment: None unless it was asked for; it holds code, titles and pull requests.
    """

    results: Mapping[str, Any]
    inputs: tuple[Input, ...]
    bad: tuple[BadRecord, ...]
    within: int
    later: int
    undated: int
    undated_unrun: int
    unnamed: frozenset[str]
    assessment: Assessment | None = None

    @property
    def has_seats(self) -> bool:
        """Whether seat records were given."""
        return any(one.kind == SEATS for one in self.inputs)

    @property
    def names(self) -> frozenset[str]:
        """Every lens and seat that a figure is about."""
        states: EvidenceStates = self.results["reviews.evidence_states"]
        fixes: FixPlans = self.results["reviews.fix_plans"]
        seats: SeatCalibration = self.results["reviews.seat_calibration"]
        found = [group.name for group in states.groups]
        found += [one.name for one in (*fixes.follow_up_seats, *fixes.records)]
        return frozenset((*found, *(name for row in seats.rows for name in (row.lens, row.seat))))

    @property
    def earlier(self) -> int:
        """Reviews that could be read and lie before the window."""
        read = next(one.records for one in self.inputs if one.kind == REVIEWS)
        return read - self.within - self.later - self.undated


def reviewed(reviews: Path, seats: Path | None, policy: Policy, as_of: int, *, keep: bool = False) -> Reviewed:
    """The figures of a review export.

    keep: whether the assessment itself is kept, for the operator's pages. SourceError when a file cannot be read.
    """
    bad_seats: list[BadRecord] = []
    bad_reviews: list[BadRecord] = []
    records = read_seats(seats, bad_seats) if seats is not None else SeatRecords()
    context = Context(policy, as_of, frozenset({SEATS_PROVIDED} if seats is not None else ()))
    before = Before(as_of)
    with without_cycle_search():
        assessment = assess(before.passing(read_reviews(reviews, bad_reviews)), records, policy.evidence)
    population = population_of(assessment, records, span(context))
    results = {name: one.compute(population, context) for name, one in statistics().items()}
    allowed = frozenset(policy.repositories.allow)
    inputs = [Input(REVIEWS, _digest(reviews), len(assessment.reviews) + before.later, len(bad_reviews))]
    if seats is not None:
        inputs.append(Input(SEATS, _digest(seats), records.read, len(bad_seats)))
    return Reviewed(
        results,
        tuple(inputs),
        tuple(bad_reviews + bad_seats),
        len(population.within),
        before.later,
        before.undated.total(),
        before.undated[True],
        frozenset(name for one in assessment.reviews if (name := ascii_lower(one.review.repo)) not in allowed),
        assessment if keep else None,
    )


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read: {error.strerror or error}; name an export") from error


def figures_of(found: Reviewed, name: str) -> list[tuple[str, Figure]]:
    """The figures of one statistic with their names."""
    return list(found.results[name].figures())
