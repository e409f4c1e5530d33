"""One locked-down run of a program: started, fed, bounded, and ended with everything that it started.

Belongs here: the copy that it runs on, the limits, the clock, and what it may answer. Does not: shutting it in (jail),
or what is asked of it (logic).

There is no weaker way: where the system does not let a process be shut in, nothing runs.
"""

import json
import os
import re
import select
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError
from evenhand.policy import Backtest

_MEGABYTE = 1 << 20
_MOST_FILES = 20_000
_MOST_COMPLAINT = 1 << 16
_LEFT_OUT = {".git", "__pycache__"}
_CODE, _RUNNER = "/code", "/runner.py"
_OPEN_FILES = 64
_PATIENCE = 30.0
_LONGEST_QUOTE = 200
_MARKUP = re.compile(r"[^A-Za-z0-9 .,:;_/()'\"=+\[\]-]")


class SandboxError(EvenhandError):
    """A replay could not be run, or did not end as it should."""


@dataclass(frozen=True)
class Entry:
    """What is run of a folder: a function of a Python file, or an executable file."""

    file: str
    function: str | None

    @classmethod
    def parse(cls, text: str) -> "Entry":
        """`FILE:FUNCTION`, or `FILE` alone for an executable; UsageError for a path that leads out of the folder."""
        file, colon, function = text.rpartition(":") if ":" in text else (text, "", "")
        parts = Path(file).parts
        if not file or Path(file).is_absolute() or ".." in parts:
            raise UsageError(f"--entry must name a file inside both folders, as detect.py:detect, not {text[:80]!r}")
        if colon and not function.isidentifier():
            raise UsageError(f"--entry must name a function after the colon, as detect.py:detect, not {text[:80]!r}")
        return cls(Path(file).as_posix(), function or None)


@dataclass(frozen=True)
class Version:
    """A private, read-only copy of one version's folder."""

    name: str
    folder: Path
    digest: str


@contextmanager
def copied(name: str, folder: Path, entry: Entry, policy: Backtest) -> Iterator[Version]:
    """Copies a folder's regular files where nothing else is; links are not followed and not copied.

    Raises UsageError when it is no folder or larger than the policy allows, SandboxError when it lacks the entry.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder.name or folder} is no folder: --{name} names the folder of one version")
    with tempfile.TemporaryDirectory(prefix="evenhand-replay-") as scratch:
        target = Path(scratch) / "code"
        target.mkdir()
        hashed, size, files = sha256(), 0, 0
        for source in _files_of(folder):
            relative = source.relative_to(folder)
            files, size = files + 1, size + source.stat().st_size
            if files > _MOST_FILES or size > policy.logic_folder_megabytes * _MEGABYTE:
                most = f"{policy.logic_folder_megabytes} MB or {_MOST_FILES:,} files"
                raise UsageError(f"--{name} {folder.name} holds more than {most}: name the detection's folder alone")
            copy = target / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            is_executable = bool(source.stat().st_mode & stat.S_IXUSR)
            copy.chmod(0o555 if is_executable else 0o444)
            hashed.update(
                f"{relative.as_posix()}\0{sha256(copy.read_bytes()).hexdigest()}\n".encode("utf-8", "replace")
            )
        if not (target / entry.file).is_file():
            # A change may add the very file: that is no wrong command, and nothing to compare.
            raise SandboxError(f"--{name} {folder.name} has no file {entry.file}: there are not two versions of it")
        if entry.function is None and not os.access(target / entry.file, os.X_OK):
            raise UsageError(f"{entry.file} in {folder.name} is not executable, and --entry names no function of it")
        yield Version(name, target, hashed.hexdigest())


def _files_of(folder: Path) -> Iterator[Path]:
    """Regular files below a folder in the order of their names, links aside."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _LEFT_OUT and not (Path(parent) / name).is_symlink()
        )
        for name in sorted(names):
            path = Path(parent) / name
            if not path.is_symlink() and path.is_file():
                yield path


def run_jailed(version: Version, entry: Entry, asked: bytes, policy: Backtest, seconds: float) -> bytes:
    """Runs one version on some input and returns its output.

    Raises SandboxError when the system cannot shut it in, or when it crashes, takes too long or answers too much.
    """
    with tempfile.TemporaryDirectory(prefix="evenhand-jail-") as scratch:
        root = Path(scratch) / "root"
        root.mkdir()
        here = Path(__file__).parent
        runner = Path(scratch) / "runner.py"
        shutil.copyfile(here / "replayer.py", runner)
        runner.chmod(0o444)
        question = Path(scratch) / "asked"
        question.write_bytes(asked)
        config = json.dumps(_config(version, entry, root, runner, policy))
        with question.open("rb") as stdin:
            return _watched(version.name, config, stdin.fileno(), here / "jail.py", policy, seconds)


def _config(version: Version, entry: Entry, root: Path, runner: Path, policy: Backtest) -> dict[str, object]:
    interpreter = os.path.realpath(sys.executable)
    command = [f"{_CODE}/{entry.file}"]
    if entry.function is not None:
        command = [interpreter, "-I", "-S", "-B", _RUNNER, *command, entry.function]
    memory = policy.logic_megabytes * _MEGABYTE
    return {
        "root": str(root),
        "interpreter_paths": _interpreter_paths(interpreter),
        "shown": [[str(version.folder), _CODE], [str(runner), _RUNNER]],
        "work_bytes": 4 * max(1, policy.logic_file_megabytes) * _MEGABYTE,
        "command": command,
        "limits": {
            "RLIMIT_CPU": policy.logic_cpu_seconds,
            "RLIMIT_AS": memory,
            "RLIMIT_DATA": memory,
            "RLIMIT_FSIZE": policy.logic_file_megabytes * _MEGABYTE,
            "RLIMIT_NPROC": policy.logic_processes,
            "RLIMIT_NOFILE": _OPEN_FILES,
            "RLIMIT_CORE": 0,
        },
    }


def _interpreter_paths(interpreter: str) -> list[str]:
    """What the interpreter needs beside the system's own folders."""
    found = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    if not any(interpreter.startswith(f"{prefix}/") for prefix in found):
        found.add(interpreter)
    return sorted(path for path in found if not path.startswith(("/usr/", "/bin/", "/lib")) and path != "/usr")


def _watched(name: str, config: str, stdin: int, jail: Path, policy: Backtest, seconds: float) -> bytes:
    hears, tells = os.pipe()
    try:
        process = subprocess.Popen(
            [os.path.realpath(sys.executable), "-I", "-S", "-B", str(jail), config, str(tells)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            pass_fds=(tells,),
            start_new_session=True,
        )
    except OSError as error:
        os.close(hears)
        raise SandboxError(f"the replay of {name} cannot be started: {error.strerror}") from error
    finally:
        os.close(tells)
    code = None
    try:
        answer, complaint = _collected(name, process, policy, seconds)
        code = process.wait(timeout=max(1.0, seconds))
    except subprocess.TimeoutExpired as error:
        raise SandboxError(_too_long(name, seconds)) from error
    finally:
        refusal = _end(process, hears)
    if refusal:
        raise SandboxError(f"nothing of {name} was run: {refusal}; allow user namespaces or run it elsewhere")
    if code:
        raise SandboxError(f"the replay of {name} {_how(code)}{_last_line(complaint)}")
    return answer


def _collected(name: str, process: subprocess.Popen[bytes], policy: Backtest, seconds: float) -> tuple[bytes, bytes]:
    """What the program says on both streams, until both close; SandboxError when that is too much or takes too long."""
    assert process.stdout is not None
    assert process.stderr is not None
    most = policy.logic_output_megabytes * _MEGABYTE
    said = {process.stdout: bytearray(), process.stderr: bytearray()}
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for stream in said:
            waiting.register(stream, selectors.EVENT_READ)
        while waiting.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise SandboxError(_too_long(name, seconds))
            for key, _ in waiting.select(left):
                stream = process.stdout if key.fileobj is process.stdout else process.stderr
                chunk = os.read(stream.fileno(), 1 << 16)
                if not chunk:
                    waiting.unregister(stream)
                elif stream is process.stderr:
                    said[stream] = (said[stream] + chunk)[-_MOST_COMPLAINT:]
                else:
                    said[stream] += chunk
                    if len(said[stream]) > most:
                        raise SandboxError(
                            f"the replay of {name} answered more than {policy.logic_output_megabytes} MB and was ended"
                        )
    return bytes(said[process.stdout]), bytes(said[process.stderr])


def _too_long(name: str, seconds: float) -> str:
    return f"the replay of {name} took longer than {seconds:g} s and was ended"


def _how(code: int) -> str:
    number = -code if code < 0 else code - 128
    with suppress(ValueError):
        return f"was ended by {signal.Signals(number).name}"
    return f"ended with exit code {code}"


def _last_line(complaint: bytes) -> str:
    """The last line that a version complained, without what could be read as Markdown, HTML or a mention."""
    lines = complaint.decode(errors="replace").strip().splitlines()
    if not lines:
        return ""
    return ": " + _MARKUP.sub("?", lines[-1][:_LONGEST_QUOTE]).replace("](", "] (")


def _end(process: subprocess.Popen[bytes], hears: int) -> str:
    """Ends the group and with its first process the whole namespace, waits until it is empty, and says of a refusal."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    with open(hears, "rb") as told:
        first, _, refusal = told.read(_MOST_COMPLAINT).decode(errors="replace").partition("\n")
    if first.isdigit():
        _wait_for(int(first))
    return refusal


def _wait_for(first: int) -> None:
    """Waits until the first process of a namespace is gone, which it is only after all the others."""
    with suppress(ProcessLookupError, PermissionError):
        watched = os.pidfd_open(first)
        try:
            select.select([watched], [], [], _PATIENCE)
        finally:
            os.close(watched)
