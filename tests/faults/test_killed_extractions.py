"""An extraction that is killed, or refused by the disk, at any moment leaves a lake that the next run completes."""

import hashlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.sample import write_sample
from evenhand.timeline import instant_argument, to_datetime

KILLS = 20
AS_OF = "2026-11-01T00:00:00Z"


def command(source: Path, lake: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "evenhand.cli", "extract", str(source), "--lake", str(lake), *more]


def contents(lake: Path) -> dict[str, str]:
    return {
        str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(lake.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One export as it was a night ago, and as it is now, under one name: large enough for a second process."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, events=60_000, days=120, seed=3, as_of=to_datetime(instant_argument(AS_OF)))
    now, before = folder / "now" / "export.sqlite", folder / "before" / "export.sqlite"
    for path in (now, before):
        path.parent.mkdir()
        shutil.copyfile(folder / "export.sqlite", path)
    connection = sqlite3.connect(before, isolation_level=None)
    connection.execute(
        "DELETE FROM audit_events WHERE rowid > (SELECT max(rowid) FROM audit_events) - "
        "(SELECT count(*) / 100 FROM audit_events)"
    )
    connection.close()
    return before, now


@pytest.mark.slow
@pytest.mark.parametrize("goes_on", [False, True], ids=["from nothing", "from an earlier lake"])
def test_a_run_killed_at_any_moment_is_completed_by_the_next(
    goes_on: bool, nights: tuple[Path, Path], tmp_path: Path
) -> None:
    before, now = nights
    lake, whole, start = tmp_path / "lake", tmp_path / "whole", tmp_path / "start"
    subprocess.run(command(now, whole, "--full"), check=True, capture_output=True)
    start.mkdir()
    if goes_on:
        subprocess.run(command(before, start), check=True, capture_output=True)
    earlier, complete = contents(start), contents(whole)

    def begun() -> subprocess.Popen[bytes]:
        shutil.rmtree(lake, ignore_errors=True)
        shutil.copytree(start, lake)
        return subprocess.Popen(command(now, lake), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    started = time.perf_counter()
    assert begun().wait() == 0
    lasts = time.perf_counter() - started
    draw = random.Random(11)
    killed = 0
    for _ in range(KILLS):
        process = begun()
        time.sleep(draw.uniform(0.3, 1) * lasts)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert contents(lake) in (earlier, complete)
        done = subprocess.run(command(now, lake), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert contents(lake) == complete
        hidden = {path.name for path in tmp_path.iterdir() if path.name.startswith(".")}
        assert hidden <= {".lake.lock", ".whole.lock", ".start.lock"}
    assert killed > KILLS // 2


@pytest.mark.slow
def test_a_disk_that_takes_no_more_leaves_the_earlier_lake_and_one_sentence(
    nights: tuple[Path, Path], tmp_path: Path
) -> None:
    before, now = nights
    lake = tmp_path / "lake"
    subprocess.run(command(before, lake), check=True, capture_output=True)
    earlier = contents(lake)

    def at_most(size: int) -> Callable[[], None]:
        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return limit

    for size in (0, 1_000, 20_000, 100_000):
        done = subprocess.run(
            command(now, lake, "--full"), capture_output=True, text=True, check=False, preexec_fn=at_most(size)
        )
        assert done.returncode == 1
        assert len(done.stderr.strip().splitlines()) == 1
        assert "Traceback" not in done.stderr
        assert contents(lake) == earlier


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    source = tmp_path / "export.sqlite"
    with sqlite3.connect(source) as connection:
        connection.execute("CREATE TABLE audit_events (id TEXT, event_type TEXT, created_at TEXT)")
    done = subprocess.run(command(source, Path("/proc/lake")), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
