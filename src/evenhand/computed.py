"""From a lake to everything that can be published of it: results, corpora and score records.

Belongs here: the one order in which the registry, the pairing and the suppression run, for the command line and
the pipeline alike. Does not: any rule of them, or the form in which something is published (site).
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from evenhand.backtest.calibration import Calibration, calibrate
from evenhand.corpus.corpora import RuleCorpus, pair, published_corpora
from evenhand.corpus.records import score_records
from evenhand.disclosure.suppression import fleet_counts, withhold
from evenhand.engines.duckdb import DuckEngine
from evenhand.errors import LakeError
from evenhand.evidence.analytics.reviewed import Reviewed
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.tables import HAPPENINGS, TABLES
from evenhand.metrics.ledger.anchors import Key
from evenhand.metrics.ledger.chain import ORPHANS, statement, verify_chain
from evenhand.metrics.ledger.facts import LedgerFacts
from evenhand.metrics.ledger.waivers import Waivers
from evenhand.metrics.outcomes.uncorroborated_mentions import uncorroborated_mentions
from evenhand.metrics.registry import Context, combinations, registry
from evenhand.policy import Policy
from evenhand.rows.published import published_rows
from evenhand.timeline import DAY, day_text, iso


@dataclass(frozen=True)
class Computed:
    """Everything computed of one lake for one as-of."""

    context: Context
    manifest: LakeManifest
    results: dict[str, Any]
    corpora: list[RuleCorpus]
    records: list[dict[str, Any]]
    cases: pa.Table
    """Every case of every rule, ordered by rule and then in the published order."""
    rows: dict[str, pa.Table] = field(default_factory=dict)
    """The published rows behind the figures, by table."""
    ledger: LedgerFacts | None = None
    """The decision ledger, verified, when the export has one."""
    reviews: Reviewed | None = None
    """What a review export means, when one was given."""
    calibration: Calibration | None = None
    """What rules' claims are worth, and what is recommended; for the operator alone."""
    mentions: dict[str, int] = field(default_factory=dict)
    """Reverts that are only spoken of, by reason; for data quality."""
    fleet_counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """What is behind the fleet's percentages, withheld or not, by figure: what the attacker must not get back."""
    lake: Path | None = None
    """The lake that it was computed of, for the leak scan."""


def open_engine(lake_dir: Path, manifest: LakeManifest, policy: Policy) -> DuckEngine:
    """An engine over the files of a lake."""
    return DuckEngine({name: table_files(lake_dir, manifest, name) for name in TABLES}, policy)


def context_of(manifest: LakeManifest, policy: Policy, as_of: int) -> Context:
    """What folds may know of a lake."""
    provided = frozenset(name for name in TABLES if manifest.table(name).provided)
    lacking = frozenset(f"{name}.{column}" for name in provided for column in manifest.table(name).missing_columns)
    began = {name: manifest.table(name).earliest_us for name in HAPPENINGS if name in provided}
    earliest = {name: moment for name, moment in began.items() if moment is not None}
    return Context(policy, as_of, provided, lacking, earliest)


def _refuse_dropped(manifest: LakeManifest, context: Context) -> None:
    """A window that reaches days whose events the lake has dropped would count too little, and is refused."""
    if manifest.retention is None:
        return
    windows = context.policy.windows
    days = max(windows.signals_days, windows.accuracy_days)
    first = min(context.window(days).start, context.weeks()[0])
    kept_from = manifest.retention.events_from * DAY
    if first < kept_from:
        raise LakeError(
            f"the lake has dropped events before {day_text(kept_from)}, and figures as of {iso(context.as_of)} look "
            f"back to {day_text(first)}: give another lake with --lake, which is read from the export anew"
        )


class Computation:
    """One lake being computed for one as-of: each result once, in whatever order it is asked for.

    A context manager: its engine is open in between.
    """

    def __init__(self, lake_dir: Path, policy: Policy, as_of: int) -> None:
        """Opens the lake; LakeError when it is missing or incomplete."""
        self._lake_dir = lake_dir
        self._lake_dir = lake_dir
        self.manifest = open_lake_manifest(lake_dir)
        self.context = context_of(self.manifest, policy, as_of)
        _refuse_dropped(self.manifest, self.context)
        self._engine = open_engine(lake_dir, self.manifest, policy)
        self._results: dict[str, Any] = {}
        self._cases: pa.Table | None = None
        self._calibration: Calibration | None = None
        self._corpora: list[RuleCorpus] | None = None

    def __enter__(self) -> "Computation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the engine."""
        self._engine.close()

    def result(self, name: str) -> Any:
        """The result of a metric or of a combination, which computes what it needs."""
        if name not in self._results:
            combined = combinations().get(name)
            if combined:
                needed = {need: self.result(need) for need in combined.needs}
                self._results[name] = combined.compute(needed, self.context)
            else:
                self._results[name] = registry()[name].compute(self._engine, self.context)
        return self._results[name]

    def cases(self) -> pa.Table:
        """Every case of every rule, ordered by rule and then in the published order."""
        if self._cases is None:
            with self._engine.beside() as engine:
                self._cases = pair(engine, self.context)
                self._corpora = published_corpora(engine, self._cases, self.context)
        return self._cases

    def corpora(self) -> list[RuleCorpus]:
        """The published corpus of every rule."""
        self.cases()
        assert self._corpora is not None
        return self._corpora

    def calibration(self) -> Calibration:
        """What rules' claims are worth over the history that the lake holds, once."""
        if self._calibration is None:
            with self._engine.beside() as engine:
                self._calibration = calibrate(engine, self.context)
        return self._calibration

    def ledger(self, keys: Mapping[str, Key] | None = None, waivers: Waivers | None = None) -> LedgerFacts | None:
        """The verification of the whole decision ledger and of its anchors; None when the export has none."""
        if "decision_ledger" not in self.context.provided:
            return None
        rows, orphans = self._engine.batches(statement()), self._engine.batches(ORPHANS)
        chain = verify_chain(rows, orphans, self.context, waivers)
        anchors = list(self._engine.batches("SELECT * FROM decision_ledger_anchors ORDER BY seq, id"))
        return LedgerFacts(chain, anchors, keys or {}, self.context.policy.ledger.publish_record_ids)

    def records(self) -> list[dict[str, Any]]:
        """The score records of committed rules."""
        return score_records(self.result("signals.rule_precision"), self.corpora(), self.context)

    def rows(self) -> dict[str, pa.Table]:
        """The published rows behind the figures."""
        eligible = len(self.result("fleet.instance_signals").eligible)
        return published_rows(self._engine, self.context, self.manifest, eligible_instances=eligible)

    def _refuse_replaced(self) -> None:
        """LakeError when another run has put a new lake in the place of this one: part of what was read may be its."""
        if open_lake_manifest(self._lake_dir) != self.manifest:
            raise LakeError("the lake was replaced by another run while it was read: run this again")

    def computed(self, *, with_rows: bool = True) -> Computed:
        """Everything, with what must be withheld across metrics withheld; the API alone needs no rows."""
        with ThreadPoolExecutor(1, "corpora") as beside:
            # Neither counting nor pairing keeps two cores busy alone; they share nothing but the lake.
            pairing = beside.submit(self.corpora)
            results = {name: self.result(name) for name in (*registry(), *combinations())}
            pairing.result()
        self._refuse_replaced()
        return Computed(
            self.context,
            self.manifest,
            withhold(results, self.context.policy.disclosure.withhold),
            self.corpora(),
            self.records(),
            self.cases(),
            rows=self.rows() if with_rows else {},
            mentions=uncorroborated_mentions(self._engine, self.context.as_of),
            fleet_counts=fleet_counts(results),
            lake=self._lake_dir,
        )


def compute(
    lake_dir: Path,
    policy: Policy,
    as_of: int,
    *,
    for_operator: bool = False,
    with_rows: bool = True,
    anchor_keys: Mapping[str, Key] | None = None,
    waivers: Waivers | None = None,
) -> Computed:
    """Every metric, every corpus and every score record of a lake; for the operator the calibration as well.

    The ledger is verified when keys are given, be they none: to print figures needs no chain.

    Raises LakeError when the lake is missing or incomplete.
    """
    with Computation(lake_dir, policy, as_of) as computation:
        computed = computation.computed(with_rows=with_rows)
        if anchor_keys is not None:
            computed = replace(computed, ledger=computation.ledger(anchor_keys, waivers))
        return replace(computed, calibration=computation.calibration()) if for_operator else computed
