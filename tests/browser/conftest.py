"""A headless Chromium and the sites that it opens, from files, with the network off."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from support.golden import GOLDEN, Case
from support.pipeline import Published, publish
from support.sites import AS_OF, Written, operators, published_from, verdicts, written

from evenhand.evidence.analytics.reviewed import reviewed
from evenhand.evidence.page_folder import write_review_pages
from evenhand.policy import load_policy

_SAMPLE = Path(__file__).parents[2] / "data" / "sample"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here opens a browser. Without one it fails: a check that did not run has not passed."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if os.environ.get("EVENHAND_NO_BROWSER") == "1":
                item.add_marker(pytest.mark.skip(reason="EVENHAND_NO_BROWSER=1"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium, else the one that Playwright installed."""
    path = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            pytest.fail(
                "no Chromium is installed: run `make browser` (Debian's package is `chromium`), "
                "or set EVENHAND_NO_BROWSER=1 to leave these tests out"
            )
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile that cannot reach the network."""
    opened = browser.new_context(offline=True, reduced_motion="reduce")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The committed sample, with a build before it."""
    folder = tmp_path_factory.mktemp("sample")
    published = _sample(folder)
    before = {
        figure["id"]: {**figure, "value": None, "withheld": {"reason": "nothing_decided"}}
        for figure in published.report["figures"]
    }
    return written(published, folder / "site", before)


@pytest.fixture(scope="session")
def sample_for_the_operator(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The operator's edition of the sample."""
    folder = tmp_path_factory.mktemp("operator")
    published = _sample(folder)
    site = operators(published, folder)
    reviews = published.computed.reviews
    assert reviews
    assert reviews.assessment
    write_review_pages(reviews.assessment, reviews.bad, site.folder / "reviews", "../reviews.html")
    return site


def _with_reviews(published: Published) -> Published:
    """The same with the sample's reviews and seats."""
    context = published.computed.context
    found = reviewed(_SAMPLE / "reviews.ndjson", _SAMPLE / "seats.ndjson", context.policy, context.as_of, keep=True)
    return replace(published, computed=replace(published.computed, reviews=found))


def _sample(folder: Path) -> Published:
    export = folder / "export.sqlite"
    shutil.copy(_SAMPLE / "export.sqlite", export)
    policy = load_policy(_SAMPLE / "policy.toml")
    return _with_reviews(publish(export, AS_OF, policy.repositories.allow, policy))


@pytest.fixture(scope="session")
def two_instances(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A golden export whose fleet counts are withheld."""
    folder = tmp_path_factory.mktemp("two")
    return written(Case(GOLDEN / "fairness" / "open-01").publish(folder), folder / "site")


@pytest.fixture(scope="session")
def events_alone(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """An export with audit events alone: most of the report is not measurable."""
    folder = tmp_path_factory.mktemp("alone")
    return written(published_from({"audit_events": verdicts("alone", 9, 3)}, folder), folder / "site")
