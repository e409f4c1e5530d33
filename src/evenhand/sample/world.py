"""The invented world of the sample: repositories, rules, people, classes of author, fleet instances.

Only names and tendencies stand here, as data. How they turn into rows belongs to the other modules.
"""

from __future__ import annotations

from typing import NamedTuple


class Repository(NamedTuple):
    """A repository of the gate's own deployment."""

    name: str
    weight: float
    first_number: int
    allowlisted: bool = True
    advisory: bool = False  # the gate comments, but never closes or merges
    also_spelled: str | None = None  # GitHub keeps the owner's spelling, people type another


class Rule(NamedTuple):
    """A rule, how often it fires, and how often people let its firing stand."""

    rule_id: str
    weight: float
    precision: float
    drift: float = 0.0  # how much better it became over the sample
    kind: str = "plain"  # plain, ai (a model's judgement), score (a gate on a score)
    blocking: bool = True
    context: bool = False  # firings may carry what the model read and answered


class Instance(NamedTuple):
    """A deployment that reports to the fleet, with the quality of its gate."""

    instance_id: str
    registered: bool
    share: float
    merge_precision: float
    close_precision: float
    reversal_rate: float


REPOSITORIES = (
    Repository("acme/widgets", 0.30, 1804, also_spelled="Acme/Widgets"),
    Repository("acme/gadgets", 0.23, 911),
    Repository("acme/docs-site", 0.09, 402, advisory=True),
    Repository("northwind/ledger-core", 0.22, 2650),
    Repository("northwind/infra-private", 0.11, 77, allowlisted=False),
    Repository("sidecar-labs/playground", 0.05, 12, allowlisted=False),
)
PAUSED_REPOSITORY = 1
OWNERS = {"acme": "ada-acme", "northwind": "nils-northwind", "sidecar-labs": "sidecar-labs"}
GATE_BOT = "evergate[bot]"
STALE_BOT = "stale[bot]"
GATE_ACTOR = "loopover"
HUMAN_ACTOR = "human"

# The floor keeps most rules readable even in a small sample; the head is what makes the tail long.
_BASE = 1.55


def _weight(rank: int) -> float:
    return _BASE + 14.0 / (rank + 1.5)


RULES = (
    Rule("missing_linked_issue", _weight(0), 0.91, blocking=True),
    Rule("ai_consensus_defect", _weight(1), 0.78, 0.08, "ai", True, True),
    Rule("manifest_missing_tests", _weight(2), 0.84),
    Rule("linked_issue_scope_mismatch", _weight(3), 0.66, 0.05, "ai", True, True),
    Rule("review_thread_unresolved", _weight(4), 0.95),
    Rule("ai_review_split", _weight(5), 0.59, 0.0, "ai", False, True),
    Rule("duplicate_pr_risk", _weight(6), 0.72, -0.06, blocking=False),
    Rule("slop_risk_above_threshold", _weight(7), 0.69, 0.0, "ai", True),
    Rule("pre_merge_check_required", _weight(8), 0.97),
    Rule("slop_gate_score", _weight(9), 0.0, 0.0, "score"),
    Rule("content_lane_deliverable_missing", _weight(10), 0.81, 0.0, "ai", True, True),
    Rule("self_authored_linked_issue", _weight(11), 0.62, blocking=False),
    Rule("manifest_linked_issue_required", _weight(12), 0.88),
    Rule("lockfile_tamper_risk", _weight(13), 0.93),
    Rule("linked_issue_superseded", _weight(14), 0.74, blocking=False),
    Rule("secret_leak", _weight(15), 0.86, context=True),
    Rule("cla_consent_missing", _weight(16), 0.99),
    Rule("quality_gate_score", _weight(17), 0.0, 0.0, "score", False),
    Rule("surface_lane_reject", _weight(18), 0.77),
    Rule("backtest_regression", _weight(19), 0.83),
    Rule("api_surface_unannounced", _weight(20), 0.71, 0.1, blocking=False),
    Rule("changelog_entry_missing", _weight(21), 0.9, blocking=False),
    Rule("ci_config_weakened", _weight(22), 0.87),
    Rule("commit_signature_missing", _weight(23), 0.98),
    Rule("coverage_drop_unexplained", _weight(24), 0.64, -0.08),
    Rule("dependency_pin_loosened", _weight(25), 0.79),
    Rule("docs_only_claim_mismatch", _weight(26), 0.68, 0.0, "ai", False),
    Rule("force_push_after_approval", _weight(27), 0.94),
    Rule("generated_file_edited", _weight(28), 0.92),
    Rule("merge_conflict_stale", _weight(29), 1.0),
    Rule("migration_without_rollback", _weight(30), 0.82),
    Rule("oversized_diff_unsplit", _weight(31), 0.55, blocking=False),
    Rule("public_type_narrowed", _weight(32), 0.76),
    Rule("test_assertion_removed", _weight(33), 0.85),
    Rule("todo_left_in_hot_path", _weight(34), 0.48, blocking=False),
)


class RareRule(NamedTuple):
    """A rule with a fixed handful of overrides at any scale, so that a floor always has something to hold back."""

    rule_id: str
    confirmed: int
    reversed: int
    unrecognized: int


RARE_RULES = (
    RareRule("codeowners_bypass", 8, 1, 0),
    RareRule("gitmodules_retarget", 2, 1, 0),
    RareRule("license_header_drift", 5, 2, 1),
    RareRule("vendored_binary_added", 4, 0, 0),
    RareRule("docs_link_rot", 0, 0, 7),  # every verdict is a word nobody agreed on
)


class Association(NamedTuple):
    """What GitHub says of an author, and how the gate tends to treat such a pull request."""

    text: str | None
    weight: float
    clean: float  # share of pull requests that no rule fires on
    close: float  # share of the others that the gate closes


ASSOCIATIONS = (
    Association("OWNER", 4, 0.52, 0.40),
    Association("MEMBER", 15, 0.48, 0.43),
    Association("COLLABORATOR", 8, 0.45, 0.45),
    Association("CONTRIBUTOR", 39, 0.36, 0.54),
    Association("FIRST_TIME_CONTRIBUTOR", 16, 0.28, 0.60),
    Association("NONE", 10, 0.26, 0.60),
    Association("FIRST_TIMER", 2, 0.25, 0.60),
    Association(None, 4, 0.30, 0.57),
    Association("", 1, 0.30, 0.57),
    Association(" Member ", 0.6, 0.48, 0.43),
    Association("  ", 0.4, 0.30, 0.57),
)

MAINTAINERS = ("ada-acme", "nils-northwind", "priya-k", "tomas-r", "wei-lin", "maintain-er")
CONTRIBUTORS = tuple(
    f"{name}{suffix}"
    for suffix in ("", "-dev", "42", "_codes")
    for name in (
        "amara", "bjorn", "chiara", "dmitri", "elif", "fatou", "giulia", "hiro", "ines", "jonas", "keiko", "lucia",
        "marek", "nadia", "oskar", "pilar", "quentin", "rosa", "sanjay", "tove", "umar", "vera", "wanda", "yusuf",
    )
)  # fmt: skip

# The medians of three honest instances must lie low enough for a flattering fourth to stand 0.25 above them
INSTANCES = (
    Instance("3f0c9a1e5b7d2468", True, 0.17, 0.58, 0.86, 0.070),
    Instance("8b1d4e7ac0f35962", True, 0.15, 0.62, 0.90, 0.060),
    Instance("c47e02d9916bfa35", True, 0.13, 0.56, 0.83, 0.085),
    Instance("e90a6bd2f1c83754", True, 0.45, 0.995, 0.97, 0.004),  # the one that games the figures
    Instance("f2266aa0d3e94b18", False, 0.10, 0.80, 0.88, 0.050),
)

FLEET_REPOSITORIES = ("globex/router", "globex/console", "initech/forms", "umbrella-oss/parser", "hooli/sync")
FILES = (
    "src/core/parser.ts", "src/core/queue.ts", "src/api/routes.ts", "src/api/auth.ts", "src/ui/table.tsx",
    "src/ui/dialog.tsx", "lib/retry.py", "lib/store.py", "cmd/serve/main.go", "internal/cache/lru.go",
    "docs/guide.md", "docs/changelog.md", "package-lock.json", "pyproject.toml", ".github/workflows/ci.yml",
    "tests/test_store.py", "tests/queue.test.ts",
)  # fmt: skip
