"""Seat calibration: each seat's record on a lens for an account, its score, and what the score may do.

Belongs here: counts, score, decided records, whether they weigh on a confidence, and whether the seat moves ahead of
the router's pick. Does not: the score's formula (seats.py).

A record belongs to one account, and so does a score. An account is named only when it owns a repository of the
allowlist; the records of all others are added up by seat and lens, without a score.

Source: What a review means, section 4 (seat score).
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction

from evenhand.evidence.analytics.population import Population, plain
from evenhand.evidence.analytics.registry import SEATS_PROVIDED, counted, statistic
from evenhand.evidence.seats import OUTCOMES, decided, router_pick, weighed
from evenhand.figures import Figure, NamedFigures, Reason, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, sums
from evenhand.policy import ascii_lower

PRIOR = "weighted records, with those that every seat starts with"
POOLED = "a score belongs to one account"


@dataclass(frozen=True)
class SeatRow:
    """A seat on a lens, for an account or for all that are not named.

    weighs: whether there are enough decided records for the score to change a confidence; None of pooled accounts.
    beside: reviews in the window in which the seat sat beside another pick; ahead: of them, where it moves ahead.
    """

    account: str | None
    lens: str
    seat: str
    counts: dict[str, int]
    decided: Figure
    score: Figure
    weighs: bool | None
    beside: Figure
    ahead: Figure

    @property
    def key(self) -> str:
        """Unique among the rows: an account's name has no colon before its end."""
        account = "others" if self.account is None else f"account/{self.account}"
        return f"{account}/{self.lens}/{self.seat}"


@dataclass(frozen=True)
class SeatCalibration:
    """The rows that may be published, and those of every account."""

    rows: tuple[SeatRow, ...]
    every: tuple[SeatRow, ...]
    provided: bool

    def figures(self) -> NamedFigures:
        """By account, lens and seat: decided records, score, and reviews in which the seat moves ahead."""
        for row in self.rows:
            yield f"{row.key}/decided", row.decided
            yield f"{row.key}/score", row.score
            yield f"{row.key}/beside_the_pick", row.beside
            yield f"{row.key}/ahead", row.ahead


def count(population: Population) -> Cells:
    """One row for each account, seat and lens with a record: its counts, and reviews beside and ahead of a pick."""
    beside: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for assessed in population.within:
        pick = router_pick(assessed.review)
        for seat in {one.seat for one in assessed.review.seats}:
            if pick is not None and seat != pick.seat:
                beside[assessed.review.account, seat][pick.seat] += 1
    scores = population.assessment.scores
    rows = []
    for account, seat, lens in sorted(population.records.counts):
        picks = beside[account, seat]
        ahead = sum(n for pick, n in picks.items() if scores.moves_ahead(account, lens, seat, pick))
        key = {"account": plain(account), "seat": plain(seat), "lens": plain(lens)}
        rows.append(key | population.records.counts[account, seat, lens] | {"beside": picks.total(), "ahead": ahead})
    return rows


@statistic(
    count=count,
    title="Seat calibration",
    question="Whose word has held, on which lens?",
    rule="The records of an account, seat and lens added up. Score = (proven - contested + settled + 2 merged + 1) / "
    "(proven + settled + unsettled + rejected + 2 merged + closed + 2), with the weights of the policy; decided "
    "records, and from how many a score weighs on confidence or lets a seat move ahead of the router's pick, are the "
    "policy's too. A seat is compared with the pick of each review in the window in which it sat. An account is named "
    "only when it owns a repository of the allowlist.",
    source=Source.SEATS,
    window="",
)
def fold(cells: Cells, context: Context) -> SeatCalibration:
    """cells: account, seat, lens, the seven outcomes of a seat record, beside int, ahead int."""
    owners = {name.split("/")[0] for name in context.policy.repositories.allow}
    every = _rows(cells, context)
    named = [cell for cell in cells if ascii_lower(cell["account"]) in owners]
    others = [cell | {"account": None} for cell in cells if ascii_lower(cell["account"]) not in owners]
    provided = SEATS_PROVIDED in context.provided
    return SeatCalibration((*_rows(named, context), *_rows(others, context)), every, provided)


def _rows(cells: Cells, context: Context) -> tuple[SeatRow, ...]:
    keyed = [cell | {"key": (cell["account"], cell["lens"], cell["seat"])} for cell in cells]
    totals = sums(keyed, "key", *OUTCOMES, "beside", "ahead")
    return tuple(_row(key, totals[key], context) for key in sorted(totals, key=lambda key: (key[0] or "", *key[1:])))


def _row(key: tuple[str | None, str, str], totals: tuple[int, ...], context: Context) -> SeatRow:
    account, lens, seat = key
    counts = dict(zip(OUTCOMES, totals, strict=False))
    beside, ahead = totals[len(OUTCOMES) :]
    known = decided(counts, context.policy.evidence)
    return SeatRow(
        account,
        lens,
        seat,
        counts,
        counted(known, context, unit=Unit.RECORD, source=Source.SEATS, any_age=True),
        _score(counts, context) if account is not None else _no_score(),
        None if account is None else known >= context.policy.evidence.seat_counts_records,
        counted(beside, context, unit=Unit.REVIEW),
        counted(ahead, context, unit=Unit.REVIEW),
    )


def _score(counts: dict[str, int], context: Context) -> Figure:
    """Weighted records over weighted records: no share of independent cases, so that it has no interval."""
    good, everything = weighed(counts, context.policy.evidence)
    return Figure(
        Scale.SCORE,
        Unit.RECORD,
        Source.SEATS,
        None,
        good,
        everything,
        Fraction(good, everything),
        context.policy.evidence.score_places,
        basis=PRIOR,
    )


def _no_score() -> Figure:
    return Figure.missing(
        Reason.NOT_MEASURABLE, scale=Scale.SCORE, unit=Unit.RECORD, source=Source.SEATS, window=None, detail=POOLED
    )
