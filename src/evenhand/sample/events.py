"""Audit events of the sample: what the lives of pull requests leave in the log, in the order it arrives.

Turns columns of lives into columns of events, keeps what is not due yet, and renders what is due as rows.
Rows that are wrong on purpose belong to `dirt`, one-off scenes to `scenes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.sample import pulls as p
from evenhand.sample import texts
from evenhand.sample.draws import Bools, Draws, Ints
from evenhand.sample.span import DAY, HOUR, MINUTE, SECOND, Span, iso_all, spaced
from evenhand.sample.world import GATE_ACTOR, GATE_BOT, HUMAN_ACTOR, RULES

EVENT = np.dtype(
    [
        ("time", "i8"),
        ("type", "i2"),
        ("place", "i1"),
        ("number", "i4"),
        ("text", "i4"),  # a number of the texts table, or OWN_TEXT
        ("outcome", "i1"),
        ("actor", "i2"),
        ("other", "i4"),  # the second pull request of a reversal
        ("flag", "i1"),  # merged and by_bot of an outcome, or the verdict that a context leans to
    ]
)
Events = npt.NDArray[np.void]
Row = tuple[object, ...]
ROW_WIDTH = 9

_FIXED_TYPES = (
    "github_app.pr_public_surface_published",
    "agent.action.close",
    "agent.action.merge",
    "agent.action.label",
    "agent.action.comment",
    "pr_outcome",
    "reversal_reopened",
    "reversal_reverted",
    "reversal_superseded",
    "owner_reopen_pending_reversal",
)
PUBLISHED, ACTION_CLOSE, ACTION_MERGE, ACTION_LABEL, ACTION_COMMENT, PR_OUTCOME = range(6)
REOPENED, REVERTED, SUPERSEDED, OWNER_REOPEN = range(6, 10)
FIRED_TYPE = len(_FIXED_TYPES)
OVERRIDE_TYPE = FIRED_TYPE + len(RULES)
TYPES = (
    *_FIXED_TYPES,
    *(f"signal.rule_fired:{rule.rule_id}" for rule in RULES),
    *(f"signal.human_override:{rule.rule_id}" for rule in RULES),
)
ACTORS = (None, HUMAN_ACTOR, GATE_ACTOR, GATE_BOT, *p.PEOPLE)
NOBODY, HUMAN, GATE, BOT, FIRST_PERSON = range(5)
OUTCOMES = ("completed", "error", "skipped", "denied")

_OUTCOME_WRITTEN = 0.96
_LABELLED = 0.25
_COMMENTED = 0.15
_FIRES_AGAIN = 0.5
_OVERRIDDEN = {"plain": 0.92, "ai": 0.92, "score": 0.75}
_SECOND_VERDICT = 0.04
_UNRECOGNIZED = 0.03
_IMPLICIT = 0.6
_REVERSED_WITH_PULL = 0.8
_OVERRIDE_DELAY = 26 * HOUR
_LONGEST_OVERRIDE_DELAY = 21 * DAY
_CONTEXT_CAPTURED = 0.35
_SPACE_FORM = 0.015
_ARRIVAL_JITTER = 90 * SECOND  # rows of several writers reach a live table slightly out of order
_ROWS_PER_BATCH = 50_000


class EventSource:
    """Draws the events of each day's pull requests."""

    def __init__(self, draws: Draws, span: Span) -> None:
        self._draws = draws
        self._span = span
        kinds = [rule.kind for rule in RULES]
        self._overridden = np.array([_OVERRIDDEN[kind] for kind in kinds])
        self._ai = np.array([kind == "ai" for kind in kinds])
        self._score = np.array([kind == "score" for kind in kinds])
        self._blocking = np.array([rule.blocking for rule in RULES])
        self._context = np.array([rule.context for rule in RULES])
        self._precision = np.array([rule.precision for rule in RULES])
        self._drift = np.array([rule.drift for rule in RULES])

    def events_of(self, pulls: Any) -> Events:
        """Everything that these lives will ever leave in the log."""
        parts = [
            self._published(pulls),
            *self._actions(pulls),
            *self._endings(pulls),
            *self._reversals(pulls),
            *self._signals(pulls),
        ]
        return np.concatenate(parts)

    def _make(self, pulls: Any, time: Ints, kind: Ints | int, actor: Ints | int) -> Any:
        events: Any = np.zeros(len(pulls), dtype=EVENT)
        events["time"], events["type"], events["actor"] = time, kind, actor
        events["place"], events["number"] = pulls["place"], pulls["number"]
        return events

    def _published(self, pulls: Any) -> Events:
        parts = []
        for index in range(p.MAX_EVALUATIONS):
            seen = pulls[pulls["evaluations"] > index]
            time = p.evaluation_time(seen, index) + 30 * SECOND + self._draws.below(MINUTE, len(seen))
            made = self._make(seen, time, PUBLISHED, BOT)
            made["text"] = texts.EFFORT_BASE + self._draws.below(texts.EFFORT_COUNT, len(seen))
            parts.append(made)
        return np.concatenate(parts)

    def _actions(self, pulls: Any) -> Iterator[Events]:
        draws = self._draws
        acted = pulls[pulls["action"] != p.NO_ACTION]
        kind = np.where(acted["verdict"] == p.MERGE, ACTION_MERGE, ACTION_CLOSE)
        made = self._make(acted, acted["action_at"], kind, BOT)
        live = texts.LIVE_BASE + draws.pick(texts.LIVE_WEIGHTS, len(acted))
        made["text"] = np.where(acted["action"] == p.DRY_RUN, texts.DRY_RUN_TEXT, live)
        made["outcome"] = np.where(acted["action"] == p.FAILED, 1 + draws.below(3, len(acted)), 0)
        yield made
        for kind_of, share in ((ACTION_LABEL, _LABELLED), (ACTION_COMMENT, _COMMENTED)):
            some = pulls[draws.chance(share, len(pulls))]
            made = self._make(some, p.last_evaluation(some) + 70 * SECOND, kind_of, BOT)
            labels = texts.LABEL_BASE + draws.below(texts.LABEL_COUNT, len(some))
            made["text"] = labels if kind_of == ACTION_LABEL else texts.LIVE_BASE
            yield made

    def _endings(self, pulls: Any) -> Iterator[Events]:
        written = self._draws.chance(_OUTCOME_WRITTEN, len(pulls))
        first = pulls[written & (pulls["first_end"] != p.STILL_OPEN)]
        yield self._outcome(first, "first_end", "first_end_at", first["by_bot"])
        again = (pulls["end"] != p.STILL_OPEN) & (pulls["end_at"] != pulls["first_end_at"])
        later = pulls[written & again]
        yield self._outcome(later, "end", "end_at", np.zeros(len(later), dtype=bool))

    def _outcome(self, pulls: Any, how: str, when: str, by_bot: Bools) -> Events:
        person = FIRST_PERSON + pulls["number"] % p.MAINTAINER_ASSOCIATIONS
        made = self._make(pulls, pulls[when] + SECOND, PR_OUTCOME, np.where(by_bot, BOT, person))
        made["text"] = texts.OWN_TEXT
        made["flag"] = (pulls[how] == p.MERGED) * 1 + by_bot * 2
        return made  # type: ignore[no-any-return]

    def _reversals(self, pulls: Any) -> Iterator[Events]:
        for kind, event_type in (
            (p.REOPENED, REOPENED),
            (p.REVERTED, REVERTED),
            (p.SUPERSEDED, SUPERSEDED),
            (p.OWNER_REOPENED, OWNER_REOPEN),
        ):
            those = pulls[pulls["reversal"] == kind]
            made = self._make(those, those["reversed_at"], event_type, FIRST_PERSON + those["author"])
            made["text"] = texts.OWN_TEXT
            made["other"] = those["reversed_by"]
            yield made

    def _signals(self, pulls: Any) -> Iterator[Events]:
        """Firings and the human verdicts on them: one verdict a rule and pull request, however often it fired."""
        draws = self._draws
        pairs = np.repeat(pulls, pulls["fired"])
        n = len(pairs)
        rule = draws.pick([r.weight for r in RULES], n)
        starts = np.cumsum(pulls["fired"].astype(np.int64)) - pulls["fired"]
        rule[starts[pulls["fired"] > 0]] = pulls["lead_rule"][pulls["fired"] > 0]
        confirmed = self._labels(pairs, rule)
        last = np.zeros(n, dtype=np.int64)
        for index in range(p.MAX_EVALUATIONS):
            fires = (pairs["evaluations"] > index) & ((index == 0) | draws.chance(_FIRES_AGAIN, n))
            time = p.evaluation_time(pairs, index) + draws.below(20 * SECOND, n)
            last[fires] = time[fires]
            yield self._firings(pairs[fires], time[fires], rule[fires], confirmed[fires])
        yield from self._overrides(pairs, last, rule, confirmed)

    def _labels(self, pairs: Any, rule: Ints) -> Bools:
        """Whether people would let each firing stand."""
        age = (self._span.as_of - pairs["created"]) / (self._span.days * DAY)
        precision = self._precision[rule] + self._drift[rule] * (0.5 - age)
        confirmed = self._draws.chance(precision, len(pairs))
        overturned = (pairs["reversal"] == p.REOPENED) | (pairs["reversal"] == p.SUPERSEDED)
        stands: Bools = confirmed & ~(overturned & self._draws.chance(_REVERSED_WITH_PULL, len(pairs)))
        return stands

    def _firings(self, pairs: Any, time: Ints, rule: Ints, confirmed: Bools) -> Events:
        draws, n = self._draws, len(pairs)
        made = self._make(pairs, time, FIRED_TYPE + rule, GATE)
        outcome = np.where(self._blocking[rule], 0, 1)
        chance = draws.uniform(n)
        outcome = np.where(chance < 0.03, 2, np.where(chance > 0.98, 3, outcome))
        # a model that is wrong tends to be less sure, which is what a threshold can use
        mean, spread = np.where(confirmed, 0.915, 0.80), np.where(confirmed, 0.075, 0.16)
        sure = np.clip(mean + spread * (draws.uniform(n) + draws.uniform(n) - 1), 0, 1)
        steps = np.where(draws.chance(0.9, n), np.round(sure * 100) * 10, np.round(sure * 1000)).astype(np.int64)
        steps = np.where(self._ai[rule] | self._score[rule], steps, texts.NO_CONFIDENCE)
        mode = np.where(self._blocking[rule], 0, 1)
        number: Any = texts.firing_number
        made["text"] = number(outcome, mode, steps)
        captured = self._context[rule] & draws.chance(_CONTEXT_CAPTURED, n)
        made["flag"] = captured * (1 + confirmed)
        return made  # type: ignore[no-any-return]

    def _overrides(self, pairs: Any, last: Ints, rule: Ints, confirmed: Bools) -> Iterator[Events]:
        draws, n = self._draws, len(pairs)
        voted = draws.chance(self._overridden[rule], n)
        # a score gate is only ever overruled: nobody says that a score was right
        upheld = confirmed & ~self._score[rule]
        delay = 2 * MINUTE + draws.long_tailed(_OVERRIDE_DELAY, n, longest=_LONGEST_OVERRIDE_DELAY)
        implicit = ~self._ai[rule] & draws.chance(_IMPLICIT, n)
        stands = np.where(implicit, texts.CONFIRMED_IMPLICIT, texts.CONFIRMED)
        text = np.where(upheld, stands, texts.REVERSED)
        text = np.where(draws.chance(_UNRECOGNIZED, n), texts.UNRECOGNIZED, text)
        made = self._make(pairs, last + delay, OVERRIDE_TYPE + rule, HUMAN)
        made["text"] = text
        yield made[voted]
        twice = voted & draws.chance(_SECOND_VERDICT, n)
        again = made[twice]
        again["time"] += DAY
        again["text"] = np.where(upheld[twice], texts.REVERSED, texts.CONFIRMED_EXPLICIT)
        again["text"] = np.where(self._score[rule[twice]], texts.REVERSED, again["text"])
        yield again


class Log:
    """Holds events until they are due and renders each day's as rows, nearly in time order."""

    def __init__(self, draws: Draws, span: Span, *, unique_metadata: bool) -> None:
        self._draws = draws
        self._end = span.as_of
        self._pending: Events = np.zeros(0, dtype=EVENT)
        self._unique = unique_metadata
        self._texts = np.array(texts.table(), dtype=object)
        self._types = np.array(TYPES, dtype=object)
        self._actors = np.array(ACTORS, dtype=object)
        self._outcomes = np.array(OUTCOMES, dtype=object)
        self._places = np.array([f"{place}#" for place in p.PLACES], dtype=object)

    def add(self, events: Events) -> None:
        """Take events for whenever they are due; what lies after the sample is not held."""
        within: Any = events["time"] < self._end
        self._pending = np.concatenate([self._pending, events[within]])

    def due(self, until: int) -> Iterator[list[Row]]:
        """Batches of rows for everything before `until`."""
        ready: Any = self._pending["time"] < until
        events = self._pending[ready]
        self._pending = self._pending[~ready]
        arrival = events["time"] + self._draws.below(_ARRIVAL_JITTER, len(events))
        events = events[np.argsort(arrival, kind="stable")]
        for start in range(0, len(events), _ROWS_PER_BATCH):
            yield self._render(events[start : start + _ROWS_PER_BATCH])

    def _render(self, events: Any) -> list[Row]:
        n = len(events)
        ids = self._draws.ids(events["time"])
        numbers = events["number"].tolist()
        targets = [f"{place}{n}" for place, n in zip(self._places[events["place"]].tolist(), numbers, strict=True)]
        metadata = self._texts[np.maximum(events["text"], 0)].tolist()
        details: list[str | None] = [None] * n
        self._own_texts(events, metadata, details)
        if self._unique:
            metadata = [texts.unique_text(text, row_id) for text, row_id in zip(metadata, ids, strict=True)]
        times = iso_all(events["time"])
        for index in np.flatnonzero(self._draws.chance(_SPACE_FORM, n)).tolist():
            times[index] = spaced(times[index])
        return list(
            zip(
                ids,
                self._types[events["type"]].tolist(),
                self._actors[events["actor"]].tolist(),
                [None] * n,
                targets,
                self._outcomes[events["outcome"]].tolist(),
                details,
                metadata,
                times,
                strict=True,
            )
        )

    def _own_texts(self, events: Any, metadata: list[str], details: list[str | None]) -> None:
        own = np.flatnonzero(events["text"] == texts.OWN_TEXT)
        for index, kind, place, number, other, flag in _values(own, events):
            metadata[index], details[index] = _WRITERS[kind](p.PLACES[place], number, other, flag)
        is_firing = (events["type"] >= FIRED_TYPE) & (events["type"] < OVERRIDE_TYPE)
        captured = np.flatnonzero(is_firing & (events["flag"] > 0))
        for index, kind, _, number, _, flag in _values(captured, events):
            fields = texts.context_fields(kind - FIRED_TYPE, number, confirmed=flag > 1)
            metadata[index] = texts.with_context(metadata[index], fields)


def _values(indices: Ints, events: Any) -> Iterator[tuple[int, ...]]:
    """Position, type, place, number, other and flag of some events, as plain integers."""
    some = events[indices]
    columns = (some[field].tolist() for field in ("type", "place", "number", "other", "flag"))
    return zip(indices.tolist(), *columns, strict=True)


def _outcome(place: str, number: int, other: int, flag: int) -> tuple[str, str]:
    merged = bool(flag & 1)
    text = texts.outcome_text(place, number, merged=merged, by_bot=bool(flag & 2))
    return text, "merged" if merged else "closed"


def _reopened(place: str, number: int, other: int, flag: int) -> tuple[str, str]:
    return texts.reopened_text(place, number), f"Bot-closed PR #{number} reopened by a contributor."


def _owner_reopened(place: str, number: int, other: int, flag: int) -> tuple[str, str]:
    return texts.reopened_text(place, number), f"Bot-closed PR #{number} reopened by the repo owner."


def _reverted(place: str, number: int, other: int, flag: int) -> tuple[str, str]:
    return texts.reverted_text(place, number, other), f"Merged PR #{number} was reverted by #{other}."


def _superseded(place: str, number: int, other: int, flag: int) -> tuple[str, str]:
    return texts.superseded_text(place, number, other), f"Bot-closed PR #{number} superseded by merged PR #{other}."


_WRITERS: dict[int, Callable[[str, int, int, int], tuple[str, str]]] = {
    PR_OUTCOME: _outcome,
    REOPENED: _reopened,
    REVERTED: _reverted,
    SUPERSEDED: _superseded,
    OWNER_REOPEN: _owner_reopened,
}
