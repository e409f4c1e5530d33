"""Seeded chance: named random streams, weighted picks, quotas and row ids.

Everything is derived from uniform doubles and raw bytes, whose streams numpy keeps stable between versions.
What the draws mean belongs to the modules that make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_HEX_PAIRS = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), np.uint8).reshape(256, 2)
_ID_BYTES = 16
_TIME_BYTES = 6
_HYPHENS = (8, 13, 18, 23)
_ID_LENGTH = 36


class Draws:
    """One named stream of chance; two names never share numbers, whatever order they are used in."""

    def __init__(self, seed: int, name: str) -> None:
        self._generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *name.encode()])))

    def uniform(self, n: int) -> Floats:
        """`n` doubles in [0, 1)."""
        return self._generator.random(n)

    def one(self) -> float:
        """One double in [0, 1)."""
        return float(self._generator.random())

    def below(self, limit: int, n: int) -> Ints:
        """`n` integers in [0, limit)."""
        numbers: Ints = (self.uniform(n) * limit).astype(np.int64)
        return numbers

    def index(self, limit: int) -> int:
        """One integer in [0, limit)."""
        return int(self.one() * limit)

    def chance(self, probability: float | Floats, n: int) -> Bools:
        """`n` yes-or-no answers."""
        answers: Bools = self.uniform(n) < probability
        return answers

    def pick(self, weights: Sequence[float], n: int) -> Ints:
        """`n` positions in `weights`, each drawn in proportion to its weight."""
        cumulative = np.cumsum(np.asarray(weights, dtype=np.float64))
        picked: Ints = np.searchsorted(cumulative, self.uniform(n) * cumulative[-1], side="right")
        return picked

    def choose(self, items: Sequence[T]) -> T:
        """One of `items`."""
        return items[self.index(len(items))]

    def long_tailed(self, median: float, n: int, *, longest: float) -> Ints:
        """Waiting times around `median`, now and then far longer, never above `longest`."""
        spread = self.uniform(n)
        # u/(1-u) has median 1 and a heavy tail; needs no logarithm, so no platform's last digit differs
        return np.minimum(median * spread / (1.0 - spread), longest).astype(np.int64)

    def order(self, n: int) -> Ints:
        """A shuffled order of `n` things."""
        return np.argsort(self.uniform(n), kind="stable").astype(np.int64)

    def ids(self, times: Ints) -> list[str]:
        """UUIDs of version 7: the millisecond, then chance; unique, and nearly in time order like the rows."""
        n = len(times)
        raw = np.empty((n, _ID_BYTES), dtype=np.uint8)
        for byte in range(_TIME_BYTES):
            raw[:, byte] = (times >> (8 * (_TIME_BYTES - 1 - byte))) & 0xFF
        chance = np.frombuffer(self._generator.bytes(n * (_ID_BYTES - _TIME_BYTES)), np.uint8)
        raw[:, _TIME_BYTES:] = chance.reshape(n, _ID_BYTES - _TIME_BYTES)
        raw[:, 6] = (raw[:, 6] & 0x0F) | 0x70
        raw[:, 8] = (raw[:, 8] & 0x3F) | 0x80
        text = np.full((n, _ID_LENGTH), ord("-"), dtype=np.uint8)
        digits = [column for column in range(_ID_LENGTH) if column not in _HYPHENS]
        text[:, digits] = _HEX_PAIRS[raw].reshape(n, 2 * _ID_BYTES)
        ids: list[str] = text.view(f"S{_ID_LENGTH}").ravel().astype(f"U{_ID_LENGTH}").tolist()
        return ids


class Quota:
    """Marks a fixed share of whatever passes, evenly: the share holds in every sample, however small."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._seen = 0

    def take(self, n: int) -> Bools:
        """Which of the next `n` are marked."""
        steps = np.floor((self._seen + np.arange(n + 1)) * self._share + 0.5)
        self._seen += n
        marked: Bools = np.diff(steps) > 0
        return marked

    def among(self, eligible: Bools) -> Bools:
        """The same over the eligible ones alone; the others pass unmarked."""
        marked = np.zeros(len(eligible), dtype=bool)
        marked[eligible] = self.take(int(eligible.sum()))
        return marked
