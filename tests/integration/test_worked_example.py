"""The worked example of the README: from public events of a stale bot to a report, with the numbers that it states."""

import json
from pathlib import Path

from evenhand.build import build
from evenhand.outcomes.command import derive_outcomes
from evenhand.policy import load_policy
from evenhand.timeline import instant_argument

EXAMPLE = Path("data/stale_bot")


def test_the_report_of_the_stale_bot_says_what_the_readme_says(tmp_path: Path) -> None:
    policy = load_policy(EXAMPLE / "policy.toml")
    derived = derive_outcomes([EXAMPLE / "events.ndjson"], None, tmp_path / "paint", policy)
    as_of = instant_argument("2026-11-01T00:00:00Z")
    outcome = build(
        str(tmp_path / "paint"), policy=policy, as_of=as_of, lake_dir=tmp_path / "lake", out=tmp_path / "reports"
    )
    figures = {figure["id"]: figure for figure in outcome.document["figures"]}
    accuracy = figures["outcomes.decision_accuracy:all/accuracy"]
    assert (accuracy["numerator"], accuracy["denominator"]) == (5, 9)
    told = " ".join(Path("README.md").read_text(encoding="utf-8").split())
    assert "5 of 9 stood: 55.6 %" in told
    assert f"{sum(derived.counts.events.values())} pull-request events" in told
    quality = (outcome.folder / "quality.html").read_text(encoding="utf-8")
    assert "Uncorroborated mentions of a revert" in quality
    assert "in another form than" in quality


def test_the_sample_writes_events_from_which_rows_can_be_derived(tmp_path: Path) -> None:
    sample = Path("data/sample")
    out = tmp_path / "rows.ndjson"
    derived = derive_outcomes([sample / "github_events.ndjson"], str(sample / "export.sqlite"), out, load_policy(None))
    assert not derived.counts.aside
    kinds = {json.loads(line)["event_type"].partition(":")[0] for line in out.read_text(encoding="utf-8").splitlines()}
    assert kinds >= {"pr_outcome", "reversal_reopened", "reversal_reverted", "signal.human_override"}
