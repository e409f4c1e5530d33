"""Every window, floor, lookback, band and z in one place, each with its meaning and its source.

Belongs here: the numbers and names that a person may decide, their defaults, and the reading of `policy.toml`.
Does not: what a rule does with a number (metrics), or how a page words it (site). A number in a metric's body is
a mistake; it belongs here.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from evenhand.errors import UsageError
from evenhand.timeline import parse_instant

_CONTRACT = "Fairness methodology"


@dataclass(frozen=True, slots=True)
class PolicyField:
    """One policy value in force, for the methodology page: table, name, value, meaning, unit, source."""

    table: str
    name: str
    value: Any
    default: Any
    meaning: str
    unit: str
    source: str


def _value(default: Any, meaning: str, unit: str = "", source: str = "", least: int | None = None) -> Any:
    described = {
        "meaning": meaning,
        "unit": unit,
        "source": f"{_CONTRACT}, {source}" if source else "",
        "least": least,
    }
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), metadata=described)
    return field(default=default, metadata=described)


@dataclass(frozen=True)
class Repositories:
    """Which repositories may be named."""

    allow: tuple[str, ...] = _value(
        (), "Repositories that may be named in what is published", "owner/name", "section 1"
    )


@dataclass(frozen=True)
class Owners:
    """Logins treated as owner, by repository or organisation."""

    logins: Mapping[str, tuple[str, ...]] = _value({}, "Logins treated as owner", "login", "section 11")


@dataclass(frozen=True)
class Bots:
    """Logins whose closes and merges are automatic."""

    logins: tuple[str, ...] = _value((), "Logins whose closes and merges are auto-actions", "login", "section 11")
    every_bot: bool = _value(
        True, "Senders of type Bot count beside the named logins when only public events are known", "", "section 11"
    )


@dataclass(frozen=True)
class Site:
    """The words that stand on every page."""

    title: str = _value("Is the gate treating contributors fairly?", "Title of the report")
    source_label: str = _value("audit export", "What the source is called in everything that is published")
    licence: str = _value("CC-BY-4.0", "Licence of the published data")
    address: str = _value("", "Where the site is published, for the feed and the citation; empty: not told")


@dataclass(frozen=True)
class Windows:
    """How far each figure looks back from as-of; every window is half-open."""

    signals_days: int = _value(90, "Rule precision and published corpora", "days", "section 2", 1)
    accuracy_days: int = _value(90, "Decision accuracy of auto-actions", "days", "section 4", 1)
    volume_days: int = _value(7, "Pull requests reviewed and merged lately", "days", "section 4", 1)
    fleet_days: int = _value(90, "Fleet figures", "days", "section 6", 1)
    parity_days: int = _value(7, "Review parity and re-evaluations", "days", "section 7", 1)
    automation_days: int = _value(84, "Automation rate", "days", "section 7", 1)
    trend_weeks: int = _value(8, "Weekly trends, ending in the week that holds as-of", "weeks", "section 1", 1)


@dataclass(frozen=True)
class Floors:
    """Fewest cases that can bear a percentage; below, it is withheld with its n."""

    rule_precision: int = _value(10, "Decided verdicts for a rule's precision", "overrides", "section 2", 1)
    weekly_accuracy: int = _value(
        3, "Merged and closed, and auto-actions, for a week of accuracy", "pull requests", "section 5", 1
    )
    weekly_fleet: int = _value(5, "Verdicts for a week of fleet accuracy", "evaluations", "section 6", 1)
    weekly_calibration: int = _value(3, "Decided verdicts for a rule's week", "overrides", "section 9", 1)
    instance_signals: int = _value(5, "Signals that make a registered instance eligible", "signals", "section 6", 1)


@dataclass(frozen=True)
class Intervals:
    """How sure a proportion is."""

    z: float = _value(1.96, "Normal quantile of the 95 % Wilson interval", "", "section 1")


@dataclass(frozen=True)
class Rounding:
    """Decimals of what is published; always half away from zero on the exact rational."""

    percent_places: int = _value(1, "Percentages", "decimals", "section 1", 0)
    precision_places: int = _value(3, "Precision of a rule", "decimals", "section 1", 0)
    mean_places: int = _value(2, "Means", "decimals", "section 1", 0)


@dataclass(frozen=True)
class Signals:
    """What counts as a verdict of a person."""

    excluded_provenance: tuple[str, ...] = _value(
        ("slop_replay_backfill_v1",), "Provenance whose verdicts were copied and never count", "", "section 2"
    )
    implicit_basis: str = _value(
        "implicit_terminal_disposition",
        "Basis of a confirmation that nobody spoke: nobody undid it",
        "",
        "section 2",
    )
    score_gates: tuple[str, ...] = _value(
        ("slop_gate_score", "quality_gate_score"),
        "Rules that verdicts can only ever reverse",
        "rule",
        "section 11",
    )


@dataclass(frozen=True)
class Corpus:
    """The published corpus of a rule."""

    json_cases: int = _value(
        2000, "Most cases in the JSON corpus; the Parquet snapshot is complete", "cases", "section 3", 1
    )
    scoring_rule_version: str = _value("outcome-confirmed-precision-v1", "Version of the scoring rule", "", "section 3")
    subject_kind: str = _value("agent", "Kind of the scored subject", "", "section 3")
    subject_id: str = _value("orb-gate", "Name of the scored subject", "", "section 3")
    work_unit_kind: str = _value("outcome_confirmed_precision", "Kind of the scored work", "", "section 3")
    trust_tier: str = _value("reproducible", "Trust tier of a record", "", "section 3")


@dataclass(frozen=True)
class Outcomes:
    """What an automatic action and its minutes are."""

    auto_actions: tuple[str, ...] = _value(("close", "merge"), "Actions that can be reversed", "action", "section 4")
    completed: str = _value("completed", "Outcome of an action that took effect", "", "section 4")
    dry_run: str = _value("dry_run", "Mode of an action that took none", "", "section 4")
    minutes_per_review: int = _value(20, "Minutes of a review whose effort was not recorded", "minutes", "section 4", 0)


@dataclass(frozen=True)
class Confirmation:
    """How pull-request events confirm or reverse what the gate did."""

    owner_merge_hours: int = _value(
        6, "From an owner's reopening to the merge that makes it a reversal, inclusive", "hours", "section 11", 0
    )
    superseding_days: int = _value(
        30, "From the bot's close to the merge that supersedes it, inclusive", "days", "section 11", 0
    )
    file_overlap: float = _value(
        0.5, "Share of the closed one's files touched again by the same author", "share", "section 11"
    )
    firing_days: int = _value(30, "How far back a firing is confirmed or reversed, inclusive", "days", "section 11", 0)
    listed_rules: tuple[str, ...] = _value(
        (
            "missing_linked_issue",
            "linked_issue_superseded",
            "duplicate_pr_risk",
            "ai_consensus_defect",
            "ai_review_split",
            "review_thread_unresolved",
            "secret_leak",
            "pre_merge_check_required",
            "manifest_missing_tests",
            "manifest_linked_issue_required",
            "self_authored_linked_issue",
            "content_lane_deliverable_missing",
            "backtest_regression",
            "lockfile_tamper_risk",
            "cla_consent_missing",
            "slop_risk_above_threshold",
            "surface_lane_reject",
            "slop_gate_score",
            "quality_gate_score",
            "linked_issue_scope_mismatch",
        ),
        "Rules that events confirm or reverse",
        "rule",
        "section 11",
    )
    judgement_rules: tuple[str, ...] = _value(
        ("ai_consensus_defect", "ai_review_split"),
        "Rules of judgement, which an owner's close confirms explicitly",
        "rule",
        "section 11",
    )


@dataclass(frozen=True)
class Fleet:
    """When figures of several instances may be read together."""

    framing_instances: int = _value(
        3, "Eligible instances from which the basis is `fleet`", "instances", "section 6", 3
    )
    withheld_instances: int = _value(
        2,
        "Eligible instances at which counts and intervals are withheld: either would learn the other's",
        "instances",
        "section 6",
        2,
    )
    policy_bucket: str = _value(
        "policy_action", "Reason bucket that is counted apart and scored nowhere", "", "section 6"
    )
    outlier_difference: float = _value(0.25, "Distance from the median merge precision of an outlier", "", "section 6")
    gaming_instances: int = _value(3, "Eligible instances for the anti-gaming check", "instances", "section 6", 1)
    gaming_volume_factor: float = _value(2.0, "Times the median of decided signals", "", "section 6")
    gaming_precision_difference: float = _value(0.25, "Above the median merge precision", "", "section 6")
    gaming_reversal_share: float = _value(0.5, "Share of the median reversal rate", "", "section 6")
    gaming_reversal_ceiling: float = _value(0.02, "Reversal rate when the median is 0", "", "section 6")
    guarantee_alpha_ceiling: float = _value(0.05, "Largest alpha of a published guarantee", "", "section 6")
    cycle_days: int = _value(
        90,
        "Longest window whose cycle times are observable: live rows are kept that long",
        "days",
        "section 6",
        1,
    )


@dataclass(frozen=True)
class Ledger:
    """Verdicts of the gate."""

    provenance_horizon: str = _value(
        "2026-07-29T00:00:00.000Z", "From this week on the basis of automation is `full`", "", "section 7"
    )
    maintainer_request: str = _value(
        "maintainer_request", "Re-evaluation reason that makes a pull request manual", "", "section 7"
    )
    record_retention_days: int = _value(180, "Age from which a record may have been pruned", "days", "section 8", 1)
    publish_record_ids: bool = _value(
        False, "Whether ledger rows go out with the record's id, which names a pull request", "", "section 8"
    )
    chaining_minutes: int = _value(5, "Age from which a record must stand in the chain", "minutes", "section 8", 0)
    maintainer_associations: tuple[str, ...] = _value(
        ("OWNER", "MEMBER", "COLLABORATOR"), "Associations of the class maintainer", "", "section 7"
    )


@dataclass(frozen=True)
class Postgresql:
    """How a live PostgreSQL database is read."""

    schema: str = _value("", "Schema that holds the tables; empty: the search path of the connection", "schema")
    connect_seconds: int = _value(10, "How long a host may take to answer", "seconds", "", 1)
    statement_seconds: int = _value(
        600, "How long one statement may run, and wait for a lock: a table is read in several", "seconds", "", 1
    )


@dataclass(frozen=True)
class Lake:
    """How the lake is written."""

    memory_megabytes: int = _value(512, "Memory of the engine while it counts", "MB", "", 64)
    overlap_days: int = _value(3, "Days that a nightly extraction reads again", "days", "", 0)
    event_days: int = _value(90, "Age from which the lake drops events", "days", "", 1)
    record_days: int = _value(180, "Age from which the lake keeps of a record its digest alone", "days", "", 1)
    kept_families: tuple[str, ...] = _value(
        (
            "github_app.pr_public_surface_published",
            "calibration.threshold_backtest_run",
            "calibration.logic_backtest_run",
            "calibration.counterfactual_backtest_run",
        ),
        "Events that are never dropped, because figures of any age read them",
        "family",
    )
    fresh_hours: int = _value(
        48, "Age of the newest event at which the pipeline warns of a stale export", "hours", "", 1
    )


def _evidence(default: Any, meaning: str, unit: str = "", section: str = "", least: int | None = None) -> Any:
    """A field of the review evidence, whose rules stand on another page than the fairness figures."""
    made = _value(default, meaning, unit, "", least)
    source = f"What a review means, {section}" if section else ""
    return field(default=made.default, metadata={**made.metadata, "source": source})


@dataclass(frozen=True)
class Evidence:
    """What a review means: states, confidence, mechanisms, sections, plans. A decimal counts as it is written."""

    states: tuple[str, ...] = _evidence(
        ("proven", "suite_green", "unverified", "could_not_run", "refuted"),
        "Evidence states, strongest first; that unverified stands before could not run is a choice",
        "state",
        "section 2",
    )
    proven_multiplier: float = _evidence(2.0, "What a proof does to a confidence", "factor", "section 2")
    suite_green_multiplier: float = _evidence(1.0, "What a green suite does to a confidence", "factor", "section 2")
    unverified_multiplier: float = _evidence(0.8, "What no verdict does to a confidence", "factor", "section 2")
    could_not_run_multiplier: float = _evidence(
        0.8, "What a failed attempt does to a confidence", "factor", "section 2"
    )
    refuted_multiplier: float = _evidence(0.2, "What a refutation does to a confidence", "factor", "section 2")
    citation_lines: int = _evidence(2, "How far from its line a quote may stand, either way", "lines", "section 3", 0)
    unstated_confidence: float = _evidence(0.5, "Confidence of a copy that states none", "", "section 4")
    proven_floor: float = _evidence(0.9, "Least confidence of a proven copy", "", "section 4")
    contradiction_multiplier: float = _evidence(
        0.2, "What a verified contradiction does to a confidence, once", "factor", "section 4"
    )
    confidence_places: int = _evidence(2, "Decimals of a confidence, before it is compared", "decimals", "section 4", 0)
    decided_outcomes: tuple[str, ...] = _evidence(
        ("proven", "settled", "unsettled", "rejected", "merged", "closed"),
        "Outcomes of a seat that count as decided: a choice",
        "outcome",
        "section 4",
    )
    merged_weight: int = _evidence(2, "How many records a merged fix counts for in a score", "records", "section 4", 0)
    prior_successes: int = _evidence(1, "Successes that every seat starts with", "records", "section 4", 0)
    prior_records: int = _evidence(2, "Records that every seat starts with", "records", "section 4", 1)
    seat_counts_records: int = _evidence(
        5, "Decided records from which a score weighs on confidence", "records", "section 4", 0
    )
    seat_ahead_records: int = _evidence(
        3, "Decided records from which a seat may move ahead of the router's pick", "records", "section 4", 0
    )
    seat_ahead_margin: float = _evidence(0.15, "How far above the pick's score it must be", "", "section 4")
    score_places: int = _evidence(4, "Decimals of a seat score", "decimals", "section 9", 0)
    range_characters: int = _evidence(
        12, "Least length of a replaced line that shows the same range", "characters", "section 5", 0
    )
    cause_words: int = _evidence(
        6, "Distinct words that a copy must exceed to show a root cause", "words", "section 5", 0
    )
    symbol_measure: str = _evidence(
        "overlap_coefficient",
        "What shared symbols are a share of: the smaller set (overlap_coefficient, a choice) or both (jaccard)",
        "measure",
        "section 5",
    )
    symbol_overlap: float = _evidence(0.6, "Share of named symbols that shows one root cause", "share", "section 5")
    word_overlap: float = _evidence(0.5, "Jaccard index of words that shows one root cause", "share", "section 5")
    compact_entries: int = _evidence(15, "Most entries of the compact list", "entries", "section 6", 0)
    product: str = _evidence("Parallax", "Who speaks in an inline comment", "", "section 6")
    branch_prefix: str = _evidence("parallax", "First part of the name of a fix branch", "", "section 8")


REVIEW_TABLES = frozenset({"evidence", "reviews"})
"""Tables that only reviews make use of: a report without reviews does not mention them."""


@dataclass(frozen=True)
class Reviews:
    """Figures over many reviews: which of them count, and how few bear a share. Each is a choice."""

    window_days: int = _evidence(
        90, "Reviews by the instant at which they ended, or began where no end is known: a choice", "days", "", 1
    )
    mechanism_floor: int = _evidence(
        10, "Mechanisms for shares of evidence and severity: a choice", "mechanisms", "", 1
    )
    suggestion_floor: int = _evidence(
        10,
        "First-pass suggestions that a deep pass met, for the shares of how they fared: a choice",
        "suggestions",
        "",
        1,
    )
    fix_floor: int = _evidence(10, "Merged and closed fixes for the share that was merged: a choice", "fixes", "", 1)
    bin_floor: int = _evidence(10, "Decided cases for a point of the reliability curve: a choice", "cases", "", 1)
    review_floor: int = _evidence(10, "Reviews for shares of complete, partial and not run: a choice", "reviews", "", 1)
    reliability_bins: int = _evidence(10, "Equal parts of 0 to 1 in the reliability curve: a choice", "bins", "", 1)


def _backtest(default: Any, meaning: str, unit: str = "", section: str = "section 10", least: int | None = None) -> Any:
    """A field of the backtests, whose rules stand on the page *Backtest & calibration*."""
    made = _value(default, meaning, unit, "", least)
    source = f"Backtest & calibration, {section}" if section else ""
    return field(default=made.default, metadata={**made.metadata, "source": source})


@dataclass(frozen=True)
class Backtest:
    """How a rule change is tested on history, and how sure a result must be."""

    held_out_fraction: float = _backtest(0.25, "Share of cases that a recommendation is checked on", "share")
    held_out_seed: str = _backtest(
        "evenhand-held-out-v1", "Seed of the split of a rule that no known threshold names", "", ""
    )
    sweep_days: int = _backtest(30, "The recent corpus of a sweep", "days", "section 10", 1)
    tightening_sacrifice: float = _backtest(0.05, "Most precision that a tightening may give up", "share")
    known: tuple[str, ...] = _backtest(
        ("satisfaction_floor", "ai_review_close_confidence", "slop_gate_score"),
        "Known thresholds; each has a table of its own",
    )
    context_rules_withheld: tuple[str, ...] = _backtest(
        ("secret_leak",), "Rules whose context never leaves the export and is never replayed", "rule"
    )
    context_fields: tuple[str, ...] = _backtest(
        ("issueText", "issueBody", "modelResponseText", "modelResponse", "diff", "patch", "body", "prBody"),
        "Metadata that is captured context; letter case, `_` and `-` aside",
        "",
    )
    replayed_fields: tuple[str, ...] = _backtest(
        ("issueText", "modelResponseText"), "Context that a logic backtest replays; both must be non-blank"
    )
    unaddressed: str = _backtest("unaddressed", "Status of a detection that predicts confirmed")
    metadata_depth: int = _backtest(
        100, "Nesting of a metadata member from which a case leaves it out", "levels", "", 1
    )
    reliability_bins: int = _backtest(10, "Bins of claimed confidence", "bins", "", 1)
    reliability_floor: int = _backtest(5, "Cases for a bin's empirical precision", "cases", "", 1)
    target_precision: float = _backtest(0.9, "Precision that the loosest threshold must meet", "share", "")
    alpha: float = _backtest(0.05, "Largest share of wrong actions that a guarantee allows", "share", "")
    delta: float = _backtest(0.05, "Chance that a guarantee is wrong, over all its candidates", "share", "")
    guarantee_candidates: tuple[str, ...] = _backtest(
        ("0.5", "0.6", "0.7", "0.8", "0.85", "0.9", "0.93", "0.95", "0.97", "0.99"),
        "Thresholds that a guarantee is sought at, ascending; each costs a share of delta",
        "",
        "",
    )
    close_arm: tuple[str, ...] = _backtest(
        ("ai_consensus_defect", "ai_review_split"), "Rules whose firings close: the close arm's cases", "rule", ""
    )
    merge_arm: tuple[str, ...] = _backtest((), "Rules whose firings merge: the merge arm's cases", "rule", "")
    logic_seconds: int = _backtest(60, "Longest replay of one version of a detection", "seconds", "", 1)
    logic_cpu_seconds: int = _backtest(60, "Most processor time of a replay", "seconds", "", 1)
    logic_megabytes: int = _backtest(1024, "Most memory of one process of a replay", "MB", "", 64)
    logic_file_megabytes: int = _backtest(16, "Largest file that a replay may write", "MB", "", 0)
    logic_output_megabytes: int = _backtest(16, "Most that a replay may answer", "MB", "", 1)
    logic_folder_megabytes: int = _backtest(256, "Largest folder that is copied for a replay", "MB", "", 1)
    logic_processes: int = _backtest(16, "Most processes of a replay", "processes", "", 1)


@dataclass(frozen=True)
class Knob:
    """One known threshold: what it is called, what was shipped, and how far it may move. Numbers are decimal texts."""

    constant: str = _backtest("", "Name in the gate's source")
    rule: str = _backtest("", "Rule that it decides")
    diff_rules: tuple[str, ...] = _backtest((), "Rules that a change of it is tested on")
    shipped: str = _backtest("0.5", "Value that was shipped")
    scale: int = _backtest(1, "What the value in the source is divided by", "", "section 10", 1)
    loosening: tuple[str, ...] = _backtest((), "Looser candidates, smallest step first")
    loosening_bound: str = _backtest("0.5", "Never looser than this")
    tightening: tuple[str, ...] = _backtest((), "Tighter candidates, smallest step first")
    tightening_bound: str = _backtest("0.5", "Never tighter than this")
    visible_cases: int = _backtest(20, "Least visible cases of a recommendation", "cases", "section 10", 1)
    held_out_cases: int = _backtest(5, "Least held-out cases of a recommendation", "cases", "section 10", 1)
    split_seed: str = _backtest("", "Seed of its split")


def _satisfaction_floor() -> Knob:
    return Knob(
        constant="LINKED_ISSUE_SATISFACTION_CONFIDENCE_FLOOR",
        rule="linked_issue_scope_mismatch",
        diff_rules=("linked_issue_scope_mismatch",),
        shipped="0.5",
        loosening=("0.45", "0.4", "0.35", "0.3"),
        loosening_bound="0.3",
        visible_cases=20,
        held_out_cases=5,
        split_seed="satisfaction-floor-loosening-v1",
    )


def _ai_review_close_confidence() -> Knob:
    return Knob(
        constant="DEFAULT_AI_REVIEW_CLOSE_CONFIDENCE",
        rule="ai_consensus_defect",
        diff_rules=("ai_consensus_defect", "ai_review_split"),
        shipped="0.93",
        loosening=("0.9", "0.85"),
        loosening_bound="0.85",
        tightening=("0.95", "0.97"),
        tightening_bound="0.97",
        visible_cases=50,
        held_out_cases=12,
        split_seed="ai-close-confidence-loosening-v1",
    )


def _slop_gate_score() -> Knob:
    return Knob(
        constant="DEFAULT_SLOP_BLOCK_THRESHOLD",
        rule="slop_gate_score",
        diff_rules=("slop_gate_score",),
        shipped="0.6",
        scale=100,
        loosening=("0.65", "0.7"),
        loosening_bound="0.7",
        tightening_bound="0.6",
        visible_cases=50,
        held_out_cases=12,
        split_seed="slop-gate-loosening-v1",
    )


@dataclass(frozen=True)
class Disclosure:
    """What is withheld beyond the contract, and how the attacker is armed."""

    withhold: tuple[str, ...] = _value(
        (),
        "Percentages of the fleet withheld further while two instances are eligible, as the attacker names them; "
        "* stands for any text",
        "figure",
        "section 6",
    )
    attack_verdicts: int = _value(
        1, "Most verdicts that the attacker supposes to come or go between two builds", "verdicts", "section 1", 0
    )


@dataclass(frozen=True)
class Policy:
    """Every policy value in force, by table."""

    repositories: Repositories = field(default_factory=Repositories)
    owners: Owners = field(default_factory=Owners)
    bots: Bots = field(default_factory=Bots)
    site: Site = field(default_factory=Site)
    windows: Windows = field(default_factory=Windows)
    floors: Floors = field(default_factory=Floors)
    intervals: Intervals = field(default_factory=Intervals)
    rounding: Rounding = field(default_factory=Rounding)
    signals: Signals = field(default_factory=Signals)
    corpus: Corpus = field(default_factory=Corpus)
    outcomes: Outcomes = field(default_factory=Outcomes)
    confirmation: Confirmation = field(default_factory=Confirmation)
    fleet: Fleet = field(default_factory=Fleet)
    ledger: Ledger = field(default_factory=Ledger)
    evidence: Evidence = field(default_factory=Evidence)
    reviews: Reviews = field(default_factory=Reviews)
    backtest: Backtest = field(default_factory=Backtest)
    satisfaction_floor: Knob = field(default_factory=_satisfaction_floor)
    ai_review_close_confidence: Knob = field(default_factory=_ai_review_close_confidence)
    slop_gate_score: Knob = field(default_factory=_slop_gate_score)
    disclosure: Disclosure = field(default_factory=Disclosure)
    postgresql: Postgresql = field(default_factory=Postgresql)
    lake: Lake = field(default_factory=Lake)

    def described(self) -> Iterator[PolicyField]:
        """Every value in force with its default, meaning, unit and source, in declared order."""
        standard = Policy()
        for table in fields(self):
            section = getattr(self, table.name)
            for entry in fields(section):
                yield PolicyField(
                    table.name,
                    entry.name,
                    getattr(section, entry.name),
                    getattr(getattr(standard, table.name), entry.name),
                    entry.metadata["meaning"],
                    entry.metadata["unit"],
                    entry.metadata["source"],
                )

    def allowing(self, repositories: list[str]) -> "Policy":
        """The same policy with another allowlist."""
        return replace(self, repositories=Repositories(normalised_repositories(repositories)))


def ascii_lower(text: str) -> str:
    """ASCII letters lower-cased, every other character as it is (contract section 1, "Repositories")."""
    return text.translate(_ASCII_LOWER)


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def normalised_repositories(repositories: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """An allowlist trimmed, lower-cased and de-duplicated, in the order given; blanks are left out."""
    trimmed = (ascii_lower(name.strip()) for name in repositories)
    return tuple(dict.fromkeys(name for name in trimmed if name))


def load_policy(path: Path | None) -> Policy:
    """The policy of a `policy.toml`, or the defaults without one.

    Raises UsageError for a file that cannot be read, an unknown table or field (naming the nearest known
    one), and a value of the wrong type or below what makes sense.
    """
    if path is None:
        return Policy()
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"the policy file {path.name!r} cannot be read: {error.strerror}; name one with --policy"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the policy file {path.name!r} is not TOML: {error}") from error
    return policy_from(text, path.name)


def policy_from(document: Mapping[str, Any], where: str = "policy") -> Policy:
    """The policy of a parsed TOML document; see `load_policy`."""
    known = {table.name: table for table in fields(Policy)}
    sections: dict[str, Any] = {}
    for name, content in document.items():
        if name not in known:
            raise UsageError(f"{where} has a table [{name}] that does not exist{_nearest(name, known)}")
        if not isinstance(content, Mapping):
            raise UsageError(f"{where}: {name} must be a table, written [{name}]")
        sections[name] = _section(known[name].default_factory(), name, content, where)  # type: ignore[operator]
    policy = Policy(**sections)
    _check_together(policy, where)
    return policy.allowing(list(policy.repositories.allow))


_Z_RANGE = (1.0, 4.0)
_MOST_PLACES = 6


def _check_together(policy: Policy, where: str) -> None:
    """What a field alone cannot say: an interval that is none, decimals that no one reads, an instant that is none."""
    if not _Z_RANGE[0] <= policy.intervals.z <= _Z_RANGE[1]:
        raise UsageError(f"{where}: [intervals] z must be from 1 to 4, not {policy.intervals.z!r}")
    for entry in fields(policy.rounding):
        if getattr(policy.rounding, entry.name) > _MOST_PLACES:
            raise UsageError(f"{where}: [rounding] {entry.name} must be at most {_MOST_PLACES}")
    if parse_instant(policy.ledger.provenance_horizon) is None:
        raise UsageError(f"{where}: [ledger] provenance_horizon must be an instant, as 2026-07-29T00:00:00.000Z")
    for name in normalised_repositories(policy.repositories.allow):
        check_repository(name, f"{where}: [repositories] allow")
    longest = max(policy.windows.signals_days, policy.windows.accuracy_days, 7 * policy.windows.trend_weeks)
    if policy.lake.event_days < longest:
        raise UsageError(f"{where}: [lake] event_days must be at least {longest}, the longest window that reads events")
    _check_backtest(policy, where)


_DECIMAL = re.compile(r"[0-9]{1,6}(\.[0-9]{1,15})?")


def _check_backtest(policy: Policy, where: str) -> None:
    """Decimals that are none, shares beyond 1, candidates out of order or past their own bound."""
    for name in ("held_out_fraction", "tightening_sacrifice", "target_precision", "alpha", "delta"):
        if not 0 <= getattr(policy.backtest, name) <= 1:
            raise UsageError(f"{where}: [backtest] {name} must be at most 1, not {getattr(policy.backtest, name)!r}")
    if not 0 < policy.backtest.alpha < 1 or not 0 < policy.backtest.delta < 1:
        raise UsageError(f"{where}: [backtest] alpha and delta must lie between 0 and 1, both excluded")
    candidates = _decimals(policy.backtest.guarantee_candidates, f"{where}: [backtest] guarantee_candidates")
    if list(candidates) != sorted(set(candidates)):
        raise UsageError(f"{where}: [backtest] guarantee_candidates must ascend")
    for name in policy.backtest.known:
        if not isinstance(getattr(policy, name, None), Knob):
            raise UsageError(f"{where}: [backtest] known names {name!r}, which is no known threshold")
    for entry in fields(policy):
        knob = getattr(policy, entry.name)
        if isinstance(knob, Knob):
            _check_knob(knob, f"{where}: [{entry.name}]")


def _check_knob(knob: Knob, label: str) -> None:
    (shipped,) = _decimals((knob.shipped,), f"{label} shipped")
    for name in ("loosening", "tightening"):
        (bound,) = _decimals((getattr(knob, f"{name}_bound"),), f"{label} {name}_bound")
        steps = _decimals(getattr(knob, name), f"{label} {name}")
        away = [abs(step - shipped) for step in steps]
        same_side = len({step > shipped for step in steps}) <= 1
        if shipped in steps or away != sorted(set(away)) or not same_side:
            raise UsageError(f"{label} {name} must lead away from {knob.shipped}, smallest step first")
        if any(abs(step - shipped) > abs(bound - shipped) for step in steps):
            raise UsageError(f"{label} {name} goes past its bound {getattr(knob, f'{name}_bound')}")


def _decimals(texts: tuple[str, ...], label: str) -> tuple[Fraction, ...]:
    for text in texts:
        if not _DECIMAL.fullmatch(text):
            raise UsageError(f'{label} must hold decimal numbers as texts, such as "0.45", not {text!r}')
    return tuple(map(Fraction, texts))


def _section(standard: Any, name: str, content: Mapping[str, Any], where: str) -> Any:
    if isinstance(standard, Owners):
        logins = {
            ascii_lower(key.strip()): _checked((), value, f"[{name}] {key}", where, None)
            for key, value in content.items()
        }
        return Owners(logins)
    known = {entry.name: entry for entry in fields(standard)}
    values = {}
    for key, value in content.items():
        if key not in known:
            raise UsageError(f"{where} has a field {key!r} in [{name}] that does not exist{_nearest(key, known)}")
        values[key] = _checked(getattr(standard, key), value, f"[{name}] {key}", where, known[key].metadata["least"])
    return replace(standard, **values)


def _checked(default: Any, value: Any, label: str, where: str, least: int | None) -> Any:
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"{where}: {label} must be a list of texts, not {value!r}")
        return tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise UsageError(f"{where}: {label} must be {_TYPE_NAMES[type(default)]}, not {value!r}")
    if isinstance(value, float) and not 0 <= value < float("inf"):
        raise UsageError(f"{where}: {label} must be a finite number of at least 0, not {value!r}")
    if least is not None and value < least:
        raise UsageError(f"{where}: {label} must be at least {least}, not {value!r}")
    if isinstance(value, int | float) and not isinstance(value, bool) and value > _MOST:
        raise UsageError(f"{where}: {label} must be at most {_MOST}, not {value!r}")
    return value


_MOST = 36_500
"""No window, floor or size is larger: a hundred years in days."""


def check_repository(name: str, where: str) -> None:
    """UsageError when a name on the allowlist is no owner/name."""
    if not re.fullmatch(r"[^/#\s]+/[^/#\s]+", name):
        raise UsageError(f"{where}: {name!r} is no repository: write it as owner/name")


_TYPE_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    return f"; the nearest known one is {close[0]!r}" if close else f"; known are {', '.join(sorted(known))}"


def exact(value: float) -> Fraction:
    """A policy number as the exact decimal that was written: 0.1 is 1/10, not its double."""
    return Fraction(repr(value))
