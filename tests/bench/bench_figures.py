"""How long figures and corpora take from a finished lake, and the API files from an export alone.

Belongs here: whole commands in fresh processes, imports and writing included. Does not: extraction beside a plain scan
(bench_extraction).
"""

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.bench.bench_extraction import resident

AS_OF = "2026-11-01T00:00:00Z"

_FIGURES = """
import sys
from pathlib import Path
from evenhand.computed import compute
from evenhand.policy import load_policy
from evenhand.site.api_files import write_operator, write_public
from evenhand.site.datasets import write_datasets
from evenhand.site.report import report
from evenhand.timeline import instant_argument
computed = compute(Path(sys.argv[1]), load_policy(Path(sys.argv[2])), instant_argument(sys.argv[3]), with_rows=False)
out = Path(sys.argv[4])
write_public(computed, out)
write_datasets(computed, out)
write_operator(computed, out)
report(computed)
"""


def measured(command: list[str]) -> tuple[float, int]:
    """Seconds and the greatest summed resident bytes of a command and what it starts."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, resident(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    if code:
        raise SystemExit(f"{' '.join(command[:4])} … ended with {code}")
    return seconds, peak


def report_figures(name: str, export: Path, repeat: int, limit: str) -> None:
    """Prints the time of all figures, corpora and data files from the lake of an export."""
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder) / "lake"
        subprocess.run(
            [sys.executable, "-m", "evenhand.cli", "extract", str(export), "--lake", str(lake)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        policy = str(export.parent / "policy.toml")
        runs = [
            measured([sys.executable, "-c", _FIGURES, str(lake), policy, AS_OF, f"{folder}/out-{turn}"])
            for turn in range(repeat)
        ]
    _print(f"{name}: figures and corpora from the lake", runs, limit)


def report_api(name: str, export: Path, repeat: int, limit: str) -> None:
    """Prints the time of `evenhand api` from a start with no lake."""
    with tempfile.TemporaryDirectory() as folder:
        base = [sys.executable, "-m", "evenhand.cli", "api", str(export), "--as-of", AS_OF]
        scope = ["--policy", str(export.parent / "policy.toml")]
        runs = [measured([*base, *scope, "--out", f"{folder}/api-{turn}"]) for turn in range(repeat)]
    _print(f"{name}: API files alone, no lake", runs, limit)


def _print(what: str, runs: list[tuple[float, int]], limit: str) -> None:
    seconds = statistics.median(run for run, _ in runs)
    peak = max(memory for _, memory in runs) / 2**20
    print(f"{what} {seconds:.2f} s ({limit}), peak memory {peak:.0f} MiB summed", flush=True)
