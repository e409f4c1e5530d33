"""Calibration over a lake says what the commands say over the export itself, and is an asset of the pipeline."""

import json

import pytest
from support.exports import write_sqlite
from support.pipeline import publish
from support.rows import firing, override

from evenhand.cli import main

AS_OF = "2026-06-10T00:00:00Z"
RULES = ("linked_issue_scope_mismatch", "ai_consensus_defect", "slop_gate_score", "ai_review_split")


def events():
    """Firings that share targets and overrides, of every age; with and without a claim, and copied verdicts."""
    rows = []
    for number in range(600):
        rule, key = RULES[number % 4], f"acme/widgets#{number % 149}"
        claimed = {} if number % 11 == 0 else {"confidence": (number * 37 % 100) / 100}
        rows.append(firing(rule, key, f"2025-0{number % 9 + 1}-01T00:00:{number % 60:02d}Z", **claimed))
        if number % 3:
            more = {"provenance": "slop_replay_backfill_v1"} if number % 17 == 0 else {}
            verdict = ("confirmed", "reversed", "unclear")[number % 5 % 3]
            rows.append(override(rule, key, f"2025-{number % 12 + 1:02d}-15T00:00:00Z", verdict, **more))
    return rows


@pytest.mark.parametrize("knob", ["satisfaction_floor", "ai_review_close_confidence", "slop_gate_score"])
def test_a_lake_and_its_export_give_one_recommendation(tmp_path, capsys, knob):
    export = write_sqlite(tmp_path / "export.sqlite", {"audit_events": events()})
    assert main(["backtest", "recommend", str(export), "--knob", knob, "--as-of", AS_OF, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    computed = publish(export, AS_OF).computed
    calibration = computed.calibration
    assert calibration is not None
    [found] = [one for one in calibration.recommendations if one.name == knob]
    document = found.json(computed.context.policy)
    assert document == {key: value for key, value in told.items() if key not in ("generatedAt", "arms")}
    assert told["arms"] == {arm: guarantee.json() for arm, guarantee in calibration.arms.items()}
    assert document["split"]["visibleCases"] > 50
    rule = calibration.rule(found.knob.rule)
    assert rule is not None
    assert rule.cases == found.visible_cases + found.held_out_cases


def test_it_is_computed_for_the_operator_alone(tmp_path):
    from evenhand.computed import compute
    from evenhand.policy import Policy
    from evenhand.timeline import instant_argument

    export = write_sqlite(tmp_path / "export.sqlite", {"audit_events": events()[:10]})
    publish(export, AS_OF)
    assert compute(tmp_path / "export.sqlite.lake", Policy(), instant_argument(AS_OF)).calibration is None


def test_track_record_and_calibration_are_assets_and_the_site_waits_for_them():
    import dagster as dg

    from pipelines.definitions import defs

    graph = defs.resolve_asset_graph()
    site = graph.get(dg.AssetKey(["site", "report"]))
    wanted = {dg.AssetKey(["backtest", "calibration"]), dg.AssetKey(["signals", "track_record"])}
    assert wanted <= set(site.parent_keys)
