"""The ready files are well-formed and say what the commands say, and the runbook knows every refusal of a build."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import evenhand
from evenhand.cli import main

ROOT = Path(evenhand.__file__).parent
WORKFLOWS = sorted(Path("docs/workflows").glob("*.yml"))
UNITS = sorted(Path("docs/systemd").iterdir())
RUNBOOK = Path("docs/runbook.md").read_text(encoding="utf-8")
REFUSALS = ("EvenhandError", "LakeError", "SourceError", "BusySourceError", "DisclosureError", "UsageError")
ROOMS = (
    "sources",
    "lake",
    "engines",
    "disclosure",
    "site",
    "evidence/analytics",
    "evidence/page_folder.py",
    "metrics/ledger",
    "overlap.py",
    "computed.py",
    "build.py",
    "policy.py",
)


def texts(node: ast.expr) -> str:
    """A sentence with `…` wherever a value is put in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)  # type: ignore[misc]
    if isinstance(node, ast.BinOp):
        return texts(node.left) + texts(node.right)
    return "…"


def sentences() -> Iterator[str]:
    """What a build can refuse with, as it stands in the code."""
    for room in ROOMS:
        path = ROOT / room
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                if is_call and node.func.id in REFUSALS and node.args:
                    sentence = texts(node.args[0])
                    if sentence.strip("… "):
                        yield sentence


def known() -> list[list[str]]:
    """The quoted fragments of the runbook's first column; `…` within one stands for anything."""
    rows = [line.split("|")[1] for line in RUNBOOK.splitlines() if line.startswith("| ")]
    return [
        [part.strip() for part in fragment.split("…") if part.strip()]
        for row in rows
        for fragment in re.findall(r"`([^`]+)`", row)
    ]


def is_known(sentence: str) -> bool:
    return any(all(part in sentence for part in fragment) for fragment in known())


def test_the_runbook_knows_every_refusal() -> None:
    assert len(set(sentences())) > 80
    assert sorted({sentence for sentence in sentences() if not is_known(sentence)}) == []


def test_the_runbook_quotes_what_is_said() -> None:
    said = [*sentences(), "the system refused: No space left on device", "it ended with an error that it does not know"]
    groups = ("file: ", "figure: ", "signature", "chain: ", "ledger: ", "files: ", "summary: ", "api: ")
    for fragment in known():
        if not fragment[0].startswith(tuple(group.strip() for group in groups)):
            assert any(all(part in sentence for part in fragment) for sentence in said), fragment


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_yaml_with_least_rights_and_shell_that_parses(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"]
        for step in job["steps"]:
            if "run" in step:
                subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)


def test_the_workflow_that_verifies_has_no_credentials() -> None:
    text = Path("docs/workflows/verify.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    assert all("permissions" not in job for job in yaml.safe_load(text)["jobs"].values())


def commands_of(text: str) -> Iterator[list[str]]:
    """Every `evenhand …` line of a file, without what the shell puts in."""
    for line in re.findall(r"(?:^|[/\s])evenhand ((?:build|verify|serve|extract)\b.*)$", text, re.MULTILINE):
        words = re.sub(r'"\$\{\w+\[@\]\}"|"?\$\(date[^)]*\)"?', "", line).replace('"', "").split()
        yield words


@pytest.mark.parametrize("path", [*WORKFLOWS, *UNITS], ids=lambda path: path.name)
def test_every_command_in_a_ready_file_is_one_that_exists(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in commands_of(path.read_text(encoding="utf-8")):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        assert ended.value.code == 0
        assert capsys.readouterr().out


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_one_that_systemd_reads(path: Path) -> None:
    ran = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True, check=False)
    assert "Unknown" not in ran.stderr
