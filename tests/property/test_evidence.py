"""Whatever the copies are: their order does not matter, doubt never helps, and no bad patch is ever handed out.

The mechanisms are also held against every pair compared one by one, which is what the rules say and what the indexes
must not be seen to differ from.
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.reviews import CITED, FAILED, RAN, assessment, document, review, suite

from evenhand.evidence.assessment import Assessment
from evenhand.evidence.grouping import Groups, mechanisms_of
from evenhand.evidence.mechanisms import Copy
from evenhand.evidence.ranges import CoveredLines, DisjointPatches, covered
from evenhand.evidence.records import Finding, Patch
from evenhand.evidence.rules import Rules, State
from evenhand.evidence.words import WHITE_SPACE, lines_of, squeezed, symbols_of, trimmed, words_of
from evenhand.policy import Policy

Json = dict[str, Any]

WORDS = [f"w{number}" for number in range(14)]
FILES = ["a.py", "b.py", "c.py"]
LINES = ["short", "a_long_line_1()", " a_long_line_1() ", "a_long_line_2()", "a_long_line_3()\r"]

titles = st.lists(st.sampled_from(WORDS), min_size=5, max_size=12).map(" ".join)
symbols = st.none() | st.lists(st.sampled_from("abcdef"), max_size=5)
texts = st.lists(st.sampled_from(LINES), max_size=3).map("\n".join)
patches = st.fixed_dictionaries(
    {
        "file": st.sampled_from(FILES),
        "start_line": st.integers(1, 6),
        "replaced": texts,
        "replacement": st.sampled_from(["", "x", " x", "y"]),
    }
)
runs = st.sampled_from([RAN, FAILED, RAN | {"status": "clock"}, RAN | {"status": "patch_not_applied"}])
suites = st.builds(
    suite,
    with_patch=st.sampled_from(["green", "red", None]),
    baseline=st.sampled_from(["green", "red", None]),
    status=st.sampled_from(["ran", "ran", "ran", "clock", "patch_not_applied", "no_test_command"]),
)
bodies = st.fixed_dictionaries(
    {
        "lens": st.sampled_from(["tests", "docs"]),
        "purpose": st.sampled_from(["defect", "perf", "hygiene", "drift"]),
        "seat": st.sampled_from(["alder", "birch", "cedar", "unlisted"]),
        "title": titles,
        "reason": st.sampled_from(["", "`a` and `b`", "w1 w2"]),
        "files": st.lists(st.sampled_from(FILES), max_size=2),
        "symbols": symbols,
        "stated_confidence": st.sampled_from([None, 0, 0.145, 0.5, 0.995, 1]),
        "impact": st.sampled_from([None, "critical", "low"]),
        "reach": st.sampled_from([None, "from main", " "]),
        "edge_input_only": st.booleans(),
        "patch": st.none() | patches,
        "reproduction": st.none() | runs,
        "suite": st.none() | suites,
        "contested_by": st.sampled_from([[], ["lab-z"]]),
        "scope_sent_away": st.sampled_from([False, False, True]),
        "contradiction": st.sampled_from([None, None, CITED]),
        "promise": st.sampled_from([None, CITED]),
    }
)


def named(copies: list[Json]) -> list[Json]:
    return [body | {"finding_id": f"F{number}"} for number, body in enumerate(copies)]


copies = st.lists(bodies, max_size=9).map(named)


def read(findings: list[Json], **options: Any) -> Assessment:
    made, bad = assessment(review(*findings), **options)
    assert bad == []
    return made


def members(findings: list[Json]) -> set[frozenset[str]]:
    [assessed] = read(findings).reviews
    return {frozenset(copy.finding.finding_id for copy in found.copies) for found in assessed.mechanisms}


@given(copies.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
@settings(max_examples=60, deadline=None)
def test_copies_in_any_order_give_the_same_mechanisms(orders: tuple[list[Json], list[Json]]) -> None:
    one, other = orders
    assert members(one) == members(other)


@given(copies.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
@settings(max_examples=40, deadline=None)
def test_another_order_changes_only_what_the_order_decides(orders: tuple[list[Json], list[Json]]) -> None:
    def told(findings: list[Json]) -> dict[frozenset[str], tuple[Any, ...]]:
        [found] = document(review(*findings))["reviews"]
        return {
            frozenset(mechanism["members"]): (
                mechanism["evidence"],
                mechanism["confidence"],
                mechanism["impact"],
                mechanism["impact_inferred"],
                mechanism["lenses"],
                mechanism["seats"],
            )
            for mechanism in found["mechanisms"]
        }

    one, other = orders
    assert told(one) == told(other)


def alike(one: Finding, other: Finding) -> bool:
    """The three kinds of likeness, as the rules are written."""
    if one.patch and other.patch and one.patch.file == other.patch.file:
        if squeezed(one.patch.replaced) == squeezed(other.patch.replaced) and squeezed(
            one.patch.replacement
        ) == squeezed(other.patch.replacement):
            return True
        lines, others = (
            {trimmed(line) for line in lines_of(found.patch.replaced) if len(trimmed(line)) >= 12}
            for found in (one, other)
            if found.patch
        )
        if lines & others:
            return True
    if not set(one.files) & set(other.files):
        return False
    words, others = (words_of(f"{found.title} {found.reason}") for found in (one, other))
    if min(len(words), len(others)) <= 6:
        return False
    named_here, named_there = (
        symbols_of(found.title, found.reason) if found.symbols is None else frozenset(found.symbols)
        for found in (one, other)
    )
    if named_here and named_there:
        overlap = Fraction(len(named_here & named_there), min(len(named_here), len(named_there)))
        if overlap >= Fraction(3, 5):
            return True
    return Fraction(len(words & others), len(words | others)) >= Fraction(1, 2)


@given(st.lists(bodies, max_size=14).map(named))
@settings(max_examples=80, deadline=None)
def test_the_indexes_find_what_comparing_every_pair_finds(findings: list[Json]) -> None:
    [assessed] = read(findings).reviews
    found = assessed.review.findings
    groups = Groups(len(found))
    for one, other in combinations(range(len(found)), 2):
        if alike(found[one], found[other]):
            groups.join(one, other)
    assert mechanisms_of(found, Rules(Policy().evidence)) == groups.as_lists()


@given(bodies)
@settings(max_examples=60, deadline=None)
def test_a_verified_contradiction_never_raises_a_confidence(body: Json) -> None:
    def confidence(contradiction: Json | None) -> int:
        [found] = read(named([body | {"contradiction": contradiction}])).reviews[0].mechanisms
        return found.confidence

    assert confidence(CITED) <= confidence(None)


@given(copies, st.data())
@settings(max_examples=60, deadline=None)
def test_nor_that_of_the_mechanism_it_belongs_to(findings: list[Json], data: st.DataObject) -> None:
    if not findings:
        return
    plain = [copy | {"contradiction": None} for copy in findings]
    place = data.draw(st.integers(0, len(plain) - 1))
    doubted = [copy | {"contradiction": CITED if number == place else None} for number, copy in enumerate(plain)]

    def confidences(found: list[Json]) -> dict[frozenset[str], int]:
        return {
            frozenset(copy.finding.finding_id for copy in mechanism.copies): mechanism.confidence
            for mechanism in read(found).reviews[0].mechanisms
        }

    before, after = confidences(plain), confidences(doubted)
    assert all(after[group] <= before[group] for group in before)


@given(copies, copies, st.sampled_from(["all", "proven-only"]), st.booleans(), st.sampled_from(["first", "deep"]))
@settings(max_examples=80, deadline=None)
def test_nothing_refuted_or_unsafe_is_ever_suggested_or_planned(
    first: list[Json], deep: list[Json], deliver: str, sweep: bool, other: str
) -> None:
    made, _ = assessment(review(*first, **{"pass": other}), review(*deep), deliver=deliver, sweep=sweep)
    for assessed in made.reviews:
        for mechanism in assessed.mechanisms:
            if mechanism.lead_id in assessed.suggested:
                assert_fit(mechanism.lead, deliver)
                assert mechanism.lead_id not in assessed.withdrawn
        for choice in assessed.plan.chosen if assessed.plan else ():
            for copy in (choice.copy, *choice.alternatives):
                assert_fit(copy, deliver)
                assert_no_bad_twin(copy, choice.mechanism.copies)
    for day in made.housekeeping or []:
        for commit in day.commits:
            assert_fit(commit.choice.copy, deliver)
            assert_no_bad_twin(commit.choice.copy, commit.choice.mechanism.copies)


def assert_fit(copy: Copy, deliver: str) -> None:
    assert copy.finding.patch is not None
    assert not copy.unsafe_patch
    assert copy.state is not State.REFUTED
    assert copy.reason != "patch_not_applied"
    assert deliver == "all" or copy.state is State.PROVEN


def assert_no_bad_twin(copy: Copy, others: tuple[Copy, ...]) -> None:
    assert copy.finding.patch
    text = squeezed(copy.finding.patch.replaced), squeezed(copy.finding.patch.replacement)
    for other in others:
        patch = other.finding.patch
        if patch and patch.file == copy.finding.patch.file:
            same = (squeezed(patch.replaced), squeezed(patch.replacement)) == text
            assert not (same and (other.unsafe_patch or other.state is State.REFUTED))


@given(st.text(alphabet=WHITE_SPACE + "ab\x1c\u200b", max_size=8))
def test_squeezing_a_trimmed_text_is_squeezing_it(text: str) -> None:
    assert squeezed(trimmed(text)) == squeezed(text)


ranges = st.lists(st.tuples(st.sampled_from("ab"), st.integers(-2, 12), st.integers(0, 4)), max_size=12)


@given(ranges)
@settings(max_examples=150, deadline=None)
def test_looking_up_lines_finds_what_comparing_line_by_line_finds(spans: list[tuple[str, int, int]]) -> None:
    made = [Patch(file, start, "x\n" * count, "") for file, start, count in spans]
    lines = [{(patch.file, number) for number in covered(patch)} for patch in made]
    known = CoveredLines(made[::2])
    assert [known.touch(patch) for patch in made] == [any(own & other for other in lines[::2]) for own in lines]
    taken: list[int] = []
    disjoint = DisjointPatches()
    for number, own in enumerate(lines):
        earlier = next((other for other in taken if own & lines[other]), None)
        assert disjoint.take(made[number], number) == earlier
        if earlier is None:
            taken.append(number)
