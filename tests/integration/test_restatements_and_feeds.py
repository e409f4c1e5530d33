"""What a build tells of the builds before it, and what it tells machines: restatements, feed, citation, badge."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from integration.conftest import PublishedSite
from support.sites import Document, published_from, verdicts, words

from evenhand.build import publish
from evenhand.computed import Computed
from evenhand.figures import Figure, Source, Unit
from evenhand.policy import load_policy
from evenhand.site.badge import badge_json, badge_svg
from evenhand.site.citation import citation, json_ld
from evenhand.site.facts import BuildFacts, Compared, MadeBuild
from evenhand.site.feed import feed
from evenhand.site.pages.restatements import LATE_ROWS, RETENTION, SHOWN_BEFORE, cause, restatements
from evenhand.site.pages.site import Site
from evenhand.site.report import report
from evenhand.timeline import DAY, WEEK, Window
from evenhand.verify.check import verify

ATOM = "{http://www.w3.org/2005/Atom}"
POLICY: dict[str, Any] = {"floors": {"weekly_accuracy": 3}, "site": {"title": "a"}}
VERSIONS = {"evenhand": "0.1.0"}


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Computed:
    """Twelve verdicts and nothing else."""
    folder = tmp_path_factory.mktemp("computed")
    return published_from({"audit_events": verdicts("alone", 9, 3)}, folder).computed


def site_after(computed: Computed, **before: Any) -> Site:
    """A site whose build before, a week earlier, said the same but for one automation week."""
    figures = {figure["id"]: figure for figure in json.loads(json.dumps(report(computed)))["figures"]}
    week = next(name for name in figures if name.startswith("outcomes.weekly_trend:") and name.endswith("/reversed"))
    figures[week] = {**figures[week], **before}
    compared = Compared("2026-10-25-0123456789ab", computed.context.as_of - DAY, figures, POLICY, VERSIONS)
    facts = BuildFacts("id", "", (), compared=compared, policy=POLICY, versions=VERSIONS)
    return Site(computed, facts)


def told(site: Site, policy: dict[str, Any] = POLICY) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.before, one.now, one.causes) for one in restatements(site, site.facts.compared, policy)]


SHOWN = {"value": 4, "numerator": 4, "withheld": None, "scale": "count"}


def test_nothing_that_is_the_same_is_a_restatement(computed: Computed) -> None:
    assert told(site_after(computed)) == []


def test_a_first_build_restates_nothing(computed: Computed) -> None:
    assert restatements(Site(computed, BuildFacts("id", "", ())), None, POLICY) == []


def test_rows_that_came_late_are_the_cause_when_nothing_else_changed(computed: Computed) -> None:
    [(before, now, causes)] = told(site_after(computed, withheld={"reason": "nothing_decided"}))
    assert before != now
    assert causes == (LATE_ROWS,)


def test_fewer_rows_than_before_or_a_week_that_the_window_cuts_are_retention() -> None:
    def of(n: int, start: int = 0) -> Figure:
        window = Window(start, start + 12 * WEEK)
        return Figure.proportion(
            n - 1, n, unit=Unit.PULL_REQUEST, source=Source.LEDGER, window=window, z=1.96, places=1
        )

    assert cause({"denominator": 50}, of(49), 0) == RETENTION
    assert cause({"denominator": 50}, of(51), 0) == LATE_ROWS
    assert cause({"denominator": 50}, of(50), 0) == LATE_ROWS
    assert cause({"denominator": 50}, of(50, start=DAY), 0) == RETENTION
    assert cause({"denominator": None}, of(50), None) == LATE_ROWS


def test_what_is_withheld_now_does_not_show_what_it_was(computed: Computed) -> None:
    [(before, _, _)] = told(site_after(computed, **SHOWN))
    assert before == SHOWN_BEFORE


def test_another_policy_and_other_code_are_both_named_since_figures_cannot_tell_them_apart(computed: Computed) -> None:
    site = site_after(computed, **SHOWN)
    facts = replace(site.facts, versions={"evenhand": "0.2.0"})
    other = {"floors": {"weekly_accuracy": 5}, "site": {"title": "b"}}
    [(_, _, causes)] = told(Site(computed, facts), other)
    assert causes == ("policy change: floors.weekly_accuracy 3 → 5", "code change: evenhand 0.1.0 → 0.2.0")


def test_a_week_that_was_still_running_is_no_restatement(computed: Computed) -> None:
    site = site_after(computed, **SHOWN)
    compared = site.facts.compared
    assert compared
    facts = replace(site.facts, compared=replace(compared, as_of=computed.context.as_of - 20 * WEEK))
    assert told(Site(computed, facts)) == []


def test_the_page_lists_a_week_that_the_window_cut_off(published_site: PublishedSite) -> None:
    page = words((published_site.latest / "restatements.html").read_text(encoding="utf-8"))
    assert f"differs from build {published_site.earlier.name}" in page
    assert re.search(r"ledger\.automation_rate:2026-08-03/rate .*n.=.12.*n.=.1.*retention: ", page)
    first = words((published_site.earlier / "restatements.html").read_text(encoding="utf-8"))
    assert "This is the first build" in first


def test_an_as_of_that_is_built_anew_tells_every_figure_that_differs_and_why(
    computed: Computed, tmp_path: Path
) -> None:
    first = publish(computed, out=tmp_path / "site")
    late = published_from({"audit_events": verdicts("alone", 13, 3)}, tmp_path).computed
    again = publish(late, out=tmp_path / "site", restate="four verdicts arrived <late>")
    page = words((again.folder / "restatements.html").read_text(encoding="utf-8"))
    assert f"of this as-of differ from build {first.build_id}" in page
    assert "signals.rule_precision:alone/precision" in page
    assert "four verdicts arrived <late>" in page
    assert verify(str(again.folder)).sound
    for name in ("feed.xml", "history.json", "restatements.html"):
        link = tmp_path / "site" / name
        assert link.readlink() == Path("latest") / name
        assert link.read_bytes() == (again.folder / name).read_bytes()


def test_the_feed_has_an_entry_a_build_and_no_clock(published_site: PublishedSite) -> None:
    root = ElementTree.fromstring((published_site.out / "feed.xml").read_bytes())
    entries = root.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}updated") for entry in entries] == [
        "2026-11-01T00:00:00.000Z",
        "2026-10-25T00:00:00.000Z",
    ]
    hrefs = [entry.find(f"{ATOM}link").attrib["href"] for entry in entries]  # type: ignore[union-attr]
    assert [(published_site.out / href).is_file() for href in hrefs] == [True, True]
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 2


def test_a_feed_of_hostile_words_is_still_a_feed() -> None:
    site = replace(load_policy(None).site, title="</title><script>\x00&", address="https://example.org/a&b")
    text = feed(site, (MadeBuild("2026-01-01-0123456789ab", 0, "0" * 64, "]]>\u202e<x>"),), 0)
    root = ElementTree.fromstring(text.encode())
    assert (
        root.find(f"{ATOM}entry/{ATOM}link")
        .attrib["href"]
        .startswith(  # type: ignore[union-attr]
            "https://example.org/a&b/builds/"
        )
    )


def test_the_citation_names_the_build_and_its_digest(published_site: PublishedSite) -> None:
    cited = yaml.safe_load((published_site.latest / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == published_site.latest.name
    assert cited["type"] == "dataset"
    [identifier] = cited["identifiers"]
    assert identifier["value"].removeprefix("sha256:")[:12] == published_site.latest.name[-12:]
    hostile = replace(load_policy(None).site, title='x"\n- y: z', source_label="a\x00: b", licence="our own words")
    read = yaml.safe_load(citation(hostile, BuildFacts("b", "d", ()), 0))
    assert "license" not in read
    assert '"' in read["title"]


def test_search_engines_are_told_of_a_dataset(published_site: PublishedSite) -> None:
    for name, least in (("index.html", 2), ("data.html", 100)):
        text = (published_site.latest / name).read_text(encoding="utf-8")
        [block] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)
        described = json.loads(block)
        assert (described["@type"], described["version"]) == ("Dataset", published_site.latest.name)
        assert len(described["distribution"]) >= least
        for file in described["distribution"]:
            assert (published_site.latest / file["contentUrl"]).stat().st_size == int(file["contentSize"].split()[0])
        assert Document(text).all("link")


def test_no_word_ends_the_description_of_the_data() -> None:
    hostile = replace(load_policy(None).site, title="</script><script>alert(1)</script>", source_label="<!--")
    text = json_ld(hostile, BuildFacts("b", "d", ()), 0, 90, every_file=True)
    assert not {"<", ">", "&"} & set(text)
    assert json.loads(text)["name"].startswith("</script>")


def test_the_badge_is_the_figure_with_its_interval_and_n(published_site: PublishedSite) -> None:
    badge = json.loads((published_site.latest / "badge.json").read_text(encoding="utf-8"))
    figures = json.loads((published_site.latest / "report.json").read_text(encoding="utf-8"))["figures"]
    figure = next(one for one in figures if one["id"] == badge["figure"])
    assert (badge["value"], badge["interval"], badge["n"]) == (
        figure["value"],
        figure["interval"],
        figure["denominator"],
    )
    low, high = figure["interval"]["low"], figure["interval"]["high"]
    assert badge["message"] == f"{figure['value']} % ({low}–{high}), n = {figure['denominator']}"
    svg = ElementTree.fromstring((published_site.latest / "badge.svg").read_bytes())
    assert badge["message"] in svg.attrib["aria-label"]


def test_the_badge_says_when_there_is_nothing_to_measure(computed: Computed) -> None:
    figure = computed.results["outcomes.decision_accuracy"].accuracy
    badge = json.loads(badge_json(figure, "b", computed.context.as_of))
    assert (badge["message"], badge["value"], badge["interval"]) == ("not measurable", None, None)
    assert "not measurable" in badge_svg(figure)
