"""The figures a second time: plain loops over plain rows, written from the fairness contract and from nothing else.

No code of `evenhand` is used, and nothing is clever: each function is one paragraph of the contract, with its section.
The rows are dictionaries of what an export stores; every table is there, perhaps empty. `figures` returns the same
parts as a golden `expected.json`, and the quarantine.
"""

import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from support.ecmascript import canonical_text

Row = dict[str, Any]
PullRequest = tuple[str, int]

Z = 1.96
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = Fraction(86_400)
WEEK = 7 * DAY
EXCLUDED = "slop_replay_backfill_v1"
REVERSALS = ("reopened", "reverted", "superseded")
BACKTESTS = ("calibration.threshold_backtest_run", "calibration.logic_backtest_run")
COUNTERFACTUAL = "calibration.counterfactual_backtest_run"
PUBLISHED = "github_app.pr_public_surface_published"
LISTED = (
    *(f"reversal_{kind}" for kind in REVERSALS),
    "owner_reopen_pending_reversal",
    "pr_outcome",
    PUBLISHED,
    *BACKTESTS,
    COUNTERFACTUAL,
)
HORIZON = "2026-07-29"

# --- section 1 ------------------------------------------------------------------------------------------------


def instant(text: Any) -> Fraction | None:
    """Seconds since 1970 UTC, exactly; None for what is no instant."""
    if not isinstance(text, str):
        return None
    clock = r"(\d\d):(\d\d):(\d\d)(\.\d+)?"
    offset = r"(Z|[+-]\d\d(?::?\d\d)?)?"
    date = r"(\d{4})-(\d\d)-(\d\d)"
    forms = (
        rf"{date}()()()()()",
        rf"{date}T{clock}{offset}",
        rf"{date}T(\d\d):(\d\d)()(){offset}",
        rf"{date} {clock}{offset}",
    )
    for form in forms:
        found = re.fullmatch(form, text, re.ASCII)
        if found is None:
            continue
        year, month, day, hour, minute, second, fraction, zone = found.groups()
        try:
            base = datetime(
                int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
            )
        except ValueError:
            return None
        moment = Fraction(round((base - EPOCH).total_seconds())) + Fraction("0" + fraction if fraction else 0)
        if zone and zone != "Z":
            hours, minutes = int(zone[1:3]), int(zone[3:].replace(":", "") or 0)
            if hours > 23 or minutes > 59:
                return None
            shift = hours * 3600 + minutes * 60
            moment -= shift if zone[0] == "+" else -shift
        return moment
    return None


def stamp(moment: Fraction) -> str:
    """YYYY-MM-DDTHH:MM:SS.mmmZ."""
    milliseconds = moment * 1000 // 1
    when = EPOCH + timedelta(milliseconds=int(milliseconds))
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def day_of(moment: Fraction) -> str:
    """The UTC day of an instant."""
    return stamp(moment)[:10]


def monday_of(moment: Fraction) -> str:
    """The Monday of the UTC week of an instant."""
    when = EPOCH + timedelta(days=int(moment // DAY))
    return (when - timedelta(days=when.weekday())).strftime("%Y-%m-%d")


def trend_weeks(as_of: Fraction, weeks: int = 8) -> list[str]:
    """The weeks ending in the one that holds as_of."""
    return [monday_of(as_of - back * WEEK) for back in reversed(range(weeks))]


def lower(repository: str) -> str:
    """ASCII letters lower-cased."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in repository)


def pull_request(target_key: str | None) -> PullRequest | None:
    """The pull request that a target key names, if any."""
    if target_key is None or target_key.count("#") != 1:
        return None
    repository, number = target_key.split("#")
    if not repository or not re.fullmatch(r"[0-9]+", number):
        return None
    return lower(repository), int(number)


@dataclass(frozen=True)
class Number:
    """A JSON number by its text."""

    text: str

    @property
    def finite(self) -> bool:
        return math.isfinite(float(self.text))

    @property
    def exact(self) -> Fraction:
        return Fraction(Decimal(self.text))


class _Malformed(Exception):
    pass


def metadata(text: Any) -> dict[str, Any] | None:
    """The members of strict metadata, the first of duplicates; None when malformed. Numbers keep their text."""
    if not isinstance(text, str):
        return None

    def first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.setdefault(key, value)
            if has_surrogate(key) or has_surrogate(value):
                raise _Malformed
        return members

    def no_constant(_: str) -> Any:
        raise _Malformed

    try:
        value = json.loads(
            text, object_pairs_hook=first, parse_constant=no_constant, parse_int=Number, parse_float=Number
        )
    except (ValueError, _Malformed):
        return None
    return value if isinstance(value, dict) else None


def has_surrogate(value: Any) -> bool:
    """Whether a decoded string, or one inside a list, holds half of a pair."""
    if isinstance(value, list):
        return any(has_surrogate(item) for item in value)
    return isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value)


def as_text(value: Any) -> str | None:
    """A member when it is a text."""
    return value if isinstance(value, str) else None


def as_number(value: Any) -> Number | None:
    """A member when it is a finite number."""
    return value if isinstance(value, Number) and value.finite else None


def half_away(value: Fraction, places: int) -> int | float:
    """Rounded half away from zero on the exact rational."""
    size = abs(value) * 10**places
    whole = math.floor(size) + (1 if size - math.floor(size) >= Fraction(1, 2) else 0)
    result = Fraction(whole if value >= 0 else -whole, 10**places)
    return int(result) if result.denominator == 1 else float(result)


def share(part: int, of: int, places: int = 1, factor: int = 100) -> int | float | None:
    """A percentage (or a ratio with factor 1); null of nothing."""
    return half_away(Fraction(factor * part, of), places) if of else None


def ratio(part: int, of: int) -> float | None:
    """Unrounded."""
    return part / of if of else None


def wilson_percent(part: int, of: int) -> dict[str, Any] | None:
    """The Wilson interval in percent, z = 1.96, clamped; none when n = 0."""
    if of == 0:
        return None
    p, z2 = part / of, Z * Z
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    reach = Z * math.sqrt(p * (1 - p) / of + z2 / (4 * of**2)) / (1 + z2 / of)
    low = 0.0 if part == 0 else max(0.0, middle - reach)
    high = 1.0 if part == of else min(1.0, middle + reach)
    return {"lo": half_away(Fraction(low) * 100, 1), "hi": half_away(Fraction(high) * 100, 1)}


def sha256(text: str) -> str:
    """Lower-case hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def integer(value: Any) -> int | None:
    """A whole number as a column stores it: an integer, its digits, or a real without a fraction."""
    text = str(value)
    if isinstance(value, bool | bytes) or not re.fullmatch(r"-?[0-9]+(\.0+)?", text):
        return None
    number = int(text.split(".")[0])
    return number if -(2**63) <= number < 2**63 else None


# --- the export -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """A row of audit_events that has a time."""

    id: str
    type: str
    key: str | None
    outcome: str | None
    at: Fraction
    stored_at: str
    members: dict[str, Any]

    @property
    def pull_request(self) -> PullRequest | None:
        return pull_request(self.key)

    def rule(self, kind: str) -> str | None:
        """The rule of `signal.KIND:RULE`."""
        prefix = f"signal.{kind}:"
        return self.type[len(prefix) :] if self.type.startswith(prefix) else None

    def text(self, name: str) -> str | None:
        return as_text(self.members.get(name))


@dataclass(frozen=True)
class Record:
    """A row of decision_records that has a time and a number."""

    pull_request: PullRequest
    action: str | None
    at: Fraction
    reason: str | None
    actor: str | None
    findings: int | None


@dataclass(frozen=True)
class Signal:
    """A fleet signal, or some of them rolled up."""

    instance: str
    verdict: str | None
    outcome: str | None
    flag: str
    bucket: str | None
    n: int
    received: Fraction | None
    day: str
    trend_at: Fraction | None
    trend_day: str | None
    milliseconds: int | None

    @property
    def live(self) -> bool:
        return self.received is not None

    @property
    def scored(self) -> str:
        """policy, merge, close or hold."""
        if self.bucket == "policy_action":
            return "policy"
        return self.verdict if self.verdict in ("merge", "close") else "hold"

    @property
    def confirmed(self) -> bool:
        if self.scored == "merge":
            return self.outcome == "merged" and self.flag != "reverted"
        return self.scored == "close" and self.outcome == "closed" and self.flag not in ("reopened", "superseded")


@dataclass
class Export:
    """The readable rows, and what was set aside."""

    as_of: Fraction
    allow: list[str]
    json_cases: int
    events: list[Event] = field(default_factory=list)
    states: dict[PullRequest, Row] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    registered: set[str] = field(default_factory=set)
    signals: list[Signal] = field(default_factory=list)
    fleet_outcomes: list[tuple[PullRequest, str | None, Fraction]] = field(default_factory=list)
    rollups: list[tuple[int, int, int]] = field(default_factory=list)
    arms: list[Row] = field(default_factory=list)
    quarantine: Counter[tuple[str, str]] = field(default_factory=Counter)

    def within(self, moment: Fraction, days: int) -> bool:
        """[as_of - days, as_of)."""
        return self.as_of - days * DAY <= moment < self.as_of


def read(tables: dict[str, list[Row]], as_of: str, repos: list[str], json_cases: int) -> Export:
    """Every table, row by row."""
    moment = instant(as_of)
    assert moment is not None
    allow = list(dict.fromkeys(lower(name.strip()) for name in repos if name.strip()))
    export = Export(moment, allow, json_cases)
    _read_events(export, tables["audit_events"])
    _read_states(export, tables["pull_requests"])
    _read_records(export, tables["decision_records"])
    _read_fleet(export, tables)
    _read_outcomes(export, tables)
    return export


def _set_aside(export: Export, table: str, reason: str) -> None:
    export.quarantine[table, reason] += 1


def _read_events(export: Export, rows: list[Row]) -> None:
    for row in rows:
        at = instant(row["created_at"])
        nameless = row["event_type"] in ("signal.human_override:", "signal.rule_fired:")
        if at is None:
            _set_aside(export, "audit_events", "unparseable_created_at")
        if nameless:
            _set_aside(export, "audit_events", "empty_rule_id")
        if at is not None and not nameless:
            members = metadata(row["metadata_json"]) or {}
            export.events.append(
                Event(row["id"], row["event_type"], row["target_key"], row["outcome"], at, row["created_at"], members)
            )


def _read_states(export: Export, rows: list[Row]) -> None:
    def newness(row: Row) -> tuple[bool, Fraction, str]:
        updated = instant(row["updated_at"])
        return updated is not None, updated or Fraction(0), row["repo_full_name"]

    for row in rows:
        for column in ("merged_at", "created_at", "updated_at"):
            if row[column] is not None and instant(row[column]) is None:
                _set_aside(export, "pull_requests", f"unparseable_{column}")
        number = integer(row["number"])
        if number is None or number < 0:
            _set_aside(export, "pull_requests", "unparseable_number")
            continue
        identity = lower(row["repo_full_name"]), number
        if identity not in export.states or newness(row) > newness(export.states[identity]):
            export.states[identity] = row


def _read_records(export: Export, rows: list[Row]) -> None:
    for row in rows:
        at, number, findings = instant(row["created_at"]), integer(row["pull_number"]), integer(row["findings_count"])
        if at is None:
            _set_aside(export, "decision_records", "unparseable_created_at")
        if number is None or number < 0:
            _set_aside(export, "decision_records", "unparseable_pull_number")
        if row["findings_count"] is not None and findings is None:
            _set_aside(export, "decision_records", "unparseable_findings_count")
        if at is not None and number is not None and number >= 0:
            identity = lower(row["repo_full_name"]), number
            reason, actor = row["reevaluation_reason"], row["reevaluation_actor"]
            export.records.append(Record(identity, row["action"], at, reason, actor, findings))


def _read_fleet(export: Export, tables: dict[str, list[Row]]) -> None:
    export.registered = {row["instance_id"] for row in tables["orb_instances"] if row["registered"]}
    for row in tables["orb_signals"]:
        received, decided = instant(row["received_at"]), instant(row["decision_timestamp"])
        milliseconds = integer(row["time_to_close_ms"])
        if row["time_to_close_ms"] is not None and milliseconds is None:
            _set_aside(export, "orb_signals", "unparseable_time_to_close_ms")
        if row["decision_timestamp"] is not None and decided is None:
            _set_aside(export, "orb_signals", "unparseable_decision_timestamp")
        if received is None:
            _set_aside(export, "orb_signals", "unparseable_received_at")
            continue
        trend = received if row["decision_timestamp"] is None else decided
        export.signals.append(
            Signal(
                row["instance_id"],
                row["gate_verdict"],
                row["outcome"],
                row["reversal_flag"],
                row["gate_reasoncode_bucket"],
                1,
                received,
                day_of(received),
                trend,
                None if trend is None else day_of(trend),
                milliseconds,
            )
        )
    for row in tables["orb_signal_rollups"]:
        day, n = instant(row["day"]), integer(row["n"])
        if day is None:
            _set_aside(export, "orb_signal_rollups", "unparseable_day")
        if n is None:
            _set_aside(export, "orb_signal_rollups", "unparseable_n")
        if day is not None and n is not None:
            verdict, bucket = row["gate_verdict"] or None, row["gate_reasoncode_bucket"] or None
            text = day_of(day)
            export.signals.append(
                Signal(
                    row["instance_id"],
                    verdict,
                    row["outcome"],
                    row["reversal_flag"],
                    bucket,
                    n,
                    None,
                    text,
                    None,
                    text,
                    None,
                )
            )
    export.arms = tables["orb_risk_control_arms"]
    for row in export.arms:
        if row["updated_at"] is not None and instant(row["updated_at"]) is None:
            _set_aside(export, "orb_risk_control_arms", "unparseable_updated_at")


def _read_outcomes(export: Export, tables: dict[str, list[Row]]) -> None:
    installed = {integer(row["installation_id"]) for row in tables["orb_github_installations"] if row["registered"]}
    for row in tables["orb_pr_outcomes"]:
        at, number, installation = (
            instant(row["occurred_at"]),
            integer(row["pr_number"]),
            integer(row["installation_id"]),
        )
        if at is None:
            _set_aside(export, "orb_pr_outcomes", "unparseable_occurred_at")
        if number is None or number < 0:
            _set_aside(export, "orb_pr_outcomes", "unparseable_pr_number")
        if row["installation_id"] is not None and installation is None:
            _set_aside(export, "orb_pr_outcomes", "unparseable_installation_id")
        if (
            at is not None
            and number is not None
            and number >= 0
            and installation is not None
            and installation in installed
        ):
            export.fleet_outcomes.append(((lower(row["repository_full_name"]), number), row["outcome"], at))
    for row in tables["orb_outcome_rollups"]:
        export.rollups.append((row["merged"] or 0, row["closed"] or 0, row["total"] or 0))


# --- sections 2, 3 and 9: signals -----------------------------------------------------------------------------


def verdict_of(event: Event) -> str:
    """confirmed or reversed exactly, else unrecognized."""
    verdict = event.text("verdict")
    return verdict if verdict in ("confirmed", "reversed") else "unrecognized"


def overrides(export: Export) -> list[tuple[str, Event]]:
    """(rule, event) of every override that is not excluded."""
    found = [(rule, event) for event in export.events if (rule := event.rule("human_override")) is not None]
    return [(rule, event) for rule, event in found if event.text("provenance") != EXCLUDED]


def rule_precision(export: Export) -> dict[str, Any]:
    """Section 2."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for rule, event in overrides(export):
        if export.within(event.at, 90):
            votes[rule][verdict_of(event)] += 1
    reversals = {
        kind: sum(e.type == f"reversal_{kind}" and export.within(e.at, 90) for e in export.events) for kind in REVERSALS
    }
    runs = [e for e in export.events if e.type in BACKTESTS and e.at < export.as_of and e.text("corpusChecksum")]
    latest = max(runs, key=lambda run: (run.at, run.id), default=None)
    if latest is not None and latest.text("corpusChecksum") == sha256("[]"):
        latest = None
    return {
        "windowDays": 90,
        "rules": [
            {
                "ruleId": rule,
                "decided": (decided := count["confirmed"] + count["reversed"]),
                "confirmed": count["confirmed"],
                "unrecognized": count["unrecognized"],
                "precision": share(count["confirmed"], decided, 3, 1) if decided >= 10 else None,
            }
            for rule, count in sorted(votes.items())
        ],
        "reversals": reversals,
        "latestBacktestRun": latest and {"corpusChecksum": latest.text("corpusChecksum"), "at": latest.stored_at},
    }


def corpora(export: Export) -> dict[str, Any]:
    """Section 3."""
    rules = {
        rule
        for event in export.events
        if (rule := event.rule("human_override")) is not None and export.within(event.at, 90)
    }
    return {rule: _corpus(export, rule) for rule in sorted(rules)}


def _corpus(export: Export, rule: str) -> dict[str, Any]:
    labels = [
        event
        for of, event in overrides(export)
        if of == rule and export.within(event.at, 90) and verdict_of(event) != "unrecognized"
    ]
    cases = []
    for firing in export.events:
        if firing.type != f"signal.rule_fired:{rule}" or not export.within(firing.at, 90):
            continue
        same = [event for event in labels if (event.key or "") == (firing.key or "")]
        after = [event for event in same if event.at > firing.at]
        if after:
            chosen = min(after, key=lambda event: (event.at, event.id))
        elif same:
            chosen = max(same, key=lambda event: (event.at, event.id))
        else:
            continue
        case = {
            "ruleId": rule,
            "outcome": firing.text("outcome") or "",
            "label": verdict_of(chosen),
            "firedAt": day_of(firing.at) + "T00:00:00.000Z",
            "decidedAt": day_of(chosen.at) + "T00:00:00.000Z",
        }
        confidence = as_number(firing.members.get("confidence"))
        if confidence is not None:
            case["metadata"] = {"confidence": float(confidence.text)}
        order = (case["firedAt"], case["decidedAt"], case["outcome"], case["label"])
        cases.append((order, confidence is not None, confidence.exact if confidence else Fraction(0), case))
    cases.sort(key=lambda entry: entry[:3])
    kept = [entry[3] for entry in cases[: export.json_cases]]
    return {
        "ruleId": rule,
        "windowDays": 90,
        "caseCount": len(kept),
        "truncated": len(cases) > export.json_cases,
        "readFailed": False,
        "checksum": sha256(canonical_text(kept)),
        "cases": kept,
    }


def score_records(export: Export, precision: dict[str, Any], published: dict[str, Any]) -> list[dict[str, Any]]:
    """Section 3, commitments."""
    records = []
    for rule in precision["rules"]:
        corpus = published[rule["ruleId"]]
        if corpus["caseCount"] == 0 or corpus["truncated"]:
            continue
        record = {
            "schemaVersion": 1,
            "subject": {"kind": "agent", "id": "orb-gate"},
            "workUnit": {"kind": "outcome_confirmed_precision", "ruleId": rule["ruleId"]},
            "score": {
                "decided": rule["decided"],
                "confirmed": rule["confirmed"],
                "precision": rule["precision"],
                "recall": None,
                "coverage": 1 if rule["decided"] else None,
                "abstained": 0,
            },
            "commitments": {
                "corpusChecksum": corpus["checksum"],
                "scoringRuleVersion": "outcome-confirmed-precision-v1",
                "windowStart": stamp(export.as_of - 90 * DAY),
                "windowEnd": stamp(export.as_of),
                "splitSeed": None,
                "heldOutFraction": None,
            },
            "trust": {"tier": "reproducible"},
            "issuedAt": stamp(export.as_of),
        }
        records.append({**record, "recordDigest": sha256(canonical_text(record))})
    return records


def calibration_trend(export: Export) -> dict[str, Any]:
    """Section 9."""
    weeks = trend_weeks(export.as_of)
    counts: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    firings = [(rule, event) for event in export.events if (rule := event.rule("rule_fired")) is not None]
    for rule, event, what in [
        *((rule, event, "fired") for rule, event in firings),
        *((rule, event, verdict_of(event)) for rule, event in overrides(export)),
    ]:
        if event.at < export.as_of and (week := monday_of(event.at)) in weeks:
            counts[rule][week, what] += 1
    runs: Counter[tuple[str, str]] = Counter()
    for event in export.events:
        if event.type in BACKTESTS and event.at < export.as_of and (week := monday_of(event.at)) in weeks:
            comparison = event.members.get("comparison")
            verdict = as_text(comparison.get("verdict")) if isinstance(comparison, dict) else None
            runs[week, verdict if verdict in ("regressed", "improved") else "unchanged"] += 1
    return {
        "rules": [
            {"ruleId": rule, "weeks": [_calibration_week(count, week) for week in weeks]}
            for rule, count in sorted(counts.items())
        ],
        "backtestRuns": [
            {
                "weekStart": week,
                "runs": sum(runs[week, verdict] for verdict in ("regressed", "improved", "unchanged")),
                **{verdict: runs[week, verdict] for verdict in ("regressed", "improved", "unchanged")},
            }
            for week in weeks
        ],
    }


def _calibration_week(count: Counter[tuple[str, str]], week: str) -> dict[str, Any]:
    confirmed, overturned = count[week, "confirmed"], count[week, "reversed"]
    shown = confirmed + overturned >= 3
    return {
        "weekStart": week,
        "fired": count[week, "fired"],
        "confirmed": confirmed if shown else None,
        "reversed": overturned if shown else None,
        "precisionPct": share(confirmed, confirmed + overturned) if shown else None,
        "unrecognized": count[week, "unrecognized"],
    }


def track_record(export: Export) -> dict[str, Any]:
    """Section 10: runs of any age, of all three kinds, that name their rule."""
    rules: dict[str, Counter[str]] = {}
    for event in export.events:
        comparison = event.members.get("comparison")
        if (
            event.type not in (*BACKTESTS, COUNTERFACTUAL)
            or event.at >= export.as_of
            or not isinstance(comparison, dict)
        ):
            continue
        rule, verdict = as_text(comparison.get("ruleId")), as_text(comparison.get("verdict"))
        if rule is not None:
            counts = rules.setdefault(rule, Counter())
            counts["total"] += 1
            counts[verdict if verdict in ("regressed", "improved") else "unchanged"] += 1
    total, regressed = (sum(counts[what] for counts in rules.values()) for what in ("total", "regressed"))
    return {
        "totalRuns": total,
        "regressedRuns": regressed,
        "regressedRate": ratio(regressed, total),
        "perRule": {
            rule: {what: counts[what] for what in ("total", "regressed", "improved", "unchanged")}
            for rule, counts in rules.items()
        },
    }


# --- sections 4 and 5: outcomes -------------------------------------------------------------------------------


def state_of(export: Export, identity: PullRequest) -> str:
    """merged, closed or in review."""
    row = export.states.get(identity)
    if row is None:
        return "in review"
    if row["merged_at"] is not None:
        return "merged"
    return "closed" if row["state"] == "closed" else "in review"


def surfaces(export: Export) -> dict[PullRequest, list[Event]]:
    """Published events before as_of by pull request, any repository."""
    found: defaultdict[PullRequest, list[Event]] = defaultdict(list)
    for event in export.events:
        if event.type == PUBLISHED and event.at < export.as_of and (identity := event.pull_request):
            found[identity].append(event)
    return found


def own(export: Export) -> dict[PullRequest, list[Event]]:
    """Published pull requests: those of the allowlist."""
    return {identity: events for identity, events in surfaces(export).items() if identity[0] in export.allow}


def auto_actions(export: Export) -> list[tuple[PullRequest, Fraction]]:
    """Every completed, live close or merge of the allowlist."""
    return [
        (identity, event.at)
        for event in export.events
        if event.type in ("agent.action.close", "agent.action.merge")
        and event.outcome == "completed"
        and event.members.get("mode") != "dry_run"
        and (identity := event.pull_request)
        and identity[0] in export.allow
    ]


def accuracy(export: Export, actions: list[tuple[PullRequest, Fraction]]) -> dict[PullRequest, bool]:
    """Whether each auto-actioned pull request was reversed at or after the first of the actions given."""
    first: dict[PullRequest, Fraction] = {}
    for identity, at in actions:
        first[identity] = min(at, first.get(identity, at))
    kinds = [f"reversal_{kind}" for kind in REVERSALS]
    undone = [e for e in export.events if e.type in kinds and e.outcome == "completed" and e.at < export.as_of]
    return {identity: any(e.pull_request == identity and e.at >= at for e in undone) for identity, at in first.items()}


def not_undone(reversed_by_pull_request: dict[PullRequest, bool]) -> int | float | None:
    """The accuracy in percent."""
    stood = sum(not undone for undone in reversed_by_pull_request.values())
    return share(stood, len(reversed_by_pull_request))


def fleet_part(export: Export) -> list[tuple[str | None, Fraction]]:
    """(outcome, time) of the fleet's pull requests that have no published event here."""
    here = surfaces(export)
    return [(o, at) for identity, o, at in export.fleet_outcomes if at < export.as_of and identity not in here]


def totals(export: Export) -> dict[str, Any]:
    """Section 4."""
    if export.allow:
        mine = list(own(export))
    else:
        mine = list({record.pull_request for record in export.records if record.at < export.as_of})
    states = Counter(state_of(export, identity) for identity in mine)
    fleet = fleet_part(export)
    merged = states["merged"] + sum(o == "merged" for o, _ in fleet) + sum(row[0] for row in export.rollups)
    closed = states["closed"] + sum(o == "closed" for o, _ in fleet) + sum(row[1] for row in export.rollups)
    fleet_handled = len(fleet) + sum(row[2] for row in export.rollups)
    commented = states["in review"]
    reviewed = merged + closed + commented
    if export.allow:
        minutes = sum((_minutes(events) for events in own(export).values()), Fraction(0))
    else:
        minutes = Fraction(20 * len(mine))
    minutes += 20 * fleet_handled
    judged = accuracy(export, [(i, at) for i, at in auto_actions(export) if export.within(at, 90)])
    return {
        "handled": len(mine) + fleet_handled,
        "merged": merged,
        "closed": closed,
        "commented": commented,
        "ignored": 0,
        "manual": 0,
        "error": 0,
        "reversed": sum(judged.values()),
        "reviewed": reviewed,
        "filteredPct": share(reviewed - merged, reviewed),
        "accuracyPct": not_undone(judged),
        "accuracyWindowDays": 90,
        "minutesSaved": half_away(minutes, 0) if reviewed else 0,
    }


def _minutes(events: list[Event]) -> Fraction:
    stated = [number.exact for e in events if (number := as_number(e.members.get("reviewEffortMinutes")))]
    usable = [number for number in stated if number >= 0]
    return sum(usable, Fraction(0)) / len(usable) if usable else Fraction(20)


def weekly(export: Export) -> dict[str, Any]:
    """Section 4, `weekly`."""
    mine = own(export)
    merges = [instant(export.states[identity]["merged_at"]) for identity in mine if identity in export.states]
    return {
        "reviewed": sum(export.within(min(event.at for event in events), 7) for events in mine.values()),
        "merged": sum(at is not None and export.within(at, 7) for at in merges),
    }


def by_project(export: Export) -> list[dict[str, Any]]:
    """Section 4, `byProject`."""
    rows = []
    actions = [(i, at) for i, at in auto_actions(export) if export.within(at, 90)]
    for repository in export.allow:
        states = Counter(state_of(export, identity) for identity in own(export) if identity[0] == repository)
        judged = accuracy(export, [(i, at) for i, at in actions if i[0] == repository])
        rows.append(
            {
                "project": repository,
                "reviewed": states.total(),
                "merged": states["merged"],
                "closed": states["closed"],
                "accuracyPct": not_undone(judged),
            }
        )
    return sorted((row for row in rows if row["reviewed"]), key=lambda row: (-row["reviewed"], row["project"]))


def accuracy_trend(export: Export) -> list[dict[str, Any]]:
    """Section 5."""
    weeks = trend_weeks(export.as_of)
    ended: Counter[tuple[str, str | None]] = Counter()
    for identity in own(export):
        state = state_of(export, identity)
        if state == "in review":
            continue
        row = export.states[identity]
        at = instant(row["merged_at"] if state == "merged" else row["updated_at"])
        if at is not None and at < export.as_of:
            ended[monday_of(at), state] += 1
    for outcome, at in fleet_part(export):
        ended[monday_of(at), outcome] += 1
    rows = []
    for week in weeks:
        actions = [(i, at) for i, at in auto_actions(export) if at < export.as_of and monday_of(at) == week]
        judged = accuracy(export, actions)
        merged, closed = ended[week, "merged"], ended[week, "closed"]
        shown = merged + closed >= 3
        rows.append(
            {
                "weekStart": week,
                "merged": merged if shown else None,
                "closed": closed if shown else None,
                "reversed": sum(judged.values()) if shown else None,
                "accuracyPct": not_undone(judged) if shown and len(judged) >= 3 else None,
            }
        )
    return rows


# --- section 6: fleet -----------------------------------------------------------------------------------------


@dataclass
class Instance:
    """The counts of one instance."""

    id: str
    decided: int = 0
    flagged: int = 0
    of: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    @property
    def verdicts(self) -> int:
        return self.of["merge"] + self.of["close"]

    def precision(self, verdict: str) -> Fraction | None:
        return Fraction(self.right[verdict], self.of[verdict]) if self.of[verdict] else None

    @property
    def accuracy(self) -> Fraction | None:
        return Fraction(self.right["merge"] + self.right["close"], self.verdicts) if self.verdicts else None

    @property
    def false_positive(self) -> Fraction | None:
        return None if (precision := self.precision("merge")) is None else 1 - precision

    @property
    def false_negative(self) -> Fraction | None:
        return None if (precision := self.precision("close")) is None else 1 - precision

    @property
    def reversal_rate(self) -> Fraction | None:
        return Fraction(self.flagged, self.decided) if self.decided else None


def in_fleet_window(export: Export, signal: Signal) -> bool:
    """Day of arrival from the day of as_of - 90d; live rows before as_of, rollups up to its day."""
    if signal.day < day_of(export.as_of - 90 * DAY):
        return False
    return signal.received < export.as_of if signal.received is not None else signal.day <= day_of(export.as_of)


def instances(export: Export) -> dict[str, Instance]:
    """Every instance with a signal in the window, by id."""
    found: dict[str, Instance] = {}
    for signal in export.signals:
        if in_fleet_window(export, signal):
            instance = found.setdefault(signal.instance, Instance(signal.instance))
            instance.decided += signal.n
            instance.flagged += signal.n if signal.flag != "none" else 0
            instance.of[signal.scored] += signal.n
            instance.right[signal.scored] += signal.n if signal.confirmed else 0
    return dict(sorted(found.items()))


def eligible(export: Export) -> list[Instance]:
    """Registered, with five signals."""
    return [i for i in instances(export).values() if i.id in export.registered and i.decided >= 5]


def middle(values: list[Fraction | None]) -> Fraction | None:
    """The median of those that are there."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    half = len(known) // 2
    return known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2


def plain(value: Fraction | None) -> float | None:
    """An unrounded number."""
    return None if value is None else value.numerator / value.denominator


def gaming(those: list[Instance]) -> list[dict[str, Any]] | None:
    """The anti-gaming check; None when it does not run."""
    precision = middle([i.precision("merge") for i in those])
    if len(those) < 3 or precision is None:
        return None
    decided, reversal = middle([Fraction(i.decided) for i in those]), middle([i.reversal_rate for i in those])
    assert decided is not None and reversal is not None
    flags = []
    for i in those:
        own_precision, own_reversal = i.precision("merge"), i.reversal_rate
        assert own_reversal is not None
        rarely = own_reversal < reversal / 2 if reversal > 0 else own_reversal <= Fraction(2, 100)
        if (
            own_precision is not None
            and i.decided > 2 * decided
            and own_precision - precision > Fraction(1, 4)
            and rarely
        ):
            flags.append(
                {
                    "instanceId": i.id,
                    "decided": i.decided,
                    "mergePrecision": plain(own_precision),
                    "reversalRate": plain(own_reversal),
                    "fleetMedianDecided": plain(decided),
                    "fleetMergePrecision": plain(precision),
                    "fleetReversalRate": plain(reversal),
                }
            )
    return flags


def fleet_accuracy(export: Export) -> dict[str, Any]:
    """Section 6, `fleetAccuracy`."""
    those = eligible(export)
    of = {v: sum(i.of[v] for i in those) for v in ("merge", "close", "hold")}
    right = {v: sum(i.right[v] for i in those) for v in ("merge", "close")}
    verdicts, confirmed = of["merge"] + of["close"], right["merge"] + right["close"]
    two = len(those) == 2
    flags = gaming(those)
    return {
        "accuracyPct": share(confirmed, verdicts),
        "accuracyCiPct": None if two else wilson_percent(confirmed, verdicts),
        "mergePrecisionPct": share(right["merge"], of["merge"]),
        "mergePrecisionCiPct": None if two else wilson_percent(right["merge"], of["merge"]),
        "closePrecisionPct": share(right["close"], of["close"]),
        "closePrecisionCiPct": None if two else wilson_percent(right["close"], of["close"]),
        "coveragePct": share(verdicts, verdicts + of["hold"]),
        "decidedCount": None if two else verdicts,
        "guaranteed": {arm: guaranteed(export, arm) for arm in ("close", "merge")},
        "instanceCount": len(those),
        "basis": "fleet" if len(those) >= 3 else "single_instance_self_report",
        "windowDays": 90,
        "gamingFlagsCaught": None if flags is None else len(flags),
    }


def guaranteed(export: Export, arm: str) -> dict[str, Any] | None:
    """Section 6, `guaranteed[arm]`."""
    valid = []
    for row in export.arms:
        payload = metadata(row["payload_json"])
        if row["arm"] != arm or row["instance_id"] not in export.registered or payload is None:
            continue
        if payload.get("status") != "calibrated":
            continue
        names = ("alpha", "lambda", "coverageAtLambda", "delta", "nAtLambda")
        numbers = {name: as_number(payload.get(name)) for name in names}
        if any(number is None for number in numbers.values()):
            continue
        alpha, threshold, coverage, delta, n = (number.exact for number in numbers.values() if number)
        if not (0 < alpha <= Fraction(5, 100) and 0 <= threshold <= 1 and 0 <= coverage <= 1 and 0 < delta <= 1):
            continue
        if n < least_cases(alpha, delta):
            continue
        pairs, backfilled = as_number(payload.get("totalPairs")), as_number(payload.get("backfilledPairs"))
        known = pairs is not None and pairs.exact > 0 and backfilled is not None
        published = {
            "alpha": float(alpha),
            "lambda": float(threshold),
            "aiJudgedCoveragePct": half_away(100 * coverage, 1),
            "n": float(n),
            "backfilledPct": half_away(100 * backfilled.exact / pairs.exact, 1) if known else None,
        }
        updated = instant(row["updated_at"])
        valid.append(((-n, updated is None, -(updated or 0), row["instance_id"]), published))
    return min(valid, key=lambda entry: entry[0])[1] if valid else None


def least_cases(alpha: Fraction, delta: Fraction) -> float:
    """ceil(ln(delta) / ln(1 - alpha)): the least n with (1 - alpha)**n <= delta."""
    if alpha < Fraction(1, 1000):
        return math.inf
    n, power = 0, Fraction(1)
    while power > delta:
        n, power = n + 1, power * (1 - alpha)
    return n


def fleet_trend(export: Export) -> list[dict[str, Any]]:
    """Section 6, weekly fleet trend."""
    verdicts: Counter[str] = Counter()
    confirmed: Counter[str] = Counter()
    for signal in export.signals:
        if (
            signal.instance not in export.registered
            or signal.scored not in ("merge", "close")
            or signal.trend_day is None
        ):
            continue
        if signal.live and not (signal.trend_at is not None and signal.trend_at < export.as_of):
            continue
        if not signal.live and signal.trend_day > day_of(export.as_of):
            continue
        day = instant(signal.trend_day)
        assert day is not None
        verdicts[monday_of(day)] += signal.n
        confirmed[monday_of(day)] += signal.n if signal.confirmed else 0
    two = len(eligible(export)) == 2
    return [
        {
            "weekStart": week,
            "verdicts": None if two or verdicts[week] < 5 else verdicts[week],
            "accuracyPct": share(confirmed[week], verdicts[week]) if verdicts[week] >= 5 else None,
        }
        for week in trend_weeks(export.as_of)
    ]


def fleet_analytics(export: Export) -> dict[str, Any]:
    """Section 6, the operator's shape."""
    those = eligible(export)
    ids = {i.id for i in those}
    of = {v: sum(i.of[v] for i in those) for v in ("merge", "close", "hold", "policy")}
    right = {v: sum(i.right[v] for i in those) for v in ("merge", "close")}
    verdicts = of["merge"] + of["close"]
    median_precision = middle([i.precision("merge") for i in those])
    times = sorted(
        s.milliseconds
        for s in export.signals
        if s.live and s.instance in ids and s.milliseconds is not None and in_fleet_window(export, s)
    )

    def nearest_rank(percentile: int) -> int | None:
        return times[math.ceil(Fraction(percentile * len(times), 100)) - 1] if times else None

    flags = gaming(those)
    return {
        "windowDays": 90,
        "instanceCount": len(those),
        "fleet": {
            "mergePrecision": plain(median_precision),
            "closePrecision": plain(middle([i.precision("close") for i in those])),
            "fpRate": plain(middle([i.false_positive for i in those])),
            "reversalRate": plain(middle([i.reversal_rate for i in those])),
            "decisionAccuracy": ratio(right["merge"] + right["close"], verdicts),
            "decisionAccuracyMedian": plain(middle([i.accuracy for i in those])),
            "cycleP50Ms": nearest_rank(50),
            "cycleP95Ms": nearest_rank(95),
            "pooled": {
                "mergeVerdicts": of["merge"],
                "mergeConfirmed": right["merge"],
                "closeVerdicts": of["close"],
                "closeConfirmed": right["close"],
                "holds": of["hold"],
                "policyActions": of["policy"],
                "coverage": ratio(verdicts, verdicts + of["hold"]),
            },
        },
        "instances": [_instance(i) for i in instances(export).values()],
        "outliers": [
            {
                "instanceId": i.id,
                "metric": "mergePrecision",
                "value": plain(i.precision("merge")),
                "fleetMedian": plain(median_precision),
            }
            for i in those
            if i.of["merge"]
            and median_precision is not None
            and abs(i.precision("merge") - median_precision) > Fraction(1, 4)
        ],
        "gamingPatternFlags": flags or [],
        "gamingDetectionEligible": flags is not None,
        "fleetFramingEligible": len(those) >= 3,
        "cycleTimeObservable": True,
    }


def _instance(i: Instance) -> dict[str, Any]:
    return {
        "instanceId": i.id,
        "decided": i.decided,
        "mergePrecision": plain(i.precision("merge")),
        "closePrecision": plain(i.precision("close")),
        "fpRate": plain(i.false_positive),
        "fnRate": plain(i.false_negative),
        "reversalRate": plain(i.reversal_rate),
        "decisionAccuracy": plain(i.accuracy),
        "policyActions": i.of["policy"],
        "counts": {
            "mergeVerdicts": i.of["merge"],
            "mergeConfirmed": i.right["merge"],
            "closeVerdicts": i.of["close"],
            "closeConfirmed": i.right["close"],
            "holds": i.of["hold"],
        },
    }


# --- section 7: ledger ----------------------------------------------------------------------------------------


def author_class(export: Export, identity: PullRequest) -> str:
    """maintainer, contributor or unknown."""
    row = export.states.get(identity)
    stated = ((row and row["author_association"]) or "").strip().upper()
    if not stated:
        return "unknown"
    return "maintainer" if stated in ("OWNER", "MEMBER", "COLLABORATOR") else "contributor"


def review_parity(export: Export) -> dict[str, Any]:
    """Section 7, review parity."""
    verdicts = [record for record in export.records if export.within(record.at, 7)]
    reasons = Counter(record.reason for record in verdicts if record.reason)
    again = reasons.total()
    named = sorted(
        {record.pull_request[0] for record in verdicts} & set(export.allow),
        key=lambda repo: (-sum(record.pull_request[0] == repo for record in verdicts), repo),
    )
    return {
        "windowStart": stamp(export.as_of - 7 * DAY),
        "windowEnd": stamp(export.as_of),
        "verdicts": len(verdicts),
        "reevaluations": again,
        "reevaluationRatePct": share(again, len(verdicts)),
        "byReason": [
            {"reason": reason, "count": count, "shareOfVerdictsPct": share(count, len(verdicts))}
            for reason, count in sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
        ],
        "byAuthorClass": _classes(export, verdicts),
        "byProject": [
            {"project": repo, "byAuthorClass": _classes(export, [r for r in verdicts if r.pull_request[0] == repo])}
            for repo in named
        ],
    }


def _classes(export: Export, verdicts: list[Record]) -> list[dict[str, Any]]:
    rows = []
    for name in ("maintainer", "contributor", "unknown"):
        those = [record for record in verdicts if author_class(export, record.pull_request) == name]
        if not those:
            continue
        pull_requests = len({record.pull_request for record in those})
        counted = [record.findings for record in those if record.findings is not None]
        rows.append(
            {
                "authorClass": name,
                "verdicts": len(those),
                "pullRequests": pull_requests,
                "reviewsPerPr": half_away(Fraction(len(those), pull_requests), 2),
                "findingsPerPr": half_away(Fraction(sum(counted), len(counted)), 2) if counted else None,
                "findingsBasis": len(counted),
                "closeRate": share(sum(record.action == "close" for record in those), len(those)),
                "holdRate": share(sum(record.action == "hold" for record in those), len(those)),
            }
        )
    return rows


def automation_rate(export: Export) -> dict[str, Any]:
    """Section 7, automation rate."""
    by_pull_request: defaultdict[PullRequest, list[Record]] = defaultdict(list)
    for record in export.records:
        if export.within(record.at, 84):
            by_pull_request[record.pull_request].append(record)
    decided: Counter[str] = Counter()
    automated: Counter[str] = Counter()
    manual: Counter[str] = Counter()
    for records in by_pull_request.values():
        week = monday_of(min(record.at for record in records))
        actions = {record.action for record in records}
        if not actions & {"merge", "close", "hold"}:
            continue
        by_hand = any(
            record.action == "hold" or (record.actor or "").strip() or record.reason == "maintainer_request"
            for record in records
        )
        decided[week] += 1
        manual[week] += by_hand
        automated[week] += bool(actions & {"merge", "close"}) and not by_hand
    return {
        "weeks": [
            {
                "weekStart": f"{week}T00:00:00.000Z",
                "decided": decided[week],
                "automated": automated[week],
                "manual": manual[week],
                "automationRatePct": share(automated[week], decided[week]),
                "basis": "full" if week >= HORIZON else "holds_only",
            }
            for week in sorted(decided)
        ],
        "decided": decided.total(),
        "automated": automated.total(),
        "automationRatePct": share(automated.total(), decided.total()),
        "provenanceHorizon": f"{HORIZON}T00:00:00.000Z",
    }


# --- everything -----------------------------------------------------------------------------------------------


def quarantined(export: Export) -> dict[str, dict[str, int]]:
    """Section 12."""
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (table, reason), count in sorted(export.quarantine.items()):
        counts[table][reason] = count
    return dict(counts)


def figures(tables: dict[str, list[Row]], as_of: str, repos: list[str], json_cases: int = 2000) -> dict[str, Any]:
    """Every part of a golden `expected.json` that the figures are about, and `quarantined`."""
    export = read(tables, as_of, repos, json_cases)
    precision, published = rule_precision(export), corpora(export)
    return {
        "stats": {
            "totals": totals(export),
            "weekly": weekly(export),
            "byProject": by_project(export),
            "fleetAccuracy": fleet_accuracy(export),
        },
        "rulePrecision": precision,
        "accuracyTrend": accuracy_trend(export),
        "fleetAccuracyTrend": fleet_trend(export),
        "reviewParity": review_parity(export),
        "automationRate": automation_rate(export),
        "fleetAnalytics": fleet_analytics(export),
        "calibrationTrend": calibration_trend(export),
        "trackRecord": track_record(export),
        "evalCorpus": published,
        "evalScoreRecords": score_records(export, precision, published),
        "quarantined": quarantined(export),
    }
