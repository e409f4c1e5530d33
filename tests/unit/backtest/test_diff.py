"""Known thresholds in a unified diff: one old and one new plain number, or it is skipped and said."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from support.backtests import corpus, corpus_file, several

from evenhand.backtest.diff import changes, run_diff, summary_lines
from evenhand.policy import Policy

NAME = "DEFAULT_AI_REVIEW_CLOSE_CONFIDENCE"
POLICY = Policy()


def diff_of(*lines: str) -> str:
    return "\n".join(["--- a/x.ts", "+++ b/x.ts", "@@ -1,3 +1,3 @@", *lines, ""])


@pytest.mark.parametrize(
    ("removed", "added"),
    [
        (f"-export const {NAME} = 0.93;", f"+export const {NAME} = 0.9;"),
        (f"-const {NAME}: number = 0.93", f"+const {NAME}: number = 0.9"),
        (f"-  {NAME}: 0.93,", f"+  {NAME}: 0.9,"),
        (f"-let {NAME}=0.93", f"+export const {NAME} = 0.90;"),
        (f"-static final {NAME} = 0.93;", f"+static final {NAME} = 0.9;"),
        (f"-{NAME}: float = 0.93\r", f"+{NAME}: float = 0.9\r"),
    ],
)
def test_one_old_and_one_new_number_are_a_change(removed, added):
    [change], skipped = changes(diff_of(removed, added), POLICY)
    assert (change.name, change.old, change.new) == (
        "ai_review_close_confidence",
        Fraction("0.93"),
        Fraction("0.9"),
    )
    assert skipped == []


def test_a_threshold_in_other_units_is_scaled():
    [change], _ = changes(
        diff_of("-const DEFAULT_SLOP_BLOCK_THRESHOLD = 60;", "+const DEFAULT_SLOP_BLOCK_THRESHOLD = 65;"), POLICY
    )
    assert (change.old, change.new) == (Fraction("0.6"), Fraction("0.65"))


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = 0.9 - 0.1;"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = -0.9;"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = 9e-1;"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = Number(process.env.X);"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = 0.9; // lower"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+var {NAME} = 0.9;"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} += 0.9;"], "plain number"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = 0.930;"], "keeps its value"),
        ([f"-const {NAME} = 0.93;"], "1 removed and 0 added"),
        ([f"+const {NAME} = 0.9;"], "0 removed and 1 added"),
        ([f"-const {NAME} = 0.93;", f"+const {NAME} = 0.9;", f"+const {NAME} = 0.8;"], "1 removed and 2 added"),
        ([f"-f({NAME}, 1)", f"+f({NAME}, 2)"], "none of them sets it"),
    ],
)
def test_anything_else_is_skipped_and_said(lines, why):
    found, [skipped] = changes(diff_of(*lines), POLICY)
    assert found == []
    assert why in skipped.why


@pytest.mark.parametrize(
    "lines",
    [
        [f" const {NAME} = 0.93;", "-const OTHER = 1;", "+const OTHER = 2;"],
        [f"-const {NAME}_MAX = 0.93;", f"+const {NAME}_MAX = 0.9;"],
        [f"-const MY_{NAME} = 0.93;", f"+const MY_{NAME} = 0.9;"],
        [f"+if (x > {NAME}) return;"],
        [],
    ],
)
def test_what_does_not_set_the_name_is_not_spoken_of(lines):
    assert changes(diff_of(*lines), POLICY) == ([], [])


def test_file_headers_are_no_lines_of_a_file():
    text = f"--- {NAME} = 0.93\n+++ {NAME} = 0.9\n"
    assert changes(text, POLICY) == ([], [])


def test_each_rule_that_the_threshold_decides_is_tested_and_one_without_a_corpus_is_said():
    rule = "ai_consensus_defect"
    given = corpus(several(("reversed", "0.91", 5), ("confirmed", "0.97", 5), rule=rule), rule)
    run = run_diff([given], diff_of(f"-const {NAME} = 0.93;", f"+const {NAME} = 0.9;"), POLICY)
    assert [run.comparison.verdict for _, run in run.runs] == ["regressed"]
    assert [run.comparison.candidate.recall for _, run in run.runs] == [0]
    assert [entry.why for entry in run.skipped] == ["no corpus of ai_review_split was given"]
    assert any("DEFAULT_AI_REVIEW_CLOSE_CONFIDENCE 0.93 -> 0.9" in line for line in summary_lines(run))


_WATCHED = """
import sys
from evenhand.cli import main
def hook(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"):
        print("RAN", event, file=sys.stderr)
    if event == "compile" and arguments[0] is not None and b"SENTINEL" in (
        arguments[0] if isinstance(arguments[0], bytes) else str(arguments[0]).encode()
    ):
        print("COMPILED", file=sys.stderr)
    if event == "open" and "SENTINEL" in str(arguments[0]):
        print("OPENED", file=sys.stderr)
sys.addaudithook(hook)
sys.exit(main(sys.argv[1:]))
"""


def test_nothing_of_a_diff_is_run_opened_or_compiled(tmp_path):
    diff = tmp_path / "change.diff"
    diff.write_text(
        "\n".join(
            [
                "--- a/SENTINEL.py",
                "+++ b/SENTINEL.py; $(touch SENTINEL)",
                "@@ -1,9 +1,9 @@",
                "+__import__('os').system('touch SENTINEL')",
                f"-const {NAME} = 0.93;",
                f"+const {NAME} = `touch SENTINEL`;",
                "-const DEFAULT_SLOP_BLOCK_THRESHOLD = 60;",
                "+const DEFAULT_SLOP_BLOCK_THRESHOLD = 70;",
            ]
        ),
        encoding="utf-8",
    )
    cases = several(("reversed", "0.65", 5), ("confirmed", "0.9", 5))
    given = corpus_file(tmp_path / "corpus.json", cases)
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, "backtest", "diff", str(given), "--diff", str(diff), "--format", "json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert sorted(entry["knob"] for entry in told["skipped"]) == ["ai_review_close_confidence", "slop_gate_score"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["change.diff", "corpus.json"]


def test_a_line_of_many_megabytes_is_no_trouble():
    line = f"+{(NAME + ' ') * 100_000}"
    assert changes(diff_of(line, line.replace("+", "-", 1)), POLICY)[0] == []
