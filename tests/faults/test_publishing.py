"""A publish that fails or is killed at any system call leaves the old site whole, and the next one succeeds."""

import errno
import fcntl
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.exports import every_table, write_sqlite
from support.pipeline import publish as computed_of
from support.rows import action, firing, override, record, state, surface

from evenhand import build as building
from evenhand.computed import Computed
from evenhand.site.facts import PublishedFile
from evenhand.site.publish import build_digest, file_digest, files_below
from evenhand.verify.check import verify

REPOSITORY = "acme/widgets"
NIGHTS = ("2026-06-09T00:00:00Z", "2026-06-10T00:00:00Z")
FIGURES = ("v1/", "data/", "report.json")
MOST_OF_A_KIND = 7
"""Calls of one kind that fail, one at a time: the first, the last and some between."""


def computed(folder: Path, as_of: str) -> Computed:
    folder.mkdir()
    at = "2026-06-02T10:00:00Z"
    tables = {
        "audit_events": [
            surface(f"{REPOSITORY}#1", at),
            action("close", f"{REPOSITORY}#1", at),
            firing("tidy", f"{REPOSITORY}#1", at),
            override("tidy", f"{REPOSITORY}#1", "2026-06-03T10:00:00Z"),
        ],
        "pull_requests": [state(REPOSITORY, 1, state="closed")],
        "decision_records": [record(REPOSITORY, 1, "2026-06-08T10:00:00Z", "close")],
    }
    return computed_of(write_sqlite(folder / "export.sqlite", every_table(tables)), as_of, [REPOSITORY]).computed


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], Computed]:
    """A site with two builds made for real, their ids, and what the second was made of."""
    folder = tmp_path_factory.mktemp("nights")
    made = [computed(folder / f"night-{index}", as_of) for index, as_of in enumerate(NIGHTS)]
    ids = [building.publish(one, out=folder / "site").build_id for one in made]
    assert verify(str(folder / "site" / "latest")).sound
    return folder / "site", ids, made[1]


@pytest.fixture
def quick_second_night(nights: tuple[Path, list[str], Computed], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second night's files are written one by one as they were made; everything after that is real."""
    site, (_, second), _ = nights
    made = site / "builds" / second
    digests = {path: file_digest(made / path) for path in files_below(made) if path.startswith(FIGURES)}

    def write(folder: Path, wanted: Callable[[str], bool]) -> None:
        for name in files_below(made):
            if wanted(name):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes((made / name).read_bytes())

    def figures(_: Computed, folder: Path) -> tuple[Any, list[PublishedFile], str]:
        write(folder, lambda name: name.startswith(FIGURES))
        return json.loads((made / "report.json").read_text()), [], build_digest(digests)

    def surroundings(*arguments: Any) -> None:
        write(arguments[-1], lambda name: not name.startswith(FIGURES) and name != "SHA256SUMS")

    monkeypatch.setattr(building, "_write_figures", figures)
    monkeypatch.setattr(building, "_write_surroundings", surroundings)
    for check in ("check_published", "scan", "attack"):
        monkeypatch.setattr(building, check, lambda *_: None)


def first_night(nights: tuple[Path, list[str], Computed], out: Path) -> dict[str, str]:
    """The site as it was before the second night; what it holds."""
    site, (first, _), _ = nights
    shutil.copytree(site / "builds" / first, out / "builds" / first)
    (out / "latest").symlink_to(f"builds/{first}")
    for link in site.iterdir():
        if link.is_symlink() and link.name != "latest":
            (out / link.name).symlink_to(link.readlink())
    return tree(out / "builds" / first)


def tree(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files_below(folder)}


class Failing:
    """The system calls of one kind that touch a folder: counted, and one of them fails."""

    def __init__(self, below: Path, at: int | None, error: int) -> None:
        self.below, self.at, self.error, self.calls = str(below), at, error, 0

    def due(self, target: object) -> bool:
        """Whether this call is the one that fails."""
        if isinstance(target, str | os.PathLike) and not os.fspath(target).startswith(self.below):
            return False
        self.calls += 1
        return self.calls - 1 == self.at

    def raise_error(self) -> None:
        raise OSError(self.error, os.strerror(self.error))


@contextmanager
def failing(kind: str, below: Path, at: int | None) -> Iterator[Failing]:
    """Within the block the call number `at` of a kind fails once."""
    error = errno.ENOSPC if kind in ("write", "mkdir", "symlink") else errno.EIO
    fault = Failing(below, at, error)
    with pytest.MonkeyPatch.context() as patch:
        if kind in ("open for writing", "write"):
            real_open = io.open

            def opened(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
                # Nothing is ever written to the lock.
                is_lock = kind == "write" and str(file).endswith(".lock")
                if not set(mode) & set("wxa+") or is_lock or not fault.due(file):
                    return real_open(file, mode, *arguments, **named)
                if kind == "open for writing":
                    fault.raise_error()
                stream = real_open(file, mode, *arguments, **named)
                stream.write("half" if "b" not in mode else b"half")
                stream.flush()
                return _Full(stream, fault)

            patch.setattr(io, "open", opened)
        else:
            owner, name = (fcntl, "flock") if kind == "lock" else (os, kind)
            real = getattr(owner, name)

            def called(*arguments: Any, **named: Any) -> Any:
                # A link's first argument is where it points; its place is the second.
                if fault.due(arguments[1] if kind == "symlink" else arguments[0]):
                    fault.raise_error()
                return real(*arguments, **named)

            patch.setattr(owner, name, called)
        yield fault


class _Full:
    """A file on a disk that has no more space."""

    def __init__(self, stream: Any, fault: Failing) -> None:
        self._stream, self._fault = stream, fault

    def write(self, _: object) -> int:
        self._fault.raise_error()
        return 0

    def __enter__(self) -> "_Full":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


KINDS = ("open for writing", "write", "open", "fsync", "mkdir", "rename", "replace", "symlink", "lock")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("quick_second_night")
def test_every_system_call_fails_once_and_the_old_site_stays_whole(
    kind: str, nights: tuple[Path, list[str], Computed], tmp_path: Path
) -> None:
    _, (first, second), made = nights
    first_night(nights, tmp_path / "counted")
    with failing(kind, tmp_path, None) as counted:
        building.publish(made, out=tmp_path / "counted")
    assert counted.calls, f"a publish makes no {kind}: this test is about nothing"
    places = list(range(counted.calls))
    if len(places) > MOST_OF_A_KIND:
        between = random.Random(kind).sample(places[1:-1], MOST_OF_A_KIND - 2)
        places = [places[0], *sorted(between), places[-1]]
    for at in places:
        out = tmp_path / f"at-{at}"
        whole = first_night(nights, out)
        try:
            with failing(kind, tmp_path, at):
                building.publish(made, out=out)
            # A folder that stands already need not be made.
            assert kind == "mkdir", at
        except OSError as error:
            assert error.errno in (errno.EIO, errno.ENOSPC)
        assert tree(out / "builds" / first) == whole, at
        # What the link points to is a whole build, be it the old one or the new.
        assert (out / "latest").readlink().as_posix() in (f"builds/{first}", f"builds/{second}"), at
        if (out / "builds" / second).exists():
            assert tree(out / "builds" / second) == tree(tmp_path / "counted" / "builds" / second), at
        assert building.publish(made, out=out).build_id == second
        assert (out / "latest").readlink().as_posix() == f"builds/{second}"
        assert sorted(path.name for path in (out / "builds").iterdir()) == sorted((first, second)), at
        shutil.rmtree(out)


@pytest.mark.usefixtures("quick_second_night")
def test_after_a_failed_rename_the_old_site_verifies(nights: tuple[Path, list[str], Computed], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first_night(nights, out)
    with failing("rename", tmp_path, 0), pytest.raises(OSError):
        building.publish(nights[2], out=out)
    claims = verify(str(out / "latest"))
    assert claims.sound


@pytest.mark.slow
def test_a_publish_killed_at_any_moment_leaves_the_old_site_and_the_next_succeeds(tmp_path: Path) -> None:
    out, lake = tmp_path / "out", tmp_path / "lake"

    def command(as_of: str) -> list[str]:
        sample = ("data/sample/export.sqlite", "--policy", "data/sample/policy.toml", "--as-of", as_of)
        return [sys.executable, "-m", "evenhand.cli", "build", *sample, "--lake", str(lake), "--out", str(out)]

    subprocess.run(command("2026-10-31T00:00:00Z"), check=True, capture_output=True)
    first = (out / "latest").readlink()
    whole = tree(out / first)
    started = time.monotonic()
    subprocess.run([*command("2026-11-01T00:00:00Z")[:-1], str(tmp_path / "timed")], check=True, capture_output=True)
    length = time.monotonic() - started
    draw = random.Random(6)
    for _ in range(8):
        with subprocess.Popen(
            command("2026-11-01T00:00:00Z"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            try:
                running.wait(length * draw.uniform(0.2, 1))
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL)
        assert tree(out / first) == whole
        assert verify(str(out / "latest")).sound
    subprocess.run(command("2026-11-01T00:00:00Z"), check=True, capture_output=True)
    assert (out / "latest").readlink().as_posix().startswith("builds/2026-11-01-")
    assert verify(str(out / "latest")).sound
    assert not list((out / "builds").glob(".making-*"))
