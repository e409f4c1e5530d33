"""Review parity: whether maintainers' and contributors' pull requests are treated alike.

Belongs here: the fold by author class, over everything and by named repository. Does not: why evaluations were
repeated (reevaluations). It counts evaluations, not pull requests, except where it says so.
The one join: decision records to the author's association, which does not come from the ledger.

Source: fairness contract, section 7, D13.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric

CLASSES = ("maintainer", "contributor", "unknown")
"""Author classes in their published order; the unknown class is never folded into another."""


@dataclass(frozen=True)
class ClassParity:
    """How the pull requests of one author class were treated."""

    author_class: str
    verdicts: int
    pull_requests: int
    findings_basis: int
    reviews_per_pull_request: Figure
    findings_per_evaluation: Figure
    close_rate: Figure
    hold_rate: Figure


@dataclass(frozen=True)
class ReviewParity:
    """Classes that are present over all repositories, and by repository of the allowlist."""

    verdicts: Figure
    classes: tuple[ClassParity, ...]
    repositories: tuple[tuple[str, tuple[ClassParity, ...]], ...]

    def figures(self) -> NamedFigures:
        """`verdicts`, then `SCOPE/CLASS/NAME` with the scope `all` or a repository."""
        yield "verdicts", self.verdicts
        for scope, classes in (("all", self.classes), *self.repositories):
            for row in classes:
                prefix = f"{scope}/{row.author_class}"
                yield f"{prefix}/reviews_per_pull_request", row.reviews_per_pull_request
                yield f"{prefix}/findings_per_evaluation", row.findings_per_evaluation
                yield f"{prefix}/close_rate", row.close_rate
                yield f"{prefix}/hold_rate", row.hold_rate


@metric(
    title="Review parity",
    question="Are maintainers' and contributors' pull requests treated alike?",
    source=Source.LEDGER,
    tables=("decision_records",),
    window="parity_days",
    methodology="Fairness methodology, section 7",
)
def review_parity(cells: Cells, context: Context) -> ReviewParity:
    """cells: repo or null, association or null, verdicts, pull_requests, findings_basis, findings, closes, holds."""
    by_repository: defaultdict[str, Cells] = defaultdict(list)
    for cell in cells:
        if cell["repo"] is not None:
            by_repository[cell["repo"]].append(cell)
    # Without the table of pull requests every author would read as unknown, which is not what was measured.
    if context.missing("pull_requests", "pull_requests.author_association"):
        return ReviewParity(_verdicts(sum(cell["verdicts"] for cell in cells), context), (), ())
    volume = {repo: sum(cell["verdicts"] for cell in of) for repo, of in by_repository.items()}
    named = sorted(by_repository, key=lambda repo: (-volume[repo], repo))
    return ReviewParity(
        _verdicts(sum(cell["verdicts"] for cell in cells), context),
        _classes(cells, context),
        tuple((repo, _classes(by_repository[repo], context)) for repo in named),
    )


def _verdicts(count: int, context: Context) -> Figure:
    return Figure.counted(
        count,
        unit=Unit.EVALUATION,
        source=Source.LEDGER,
        window=context.window(context.policy.windows.parity_days),
    )


def _classes(cells: Cells, context: Context) -> tuple[ClassParity, ...]:
    sums: dict[str, dict[str, int]] = {}
    for cell in cells:
        author_class = author_class_of(cell["association"], context.policy.ledger.maintainer_associations)
        into = sums.setdefault(author_class, defaultdict(int))
        for name in ("verdicts", "pull_requests", "findings_basis", "findings", "closes", "holds"):
            into[name] += int(cell[name] or 0)
    return tuple(_class(name, sums[name], context) for name in CLASSES if name in sums)


def author_class_of(association: str | None, maintainers: tuple[str, ...]) -> str:
    """The class of an association as stored: trimmed and upper-cased; blank or absent is unknown."""
    stated = (association or "").strip().upper()
    if not stated:
        return "unknown"
    return "maintainer" if stated in maintainers else "contributor"


def _class(author_class: str, sums: dict[str, int], context: Context) -> ClassParity:
    evidence: dict[str, Any] = {
        "unit": Unit.EVALUATION,
        "source": Source.LEDGER,
        "window": context.window(context.policy.windows.parity_days),
    }
    rounding = context.policy.rounding
    share = {**evidence, "z": context.policy.intervals.z, "places": rounding.percent_places}
    return ClassParity(
        author_class,
        sums["verdicts"],
        sums["pull_requests"],
        sums["findings_basis"],
        Figure.mean(
            sums["verdicts"],
            sums["pull_requests"],
            **evidence | {"unit": Unit.PULL_REQUEST},
            places=rounding.mean_places,
        ),
        Figure.mean(
            sums["findings"],
            sums["findings_basis"],
            **evidence,
            places=rounding.mean_places,
            basis="evaluations with a count",
            nothing="no evaluation carries a count of findings",
        ),
        Figure.proportion(sums["closes"], sums["verdicts"], **share),
        Figure.proportion(sums["holds"], sums["verdicts"], **share),
    )
