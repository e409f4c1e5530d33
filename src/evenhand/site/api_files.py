"""Writing the API files below `v1/public/` and the operator's `operator.json`.

Belongs here: paths and bytes. Does not: the shapes (api).

Source: interface contract, "The published tree".
"""

from pathlib import Path
from typing import Any

from evenhand.canonical import pretty
from evenhand.computed import Computation, Computed
from evenhand.corpus.corpora import file_stem
from evenhand.metrics.ledger.anchors import check_anchors, read_keys
from evenhand.metrics.ledger.chain import as_json
from evenhand.site import api


def write_public(computed: Computed, directory: Path) -> None:
    """`directory/v1/public/…`: stats, score records, corpora and their index."""
    public = directory / "v1" / "public"
    corpora = public / "eval-corpus"
    corpora.mkdir(parents=True)
    _write(public / "stats.json", api.stats(computed.results, computed.context))
    _write(public / "eval-scores.json", api.eval_scores(computed.records))
    _write(corpora / "index.json", api.corpus_index(computed.corpora))
    for corpus in computed.corpora:
        (corpora / f"{file_stem(corpus.rule_id)}.json").write_text(corpus.json(), encoding="utf-8")


def operator_document(computed: Computed) -> dict[str, Any]:
    """What only the operator may see: fleet instances, the calibration trend, data quality."""
    return {
        "fleetAnalytics": api.fleet_analytics(computed.results, computed.context),
        "calibrationTrend": api.calibration_trend(computed.results, computed.context),
        "trackRecord": api.track_record(computed.results, computed.context),
        "quality": api.quality(computed.manifest),
    }


def ledger_document(computation: Computation, keys_file: Path | None) -> dict[str, Any]:
    """The operator's view of the ledger: the verification of its chain and its anchors; nothing without a ledger."""
    chain = computation.chain()
    if chain is None:
        return {}
    keys = read_keys(keys_file) if keys_file else {}
    return {
        "ledgerVerify": as_json(chain, with_record_ids=True),
        "anchors": check_anchors(computation.anchors(), keys, chain),
    }


def write_operator(computed: Computed, directory: Path, ledger: dict[str, Any] | None = None) -> None:
    """`directory/operator.json`."""
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / "operator.json", {**operator_document(computed), **(ledger or {})})


def _write(path: Path, value: Any) -> None:
    path.write_text(pretty(value), encoding="utf-8")
