"""What a reader does: by keyboard, without scripts, on paper, and with the tables' sorting and filter."""

import re

from playwright.sync_api import Browser, BrowserContext, Page
from support.sites import Written


def opened(site: Written, context: BrowserContext, path: str, width: int = 1280) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site.folder / path).as_uri())
    return page


def test_the_first_tab_offers_to_skip_to_the_report(sample: Written, context: BrowserContext):
    page = opened(sample, context, "index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_table_wider_than_the_screen_scrolls_by_keyboard(sample: Written, context: BrowserContext):
    page = opened(sample, context, "rules.html", 390)
    region = page.locator(".tw", has=page.locator("#rules-table"))
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.tw:has(#rules-table)').scrollLeft > 0")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_sorting_keeps_what_is_withheld_at_the_end(sample: Written, context: BrowserContext):
    page = opened(sample, context, "rules.html")
    header = page.locator("#rules-table thead th").nth(1)
    for expected in ("descending", "ascending"):
        header.get_by_role("button").click()
        assert header.get_attribute("aria-sort") == expected
        values = page.eval_on_selector_all(
            "#rules-table tbody tr", "rows => rows.map(row => row.cells[1].dataset.order)"
        )
        shown = [float(value) for value in values if value]
        assert shown == sorted(shown, reverse=expected == "descending")
        assert values[: len(shown)] == [value for value in values if value]


def test_the_filter_finds_a_rule(sample: Written, context: BrowserContext):
    page = opened(sample, context, "rules.html")
    page.get_by_label("Find a rule").fill("LOCKFILE")
    visible = page.locator("#rules-table tbody tr:visible")
    assert visible.count() == 1
    assert "lockfile_tamper_risk" in visible.first.inner_text()


def test_without_scripts_everything_is_there(sample: Written, browser: Browser):
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = opened(sample, context, "rules.html")
    assert page.locator("#rules-table tbody tr").count() == len(sample.computed.results["signals.rule_precision"].rules)
    assert page.locator("button").count() == 0
    context.close()


def test_one_form_of_a_chart_is_shown_and_its_text_can_be_read(sample: Written, context: BrowserContext):
    for width, form in ((390, "narrow"), (801, "wide"), (1280, "wide")):
        page = opened(sample, context, "trends.html", width)
        shown = page.locator("svg.chart:visible")
        assert shown.count() == 1
        assert form in (shown.first.get_attribute("class") or "")
        height = page.evaluate(f"document.querySelector('svg.chart.{form} text').getBoundingClientRect().height")
        assert height >= 11
        page.close()


def test_dark_charts_are_drawn_in_the_colours_of_the_page(sample: Written, context: BrowserContext):
    page = opened(sample, context, "trends.html")
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        colours.append(page.evaluate("getComputedStyle(document.querySelector('.chart.wide .fill-soft')).fill"))
    assert colours[0] != colours[1]


def test_paper_is_white_and_holds_the_table_whole(sample: Written, context: BrowserContext):
    page = opened(sample, context, "rules.html", 680)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert not page.locator("nav").first.is_visible()
    assert len(page.pdf(format="A4")) < 2_000_000


def test_right_to_left_names_leave_the_page_as_it_is(sample: Written, context: BrowserContext):
    page = opened(sample, context, "rules.html")
    row = page.locator("#rules-table tbody tr", has_text=re.compile("[\u0600-\u06ff]")).first
    name, decided = (row.locator(where).first.bounding_box() for where in ("th", "td:nth-of-type(2)"))
    assert name is not None
    assert decided is not None
    assert name["x"] < decided["x"]
