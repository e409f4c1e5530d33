"""Evidence states: what share of mechanisms is proven, refuted or in between, by lens and by seat.

Belongs here: mechanisms of the deep pass by their state. Does not: the first pass, whose copies are unverified by rule
(first_pass.py), or what a state is (states.py).

Source: What a review means, sections 2 (evidence state) and 5 (mechanisms).
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.evidence.analytics.population import Population, cells_of
from evenhand.evidence.analytics.registry import counted, share, statistic
from evenhand.evidence.rules import State
from evenhand.figures import Figure, NamedFigures, Unit
from evenhand.metrics.registry import Cells, Context

ALL, LENS, SEAT = "all", "lens", "seat"


@dataclass(frozen=True)
class StateShares:
    """The mechanisms of one lens, of one seat, or all of them: how many, and the share of each state."""

    by: str
    name: str
    total: int
    mechanisms: Figure
    shares: dict[str, Figure]

    @property
    def key(self) -> str:
        """Unique among the groups."""
        return self.by if self.by == ALL else f"{self.by}/{self.name}"


@dataclass(frozen=True)
class EvidenceStates:
    """All mechanisms, then by lens and by seat, by name."""

    groups: tuple[StateShares, ...]

    def of(self, by: str) -> list[StateShares]:
        """The groups of one kind."""
        return [group for group in self.groups if group.by == by]

    def figures(self) -> NamedFigures:
        """By group: the mechanisms, and the share of each state."""
        for group in self.groups:
            yield f"{group.key}/mechanisms", group.mechanisms
            for state, figure in group.shares.items():
                yield f"{group.key}/{state}", figure


def count(population: Population) -> Cells:
    """Mechanisms by state: once for all, once for each of their lenses, once for each of their seats."""
    found: Counter[tuple[str, ...]] = Counter()
    for assessed in population.deep:
        for mechanism in assessed.mechanisms:
            state = str(mechanism.state)
            found[ALL, "", state] += 1
            found.update((LENS, lens, state) for lens in mechanism.lenses)
            found.update((SEAT, seat, state) for seat in mechanism.seats)
    return cells_of(("by", "name", "state"), found)


@statistic(
    count=count,
    title="Evidence states",
    question="What came of the findings when they were put to the test?",
    rule="Mechanisms of deep reviews, each with its strongest evidence. A mechanism that several lenses or seats found "
    "counts under each of them, so that lenses and seats do not add up to all.",
    floors=("mechanism_floor",),
)
def fold(cells: Cells, context: Context) -> EvidenceStates:
    """cells: by 'all' | 'lens' | 'seat', name, state, n."""
    floor = context.policy.reviews.mechanism_floor
    totals: dict[tuple[str, str], Counter[str]] = {(ALL, ""): Counter()}
    for cell in cells:
        totals.setdefault((cell["by"], cell["name"]), Counter())[cell["state"]] += cell["n"]
    groups = []
    for by in (ALL, LENS, SEAT):
        for kind, name in sorted(key for key in totals if key[0] == by):
            states = totals[kind, name]
            of = states.total()
            groups.append(
                StateShares(
                    kind,
                    name,
                    of,
                    counted(of, context, unit=Unit.MECHANISM),
                    {
                        str(state): share(states[state], of, context, unit=Unit.MECHANISM, floor=floor)
                        for state in map(str, State)
                    },
                )
            )
    return EvidenceStates(tuple(groups))
