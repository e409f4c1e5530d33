"""Every golden review export means exactly what its right answers say, in both deliver modes, field by field."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.golden import Difference, compare
from support.reviews import document

ROOT = Path(__file__).parent / "evidence"
CASES = sorted(path.parent for path in ROOT.glob("*/reviews.ndjson.gz"))
POINTS: dict[str, dict[str, Any]] = json.loads(gzip.decompress((ROOT / "points.json.gz").read_bytes()))


def differences(expected: dict[str, Any], reviews: bytes, seats: str, deliver: str) -> list[Difference]:
    records = [line for line in seats.split("\n") if line]
    found: list[Difference] = []
    got = document(data=reviews, seats=records, deliver=deliver)
    for answers in (expected, got):
        answers["bad_records"] = sorted([bad["file"].split(".")[0], bad["line"]] for bad in answers["bad_records"])
    compare(deliver, expected, got, found)
    return found


@pytest.mark.parametrize("deliver", ["all", "proven-only"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_field_of_the_case_is_right(case: Path, deliver: str) -> None:
    name = "expected.json.gz" if deliver == "all" else f"expected.{deliver}.json.gz"
    expected = json.loads(gzip.decompress((case / name).read_bytes()))
    reviews = gzip.decompress((case / "reviews.ndjson.gz").read_bytes())
    seats = gzip.decompress((case / "seats.ndjson.gz").read_bytes()).decode()
    assert differences(expected, reviews, seats, deliver) == []


@pytest.mark.parametrize("name", sorted(POINTS))
def test_the_rule_that_the_point_is_about_holds(name: str) -> None:
    point = POINTS[name]
    assert differences(point["expected"], point["reviews"].encode(), point.get("seats", ""), "all") == []
