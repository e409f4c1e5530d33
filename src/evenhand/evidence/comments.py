"""Inline comments: one for each mechanism whose lead says on which lines it stands.

Belongs here: the body of a comment, its suggestion block, and the marker by which a later pass finds it again. Does
not: who posts it, or the summary (markdown.py).

Source: What a review means, sections 6 (first line, suggestion block) and 9 (inline comment body).
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.canonical import sha256_hex
from evenhand.evidence import untrusted
from evenhand.evidence.assessment import Assessed
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.ranges import covered
from evenhand.evidence.records import Patch, Review
from evenhand.evidence.rules import Rules
from evenhand.evidence.wording import label, lines_words, proof_steps, remarks
from evenhand.evidence.words import lines_of, squeezed

_MARKER_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on the lines of one file."""

    mechanism: Mechanism
    file: str
    start_line: int
    end_line: int
    body: str


def comments(assessed: Assessed, rules: Rules) -> list[Comment]:
    """The comments of a review in the order of its mechanisms."""
    made = []
    seen: Counter[str] = Counter()
    for mechanism in assessed.mechanisms:
        patch = mechanism.lead.finding.patch
        if patch is not None:
            place = _place(assessed.review, patch)
            seen[place] += 1
            marker = f"<!-- {rules.policy.branch_prefix}:comment:{place}:{seen[place]} -->"
            lines = covered(patch)
            body = comment_body(mechanism, patch, assessed, rules, marker)
            made.append(Comment(mechanism, patch.file, lines.start, max(lines.start, lines.stop - 1), body))
    return made


def comment_body(mechanism: Mechanism, patch: Patch, assessed: Assessed, rules: Rules, marker: str) -> str:
    """Label, lens and title, reason, proof steps, suggestion, marker."""
    finding = mechanism.lead.finding
    said = [*remarks(mechanism, mechanism.lead_id in assessed.withdrawn), *proof_steps(mechanism.lead)]
    parts = [
        label(mechanism, rules),
        f"**{untrusted.line(finding.lens)}**: {untrusted.line(finding.title)}",
        untrusted.paragraphs(finding.reason),
        "\n".join(f"- {sentence}" for sentence in said),
        suggestion(patch) if mechanism.lead_id in assessed.suggested else "",
        marker,
    ]
    return "\n\n".join(part for part in parts if part)


def suggestion(patch: Patch) -> str:
    """The block that one click applies.

    It replaces whole lines, so a pure insertion is shown as code instead: applied, it would take the line it is
    shown on.
    """
    hidden = untrusted.hidden_characters(patch.replacement)
    warning = f"This code holds characters that cannot be seen: {', '.join(hidden)}.\n\n" if hidden else ""
    text = "\n".join(lines_of(patch.replacement))
    if not covered(patch):
        return f"{warning}Insert before line {lines_words(patch)}:\n\n{untrusted.fenced(text)}"
    return warning + untrusted.fenced(text, "suggestion")


def _place(review: Review, patch: Patch) -> str:
    """What stays the same when the next pass sees the same code, perhaps some lines further down."""
    replaced = squeezed(patch.replaced) or f"+{squeezed(patch.replacement)}"
    named = "\0".join((review.repo, str(review.pull_number), patch.file, replaced))
    return sha256_hex(named.encode("utf-8", "surrogatepass"))[:_MARKER_DIGITS]
