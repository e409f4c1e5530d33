"""Figures over reviews are counted again from the published review tables, and a changed row or figure is named."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from integration.conftest import PublishedSite

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims, Status
from evenhand.verify.figures import check_figures
from evenhand.verify.reviews import check_review_tables
from evenhand.verify.target import Target

Row = dict[str, Any]
TABLES = (
    "review_coverage",
    "review_evidence_states",
    "review_severity",
    "review_first_pass",
    "review_confidence",
    "review_fixes",
    "review_seats",
)


@pytest.fixture(scope="module")
def whole(published_site: PublishedSite) -> Iterator[Build]:
    with Target(str(published_site.latest)) as target:
        build = Build(target, target.listed())
        build.read_tables()
        for table in TABLES:
            build.rows(table)
        build.document("report.json")
        yield build


def outcome(build: Build) -> Claims:
    claims = Claims()
    check_figures(build, claims)
    check_review_tables(build, claims)
    return claims


def failed(claims: Claims) -> set[str]:
    return {claim.name for claim in claims.listed if claim.status is Status.FAIL}


def changed(whole: Build, change: Callable[[Build], None]) -> set[str]:
    """What fails when the rows or the report are changed; only figures over reviews are looked at."""
    documents = dict(whole._documents)
    report = copy.deepcopy(whole.document("report.json"))
    documents["report.json"] = report
    report["figures"] = [figure for figure in report["figures"] if figure["id"].startswith("reviews.")]
    build = Build(whole.target, whole.digests, _documents=documents, _tables=whole._tables)
    build._rows = {table: [dict(row) for row in whole.rows(table)] for table in TABLES}
    change(build)
    return failed(outcome(build))


def test_every_figure_over_reviews_is_counted_again_but_for_named_exceptions(whole: Build) -> None:
    claims = outcome(whole)
    assert failed(claims) == set()
    assert not [claim for claim in claims.listed if claim.status is Status.SKIP and "reviews." in claim.name]
    passed = {claim.name for claim in claims.listed if claim.status is Status.PASS}
    over_reviews = [one for one in whole.document("report.json")["figures"] if one["id"].startswith("reviews.")]
    assert len(over_reviews) > 300
    assert {f"figure: {figure['id']}" for figure in over_reviews} <= passed


@pytest.mark.parametrize(
    ("table", "column", "claim"),
    [
        ("review_coverage", "reviews", "reviews.coverage:all/complete"),
        ("review_evidence_states", "mechanisms", "reviews.evidence_states:all/proven"),
        ("review_severity", "mechanisms", "reviews.severity:deep/critical/count"),
        ("review_first_pass", "suggestions", "reviews.first_pass:withdrawn/share"),
        ("review_confidence", "held", "reviews.reliability:confidence/0/held"),
        ("review_confidence", "confidence_sum", "reviews.reliability:confidence/0/mean_confidence"),
        ("review_fixes", "merged", "reviews.fix_plans:follow_up/merged_share"),
        ("review_seats", "merged", "reviews.seat_calibration:account/acme/correctness/alder/score"),
    ],
)
def test_a_changed_count_fails_the_figure_that_follows_from_it(
    whole: Build, table: str, column: str, claim: str
) -> None:
    def change(build: Build) -> None:
        build._rows[table][0][column] += 3

    assert f"figure: {claim}" in changed(whole, change)


@pytest.mark.parametrize("table", TABLES)
def test_a_changed_value_fails_its_row(whole: Build, table: str) -> None:
    def change(build: Build) -> None:
        name = "score" if table == "review_seats" else "value"
        next(row for row in build._rows[table] if row[name] is not None)[name] += 0.1

    [claim] = changed(whole, change)
    assert claim.startswith(f"summary: {table}: ")


def test_a_share_under_its_floor_that_is_shown_all_the_same_fails(whole: Build) -> None:
    def change(build: Build) -> None:
        figures = build.document("report.json")["figures"]
        hidden = next(one for one in figures if one["withheld"] and one["scale"] == "percent")
        hidden.update(value=50, withheld=None, numerator=2, interval={"low": 1, "high": 99, "method": "wilson"})

    assert changed(whole, change)


def test_a_figure_about_which_there_is_no_row_fails(whole: Build) -> None:
    def change(build: Build) -> None:
        build._rows["review_seats"].pop(0)

    assert "figure: reviews.seat_calibration:account/acme/correctness/alder/score" in changed(whole, change)
