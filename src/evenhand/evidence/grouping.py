"""Which copies of a review are one mechanism.

Belongs here: the three kinds of likeness, the indexes that find them, and their transitive closure. Does not: what a
mechanism then is worth (mechanisms.py).

No pair is compared unless an index says that it may be alike: two thousand copies are two million pairs. Sets of
copies are ints, copy k being bit k, so that a whole list of candidates is filtered in one operation.

Source: What a review means, section 5 (mechanisms); prefix filtering as in Bayardo, Ma and Srikant, WWW 2007.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from evenhand.evidence.records import Finding, Patch
from evenhand.evidence.rules import Rules
from evenhand.evidence.words import lines_of, squeezed, symbols_of, trimmed, words_of

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
    wordy = sum(1 << copy for copy in words)
    beside = [near & wordy for near in beside]
    _join_like_words(words, beside, groups, rules.word_overlap)
    symbols = {copy: _named(findings[copy]) for copy in words}
    _join_like_symbols({copy: named for copy, named in symbols.items() if named}, beside, groups, rules.symbol_overlap)


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


def _join_like_words(words: dict[int, frozenset[str]], beside: list[int], groups: Groups, threshold: Fraction) -> None:
    """Joins copies of which |A n B| / |A u B| reaches the threshold.

    Then |A n B| is at least threshold * |A| and threshold * |B|. Of 10 words at 1/2 at least 5 are shared, so one of
    any 6 is: indexing the 6 rarest finds every match, and the commonest words bring no candidates.
    """
    rarity = _by_rarity(words.values())
    index: defaultdict[str, int] = defaultdict(int)
    for copy, own in words.items():
        prefix = _prefix(own, threshold, rarity)
        candidates = _any_of(index, prefix) if prefix is not None else -1
        for other in _candidates(candidates & beside[copy] & _before(copy), copy, groups):
            shared = len(own & words[other])
            if shared * threshold.denominator >= threshold.numerator * (len(own) + len(words[other]) - shared):
                groups.join(copy, other)
        for word in prefix or ():
            index[word] |= 1 << copy


def _join_like_symbols(
    symbols: dict[int, frozenset[str]], beside: list[int], groups: Groups, threshold: Fraction
) -> None:
    """Joins copies of which |A n B| / min(|A|, |B|) reaches the threshold.

    The larger sets come first and are indexed whole; a smaller one looks for its rarest symbols alone. Of 5 symbols
    at 0.6 it shares at least 3, so one of any 3.
    """
    rarity = _by_rarity(symbols.values())
    index: defaultdict[str, int] = defaultdict(int)
    seen = 0
    for copy in sorted(symbols, key=lambda number: -len(symbols[number])):
        own = symbols[copy]
        prefix = _prefix(own, threshold, rarity)
        candidates = _any_of(index, prefix) if prefix is not None else seen
        for other in _candidates(candidates & beside[copy], copy, groups):
            if len(own & symbols[other]) * threshold.denominator >= threshold.numerator * len(own):
                groups.join(copy, other)
        for symbol in own:
            index[symbol] |= 1 << copy
        seen |= 1 << copy


def _by_rarity(sets: Iterable[frozenset[str]]) -> dict[str, tuple[int, str]]:
    counts = Counter(member for members in sets for member in members)
    return {member: (count, member) for member, count in counts.items()}


def _prefix(own: frozenset[str], threshold: Fraction, rarity: dict[str, tuple[int, str]]) -> list[str] | None:
    """The rarest members, one of which every match shares; None when a match need not share any."""
    needed = -(-threshold.numerator * len(own) // threshold.denominator)
    if needed < 1:
        return None
    return sorted(own, key=rarity.__getitem__)[: max(0, len(own) - needed + 1)]


def _any_of(index: dict[str, int], members: Iterable[str]) -> int:
    found = 0
    for member in members:
        found |= index.get(member, 0)
    return found


def _before(copy: int) -> int:
    return (1 << copy) - 1


def _candidates(copies: int, copy: int, groups: Groups) -> Iterator[int]:
    """The copies that are not yet in the group of this one, which may grow between two of them."""
    copies &= ~groups.members(copy)
    while copies:
        lowest = copies & -copies
        yield lowest.bit_length() - 1
        copies &= ~(lowest | groups.members(copy))
