"""A score and a comparison in Markdown, to the byte as other tools print and read them.

Belongs here: those two texts alone. Does not: what Evenhand says beyond them (threshold).

Source: fairness contract, section 10, "Rendered texts"; the golden exports' `rendered` and `score`.
"""

from fractions import Fraction

from evenhand.backtest.decimals import number_text
from evenhand.backtest.scoring import IMPROVED, REGRESSED, Comparison, Score

_VERDICTS = {
    REGRESSED: "Verdict: REGRESSED — do not merge.",
    IMPROVED: "Verdict: improved — no axis regressed.",
}
_UNCHANGED = "Verdict: unchanged — no comparable axis moved."


def score_text(score: Score) -> str:
    """The table of a score."""
    rows = [
        ("Cases scored", str(score.cases)),
        ("True positives", str(score.true_positive)),
        ("False positives", str(score.false_positive)),
        ("True negatives", str(score.true_negative)),
        ("False negatives", str(score.false_negative)),
        ("Precision", _value(score.precision)),
        ("Recall", _value(score.recall)),
    ]
    table = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return f"### Backtest score: `{score.rule_id}`\n\n| Metric | Value |\n| --- | --- |\n{table}"


def comparison_text(comparison: Comparison) -> str:
    """The axes that moved, and the verdict."""
    blocks = [f"### Backtest comparison: `{comparison.rule_id}`"]
    for title, axes in (("Regressed", comparison.regressed), ("Improved", comparison.improved)):
        if axes:
            blocks.append("\n".join([f"**{title}**", *(_moved(comparison, axis) for axis in axes)]))
    blocks.append(_VERDICTS.get(comparison.verdict, _UNCHANGED))
    return "\n\n".join(blocks) + "\n"


def _moved(comparison: Comparison, axis: str) -> str:
    return f"- {axis}: {_value(comparison.baseline.axis(axis))} → {_value(comparison.candidate.axis(axis))}"


def _value(value: Fraction | None) -> str:
    return "N/A" if value is None else number_text(value)
