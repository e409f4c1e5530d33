"""The lines that patches replace, and which patches replace a line together.

Belongs here: ranges of lines by file, and looking one up among many. Does not: what an overlap means (passes.py,
plans.py).

Source: What a review means, sections 7 (two passes) and 8 (fix plan).
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate
from operator import itemgetter

from evenhand.evidence.records import Patch
from evenhand.evidence.words import line_count


def covered(patch: Patch) -> range:
    """The numbers of the lines that a patch replaces; none for a pure insertion."""
    return range(patch.start_line, patch.start_line + line_count(patch.replaced))


class CoveredLines:
    """Every line that some patches replace."""

    def __init__(self, patches: Iterable[Patch]) -> None:
        by_file: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for patch in patches:
            lines = covered(patch)
            if lines:
                by_file[patch.file].append((lines.start, lines.stop))
        self._starts: dict[str, list[int]] = {}
        self._furthest: dict[str, list[int]] = {}
        for file, spans in by_file.items():
            spans.sort()
            self._starts[file] = [start for start, _ in spans]
            self._furthest[file] = list(accumulate((stop for _, stop in spans), max))

    def touch(self, patch: Patch) -> bool:
        """Whether a patch replaces one of the lines: the ranges that start before its end must reach its start."""
        lines = covered(patch)
        if not lines or patch.file not in self._starts:
            return False
        before = bisect_left(self._starts[patch.file], lines.stop)
        return before > 0 and self._furthest[patch.file][before - 1] > lines.start


class DisjointPatches:
    """Patches that share no line, each with its number, taken one after the other."""

    def __init__(self) -> None:
        self._taken: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)

    def take(self, patch: Patch, number: int) -> int | None:
        """Takes a patch, or says which is the first taken one that it shares a line with."""
        lines = covered(patch)
        if not lines:
            return None
        spans = self._taken[patch.file]
        # They share no line, so that those which reach past its start are the last of those that start before its end.
        place = bisect_left(spans, lines.stop, key=itemgetter(0))
        found = None
        while place > 0 and spans[place - 1][1] > lines.start:
            place -= 1
            other = spans[place][2]
            found = other if found is None else min(found, other)
        if found is None:
            insort(spans, (lines.start, lines.stop, number))
        return found
