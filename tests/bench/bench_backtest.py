"""How long the pairing of one rule's whole history takes, from an export on disk to a checksummed corpus.

Belongs here: one rule with as many firings as overrides, on many targets and on one. Does not: figures (bench_figures).
"""

import sqlite3
import sys
import time
from pathlib import Path

from tests.bench.bench_figures import measured

EVENTS = 200_000
AS_OF = "2026-11-01T00:00:00Z"

_PAIRING = """
import sys, time
from evenhand.backtest.history import SignalHistory
from evenhand.policy import load_policy
from evenhand.timeline import instant_argument
with SignalHistory(sys.argv[1], load_policy(None), instant_argument(sys.argv[2]), ("one_rule",)) as history:
    start = time.perf_counter()
    history.pair()
    print(f"{time.perf_counter() - start:.2f}")
"""


def export_of_one_rule(path: Path, events: int, targets: int) -> Path:
    """An export with so many firings and so many overrides of one rule, spread over some targets."""
    base = 1_750_000_000

    def rows() -> object:
        for number in range(events):
            key = f"acme/widgets#{number * 7919 % targets}"
            at = base + number * 61
            yield (
                f"f{number:08d}",
                "signal.rule_fired:one_rule",
                key,
                f'{{"confidence":0.{number % 89 + 10}}}',
                _iso(at),
            )
            verdict = "reversed" if number % 3 else "confirmed"
            yield (
                f"o{number:08d}",
                "signal.human_override:one_rule",
                key,
                f'{{"verdict":"{verdict}"}}',
                _iso(at + number % 977),
            )

    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE audit_events (id, event_type, target_key, metadata_json, created_at)")
    connection.executemany("INSERT INTO audit_events VALUES (?, ?, ?, ?, ?)", rows())
    connection.commit()
    connection.close()
    return path


def _iso(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def report_pairing(folder: Path) -> None:
    """Prints the seconds of the pairing alone and of a whole `corpus export`, on 50,000 targets and on one."""
    import subprocess

    for targets in (50_000, 1):
        export = export_of_one_rule(folder / f"one-rule-{targets}.sqlite", EVENTS, targets)
        alone = subprocess.run(
            [sys.executable, "-c", _PAIRING, str(export), AS_OF], check=True, capture_output=True, text=True
        ).stdout.strip()
        command = [sys.executable, "-m", "evenhand.cli", "corpus", "export", str(export), "--rule", "one_rule"]
        seconds, peak = measured([*command, "--as-of", AS_OF, "--out", str(folder / f"corpus-{targets}.json")])
        print(
            f"{EVENTS:,} firings and {EVENTS:,} overrides of one rule on {targets:,} targets: pairing {alone} s "
            f"(under 5 s), the whole corpus export {seconds:.2f} s, peak memory {peak / 2**20:.0f} MiB",
            flush=True,
        )


def main() -> None:
    """The pairing alone: `python -m tests.bench.bench_backtest`."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        report_pairing(Path(folder))


if __name__ == "__main__":
    main()
