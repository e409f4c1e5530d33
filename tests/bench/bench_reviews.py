"""How long a large review export takes: `evenhand evidence`, and the part of a build that reviews add.

Belongs here: 20,000 reviews of about 70 MB, made of the sample's. Does not: pass or fail; readers of the figures decide
that.

    python -m tests.bench.bench_reviews [--reviews 20000]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from evenhand.sample.draws import Draws
from evenhand.sample.reviews import review_lines, seat_lines
from evenhand.sample.span import Span
from evenhand.timeline import instant_argument
from tests.bench.bench_extraction import processor_seconds_of_children, sample
from tests.bench.bench_figures import AS_OF, measured

_CONTEXT = [f"    line {number} of the text around a cited line" for number in range(20)]


def export(folder: Path, reviews: int) -> tuple[Path, Path]:
    """A review export of a size and its seat records: the sample's reviews again and again, of other pull requests.

    Each review has the text around a cited line, so that one takes about 3.5 kB.
    """
    folder.mkdir(parents=True, exist_ok=True)
    span = Span(instant_argument(AS_OF) // 1000, 120)
    stock = [json.loads(line) for line in review_lines(Draws(1, "reviews"), span) if line.endswith("}")]
    path, seats = folder / "reviews.ndjson", folder / "seats.ndjson"
    with path.open("w", encoding="utf-8") as file:
        for number in range(reviews):
            review = stock[number % len(stock)]
            pull = 10_000 * (number // len(stock)) + number % len(stock) // 2
            made = review | {"review_id": f"rv-{number}", "pull_number": pull}
            made["files_at_head"] = {**review["files_at_head"], "context.py": {"start_line": 1, "lines": _CONTEXT}}
            file.write(json.dumps(made, separators=(",", ":")) + "\n")
    seats.write_text("".join(f"{line}\n" for line in seat_lines(Draws(1, "seats"))), encoding="utf-8")
    return path, seats


def report_reviews(folder: Path, reviews: int) -> None:
    """Prints the time of the command and of builds with the reviews, without and with the operator's pages."""
    path, seats = export(folder / "reviews", reviews)
    size = f"{reviews:,} reviews, {path.stat().st_size / 1e6:.0f} MB"
    files = ["--reviews", str(path), "--seats", str(seats)]
    source = str(sample(folder / "small", 4_700))
    evenhand = [sys.executable, "-m", "evenhand.cli"]
    _print(
        f"{size}: evidence as JSON", [*evenhand, "evidence", str(path), "--seats", str(seats)], "at most 20 s, 1 GiB"
    )
    for turn, (name, more) in enumerate(
        (
            ("the build of a small export without reviews", []),
            ("the same with them", files),
            ("and with the operator's pages, one a review", [*files, "--operator", f"{folder}/operator"]),
        )
    ):
        places = ["--lake", f"{folder}/lake-{turn}", "--out", f"{folder}/out-{turn}"]
        _print(f"{size}: {name}", [*evenhand, "build", source, "--as-of", AS_OF, *places, *more], "no limit")


def _print(what: str, command: list[str], limit: str) -> None:
    used = processor_seconds_of_children()
    seconds, peak = measured(command)
    used = processor_seconds_of_children() - used
    memory = f"peak memory {peak / 2**20:.0f} MiB summed"
    print(f"{what} {seconds:.1f} s, {used:.1f} processor seconds ({limit}), {memory}", flush=True)


def main() -> None:
    """Measures what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        report_reviews(Path(folder), options.reviews)


if __name__ == "__main__":
    main()
