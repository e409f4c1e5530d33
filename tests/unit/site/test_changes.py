"""What changed since the build before: headline figures, rules that came, went or moved."""

from pathlib import Path
from typing import Any

import pytest
from support.exports import every_table
from support.pipeline import Published
from support.sites import published_from, verdicts, words, written


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Two rules with a precision and one below its floor."""
    events = [*verdicts("steady", 9, 3), *verdicts("moved", 12, 0), *verdicts("fewer", 3, 4)]
    return published_from(every_table({"audit_events": events}), tmp_path_factory.mktemp("now"))


def figures(published: Published) -> dict[str, dict[str, Any]]:
    return {figure["id"]: dict(figure) for figure in published.report["figures"]}


def overview(now: Published, before: dict[str, dict[str, Any]] | None, folder: Path) -> str:
    return words(written(now, folder / "site", before).page("index.html"))


def test_the_first_build_has_nothing_to_compare_with(now: Published, tmp_path: Path):
    assert "This is the first build here" in overview(now, None, tmp_path)


def test_the_same_figures_are_no_change(now: Published, tmp_path: Path):
    page = overview(now, figures(now), tmp_path)
    assert "headline figures are as in build" in page
    assert "No rule’s precision left its former interval" in page


def test_a_rule_that_left_its_interval_is_told_and_a_withheld_one_keeps_its_past_to_itself(
    now: Published, tmp_path: Path
):
    before = figures(now)
    moved = before["signals.rule_precision:moved/precision"]
    moved |= {"value": 0.5, "interval": {"low": 0.3, "high": 0.7, "method": "wilson"}}
    before["signals.rule_precision:fewer/precision"] |= {"value": 0.777, "withheld": None}
    del before["signals.rule_precision:steady/precision"]
    page = overview(now, before, tmp_path)
    assert "moved left its former interval: 50.0\u202f% before, 100.0\u202f%" in page
    assert "fewer no longer shown: below the floor of 10 (n = 7)" in page
    assert "77.7" not in page
    assert "steady is new: it had no verdict in the former window" in page
