"""Sites that many tests read, each written once."""

from pathlib import Path

import pytest
from support.exports import every_table
from support.golden import GOLDEN, Case
from support.sites import Written, operators, published_from, verdicts, written

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


@pytest.fixture(
    params=["hostile", "two_instances", "many", "many_for_the_operator", "events_alone", "empty"], scope="session"
)
def site(request: pytest.FixtureRequest) -> Written:
    """Each of them in turn."""
    found: Written = request.getfixturevalue(request.param)
    return found
