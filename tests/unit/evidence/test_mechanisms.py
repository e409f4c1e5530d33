"""Section 5: which copies are one mechanism, and what a mechanism takes from its copies."""

import sys
import time
import unicodedata
from dataclasses import replace

import pytest
from support.reviews import CITED, FAILED, RAN, finding, groups, one, only, patch, suite

from evenhand.evidence.words import WHITE_SPACE, lines_of, squeezed, symbols_of, trimmed, words_of
from evenhand.policy import Policy

SEVEN = "one two three four five six seven"


def same(first, second):
    """Whether two copies become one mechanism."""
    return len(groups(finding("A", **first), finding("B", **second))) == 1


def cause(title=SEVEN, **changes):
    return {"title": title, "reason": "", "files": ["shared.py"]} | changes


def patched(**changes):
    return {"patch": patch(**changes)}


def test_the_same_patch_is_one_mechanism_however_it_is_indented():
    assert same(
        patched(replaced="a = 1", replacement="b"), patched(replaced="\ta =\u20031\r\n", replacement=" b", start_line=9)
    )
    assert not same(patched(), patched(file="b.py"))
    assert not same(patched(replacement="x = 2"), patched(replacement="x = 3"))
    assert not same(patched(replaced="x = 1"), patched(replaced="x = 7"))


def test_white_space_is_unicodes_and_not_pythons():
    assert not same(patched(replaced="a\x1cb"), patched(replaced="ab"))
    assert same(patched(replaced="a\x85b"), patched(replaced="ab"))
    assert not same(patched(replaced="a\u200bb"), patched(replaced="ab"))


def test_two_insertions_of_one_text_are_one_patch():
    assert same(patched(replaced="", start_line=1), patched(replaced="", start_line=80))


def test_one_long_equal_line_is_the_same_range():
    line = "call(12345)!"
    assert len(line) == 12
    assert same(patched(replaced=f"  {line}\r\nx"), patched(replaced=f"y\n{line}", replacement="z", start_line=70))
    assert not same(patched(replaced=line[1:]), patched(replaced=line[1:], replacement="z"))
    assert not same(patched(replaced=line), patched(replaced=line, replacement="z", file="b.py"))
    assert not same(patched(replaced=line), patched(replaced="call(1234 5)!", replacement="z"))


def test_a_line_is_measured_in_code_points_and_ends_at_lf_alone():
    assert not same(patched(replaced="v=😀😀345678"), patched(replaced="v=😀😀345678", replacement="z"))
    assert not same(patched(replaced="abcdefghijkl\u2028x"), patched(replaced="abcdefghijkl", replacement="z"))
    assert not same(patched(replaced="abcdefghijkl\rx"), patched(replaced="abcdefghijkl", replacement="z"))


def test_one_root_cause_needs_a_shared_file_and_more_than_six_words_each():
    assert same(cause(), cause())
    assert same(cause(files=["x.py", "shared.py"]), cause(files=["shared.py", "y.py"]))
    assert not same(cause(), cause(files=["other.py"]))
    assert not same(cause(), cause(files=["Shared.py"]))
    assert not same(cause("one two three four five six"), cause("one two three four five six"))
    assert not same(cause("one two three four five six ONE"), cause())
    assert not same(cause(files=[]), cause(files=[]))


def test_words_that_make_one_half_are_enough():
    # 8 and 7 words, 5 shared: 5 / 10.
    first = "a b c d e x1 x2 x3"
    assert same(cause(first), cause("a b c d e y1 y2"))
    assert not same(cause(first), cause("a b c d e y1 y2 y3"))


def test_title_and_reason_are_parted_by_a_space():
    assert same(cause("one two three four", reason="five six seven"), cause())
    assert not same(cause("one two three fo", reason="ur five six"), cause("one two three four five six"))


def test_symbols_overlap_by_the_smaller_set():
    other = "eight nine ten eleven twelve thirteen fourteen"
    five = ["a", "b", "c", "d", "e"]
    assert same(cause(symbols=five), cause(other, symbols=["a", "b", "c", "y", "z"]))
    assert not same(cause(symbols=five), cause(other, symbols=["a", "b", "x", "y", "z"]))
    assert same(cause(symbols=[*five, *"fghijklmnop"]), cause(other, symbols=["p"]))
    assert not same(cause(symbols=["Lock"]), cause(other, symbols=["lock"]))
    assert not same(cause(symbols=[]), cause(other, symbols=[]))
    assert not same(cause("a b c", symbols=["lock"]), cause(other, symbols=["lock"]))


def test_what_symbols_are_a_share_of_is_policy():
    other = "eight nine ten eleven twelve thirteen fourteen"
    copies = finding("A", **cause(symbols=["a", "b", "c"])), finding("B", **cause(other, symbols=["a"]))
    jaccard = replace(Policy().evidence, symbol_measure="jaccard")
    assert len(one(*copies)["mechanisms"]) == 1
    assert len(one(*copies, policy=jaccard)["mechanisms"]) == 2


def test_two_thousand_copies_are_not_two_million_comparisons():
    # Each pair shares 9 of its 19 words, just under one half: comparing them one by one takes ten seconds.
    shared = " ".join(f"shared{number}" for number in range(9))
    copies = [
        finding(f"F{n}", **cause(f"{shared} {' '.join(f'own{n}_{k}' for k in range(10))}", symbols=["lock", f"s{n}"]))
        for n in range(2000)
    ]
    start = time.process_time()
    assert len(groups(*copies)) == 2000
    assert time.process_time() - start < 5


def test_symbols_that_are_missing_or_null_are_the_back_quoted_ones_and_an_empty_list_is_none():
    quoted, other = f"{SEVEN} `lock_it`", "eight nine ten eleven twelve thirteen fourteen"
    named = cause(other, symbols=["lock_it"])
    assert same(cause(quoted, symbols=None), named)
    assert not same(cause(quoted, symbols=[]), named)
    absent = finding("A", **cause(quoted))
    del absent["symbols"]
    assert len(groups(absent, finding("B", **named))) == 1


def test_a_back_quoted_span_stands_on_one_line_and_is_one_symbol():
    assert symbols_of("`a b` and `c`", "`d`") == {"a b", "c", "d"}
    assert symbols_of("`a\nb`", "") == set()
    assert symbols_of("``a``", "``") == {"a"}
    assert symbols_of("open `a", "close` b") == set()


def test_likeness_is_transitive():
    chain = [
        finding("A", **patched(replaced="one_long_line()")),
        finding("B", **patched(replaced="one_long_line()\nsecond_long_line()", replacement="y")),
        finding("C", **patched(replaced="second_long_line()", replacement="z")),
    ]
    assert groups(*chain) == [["A", "B", "C"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Foo_bar foo-bar", {"foo_bar", "foo", "bar"}),
        ("a² b½ Ⅷx", {"a", "b", "x"}),
        ("किताब", {"क", "त", "ब"}),
        ("٣٤ x٣", {"٣٤", "x٣"}),
        ("İx", {"i̇x"}),
        ("ΛΌΓΟΣ", {"λόγος"}),
        ("STRASSE straße", {"strasse", "straße"}),
        ("naïve e\u0301t", {"naïve", "e", "t"}),
        ("㊀ 一二", {"一二"}),
        ("a‿b", {"a", "b"}),
        ("", set()),
    ],
)
def test_words(text, words):
    assert words_of(text) == words


def test_a_word_character_is_a_letter_a_decimal_digit_or_the_low_line():
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    right = {
        character.lower()
        for character in characters
        if (category := unicodedata.category(character))[0] == "L" or category == "Nd" or character == "_"
    }
    assert words_of(" ".join(characters)) == right


def test_lines_and_white_space():
    assert lines_of("") == []
    assert lines_of("\n") == [""]
    assert lines_of("a\nb\n") == ["a", "b"]
    assert lines_of("a\r\x0b\u2028b\n\n") == ["a\r\x0b\u2028b", ""]
    assert len(WHITE_SPACE) == 25
    assert trimmed("\u3000\x85a\u180e ") == "a\u180e"
    assert squeezed("a\u2009b\u200bc") == "ab\u200bc"


LIKE = cause("one two three four five six seven eight")


def test_the_lead_is_the_strongest_by_evidence_then_confidence_then_export_order():
    copies = [
        finding("A", **LIKE, stated_confidence=0.9),
        finding("B", **LIKE, stated_confidence=0.2, suite=suite()),
        finding("C", **LIKE, stated_confidence=0.204, suite=suite()),
        finding("D", **LIKE, reproduction=FAILED),
    ]
    found = only(*copies)
    assert (found["lead"], found["evidence"], found["confidence"]) == ("B", "suite_green", 0.2)
    assert found["members"] == ["A", "B", "C", "D"]


def test_unverified_is_stronger_than_could_not_run():
    found = only(finding("A", **LIKE, suite=suite(status="clock"), stated_confidence=1), finding("B", **LIKE))
    assert (found["lead"], found["evidence"], found["reason"]) == ("B", "unverified", None)


def test_lenses_and_seats_are_sorted_by_code_point():
    found = only(
        finding("A", **LIKE, seat="cedar", lens="é"),
        finding("B", **LIKE, seat="Elm", lens="z"),
        finding("C", **LIKE, seat="cedar", lens="Z"),
    )
    assert (found["seats"], found["lenses"]) == (["Elm", "cedar"], ["Z", "z", "é"])


def test_a_contradiction_of_any_copy_counts_once_for_the_lead():
    found = only(
        finding("A", **LIKE, reproduction=RAN, contradiction=CITED),
        finding("B", **LIKE, reproduction=RAN, stated_confidence=0.4),
    )
    assert (found["lead"], found["confidence"], found["section"]) == ("B", 0.18, "notes")
    twice = only(finding("A", **LIKE, contradiction=CITED), finding("B", **LIKE, contradiction=CITED))
    assert twice["confidence"] == 0.08


def test_the_strongest_impact_counts_with_its_own_edge():
    found = only(
        finding("A", **LIKE, impact="low", edge_input_only=True),
        finding("B", **LIKE, impact="high"),
        finding("C", **LIKE),
    )
    assert (found["impact"], found["section"]) == ("high", "unverified")
    found = only(finding("A", **LIKE, impact="low"), finding("B", **LIKE, impact="high", edge_input_only=True))
    assert (found["impact"], found["section"]) == ("high", "cleanup")


def test_a_promise_that_verifies_infers_high_and_beats_a_lower_rating():
    found = only(finding("A", **LIKE, promise=CITED), finding("B", **LIKE, impact="moderate"))
    assert (found["impact"], found["impact_inferred"]) == ("high", True)
    kept = only(finding(promise=CITED, impact="low"))
    assert (kept["impact"], kept["impact_inferred"]) == ("low", False)
    assert only(finding(promise=CITED | {"line": 1}))["impact"] is None


def test_at_a_tie_the_reviewers_own_rating_comes_first_then_the_export():
    found = only(finding("A", **LIKE, promise=CITED, edge_input_only=True), finding("B", **LIKE, impact="high"))
    assert (found["impact_inferred"], found["section"]) == (False, "unverified")
    found = only(finding("A", **LIKE, impact="high", edge_input_only=True), finding("B", **LIKE, impact="high"))
    assert found["section"] == "cleanup"


def test_without_a_rating_every_copy_must_say_edge_only():
    edge = finding("A", **LIKE, edge_input_only=True)
    assert only(edge, finding("B", **LIKE, edge_input_only=True))["section"] == "cleanup"
    assert only(edge, finding("B", **LIKE))["section"] == "unverified"


def test_severity_counts_once_a_mechanism_where_impact_and_reach_were_given():
    found = one(
        finding("A", **LIKE, impact="critical"),
        finding("B", **LIKE, impact="moderate", reach="from main"),
        finding("C", **LIKE, impact="low", reach="from main"),
        finding("D", impact="high", reach="\u3000\n"),
        finding("E", purpose="hygiene", impact="high", reach="x"),
        finding("F", contradiction=CITED, impact="high", reach="x"),
        finding("G", promise=CITED, reach="x"),
    )
    assert found["severity_counts"] == {"critical": 0, "high": 2, "moderate": 1, "low": 0}
