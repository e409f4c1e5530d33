"""Decision accuracy: of the pull requests that the gate merged or closed by itself, how many were not undone.

Belongs here: the fold over repositories. Does not: the weekly trend (accuracy_trend), the fleet's confirmed
verdicts (fleet/instance_signals). The one join: auto-actions to completed reversals of the same pull request.

Source: fairness contract, section 4, D9.
"""

from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric, sums

NO_ACTION = "no auto-action was recorded"
NO_REPOSITORY = "no repository is on the allowlist"
_NONE = (0, 0)


@dataclass(frozen=True)
class RepositoryAccuracy:
    """Auto-actions of one repository and how many were reversed."""

    repository: str
    auto_actioned: int
    reversed: int
    accuracy: Figure


@dataclass(frozen=True)
class DecisionAccuracy:
    """Accuracy over all repositories of the allowlist and of each, by name."""

    auto_actioned: int
    reversed: int
    accuracy: Figure
    repositories: tuple[RepositoryAccuracy, ...]

    def figures(self) -> NamedFigures:
        """`all/accuracy` and `REPOSITORY/accuracy`."""
        yield "all/accuracy", self.accuracy
        for row in self.repositories:
            yield f"{row.repository}/accuracy", row.accuracy


@metric(
    title="Decision accuracy",
    question="Of what the gate merged or closed by itself, how much did nobody undo?",
    source=Source.OUTCOMES,
    tables=("audit_events",),
    window="accuracy_days",
    methodology="Fairness methodology, section 4",
)
def decision_accuracy(cells: Cells, context: Context) -> DecisionAccuracy:
    """cells: repo, auto_actioned, reversed. A repository of the allowlist without auto-actions keeps a row."""
    counts = sums(cells, "repo", "auto_actioned", "reversed")
    repositories = sorted(set(counts) | set(context.policy.repositories.allow))
    rows = tuple(_repository(repository, counts.get(repository, _NONE), context) for repository in repositories)
    auto_actioned, undone = sum(row.auto_actioned for row in rows), sum(row.reversed for row in rows)
    return DecisionAccuracy(auto_actioned, undone, accuracy_of(auto_actioned, undone, context), rows)


def _repository(repository: str, counts: tuple[int, ...], context: Context) -> RepositoryAccuracy:
    auto_actioned, undone = counts
    return RepositoryAccuracy(repository, auto_actioned, undone, accuracy_of(auto_actioned, undone, context))


def accuracy_of(auto_actioned: int, undone: int, context: Context) -> Figure:
    """1 - reversed/auto-actioned; not measurable without an auto-action: "-" is not 100 %."""
    return Figure.proportion(
        auto_actioned - undone,
        auto_actioned,
        unit=Unit.PULL_REQUEST,
        source=Source.OUTCOMES,
        window=context.window(context.policy.windows.accuracy_days),
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        nothing=NO_ACTION if context.policy.repositories.allow else NO_REPOSITORY,
    )
