"""Single audit events that follow from no pull request: how scenes and dirt hand their rows to the log.

Only the shape, its rendering and the order of arrival stand here; what the rows say is decided by the callers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from evenhand.sample import texts
from evenhand.sample.draws import Draws
from evenhand.sample.span import iso_all


class Extra(NamedTuple):
    """One audit event, by the time it arrives; `created` when the row says another time, or none that parses."""

    time: int
    event_type: str
    target: object
    metadata: object
    actor: str | None = None
    outcome: str = "completed"
    detail: str | None = None
    created: object = None
    dirty: bool = False  # written as it is, even when every metadata text shall be unique


class ExtraLog:
    """Renders extras day by day, in the order of their times."""

    def __init__(self, draws: Draws, extras: Iterable[Extra], *, unique_metadata: bool) -> None:
        self._draws = draws
        self._waiting = sorted(extras, key=lambda extra: extra.time)
        self._unique = unique_metadata
        self._next = 0

    def due(self, until: int) -> Iterator[tuple[object, ...]]:
        """The rows of everything that arrives before `until`."""
        first = self._next
        while self._next < len(self._waiting) and self._waiting[self._next].time < until:
            self._next += 1
        ready = self._waiting[first : self._next]
        times = np.array([extra.time for extra in ready], dtype=np.int64)
        for extra, row_id, written in zip(ready, self._draws.ids(times), iso_all(times), strict=True):
            metadata = extra.metadata
            if self._unique and not extra.dirty:
                metadata = texts.unique_text(str(metadata), row_id)
            yield (
                row_id, extra.event_type, extra.actor, None, extra.target, extra.outcome, extra.detail, metadata,
                written if extra.created is None else extra.created,
            )  # fmt: skip
