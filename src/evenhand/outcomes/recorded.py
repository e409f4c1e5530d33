"""What a SOURCE has recorded, for the repositories that the events tell of.

Belongs here: reading it through a lake of its own, so that every kind of export and every rule of dirty rows is the
same as in a build, and taking over the rows that the rules ask for. Does not: the rules.

Source: fairness contract section 11, "A recorded merge", "Last bot action"; section 1 for metadata and identities.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evenhand.lake.extraction import extract
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.reading import table_files
from evenhand.outcomes.records import Records
from evenhand.policy import Policy, ascii_lower

_ROWS_PER_BATCH = 65_536
_ACTIONS = {"agent.action.close": "close", "agent.action.merge": "merge", "agent.action.reopen": "reopen"}
_FIRED, _OVERRIDE, _OUTCOME = "signal.rule_fired", "signal.human_override", "pr_outcome"
_MARKS = ("reversal_reopened", "reversal_reverted", "reversal_superseded", "owner_reopen_pending_reversal")
_FAMILIES = (*_ACTIONS, _FIRED, _OVERRIDE, _OUTCOME, *_MARKS)


def take_over(source: str, records: Records, policy: Policy, scratch: Path) -> LakeManifest:
    """Read a SOURCE into the records; what it holds of other repositories is passed over.

    Raises SourceError when it cannot be read.
    """
    lake_dir = scratch / "lake"
    manifest = extract(source, lake_dir)
    repositories = sorted({ascii_lower(name) for name in records.repositories()})
    chosen = pa.array(repositories, pa.string())
    for rows in _batches(lake_dir, manifest, "audit_events", _EVENT_COLUMNS):
        _take_events(rows.filter(_among(rows, "repo", chosen)), records, policy)
    for rows in _batches(lake_dir, manifest, "review_audit", ("target_id", "event_type", "decision", "ts_us", "id")):
        _take_review_audit(rows, records, set(repositories))
    _take_pulls(lake_dir, manifest, records, chosen)
    for rows in _batches(lake_dir, manifest, "pull_request_files", ("repo", "pull_request", "path")):
        found = rows.filter(_among(rows, "repo", chosen))
        records.add_files(_rows(found, "pull_request", "path"))
    return manifest


_EVENT_COLUMNS = (
    "id",
    "family",
    "rule_id",
    "target_key",
    "repo",
    "pull_request",
    "outcome",
    "detail",
    "ts_us",
    "mode",
    "verdict",
)


def _batches(lake_dir: Path, manifest: LakeManifest, table: str, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for path in table_files(lake_dir, manifest, table):
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(_ROWS_PER_BATCH, columns=list(columns))


def _among(rows: pa.RecordBatch, column: str, values: pa.Array) -> pa.Array:
    return pc.is_in(rows.column(column), value_set=values, skip_nulls=True)


def _rows(rows: pa.RecordBatch, *columns: str) -> list[tuple[Any, ...]]:
    return list(zip(*(rows.column(name).to_pylist() for name in columns), strict=True))


def _take_events(rows: pa.RecordBatch, records: Records, policy: Policy) -> None:
    rows = rows.filter(_among(rows, "family", pa.array(_FAMILIES)))
    if not rows.num_rows:
        return
    by_family = {family: rows.filter(pc.equal(rows.column("family"), family)) for family in _FAMILIES}
    for family, kind in _ACTIONS.items():
        completed = by_family[family]
        live = [
            (pull, repo, kind, time, identity, target)
            for pull, repo, time, identity, target, outcome, mode in _rows(
                completed, "pull_request", "repo", "ts_us", "id", "target_key", "outcome", "mode"
            )
            if outcome == policy.outcomes.completed and mode != policy.outcomes.dry_run
        ]
        records.add_actions(live)
    records.add_outcomes(_rows(by_family[_OUTCOME], "pull_request", "ts_us", "id", "detail"))
    for family in _MARKS:
        records.add_marks(_rows(by_family[family], "pull_request", "family", "ts_us"))
    records.add_firings(_rows(by_family[_FIRED], "target_key", "rule_id", "ts_us"))
    records.add_overrides(_rows(by_family[_OVERRIDE], "target_key", "rule_id", "ts_us", "verdict"))


def _take_review_audit(rows: pa.RecordBatch, records: Records, repositories: set[str]) -> None:
    taken = []
    for target, kind, decision, time, identity in _rows(rows, "target_id", "event_type", "decision", "ts_us", "id"):
        pull = _pull_of(target)
        if kind == _OUTCOME and pull is not None and pull.rpartition("#")[0] in repositories:
            taken.append((pull, time, identity, decision))
    records.add_outcomes(taken)


def _pull_of(target: str | None) -> str | None:
    """The identity that a target key names (contract section 1, "Target keys")."""
    repository, mark, number = (target or "").partition("#")
    if not (repository and mark and number.isascii() and number.isdigit()):
        return None
    return f"{ascii_lower(repository)}#{number.lstrip('0') or '0'}"


def _take_pulls(lake_dir: Path, manifest: LakeManifest, records: Records, chosen: pa.Array) -> None:
    """Of two rows of one pull request the newest, of one instant the greatest spelling: they come in that order."""
    columns = ("pull_request", "state", "merged", "author_login", "linked_issues_json", "updated_us", "repo_full_name")
    for rows in _batches(lake_dir, manifest, "pull_requests", ("repo", *columns)):
        found = _rows(rows.filter(_among(rows, "repo", chosen)), *columns)
        found.sort(key=lambda row: (row[0], row[5] is not None, row[5] or 0, row[6]))
        records.add_pulls(row[:6] for row in found)
