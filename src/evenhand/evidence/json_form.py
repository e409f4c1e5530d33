"""The assessment as JSON, the form that other programs read.

Belongs here: names and shapes of the fields. Does not: any rule. One review stands on one line, written as it comes,
so that twenty thousand of them are never one text in memory.

Source: interface contract, "evenhand evidence"; What a review means, section 9 (output order).
"""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.headline import severity_counts
from evenhand.evidence.housekeeping import Housekeeping
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.plans import FixPlan
from evenhand.evidence.reading import BadRecord
from evenhand.evidence.rules import Rules
from evenhand.evidence.seats import SeatScores
from evenhand.stats import rounded

Json = dict[str, Any]


def json_pieces(assessment: Assessment, bad: Sequence[BadRecord]) -> Iterator[str]:
    """The document in pieces, one a review."""
    rules = assessment.rules
    yield from _listed("reviews", (review_json(assessed, rules) for assessed in assessment.reviews), "{")
    yield from _listed("seat_scores", seat_scores_json(assessment.scores, rules), ",\n")
    yield from _listed("bad_records", ({"file": b.file, "line": b.line, "reason": b.reason} for b in bad), ",\n")
    if assessment.housekeeping is not None:
        yield from _listed("housekeeping", map(housekeeping_json, assessment.housekeeping), ",\n")
    yield "}\n"


def _listed(name: str, items: Iterator[Json], before: str) -> Iterator[str]:
    yield f'{before}"{name}": ['
    separator = "\n"
    for item in items:
        yield separator + json_text(item)
        separator = ",\n"
    yield "\n]" if separator != "\n" else "]"


def json_text(value: Any) -> str:
    """One line of JSON. An unpaired surrogate has no UTF-8, so a text with one is escaped whole."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text


def review_json(assessed: Assessed, rules: Rules) -> Json:
    """One review."""
    entries = compact_entries(assessed)
    limit = rules.policy.compact_entries
    return {
        "review_id": assessed.review.review_id,
        "headline": assessed.headline.tokens,
        "summary_confidence_pct": assessed.headline.confidence_percent,
        "elapsed": assessed.headline.elapsed,
        "cost": assessed.headline.cost,
        "severity_counts": {str(impact): n for impact, n in severity_counts(assessed.mechanisms).items()},
        "mechanisms": [mechanism_json(mechanism, assessed, rules) for mechanism in assessed.mechanisms],
        "compact_list": entries[:limit],
        "overflow": max(0, len(entries) - limit),
        "withdrawn": list(assessed.withdrawn),
        "fix_plan": None if assessed.plan is None else plan_json(assessed.plan),
    }


def compact_entries(assessed: Assessed) -> list[str]:
    """Every entry of the compact list, also those beyond its limit: leads, then dead code."""
    leads = [mechanism.lead_id for mechanism in assessed.mechanisms]
    return leads + [f"dead:{dead.file}:{dead.symbol}" for dead in assessed.dead_code]


def mechanism_json(mechanism: Mechanism, assessed: Assessed, rules: Rules) -> Json:
    """One mechanism; reason and unsafe_patch are its lead's."""
    return {
        "lead": mechanism.lead_id,
        "members": [copy.finding.finding_id for copy in mechanism.copies],
        "lenses": mechanism.lenses,
        "seats": mechanism.seats,
        "evidence": mechanism.state,
        "reason": mechanism.lead.reason,
        "confidence": mechanism.confidence / rules.whole_confidence,
        "section": mechanism.section,
        "impact": mechanism.rating.impact,
        "impact_inferred": mechanism.rating.inferred,
        "unsafe_patch": mechanism.lead.unsafe_patch,
        "has_suggestion": mechanism.lead_id in assessed.suggested,
    }


def plan_json(plan: FixPlan) -> Json:
    """One fix plan by finding ids."""
    return {
        "branch": plan.branch,
        "target": plan.target,
        "chosen": [choice.copy.finding.finding_id for choice in plan.chosen],
        "alternatives": {
            choice.copy.finding.finding_id: [copy.finding.finding_id for copy in choice.alternatives]
            for choice in plan.chosen
        },
        "skipped": [
            {"finding_id": skip.choice.copy.finding.finding_id, "reason": skip.reason} for skip in plan.skipped
        ],
    }


def housekeeping_json(found: Housekeeping) -> Json:
    """The cleanup of one repository and day; finding ids are unique only within their review."""
    return {
        "repo": found.repo,
        "day": found.day,
        "branch": found.branch,
        "commits": [
            {
                "review_id": commit.review.review_id,
                "lead": commit.choice.mechanism.lead_id,
                "finding_id": commit.choice.copy.finding.finding_id,
                "alternatives": [copy.finding.finding_id for copy in commit.choice.alternatives],
            }
            for commit in found.commits
        ],
        "skipped": [
            {
                "review_id": review.review_id,
                "finding_id": skip.choice.copy.finding.finding_id,
                "reason": skip.reason,
            }
            for review, skip in found.skipped
        ],
    }


def seat_scores_json(scores: SeatScores, rules: Rules) -> Iterator[Json]:
    """Every seat record key by account, seat, lens."""
    for key in scores.ordered():
        account, seat, lens = key
        exact: Fraction = scores.score(key)
        yield {
            "account": account,
            "seat": seat,
            "lens": lens,
            "decided": scores.decided(key),
            "score": rounded(exact, rules.policy.score_places),
        }
