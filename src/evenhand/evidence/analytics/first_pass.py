"""First-pass suggestions: how they fared when the deep pass looked at the same lines.

Belongs here: each suggestion of a first pass beside the deep reviews of its pull request. Does not: what withdraws one
(passes.py), or what is suggested (suggestions.py).

Source: What a review means, section 7 (two passes).
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from evenhand.evidence.analytics.population import Population, cells_of
from evenhand.evidence.analytics.registry import counted, share, statistic
from evenhand.evidence.assessment import Assessed
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.passes import PullRequest
from evenhand.evidence.ranges import CoveredLines, covered
from evenhand.evidence.records import Pass, Patch, Status
from evenhand.evidence.rules import Rules, State
from evenhand.evidence.suggestions import may_be_suggested
from evenhand.figures import Figure, NamedFigures, Unit
from evenhand.metrics.registry import Cells, Context, sums

WITHDRAWN, NOT_SEEN = "withdrawn", "not_seen"
MET = (WITHDRAWN, *(str(state) for state in State if state is not State.REFUTED), NOT_SEEN)
"""What a complete deep pass can make of a suggestion. Its shares are of these."""
INSERTION, INCOMPLETE, NO_DEEP_PASS = "insertion", "deep_pass_incomplete", "no_deep_pass"
NOT_MET = (INSERTION, INCOMPLETE, NO_DEEP_PASS)


@dataclass(frozen=True)
class FirstPass:
    """Suggestions by what became of them. shares: of those that a deep pass met."""

    suggestions: Figure
    met: int
    counts: dict[str, Figure]
    shares: dict[str, Figure]

    def figures(self) -> NamedFigures:
        """All suggestions, the count of each outcome, and the share of each that a deep pass can decide."""
        yield "suggestions", self.suggestions
        for outcome, figure in self.counts.items():
            yield f"{outcome}/count", figure
        for outcome, figure in self.shares.items():
            yield f"{outcome}/share", figure


class _DeepPass:
    """What the deep reviews of one pull request say: their patches by state, and whether any read everything."""

    def __init__(self, rules: Rules) -> None:
        self._strongest_first = sorted(State, key=rules.strength.__getitem__)
        self.patches: defaultdict[State, list[Patch]] = defaultdict(list)
        self.ran = self.complete = False
        self._lines: dict[State, CoveredLines] | None = None

    def add(self, assessed: Assessed) -> None:
        """Takes note of a deep review that ran."""
        self.ran = True
        self.complete = self.complete or assessed.review.status is Status.COMPLETE
        for mechanism in assessed.mechanisms:
            for copy in mechanism.copies:
                if copy.finding.patch is not None:
                    self.patches[copy.state].append(copy.finding.patch)

    def strongest(self, patch: Patch) -> State | None:
        """The strongest state of a copy that replaces one of the same lines."""
        if self._lines is None:
            self._lines = {state: CoveredLines(patches) for state, patches in self.patches.items()}
        lines = self._lines
        return next((state for state in self._strongest_first if state in lines and lines[state].touch(patch)), None)


def count(population: Population) -> Cells:
    """Suggestions of first-pass reviews by outcome. Deep reviews count whatever their age, if they lie before as-of."""
    first = [
        (assessed, [one for one in assessed.mechanisms if may_be_suggested(one, population.assessment.deliver)])
        for assessed in population.first
    ]
    rules = population.assessment.rules
    deep = {assessed.review.pull_request: _DeepPass(rules) for assessed, suggested in first if suggested}
    for assessed in population.assessment.reviews:
        review = assessed.review
        if review.review_pass is Pass.DEEP and review.pull_request in deep and not review.did_not_run:
            deep[review.pull_request].add(assessed)
    found: Counter[tuple[str, ...]] = Counter(
        (_outcome(one, assessed, deep),) for assessed, suggested in first for one in suggested
    )
    return cells_of(("outcome",), found)


def _outcome(suggested: Mechanism, assessed: Assessed, deep: dict[PullRequest, _DeepPass]) -> str:
    """A refuted patch on the same lines decides; then the strongest evidence on them; then why there is none."""
    looked, patch = deep[assessed.review.pull_request], suggested.lead.finding.patch
    if suggested.lead_id in assessed.withdrawn:
        return WITHDRAWN
    if not looked.ran or patch is None:
        return NO_DEEP_PASS
    if not covered(patch):
        return INSERTION
    state = looked.strongest(patch)
    if state is not None:
        return str(state)
    return NOT_SEEN if looked.complete else INCOMPLETE


@statistic(
    count=count,
    title="First-pass suggestions in the deep pass",
    question="How did what was suggested early fare when it was looked at again?",
    rule="Each mechanism of a first-pass review whose patch was offered. Withdrawn: a deep review of the pull request "
    "refuted a patch that replaces one of the same lines. Otherwise the strongest evidence of a deep copy whose patch "
    "replaces one of the same lines; not seen when a complete deep review has none there. Where no deep review ran, "
    "where none was complete, or where the suggestion only inserts lines, nothing can be said, and the share leaves it "
    "out.",
    floors=("suggestion_floor",),
)
def fold(cells: Cells, context: Context) -> FirstPass:
    """cells: outcome, n."""
    totals = sums(cells, "outcome", "n")
    counts = {outcome: totals.get(outcome, (0,))[0] for outcome in (*MET, *NOT_MET)}
    met = sum(counts[outcome] for outcome in MET)
    floor = context.policy.reviews.suggestion_floor
    return FirstPass(
        counted(sum(counts.values()), context, unit=Unit.SUGGESTION),
        met,
        {outcome: counted(n, context, unit=Unit.SUGGESTION) for outcome, n in counts.items()},
        {outcome: share(counts[outcome], met, context, unit=Unit.SUGGESTION, floor=floor) for outcome in MET},
    )
