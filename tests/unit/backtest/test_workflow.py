"""The ready workflow: watched paths alone, no draft and no fork, least rights, one comment found by its marker."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from evenhand.backtest.words import MARKER
from evenhand.cli import _parser

PATH = Path("docs/workflows/backtest.yml")


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    return yaml.safe_load(PATH.read_text(encoding="utf-8"))


def test_it_runs_for_watched_paths_of_pull_requests_alone(workflow):
    triggers = workflow[True]  # YAML takes `on` for a truth value
    assert list(triggers) == ["pull_request"]
    assert triggers["pull_request"]["paths"]
    assert "ready_for_review" in triggers["pull_request"]["types"]


def test_drafts_and_forks_are_skipped(workflow):
    condition = workflow["jobs"]["replay"]["if"]
    assert "!github.event.pull_request.draft" in condition
    assert "head.repo.full_name == github.repository" in condition
    assert workflow["jobs"]["comment"]["needs"] == "replay"


def test_the_job_that_runs_the_change_can_write_nothing_and_the_one_that_writes_runs_nothing(workflow):
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["replay"]["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["comment"]["permissions"] == {"pull-requests": "write"}
    assert not any("run" in step for step in workflow["jobs"]["comment"]["steps"])
    checkouts = [step for step in workflow["jobs"]["replay"]["steps"] if "checkout" in step.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_text_of_a_pull_request_is_pasted_into_a_script(workflow):
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            assert "${{" not in step.get("with", {}).get("script", "")


def test_the_comment_is_found_by_the_marker_that_the_commands_print(workflow):
    script = workflow["jobs"]["comment"]["steps"][-1]["with"]["script"]
    assert f'"{MARKER}"' in script
    assert "updateComment" in script


def test_every_command_of_it_is_one_of_ours(workflow):
    lines = [
        " ".join(line.split())
        for step in workflow["jobs"]["replay"]["steps"]
        for line in step.get("run", "").replace("\\\n", " ").splitlines()
        if line.strip().startswith("evenhand ")
    ]
    assert len(lines) == 3
    for line in lines:
        words = [word.strip('"') for word in line.split(" >")[0].split()[1:]]
        assert _parser().parse_args(words).run
