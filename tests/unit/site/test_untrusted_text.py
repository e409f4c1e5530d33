"""What comes out of an export can be read on a page and can do nothing to it."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from support.sites import Document, Written, words

from evenhand.corpus.corpora import file_stem
from evenhand.site.text import columns_wide, isolated, shortened, visible

from .conftest import HOSTILE


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain_rule", "plain_rule"),
        ("line\nbreak\ttab", "line␊break␉tab"),
        ("nul\x00del\x7f", "nul␀del␡"),
        ("c1\x85end", "c1[U+0085]end"),
        ("\u202egnorw", "[U+202E]gnorw"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("no\u00a0break", "no[U+00A0]break"),
        ("half\ud800pair", "half[U+D800]pair"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u200dalone", "[U+200D]alone"),
        (" two ends ", "␣two ends␣"),
        ("  ", "␣␣"),
        ("", "(empty)"),
    ],
)
def test_every_character_is_seen(text: str, shown: str):
    assert visible(text) == shown


def test_a_name_is_isolated_escaped_and_may_break_after_its_separators():
    assert isolated("a_<b>") == '<bdi class="name">a_&lt;b&gt;</bdi>'
    assert isolated("ai_defect") == '<bdi class="name">ai_<wbr>defect</bdi>'


def test_a_long_name_is_cut_for_a_chart_by_its_width():
    assert shortened("short", 10) == "short"
    assert shortened("a" * 300, 10) == "a" * 9 + "…"
    assert columns_wide(shortened("규칙" * 50, 10)) <= 10


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_rule_has_a_page_that_names_it(hostile: Written, name: str):
    rule = HOSTILE[name]
    heading = words(re.search("<h1>(.*?)</h1>", hostile.page(f"rules/{file_stem(rule)}.html"), re.DOTALL)[1])  # type: ignore[index]
    assert visible(rule) in heading


def test_nothing_of_an_export_becomes_markup(hostile: Written):
    for path, text in hostile.pages():
        document = Document(text)
        assert not document.all("img"), path
        assert {name for _, attributes in document.tags for name in attributes if name.startswith("on")} == set(), path
        # Beside the one script the overview and the data page describe the data, which nothing runs.
        described = [one for one in document.all("script") if one.get("type") == "application/ld+json"]
        assert len(described) == (path in ("index.html", "data.html")), path
        assert len(document.all("script")) == 1 + len(described), path
        assert "49" not in re.findall(r"<bdi[^>]*>(.*?)</bdi>", text), path


def test_no_page_holds_a_control_or_bidi_control_character(hostile: Written):
    for path, text in hostile.texts():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text), path


def test_hostile_names_stand_escaped_in_the_chart_and_its_specification(hostile: Written):
    chart = re.search(r"<svg class=\"chart narrow\".*?</svg>", hostile.page("rules.html"), re.DOTALL)
    assert chart is not None
    texts = [element.text for element in ElementTree.fromstring(chart[0]).iter("text")]
    assert "<img src=x onerror=alert(1)>" in texts
    specification = json.loads((hostile.folder / "charts/rule-precision-narrow.vl.json").read_text(encoding="utf-8"))
    assert "<img src=x onerror=alert(1)>" in json.dumps(specification)
