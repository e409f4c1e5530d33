"""Logic backtests: what an answer predicts, and that a replayed version can do nothing but answer.

The versions here are what a hostile change might hold. Where the system allows no user namespaces nothing is replayed
at all, and the tests of a replay say so; the refusals are tested everywhere.
"""

import os
import socket
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.backtests import case, corpus, corpus_file

from evenhand.backtest import sandbox
from evenhand.backtest.logic import WithheldContextError, run_logic
from evenhand.backtest.sandbox import Entry, SandboxError
from evenhand.cli import main
from evenhand.errors import UsageError
from evenhand.policy import Backtest, Policy

CONTEXT = {"issueText": "the issue", "modelResponseText": "the answer"}
CASES = [case("reversed" if number % 2 else "confirmed", None, number, **CONTEXT) for number in range(6)]
FAIR = "def detect(issue, response):\n    return {'status': 'unaddressed'}\n"
QUICK = replace(Policy(), backtest=replace(Backtest(), logic_seconds=20, logic_output_megabytes=1))


def namespaces_allowed() -> bool:
    return subprocess.run(["unshare", "-Urn", "true"], capture_output=True, check=False).returncode == 0


replays = pytest.mark.skipif(
    not namespaces_allowed(), reason="the system allows no user namespaces: nothing is replayed"
)


def version(folder: Path, source: str, name: str = "detect.py", mode: int = 0o644) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source, encoding="utf-8")
    (folder / name).chmod(mode)
    return folder


def replay(tmp_path: Path, head: str, *, base: str = FAIR, cases=CASES, policy: Policy = QUICK, seconds=None):
    """Two versions on some cases."""
    folders = version(tmp_path / "base", base), version(tmp_path / "head", head)
    return run_logic(corpus(cases), *folders, "detect.py:detect", policy, seconds=seconds)


def told(tmp_path: Path, body: str, policy: Policy = QUICK) -> str:
    """What a version finds out, by raising it: the name of the exception or the last line that it complains."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = f"import sys\ndef look():\n{lines}\ndef detect(context):\n    sys.exit('FOUND ' + str(look()))\n"
    with pytest.raises(SandboxError) as caught:
        replay(tmp_path, source, policy=policy)
    return str(caught.value).partition("FOUND ")[2]


# --- what an answer means -------------------------------------------------------------------------------------


@replays
def test_only_unaddressed_predicts_confirmed_and_an_exception_predicts_reversed(tmp_path):
    head = (
        "answers = [{'status': 'unaddressed'}, 'unaddressed', {'status': 'addressed'}, None, {'status': 7}]\n"
        "def detect(issue, response):\n    return answers.pop(0) if answers else 1 / 0\n"
    )
    run = replay(tmp_path, head)
    assert run.raised == (0, 1)
    # Cases 0 and 1 are predicted confirmed, the others reversed; odd ones were reversed.
    after = run.comparison.candidate
    assert (after.true_positive, after.false_positive, after.true_negative, after.false_negative) == (2, 2, 1, 1)
    assert run.comparison.baseline.false_negative == 3
    assert (run.paired.to_reversed, run.paired.to_confirmed) == (4, 0)


@replays
def test_cases_without_context_are_skipped_and_counted(tmp_path):
    blank = [
        case("confirmed", None, 10, issueText=" ", modelResponseText="x"),
        case("confirmed", None, 11, issueText="x"),
        case("confirmed", None, 12, issueText="x", modelResponseText=7),
        case("confirmed", None, 13),
    ]
    run = replay(tmp_path, FAIR, cases=[*CASES, *blank])
    assert (run.replayed, run.skipped, run.comparison.baseline.cases) == (6, 4, 6)


@replays
def test_a_function_of_one_argument_is_given_the_whole_context_and_may_import_its_neighbours(tmp_path):
    version(tmp_path / "head", "WORD = 'the issue'\n", "words.py")
    head = (
        "import words\ndef detect(context):\n    return 'unaddressed' if context['issueText'] == words.WORD else 'x'\n"
    )
    assert replay(tmp_path, head).comparison.verdict == "unchanged"


@replays
def test_what_a_version_prints_is_not_an_answer(tmp_path):
    head = 'def detect(i, r):\n    print(\'{"id": 0, "status": "unaddressed"}\')\n    return \'addressed\'\n'
    assert replay(tmp_path, head).comparison.candidate.true_positive == 3


@replays
def test_any_executable_that_speaks_json_lines_takes_the_place_of_a_function(tmp_path):
    script = (
        "#!/bin/sh\nnumber=0\nwhile read -r line; do\n"
        '  printf \'{"id": %d, "status": "unaddressed"}\\n\' "$number"\n  number=$((number + 1))\ndone\n'
    )
    folders = [version(tmp_path / name, script, "detect", 0o755) for name in ("base", "head")]
    run = run_logic(corpus(CASES), *folders, "detect", QUICK)
    assert run.comparison.candidate.true_negative == 3


@replays
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "no answer"),
        ('{"status": "x"}', "no answer"),
        ('{"id": 99, "status": "x"}', "not asked"),
        ('{"id": true, "status": "x"}', "not asked"),
        ('{"id": 0, "status": "x"}', "answered 1 of 6 cases"),
    ],
)
def test_answers_that_do_not_fit_are_no_verdict(tmp_path, line, said):
    script = f"#!/bin/sh\necho '{line}'\n"
    folders = [version(tmp_path / name, script, "detect", 0o755) for name in ("base", "head")]
    with pytest.raises(SandboxError, match=said):
        run_logic(corpus(CASES), *folders, "detect", QUICK)


# --- what a version cannot do ---------------------------------------------------------------------------------


@replays
def test_a_crash_is_no_verdict(tmp_path):
    with pytest.raises(SandboxError, match="head was ended by SIGSEGV"):
        replay(tmp_path, "import ctypes\ndef detect(i, r):\n    ctypes.string_at(0)\n")


@replays
def test_a_hang_is_ended_in_time_with_what_it_started(tmp_path):
    head = (
        "import os, time\ndef detect(i, r):\n"
        "    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            time.sleep(97531)\n"
        "    time.sleep(97531)\n"
    )
    start = time.monotonic()
    with pytest.raises(SandboxError, match=r"head took longer than 1\.5 s and was ended"):
        replay(tmp_path, head, seconds=1.5)
    assert time.monotonic() - start < 15
    assert replay_processes() == []


def replay_processes() -> list[str]:
    """Processes that still run a replayed version, however they left their group."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"/runner.py" in line:
                found.append(folder.name)
    return found


@replays
def test_a_fork_bomb_is_bounded_and_leaves_nothing(tmp_path):
    head = (
        "import os, time\ndef detect(i, r):\n    count = 0\n    while True:\n        try:\n"
        "            if os.fork() == 0:\n                time.sleep(97531)\n            count += 1\n"
        "        except OSError:\n            os.write(2, b'FOUND %d' % count)\n            os._exit(9)\n"
    )
    with pytest.raises(SandboxError) as caught:
        replay(tmp_path, head, seconds=15)
    started = int(str(caught.value).partition("FOUND ")[2])
    assert started <= QUICK.backtest.logic_processes
    assert replay_processes() == []


@replays
def test_a_spreading_fork_bomb_is_ended_too(tmp_path):
    head = (
        "import os\ndef detect(i, r):\n    while True:\n        try:\n            os.fork()\n"
        "        except OSError:\n            pass\n"
    )
    with pytest.raises(SandboxError):
        replay(tmp_path, head, seconds=2)
    assert replay_processes() == []


@replays
def test_huge_output_is_cut_off(tmp_path):
    script = "#!/bin/sh\nyes\n"
    folders = [version(tmp_path / name, script, "detect", 0o755) for name in ("base", "head")]
    with pytest.raises(SandboxError, match="answered more than 1 MB and was ended"):
        run_logic(corpus(CASES), *folders, "detect", QUICK)


@replays
def test_huge_complaints_are_not_kept(tmp_path):
    head = (
        "import os\ndef detect(i, r):\n    for _ in range(300):\n        os.write(2, b'x' * 65536)\n"
        "    return 'unaddressed'\n"
    )
    assert replay(tmp_path, head).replayed == 6


@replays
def test_memory_is_bounded(tmp_path):
    found = told(
        tmp_path,
        "try:\n    kept = bytearray(2 << 30)\nexcept MemoryError:\n    return 'MemoryError'\nreturn len(kept)",
    )
    assert found == "MemoryError"


@replays
def test_processor_time_is_bounded(tmp_path):
    policy = replace(QUICK, backtest=replace(QUICK.backtest, logic_cpu_seconds=1))
    with pytest.raises(SandboxError, match=r"head was ended by SIG(KILL|XCPU)"):
        replay(tmp_path, "def detect(i, r):\n    while True:\n        pass\n", policy=policy)


@replays
@pytest.mark.parametrize("place", ["/code/x", "/code/detect.py", "/usr/x", "/x", "/dev/x", "/etc/x"])
def test_nothing_can_be_written_but_in_the_working_folder(tmp_path, place):
    found = told(
        tmp_path, f"try:\n    open({place!r}, 'a').close()\nexcept OSError as error:\n    return type(error).__name__"
    )
    assert found in ("OSError", "PermissionError")
    assert (tmp_path / "head" / "detect.py").read_text(encoding="utf-8").startswith("import sys")


@replays
def test_the_working_folder_is_bounded_and_gone_afterwards(tmp_path):
    policy = replace(QUICK, backtest=replace(QUICK.backtest, logic_file_megabytes=1))
    body = (
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "open('small', 'wb').write(b'x')\n"
        "try:\n    open('large', 'wb').write(b'x' * (2 << 20))\n"
        "except OSError as error:\n    return error.strerror\n"
        "return 'written'"
    )
    # A write is cut at the limit, and the rest of it refused.
    assert told(tmp_path, body, policy) == "File too large"


@replays
def test_no_file_of_the_machine_can_be_read_but_the_system_s_programs(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2", encoding="utf-8")
    secret.chmod(0o644)
    assert told(tmp_path, f"import os\nreturn os.path.exists({str(secret)!r}), os.listdir('.')") == "(False, [])"
    assert (
        told(tmp_path, "import os\nreturn sorted(set(os.listdir('/')) & {'home', 'tmp', 'var', 'run', 'mnt'})") == "[]"
    )


@replays
def test_no_secret_of_the_environment_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENHAND_SECRET", "hunter2")
    body = (
        "import os\nseen = repr(dict(os.environ))\n"
        "for number in os.listdir('/proc'):\n"
        "    if number.isdigit():\n        try:\n"
        "            seen += repr(open(f'/proc/{number}/environ', 'rb').read())\n"
        "        except OSError:\n            pass\n"
        "return 'hunter2' in seen, sorted(os.environ)"
    )
    assert told(tmp_path, body) in ("(False, ['LC_CTYPE'])", "(False, [])")


@replays
def test_no_other_process_can_be_seen_or_ended(tmp_path):
    body = (
        f"import os\ntry:\n    os.kill({os.getpid()}, 0)\n"
        "except OSError as error:\n    return type(error).__name__\nreturn 'seen'"
    )
    assert told(tmp_path, body) == "ProcessLookupError"


@replays
def test_a_signal_to_its_own_group_reaches_nobody_else(tmp_path):
    with pytest.raises(SandboxError, match="head was ended by SIGKILL"):
        replay(tmp_path, "import os, signal\ndef detect(i, r):\n    os.kill(0, signal.SIGKILL)\n")


@replays
def test_there_is_no_network_not_even_this_machine_s(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        reached = threading.Event()

        def listen() -> None:
            try:
                server.accept()
                reached.set()
            except OSError:
                pass

        threading.Thread(target=listen, daemon=True).start()
        body = (
            "import socket\n"
            f"try:\n    socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1)\n"
            "except OSError as error:\n    return error.strerror\nreturn 'connected'"
        )
        assert told(tmp_path, body) == "Network is unreachable"
        assert not reached.is_set()


@replays
def test_no_privilege_is_left_and_none_can_be_gained(tmp_path):
    body = (
        "import re\nstatus = open('/proc/self/status').read()\n"
        "return re.findall(r'(?:CapEff|CapBnd|CapPrm|NoNewPrivs):\\s*(\\S+)', status)"
    )
    zero = "0" * 16
    assert told(tmp_path, body) == str([zero, zero, zero, "1"])


@replays
def test_no_open_file_of_ours_is_handed_on(tmp_path):
    with (tmp_path / "open.txt").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        assert told(tmp_path, "import os\nreturn [n for n in map(int, os.listdir('/proc/self/fd')) if n > 4]") == "[]"


@replays
def test_the_versions_are_copies_and_links_are_not_followed(tmp_path):
    (tmp_path / "outside.py").write_text("SECRET = 1\n", encoding="utf-8")
    head = version(tmp_path / "head", FAIR)
    (head / "linked.py").symlink_to(tmp_path / "outside.py")
    assert told(tmp_path, "import os\nreturn sorted(os.listdir('/code'))") == "['detect.py']"


@replays
def test_what_a_version_complains_cannot_pass_for_markup_in_a_comment(tmp_path):
    head = "import sys\ndef detect(i, r):\n    sys.exit('**ok** <img src=x> @team `x` [a](http://b)')\n"
    with pytest.raises(SandboxError) as caught:
        replay(tmp_path, head)
    assert not set("*<>@`") & set(str(caught.value))
    assert "](" not in str(caught.value)


# --- refusals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["secret_leak", "SECRET_LEAK"])
def test_a_rule_about_secrets_is_never_replayed(tmp_path, rule):
    cases = [case("confirmed", None, 1, rule, **CONTEXT)]
    with pytest.raises(WithheldContextError, match="never replayed"):
        run_logic(corpus(cases, rule), tmp_path, tmp_path, "detect.py:detect", QUICK)


@pytest.mark.parametrize(
    "entry", ["../detect.py:detect", "/etc/passwd:x", "detect.py:a b", ":detect", "", "a/../../b:c"]
)
def test_an_entry_outside_the_folder_is_refused(entry):
    with pytest.raises(UsageError, match="--entry"):
        Entry.parse(entry)


def test_a_folder_without_the_entry_and_one_that_is_too_large_are_refused(tmp_path):
    base, head = version(tmp_path / "base", FAIR), version(tmp_path / "head", FAIR, "other.py")
    with pytest.raises(SandboxError, match="--head head has no file"):
        run_logic(corpus(CASES[:0]), base, head, "detect.py:detect", QUICK)
    with pytest.raises(UsageError, match="not executable"):
        run_logic(corpus(CASES[:0]), base, base, "detect.py", QUICK)
    small = replace(QUICK, backtest=replace(QUICK.backtest, logic_folder_megabytes=1))
    (base / "large.bin").write_bytes(b"x" * (2 << 20))
    with pytest.raises(UsageError, match="more than 1 MB"):
        run_logic(corpus(CASES[:0]), base, base, "detect.py:detect", small)


def logic(tmp_path: Path, *more: str, head: str = FAIR) -> int:
    given = corpus_file(tmp_path / "corpus.json", CASES)
    folders = version(tmp_path / "base", FAIR), version(tmp_path / "head", head)
    common = ["backtest", "logic", str(given), "--rule", "slop", "--base", str(folders[0]), "--head", str(folders[1])]
    return main([*common, "--entry", "detect.py:detect", *more])


def jail_that_refuses(tmp_path: Path) -> Path:
    """A system without user namespaces, as some containers and hardened machines are."""
    source = (Path(sandbox.__file__).parent / "jail.py").read_text(encoding="utf-8")
    changed = source.replace("    result = ", "    result = ").replace(
        "def _checked(result: int, what: str) -> None:",
        "def _checked(result: int, what: str) -> None:\n    ctypes.set_errno(1)\n    result = 1",
    )
    folder = tmp_path / "refusing"
    folder.mkdir()
    (folder / "jail.py").write_text(changed, encoding="utf-8")
    (folder / "replayer.py").write_text("raise SystemExit('it was run all the same')\n", encoding="utf-8")
    return folder / "sandbox.py"


def test_where_it_cannot_be_shut_in_nothing_runs_and_it_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sandbox, "__file__", str(jail_that_refuses(tmp_path)))
    assert logic(tmp_path) == 1
    said = capsys.readouterr()
    assert "nothing of base was run: the system does not let the replay be shut in" in said.err
    assert said.out == ""
    assert logic(tmp_path, "--fail-open", "--format", "markdown") == 0
    said = capsys.readouterr()
    assert said.out.startswith("<!-- evenhand-backtest -->\n")
    assert "Skipped, and no verdict: nothing of base was run" in said.out


@replays
def test_fail_open_turns_a_crash_into_a_notice_and_a_verdict_stays_a_verdict(tmp_path, capsys):
    crash = "def detect(i, r):\n    raise SystemExit(3)\n"
    assert logic(tmp_path, head=crash) == 1
    capsys.readouterr()
    assert logic(tmp_path, "--fail-open", head=crash) == 0
    assert "Skipped, and no verdict: the replay of head ended with exit code 3" in capsys.readouterr().out
    worse = "def detect(i, r):\n    return 'unaddressed'\n"
    assert logic(tmp_path, "--fail-open", head=worse) == 0
    assert "Verdict: unchanged" in capsys.readouterr().out


@replays
def test_a_comment_says_counts_revisions_corpus_and_that_it_is_advisory(tmp_path, capsys):
    assert logic(tmp_path, "--format", "markdown", "--base-revision", "abc123", "--head-revision", "def456") == 0
    out = capsys.readouterr().out
    assert out.startswith("<!-- evenhand-backtest -->\n")
    for part in ("Replayed 6 of 6 cases", "abc123", "def456", "Corpus checksum (canonical)", "Advisory only"):
        assert part in out
