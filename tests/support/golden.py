"""The golden exports: their inputs, their right answers, and the comparison field by field."""

import gzip
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.pipeline import Published, publish

GOLDEN = Path(__file__).parent.parent / "golden"
STATS = ("totals", "weekly", "byProject", "fleetAccuracy")
PUBLIC = ("rulePrecision", "accuracyTrend", "fleetAccuracyTrend", "reviewParity", "automationRate")
OPERATOR = ("fleetAnalytics", "calibrationTrend", "trackRecord")

Parts = Mapping[str, Any]
"""Figures by part, as an `expected.json` holds them."""

Difference = tuple[str, Any, Any]
"""Path, expected, found."""


@dataclass(frozen=True)
class Case:
    """One golden export."""

    folder: Path

    @property
    def input(self) -> dict[str, Any]:
        """As-of and allowlist."""
        return load(self.folder / "input.json")

    @property
    def expected(self) -> dict[str, Any]:
        """Every figure that is right."""
        plain = self.folder / "expected.json"
        return load(plain if plain.exists() else plain.with_suffix(".json.gz"))

    def publish(self, scratch: Path) -> Published:
        """What the pipeline makes of it."""
        export = scratch / "export.sqlite"
        export.write_bytes(gzip.decompress((self.folder / "export.sqlite.gz").read_bytes()))
        return publish(export, self.input["as_of"], self.input["repos"])


def cases() -> list[Case]:
    """Every fairness case, ordered by name."""
    return [Case(path.parent) for path in sorted((GOLDEN / "fairness").glob("open-*/input.json"))]


def load(path: Path) -> Any:
    """JSON, gzipped or not."""
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def differences(expected: Parts, got: Parts) -> list[Difference]:
    """Where the parts that figures are about differ from what is right."""
    found: list[Difference] = []
    for key in STATS:
        compare(f"stats.{key}", expected["stats"][key], got["stats"][key], found)
    for key in (*PUBLIC, *OPERATOR, "evalScoreRecords"):
        compare(key, expected[key], got[key], found)
    right, corpora = expected["evalCorpus"], got["evalCorpus"]
    for rule in sorted(set(right) | set(corpora)):
        compare_corpus(f"evalCorpus[{rule!r}]", right.get(rule), corpora.get(rule), found)
    return found


def compare(path: str, right: Any, got: Any, found: list[Difference]) -> None:
    """Exact, but for the last bits of an unrounded number; keys that start with `_` are remarks."""
    if isinstance(right, dict) and isinstance(got, dict):
        for key in sorted({key for key in right if not key.startswith("_")} | set(got)):
            compare(f"{path}.{key}", right.get(key, "<absent>"), got.get(key, "<absent>"), found)
    elif isinstance(right, list) and isinstance(got, list):
        if len(right) != len(got):
            found.append((f"{path}.length", len(right), len(got)))
        for number, (one, other) in enumerate(zip(right, got, strict=False)):
            compare(f"{path}[{number}]", one, other, found)
    elif not same(right, got):
        found.append((path, right, got))


def same(right: Any, got: Any) -> bool:
    """Whether two scalars are the same JSON value."""
    if isinstance(right, bool) or isinstance(got, bool) or right is None or got is None:
        return right is got
    if isinstance(right, int | float) and isinstance(got, int | float):
        return right == got or math.isclose(right, got, rel_tol=1e-12, abs_tol=1e-15)
    return bool(right == got)


def compare_corpus(
    path: str, right: dict[str, Any] | None, got: dict[str, Any] | None, found: list[Difference]
) -> None:
    """A long corpus keeps its first and last cases only; a corpus without cases may be left out."""
    if right is None or got is None:
        if (right or got or {}).get("caseCount"):
            found.append((path, right and "<a corpus>", got and "<a corpus>"))
        return
    if "_head" in right:
        head, tail = right["_head"], right["_tail"]
        compare(f"{path}.cases[:{len(head)}]", head, got["cases"][: len(head)], found)
        compare(f"{path}.cases[-{len(tail)}:]", tail, got["cases"][-len(tail) :], found)
        right = {key: value for key, value in right.items() if key != "cases"}
        got = {key: value for key, value in got.items() if key != "cases"}
    compare(path, right, got, found)
