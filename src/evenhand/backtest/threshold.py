"""A threshold backtest: two thresholds of a rule on one corpus, with the evidence that the verdict rests on.

Belongs here: what such a run computes, and its JSON. Does not: its words (words), or any of the statistics.

Source: fairness contract, section 10; interface contract, `evenhand backtest threshold`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.backtest.decimals import printed
from evenhand.backtest.guarantee import Guarantee, certify
from evenhand.backtest.paired import Paired, paired_thresholds
from evenhand.backtest.reliability import Loosest, Reliability, loosest_threshold, reliability
from evenhand.backtest.rendering import comparison_text
from evenhand.backtest.scoring import Comparison, Direction, cells_of, compare_thresholds
from evenhand.backtest.snapshot import Corpus
from evenhand.backtest.splitting import split
from evenhand.policy import Knob, Policy, exact


@dataclass(frozen=True)
class HeldOut:
    """The same comparison on the visible and on the held-out cases."""

    seed: str
    fraction: Fraction
    visible: Comparison
    held_out: Comparison

    def json(self) -> dict[str, Any]:
        """Seed, fraction and both comparisons."""
        return {
            "seed": self.seed,
            "fraction": printed(self.fraction),
            "visible": self.visible.json(),
            "heldOut": self.held_out.json(),
        }


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on."""

    paired: Paired
    held_out: HeldOut
    curve: Reliability
    loosest: Loosest | None
    guarantee: Guarantee

    def json(self, policy: Policy) -> dict[str, Any]:
        """Every part, with the policy's numbers that decided it."""
        z = policy.intervals.z
        return {
            "paired": self.paired.json(z),
            "heldOut": self.held_out.json(),
            "reliability": self.curve.json(z),
            "loosestThreshold": {
                "targetPrecision": policy.backtest.target_precision,
                "found": None if self.loosest is None else self.loosest.json(z),
            },
            "guarantee": self.guarantee.json(),
        }


@dataclass(frozen=True)
class ThresholdRun:
    """One threshold backtest."""

    corpus: Corpus
    old: Fraction
    new: Fraction
    direction: Direction | None
    comparison: Comparison
    evidence: Evidence

    def json(self, policy: Policy) -> dict[str, Any]:
        """The run as a document."""
        directed = (
            {"mustImprove": self.direction.must_improve, "maxSacrifice": printed(self.direction.most_sacrifice)}
            if self.direction
            else {}
        )
        return {
            "ruleId": self.corpus.rule_id,
            "corpusChecksum": self.corpus.checksum,
            "checksumRule": self.corpus.checksum_rule,
            "old": printed(self.old),
            "new": printed(self.new),
            **directed,
            "comparison": self.comparison.json(),
            "rendered": comparison_text(self.comparison),
            "evidence": self.evidence.json(policy),
        }


def knob_of(rule: str, policy: Policy) -> tuple[str, Knob] | None:
    """The known threshold that decides a rule, with its name."""
    for name in policy.backtest.known:
        knob: Knob = getattr(policy, name)
        if rule == knob.rule or rule in knob.diff_rules:
            return name, knob
    return None


def split_seed(rule: str, policy: Policy) -> str:
    """The seed of a rule's split: its known threshold's, else the policy's."""
    known = knob_of(rule, policy)
    return known[1].split_seed if known and known[1].split_seed else policy.backtest.held_out_seed


def run_threshold(
    corpus: Corpus, old: Fraction, new: Fraction, policy: Policy, direction: Direction | None = None
) -> ThresholdRun:
    """Compares two thresholds on a corpus."""
    cells = cells_of(corpus.cases)
    seed, fraction = split_seed(corpus.rule_id, policy), exact(policy.backtest.held_out_fraction)
    sides = [cells_of(side) for side in split(corpus.cases, seed, fraction)]
    visible, held_out = (compare_thresholds(corpus.rule_id, side, old, new, direction) for side in sides)
    evidence = Evidence(
        paired_thresholds(cells, old, new),
        HeldOut(seed, fraction, visible, held_out),
        reliability(cells, policy.backtest),
        loosest_threshold(cells, policy.backtest),
        certify(cells, policy.backtest),
    )
    comparison = compare_thresholds(corpus.rule_id, cells, old, new, direction)
    return ThresholdRun(corpus, old, new, direction, comparison, evidence)
