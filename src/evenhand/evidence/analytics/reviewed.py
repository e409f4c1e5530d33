"""Reviews in a build: the export and its seat records read once, assessed as of an instant, and folded into figures.

Belongs here: from two files to results, with what was bad and the digests of the inputs. Does not: any statistic (a
module each), or pages (site).

Source: What a review means; design, section 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any

from evenhand.errors import SourceError
from evenhand.evidence.analytics.evidence_states import EvidenceStates
from evenhand.evidence.analytics.fix_plans import FixPlans
from evenhand.evidence.analytics.population import Before, Population, population_of
from evenhand.evidence.analytics.registry import SEATS_PROVIDED, span, statistics
from evenhand.evidence.analytics.seat_calibration import SeatCalibration
from evenhand.evidence.assessment import Assessment, assess
from evenhand.evidence.collecting import without_cycle_search
from evenhand.evidence.reading import BadRecord, read_reviews, read_seats
from evenhand.evidence.records import Review
from evenhand.evidence.seats import SeatRecords
from evenhand.metrics.registry import Context
from evenhand.policy import Policy, ascii_lower

REVIEWS, SEATS = "reviews", "seats"
TEXT = "private text"


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
    private: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What of the export nobody may read, by class: for the leak scan."""

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


class Reviewing:
    """A review export being assessed as of an instant: each step once, in whatever order it is asked for."""

    def __init__(self, reviews: Path, seats: Path | None, policy: Policy, as_of: int) -> None:
        self._reviews, self._seats = reviews, seats
        provided = frozenset({SEATS_PROVIDED} if seats is not None else ())
        self.context = Context(policy, as_of, provided)
        self._before = Before(as_of)
        self._bad_seats: list[BadRecord] = []
        self._bad_reviews: list[BadRecord] = []
        self._records: SeatRecords | None = None
        self._population: Population | None = None
        self._results: dict[str, Any] = {}

    def records(self) -> SeatRecords:
        """The seat records; none without a file. SourceError when it cannot be read."""
        if self._records is None:
            self._records = read_seats(self._seats, self._bad_seats) if self._seats is not None else SeatRecords()
        return self._records

    def population(self) -> Population:
        """Every review before as-of, assessed with the others. SourceError when the export cannot be read."""
        if self._population is None:
            records, policy = self.records(), self.context.policy.evidence
            with without_cycle_search():
                read = read_reviews(self._reviews, self._bad_reviews)
                assessment = assess(self._before.passing(read), records, policy)
            self._population = population_of(assessment, records, span(self.context))
        return self._population

    def result(self, name: str) -> Any:
        """The result of one statistic."""
        if name not in self._results:
            self._results[name] = statistics()[name].compute(self.population(), self.context)
        return self._results[name]

    def inputs(self) -> tuple[Input, ...]:
        """What was read: the reviews, then the seats."""
        reviews = len(self.population().assessment.reviews) + self._before.later
        found = [Input(REVIEWS, _digest(self._reviews), reviews, len(self._bad_reviews))]
        if self._seats is not None:
            found.append(Input(SEATS, _digest(self._seats), self.records().read, len(self._bad_seats)))
        return tuple(found)

    def reviewed(self, *, keep: bool = False) -> Reviewed:
        """Everything. keep: whether the assessment itself is kept, for the operator's pages."""
        population = self.population()
        assessment = population.assessment
        allowed = frozenset(self.context.policy.repositories.allow)
        return Reviewed(
            {name: self.result(name) for name in statistics()},
            self.inputs(),
            tuple(self._bad_reviews + self._bad_seats),
            len(population.within),
            self._before.later,
            self._before.undated.total(),
            self._before.undated[True],
            frozenset(name for one in assessment.reviews if (name := ascii_lower(one.review.repo)) not in allowed),
            assessment if keep else None,
            private_texts(one.review for one in assessment.reviews),
        )


def private_texts(reviews: Iterable[Review]) -> dict[str, frozenset[str]]:
    """Pull requests, identities, commits, branches, paths, titles, reasons and quotes of reviews, by class."""
    found: dict[str, set[str]] = {name: set() for name in ("pull request", "review", "commit", "file path", TEXT)}
    for review in reviews:
        found["pull request"].add(f"{review.repo}#{review.pull_number}")
        found["review"].add(review.review_id)
        found["commit"].add(review.head_sha)
        found[TEXT].add(review.head_ref)
        found["file path"].update(review.files_at_head)
        for finding in review.findings:
            found["file path"].update(finding.files)
            found[TEXT].update((finding.title, finding.reason))
            found[TEXT].update(cited.quote for cited in (finding.contradiction, finding.promise) if cited)
    return {name: frozenset(texts) for name, texts in found.items()}


def reviewed(reviews: Path, seats: Path | None, policy: Policy, as_of: int, *, keep: bool = False) -> Reviewed:
    """The figures of a review export; see `Reviewing`."""
    return Reviewing(reviews, seats, policy, as_of).reviewed(keep=keep)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read: {error.strerror or error}; name an export") from error
