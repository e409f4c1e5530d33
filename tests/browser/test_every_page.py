"""Every single page of the sample, rules and all, in every width and colour: slow, so with a target of its own."""

import pytest
from browser.test_pages import WAYS, check
from playwright.sync_api import BrowserContext
from support.sites import Written

pytestmark = pytest.mark.slow


def test_every_page_of_the_sample_in_every_way(sample: Written, context: BrowserContext) -> None:
    pages = sorted(path.relative_to(sample.folder).as_posix() for path in sample.folder.rglob("*.html"))
    assert len(pages) > 50
    for path in pages:
        check(sample, context, path, WAYS)


def test_every_page_of_the_operator_in_every_way(sample_for_the_operator: Written, context: BrowserContext) -> None:
    pages = sorted(sample_for_the_operator.folder.rglob("*.html"))
    assert len(pages) > 150
    for path in pages:
        check(sample_for_the_operator, context, path.relative_to(sample_for_the_operator.folder).as_posix(), WAYS[:1])
