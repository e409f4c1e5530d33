"""How many members sets have in common, counted for all of them at once.

Belongs here: counting shared members with whole columns of bits. Does not: what the counts decide (grouping.py).

Two thousand copies are two million pairs, and comparing each takes seconds. Instead each word has an int whose bit k
says that copy k holds it, and the words of one copy are added up like numbers on paper, for every other copy in the
same operation: slice 0 holds the ones of all the sums, slice 1 the twos, slice 2 the fours.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping


class Sharing:
    """The sets of some copies, by the copies' places."""

    def __init__(self, sets: Mapping[int, frozenset[str]]) -> None:
        self._sets = sets
        self._holding: defaultdict[str, int] = defaultdict(int)
        self._of_size: defaultdict[int, int] = defaultdict(int)
        for copy, members in sets.items():
            self._of_size[len(members)] |= 1 << copy
            for member in members:
                self._holding[member] |= 1 << copy

    def sharing(self, copy: int, among: int, needed: Callable[[int, int], int]) -> int:
        """Those of some copies, as bits, that share at least needed(own size, their size) members with this one."""
        own = self._sets[copy]
        slices = _added(self._holding[member] & among for member in own)
        found = 0
        for size, copies in self._of_size.items():
            if copies & among:
                found |= _at_least(slices, needed(len(own), size), copies & among)
        return found


def _added(columns: Iterator[int]) -> list[int]:
    """The sum of columns of bits. 1, 1 and 1 in one place are 3: a bit in slice 0 and one in slice 1."""
    slices: list[int] = []
    for carry in columns:
        for place, ones in enumerate(slices):
            if not carry:
                break
            slices[place], carry = ones ^ carry, ones & carry
        if carry:
            slices.append(carry)
    return slices


def _at_least(slices: list[int], needed: int, places: int) -> int:
    """The places whose sum reaches a number: those that are greater at some slice, and those that are equal."""
    if needed >= 1 << len(slices):
        return 0 if needed > 0 else places
    equal, greater = places, 0
    for place in reversed(range(len(slices))):
        if needed >> place & 1:
            equal &= slices[place]
        else:
            greater |= equal & slices[place]
            equal &= ~slices[place]
    return greater | equal


def bits(number: int) -> Iterator[int]:
    """The places of the ones, lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
