"""What holds of every page of every site: links, headings, tables, tokens, and nothing from outside."""

import itertools
import posixpath
import re
from collections import Counter

from support.sites import Document, Written

_HEADING = re.compile("h[1-6]")


def test_every_link_leads_to_a_file_and_to_a_place_in_it(site: Written):
    ids = {path: set(Document(text).values("id")) for path, text in site.pages()}
    for path, text in site.pages():
        document = Document(text)
        for target in [*document.values("href"), *document.values("src")]:
            assert not re.match(r"[a-z]+:|/", target), f"{path} links {target}: not within the folder"
            file, _, place = target.partition("#")
            resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            assert (site.folder / resolved).is_file(), f"{path} links {target}, which is not there"
            assert not place or place in ids[resolved], f"{path} links {target}, which has no such place"


def test_headings_are_in_order_and_one_is_first(site: Written):
    for path, text in site.pages():
        levels = [int(tag[1]) for tag, _ in Document(text).tags if _HEADING.fullmatch(tag)]
        assert levels[0] == 1, path
        assert levels.count(1) == 1, path
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), path


def test_ids_are_unique(site: Written):
    for path, text in site.pages():
        assert [one for one, count in Counter(Document(text).values("id")).items() if count > 1] == [], path


def test_every_table_has_a_caption_scopes_and_a_region_that_can_be_scrolled(site: Written):
    for path, text in site.pages():
        tables = re.findall(r"(<div class=\"tw[^>]*>)<table(.*?)</table>", text, re.DOTALL)
        assert len(tables) == text.count("<table"), path
        for region, table in tables:
            assert 'role="region"' in region, path
            assert 'tabindex="0"' in region, path
            assert "<caption" in table, path
            assert re.findall("<th(?: [^>]*)?>", table) == re.findall('<th [^>]*scope="[^>]*>', table), path


def test_every_chart_has_a_label_a_table_and_its_specification_beside_it(site: Written):
    drawn = 0
    for path, text in site.pages():
        for figure in re.findall(r"<figure.*?</figure>(.*)", text, re.DOTALL)[:1]:
            drawn += 1
            assert "<table" in figure, f"{path} has a chart without a table"
        for attributes in Document(text).all("svg"):
            assert attributes.get("aria-hidden") == "true" or attributes["aria-label"], path
        assert text.count('class="chart wide"') == text.count('class="chart narrow"') == text.count("<figure"), path
        assert text.count("chart specification") == text.count("<figure"), path


def test_nothing_needs_a_script_and_nothing_is_inline(site: Written):
    for path, text in site.pages():
        document = Document(text)
        # A description of the data is no script: nothing runs it.
        [script] = [one for one in document.all("script") if one.get("type") != "application/ld+json"]
        assert "defer" in script, path
        assert document.values("style") == [], path
        assert not document.all("style"), path
        assert "default-src 'none'" in text, path


def test_no_page_names_who_is_private(site: Written):
    for path, text in site.pages():
        assert not re.search(r"[\w.-]+/[\w.-]+#\d+", re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)), path


def test_every_page_says_when_it_is_of_and_where_its_limits_stand(site: Written):
    for path, text in site.pages():
        assert "as of <time" in text, path
        assert "quarantined" in text, path
        assert "tables not provided" in text, path
        for target in ("quality.html", "differences.html", "limits.html"):
            assert target in text, path
        assert text.startswith('<!doctype html>\n<html lang="en"'), path
