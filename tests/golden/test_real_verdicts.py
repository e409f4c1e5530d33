"""Sixty thousand real verdicts on secret-scanner findings: precision per rule, as counted by other means."""

from shutil import copytree

import pytest
from support.golden import GOLDEN, load
from support.pipeline import Published, publish

EXPORT = GOLDEN / "real" / "secret_scan_export"
AS_OF = "2026-11-01T00:00:00Z"
FLOOR = 10


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("real") / "export"
    copytree(EXPORT, folder)
    return publish(folder, AS_OF)


def test_every_rule_has_the_counted_precision(result: Published) -> None:
    expected = load(EXPORT / "expected_rule_precision.json.gz")["rules"]
    assert result.stats["rulePrecision"]["rules"] == expected
    assert len(expected) == 258


def test_every_rule_at_its_floor_has_an_interval_around_its_precision_and_every_other_one_a_reason(
    result: Published,
) -> None:
    figures = {figure["id"]: figure for figure in result.report["figures"]}
    for rule in load(EXPORT / "expected_rule_precision.json.gz")["rules"]:
        figure = figures[f"signals.rule_precision:{rule['ruleId']}/precision"]
        assert figure["denominator"] == rule["decided"]
        if rule["decided"] >= FLOOR:
            assert figure["interval"]["low"] <= figure["value"] <= figure["interval"]["high"]
            assert figure["numerator"] == rule["confirmed"]
        else:
            assert figure["withheld"] == {"reason": "below_floor", "floor": FLOOR, "n": rule["decided"]}


def test_tables_that_the_export_lacks_make_figures_not_measurable_and_never_zero(result: Published) -> None:
    others = [f for f in result.report["figures"] if f["source"] in ("ledger", "fleet")]
    assert others
    assert {f["withheld"]["reason"] for f in others} == {"not_measurable"}
    assert all("not provided" in f["withheld"]["detail"] for f in others)
