"""The same export and as-of give the same bytes, whatever the machine is set to."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.golden import GOLDEN, Case

from evenhand.computed import context_of
from evenhand.corpus.corpora import pair
from evenhand.engines.duckdb import DuckEngine
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.tables import TABLES
from evenhand.metrics.registry import Cells, registry
from evenhand.policy import Policy
from evenhand.timeline import instant_argument

SAMPLE = Path(__file__).parents[2] / "data" / "sample"

SCRIPT = """
import sys
from pathlib import Path
from evenhand.canonical import pretty
from evenhand.computed import compute
from evenhand.lake.writing import write_lake
from evenhand.policy import load_policy
from evenhand.site.api_files import write_operator, write_public
from evenhand.site.datasets import write_datasets
from evenhand.site.report import report
from evenhand.sources import open_source
from evenhand.timeline import instant_argument

sample, out = Path(sys.argv[1]), Path(sys.argv[2])
with open_source(str(sample / "export.sqlite")) as source:
    write_lake(source, out / "lake", workers=int(sys.argv[3]))
computed = compute(out / "lake", load_policy(sample / "policy.toml"), instant_argument("2026-11-01T00:00:00Z"))
write_public(computed, out / "site")
write_datasets(computed, out / "site")
write_operator(computed, out / "operator")
(out / "site" / "report.json").write_text(pretty(report(computed)), encoding="utf-8")
"""

SETTINGS = (
    {"TZ": "UTC", "LANG": "C", "PYTHONHASHSEED": "0"},
    {
        "TZ": "Pacific/Kiritimati",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "4242",
        "POLARS_MAX_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    },
)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_lake_api_files_and_datasets_are_the_same_bytes_under_other_settings(tmp_path: Path) -> None:
    built = []
    for number, settings in enumerate(SETTINGS):
        out = tmp_path / str(number)
        out.mkdir()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LC_")} | settings
        command = [sys.executable, "-c", SCRIPT, str(SAMPLE), str(out), str(number + 1)]
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        built.append(digests(out))
    assert built[0] == built[1]
    assert "site/v1/public/stats.json" in built[0]
    assert "site/data/figures.parquet" in built[0]
    assert "site/data/corpus/all_rules.parquet" in built[0]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Case]:
    """The lake of a golden export that has rows for every metric."""
    case, scratch = Case(GOLDEN / "fairness" / "open-07"), tmp_path_factory.mktemp("threads")
    case.publish(scratch)
    return scratch / "export.sqlite.lake", case


def test_one_thread_and_four_count_and_pair_the_same(lake: tuple[Path, Case]) -> None:
    folder, case = lake
    manifest = open_lake_manifest(folder)
    found = []
    for threads in (1, 4):
        policy = Policy().allowing(case.input["repos"])
        context = context_of(manifest, policy, instant_argument(case.input["as_of"]))
        files = {name: table_files(folder, manifest, name) for name in TABLES}
        with DuckEngine(files, policy, threads=threads) as engine:
            cells = {name: ordered(engine.cells(m.sql, m.parameters(context))) for name, m in registry().items()}
            found.append((cells, pair(engine, context)))
    assert found[0][0] == found[1][0]
    assert found[0][1].equals(found[1][1])


def ordered(cells: Cells) -> list[str]:
    """Cells come in no order: folds do not need one."""
    return sorted(repr(sorted(cell.items())) for cell in cells)
