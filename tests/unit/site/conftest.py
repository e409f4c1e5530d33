"""Sites that many tests read, each written once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.analytics import reviewed_of
from support.exports import every_table
from support.golden import GOLDEN, Case
from support.reviews import FAILED, RAN, Json, finding, patch, review, seat_record
from support.sites import AS_OF, Written, operators, published_from, verdicts, written

HOSTILE = {
    "image": "<img src=x onerror=alert(1)>",
    "quotes": "a\"b'c`d</script><!--",
    "right to left": "قاعدة_الاختبار\u202egnorw",
    "long": "very_long_rule_" * 20,
    "control": "bell\x07 and\nnewline\x00",
    "dots": "../../etc/passwd",
    "template": "{{ 7 * 7 }}{% raw %}",
    "blank": " ",
}
"""Rule ids that somebody could have written."""


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Every hostile rule above its floor, so that each stands in table, page and chart; one rule with 3 of 7."""
    folder = tmp_path_factory.mktemp("hostile")
    events = [row for rule in HOSTILE.values() for row in verdicts(rule, 9, 3)]
    events += verdicts("below_its_floor", 3, 4)
    events += verdicts("quality_gate_score", 0, 12)
    return written(published_from(every_table({"audit_events": events}), folder), folder / "site")


@pytest.fixture(scope="session")
def two_instances(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A golden export with exactly two eligible instances."""
    folder = tmp_path_factory.mktemp("two")
    return written(Case(GOLDEN / "fairness" / "open-01").publish(folder), folder / "site")


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A golden export with five eligible instances and 67 rules."""
    folder = tmp_path_factory.mktemp("many")
    return written(Case(GOLDEN / "fairness" / "open-03").publish(folder), folder / "site")


@pytest.fixture(scope="session")
def many_for_the_operator(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The operator's edition of the same."""
    folder = tmp_path_factory.mktemp("operator")
    return operators(Case(GOLDEN / "fairness" / "open-03").publish(folder), folder)


@pytest.fixture(scope="session")
def events_alone(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """An export that holds audit events and nothing else."""
    folder = tmp_path_factory.mktemp("alone")
    return written(published_from({"audit_events": verdicts("alone", 9, 3)}, folder), folder / "site")


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Every table there, and empty."""
    folder: Path = tmp_path_factory.mktemp("empty")
    return written(published_from(every_table({}), folder, repos=("acme/widgets",)), folder / "site")


@pytest.fixture(scope="session")
def with_reviews(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Reviews through hostile lenses by hostile seats, each above its floor; one lens below; one account unnamed."""
    folder = tmp_path_factory.mktemp("reviews")
    published = published_from({"audit_events": verdicts("alone", 9, 3)}, folder, repos=("acme/widgets",))
    found = reviewed_of(
        *hostile_reviews(), seats=hostile_records(), as_of=AS_OF, policy=published.computed.context.policy
    )
    computed = replace(published.computed, reviews=found)
    return written(replace(published, computed=computed), folder / "site")


def hostile_reviews() -> Iterator[Json]:
    """Each lens and seat with 9 proven and 3 refuted findings; and one lens with 3 of 7."""
    seats = [Json(seat=name, lab="lab", rank=rank, unfinished_lenses=[]) for rank, name in enumerate(HOSTILE.values())]
    for number in range(12):
        evidence = RAN if number < 9 else FAILED
        copies = [
            finding(f"F{place}", lens=name, seat=name, reproduction=evidence, patch=patch(f"{place}.py"))
            for place, name in enumerate(HOSTILE.values())
        ]
        if number < 7:
            copies.append(finding("few", lens="few", seat="few", reproduction=RAN if number < 3 else FAILED))
        change = {"seats": seats, "pull_number": number, "finished_at": "2026-10-01T00:00:00Z"}
        yield review(*copies, **change, fix_pr={"state": "merged" if number else "closed"})
        yield review(*copies, **change, **{"pass": "first", "status": "partial" if number % 2 else "complete"})


def hostile_records() -> list[Json]:
    """Records of each seat for an account that may be named and for one that may not."""
    return [
        seat_record(name, name, account, proven=4 + place, merged=7, closed=5)
        for place, name in enumerate(HOSTILE.values())
        for account in ("acme", "Unnamed Account")
    ]


@pytest.fixture(
    params=["hostile", "two_instances", "many", "many_for_the_operator", "events_alone", "empty", "with_reviews"],
    scope="session",
)
def site(request: pytest.FixtureRequest) -> Written:
    """Each of them in turn."""
    found: Written = request.getfixturevalue(request.param)
    return found
