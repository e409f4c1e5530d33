"""From a lake to everything that can be published of it: results, corpora and score records.

Belongs here: the one order in which the registry, the pairing and the suppression run, for the command line and
the pipeline alike. Does not: any rule of them, or the form in which something is published (site).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from evenhand.corpus.corpora import RuleCorpus, pair, published_corpora, snapshot
from evenhand.corpus.records import score_records
from evenhand.disclosure.suppression import withhold
from evenhand.engines.duckdb import DuckEngine
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.tables import TABLES
from evenhand.metrics.registry import Context, compute_all
from evenhand.policy import Policy


@dataclass(frozen=True)
class Computed:
    """Everything computed of one lake for one as-of."""

    context: Context
    manifest: LakeManifest
    results: dict[str, Any]
    corpora: list[RuleCorpus]
    records: list[dict[str, Any]]
    cases: pa.Table | None
    """Every case of every rule in the published order; None when only the API files are wanted."""


def open_engine(lake_dir: Path, manifest: LakeManifest, policy: Policy) -> DuckEngine:
    """An engine over the files of a lake."""
    return DuckEngine({name: table_files(lake_dir, manifest, name) for name in TABLES}, policy)


def context_of(manifest: LakeManifest, policy: Policy, as_of: int) -> Context:
    """What folds may know of a lake."""
    provided = frozenset(name for name in TABLES if manifest.table(name).provided)
    return Context(policy, as_of, provided)


def compute(lake_dir: Path, policy: Policy, as_of: int, *, with_cases: bool = True) -> Computed:
    """Every metric, every corpus and every score record of a lake.

    Raises LakeError when the lake is missing or incomplete.
    """
    manifest = open_lake_manifest(lake_dir)
    context = context_of(manifest, policy, as_of)
    with open_engine(lake_dir, manifest, policy) as engine:
        results = withhold(compute_all(engine, context))
        pair(engine, context)
        corpora = published_corpora(engine, context)
        cases = snapshot(engine, context) if with_cases else None
    records = score_records(results["signals.rule_precision"], corpora, context)
    return Computed(context, manifest, results, corpora, records, cases)
