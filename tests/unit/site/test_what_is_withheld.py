"""A withheld number is on no page, in no attribute and in no chart; and its reason is."""

import re

import pytest
from support.sites import Written, words

from evenhand.site.text import isolated


def test_a_percentage_below_its_floor_is_nowhere(hostile: Written):
    # 3 of 7: 42.9 %, or 0.429, or 3/7 as a double; its interval begins at 15.8.
    for path, text in hostile.texts():
        assert not re.search(r"42\.8|42\.9|0\.428|0\.429|15\.8", text), path


def test_below_the_floor_a_rule_shows_n_and_not_the_split(hostile: Written):
    page = words(hostile.page("rules/below_its_floor.html"))
    assert "below the floor of 10 (n = 7)" in page
    assert "Confirmed, explicit" not in page
    row = re.search(
        r'<tr class="withheld"><th[^>]*><a href="rules/below_its_floor\.html".*?</tr>',
        hostile.page("rules.html"),
        re.DOTALL,
    )
    assert row is not None
    assert re.findall(r"<td class=\"num\">(.*?)</td>", row[0]) == ["7", "0"]


def test_a_lens_and_a_seat_below_the_floor_show_how_few_there_were_and_nothing_else(with_reviews: Written):
    # 3 of 7 again, as mechanisms of a lens, of a seat, and as fixes.
    row = r'<tr class="withheld"><th[^>]*><bdi class="name">few.*?</tr>'
    rows = re.findall(row, with_reviews.page("reviews.html"), re.DOTALL)
    assert [words(found).strip() for found in rows] == ["few 7 below the floor of 10 (n = 7)"] * 2
    for path, text in with_reviews.texts():
        assert not re.search(r"42\.8|42\.9|0\.428|0\.429|15\.8", text), path


def test_an_account_that_owns_no_named_repository_is_on_no_public_page(with_reviews: Written):
    for path, text in with_reviews.texts():
        assert "Unnamed Account" not in words(text), path
    assert "All other accounts" in with_reviews.page("reviews-seats.html")


def test_the_score_gate_is_warned_of_beside_its_figure(hostile: Written):
    assert "This is a score gate." in hostile.page("rules/quality_gate_score.html")
    assert "This is a score gate." not in hostile.page("rules/below_its_floor.html")


def test_at_two_instances_no_count_of_theirs_is_on_any_page(two_instances: Written):
    fleet = two_instances.computed.results["fleet.instance_signals"]
    assert fleet.privacy_withheld
    page = two_instances.page("fleet.html")
    counts = {fleet.pooled(name) for name in ("merge_verdicts", "close_verdicts", "holds", "policy_actions", "decided")}
    counts |= {
        value for row in fleet.instances for value in (row.decided, row.merge_verdicts, row.close_verdicts, row.holds)
    }
    shown = {int(text.replace(",", "")) for text in re.findall(r'<td class="num"[^>]*>([0-9,]+)</td>', page)}
    assert shown == set(), f"the fleet's page shows counts: {shown & counts or shown}"
    assert "withheld: two instances" in page
    assert re.search(r"\d\u202f%</small></b> *<span class=\"iv\"", page) is None


def test_at_two_instances_no_chart_holds_an_interval_or_a_count(two_instances: Written):
    assert not (two_instances.folder / "charts/fleet-verdicts.vl.json").exists()
    for path in two_instances.folder.glob("charts/fleet-*.json"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'"(low|high)": [0-9]', text), path
        assert "n = " not in text, path


def test_no_public_page_names_an_instance_or_shows_a_median(many: Written):
    fleet = many.computed.results["fleet.instance_signals"]
    for path, text in many.texts():
        named = [row.instance_id for row in fleet.instances if re.search(rf"\b{re.escape(row.instance_id)}\b", text)]
        assert named == [], path
    page = words(many.page("fleet.html"))
    # The check's words speak of medians; no number of one is given.
    for figure in fleet.medians.values():
        assert figure.exact is None or f"{float(figure.exact * 100):.3f}" not in page


def test_the_operators_edition_has_what_the_public_one_has_not(many: Written, many_for_the_operator: Written):
    public, private = dict(many.pages()), dict(many_for_the_operator.pages())
    assert set(private) - set(public) == {"calibration.html", "instances.html", "backtests.html", "quarantine.html"}
    assert set(public) <= set(private)
    fleet = many.computed.results["fleet.instance_signals"]
    assert all(isolated(row.instance_id) in private["instances.html"] for row in fleet.instances)
    assert all("not for publication" in text and "noindex" in text for text in private.values())
    assert not any("Calibration by week" in text for text in public.values())


def test_what_the_export_does_not_hold_is_not_zero(events_alone: Written):
    overview = words(events_alone.page("index.html"))
    assert "not measurable: the export holds no decision_records" in overview
    cards, _, _ = events_alone.page("index.html").partition('id="changed"')
    assert '<b class="v">' not in cards
    for path in ("fleet.html", "parity.html", "automation.html"):
        assert "Not measurable" in events_alone.page(path) or "not measurable" in events_alone.page(path), path


def test_an_empty_table_is_zero_and_an_absent_one_is_named(empty: Written, events_alone: Written):
    assert "Every declared table was provided." in empty.page("quality.html")
    cards, _, _ = empty.page("index.html").partition('id="changed"')
    assert cards.count('<b class="v">0</b>') == 2
    quality = words(events_alone.page("quality.html"))
    assert "A table that is not there is not an empty one" in quality
    assert "decision_records" in quality


@pytest.mark.parametrize("wanted", ["91.7", "not measurable", "nothing decided"])
def test_a_reason_never_stands_beside_a_value(hostile: Written, wanted: str):
    for path, text in hostile.pages():
        for cell in re.findall(r"<td[^>]*>(.*?)</td>", text, re.DOTALL):
            assert not (wanted in cell and 'class="why' in cell and 'class="v"' in cell), path
