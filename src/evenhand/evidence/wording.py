"""What is said about a review, as plain facts that every form shows alike.

Belongs here: labels, proof steps, coverage and how the review ran, as names and texts. Does not: escaping or layout
(markdown.py, comments.py, pages.py). The texts hold what reviewers wrote, unescaped.

Source: What a review means, section 6 (partial review, how this review ran, first line of a comment).
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.evidence.assessment import Assessed
from evenhand.evidence.confidence import percent_of
from evenhand.evidence.grouping import patch_key
from evenhand.evidence.headline import SEPARATOR
from evenhand.evidence.mechanisms import Copy, Mechanism
from evenhand.evidence.ranges import covered
from evenhand.evidence.records import Instant, Patch, Review, RunStatus, Status, SuiteStatus
from evenhand.evidence.rules import Rules, Section, State
from evenhand.evidence.states import RED_BASELINE
from evenhand.timeline import iso

SECTION_TITLES = {
    Section.REVIEW: "Review",
    Section.UNVERIFIED: "Unverified",
    Section.NOTES: "Notes",
    Section.CLEANUP: "Cleanup",
}
DEAD_CODE_TITLE = "Dead code"
NOT_CLEAN = "What was not read was not reviewed; nothing here says that it is free of faults."


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its values. The values are texts out of the export."""

    name: str
    values: tuple[str, ...]


def state_words(state: State) -> str:
    """`SUITE GREEN`."""
    return state.upper().replace("_", " ")


def label(mechanism: Mechanism, rules: Rules) -> str:
    """The first line of an inline comment: product, state, confidence."""
    percent = percent_of(mechanism.confidence, rules)
    return SEPARATOR.join((rules.policy.product, state_words(mechanism.state), f"confidence {percent}%"))


def copy_label(copy: Copy, rules: Rules) -> str:
    """The label of one copy alone: its patch is no more proven because another copy of the mechanism is."""
    percent = percent_of(copy.confidence, rules)
    return SEPARATOR.join((rules.policy.product, state_words(copy.state), f"confidence {percent}%"))


def place(copy: Copy) -> str:
    """Where a copy is: the lines of its patch, else its first file."""
    patch = copy.finding.patch
    if patch is not None:
        return f"{patch.file}:{lines_words(patch)}"
    return copy.finding.files[0] if copy.finding.files else ""


def lines_words(patch: Patch) -> str:
    """`12` or `12-14`; a pure insertion is named by the line before which it stands."""
    lines = covered(patch)
    return f"{lines.start}-{lines.stop - 1}" if len(lines) > 1 else str(lines.start)


def impact_words(mechanism: Mechanism) -> str | None:
    """`high`, `high (inferred from a promise)`, or None when unrated."""
    rating = mechanism.rating
    if rating.impact is None:
        return None
    return f"{rating.impact} (inferred from a promise)" if rating.inferred else str(rating.impact)


def reason_words(reason: str) -> str:
    """Why something could not run, in words."""
    return _REASONS[reason]


_REASONS = {
    str(RunStatus.TIMED_OUT): "it ran out of time",
    str(RunStatus.PATCH_NOT_APPLIED): "the patch does not apply",
    str(RunStatus.TOOLCHAIN_MISSING): "the toolchain is missing",
    str(RunStatus.PREPARATION_FAILED): "the preparation failed",
    str(RunStatus.CLOCK): "the review's time was up",
    RED_BASELINE: "the test suite is red without the patch",
}


def proof_steps(copy: Copy) -> list[str]:
    """What ran for a copy, and what it showed."""
    steps = []
    reproduction, suite = copy.finding.reproduction, copy.finding.suite
    if reproduction is not None and reproduction.status is RunStatus.RAN:
        before = "failed" if reproduction.fails_before else "did not fail"
        after = "passed" if reproduction.passes_after else "did not pass"
        gone = "; what it refers to is gone" if reproduction.referent_gone else ""
        steps.append(f"Reproduction ran: {before} before the patch, {after} after it{gone}.")
    if suite is not None and suite.status is SuiteStatus.RAN:
        steps.append(
            f"Test suite ran: {suite.baseline or 'unknown'} without the patch, {suite.with_patch or 'unknown'} with it."
        )
    return steps


def remarks(mechanism: Mechanism, withdrawn: bool) -> list[str]:
    """What a reader must know before trusting the finding or its patch."""
    lead = mechanism.lead
    said = []
    if mechanism.section is Section.NOTES:
        said.append("A line of the repository contradicts the change.")
    if lead.reason is not None:
        said.append(f"Could not be run: {reason_words(lead.reason)}.")
    if lead.unsafe_patch:
        said.append("The test suite turns red with this patch; it is not offered.")
    elif _has_bad_twin(mechanism):
        said.append("Another copy of this patch was refuted, or turned the test suite red.")
    if withdrawn:
        said.append("Withdrawn: the deep pass refuted a patch on the same lines.")
    if lead.finding.contested_by:
        said.append("The proof was contested.")
    return said


def _has_bad_twin(mechanism: Mechanism) -> bool:
    """Whether the lead's very patch did badly in another hand. Its block stays, for it is the lead's; this warns."""
    patch = mechanism.lead.finding.patch
    bad = [copy.finding.patch for copy in mechanism.copies if copy.unsafe_patch or copy.state is State.REFUTED]
    if patch is None or mechanism.lead.state is State.REFUTED:
        return False
    return any(other is not None and patch_key(other) == patch_key(patch) for other in bad)


def is_incomplete(review: Review) -> bool:
    """Whether the review has a section on what it did not do."""
    return review.status is not Status.COMPLETE


def partial_facts(review: Review) -> list[Fact]:
    """What an incomplete review did not do: facts, never a count of findings."""
    return [
        Fact("Seats that did not finish every lens", unfinished_words(review) or ("none named",)),
        Fact("Shards", (shards_words(review),)),
        Fact("Lenses skipped", review.lenses_skipped or ("none",)),
        Fact("Lenses cut", review.lenses_cut or ("none",)),
    ]


def gaps(review: Review) -> list[Fact]:
    """What even a review that calls itself complete did not cover: shown beside the headline, never folded away."""
    found = []
    unfinished = unfinished_words(review)
    if unfinished:
        found.append(Fact("Seats that did not finish every lens", unfinished))
    if review.shards_reviewed < review.shards_total:
        found.append(Fact("Shards", (shards_words(review),)))
    if review.lenses_skipped:
        found.append(Fact("Lenses skipped", review.lenses_skipped))
    if review.lenses_cut:
        found.append(Fact("Lenses cut", review.lenses_cut))
    return found


def unfinished_words(review: Review) -> tuple[str, ...]:
    """`alder: docs, tests` for each seat that did not finish every lens."""
    return tuple(f"{seat.seat}: {', '.join(seat.unfinished_lenses)}" for seat in review.seats if seat.unfinished_lenses)


def coverage_words(review: Review) -> str | None:
    """One sentence on what a review did not cover; None of a review that covered everything."""
    if review.did_not_run:
        return f"The review did not run. {NOT_CLEAN}"
    if is_incomplete(review):
        return f"The review is incomplete. {NOT_CLEAN}"
    left = [f"{fact.name.lower()}: {', '.join(fact.values)}" for fact in gaps(review)]
    return f"Not covered: {'; '.join(left)}. {NOT_CLEAN}" if left else None


def shards_words(review: Review) -> str:
    """`2 of 3 reviewed`."""
    return f"{review.shards_reviewed} of {review.shards_total} reviewed"


def run_facts(assessed: Assessed) -> list[Fact]:
    """How the review ran. One that did not run has neither time nor cost."""
    review = assessed.review
    facts = [
        Fact("Reviewers", tuple(f"{seat.seat} ({seat.lab})" for seat in review.seats) or ("none",)),
        Fact("Coverage", (f"shards: {shards_words(review)}", *_lens_words(review))),
        *_ahead_facts(assessed),
        Fact("Tests at head", ((review.tests_at_head or "unknown").replace("_", " "),)),
    ]
    if not review.did_not_run:
        facts.append(Fact("Clock", (_clock(assessed),)))
        facts.append(Fact("Cost", (assessed.headline.cost or "unknown",)))
    facts.append(Fact("Failures", _failures(assessed)))
    facts.append(Fact("Remaining work", _remaining(review)))
    return facts


def _ahead_facts(assessed: Assessed) -> list[Fact]:
    """Only where a seat moves ahead: otherwise the router's order stands, which needs no words."""
    words = tuple(f"{found.seat} on {found.lens}, ahead of {found.pick}" for found in assessed.ahead)
    return [Fact("Ahead of the router's pick by their record", words)] if words else []


def _lens_words(review: Review) -> tuple[str, ...]:
    skipped = f"lenses skipped: {', '.join(review.lenses_skipped)}" if review.lenses_skipped else "no lens skipped"
    cut = f"lenses cut: {', '.join(review.lenses_cut)}" if review.lenses_cut else "no lens cut"
    return skipped, cut


def _clock(assessed: Assessed) -> str:
    review = assessed.review
    start, end = _instant(review.started_at), _instant(review.finished_at)
    return f"{start} to {end}" + (f", {assessed.headline.elapsed}" if assessed.headline.elapsed else "")


def _instant(moment: Instant | None) -> str:
    if moment is None:
        return "unknown"
    try:
        return iso(int(moment // 1))
    except OverflowError:  # an offset has moved it out of every calendar
        return "outside the calendar"


def _failures(assessed: Assessed) -> tuple[str, ...]:
    counts = Counter(copy.reason for mechanism in assessed.mechanisms for copy in mechanism.copies if copy.reason)
    return tuple(f"{reason_words(reason)}: {counts[reason]}" for reason in sorted(counts)) or ("none recorded",)


def _remaining(review: Review) -> tuple[str, ...]:
    left = [
        f"{seat.seat} has not finished {', '.join(seat.unfinished_lenses)}"
        for seat in review.seats
        if seat.unfinished_lenses
    ]
    unread = review.shards_total - review.shards_reviewed
    if unread > 0:
        left.append(f"shards not reviewed: {unread}")
    return tuple(left) or ("none recorded",)
