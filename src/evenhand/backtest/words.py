"""A threshold backtest in words: the compatible text first, to the byte, and after it what it rests on.

Belongs here: sentences and the table of the curve, as plain lines and as Markdown. Does not: any statistic, or the
compatible text itself (rendering).

Source: fairness contract, section 10; interface contract, `evenhand backtest threshold`.
"""

from fractions import Fraction

from evenhand.backtest.decimals import number_text
from evenhand.backtest.diff import DiffRun, summary_lines
from evenhand.backtest.guarantee import CALIBRATED, INSUFFICIENT_LABELS, Guarantee
from evenhand.backtest.logic import LogicRun
from evenhand.backtest.paired import Change, Paired
from evenhand.backtest.reliability import Loosest, Reliability
from evenhand.backtest.rendering import comparison_text
from evenhand.backtest.threshold import Evidence, HeldOut, ThresholdRun
from evenhand.policy import Policy, exact
from evenhand.stats import rounded, wilson


def text_of(run: ThresholdRun, policy: Policy) -> str:
    """The compatible text, then the evidence in plain lines."""
    lines = [
        f"Threshold {number_text(run.old)} -> {number_text(run.new)} on {len(run.corpus.cases):,} cases "
        f"(corpus {run.corpus.checksum[:12]}).",
        *paired_lines(run.evidence.paired, policy),
        *held_out_lines(run.evidence.held_out),
        *_claim_lines(run.evidence, policy),
    ]
    return comparison_text(run.comparison) + "\n" + "\n".join(lines) + "\n"


def markdown_of(run: ThresholdRun, policy: Policy) -> str:
    """The compatible text, then the evidence as Markdown."""
    told = [*paired_lines(run.evidence.paired, policy), *held_out_lines(run.evidence.held_out)]
    told += _claim_lines(run.evidence, policy)
    points = "".join(f"- {line}\n" for line in told)
    head = f"Threshold {number_text(run.old)} → {number_text(run.new)} on {len(run.corpus.cases):,} cases."
    corpus = f"Corpus checksum (`{run.corpus.checksum_rule}`): `{run.corpus.checksum}`"
    curve = _curve_table(run.evidence.curve, policy)
    return f"{comparison_text(run.comparison)}\n#### Evidence\n\n{head} {corpus}\n\n{points}\n{curve}"


MARKER = "<!-- evenhand-backtest -->"
"""The first line of a comment on a pull request: where it stands already, it is updated and not repeated."""

ADVISORY = "Advisory only: a person decides."


def diff_text(run: DiffRun, policy: Policy) -> str:
    """What a diff changes and what came of it, in plain lines."""
    return "\n".join([*summary_lines(run), "", *(text_of(one, policy) for _, one in run.runs), ADVISORY]) + "\n"


def diff_markdown(run: DiffRun, policy: Policy) -> str:
    """The same as a comment."""
    points = "".join(f"- {line}\n" for line in summary_lines(run))
    blocks = [markdown_of(one, policy) for _, one in run.runs]
    return "\n".join([MARKER, "## Threshold backtest", "", points, *blocks, ADVISORY]) + "\n"


def logic_lines(run: LogicRun, policy: Policy) -> list[str]:
    """What a logic backtest replayed and found, a line each."""
    raised = f"; exceptions: {run.raised[0]:,} before, {run.raised[1]:,} after" if any(run.raised) else ""
    return [
        f"Replayed {run.replayed:,} of {len(run.corpus.cases):,} cases through {run.entry}; "
        f"{run.skipped:,} without captured context were skipped{raised}.",
        f"Base {run.revisions[0]}, head {run.revisions[1]}.",
        f"Corpus checksum ({run.corpus.checksum_rule}): {run.corpus.checksum}",
        *paired_lines(run.paired, policy),
    ]


def logic_text(run: LogicRun, policy: Policy) -> str:
    """A logic backtest in plain lines."""
    return comparison_text(run.comparison) + "\n" + "\n".join([*logic_lines(run, policy), ADVISORY]) + "\n"


def logic_markdown(run: LogicRun, policy: Policy) -> str:
    """A logic backtest as a comment."""
    points = "".join(f"- {line}\n" for line in logic_lines(run, policy))
    return f"{MARKER}\n## Logic backtest\n\n{comparison_text(run.comparison)}\n{points}\n{ADVISORY}\n"


def skip_notice(why: str) -> str:
    """What stands in the comment when the backtest itself could not be run."""
    return f"{MARKER}\n## Logic backtest\n\nSkipped, and no verdict: {why}.\n\n{ADVISORY}\n"


def paired_lines(paired: Paired, policy: Policy) -> list[str]:
    """Flips, the test and the changes, a line each."""
    z = policy.intervals.z
    changed = paired.corrected + paired.broken
    weight = f"exact McNemar p = {paired.p_value:.3g}" if changed else "no case changed, so there is nothing to test"
    return [
        f"Predictions that flip: {paired.to_reversed:,} to reversed, {paired.to_confirmed:,} to confirmed.",
        f"Set right {paired.corrected:,}, broken {paired.broken:,}; {weight}.",
        _change_line("Precision", paired.precision(z), policy),
        _change_line("Recall", paired.recall(z), policy),
        _change_line("Accuracy", paired.accuracy(z), policy),
    ]


def _change_line(name: str, change: Change, policy: Policy) -> str:
    before, after = _share_words(change.before, policy), _share_words(change.after, policy)
    if change.interval is None:
        return f"{name}: {before} before, {after} after; no change can be measured."
    low, high = (_points(bound, policy) for bound in change.interval)
    note = "" if change.paired else ", the two sets taken as independent"
    return f"{name}: {before} before, {after} after; change between {low} and {high} points (95 %{note})."


def _share_words(counts: tuple[int, int], policy: Policy) -> str:
    part, whole = counts
    bounds = wilson(part, whole, policy.intervals.z)
    if bounds is None:
        return "none (0 of 0)"
    share = _percent(Fraction(part, whole), policy)
    return f"{share} % ({part:,} of {whole:,}, {_percent(bounds[0], policy)} to {_percent(bounds[1], policy)})"


def _percent(share: Fraction | float, policy: Policy) -> str:
    places = policy.rounding.percent_places
    return f"{float(rounded(Fraction(share) * 100, places)):.{places}f}"


def _points(share: float, policy: Policy) -> str:
    places = policy.rounding.percent_places
    value = float(rounded(Fraction(share) * 100, places)) + 0.0  # no minus before a zero
    return f"{value:+.{places}f}" if value else f"{0:.{places}f}"


def held_out_lines(held_out: HeldOut) -> list[str]:
    """The verdict on either side of the split."""
    visible, hidden = held_out.visible, held_out.held_out
    return [
        f"Visible {visible.baseline.cases:,} cases: {visible.verdict}; held out {hidden.baseline.cases:,}: "
        f"{hidden.verdict} (fraction {number_text(held_out.fraction)}, seed {held_out.seed})."
    ]


def _claim_lines(evidence: Evidence, policy: Policy) -> list[str]:
    return evidence_lines(evidence.curve, evidence.loosest, evidence.guarantee, policy)


def evidence_lines(curve: Reliability, loosest: Loosest | None, guarantee: Guarantee, policy: Policy) -> list[str]:
    """What the claimed confidence is worth: calibration error, loosest threshold, guarantee."""
    return [_calibration_line(curve, policy), loosest_line(loosest, policy), guarantee_line(guarantee, policy)]


def _calibration_line(curve: Reliability, policy: Policy) -> str:
    if curve.calibration_error is None:
        return "No case claims a confidence between 0 and 1: its calibration cannot be measured."
    aside = f"; {curve.unclaimed:,} claim none" if curve.unclaimed else ""
    aside += f"; {curve.out_of_range:,} claim one outside 0 to 1" if curve.out_of_range else ""
    error = _percent(curve.calibration_error, policy)
    return f"Expected calibration error {error} points over {curve.cases:,} cases that claim a confidence{aside}."


def loosest_line(found: Loosest | None, policy: Policy) -> str:
    """The loosest threshold that meets the target, in words."""
    target = _percent(exact(policy.backtest.target_precision), policy)
    if found is None:
        floor = policy.backtest.reliability_floor
        return f"No threshold reaches a pooled precision of {target} % on {floor} or more cases."
    share = _share_words((found.confirmed, found.cases), policy)
    return f"Loosest threshold with a pooled precision of {target} %: {number_text(found.threshold)}, there {share}."


def guarantee_line(guarantee: Guarantee, policy: Policy) -> str:
    """The guarantee or its refusal, in words."""
    claim = f"P(wrong | acted) <= {guarantee.alpha:g}"
    if guarantee.status == CALIBRATED and guarantee.chosen:
        chosen = guarantee.chosen
        return (
            f"Guarantee: {claim} from {number_text(chosen.threshold)} on, with a chance of error of "
            f"{guarantee.delta:g}: {chosen.wrong:,} of {chosen.acted:,} wrong, "
            f"upper bound {_percent(chosen.upper, policy)} %."
        )
    if guarantee.status == INSUFFICIENT_LABELS:
        return (
            f"No guarantee ({guarantee.status}): {claim} needs at least {guarantee.needed:,} labelled cases, "
            f"there are {guarantee.labels:,}."
        )
    nearest = guarantee.nearest
    if nearest is None or guarantee.short_by is None:
        return f"No guarantee ({guarantee.status}): the policy names no candidate."
    return (
        f"No guarantee ({guarantee.status}): {claim} holds at no candidate; nearest is "
        f"{number_text(nearest.threshold)} with {nearest.wrong:,} of {nearest.acted:,} wrong, its upper bound "
        f"{_percent(nearest.upper, policy)} % is {_percent(guarantee.short_by, policy)} points too high."
    )


def _curve_table(curve: Reliability, policy: Policy) -> str:
    rows = []
    for found in curve.bins:
        if not found.cases:
            continue
        bounds = found.interval(policy.intervals.z)
        claimed = "" if found.mean_claimed is None else _percent(found.mean_claimed, policy)
        if found.precision is None or bounds is None:
            shown, between = f"n = {found.cases}, fewer than {found.floor}", ""
        else:
            shown = _percent(found.precision, policy)
            between = f"{_percent(bounds[0], policy)} to {_percent(bounds[1], policy)}"
        bin_name = f"{number_text(found.low)} to {number_text(found.high)}"
        rows.append(f"| {bin_name} | {found.cases:,} | {claimed} | {shown} | {between} |\n")
    if not rows:
        return ""
    head = "| Claimed confidence | Cases | Mean claim, % | Confirmed, % | 95 % interval |\n"
    return head + "| --- | --- | --- | --- | --- |\n" + "".join(rows)
