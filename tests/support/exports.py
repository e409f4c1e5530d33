"""Small exports for tests: plain rows as an export holds them, written as a SQLite file.

Rows are dictionaries of the values that SQLite stores (text, integer, real, None). A table that is not named is not
in the file; a table with an empty list is there and empty, which is not the same.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Tables = Mapping[str, Iterable[Row]]

COLUMNS: dict[str, tuple[str, ...]] = {
    "audit_events": (
        "id",
        "event_type",
        "actor",
        "target_key",
        "outcome",
        "detail",
        "metadata_json",
        "created_at",
    ),
    "pull_requests": (
        "repo_full_name",
        "number",
        "state",
        "author_login",
        "author_association",
        "merged_at",
        "linked_issues_json",
        "created_at",
        "updated_at",
    ),
    "pull_request_files": ("repo_full_name", "pull_number", "path"),
    "review_audit": ("id", "project", "target_id", "event_type", "decision", "source", "created_at"),
    "decision_records": (
        "id",
        "repo_full_name",
        "pull_number",
        "head_sha",
        "action",
        "reason_code",
        "record_digest",
        "record_json",
        "created_at",
        "reevaluation_reason",
        "supersedes_record_id",
        "reevaluation_actor",
        "findings_count",
    ),
    "decision_ledger": ("seq", "record_id", "record_digest", "prev_hash", "row_hash", "created_at"),
    "decision_ledger_anchors": (
        "id",
        "seq",
        "row_hash",
        "payload_json",
        "signature",
        "key_id",
        "backend",
        "backend_ref",
        "status",
        "created_at",
    ),
    "orb_instances": ("instance_id", "registered"),
    "orb_signals": (
        "instance_id",
        "gate_verdict",
        "outcome",
        "reversal_flag",
        "gate_reasoncode_bucket",
        "time_to_close_ms",
        "decision_timestamp",
        "received_at",
    ),
    "orb_signal_rollups": (
        "instance_id",
        "day",
        "gate_verdict",
        "outcome",
        "reversal_flag",
        "gate_reasoncode_bucket",
        "n",
    ),
    "orb_pr_outcomes": ("repository_full_name", "pr_number", "installation_id", "outcome", "occurred_at"),
    "orb_outcome_rollups": ("account_login", "merged", "closed", "total"),
    "orb_github_installations": ("installation_id", "account_login", "registered"),
    "orb_risk_control_arms": ("instance_id", "arm", "payload_json", "updated_at"),
}
"""The columns of an export that are read, by table."""


def write_sqlite(path: Path, tables: Tables, without: Mapping[str, Iterable[str]] | None = None) -> Path:
    """Write the rows as they are; `without` leaves columns out of a table. Columns have no affinity, as dirt needs."""
    omitted = {name: set(columns) for name, columns in (without or {}).items()}
    connection = sqlite3.connect(path)
    try:
        for name, rows in tables.items():
            columns = [column for column in COLUMNS[name] if column not in omitted.get(name, ())]
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            connection.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})",
                [[row.get(column) for column in columns] for row in rows],
            )
        connection.commit()
    finally:
        connection.close()
    return path


def every_table(tables: Tables) -> dict[str, list[Row]]:
    """The same rows with every other table there and empty."""
    return {name: list(tables.get(name, ())) for name in COLUMNS}
