"""Scores of a classifier on a corpus, and the comparison of two of them.

Belongs here: the threshold classifier, the confusion counts, and the symmetric and directional verdicts. Does not: the
texts (rendering), or how much a difference can be trusted (paired).

Source: fairness contract, section 10, "Score", "Threshold classifier", "Compare".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.backtest.cases import Case
from evenhand.backtest.decimals import printed
from evenhand.errors import UsageError

PRECISION, RECALL = "precision", "recall"
AXES = (PRECISION, RECALL)
REGRESSED, IMPROVED, UNCHANGED = "regressed", "improved", "unchanged"

_ABSENT = Fraction(1)
"""The confidence of a case that claims none."""


@dataclass(frozen=True, slots=True)
class Score:
    """Confusion counts with "reversed" as the positive class."""

    rule_id: str
    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0

    @property
    def cases(self) -> int:
        """How many cases were scored."""
        return self.true_positive + self.false_positive + self.true_negative + self.false_negative

    @property
    def precision(self) -> Fraction | None:
        """Of the cases predicted reversed, the share that was; None when none was predicted."""
        return _share(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> Fraction | None:
        """Of the reversed cases, the share that was predicted; None when there are none."""
        return _share(self.true_positive, self.true_positive + self.false_negative)

    def axis(self, name: str) -> Fraction | None:
        """precision or recall."""
        return self.precision if name == PRECISION else self.recall

    def json(self) -> dict[str, Any]:
        """The shape of a comparison's baseline and candidate."""
        return {
            "ruleId": self.rule_id,
            "caseCount": self.cases,
            "truePositive": self.true_positive,
            "falsePositive": self.false_positive,
            "trueNegative": self.true_negative,
            "falseNegative": self.false_negative,
            "precision": printed(self.precision),
            "recall": printed(self.recall),
        }


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two scores of one rule."""

    rule_id: str
    baseline: Score
    candidate: Score
    regressed: tuple[str, ...]
    improved: tuple[str, ...]
    verdict: str

    def json(self) -> dict[str, Any]:
        """The shape that runs persist."""
        return {
            "ruleId": self.rule_id,
            "baseline": self.baseline.json(),
            "candidate": self.candidate.json(),
            "regressedAxes": list(self.regressed),
            "improvedAxes": list(self.improved),
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True)
class Direction:
    """A directional comparison: which axis must improve, and how much of the other may be given for it."""

    must_improve: str
    most_sacrifice: Fraction

    def __post_init__(self) -> None:
        if self.must_improve not in AXES:
            raise UsageError(f"the axis that must improve is precision or recall, not {self.must_improve!r}")
        if not 0 <= self.most_sacrifice <= 1:
            raise UsageError(f"the most sacrifice must lie between 0 and 1, not at {float(self.most_sacrifice):g}")

    @property
    def other(self) -> str:
        """The axis that may give way."""
        return RECALL if self.must_improve == PRECISION else PRECISION


@dataclass(frozen=True, slots=True)
class Cell:
    """Cases of one confidence: how many were confirmed and how many reversed."""

    confidence: Fraction | None
    confirmed: int
    reversed: int

    @property
    def cases(self) -> int:
        """All of them."""
        return self.confirmed + self.reversed

    @property
    def effective(self) -> Fraction:
        """The confidence that a threshold is held against."""
        return _ABSENT if self.confidence is None else self.confidence


def cells_of(cases: Iterable[Case]) -> list[Cell]:
    """Cases counted by confidence, lowest first and absent ones last: all that a threshold can see of a corpus."""
    counts: dict[Fraction | None, list[int]] = {}
    for case in cases:
        counts.setdefault(case.confidence, [0, 0])[case.is_reversed] += 1
    return ordered([Cell(confidence, *found) for confidence, found in counts.items()])


def ordered(cells: Iterable[Cell]) -> list[Cell]:
    """Cells by confidence, absent ones last."""
    return sorted(cells, key=lambda cell: (cell.confidence is None, cell.confidence or Fraction(0)))


def score_threshold(rule_id: str, cells: Sequence[Cell], threshold: Fraction) -> Score:
    """A confidence below the threshold predicts reversed."""
    below = [cell for cell in cells if cell.effective < threshold]
    reversed_below, confirmed_below = sum(cell.reversed for cell in below), sum(cell.confirmed for cell in below)
    return Score(
        rule_id,
        true_positive=reversed_below,
        false_positive=confirmed_below,
        true_negative=sum(cell.confirmed for cell in cells) - confirmed_below,
        false_negative=sum(cell.reversed for cell in cells) - reversed_below,
    )


def score_predictions(rule_id: str, predicted_reversed: Iterable[tuple[bool, bool]]) -> Score:
    """The score of any classifier: pairs of (predicted reversed, was reversed)."""
    counts = {(True, True): 0, (True, False): 0, (False, False): 0, (False, True): 0}
    for pair in predicted_reversed:
        counts[pair] += 1
    return Score(rule_id, counts[True, True], counts[True, False], counts[False, False], counts[False, True])


def compare(baseline: Score, candidate: Score, direction: Direction | None = None) -> Comparison:
    """Symmetric without a direction: any axis that falls regresses. An axis without a value on either side is neither.

    Directional: the axis that must improve is held as before; the other one regresses only when it falls by more than
    the allowed sacrifice, and the whole is improved only when the first one improved.
    """
    axes = AXES if direction is None else (direction.must_improve, direction.other)
    regressed, improved = [], []
    for axis in axes:
        before, after = baseline.axis(axis), candidate.axis(axis)
        if before is None or after is None:
            continue
        allowed = direction.most_sacrifice if direction and axis == direction.other else 0
        if after > before:
            improved.append(axis)
        elif before - after > allowed:
            regressed.append(axis)
    is_better = direction.must_improve in improved if direction else bool(improved)
    verdict = REGRESSED if regressed else IMPROVED if is_better else UNCHANGED
    return Comparison(baseline.rule_id, baseline, candidate, tuple(regressed), tuple(improved), verdict)


def compare_thresholds(
    rule_id: str, cells: Sequence[Cell], old: Fraction, new: Fraction, direction: Direction | None = None
) -> Comparison:
    """Two thresholds of one rule on the same cases."""
    return compare(score_threshold(rule_id, cells, old), score_threshold(rule_id, cells, new), direction)
