"""Which copies of a review are one mechanism.

Belongs here: the three kinds of likeness, what finds them, and their transitive closure. Does not: what a
mechanism then is worth (mechanisms.py).

No pair is compared: equal patches and lines meet in a dictionary, and shared words are counted for all copies at once
(sharing.py). Sets of copies are ints, copy k being bit k.

Source: What a review means, section 5 (mechanisms).
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

from evenhand.evidence.records import Finding, Patch
from evenhand.evidence.rules import OVERLAP_COEFFICIENT, Rules
from evenhand.evidence.sharing import Sharing, bits
from evenhand.evidence.words import lines_of, squeezed, symbols_of, trimmed, words_of

Needed = Callable[[int, int], int]
"""How many members two sets of these sizes must share."""

PatchKey = tuple[str, str, str]
"""File, replaced and replacement without white space: equal for what is the same patch."""


def patch_key(patch: Patch) -> PatchKey:
    """What two copies of one patch share, however they are indented."""
    return patch.file, squeezed(patch.replaced), squeezed(patch.replacement)


class Groups:
    """Sets of copies that only ever grow together."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._members = [1 << copy for copy in range(size)]

    def root(self, copy: int) -> int:
        """The copy that stands for the group of this one."""
        parent = self._parent
        while parent[copy] != copy:
            parent[copy] = parent[parent[copy]]
            copy = parent[copy]
        return copy

    def members(self, copy: int) -> int:
        """The group of a copy, itself included, as bits."""
        return self._members[self.root(copy)]

    def join(self, one: int, other: int) -> None:
        """Makes two groups one; the first copy in the export stands for it."""
        first, second = sorted((self.root(one), self.root(other)))
        if first != second:
            self._parent[second] = first
            self._members[first] |= self._members[second]

    def as_lists(self) -> list[list[int]]:
        """Every group with its copies in export order, by its first copy."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for copy in range(len(self._parent)):
            groups[self.root(copy)].append(copy)
        return list(groups.values())


def mechanisms_of(findings: Sequence[Finding], rules: Rules) -> list[list[int]]:
    """The copies of each mechanism, by their places in the export."""
    groups = Groups(len(findings))
    if len(findings) > 1:
        _join_same_patches(findings, groups)
        _join_same_ranges(findings, groups, rules.policy.range_characters)
        _join_same_causes(findings, groups, rules)
    return groups.as_lists()


def _join_same_patches(findings: Sequence[Finding], groups: Groups) -> None:
    first: dict[PatchKey, int] = {}
    for copy, finding in enumerate(findings):
        if finding.patch is not None:
            groups.join(first.setdefault(patch_key(finding.patch), copy), copy)


def _join_same_ranges(findings: Sequence[Finding], groups: Groups, characters: int) -> None:
    first: dict[tuple[str, str], int] = {}
    for copy, finding in enumerate(findings):
        if finding.patch is not None:
            for line in lines_of(finding.patch.replaced):
                text = trimmed(line)
                if len(text) >= characters:
                    groups.join(first.setdefault((finding.patch.file, text), copy), copy)


def _join_same_causes(findings: Sequence[Finding], groups: Groups, rules: Rules) -> None:
    beside = _sharing_a_file(findings)
    words: dict[int, frozenset[str]] = {}
    for copy, finding in enumerate(findings):
        if beside[copy] & ~groups.members(copy):
            found = words_of(f"{finding.title} {finding.reason}")
            if len(found) > rules.policy.cause_words:
                words[copy] = found
    if not words:
        return
    _join_alike(words, beside, groups, _of_union(rules.word_overlap))
    symbols = {copy: _named(findings[copy]) for copy in words}
    share = _of_smaller if rules.policy.symbol_measure == OVERLAP_COEFFICIENT else _of_union
    _join_alike({copy: n for copy, n in symbols.items() if n}, beside, groups, share(rules.symbol_overlap))


def _join_alike(sets: dict[int, frozenset[str]], beside: list[int], groups: Groups, needed: Needed) -> None:
    known = Sharing(sets)
    everyone = sum(1 << copy for copy in sets)
    for copy in sets:
        apart = everyone & beside[copy] & ~groups.members(copy)
        if apart:
            for other in bits(known.sharing(copy, apart, needed)):
                groups.join(copy, other)


def _of_union(threshold: Fraction) -> Needed:
    """|A n B| / |A u B| >= t is |A n B| >= t / (1 + t) * (|A| + |B|): of 8 and 7 words at 1/2, five."""
    above, below = threshold.numerator, threshold.numerator + threshold.denominator
    return lambda own, other: -(-above * (own + other) // below)


def _of_smaller(threshold: Fraction) -> Needed:
    """|A n B| / min(|A|, |B|) >= t: of 5 and 9 symbols at 0.6, three."""
    above, below = threshold.as_integer_ratio()
    return lambda own, other: -(-above * min(own, other) // below)


def _named(finding: Finding) -> frozenset[str]:
    """Its symbols; the back-quoted ones only when the reviewer gave no list at all."""
    return symbols_of(finding.title, finding.reason) if finding.symbols is None else frozenset(finding.symbols)


def _sharing_a_file(findings: Sequence[Finding]) -> list[int]:
    """For each copy the copies that name one of its files."""
    naming: defaultdict[str, int] = defaultdict(int)
    for copy, finding in enumerate(findings):
        for file in finding.files:
            naming[file] |= 1 << copy
    beside = []
    for finding in findings:
        near = 0
        for file in finding.files:
            near |= naming[file]
        beside.append(near)
    return beside
