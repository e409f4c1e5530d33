"""Per-rule precision: how often people let a rule's firing stand.

Belongs here: the fold from verdict counts to one `RulePrecision` a rule. Does not: what counts as a verdict
or is attributable (lake/views.sql), how an interval is drawn (stats), what may be shown (disclosure).

Source: fairness contract, section 2 and "Beyond LoopOver" there.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class RulePrecision:
    """Verdicts on one rule. precision: confirmed of decided; explicit: the same without implicit confirmations."""

    rule_id: str
    confirmed: int
    reversed: int
    unrecognized: int
    implicit: int
    precision: Figure
    explicit: Figure
    score_gate: bool

    @property
    def decided(self) -> int:
        """Recognized verdicts."""
        return self.confirmed + self.reversed


@dataclass(frozen=True)
class RulePrecisions:
    """Every rule with a verdict in the window, ordered by rule id (Unicode code points)."""

    rules: tuple[RulePrecision, ...]

    def figures(self) -> NamedFigures:
        """`RULE/precision` and `RULE/explicit_precision`."""
        for rule in self.rules:
            yield f"{rule.rule_id}/precision", rule.precision
            yield f"{rule.rule_id}/explicit_precision", rule.explicit


@metric(
    title="Precision per rule",
    question="When the rule fired and a person looked, how often did the firing stand?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="signals_days",
    methodology="Fairness methodology, section 2",
    floors=("rule_precision",),
)
def rule_precision(cells: Cells, context: Context) -> RulePrecisions:
    """One row a rule.

    cells: rule_id, verdict confirmed | reversed | unrecognized, implicit bool or null, n.
    A rule with nothing but unrecognized verdicts keeps its row: 0 decided is a finding, silence is not.
    """
    verdicts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cell in cells:
        verdicts[cell["rule_id"]][cell["verdict"]] += cell["n"]
        if cell["implicit"] and cell["verdict"] == "confirmed":
            verdicts[cell["rule_id"]]["implicit"] += cell["n"]
    return RulePrecisions(tuple(_row(rule, verdicts[rule], context) for rule in sorted(verdicts)))


def _row(rule_id: str, count: Counter[str], context: Context) -> RulePrecision:
    confirmed, overturned, implicit = count["confirmed"], count["reversed"], count["implicit"]
    return RulePrecision(
        rule_id,
        confirmed,
        overturned,
        count["unrecognized"],
        implicit,
        _precision(confirmed, confirmed + overturned, context, "explicit and implicit verdicts"),
        _precision(confirmed - implicit, confirmed - implicit + overturned, context, "explicit verdicts only"),
        rule_id in context.policy.signals.score_gates,
    )


def _precision(confirmed: int, decided: int, context: Context, basis: str) -> Figure:
    # 59 of 60 confirmed: Wald would claim [0.951, 1.016]; Wilson says [0.911, 0.997].
    return Figure.proportion(
        confirmed,
        decided,
        unit=Unit.OVERRIDE,
        source=Source.SIGNALS,
        window=context.window(context.policy.windows.signals_days),
        z=context.policy.intervals.z,
        places=context.policy.rounding.precision_places,
        scale=Scale.RATIO,
        floor=context.policy.floors.rule_precision,
        basis=basis,
    )
