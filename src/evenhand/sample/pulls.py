"""The lives of the sample's pull requests, drawn a day at a time as columns.

A life is drawn whole when the pull request opens: who wrote it, what the gate decided, what people did then.
Which rows that leaves in which table belongs to the modules that read these columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.sample.draws import Bools, Draws, Ints, Quota
from evenhand.sample.span import DAY, DRY_RUN_WEEKS_BACK, HOUR, MINUTE, PAUSED_WEEKS_BACK, SECOND, Span
from evenhand.sample.world import (
    ASSOCIATIONS,
    CONTRIBUTORS,
    MAINTAINERS,
    PAUSED_REPOSITORY,
    REPOSITORIES,
    RULES,
)

Pulls = npt.NDArray[np.void]

MERGE, CLOSE, HOLD = 0, 1, 2
NO_ACTION, LIVE, DRY_RUN, FAILED = 0, 1, 2, 3
STILL_OPEN, MERGED, CLOSED = 0, 1, 2
STANDS, REOPENED, REVERTED, SUPERSEDED, OWNER_REOPENED = 0, 1, 2, 3, 4
MAX_EVALUATIONS = 4
NEVER = np.iinfo(np.int64).max // 4
MAINTAINER_ASSOCIATIONS = 3  # the first ones of the list
NO_RULE = -1

PULL = np.dtype(
    [
        ("place", "i1"),  # repository, in the spelling this pull request is known by
        ("number", "i4"),
        ("author", "i2"),
        ("association", "i1"),
        ("created", "i8"),
        ("evaluations", "i1"),
        ("gap", "i8"),  # between two evaluations
        ("verdict", "i1"),  # of the last evaluation
        ("fired", "i1"),  # how many rules fire on it
        ("lead_rule", "i2"),
        ("action", "i1"),  # what became of the gate's own close or merge
        ("action_at", "i8"),
        ("first_end", "i1"),  # how it first ended, and when
        ("first_end_at", "i8"),
        ("end", "i1"),  # how it stands after everything
        ("end_at", "i8"),
        ("by_bot", "?"),
        ("reversal", "i1"),
        ("reversed_at", "i8"),
        ("reversed_by", "i4"),  # the reverting or superseding pull request
    ]
)

PLACES = tuple(r.name for r in REPOSITORIES) + tuple(r.also_spelled or r.name for r in REPOSITORIES)
ALLOWED_PLACES = np.array([r.allowlisted for r in REPOSITORIES] * 2)
PEOPLE = (*MAINTAINERS, *CONTRIBUTORS)

_OTHER_SPELLING = 0.06
_EVALUATIONS = (0.66, 0.22, 0.08, 0.04)
_FIRED_WEIGHTS = (0.16, 0.24, 0.25, 0.18, 0.11, 0.06)  # 1 to 6 rules
_HELD_THOUGH_CLEAN = 0.15
_HELD = 0.30
_ACTION_FAILED = 0.03
_ACTION_DRY_RUN = 0.03
_STAYS_OPEN = 0.08
_HUMAN_MERGES = (0.88, 0.25, 0.62)  # by the gate's verdict: merge, close, hold
_HUMAN_DELAY = 20 * HOUR
_LONGEST_HUMAN_DELAY = 16 * DAY
_REOPENED_SHARE = 0.048
_SUPERSEDED_SHARE = 0.022
_OWNER_REOPENED_SHARE = 0.015
_REVERTED_SHARE = 0.03
_REVERSAL_DELAY = 14 * HOUR
_LONGEST_REVERSAL_DELAY = 6 * DAY
_MERGED_AFTER_REOPENING = 0.55


class PullSource:
    """Opens pull requests day by day, numbering each repository's on."""

    def __init__(self, draws: Draws, span: Span) -> None:
        self._draws = draws
        self._span = span
        self._next_number = [r.first_number for r in REPOSITORIES]
        self._quotas = {
            REOPENED: Quota(_REOPENED_SHARE),
            SUPERSEDED: Quota(_SUPERSEDED_SHARE),
            OWNER_REOPENED: Quota(_OWNER_REOPENED_SHARE),
            REVERTED: Quota(_REVERTED_SHARE),
        }

    def open_on(self, day: int, n: int) -> Pulls:
        """The lives of the `n` pull requests that open in the 24 hours from `day`, in the order they open."""
        pulls: Any = np.zeros(n, dtype=PULL)
        repository = self._draws.pick([r.weight for r in REPOSITORIES], n)
        self._identity(pulls, repository, day)
        self._evaluation(pulls)
        self._action(pulls, repository)
        self._ending(pulls)
        self._reversal(pulls)
        return pulls  # type: ignore[no-any-return]

    def _identity(self, pulls: Any, repository: Ints, day: int) -> None:
        draws, n = self._draws, len(pulls)
        respelled = draws.chance(_OTHER_SPELLING, n)
        pulls["place"] = repository + len(REPOSITORIES) * respelled
        # the mean of two draws: most of the day's work falls into its middle
        pulls["created"] = np.sort(day + ((draws.uniform(n) + draws.uniform(n)) / 2 * DAY).astype(np.int64))
        for index in range(len(REPOSITORIES)):
            mine = np.flatnonzero(repository == index)
            pulls["number"][mine] = self._next_number[index] + np.arange(len(mine))
            self._next_number[index] += len(mine)
        association = draws.pick([a.weight for a in ASSOCIATIONS], n)
        pulls["association"] = association
        inside = association < MAINTAINER_ASSOCIATIONS
        contributor = len(MAINTAINERS) + draws.below(len(CONTRIBUTORS), n)
        pulls["author"] = np.where(inside, draws.below(len(MAINTAINERS), n), contributor)

    def _evaluation(self, pulls: Any) -> None:
        draws, n = self._draws, len(pulls)
        clean = np.array([a.clean for a in ASSOCIATIONS])[pulls["association"]]
        close = np.array([a.close for a in ASSOCIATIONS])[pulls["association"]]
        is_clean = draws.chance(clean, n)
        pulls["evaluations"] = 1 + draws.pick(_EVALUATIONS, n)
        pulls["gap"] = 2 * HOUR + draws.long_tailed(9 * HOUR, n, longest=2 * DAY)
        pulls["fired"] = np.where(is_clean, 0, 1 + draws.pick(_FIRED_WEIGHTS, n))
        lead = draws.pick([r.weight for r in RULES], n)
        pulls["lead_rule"] = np.where(is_clean, NO_RULE, lead)
        chance = draws.uniform(n)
        if_fired = np.where(chance < close, CLOSE, np.where(chance < close + _HELD, HOLD, MERGE))
        pulls["verdict"] = np.where(is_clean, np.where(chance < _HELD_THOUGH_CLEAN, HOLD, MERGE), if_fired)

    def _action(self, pulls: Any, repository: Ints) -> None:
        draws, n = self._draws, len(pulls)
        at = last_evaluation(pulls) + 20 * SECOND + draws.below(40 * SECOND, n)
        at = self._span.thaw(at)
        chance = draws.uniform(n)
        action = np.where(chance < _ACTION_FAILED, FAILED, np.where(chance > 1 - _ACTION_DRY_RUN, DRY_RUN, LIVE))
        advisory = np.array([r.advisory for r in REPOSITORIES])[repository]
        dry = advisory | self._span.in_week(at, DRY_RUN_WEEKS_BACK)
        action = np.where(dry, DRY_RUN, action)
        paused = (repository == PAUSED_REPOSITORY) & self._span.in_week(at, PAUSED_WEEKS_BACK)
        pulls["verdict"] = np.where(paused, HOLD, pulls["verdict"])
        pulls["action"] = np.where(pulls["verdict"] == HOLD, NO_ACTION, action)
        pulls["action_at"] = at

    def _ending(self, pulls: Any) -> None:
        draws, n = self._draws, len(pulls)
        live = pulls["action"] == LIVE
        delay = draws.long_tailed(_HUMAN_DELAY, n, longest=_LONGEST_HUMAN_DELAY)
        human_at = self._span.thaw(pulls["action_at"] + 5 * MINUTE + delay)
        merges = draws.chance(np.array(_HUMAN_MERGES)[pulls["verdict"]], n)
        human = np.where(draws.chance(_STAYS_OPEN, n), STILL_OPEN, np.where(merges, MERGED, CLOSED))
        by_gate = np.where(pulls["verdict"] == MERGE, MERGED, CLOSED)
        pulls["by_bot"] = live
        pulls["first_end"] = np.where(live, by_gate, human)
        ended_at = np.where(live, pulls["action_at"] + 2 * SECOND, human_at)
        pulls["first_end_at"] = np.where(pulls["first_end"] == STILL_OPEN, NEVER, ended_at)

    def _reversal(self, pulls: Any) -> None:
        draws, n = self._draws, len(pulls)
        live = pulls["action"] == LIVE
        closed, merged = live & (pulls["verdict"] == CLOSE), live & (pulls["verdict"] == MERGE)
        reversal = np.zeros(n, dtype=np.int8)
        for kind, eligible in (
            (REOPENED, closed),
            (SUPERSEDED, closed),
            (OWNER_REOPENED, closed),
            (REVERTED, merged),
        ):
            reversal[self._quotas[kind].among(eligible & (reversal == STANDS))] = kind
        delay = 20 * MINUTE + draws.long_tailed(_REVERSAL_DELAY, n, longest=_LONGEST_REVERSAL_DELAY)
        at = self._span.thaw(pulls["first_end_at"] + delay)
        pulls["reversal"] = reversal
        pulls["reversed_at"] = np.where(reversal == STANDS, NEVER, at)
        # the other pull request is a later one of the same repository
        pulls["reversed_by"] = pulls["number"] + 1 + draws.below(9, n)
        self._after_reopening(pulls, reversal)

    def _after_reopening(self, pulls: Any, reversal: npt.NDArray[np.int8]) -> None:
        draws, n = self._draws, len(pulls)
        back = (reversal == REOPENED) | (reversal == OWNER_REOPENED)
        delay = HOUR + draws.long_tailed(8 * HOUR, n, longest=4 * DAY)
        later = self._span.thaw(np.where(back, pulls["reversed_at"], 0) + delay)
        merged_late = draws.chance(_MERGED_AFTER_REOPENING, n)
        pulls["end"] = np.where(back, np.where(merged_late, MERGED, STILL_OPEN), pulls["first_end"])
        # an owner who reopens by mistake closes again
        pulls["end"] = np.where(reversal == OWNER_REOPENED, CLOSED, pulls["end"])
        pulls["end_at"] = np.where(back, np.where(pulls["end"] == STILL_OPEN, NEVER, later), pulls["first_end_at"])


def last_evaluation(pulls: Any) -> Ints:
    """When the gate looked last before it acted."""
    return evaluation_time(pulls, pulls["evaluations"].astype(np.int64) - 1)


def evaluation_time(pulls: Any, index: Ints | int) -> Ints:
    """When the gate looked for the `index`-th time, counted from 0."""
    times: Ints = pulls["created"] + 2 * MINUTE + index * pulls["gap"]
    return times


def allowlisted(pulls: Any) -> Bools:
    """Which of them belong to a repository that may be named."""
    allowed: Bools = ALLOWED_PLACES[pulls["place"]]
    return allowed
