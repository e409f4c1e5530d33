"""The SQLite file of the sample: its tables, as an audit export has them, and a fast deterministic writer.

Knows columns and pragmas; knows nothing of what the rows say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

PAGE_SIZE = 4096
CACHE_KIB = 64 * 1024

SCHEMA = """
CREATE TABLE audit_events (id TEXT PRIMARY KEY, event_type TEXT NOT NULL, actor TEXT, route TEXT, target_key TEXT,
  outcome TEXT NOT NULL, detail TEXT, metadata_json TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE review_audit (id TEXT PRIMARY KEY, project TEXT NOT NULL, target_id TEXT NOT NULL,
  event_type TEXT NOT NULL, decision TEXT, source TEXT NOT NULL, head_sha TEXT, summary TEXT,
  created_at TEXT NOT NULL);
CREATE TABLE decision_records (id TEXT PRIMARY KEY, repo_full_name TEXT NOT NULL, pull_number INTEGER NOT NULL,
  head_sha TEXT NOT NULL, action TEXT NOT NULL, reason_code TEXT NOT NULL, record_digest TEXT NOT NULL,
  record_json TEXT NOT NULL, created_at TEXT NOT NULL, reevaluation_reason TEXT, supersedes_record_id TEXT,
  reevaluation_actor TEXT, findings_count INTEGER, hold_cause TEXT);
CREATE TABLE decision_ledger (seq INTEGER PRIMARY KEY, record_id TEXT NOT NULL, record_digest TEXT NOT NULL,
  prev_hash TEXT NOT NULL, row_hash TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE decision_ledger_anchors (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, row_hash TEXT NOT NULL,
  payload_json TEXT NOT NULL, signature TEXT NOT NULL, key_id TEXT NOT NULL, backend TEXT NOT NULL, backend_ref TEXT,
  proof_r2_key TEXT, status TEXT NOT NULL, error TEXT, created_at TEXT NOT NULL);
CREATE TABLE pull_requests (id TEXT PRIMARY KEY, repo_full_name TEXT NOT NULL, number INTEGER NOT NULL,
  title TEXT NOT NULL, state TEXT NOT NULL, author_login TEXT, author_association TEXT, head_sha TEXT,
  merged_at TEXT, linked_issues_json TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  UNIQUE(repo_full_name, number));
CREATE TABLE pull_request_files (id TEXT PRIMARY KEY, repo_full_name TEXT NOT NULL, pull_number INTEGER NOT NULL,
  path TEXT NOT NULL);
CREATE TABLE review_targets (kind TEXT NOT NULL, repo TEXT NOT NULL, number INTEGER NOT NULL, verdict TEXT,
  status TEXT NOT NULL, confidence REAL, decision_json TEXT, terminal_at TEXT);
CREATE TABLE orb_instances (instance_id TEXT PRIMARY KEY, registered INTEGER NOT NULL);
CREATE TABLE orb_signals (id INTEGER PRIMARY KEY, instance_id TEXT NOT NULL, repo_hash TEXT NOT NULL,
  pr_hash TEXT NOT NULL, gate_verdict TEXT, outcome TEXT NOT NULL, reversal_flag TEXT NOT NULL,
  gate_reasoncode_bucket TEXT, time_to_close_ms INTEGER, decision_timestamp TEXT, outcome_timestamp TEXT,
  sent_at TEXT, received_at TEXT NOT NULL);
CREATE TABLE orb_signal_rollups (instance_id TEXT NOT NULL, day TEXT NOT NULL, gate_verdict TEXT NOT NULL,
  outcome TEXT NOT NULL, reversal_flag TEXT NOT NULL, gate_reasoncode_bucket TEXT NOT NULL, n INTEGER NOT NULL,
  updated_at TEXT NOT NULL);
CREATE TABLE orb_pr_outcomes (repository_full_name TEXT NOT NULL, pr_number INTEGER NOT NULL,
  installation_id INTEGER, outcome TEXT NOT NULL, occurred_at TEXT NOT NULL,
  PRIMARY KEY (repository_full_name, pr_number));
CREATE TABLE orb_outcome_rollups (account_login TEXT PRIMARY KEY, merged INTEGER NOT NULL, closed INTEGER NOT NULL,
  total INTEGER NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE orb_github_installations (installation_id INTEGER PRIMARY KEY, account_login TEXT,
  registered INTEGER NOT NULL);
CREATE TABLE orb_risk_control_arms (instance_id TEXT NOT NULL, arm TEXT NOT NULL, payload_json TEXT NOT NULL,
  updated_at TEXT NOT NULL, PRIMARY KEY (instance_id, arm));
CREATE TABLE system_flags (key TEXT PRIMARY KEY, value TEXT, updated_at TEXT NOT NULL);
"""
# The one index that a reader of a live table can count on; the others would double the time to write.
INDEX = "CREATE INDEX ix_ae_created ON audit_events(created_at)"


class Store:
    """An export being written: complete under its name at the end, or absent."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.part")
        self._partial.unlink(missing_ok=True)
        self._connection = sqlite3.connect(self._partial, isolation_level=None)
        for pragma in (
            f"page_size={PAGE_SIZE}",
            "journal_mode=OFF",
            "synchronous=OFF",
            "locking_mode=EXCLUSIVE",
            f"cache_size=-{CACHE_KIB}",
            "temp_store=FILE",
        ):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(SCHEMA)
        self._connection.execute("BEGIN")

    def insert(self, table: str, rows: Iterable[Sequence[object]], width: int) -> None:
        """Insert whole rows, every column in the schema's order."""
        marks = ",".join("?" * width)
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
            self._connection.execute(INDEX)
        self._connection.close()
        if kind is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink(missing_ok=True)
