"""Set pieces of the sample: what must be there at every scale, whatever chance does.

Rules below the floor, backtest runs, an excluded backfill, a decision-level backfill and its source, and the two
pull requests of the frozen week. Rows that are wrong on purpose belong to `dirt`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from evenhand.sample.draws import Draws
from evenhand.sample.extras import Extra
from evenhand.sample.span import DAY, FROZEN_WEEKS_BACK, HOUR, MINUTE, SECOND, WEEK, Span, iso, spaced
from evenhand.sample.world import CONTRIBUTORS, GATE_ACTOR, GATE_BOT, HUMAN_ACTOR, RARE_RULES, RULES

TARGET_WIDTH = 8
EXCLUDED_PROVENANCE = "slop_replay_backfill_v1"
DECISION_PROVENANCE = "review_targets_decision_level"
BACKFILLED_RULE = "ai_consensus_defect"

_RECENT = 80 * DAY  # inside the 90-day window
_REPLAY_AGE = 41 * DAY
_REPLAYED_RULES = ("slop_gate_score", "slop_risk_above_threshold")
_REPLAY_EVENTS_PER_ROW = 60
_FEWEST_REPLAYED, _MOST_REPLAYED = 80, 20_000
_DECISION_ROWS = 12
_RUNS_PER_WEEK = (2, 3, 4)
_RUN_KINDS = ("threshold", "threshold", "logic", "counterfactual")
_RUN_VERDICTS = ("improved", "unchanged", "unchanged", "regressed", "unchanged", "Regressed")
_FROZEN_NUMBERS = (1790, 1791)
_FROZEN_REPOSITORY = "acme/widgets"
_TARGETS_PER_EVENT = 1 / 200
_FEWEST_TARGETS, _MOST_TARGETS = 40, 5_000


def scenes(draws: Draws, span: Span, events: int) -> Iterator[Extra]:
    """Every set piece of the log."""
    yield from _rare_rules(draws, span)
    yield from _backtest_runs(draws, span)
    yield from _replay(draws, span, events)
    yield from _decision_backfill(draws, span)
    yield from _frozen_week(span)


def _rare_rules(draws: Draws, span: Span) -> Iterator[Extra]:
    for index, rule in enumerate(RARE_RULES):
        verdicts = ["confirmed"] * rule.confirmed + ["reversed"] * rule.reversed + ["inconclusive"] * rule.unrecognized
        for number, verdict in enumerate(verdicts):
            fired = span.as_of - 2 * DAY - int(draws.one() * _RECENT)
            target = f"northwind/ledger-core#{2400 + 20 * index + number}"
            yield Extra(
                fired, f"signal.rule_fired:{rule.rule_id}", target, '{"outcome":"warning","gateMode":"advisory"}',
                GATE_ACTOR,
            )  # fmt: skip
            decided = fired + 10 * MINUTE + draws.index(DAY)
            metadata = f'{{"verdict":"{verdict}"}}'
            yield Extra(decided, f"signal.human_override:{rule.rule_id}", target, metadata, HUMAN_ACTOR)


def _backtest_runs(draws: Draws, span: Span) -> Iterator[Extra]:
    monday = span.week_back(0)
    weeks = span.days // 7
    for week in range(weeks):
        for run in range(_RUNS_PER_WEEK[week % len(_RUNS_PER_WEEK)]):
            time = monday - week * WEEK + run * DAY + 3 * HOUR + draws.index(2 * HOUR)
            if not span.start <= time < span.as_of - DAY:
                continue
            yield _run(draws, time, draws.choose(_RUN_KINDS))
    # the newest run left no checksum behind: the freeze point is the run before it
    broken = '{"comparison":{"ruleId":"ai_review_split","verdict":"unchanged"},"corpusChecksum":null}'
    yield Extra(span.as_of - 9 * HOUR, "calibration.threshold_backtest_run", None, broken)


def _run(draws: Draws, time: int, kind: str) -> Extra:
    rule, verdict = draws.choose(RULES).rule_id, draws.choose(_RUN_VERDICTS)
    checksum = hashlib.sha256(f"{rule} {time}".encode()).hexdigest()
    axes = {"improved": ("[]", '["precision"]'), "regressed": ('["recall"]', "[]")}.get(verdict, ("[]", "[]"))
    comparison = f'{{"ruleId":"{rule}","verdict":"{verdict}","regressedAxes":{axes[0]},"improvedAxes":{axes[1]}}}'
    metadata = f'{{"comparison":{comparison},"corpusChecksum":"{checksum}"}}'
    return Extra(time, f"calibration.{kind}_backtest_run", None, metadata)


def _replay(draws: Draws, span: Span, events: int) -> Iterator[Extra]:
    """A job that copied one rule's verdicts to another in a night; its provenance is excluded."""
    n = min(max(events // _REPLAY_EVENTS_PER_ROW, _FEWEST_REPLAYED), _MOST_REPLAYED)
    start = span.as_of - min(_REPLAY_AGE, span.days * DAY // 2)
    for number in range(n):
        time = start + number * SECOND // 2
        target = f"acme/gadgets#{300 + number // 2}"
        metadata = f'{{"verdict":"confirmed","provenance":"{EXCLUDED_PROVENANCE}"}}'
        rule = _REPLAYED_RULES[number % len(_REPLAYED_RULES)]
        yield Extra(time, f"signal.human_override:{rule}", target, metadata, HUMAN_ACTOR)
    yield Extra(start - HOUR, f"signal.rule_fired:{_REPLAYED_RULES[0]}", "acme/gadgets#300", "{}", GATE_ACTOR)


def _decision_backfill(draws: Draws, span: Span) -> Iterator[Extra]:
    """Firings and verdicts that an earlier backfill derived from whole decisions."""
    for number in range(_DECISION_ROWS):
        time = span.as_of - 60 * DAY - draws.index(30 * DAY)
        target = f"acme/widgets#{1500 + number}"
        confidence = f"0.{88 + number % 11}"
        provenance = f'"provenance":"{DECISION_PROVENANCE}"'
        fired = f'{{"outcome":"blocker","confidence":{confidence},{provenance}}}'
        yield Extra(time, f"signal.rule_fired:{BACKFILLED_RULE}", target, fired, GATE_ACTOR)
        verdict = "reversed" if number % 4 == 3 else "confirmed"
        decided = f'{{"verdict":"{verdict}",{provenance}}}'
        yield Extra(time + SECOND, f"signal.human_override:{BACKFILLED_RULE}", target, decided, HUMAN_ACTOR)


def _frozen_week(span: Span) -> Iterator[Extra]:
    for number in _FROZEN_NUMBERS:
        target = f"{_FROZEN_REPOSITORY}#{number}"
        time = _frozen_time(span, number)
        published = "github_app.pr_public_surface_published"
        yield Extra(time - 2 * HOUR, published, target, '{"reviewEffortMinutes":8}', GATE_BOT)
        outcome = f'{{"repoFullName":"{_FROZEN_REPOSITORY}","pullNumber":{number},"merged":true,"botWasActor":false}}'
        yield Extra(time, "pr_outcome", target, outcome, "ada-acme", detail="merged")


def frozen_pull_rows(span: Span) -> Iterator[tuple[object, ...]]:
    """`pull_requests` of the only two that ended in the frozen week: too few for a weekly figure."""
    for number in _FROZEN_NUMBERS:
        time = _frozen_time(span, number)
        ended, created = iso(time), iso(time - 3 * HOUR)
        name = _FROZEN_REPOSITORY
        yield (
            f"{name}#{number}", name, number, "Hotfix during the freeze", "closed", CONTRIBUTORS[0], "MEMBER",
            f"{number:040x}", ended, "[]", created, ended,
        )  # fmt: skip


def _frozen_time(span: Span, number: int) -> int:
    return span.week_back(FROZEN_WEEKS_BACK) + (number - _FROZEN_NUMBERS[0] + 1) * DAY + 10 * HOUR


def review_target_rows(draws: Draws, span: Span, events: int) -> Iterator[tuple[object, ...]]:
    """`review_targets`: historical decisions to backfill from, some of them unusable."""
    n = min(max(int(events * _TARGETS_PER_EVENT), _FEWEST_TARGETS), _MOST_TARGETS)
    for number in range(n):
        time = span.as_of - 100 * DAY - draws.index(60 * DAY)
        terminal: str | None = spaced(iso(time)) if number % 6 == 0 else iso(time)
        confidence: float | None = round(0.8 + 0.2 * draws.one(), 3)
        verdict, status, decision = "close", "merged" if draws.one() < 0.2 else "closed", None
        match number % 17:
            case 3:
                verdict = "merge"
            case 5:
                status = "open"
            case 7:
                confidence = None
            case 9:
                confidence, decision = None, f'{{"confidence":{confidence}}}'
            case 11:
                terminal = None
            case 13:
                terminal = "last Tuesday"
        # every twentieth is a later decision about the pull request before it
        pull = 900 + number - (number % 20 == 19)
        yield "pull_request", "acme/widgets", pull, verdict, status, confidence, decision, terminal
