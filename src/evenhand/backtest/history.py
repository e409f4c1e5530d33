"""The signals of an export from its first day on, paired into full cases.

Belongs here: reading firings and overrides out of any SOURCE with what a full case keeps of them, and pairing them.
Does not: how a value is parsed (lake/parse), what a case is (cases), or what is done with it.

Source: fairness contract, section 10, "Corpus for backtests".
"""

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.backtest.cases import LABELS, Case, read_firing
from evenhand.backtest.snapshot import check_suffix, corpus_manifest, redacted, refuse_in_source, write_corpus
from evenhand.duck import in_memory
from evenhand.errors import SourceError
from evenhand.lake.parse import parse_batch
from evenhand.lake.tables import AUDIT_EVENTS, SIGNAL_FAMILIES, Column, Kind, Privacy
from evenhand.policy import Policy
from evenhand.sources import Source, open_source
from evenhand.sources.base import RawBatch

_STORED_AT, _METADATA = "created_at", "metadata_json"
_SIGNALS = replace(
    AUDIT_EVENTS,
    columns=(
        *AUDIT_EVENTS.columns,
        Column(_STORED_AT, Kind.TEXT, "The time as stored.", Privacy.PRIVATE),
        Column(_METADATA, Kind.TEXT, "The metadata as stored.", Privacy.SECRET),
    ),
)
"""audit_events with the texts that a full case repeats and the lake does not keep."""

EARLIEST = -(2**62)
"""Before every instant."""
_BATCH = 16_384


def statement(name: str) -> str:
    """One of the SQL files of this package."""
    return files("evenhand.backtest").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def pairing_statements() -> list[str]:
    """The statements of the pairing, one by one."""
    return [one for one in statement("pairing").split(";\n") if one.strip()]


class SignalHistory:
    """Firings and overrides of an export before as-of; a context manager that lets go of them."""

    def __init__(self, source: str, policy: Policy, as_of: int, rules: Collection[str] | None = None) -> None:
        """Reads the signals of some rules, or of all.

        Raises SourceError when the export cannot be read or holds no audit events.
        """
        self.policy, self.as_of = policy, as_of
        self._spill = tempfile.TemporaryDirectory(prefix="evenhand-backtest-")
        self._connection = in_memory()
        self._connection.execute("SET TimeZone='UTC'")
        self._connection.execute(f"SET memory_limit='{policy.lake.memory_megabytes}MB'")
        self._connection.execute("SET preserve_insertion_order=false")
        self._connection.execute("SET temp_directory='" + self._spill.name.replace("'", "''") + "'")
        try:
            with open_source(source, policy) as opened:
                self.label, self.kind = opened.label, opened.kind
                self._read(opened, rules)
                opened.check_unchanged()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "SignalHistory":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drops everything that was read."""
        self._connection.close()
        self._spill.cleanup()

    def _read(self, source: Source, rules: Collection[str] | None) -> None:
        if AUDIT_EVENTS.name not in source.tables():
            raise SourceError(f"{source.label} holds no audit_events: there is no history to test a rule on")
        missing = [name for name in AUDIT_EVENTS.required if name in source.missing_columns(AUDIT_EVENTS)]
        if missing:
            raise SourceError(f"audit_events in {source.label} lacks the column {missing[0]}: export it as well")
        common = "row_number BIGINT, rule_id VARCHAR, target_key VARCHAR, ts_us BIGINT, id VARCHAR, stored_at VARCHAR"
        self._connection.execute(f"CREATE TABLE signal_firings ({common}, metadata_text VARCHAR)")
        self._connection.execute(f"CREATE TABLE signal_overrides ({common}, verdict VARCHAR, counts BOOLEAN)")
        number = 0
        for part in source.parts(AUDIT_EVENTS):
            for raw in source.batches(AUDIT_EVENTS, part):
                number = self._keep(_signals_of(raw, rules), number)

    def _keep(self, raw: RawBatch, number: int) -> int:
        if raw.rows == 0:
            return number
        rows = parse_batch(_SIGNALS, raw).rows.combine_chunks()
        rows = rows.filter(pc.and_(pc.is_valid(rows["rule_id"]), pc.less(rows["ts_us"], self.as_of)))
        rows = rows.append_column("row_number", pa.array(np.arange(number, number + rows.num_rows)))
        is_firing = pc.equal(rows["family"], SIGNAL_FAMILIES[0])
        self._insert_firings(rows.filter(is_firing))
        self._insert_overrides(rows.filter(pc.invert(is_firing)))
        return number + int(rows.num_rows)

    def _insert_firings(self, rows: pa.Table) -> None:
        metadata = pc.if_else(rows["metadata_malformed"], pa.scalar(None, pa.string()), rows[_METADATA])
        self._insert("signal_firings", [*_common(rows), metadata])

    def _insert_overrides(self, rows: pa.Table) -> None:
        excluded = pa.array(self.policy.signals.excluded_provenance, pa.string())
        is_excluded = pc.fill_null(pc.is_in(rows["provenance"], value_set=excluded), False)
        is_recognized = pc.fill_null(pc.is_in(rows["verdict"], value_set=pa.array(LABELS)), False)
        counts = pc.and_(is_recognized, pc.invert(is_excluded))
        self._insert("signal_overrides", [*_common(rows), rows["verdict"], counts])

    def _insert(self, table: str, columns: list[Any]) -> None:
        batch = pa.table(columns, names=[f"c{number}" for number in range(len(columns))])
        if batch.num_rows:
            self._connection.register("incoming", batch)
            self._connection.execute(f"INSERT INTO {table} SELECT * FROM incoming")
            self._connection.unregister("incoming")

    def rules(self) -> list[str]:
        """Rules that any override names, ordered: each has a corpus, perhaps of no case."""
        found = self._connection.sql("SELECT DISTINCT rule_id FROM signal_overrides").fetchall()
        return sorted(rule for (rule,) in found)

    def pair(self, since: int | None = None) -> None:
        """Pairs firings with overrides that are both at or after `since`."""
        parameters = {"since_us": EARLIEST if since is None else since, "as_of_us": self.as_of}
        for one in pairing_statements():
            used = {name: value for name, value in parameters.items() if f"${name}" in one}
            self._connection.execute(one, used or None)

    def cases(self, since: int | None = None, *, with_metadata: bool = True) -> Iterator[tuple[str, list[Case]]]:
        """Each rule that has cases with all of them, rules ordered by id, cases by the time and id of the firing.

        Without their metadata cases keep their confidence: all that a threshold can see, and little memory.
        """
        self.pair(since)
        rule = ""
        found: list[Case] = []
        for batch in self._connection.sql(statement("full_cases")).to_arrow_reader(_BATCH):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                if row[0] != rule and found:
                    yield rule, found
                    found = []
                rule = row[0]
                one = _case(*row, deepest=self.policy.backtest.metadata_depth)
                found.append(one if with_metadata else replace(one, metadata=None, texts=None))
        if found:
            yield rule, found

    def corpus(self, rule: str, since: int | None = None) -> list[Case]:
        """The cases of one rule."""
        return next((found for name, found in self.cases(since) if name == rule), [])


def _signals_of(raw: RawBatch, rules: Collection[str] | None) -> RawBatch:
    """The signal events of a batch, of some rules or of all."""
    types = raw.columns[AUDIT_EVENTS.source_columns.index("event_type")]
    if rules is None:
        is_signal = pc.or_(*(pc.starts_with(types, f"{family}:") for family in SIGNAL_FAMILIES))
    else:
        wanted = [f"{family}:{rule}" for family in SIGNAL_FAMILIES for rule in rules]
        is_signal = pc.is_in(types, value_set=pa.array(wanted))
    mask = pc.fill_null(is_signal, False)
    columns = [column.filter(mask) for column in raw.columns]
    count = len(columns[0])
    return RawBatch(columns, count, lambda: list(range(count)))


def _common(rows: pa.Table) -> list[Any]:
    target = pc.fill_null(rows["target_key"], "")
    return [rows["row_number"], rows["rule_id"], target, rows["ts_us"], pc.fill_null(rows["id"], ""), rows[_STORED_AT]]


def _case(
    rule_id: str, target_key: str, fired_at: str, decided_at: str, label: str, metadata: str | None, *, deepest: int
) -> Case:
    told = read_firing(metadata, deepest)
    return Case(
        rule_id, target_key, told.outcome, label, fired_at, decided_at, told.members, told.confidence, told.texts
    )


def export_corpus(
    source: str, policy: Policy, as_of: int, rule: str, out: Path, since: int | None = None
) -> dict[str, Any]:
    """Writes the full corpus of a rule and returns its manifest; nothing is written when the export cannot be read.

    Raises UsageError when the file would take the place of the export, or has a suffix of no known format.
    """
    check_suffix(out)
    refuse_in_source(out, source)
    with SignalHistory(source, policy, as_of, (rule,)) as history:
        cases = redacted(history.corpus(rule, since), policy)
        manifest = corpus_manifest(cases, rule, as_of=as_of, since=since, kind=history.kind, label=history.label)
    write_corpus(out, manifest, cases)
    return manifest
