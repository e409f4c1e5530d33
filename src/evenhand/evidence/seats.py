"""Seat calibration: how a seat fared on a lens for an account, and whether that counts.

Belongs here: adding records up, decided records, the score, and when a seat moves ahead of the router's pick. Does
not: what a score does to a confidence (confidence.py).

Source: What a review means, section 4 (seat score).
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from evenhand.evidence.records import Review, Seat
from evenhand.policy import Evidence, exact

OUTCOMES = ("proven", "contested", "settled", "unsettled", "rejected", "merged", "closed")
"""The counts of a seat record."""

SeatKey = tuple[str, str, str]
"""Account, seat and lens."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A seat of a review that moves ahead of the router's pick on a lens."""

    lens: str
    seat: str
    pick: str


class SeatRecords:
    """Counts of every account, seat and lens."""

    def __init__(self) -> None:
        self.counts: defaultdict[SeatKey, dict[str, int]] = defaultdict(lambda: dict.fromkeys(OUTCOMES, 0))
        self.read = 0

    def add(self, key: SeatKey, counts: dict[str, int]) -> None:
        """Adds one record to those of the same key."""
        self.read += 1
        total = self.counts[key]
        for outcome, count in counts.items():
            total[outcome] += count


class SeatScores:
    """Score and decided records of every account, seat and lens."""

    def __init__(self, records: SeatRecords, policy: Evidence) -> None:
        self._policy = policy
        self._margin = exact(policy.seat_ahead_margin)
        self._scores = {key: score(counts, policy) for key, counts in records.counts.items()}
        self._decided = {key: decided(counts, policy) for key, counts in records.counts.items()}
        self._ahead: dict[tuple[str, str, str, str], bool] = {}
        self._lenses: defaultdict[str, set[str]] = defaultdict(set)
        for account, _, lens in records.counts:
            self._lenses[account].add(lens)

    def ordered(self) -> list[SeatKey]:
        """Every account, seat and lens with a record, by Unicode code points."""
        return sorted(self._scores)

    def score(self, key: SeatKey) -> Fraction:
        """The exact score of a key with a record."""
        return self._scores[key]

    def decided(self, key: SeatKey) -> int:
        """Decided records of a key; 0 without one."""
        return self._decided.get(key, 0)

    def counts(self, key: SeatKey) -> bool:
        """Whether there are enough decided records for the score to weigh on a confidence."""
        return self.decided(key) >= self._policy.seat_counts_records

    def weight(self, key: SeatKey) -> Fraction | None:
        """What a confidence is multiplied by; None when there are too few decided records."""
        return self._scores[key] if key in self._scores and self.counts(key) else None

    def moves_ahead(self, account: str, lens: str, seat: str, pick: str) -> bool:
        """Whether a seat moves ahead of the router's pick on a lens.

        A pick without records has the score that every seat starts with, 1/2. 13/20 against it is ahead by exactly
        0.15, which is enough; as doubles 0.65 - 0.5 is not.
        """
        key, other = (account, seat, lens), (account, pick, lens)
        if seat == pick or key not in self._scores or self.decided(key) < self._policy.seat_ahead_records:
            return False
        asked = (account, lens, seat, pick)
        if asked not in self._ahead:
            start = Fraction(self._policy.prior_successes, self._policy.prior_records)
            self._ahead[asked] = self._scores[key] - self._scores.get(other, start) >= self._margin
        return self._ahead[asked]

    def ahead_in(self, review: Review) -> tuple[Ahead, ...]:
        """Which seats of a review move ahead of its router's pick, by lens and then in the order of the seats."""
        pick = router_pick(review)
        lenses = self._lenses.get(review.account)
        if pick is None or not lenses:
            return ()
        others = dict.fromkeys(seat.seat for seat in review.seats if seat.seat != pick.seat)
        return tuple(
            Ahead(lens, seat, pick.seat)
            for lens in sorted(lenses)
            for seat in others
            if self.moves_ahead(review.account, lens, seat, pick.seat)
        )


def router_pick(review: Review) -> Seat | None:
    """The seat that the router ranked first, at a tie the first listed; None of a review without seats."""
    return min(review.seats, key=lambda seat: seat.rank, default=None)


def score(counts: dict[str, int], policy: Evidence) -> Fraction:
    """The exact score: 3 proven of 3 give (3 + 1) / (3 + 2) = 0.8."""
    return Fraction(*weighed(counts, policy))


def weighed(counts: dict[str, int], policy: Evidence) -> tuple[int, int]:
    """The two sums whose quotient is the score."""
    merged = policy.merged_weight * counts["merged"]
    good = counts["proven"] - counts["contested"] + counts["settled"] + merged + policy.prior_successes
    everything = counts["proven"] + counts["settled"] + counts["unsettled"] + counts["rejected"] + merged
    return good, everything + counts["closed"] + policy.prior_records


def decided(counts: dict[str, int], policy: Evidence) -> int:
    """How many records have an outcome that counts as decided."""
    return sum(counts[outcome] for outcome in policy.decided_outcomes)
