"""Re-evaluations: how often and why a pull request was judged again.

Belongs here: the rate and the shares by reason, all of all verdicts. Does not: who asked.

Source: fairness contract, section 7, "reevaluations".
"""

from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric, sums


@dataclass(frozen=True)
class Reevaluations:
    """The rate, and (reason, count, share of all verdicts), the most frequent first."""

    count: int
    rate: Figure
    reasons: tuple[tuple[str, int, Figure], ...]

    def figures(self) -> NamedFigures:
        """`rate` and `reason/REASON`."""
        yield "rate", self.rate
        for reason, _, share in self.reasons:
            yield f"reason/{reason}", share


@metric(
    title="Re-evaluations",
    question="How often is a pull request judged again, and why?",
    source=Source.LEDGER,
    tables=("decision_records", "decision_records.reevaluation_reason"),
    window="parity_days",
    methodology="Fairness methodology, section 7",
)
def reevaluations(cells: Cells, context: Context) -> Reevaluations:
    """cells: reason or null, n."""
    verdicts = sum(cell["n"] for cell in cells)
    counts = sums(cells, "reason", "n")
    reasons = sorted(
        ((reason, n) for reason, (n,) in counts.items() if reason is not None), key=lambda row: (-row[1], row[0])
    )
    count = sum(n for _, n in reasons)
    return Reevaluations(
        count,
        _share(count, verdicts, context),
        tuple((reason, n, _share(n, verdicts, context)) for reason, n in reasons),
    )


def _share(count: int, verdicts: int, context: Context) -> Figure:
    return Figure.proportion(
        count,
        verdicts,
        unit=Unit.EVALUATION,
        source=Source.LEDGER,
        window=context.window(context.policy.windows.parity_days),
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        nothing=context.missing("decision_records") or ("" if verdicts else "no verdict was recorded"),
    )
