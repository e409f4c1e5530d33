"""Which columns of the lake hold what nobody may read, by the class of what they name; and which are public words.

Belongs here: one class, or the reason why there is none, for every column that the lake declares private. Does not: the
search (leaks). A column that stands in neither list is a mistake that a test finds.

Source: fairness contract, section 1 "Repositories", "Target keys"; lake/tables.py for privacy classes.
"""

PULL_REQUEST, LOGIN, REPOSITORY = "pull request", "login", "repository"
INSTANCE, RECORD, COMMIT, PATH, TEXT = "instance", "record id", "commit", "file path", "private text"

PRIVATE: dict[str, tuple[tuple[str, str], ...]] = {
    PULL_REQUEST: (
        ("audit_events", "target_key"),
        ("audit_events", "pull_request"),
        ("pull_requests", "pull_request"),
        ("pull_request_files", "pull_request"),
        ("review_audit", "target_id"),
        ("decision_records", "pull_request"),
        ("orb_pr_outcomes", "pull_request"),
    ),
    LOGIN: (
        ("audit_events", "actor"),
        ("pull_requests", "author_login"),
        ("decision_records", "reevaluation_actor"),
        ("orb_outcome_rollups", "account_login"),
        ("orb_github_installations", "account_login"),
    ),
    REPOSITORY: (
        ("audit_events", "repo"),
        ("pull_requests", "repo"),
        ("pull_requests", "repo_full_name"),
        ("pull_request_files", "repo"),
        ("pull_request_files", "repo_full_name"),
        ("review_audit", "project"),
        ("decision_records", "repo"),
        ("decision_records", "repo_full_name"),
        ("orb_pr_outcomes", "repo"),
        ("orb_pr_outcomes", "repository_full_name"),
    ),
    INSTANCE: (
        ("orb_instances", "instance_id"),
        ("orb_signals", "instance_id"),
        ("orb_signal_rollups", "instance_id"),
        ("orb_risk_control_arms", "instance_id"),
    ),
    RECORD: (
        ("audit_events", "id"),
        ("review_audit", "id"),
        ("decision_records", "id"),
        ("decision_records", "supersedes_record_id"),
        ("decision_ledger", "record_id"),
        ("decision_ledger_anchors", "backend_ref"),
    ),
    COMMIT: (("decision_records", "head_sha"),),
    PATH: (("pull_request_files", "path"),),
    TEXT: (
        ("audit_events", "detail"),
        ("audit_events", "verdict"),
        ("audit_events", "basis"),
        ("audit_events", "provenance"),
        ("audit_events", "mode"),
        ("audit_events", "comparison_rule"),
        ("audit_events", "comparison_verdict"),
    ),
}
"""Class -> the columns whose every text is one of it."""

JSON_TEXTS: tuple[tuple[str, str], ...] = (
    ("pull_requests", "linked_issues_json"),
    ("decision_records", "record_json"),
    ("orb_risk_control_arms", "payload_json"),
)
"""Columns of JSON whose every text, within its quotes, is a private text."""

WORDS: dict[tuple[str, str], str] = {
    ("audit_events", "event_type"): "a word of the gate's; a rule's name in it is public",
    ("audit_events", "outcome"): "a word of the gate's",
    ("audit_events", "signal_outcome"): "published as the outcome of a case",
    ("audit_events", "review_effort_minutes"): "a number, published as minutes",
    ("audit_events", "corpus_checksum"): "published as that of the latest backtest run",
    ("pull_requests", "state"): "open or closed",
    ("pull_requests", "author_association"): "one of GitHub's few words",
    ("review_audit", "event_type"): "a word of the gate's",
    ("review_audit", "decision"): "a word of the gate's",
    ("review_audit", "source"): "which part of the gate wrote the row",
    ("decision_records", "record_content"): "a digest, and the published one when nothing was altered",
    ("orb_signals", "gate_verdict"): "a word of the gate's",
    ("orb_signals", "outcome"): "merged or closed",
    ("orb_signals", "reversal_flag"): "a word of the gate's",
    ("orb_signals", "gate_reasoncode_bucket"): "a word of the gate's",
    ("orb_signal_rollups", "gate_verdict"): "a word of the gate's",
    ("orb_signal_rollups", "outcome"): "merged or closed",
    ("orb_signal_rollups", "reversal_flag"): "a word of the gate's",
    ("orb_signal_rollups", "gate_reasoncode_bucket"): "a word of the gate's",
    ("orb_pr_outcomes", "outcome"): "merged or closed",
}
"""Private columns that name nobody and nothing, and why."""

PUBLIC: tuple[tuple[str, str], ...] = (
    ("audit_events", "rule_id"),
    ("audit_events", "family"),
    ("audit_events", "signal_outcome"),
    ("audit_events", "corpus_checksum"),
    ("audit_events", "stored_at"),
    ("decision_records", "action"),
    ("decision_records", "reason_code"),
    ("decision_records", "reevaluation_reason"),
    ("decision_ledger", "created_at"),
    ("decision_ledger_anchors", "id"),
    ("decision_ledger_anchors", "backend"),
    ("decision_ledger_anchors", "status"),
    ("decision_ledger_anchors", "key_id"),
    ("decision_ledger_anchors", "payload_json"),
    ("decision_ledger_anchors", "signature"),
    ("orb_risk_control_arms", "arm"),
)
"""What the contract makes public: a text that says the same is no leak."""
