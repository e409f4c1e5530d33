"""The evidence state of one copy: what was run, and what it showed.

Belongs here: the rules from reproduction and suite to a state, in their order. Does not: what a state does to a
confidence (confidence.py) or to a patch (suggestions.py, plans.py).

Source: What a review means, section 2 (evidence state).
"""

from dataclasses import dataclass

from evenhand.evidence.records import Colour, Finding, Pass, Purpose, Reproduction, RunStatus, Suite, SuiteStatus
from evenhand.evidence.rules import State

RED_BASELINE = "red_baseline"
"""Why a suite that is red without the patch says nothing about it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """State of a copy. reason: why it could not run. unsafe_patch: the suite turned red with the patch."""

    state: State
    reason: str | None = None
    unsafe_patch: bool = False


_PLAIN = {state: Verdict(state) for state in State}


def verdict_of(finding: Finding, review_pass: Pass) -> Verdict:
    """The first rule that matches decides."""
    unsafe = _breaks_green_suite(finding.suite)
    if review_pass is Pass.FIRST:
        return Verdict(State.UNVERIFIED, None, unsafe)
    verdict = _from_what_ran(finding, unsafe)
    if finding.scope_sent_away and verdict.state is not State.REFUTED:
        return Verdict(State.UNVERIFIED, None, verdict.unsafe_patch)
    return verdict


def _breaks_green_suite(suite: Suite | None) -> bool:
    return (
        suite is not None
        and suite.status is SuiteStatus.RAN
        and suite.baseline is Colour.GREEN
        and suite.with_patch is Colour.RED
    )


def _from_what_ran(finding: Finding, unsafe: bool) -> Verdict:
    reproduction, suite = finding.reproduction, finding.suite
    if reproduction is not None:
        if reproduction.status is not RunStatus.RAN:
            return Verdict(State.COULD_NOT_RUN, str(reproduction.status), unsafe)
        if not _holds(reproduction, finding.purpose):
            return Verdict(State.REFUTED, None, unsafe)
        return Verdict(State.UNVERIFIED if finding.contested_by else State.PROVEN, None, unsafe)
    if suite is None or suite.status is SuiteStatus.NO_TEST_COMMAND:
        return _PLAIN[State.UNVERIFIED]
    if suite.status is not SuiteStatus.RAN:
        return Verdict(State.COULD_NOT_RUN, str(suite.status))
    return _from_suite(suite, finding.purpose, unsafe)


def _from_suite(suite: Suite, purpose: Purpose, unsafe: bool) -> Verdict:
    if suite.baseline is Colour.RED:
        return Verdict(State.COULD_NOT_RUN, RED_BASELINE)
    if suite.with_patch is Colour.GREEN:
        return _PLAIN[State.SUITE_GREEN]
    if suite.with_patch is None:
        return _PLAIN[State.UNVERIFIED]
    if purpose is Purpose.PERF:
        return Verdict(State.REFUTED, None, unsafe)
    # The suite decides here even when its baseline is unknown: red with the patch is reason enough not to apply it.
    return Verdict(State.UNVERIFIED, None, True)


def _holds(reproduction: Reproduction, purpose: Purpose) -> bool:
    if purpose is Purpose.DRIFT:
        return reproduction.referent_gone
    return reproduction.fails_before and reproduction.passes_after
