"""Check-run annotations: what is proven, on its lines, and what nothing reaches.

Belongs here: the annotations in the form that a check run takes. Does not: comments (comments.py). Nothing
unverified is ever an annotation, for an annotation reads as a fact.

Source: What a review means, section 6 (annotations).
"""

from collections.abc import Iterator
from typing import Any

from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.json_form import json_text
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.ranges import covered
from evenhand.evidence.records import DeadCode
from evenhand.evidence.rules import Rules, State
from evenhand.evidence.wording import coverage_words, label, proof_steps, remarks
from evenhand.site.text import visible

Annotation = dict[str, Any]

_LONGEST_TITLE = 255
"""What a check run takes."""


def annotation_pieces(assessment: Assessment) -> Iterator[str]:
    """One line a review, whose annotations go to the check run of its head."""
    yield '{"reviews": ['
    separator = "\n"
    for assessed in assessment.reviews:
        review = assessed.review
        yield separator + json_text(
            {
                "review_id": review.review_id,
                "repo": review.repo,
                "pull_number": review.pull_number,
                "head_sha": review.head_sha,
                "title": assessed.headline.line(),
                "summary": visible(coverage_words(review) or "Every shard was reviewed and no lens was left out."),
                "annotations": annotations(assessed, assessment.rules),
            }
        )
        separator = ",\n"
    yield "\n]}\n"


def annotations(assessed: Assessed, rules: Rules) -> list[Annotation]:
    """The annotations of one review: proven mechanisms in their order, then dead code."""
    proven = [found for found in assessed.mechanisms if found.state is State.PROVEN]
    made = [_of_mechanism(found, assessed, rules) for found in proven]
    return [found for found in made if found is not None] + [_of_dead_code(dead) for dead in assessed.dead_code]


def _of_mechanism(mechanism: Mechanism, assessed: Assessed, rules: Rules) -> Annotation | None:
    finding = mechanism.lead.finding
    if finding.patch is not None:
        path, lines = finding.patch.file, covered(finding.patch)
        first, last = lines.start, max(lines.start, lines.stop - 1)
    elif finding.files:
        path, first, last = finding.files[0], 1, 1  # the whole file: a proof without a patch names no line
    else:
        return None
    said = [*remarks(mechanism, mechanism.lead_id in assessed.withdrawn), *proof_steps(mechanism.lead)]
    return {
        "path": path,
        "start_line": first,
        "end_line": last,
        "annotation_level": "warning",
        "title": visible(finding.title)[:_LONGEST_TITLE],
        "message": "\n".join([label(mechanism, rules), *_visible_lines(finding.reason), *said]),
    }


def _of_dead_code(dead: DeadCode) -> Annotation:
    return {
        "path": dead.file,
        "start_line": dead.start_line,
        "end_line": dead.end_line,
        "annotation_level": "notice",
        "title": "Dead code",
        "message": f"Nothing reaches {visible(dead.symbol)}.",
    }


def _visible_lines(text: str) -> list[str]:
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
