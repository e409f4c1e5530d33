"""What other deployments report: signals, rollups, installations, public outcomes and risk-control payloads.

Proportions are dealt from a shuffled deck, not drawn, so that one instance games the figures in every sample
and the others never do by accident. The gate's own log belongs to `events`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evenhand.sample.draws import Draws, Ints
from evenhand.sample.span import DAY, FROZEN_WEEKS_BACK, HOUR, MINUTE, Span, day_text, iso, iso_all, spaced
from evenhand.sample.world import FLEET_REPOSITORIES, INSTANCES, Instance

SIGNAL_WIDTH = 13
ROLLUP_WIDTH = 8
OUTCOME_WIDTH = 5

_ROLLED_UP_AFTER = 80 * DAY  # inside the 90 days, so that both kinds of cell count in one window
_VERDICTS: tuple[tuple[str | None, float], ...] = (
    ("merge", 0.48),
    ("close", 0.26),
    ("hold", 0.20),
    ("neutral", 0.03),
    (None, 0.03),
)
_POLICY_SHARE = 0.05
_BUCKETS = ("missing_linked_issue", "ai_defect", "duplicate_risk", "ci_failed", "other", None)
_SIGNALS_PER_EVENT = 0.1
_FEWEST_SIGNALS = 450
_MOST_SIGNALS = 200_000
_OUTCOMES_PER_EVENT = 1 / 60
_FEWEST_OUTCOMES = 80
_MOST_OUTCOMES = 60_000
_FLEET_MERGED = 0.71
_SIGNALS_PER_BATCH = 20_000


class Signal(NamedTuple):
    """One reported pull request, before its time is known."""

    instance: int
    verdict: str | None
    outcome: str
    flag: str
    bucket: str | None


class Timed(NamedTuple):
    """A signal and when it was received."""

    received: int
    signal: Signal


def signals(draws: Draws, span: Span, events: int) -> list[Timed]:
    """Every signal of the sample, oldest first."""
    total = min(max(int(events * _SIGNALS_PER_EVENT), _FEWEST_SIGNALS), _MOST_SIGNALS)
    deck = [s for index, i in enumerate(INSTANCES) for s in _deck(index, i, round(total * i.share))]
    times = _times(draws, span, len(deck))
    order = draws.order(len(deck))
    return [Timed(time, deck[card]) for time, card in zip(times.tolist(), order.tolist(), strict=True)]


def signal_rows(draws: Draws, span: Span, timed: list[Timed]) -> Iterator[list[tuple[object, ...]]]:
    """`orb_signals`: what is too recent to have been rolled up, in batches."""
    live = [t for t in timed if t.received >= span.as_of - _ROLLED_UP_AFTER]
    for start in range(0, len(live), _SIGNALS_PER_BATCH):
        batch = live[start : start + _SIGNALS_PER_BATCH]
        received = np.array([t.received for t in batch], dtype=np.int64)
        decided = received - HOUR - draws.long_tailed(5 * HOUR, len(batch), longest=3 * DAY)
        cycle = (MINUTE + draws.long_tailed(7 * HOUR, len(batch), longest=20 * DAY)).tolist()
        timed_out = draws.chance(0.06, len(batch)).tolist()
        unstamped = draws.chance(0.04, len(batch)).tolist()
        received_texts, decided_texts = iso_all(received), iso_all(decided)
        yield [
            _signal_row(start + i, t.signal, received_texts[i], decided_texts[i], cycle[i], timed_out[i], unstamped[i])
            for i, t in enumerate(batch)
        ]


def _signal_row(
    index: int, signal: Signal, received: str, decided: str, cycle: int, timed_out: bool, unstamped: bool
) -> tuple[object, ...]:
    return (
        index + 1, INSTANCES[signal.instance].instance_id, f"rh{index % 7}", f"ph{index:06d}", signal.verdict,
        signal.outcome, signal.flag, signal.bucket, None if timed_out else cycle,
        None if unstamped else spaced(decided) if index % 25 == 0 else decided, None, None, received,
    )  # fmt: skip


def rollup_rows(span: Span, timed: list[Timed]) -> Iterator[tuple[object, ...]]:
    """`orb_signal_rollups`: the older signals, counted by day; an empty text stands for null."""
    cells = Counter((t.signal, day_text(t.received)) for t in timed if t.received < span.as_of - _ROLLED_UP_AFTER)
    updated = iso(span.as_of - 6 * HOUR)
    for (signal, day), n in cells.items():
        instance = INSTANCES[signal.instance].instance_id
        yield (
            instance,
            day,
            signal.verdict or "",
            signal.outcome,
            signal.flag,
            signal.bucket or "",
            n,
            updated,
        )


def _deck(index: int, instance: Instance, total: int) -> Iterator[Signal]:
    """The signals of one instance, in exact proportions."""
    policy = round(total * _POLICY_SHARE)
    for number in range(policy):
        # enforcement closes carry the gate's verdict and say nothing about its judgement
        yield Signal(index, "merge", "closed", "none", "POLICY_ACTION" if number % 9 == 8 else "policy_action")
    judged = total - policy
    flagged = round(total * instance.reversal_rate)
    for verdict, share in _VERDICTS:
        yield from _verdict_cards(index, instance, verdict, round(judged * share), flagged)


def _verdict_cards(index: int, instance: Instance, verdict: str | None, n: int, flagged: int) -> Iterator[Signal]:
    good = {"merge": instance.merge_precision, "close": instance.close_precision}.get(verdict or "", 0.6)
    right = round(n * good)
    confirmed_outcome = "closed" if verdict == "close" else "merged"
    other_outcome = "merged" if verdict == "close" else "closed"
    wrong_flag = {"merge": "reverted", "close": "reopened"}.get(verdict or "")
    quota = {"merge": flagged // 2, "close": flagged - flagged // 2}.get(verdict or "", 0)
    for number in range(n):
        bucket = _BUCKETS[number % len(_BUCKETS)]
        if number < right:
            yield Signal(index, verdict, confirmed_outcome, "none", bucket)
        elif wrong_flag is not None and number - right < quota:
            # half of the wrong closes that somebody flagged were superseded by other work
            flag = "superseded" if verdict == "close" and number % 2 else wrong_flag
            yield Signal(index, verdict, confirmed_outcome, flag, bucket)
        else:
            yield Signal(index, verdict, other_outcome, "none", bucket)


def _times(draws: Draws, span: Span, n: int) -> Ints:
    load = span.loads()
    cumulative = np.cumsum(load / load.sum())
    position = (np.arange(n) + draws.uniform(n)) / n
    day = np.minimum(np.searchsorted(cumulative, position, side="right"), span.days - 1)
    return np.sort(span.start + day * DAY + draws.below(DAY, n))


def outcome_rows(draws: Draws, span: Span, events: int) -> Iterator[tuple[object, ...]]:
    """`orb_pr_outcomes` of repositories that this gate never published on."""
    n = min(max(int(events * _OUTCOMES_PER_EVENT), _FEWEST_OUTCOMES), _MOST_OUTCOMES)
    times = _times(draws, span, n)
    times = times[~span.in_week(times, FROZEN_WEEKS_BACK)]
    merged = draws.chance(_FLEET_MERGED, len(times)).tolist()
    for number, (text, is_merged) in enumerate(zip(iso_all(times), merged, strict=True)):
        repository = FLEET_REPOSITORIES[number % len(FLEET_REPOSITORIES)]
        installation = (11, 12, 13, 14, None, 99)[number % len(FLEET_REPOSITORIES) if number % 31 else 5]
        outcome = "merged" if is_merged else "closed"
        yield repository, 100 + number // len(FLEET_REPOSITORIES), installation, outcome, spaced(text)


def installation_rows() -> Iterator[tuple[object, ...]]:
    """`orb_github_installations`: registered, not registered, nameless."""
    yield from (
        (1, "acme", 1), (2, "northwind", 1), (3, "sidecar-labs", 0), (11, "globex", 1), (12, "Initech", 1),
        (13, None, 1), (14, "hooli", 0),
    )  # fmt: skip


def outcome_rollup_rows(span: Span) -> Iterator[tuple[object, ...]]:
    """`orb_outcome_rollups`: older public outcomes, by account; one total does not add up, as happens."""
    updated = iso(span.as_of - 6 * HOUR)
    yield from (
        ("globex", 212, 71, 283, updated), ("Initech", 64, 22, 86, updated), ("", 3, 1, 5, updated),
    )  # fmt: skip


def instance_rows() -> Iterator[tuple[object, ...]]:
    """`orb_instances`."""
    return ((i.instance_id, int(i.registered)) for i in INSTANCES)


def arm_rows(span: Span) -> Iterator[tuple[object, ...]]:
    """`orb_risk_control_arms`: valid, too few, too bold, not calibrated, cut off, and unregistered."""
    first, second, third, fourth, stranger = (i.instance_id for i in INSTANCES)
    stamps = [iso(span.as_of - days * DAY) for days in (3, 5, 9, 14)]
    yield from (
        (first, "merge", _arm(0.05, 0.62, 0.7315, 412, 37, 120), stamps[0]),
        (first, "close", _arm(0.02, 0.81, 0.4425, 236, 12, 95), stamps[1]),
        (second, "merge", '{"status":"calibrated","alpha":0.05,"lambda":0.7,"cover', stamps[0]),
        (second, "close", '{"status":"insufficient_data","nAtLambda":900}', stamps[2]),
        (third, "merge", _arm(0.2, 0.5, 0.9, 3000, 0, 10), stamps[2]),
        (third, "close", _arm(0.05, 0.74, 0.5125, 31, 0, 0), stamps[3]),
        (fourth, "merge", _arm(0.05, 0.7, 0.68, 190, 0, 0), stamps[3]),
        (stranger, "merge", _arm(0.05, 0.6, 0.81, 5000, 0, 0), stamps[1]),
    )


def _arm(alpha: float, threshold: float, coverage: float, n: int, backfilled: int, total: int) -> str:
    return (
        f'{{"status":"calibrated","alpha":{alpha},"lambda":{threshold},"coverageAtLambda":{coverage},'
        f'"nAtLambda":{n},"delta":0.05,"totalPairs":{total},"backfilledPairs":{backfilled}}}'
    )
