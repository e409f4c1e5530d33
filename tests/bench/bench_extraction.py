"""How long an extraction takes beside one plain scan of the same columns, and how much memory it needs.

Belongs here: the figures for sample data and for metadata that is unique, long and escaped. Does not: pass or fail; the
Makefile's targets and readers of the figures decide that.

    python tests/bench/bench_extraction.py [--events 1000000] [--unique-events 1000000] [--repeat 3] [--export FILE]...
"""

import argparse
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from evenhand.lake.tables import TABLES

PAGE = 4096
_RUN = """
import sys, time
from pathlib import Path
from evenhand.sources import open_source
from evenhand.lake.writing import write_lake
start = time.perf_counter()
with open_source(sys.argv[1]) as source:
    write_lake(source, Path(sys.argv[2]), workers=int(sys.argv[3]))
print(time.perf_counter() - start)
"""


def plain_scan(export: Path) -> None:
    """The length of every value that an extraction reads, in one pass over each table."""
    with sqlite3.connect(f"file:{export}?mode=ro", uri=True) as connection:
        for name, table in TABLES.items():
            there = {row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')}
            columns = [column for column in table.source_columns if column in there]
            if columns:
                lengths = " + ".join(f'ifnull(sum(length("{column}")), 0)' for column in columns)
                connection.execute(f'SELECT {lengths} FROM "{name}" NOT INDEXED').fetchone()


def resident(root: int) -> int:
    """Bytes resident in a process and all that it started."""
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
            children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        waiting.extend(int(child) for child in children)
    return total


def extraction(source: str, workers: int) -> tuple[float, float, float, int]:
    """Seconds of one extraction in a fresh process, without and with the start of the interpreter.

    Then the processor seconds and the greatest summed resident bytes, of that process and its second one.
    """
    with tempfile.TemporaryDirectory() as folder:
        start, used = time.perf_counter(), processor_seconds_of_children()
        command = [sys.executable, "-c", _RUN, source, f"{folder}/lake", str(workers)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        peak = 0
        done = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not done.wait(0.02):
                peak = max(peak, resident(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        stated, _ = process.communicate()
        code = process.returncode
        seconds = time.perf_counter() - start
        done.set()
        watcher.join()
        if code:
            raise SystemExit(code)
        return float(stated), seconds, processor_seconds_of_children() - used, peak


def processor_seconds_of_children() -> float:
    """What ended processes that this one started, and theirs, have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(action: Callable[[], None]) -> float:
    """Seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def report(name: str, export: Path, repeat: int, limit: float, workers: int) -> None:
    """Print one line: the medians of interleaved runs, so that a busy machine slows both alike."""
    plain_scan(export)
    scans, runs, wholes, processor, peak = [], [], [], [], 0
    for _ in range(repeat):
        scans.append(timed(lambda: plain_scan(export)))
        seconds, whole, processor_seconds, resident_bytes = extraction(str(export), workers)
        runs.append(seconds)
        wholes.append(whole)
        processor.append(processor_seconds)
        peak = max(peak, resident_bytes)
    scan, run, whole = (statistics.median(times) for times in (scans, runs, wholes))
    print(
        f"{name}: plain scan {scan:.2f} s, extraction {run:.2f} s, ratio {run / scan:.2f} (at most {limit:g}); "
        f"with the start of the interpreter {whole:.2f} s, ratio {whole / scan:.2f}; "
        f"{statistics.median(processor):.2f} processor seconds, peak memory {peak / 2**20:.0f} MiB summed",
        flush=True,
    )


def sample(folder: Path, events: int, *options: str) -> Path:
    """A sample export of a size."""
    arguments = ["--days", "120", "--events", str(events), "--seed", "1", "--as-of", "2026-11-01T00:00:00Z"]
    subprocess.run(
        [sys.executable, "-m", "evenhand.sample", str(folder), *arguments, *options],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / "export.sqlite"


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--unique-events", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--export", type=Path, action="append", default=[], help="measure this file instead")
    chosen = parser.parse_args()
    for export in chosen.export:
        report(export.parent.name, export, chosen.repeat, 4, chosen.workers)
    if chosen.export:
        return
    with tempfile.TemporaryDirectory() as folder:
        if chosen.events:
            export = sample(Path(folder) / "sample", chosen.events)
            report(f"sample, {chosen.events} events", export, chosen.repeat, 4, chosen.workers)
        if chosen.unique_events:
            export = sample(Path(folder) / "unique", chosen.unique_events, "--unique-metadata")
            report(f"unique metadata, {chosen.unique_events} events", export, chosen.repeat, 6, chosen.workers)


if __name__ == "__main__":
    main()
