"""The command line: its exit codes, its one sentence when it refuses, and how quickly it answers."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

SAMPLE = "data/sample/export.sqlite"
AS_OF = "2026-11-01T00:00:00Z"
COMMANDS = ("sample", "build", "extract", "figures", "api", "evidence", "outcomes", "backfill", "verify", "serve")


def evenhand(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "evenhand.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        **more,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str) -> None:
    program = (
        "import sys; from evenhand.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = set('dagster polars duckdb altair statsmodels pyarrow numpy pandas'.split()) & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *command.split(), "--help"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "usage: evenhand" in ran.stdout


def test_help_comes_at_once() -> None:
    best = min(_seconds("--help") for _ in range(10))  # the least, for other work on the machine only adds
    assert best < 0.4


def _seconds(*arguments: str) -> float:
    start = time.perf_counter()
    evenhand(*arguments)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("api", "no/such/export.sqlite", "--as-of", AS_OF, "--out", "OUT"), 1, "no file or folder"),
        (("api", SAMPLE, "--as-of", "yesterday", "--out", "OUT"), 2, "'yesterday' is not an instant"),
        (("api", SAMPLE, "--as-of", AS_OF, "--policy", "no.toml", "--out", "OUT"), 2, "no.toml"),
        (("figures", "--lake", "no/lake", "--as-of", AS_OF), 1, "no lake"),
        (("api", "ftp://host/x", "--as-of", AS_OF, "--out", "OUT"), 1, "ftp"),
        (("sample", "OUT", "--events", "0"), 2, "at least"),
    ],
)
def test_a_refusal_is_one_sentence_on_standard_error(
    arguments: tuple[str, ...], code: int, says: str, tmp_path: Path
) -> None:
    ran = evenhand(*(str(tmp_path / "out") if word == "OUT" else word for word in arguments))
    assert ran.returncode == code
    assert ran.stdout == ""
    assert says in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "out").exists()


def test_an_unknown_policy_field_is_named_with_the_nearest_known_one(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[floors]\nrule_precison = 5\n")
    ran = evenhand("api", SAMPLE, "--as-of", AS_OF, "--policy", str(policy), "--out", str(tmp_path / "out"))
    assert ran.returncode == 2
    assert "'rule_precison'" in ran.stderr
    assert "'rule_precision'" in ran.stderr


def test_usage_errors_exit_2() -> None:
    assert evenhand("api").returncode == 2
    assert evenhand("no-such-command").returncode == 2


def test_api_refuses_a_folder_that_holds_api_files(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    ran = evenhand("api", SAMPLE, "--as-of", AS_OF, "--out", str(tmp_path))
    assert ran.returncode == 2
    assert "already holds API files" in ran.stderr


def test_extract_with_strict_exits_3_when_rows_were_set_aside_and_the_lake_is_whole(tmp_path: Path) -> None:
    ran = evenhand("extract", SAMPLE, "--lake", str(tmp_path / "lake"), "--strict")
    assert ran.returncode == 3
    assert "unparseable_created_at" in ran.stdout
    figures = evenhand("figures", "--lake", str(tmp_path / "lake"), "--as-of", AS_OF, "--json")
    assert figures.returncode == 0
    assert json.loads(figures.stdout)["format"] == "evenhand-report/1"


def test_text_from_an_export_cannot_steer_the_terminal() -> None:
    from evenhand.site.terminal import visible

    assert visible("rule\x1b[2Jé‮") == "rule\\u001b[2Jé\\u202e"


def test_repositories_on_the_command_line_are_trimmed_lowered_and_named_once(tmp_path: Path) -> None:
    ran = evenhand("api", SAMPLE, "--as-of", AS_OF, "--repos", " Acme/Widgets ,acme/widgets,", "--out", str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    stats = json.loads((tmp_path / "v1" / "public" / "stats.json").read_text())
    assert [row["project"] for row in stats["byProject"]] == ["acme/widgets"]
