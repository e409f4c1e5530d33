"""Every page as a browser shows it: from a file, with the network off, narrow and wide, light and dark."""

from collections.abc import Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page
from support.sites import Written

from evenhand.corpus.corpora import file_stem

WAYS = ((390, "light"), (1280, "dark"), (390, "dark"), (1280, "light"))
"""Width and colours. The pages of the sample are shown in all four; their like in other states in the first two."""
PAGES = (
    "index",
    "rules",
    "repositories",
    "trends",
    "fleet",
    "parity",
    "automation",
    "data",
    "verify",
    "restatements",
    "quality",
    "methodology",
    "differences",
    "limits",
)
RULES = ("ai_consensus_defect", "slop_gate_score", "changelog_entry_missing")
OPERATORS = ("calibration", "instances", "backtests", "quarantine", "rules/ai_consensus_defect")
REVIEWS = ("reviews", "reviews-seats", "reviews-confidence")
WITHHELD = ("index", "fleet", "trends")
ABSENT = ("index", "fleet", "parity", "automation", "quality", "repositories")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_sample(sample: Written, context: BrowserContext, path: str):
    check(sample, context, f"{path}.html", WAYS)


@pytest.mark.parametrize("rule", RULES)
def test_the_page_of_a_rule(sample: Written, context: BrowserContext, rule: str):
    check(sample, context, f"rules/{rule}.html")


def test_the_pages_of_rules_whose_names_are_no_file_names(sample: Written, context: BrowserContext):
    stems = {file_stem(rule.rule_id): rule.rule_id for rule in sample.computed.results["signals.rule_precision"].rules}
    odd = [stem for stem, rule in stems.items() if stem != rule]
    assert len(odd) > 5
    for stem in odd:
        check(sample, context, f"rules/{stem}.html", WAYS[:1])


@pytest.mark.parametrize("path", REVIEWS)
def test_a_page_over_reviews(sample: Written, context: BrowserContext, path: str):
    check(sample, context, f"{path}.html")


def test_the_pages_of_single_reviews(sample_for_the_operator: Written, context: BrowserContext):
    pages = sorted((sample_for_the_operator.folder / "reviews").glob("rv-*.html"))
    fullest = max(pages, key=lambda path: path.stat().st_size)
    for path in ("reviews.html", "reviews/index.html", f"reviews/{fullest.name}"):
        check(sample_for_the_operator, context, path, WAYS[:1])


@pytest.mark.parametrize("path", OPERATORS)
def test_a_page_of_the_operator(sample_for_the_operator: Written, context: BrowserContext, path: str):
    check(sample_for_the_operator, context, f"{path}.html")


@pytest.mark.parametrize("path", WITHHELD)
def test_a_page_at_two_instances(two_instances: Written, context: BrowserContext, path: str):
    check(two_instances, context, f"{path}.html")


@pytest.mark.parametrize("path", ABSENT)
def test_a_page_of_an_export_that_holds_little(events_alone: Written, context: BrowserContext, path: str):
    check(events_alone, context, f"{path}.html")


def check(site: Written, context: BrowserContext, path: str, ways: Sequence[tuple[int, str]] = WAYS[:2]) -> None:
    """No error, no request beside files, no overflow and no accessibility violation, in each way of showing it."""
    page = context.new_page()
    errors: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((site.folder / path).as_uri())
    assert errors == []
    assert [url for url in requests if not url.startswith("file:")] == []
    # The style sheet and the script came through the page's own content policy.
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
    unfolded = {way: "true" if way in WAYS[:2] else "false" for way in ways}
    for width, scheme in ways:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        # Folded parts are opened for the first two ways: the others would only see the same again.
        page.eval_on_selector_all("details", f"all => all.forEach(one => one.open = {unfolded[(width, scheme)]})")
        assert overflow(page) <= 0, f"{path} is wider than {width} px"
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path} at {width} px, {scheme}:\n{found.generate_report()}"
    page.close()


def overflow(page: Page) -> int:
    """By how many pixels the page can be scrolled sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width
