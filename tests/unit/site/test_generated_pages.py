"""Pages that say how figures are counted: complete, from the registry and the policy, and without names of people."""

from pathlib import Path

from support.exports import every_table
from support.sites import Written, published_from, verdicts, words, written

from evenhand.metrics.registry import registry
from evenhand.policy import policy_from
from evenhand.site.facts import BuildFacts
from evenhand.site.pages.differences import DIFFERENCES
from evenhand.site.pages.limits import reconciliations
from evenhand.site.pages.site import Site
from evenhand.site.report import anchor, entries, public_entries


def test_each_public_metric_has_its_section_with_the_query_that_ran(many: Written):
    page = many.page("methodology.html")
    for entry in public_entries():
        assert f'<h3 id="{anchor(entry.name)}">' in page, entry.name
    text = words(page)
    for metric in registry().values():
        assert (" ".join(metric.sql.split()) in text) == (not metric.operator_only), metric.name


def test_the_operator_reads_the_rule_of_every_metric(many_for_the_operator: Written):
    page = many_for_the_operator.page("methodology.html")
    assert all(f'<h3 id="{anchor(entry.name)}">' in page for entry in entries())


def test_every_floor_of_the_policy_is_that_of_some_metric():
    declared = {name for entry in entries() for name in entry.floors}
    assert declared == {"rule_precision", "weekly_accuracy", "weekly_fleet", "weekly_calibration", "instance_signals"}


def test_a_changed_policy_is_in_force_on_every_page_and_marked(tmp_path: Path):
    policy = policy_from(
        {"floors": {"rule_precision": 5}, "owners": {"acme": ["ada-acme"]}, "bots": {"logins": ["stale[bot]"]}}
    )
    events = [*verdicts("seven", 3, 4), *verdicts("four", 2, 2)]
    published = published_from(every_table({"audit_events": events}), tmp_path, policy)
    site = written(published, tmp_path / "site")
    page = words(site.page("methodology.html"))
    assert "floors.rule_precision 5 differs 10" in page
    assert "below the floor of 5 (n = 4)" in words(site.page("rules.html"))
    assert "42.9" in site.page("rules.html")
    for path, text in site.pages():
        assert "ada-acme" not in text, path
        assert "stale[bot]" not in text, path


def test_every_difference_of_the_contract_is_listed_once(many: Written):
    assert [difference.number for difference in DIFFERENCES] == list(range(1, 36))
    page = many.page("differences.html")
    assert all(f'<tr id="{difference.anchor}">' in page for difference in DIFFERENCES)


def test_corpora_reconcile_with_precision_rule_by_rule(many: Written):
    rows = reconciliations(Site(many.computed, BuildFacts("", "", ())))
    assert len(rows) == len(many.computed.corpora)
    for row in rows:
        assert row.decided - row.without_firing + row.further_firings == row.cases
        assert min(row.without_firing, row.further_firings) >= 0
