"""The summary of a review as Markdown: headline, compact list, what was not done, details, how it ran.

Belongs here: the layout. Does not: what is said (wording.py), escaping (untrusted.py), comments on lines
(comments.py) or fix plans (plan_text.py).

Source: What a review means, section 6.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from evenhand.evidence import untrusted
from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.comments import comments
from evenhand.evidence.confidence import percent_of
from evenhand.evidence.headline import SEPARATOR
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.records import DeadCode
from evenhand.evidence.rules import Rules
from evenhand.evidence.wording import (
    DEAD_CODE_TITLE,
    NOT_CLEAN,
    SECTION_TITLES,
    Fact,
    gaps,
    impact_words,
    is_incomplete,
    partial_facts,
    place,
    proof_steps,
    remarks,
    run_facts,
    state_words,
)
from evenhand.evidence.words import trimmed

Entry = tuple[str, str]
"""Title of the section, and the line of the list."""


def markdown_pieces(assessment: Assessment) -> Iterator[str]:
    """Summary and inline comments of every review, parted by rules."""
    for number, assessed in enumerate(assessment.reviews):
        yield ("\n---\n\n" if number else "") + summary(assessed, assessment.rules)
        found = comments(assessed, assessment.rules)
        if found:
            yield "\n### Inline comments\n"
        for comment in found:
            yield f"\n#### {untrusted.code(place(comment.mechanism.lead))}\n\n{comment.body}\n"


def summary(assessed: Assessed, rules: Rules) -> str:
    """The summary of one review."""
    review = assessed.review
    parts = [
        f"## {untrusted.code(review.repo)} {review.pull_number}: {review.review_pass} pass",
        f"**{assessed.headline.line()}**",
    ]
    if is_incomplete(review):
        parts.append("### Partial review\n\n" + _facts(partial_facts(review)) + f"\n\n{NOT_CLEAN}")
    elif gaps(review):
        parts.append("Not covered:\n\n" + _facts(gaps(review)) + f"\n\n{NOT_CLEAN}")
    entries = entries_of(assessed, rules)
    limit = rules.policy.compact_entries
    parts.extend(_sections(entries[:limit], "###"))
    if assessed.mechanisms or len(entries) > limit:
        parts.append(_details(assessed, entries[limit:], rules))
    parts.append(_folded("How this review ran", _facts(run_facts(assessed))))
    return "\n\n".join(parts) + "\n"


def entries_of(assessed: Assessed, rules: Rules) -> list[Entry]:
    """Every entry of the compact list, also those beyond its limit."""
    entries = [(SECTION_TITLES[m.section], _mechanism_line(m, rules)) for m in assessed.mechanisms]
    return entries + [(DEAD_CODE_TITLE, _dead_line(dead)) for dead in assessed.dead_code]


def _mechanism_line(mechanism: Mechanism, rules: Rules) -> str:
    percent = f"{percent_of(mechanism.confidence, rules)}%"
    words = [state_words(mechanism.state), impact_words(mechanism), percent]
    where = place(mechanism.lead)
    told = SEPARATOR.join(word for word in words if word)
    return f"- {told}: {untrusted.line(mechanism.lead.finding.title)}" + (
        f" ({untrusted.code(where)})" if where else ""
    )


def _dead_line(dead: DeadCode) -> str:
    return f"- {untrusted.code(dead.symbol)} ({untrusted.code(f'{dead.file}:{dead.start_line}-{dead.end_line}')})"


def _sections(entries: Sequence[Entry], heading: str) -> Iterator[str]:
    for title, group in groupby(entries, key=lambda entry: entry[0]):
        yield f"{heading} {title}\n\n" + "\n".join(line for _, line in group)


def _details(assessed: Assessed, rest: Sequence[Entry], rules: Rules) -> str:
    blocks = list(_sections(rest, "####"))
    blocks.extend(_told(mechanism, assessed, rules) for mechanism in assessed.mechanisms)
    return _folded(f"Details ({len(rest)} more)" if rest else "Details", "\n\n".join(blocks))


def _told(mechanism: Mechanism, assessed: Assessed, rules: Rules) -> str:
    finding = mechanism.lead.finding
    said = [*remarks(mechanism, mechanism.lead_id in assessed.withdrawn), *proof_steps(mechanism.lead)]
    facts = [
        f"- Lenses: {', '.join(map(untrusted.line, mechanism.lenses))}",
        f"- Seats: {', '.join(map(untrusted.line, mechanism.seats))}",
        f"- Copies: {', '.join(untrusted.code(copy.finding.finding_id) for copy in mechanism.copies)}",
    ]
    if finding.reach and trimmed(finding.reach):
        facts.append(f"- Reach: {untrusted.line(finding.reach)}")
    if finding.files:
        facts.append(f"- Files: {', '.join(map(untrusted.code, finding.files))}")
    lines = [f"- {sentence}" for sentence in said] + facts
    parts = (f"#### {untrusted.line(finding.title)}", untrusted.paragraphs(finding.reason), "\n".join(lines))
    return "\n\n".join(part for part in parts if part)


def _facts(facts: Sequence[Fact]) -> str:
    return "\n".join(f"- {fact.name}: {', '.join(map(untrusted.line, fact.values))}" for fact in facts)


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
