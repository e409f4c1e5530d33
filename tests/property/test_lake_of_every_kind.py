"""Every golden export gives the same lake, byte for byte, as a SQLite file and as a folder of each kind."""

import gzip
import hashlib
from pathlib import Path

import pytest
from support.folders import to_folder

from evenhand.lake.manifest import LakeManifest
from evenhand.lake.writing import write_lake
from evenhand.sources import open_source

GOLDEN = Path(__file__).parents[1] / "golden" / "fairness"
CASES = sorted(str(path.parent.relative_to(GOLDEN)) for path in GOLDEN.rglob("open-*/export.sqlite.gz"))


def extract(source: Path, lake: Path) -> LakeManifest:
    with open_source(str(source)) as opened:
        return write_lake(opened, lake)


def tables(lake: Path) -> dict[str, str]:
    """Digests of the files of the tables. The quarantine's list is apart: its positions are rowids or line numbers."""
    return {
        str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest() for path in lake.glob("*/*.parquet")
    }


@pytest.mark.parametrize("case", CASES)
def test_every_kind_gives_the_same_lake(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((GOLDEN / case / "export.sqlite.gz").read_bytes()))
    expected = extract(export, tmp_path / "lake")
    digests = tables(tmp_path / "lake")
    assert digests
    for kind in ("ndjson", "csv", "parquet"):
        got = extract(to_folder(export, tmp_path / kind, kind), tmp_path / f"lake-{kind}")
        assert tables(tmp_path / f"lake-{kind}") == digests, kind
        for name, table in expected.tables.items():
            assert got.tables[name].quarantined == table.quarantined, (kind, name)
            assert got.tables[name].content_sha256 == table.content_sha256, (kind, name)
