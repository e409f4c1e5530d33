"""The sample published twice, a week apart, for every test that only reads what is published."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from evenhand.build import build
from evenhand.metrics.ledger.anchors import read_keys
from evenhand.policy import load_policy
from evenhand.timeline import instant_argument

SAMPLE = Path("data/sample")


@dataclass(frozen=True)
class PublishedSite:
    """out: the folder of all builds. earlier, latest: folders of the two builds."""

    out: Path
    earlier: Path
    latest: Path


@pytest.fixture(scope="session")
def published_site(tmp_path_factory: pytest.TempPathFactory) -> PublishedSite:
    """The sample with its reviews and anchor keys, as of two Sundays. Read it, change nothing."""
    folder = tmp_path_factory.mktemp("published")
    outcomes = [
        build(
            str(SAMPLE / "export.sqlite"),
            policy=load_policy(SAMPLE / "policy.toml"),
            as_of=instant_argument(as_of),
            lake_dir=folder / "lake",
            out=folder / "site",
            reviews=SAMPLE / "reviews.ndjson",
            seats=SAMPLE / "seats.ndjson",
            anchor_keys=read_keys(SAMPLE / "anchor-keys.json"),
        )
        for as_of in ("2026-10-25T00:00:00Z", "2026-11-01T00:00:00Z")
    ]
    return PublishedSite(folder / "site", *(outcome.folder for outcome in outcomes))
