"""Writing the API files below `v1/public/` and the operator's `operator.json`.

Belongs here: paths and bytes. Does not: the shapes (api).

Source: interface contract, "The published tree".
"""

from pathlib import Path
from typing import Any

from evenhand.canonical import pretty
from evenhand.computed import Computed
from evenhand.corpus.corpora import file_stem
from evenhand.metrics.ledger.facts import LedgerFacts
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
    if computed.ledger:
        _write_ledger(computed.ledger, public / "decision-ledger")


def operator_document(computed: Computed) -> dict[str, Any]:
    """What only the operator may see: fleet instances, the calibration trend, data quality."""
    return {
        "fleetAnalytics": api.fleet_analytics(computed.results, computed.context),
        "calibrationTrend": api.calibration_trend(computed.results, computed.context),
        "trackRecord": api.track_record(computed.results, computed.context),
        "quality": api.quality(computed.manifest),
    }


def _write_ledger(ledger: LedgerFacts, folder: Path) -> None:
    """The verification, the anchors and the public keys that they were checked by."""
    folder.mkdir()
    _write(folder / "verify.json", ledger.verification())
    _write(folder / "anchors.json", ledger.public_anchors())
    _write(folder / "anchor-key.json", ledger.public_keys())


def write_operator(computed: Computed, directory: Path) -> None:
    """`directory/operator.json`."""
    directory.mkdir(parents=True, exist_ok=True)
    ledger = computed.ledger.operators() if computed.ledger else {}
    _write(directory / "operator.json", {**operator_document(computed), **ledger})


def _write(path: Path, value: Any) -> None:
    path.write_text(pretty(value), encoding="utf-8")
