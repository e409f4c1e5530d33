"""The pages of the report: what a stranger may see, and the operator's.

Belongs here: which pages there are, and writing them. Does not: what one page says (one module a page or small
group), or how figures are worded (wording) and drawn (charts, templates).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from evenhand.computed import Computed
from evenhand.site.badge import badge_json, badge_svg
from evenhand.site.citation import citation
from evenhand.site.facts import BuildFacts
from evenhand.site.feed import feed
from evenhand.site.pages import (
    automation,
    data,
    fleet,
    ledger,
    limits,
    methodology,
    operator,
    overview,
    parity,
    repositories,
    restatements,
    reviews,
    rules,
    trends,
    verify,
)
from evenhand.site.pages.rendering import write
from evenhand.site.pages.site import Edition, Page, Site

PUBLIC: tuple[Callable[[Site], Iterator[Page]], ...] = (
    overview.pages,
    rules.pages,
    repositories.pages,
    trends.pages,
    fleet.pages,
    parity.pages,
    automation.pages,
    ledger.pages,
    reviews.pages,
    data.pages,
    verify.pages,
    restatements.pages,
    methodology.pages,
    limits.pages,
)
"""The builders of the public pages, in the order of the navigation."""


def write_pages(computed: Computed, facts: BuildFacts, directory: Path) -> None:
    """The public pages, with their assets and chart specifications, into the folder of a build."""
    site = Site(computed, facts, Edition.PUBLIC)
    write([page for builder in PUBLIC for page in builder(site)], site, directory)
    _write_for_machines(site, directory)


def _write_for_machines(site: Site, directory: Path) -> None:
    """The feed, the citation and the badge, which only the public edition has."""
    words, facts, as_of = site.policy.site, site.facts, site.context.as_of
    figure = site.results["outcomes.decision_accuracy"].accuracy
    files = {
        "feed.xml": feed(words, facts.builds, as_of),
        "CITATION.cff": citation(words, facts, as_of),
        "badge.json": badge_json(figure, facts.build_id, as_of),
        "badge.svg": badge_svg(figure),
    }
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")


def write_operator_pages(computed: Computed, facts: BuildFacts, directory: Path) -> None:
    """Every public page and the private ones beside them. Nothing of this folder may be published."""
    site = Site(computed, facts, Edition.OPERATOR)
    write([page for builder in (*PUBLIC, operator.pages) for page in builder(site)], site, directory)
