"""Charts: valid specifications, drawings that follow the page and no font, and no monster."""

import json
import re
from pathlib import Path

import altair
import pytest
from support.sites import Written

from evenhand.site.charts import theme
from evenhand.site.charts.counts import count_chart
from evenhand.site.charts.drawing import Drawing, restyled
from evenhand.site.charts.instances import Measure, distribution_chart
from evenhand.site.charts.intervals import IntervalRow, interval_chart
from evenhand.site.charts.reliability import Point, reliability_chart
from evenhand.site.charts.states import StackRow, stacked_chart
from evenhand.site.charts.weeks import Week, axis_start, weekly_chart
from evenhand.site.pages.rules import CHARTED_RULES

WEEKS = (
    Week("2026-10-05", 90.0, 80.1, 95.2),
    Week("2026-10-12", 93.0, 85.0, 96.0),
    Week("2026-10-19", note="n = 2"),
    Week("2026-10-26", 91.0, 84.0, 95.0, second=True),
)


POINTS = (
    Point(12.0, 20.0, 10.0, 35.0),
    Point(25.0, 30.0, 20.0, 45.0),
    Point(91.5, 96.0, 90.0, 99.0, run=1),
    Point(55.0, 60.0, 40.0, 80.0, second=True),
)


def drawings() -> list[Drawing]:
    found = [
        interval_chart("rows", "label", [IntervalRow("Closed"), IntervalRow("a rule", "n 12", 60.0, 50.0, 70.0)]),
        weekly_chart("weeks", "label", WEEKS),
        count_chart("counts", "label", [("Merge", 1200), ("Hold", 0)]),
        distribution_chart("strips", "label", [Measure("Accuracy", (20.0, 70.5), 45.2)]),
        stacked_chart(
            "stacks", "label", [StackRow("By lens"), StackRow("docs", "n 12", (30.0, 0.0, 40.0, 10.0, 20.0))]
        ),
        reliability_chart("reliability", "label", POINTS),
    ]
    return [drawing for drawing in found if drawing is not None]


@pytest.fixture(
    params=[(drawing, form) for drawing in drawings() for form in drawing.forms],
    ids=lambda pair: f"{pair[0].name}-{pair[1]}",
)
def drawn(request: pytest.FixtureRequest) -> tuple[Drawing, str]:
    pair: tuple[Drawing, str] = request.param
    return pair


def test_each_specification_is_valid(drawn: tuple[Drawing, str]):
    drawing, form = drawn
    altair.Chart.from_dict(dict(drawing.specifications[form]))


def test_a_drawing_holds_roles_for_colours_and_nothing_that_a_strict_policy_refuses(drawn: tuple[Drawing, str]):
    drawing, form = drawn
    svg = drawing.svg(form)
    assert not re.search(r'#[0-9a-f]{3,6}"|style=|<script|<style| id=|url\(|font-family|href', svg)
    assert svg.startswith(f'<svg class="chart {form}"')
    assert 'role="img" aria-label="label"' in svg


def test_the_layout_does_not_depend_on_a_font(drawn: tuple[Drawing, str]):
    import vl_convert

    drawing, form = drawn
    specification = json.loads(json.dumps(drawing.specifications[form]))
    specification["config"]["font"] = "monospace"
    assert restyled(vl_convert.vegalite_to_svg(specification), "label", form) == drawing.svg(form)


def test_text_is_never_smaller_than_eleven_pixels_where_its_form_is_shown(drawn: tuple[Drawing, str]):
    drawing, form = drawn
    svg = drawing.svg(form)
    sizes = {int(size) for size in re.findall(r'font-size="(\d+)px"', svg)}
    # The narrowest page that shows the form, without its paddings: 390 and 801 pixels wide.
    room = {"narrow": 390 - 2 * 16 - 2 * 12, "wide": 801 - 2 * 20 - 2 * 18}[form]
    width = next(one.width for one in theme.FORMS if one.name == form)
    assert min(sizes) * min(1, room / width) >= 11


def test_the_same_chart_twice_is_the_same(drawn: tuple[Drawing, str]):
    drawing, _form = drawn
    again = next(one for one in drawings() if one.name == drawing.name)
    assert again.files() == drawing.files()


def test_no_line_crosses_a_withheld_week():
    drawing = weekly_chart("weeks", "label", WEEKS)
    assert drawing is not None
    lines = re.findall(r'<path d="(M[^"]*)" [^>]*class="stroke-soft"', drawing.svg("wide"))
    assert [line.count("L") for line in lines if "L" in line] == [1]


def test_no_line_of_a_reliability_curve_crosses_a_withheld_bin():
    drawing = reliability_chart("reliability", "label", POINTS)
    assert drawing is not None
    lines = re.findall(r'<path d="(M[^"]*)" [^>]*class="stroke-accent"', drawing.svg("wide"))
    assert [line.count("L") for line in lines if "L" in line] == [1]


def test_the_segments_of_a_bar_stand_one_after_the_other_and_end_at_the_whole():
    drawing = stacked_chart("stacks", "label", [StackRow("docs", "n 3", (33.3, 0.0, 33.3, 0.0, 33.3))])
    assert drawing is not None
    datasets = drawing.specifications["wide"]["datasets"].values()
    values = next(rows for rows in datasets if "start" in rows[0])
    assert [(row["segment"], row["start"], row["end"]) for row in values] == [
        (0, 0.0, 33.0),
        (2, 33.3, 66.3),
        (4, 66.6, 100),
    ]


def test_charts_of_nothing_are_not_drawn():
    assert stacked_chart("stacks", "label", [StackRow("By lens")]) is None
    assert reliability_chart("reliability", "label", []) is None
    assert weekly_chart("weeks", "label", [Week("2026-10-05", note="none")]) is None
    assert count_chart("counts", "label", [("Merge", 0)]) is None
    assert distribution_chart("strips", "label", [Measure("Accuracy", (), None)]) is None


@pytest.mark.parametrize(("low", "start"), [(97.0, 80), (85.0, 80), (71.0, 70), (70.5, 60), (49.0, 0), (0.0, 0)])
def test_the_axis_begins_under_what_is_drawn_or_at_zero(low: float, start: int):
    assert axis_start([Week("2026-10-05", 99.0, low, 100.0)]) == start


def test_many_rules_make_no_monster_and_the_page_says_so(many: Written):
    text = many.page("rules.html")
    shown = sum(rule.precision.withheld is None for rule in many.computed.results["signals.rule_precision"].rules)
    heights = [float(height) for height in re.findall(r'<svg class="chart \w+" viewBox="0 0 \d+ (\d+)"', text)]
    assert max(heights, default=0) <= CHARTED_RULES * 40 + 60
    assert (f"the first {CHARTED_RULES} of {shown} rules" in text) == (shown > CHARTED_RULES)


def test_every_colour_of_the_theme_has_a_class_in_the_style_sheet():
    sheet = (Path(theme.__file__).parent.parent / "assets" / "style.css").read_text(encoding="utf-8")
    for role in theme.ROLES.values():
        assert f".fill-{role} " in sheet, role
        assert f".stroke-{role} " in sheet, role
