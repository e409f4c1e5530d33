"""The same export through every kind of source gives the same report, byte for byte."""

import gzip
from pathlib import Path

import pytest
from support.d1 import to_dump, to_outputs
from support.folders import to_folder
from support.golden import GOLDEN, Case, cases
from support.postgres import Server

from evenhand.canonical import pretty
from evenhand.computed import compute
from evenhand.lake.extraction import extract
from evenhand.policy import Policy
from evenhand.site.report import report
from evenhand.timeline import instant_argument

FOLDERS = ("ndjson", "csv", "parquet")
FEW = ("open-11", "open-hand-03", "open-hand-06")


def reported(spec: str, case: Case, lake: Path) -> str:
    extract(spec, lake, full=True)
    policy = Policy().allowing(case.input["repos"] or [])
    return pretty(report(compute(lake, policy, instant_argument(case.input["as_of"]))))


def compare(case: Case, postgres: Server, tmp_path: Path) -> None:
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((case.folder / "export.sqlite.gz").read_bytes()))
    specs = {kind: str(to_folder(export, tmp_path / kind, kind)) for kind in FOLDERS}
    specs["d1"] = f"d1:{to_dump(export, tmp_path / 'dump.sql')}"
    specs["d1-json"] = f"d1-json:{to_outputs(export, tmp_path / 'outputs')}"
    specs["postgresql"] = postgres.load(export, postgres.new_database())
    right = reported(str(export), case, tmp_path / "lake")
    assert '"value"' in right
    assert {kind: reported(spec, case, tmp_path / "lake") == right for kind, spec in specs.items()} == dict.fromkeys(
        specs, True
    )


@pytest.mark.parametrize("name", FEW)
def test_every_kind_of_source_gives_the_same_report(name: str, postgres: Server, tmp_path: Path) -> None:
    compare(Case(GOLDEN / "fairness" / name), postgres, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in cases() if case.folder.name not in FEW], ids=lambda case: case.folder.name
)
def test_so_it_does_for_every_golden_export(case: Case, postgres: Server, tmp_path: Path) -> None:
    compare(case, postgres, tmp_path)
