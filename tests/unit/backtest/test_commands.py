"""The commands: what they print, what they record, and that no credential is ever among it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.backtests import AS_OF, corpus_file, several
from support.exports import write_sqlite
from support.rows import event, firing, override

from evenhand.cli import main

PLAN = {"thresholds": [[0.5, 0.6]], "directional": [], "splits": [], "score": [0.5]}


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return corpus_file(tmp_path / "corpus.json", several(("reversed", "0.55", 6), ("confirmed", "0.9", 9)))


def test_a_recorded_run_is_counted_by_the_track_record(tmp_path, capsys, mixed):
    runs = tmp_path / "runs" / "audit_events.ndjson"
    runs.parent.mkdir()
    common = ["backtest", "threshold", mixed, "--rule", "slop", "--record", runs]
    for old, new, at in (("0.5", "0.6", "2026-05-01"), ("0.6", "0.5", "2026-05-02"), ("0.6", "0.5", "2026-05-02")):
        assert ran(capsys, *common, "--old", old, "--new", new, "--recorded-at", at)[0] == 0
    assert len(runs.read_text(encoding="utf-8").splitlines()) == 2
    for source in (runs, runs.parent):
        _, out, _ = ran(capsys, "backtest", "track-record", source, "--as-of", AS_OF, "--json")
        assert json.loads(out) == {
            "generatedAt": "2026-06-10T00:00:00.000Z",
            "totalRuns": 2,
            "regressedRuns": 1,
            "regressedRate": 0.5,
            "perRule": {"slop": {"total": 2, "regressed": 1, "improved": 1, "unchanged": 0}},
        }


def test_the_track_record_counts_runs_of_any_age_before_as_of_that_name_their_rule(tmp_path, capsys):
    def run(kind, at, **comparison):
        return event(f"calibration.{kind}_backtest_run", None, at, comparison=comparison)

    export = write_sqlite(
        tmp_path / "export.sqlite",
        {
            "audit_events": [
                run("threshold", "2001-01-01T00:00:00Z", ruleId="b", verdict="regressed"),
                run("logic", "2026-05-01T00:00:00Z", ruleId="a", verdict="odd"),
                run("counterfactual", "2026-05-01T00:00:00Z", ruleId="a", verdict="improved"),
                run("threshold", "2026-05-01T00:00:00Z", verdict="regressed"),
                run("threshold", "2026-05-01T00:00:00Z", ruleId=7, verdict="regressed"),
                run("threshold", AS_OF, ruleId="a", verdict="regressed"),
            ]
        },
    )
    _, out, _ = ran(capsys, "backtest", "track-record", export, "--as-of", AS_OF, "--json")
    assert json.loads(out)["perRule"] == {
        "a": {"total": 2, "regressed": 0, "improved": 1, "unchanged": 1},
        "b": {"total": 1, "regressed": 1, "improved": 0, "unchanged": 0},
    }
    _, out, _ = ran(capsys, "backtest", "track-record", export, "--as-of", AS_OF)
    assert out.splitlines()[-1] == "1 of 3 runs regressed."


def test_recommend_reads_an_export_and_writes_nothing(tmp_path, capsys):
    events = []
    for number in range(80):
        key, confidence = f"a/b#{number}", 0.47 if number % 2 else 0.3
        events.append(firing("linked_issue_scope_mismatch", key, "2026-05-01T00:00:00Z", confidence=confidence))
        verdict = "confirmed" if number % 2 else "reversed"
        events.append(override("linked_issue_scope_mismatch", key, "2026-05-02T00:00:00Z", verdict))
    for number in range(10):
        rule = ("ai_consensus_defect", "ai_review_split")[number % 2]
        events.append(firing(rule, f"a/b#{number}", "2026-05-01T00:00:00Z", confidence=0.95))
        events.append(override(rule, f"a/b#{number}", "2026-05-02T00:00:00Z"))
    export = write_sqlite(tmp_path / "export.sqlite", {"audit_events": events})
    before = export.read_bytes()
    code, out, _ = ran(
        capsys, "backtest", "recommend", export, "--knob", "satisfaction_floor", "--as-of", AS_OF, "--json"
    )
    told = json.loads(out)
    assert (code, told["loosening"]["recommended"], told["advisoryOnly"]) == (0, 0.45, True)
    assert told["generatedAt"] == "2026-06-10T00:00:00.000Z"
    assert {arm: (one["status"], one["have"]) for arm, one in told["arms"].items()} == {
        "close": ("insufficient_labels", 10),
        "merge": ("insufficient_labels", 0),
    }
    assert export.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["export.sqlite"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--old", "-1", "--new", "0.5"], "--old must be an unsigned decimal"),
        (["--old", "0.5", "--new", "nan"], "--new must be an unsigned decimal"),
        (["--old", "0.5", "--new", "0.6", "--max-sacrifice", "0.1"], "name the axis with --must-improve"),
    ],
)
def test_numbers_that_cannot_be_meant_are_usage_errors(capsys, mixed, arguments, said):
    try:
        code, _, err = ran(capsys, "backtest", "threshold", mixed, "--rule", "slop", *arguments)
    except SystemExit as error:  # argparse takes -1 for an option
        code, err = error.code, said
    assert code == 2
    assert said in err


def test_a_sweep_may_be_of_one_rule_and_a_plan_must_be_one(tmp_path, capsys):
    export = write_sqlite(
        tmp_path / "export.sqlite",
        {
            "audit_events": [
                firing("slop", "a/b#1", "2026-05-01T00:00:00Z"),
                override("slop", "a/b#1", "2026-05-02T00:00:00Z"),
                override("other", "a/b#1", "2026-05-02T00:00:00Z"),
            ]
        },
    )
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")
    common = ["backtest", "sweep", export, "--as-of", AS_OF, "--plan", plan]
    assert set(json.loads(ran(capsys, *common)[1])) == {"other", "slop"}
    assert set(json.loads(ran(capsys, *common, "--rule", "slop")[1])) == {"slop"}
    for text in ("[]", "{", '{"treshold": []}', '{"thresholds": [[0.5]]}', '{"thresholds": [["a", "b"]]}'):
        plan.write_text(text, encoding="utf-8")
        code, out, err = ran(capsys, *common)
        assert (code, out) == (2, "")
        assert "plan" in err


def test_help_of_every_part_imports_nothing_heavy():
    script = (
        "import sys, evenhand.cli\n"
        "for part in ('threshold', 'diff', 'logic', 'sweep', 'track-record', 'recommend'):\n"
        "    try:\n        evenhand.cli.main(['backtest', part, '--help'])\n    except SystemExit:\n        pass\n"
        "print([name for name in ('pyarrow', 'duckdb', 'numpy', 'scipy', 'dagster') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


SECRET = "hunter2"
ADDRESSES = [
    f"postgresql://reader:{SECRET}@127.0.0.1:1/audit",
    f"postgres://reader:{SECRET}@127.0.0.1:1/audit",
    f"postgresql://127.0.0.1:1/audit?user=reader&password={SECRET}",
    f"postgresql://127.0.0.1:1/audit?sslpassword={SECRET}",
    f"postgresql://reader:{SECRET}%40x@127.0.0.1:1/audit",
    f"postgresql://{SECRET}@127.0.0.1:1/audit",
    f"mysql://reader:{SECRET}@127.0.0.1:1/audit",
    f"host=127.0.0.1 port=1 user=reader password={SECRET} dbname=audit",
    f"host=127.0.0.1 port=1 password = 'it is {SECRET}' dbname=audit",
    "env:EVENHAND_TEST_ADDRESS",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "command",
    [
        ("corpus", "export", "SOURCE", "--rule", "slop", "--out", "OUT"),
        ("backtest", "recommend", "SOURCE", "--knob", "satisfaction_floor"),
        ("backtest", "track-record", "SOURCE"),
        ("backtest", "sweep", "SOURCE", "--plan", "PLAN"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_password_in_an_address_is_never_said_or_written(tmp_path, capsys, monkeypatch, address, command):
    monkeypatch.setenv("EVENHAND_TEST_ADDRESS", ADDRESSES[0])
    plan, out = tmp_path / "plan.json", tmp_path / "corpus.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")
    given = {"SOURCE": address, "OUT": str(out), "PLAN": str(plan)}
    code, said, complained = ran(capsys, *(given.get(word, word) for word in command), "--as-of", AS_OF)
    assert code == 1
    assert SECRET not in said + complained
    assert not out.exists()


@pytest.mark.parametrize("address", ADDRESSES[:-1])
@pytest.mark.parametrize(
    "words", [("corpus", "export", "a", "ADDRESS", "--rule", "x", "--out", "y.json"), ("ADDRESS",)]
)
def test_an_address_in_the_wrong_place_is_not_repeated_by_the_usage_error(capsys, address, words):
    with pytest.raises(SystemExit) as caught:
        main([address if word == "ADDRESS" else word for word in words])
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert "(an address)" in said.err
    assert SECRET not in said.out + said.err
