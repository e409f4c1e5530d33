"""The body of a fix plan as Markdown: what is taken, what else was considered, what was left out and why.

Belongs here: the words of a plan and of a day's housekeeping. Does not: the choice (plans.py, housekeeping.py).

Source: What a review means, section 8 (fix plan).
"""

from collections.abc import Iterator

from evenhand.evidence import untrusted
from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.housekeeping import Housekeeping
from evenhand.evidence.plans import Choice, FixPlan, Skip
from evenhand.evidence.rules import Rules
from evenhand.evidence.wording import copy_label, coverage_words, place


def plan_pieces(assessment: Assessment) -> Iterator[str]:
    """The plans of an export, parted by rules."""
    bodies = [plan_body(made, made.plan, assessment.rules) for made in assessment.reviews if made.plan is not None]
    bodies.extend(housekeeping_body(day, assessment.rules) for day in assessment.housekeeping or ())
    for number, body in enumerate(bodies):
        yield ("\n---\n\n" if number else "") + body


def plan_body(assessed: Assessed, plan: FixPlan, rules: Rules) -> str:
    """The body of one plan."""
    review = assessed.review
    parts = [
        f"## Fixes for {untrusted.code(review.repo)} {review.pull_number}",
        f"Branch {untrusted.code(plan.branch)} onto {untrusted.code(plan.target)}.",
        untrusted.line(coverage_words(review) or ""),
        "### Taken\n\n" + "\n".join(_chosen(choice, rules) for choice in plan.chosen),
    ]
    if plan.skipped:
        parts.append("### Skipped\n\n" + "\n".join(_skipped(skip, rules) for skip in plan.skipped))
    return "\n\n".join(part for part in parts if part) + "\n"


def housekeeping_body(day: Housekeeping, rules: Rules) -> str:
    """The body of one day's cleanup: one commit a mechanism."""
    parts = [
        f"## Housekeeping in {untrusted.code(day.repo)} on {day.day}",
        f"Branch {untrusted.code(day.branch)}, one commit each:",
        "\n".join(_chosen(commit.choice, rules) for commit in day.commits),
    ]
    if day.skipped:
        parts.append("### Skipped\n\n" + "\n".join(_skipped(skip, rules) for _, skip in day.skipped))
    return "\n\n".join(parts) + "\n"


def _chosen(choice: Choice, rules: Rules) -> str:
    finding = choice.copy.finding
    taken = f"{untrusted.code(finding.finding_id)} by {untrusted.line(finding.seat)}"
    lines = [
        f"- {taken}, {untrusted.code(place(choice.copy))}: {untrusted.line(finding.title)}",
        f"  - {copy_label(choice.copy, rules)}",
    ]
    if choice.alternatives:
        others = (
            f"{untrusted.code(copy.finding.finding_id)} by {untrusted.line(copy.finding.seat)}"
            for copy in choice.alternatives
        )
        lines.append(f"  - Alternatives considered: {', '.join(others)}")
    else:
        lines.append("  - No alternative.")
    return "\n".join(lines)


def _skipped(skip: Skip, rules: Rules) -> str:
    finding = skip.choice.copy.finding
    overlapped = untrusted.code(skip.overlapped.copy.finding.finding_id)
    return (
        f"- {untrusted.code(finding.finding_id)}, {copy_label(skip.choice.copy, rules)}: "
        f"{untrusted.line(finding.title)}; overlaps {overlapped}"
    )
