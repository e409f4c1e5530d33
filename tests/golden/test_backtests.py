"""Every golden export's backtests: counts, verdicts, both checksums, splits and rendered texts, to the byte."""

import gzip
from pathlib import Path

import pytest
from support.golden import GOLDEN, Case, Difference, cases, compare_corpus

from evenhand.backtest.snapshot import verify
from evenhand.backtest.sweep import read_plan, sweep
from evenhand.policy import Policy
from evenhand.timeline import instant_argument

PLAN = GOLDEN / "fairness" / "sweep-plan.json"
WITH_BACKTESTS = [case for case in cases() if "backtest" in case.expected]


@pytest.mark.parametrize("case", WITH_BACKTESTS, ids=lambda case: case.folder.name)
def test_a_sweep_gives_every_answer_of_the_case(case: Case, tmp_path: Path) -> None:
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((case.folder / "export.sqlite.gz").read_bytes()))
    got = sweep(str(export), Policy(), instant_argument(case.input["as_of"]), read_plan(PLAN))
    right = case.expected["backtest"]
    found: list[Difference] = []
    for rule in sorted(set(right) | set(got)):
        compare_corpus(f"backtest[{rule!r}]", right.get(rule), got.get(rule), found)
    assert found == []


@pytest.mark.parametrize("case", WITH_BACKTESTS, ids=lambda case: case.folder.name)
def test_each_corpus_of_the_case_verifies_as_an_older_manifest_and_as_ours(case: Case) -> None:
    for rule, right in case.expected["backtest"].items():
        if "cases" not in right:
            continue
        manifest = {"ruleId": rule, "caseCount": right["caseCount"], "source": "d1", "database": "loopover"}
        verify(rule, {**manifest, "checksum": right["checksumLoopover"]}, right["cases"])
        verify(rule, {**manifest, "checksum": right["checksum"], "checksumRule": "canonical"}, right["cases"])
