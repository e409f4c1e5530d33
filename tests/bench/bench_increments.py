"""What one more night costs beside reading everything.

Belongs here: the export without its last day, extracted whole, and then with it, gone on from. Does not: pass or fail.

    python -m tests.bench.bench_increments [--events 1000000] [--repeat 3] [--export FILE]
"""

import argparse
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.bench_extraction import processor_seconds_of_children, sample

DAY = "2026-10-31"
_LAST = f"created_at >= '{DAY}' AND created_at < ':'"


def extract_command(source: str, lake: Path, *more: str) -> tuple[float, float]:
    """Seconds and processor seconds of one `evenhand extract`, its start included."""
    start, used = time.perf_counter(), processor_seconds_of_children()
    command = [sys.executable, "-m", "evenhand.cli", "extract", source, "--lake", str(lake), *more]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start, processor_seconds_of_children() - used


def report_increment(name: str, export: Path, repeat: int) -> None:
    """Print one line: the medians of both, and their ratio."""
    with tempfile.TemporaryDirectory(prefix="evenhand-increments-") as folder:
        held, now, lake = Path(folder) / "held.sqlite", Path(folder) / "export.sqlite", Path(folder) / "lake"
        whole, nights = [], []
        for _ in range(repeat):
            shutil.copyfile(export, now)
            connection = sqlite3.connect(now, isolation_level=None)
            connection.execute("CREATE INDEX IF NOT EXISTS by_time ON audit_events (created_at)")
            connection.execute(f"ATTACH '{held}' AS held")
            connection.execute("DROP TABLE IF EXISTS held.late")
            connection.execute(f"CREATE TABLE held.late AS SELECT * FROM audit_events WHERE {_LAST}")
            connection.execute(f"DELETE FROM audit_events WHERE {_LAST}")
            whole.append(extract_command(str(now), lake, "--full"))
            [(late,)] = connection.execute("SELECT count(*) FROM held.late").fetchall()
            connection.execute("INSERT INTO audit_events SELECT * FROM held.late")
            connection.close()
            nights.append(extract_command(str(now), lake))
    full, night = (statistics.median(seconds for seconds, _ in runs) for runs in (whole, nights))
    full_used, night_used = (statistics.median(used for _, used in runs) for runs in (whole, nights))
    print(
        f"{name}, one more day of {late:,} events: full {full:.2f} s ({full_used:.2f} processor seconds), night "
        f"{night:.2f} s ({night_used:.2f}), ratio 1/{full / night:.1f} (at most 1/10), 1/{full_used / night_used:.1f} "
        "by processor seconds",
        flush=True,
    )


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--export", type=Path, help="measure this file instead")
    chosen = parser.parse_args()
    if chosen.export:
        report_increment(chosen.export.parent.name, chosen.export, chosen.repeat)
        return
    with tempfile.TemporaryDirectory() as folder:
        export = sample(Path(folder) / "sample", chosen.events)
        report_increment(f"{chosen.events:,} events", export, chosen.repeat)


if __name__ == "__main__":
    main()
