"""Prints every measured figure that the README and the issues name, from exports generated for the purpose.

Belongs here: which sizes are measured and beside which limit. Does not: how (the bench modules).
"""

import argparse
import tempfile
from pathlib import Path

from tests.bench.bench_backtest import report_pairing
from tests.bench.bench_extraction import report, sample
from tests.bench.bench_figures import report_api, report_figures
from tests.bench.bench_increments import report_increment
from tests.bench.bench_reviews import report_reviews
from tests.bench.bench_sources import report_sources


def main() -> None:
    """1M events by default: extraction on sample and on unique metadata, API files, figures; `--large`: 5M too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also 5M events: extraction, figures, memory, PostgreSQL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        measure(Path(folder), options.events, options.repeat)
        report_pairing(Path(folder))
        report_reviews(Path(folder), 20_000)
        if options.large:
            export = sample(Path(folder) / "large", 5_000_000)
            report("5,000,000 events", export, 1, 4, 2)
            report_figures("5,000,000 events", export, options.repeat, "at most 8 s")
            report_sources("5,000,000 events", export)


def measure(folder: Path, events: int, repeat: int) -> None:
    """Everything at one size."""
    export = sample(folder / "sample", events)
    report(f"{events:,} events", export, repeat, 4, 2)
    report_api(f"{events:,} events", export, repeat, "at most 10 s at 1M")
    report_figures(f"{events:,} events", export, repeat, "at most 8 s at 5M")
    report_increment(f"{events:,} events", export, repeat)
    export.unlink()
    report(
        f"{events:,} events of unique, long, escaped metadata",
        sample(folder / "unique", events, "--unique-metadata"),
        repeat,
        6,
        2,
    )


if __name__ == "__main__":
    main()
