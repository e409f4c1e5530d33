"""Random small exports that crowd where rules meet: window edges, floors, ties, spellings, broken and odd values.

Everything is drawn from one seeded generator, so a seed names an export for good.
"""

import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from support.exports import COLUMNS

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

AS_OFS = (
    "2026-06-10T00:00:00.000Z",
    "2026-06-15T00:00:00.000Z",  # a Monday: the last week of the trend is empty
    "2026-06-14T23:59:59.999Z",
    "2026-06-15T12:00:00.000Z",
    "2026-08-20T06:30:00.000Z",  # the provenance horizon lies inside the automation window
    "2026-08-03T00:00:00.001Z",
    "2026-03-01T00:00:00.000Z",  # windows reach over the turn of a year
)
REPOSITORIES = ("acme/widgets", "Acme/Widgets", "ACME/widgets", "acme/gadgets", "solo/tool", "Zoë/Äpp", "zoË/äpp", "x")
RULES = ("a", "a", "a", "b", "B", "a:b", "é", "zz", "𝒳", "\ue000", "_", "A-1")
TRAP_TYPES = (
    "signal.human_override",
    "signal.human_override:",
    "Signal.human_override:a",
    "signal.human_override :a",
    "signal.human_overrides:a",
    "signal.human_override: a",
    " signal.human_override:a",
    "signal.humanXoverride:a",
    "signal.rule_fired",
    "signal.rule_fired:",
    "signal.rule_fired:A",
    "SIGNAL.RULE_FIRED:a",
    "reversal_reverted:a",
    "reversal_",
    "reversal_Reopened",
    "owner_reopen_pending_reversal",
    "pr_outcome",
    "agent.action.reopen",
    "agent.action.MERGE",
    "agent.action.merge:x",
    "agent.action.",
    "github_app.pr_public_surface_published.x",
    "calibration.counterfactual_backtest_run",
    "",
)
TRAP_KEYS = (
    None,
    "",
    "nohash",
    "#1",
    "acme/widgets#",
    "acme/widgets#x1",
    "acme/widgets#1#c0ffee",
    "Acme/Widgets#1#c0ffee",
    "acme/widgets##1",
    "acme/widgets#1 ",
    " acme/widgets#1",
    "acme/widgets#٣",
    "acme/widgets#+1",
    "acme/widgets#1.0",
)
TRAP_TIMES = (
    "",
    "not-a-date",
    "2026-06-01t00:00:00Z",
    "2026-06-01T00:00:00z",
    " 2026-06-01T00:00:00Z",
    "2026-06-01T00:00:00Z ",
    "2026-02-30T00:00:00Z",
    "2026-06-01T24:00:00Z",
    "2026-06-01T23:59:60Z",
    "2026-06-01 12:00",
    "2026-06-01T12Z",
    "2026-6-1",
    "2026-06-01T12:00:00.Z",
    "2026-06-01T12:00:00,5Z",
    "2026-06-01T12:00:00+2",
    "2026-06-01T12:00:00+24:00",
    "2026-06-01T12:00:00 +02:00",
    "2026-06-01Z",
    "20260601",
    "1780000000000",
)
BROKEN_METADATA = (
    None,
    "",
    "null",
    "[]",
    '"text"',
    "{bad",
    '{"verdict":"confirmed"',
    '{"verdict":"confirmed"} x',
    "{'verdict':'confirmed'}",
    '{verdict:"confirmed"}',
    '{"verdict":"confirmed",}',
    '{"verdict":"confirmed","x":NaN}',
    '{"verdict":"confirmed","x":01}',
    '{"verdict":"confirmed","x":.5}',
    '{"verdict":"confirmed","x":+1}',
    '{"verdict":"confirmed","x":"\\ud800"}',
    '{"verdict":"confirmed","\\udc00":1}',
    '{"verdict":"confirmed","x":["\\ud83d"]}',
    '{"verdict":"confirmed","x":"a\tb"}',
    '{"verdict":"confirmed","x":"\\x41"}',
    '\ufeff{"verdict":"confirmed"}',
    '\u00a0{"verdict":"confirmed"}',
    '{"verdict":"confirmed"}/* */',
)
ODD_VERDICTS = (
    "{}",
    '{"verdict":"Confirmed"}',
    '{"verdict":"confirmed "}',
    '{"verdict":null}',
    '{"verdict":1}',
    '{"verdict":["confirmed"]}',
    '{"verdict":{"verdict":"confirmed"}}',
    '{"x":{"verdict":"confirmed"}}',
    '{"verdict":"reversed","verdict":"confirmed"}',
    '{"verdict":"maybe","verdict":"confirmed"}',
    '{"x":{"verdict":"reversed"},"verdict":"confirmed"}',
    '{"verdict":"confirm\\u0065d"}',
    '{"ver\\u0064ict":"reversed"}',
    ' \n\t{ "verdict" : "reversed" }\r\n',
    '{"verdict":"confirmed","x":"\\ud83d\\ude00"}',
    '{"verdict":"confirmed","x":1e400}',
    '{"verdict":"confirmed","provenance":"slop_replay_backfill_v1"}',
    '{"verdict":"reversed","provenance":"slop_replay_backfill_v1"}',
    '{"provenance":"slop_replay_backfill_v1"}',
    '{"verdict":"confirmed","provenance":"slop_replay_backfill_v2"}',
    '{"verdict":"confirmed","provenance":"Slop_Replay_Backfill_V1"}',
    '{"verdict":"confirmed","provenance":["slop_replay_backfill_v1"]}',
    '{"verdict":"confirmed","provenance":null,"provenance":"slop_replay_backfill_v1"}',
)
OUTCOMES_OF_FIRINGS = (
    '"blocker"',
    '"warning"',
    '"critical"',
    '""',
    "1",
    "null",
    '"é"',
    '"\\u2028\\u0001\\""',
    '"\\ud83d\\ude00"',
    '"B"',
)
NUMBERS = (
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "0.5",
    "0.10",
    "0.1",
    "0.7315",
    "1e-7",
    "1e21",
    "5e-324",
    "1e-400",
    "1e400",
    "-1e400",
    "-1",
    "12345678901234567890",
    "0.30000000000000004",
    "2.5",
    "20",
    "1e2",
)
NO_NUMBERS = ('"0.5"', "null", "true", "[1]", "{}", '""')
COMPLETED = ("completed",) * 12 + ("Completed", "completed ", "skipped", "error", "", None)
ACTIONS = ("merge", "merge", "close", "close", "hold", "Close", "update_branch", "", "reopen")
REASONS = (None,) * 5 + ("", " ", "maintainer_request", "Maintainer_Request", "config_change", "pipeline_error", "é")
ACTORS = (None,) * 7 + ("", "  ", "\t", "\u00a0", "\u3000\n", "lead")
ASSOCIATIONS = (None, "", "  ", "OWNER", " Member ", "collaborator", "CONTRIBUTOR", "NONE", "weird", "\u00a0", "OWNERS")
INSTANCES = ("b1", "B1", "b-1", "é", "inst", "z")
FLAGS = ("none",) * 5 + ("reopened", "reverted", "superseded", "odd", "None")
BUCKETS = (None, None, None, "", "other", "policy_action", "POLICY_ACTION")
VERDICTS = ("merge",) * 4 + ("close",) * 3 + ("hold", "", None, "Merge", "close ")
PAYLOADS = (
    '{"status":"calibrated","alpha":0.05,"lambda":0.8,"coverageAtLambda":0.7315,"nAtLambda":59,"delta":0.05,"totalPairs":120,"backfilledPairs":37}',
    '{"status":"calibrated","alpha":0.05,"lambda":0,"coverageAtLambda":0.0625,"nAtLambda":59,"delta":0.05,"totalPairs":16,"backfilledPairs":1}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.8,"coverageAtLambda":0.7315,"nAtLambda":58,"delta":0.05}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.8,"coverageAtLambda":0.7315,"nAtLambda":58.5,"delta":0.05}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.8,"coverageAtLambda":0.7315,"nAtLambda":59.5,"delta":0.05,"totalPairs":0,"backfilledPairs":0}',
    '{"status":"calibrated","alpha":0.0500000000000000001,"lambda":0.8,"coverageAtLambda":0.7,"nAtLambda":1000,"delta":0.05}',
    '{"status":"calibrated","alpha":0,"lambda":0.8,"coverageAtLambda":0.7,"nAtLambda":1000,"delta":0.05}',
    '{"status":"calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1,"nAtLambda":298,"delta":0.05,"totalPairs":3,"backfilledPairs":"1"}',
    '{"status":"calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1,"nAtLambda":299,"delta":0.05,"totalPairs":3,"backfilledPairs":1}',
    '{"status":"calibrated","alpha":0.01,"lambda":1.01,"coverageAtLambda":1,"nAtLambda":999,"delta":0.05}',
    '{"status":"calibrated","alpha":0.01,"lambda":-0.0,"coverageAtLambda":0,"nAtLambda":0,"delta":1}',
    '{"status":"calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1.1,"nAtLambda":999,"delta":0.05}',
    '{"status":"calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1,"nAtLambda":999,"delta":0}',
    '{"status":"calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1,"nAtLambda":999,"delta":1.5}',
    '{"status":"Calibrated","alpha":0.01,"lambda":1,"coverageAtLambda":1,"nAtLambda":999,"delta":0.5}',
    '{"status":"calibrated","alpha":"0.01","lambda":1,"coverageAtLambda":1,"nAtLambda":999,"delta":0.5}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.25,"coverageAtLambda":0.5,"nAtLambda":1e400,"delta":0.05}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.25,"coverageAtLambda":0.5,"nAtLambda":1e3,"delta":0.05,"totalPairs":-1,"backfilledPairs":1}',
    '{"status":"calibrated","status":"insufficient_labels","alpha":0.04,"lambda":0.25,"coverageAtLambda":0.5,"nAtLambda":100,"delta":0.05}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.1,"coverageAtLambda":0.1,"nAtLambda":1,"delta":0.95}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.2,"coverageAtLambda":0.2,"nAtLambda":2,"delta":0.9025}',
    '{"status":"calibrated","alpha":0.05,"lambda":0.2,"coverageAtLambda":0.2,"nAtLambda":2,"delta":0.9024999999999999999}',
    '{"status":"calibrated","alpha":5e-324,"lambda":0.2,"coverageAtLambda":0.2,"nAtLambda":1e300,"delta":0.05}',
    '{"status":"insufficient_labels"}',
    '{"status":"calibrated","alpha":0.05,',
    "null",
    "",
    None,
)


@dataclass(frozen=True)
class RandomExport:
    """Tables, as-of and allowlist of one seed."""

    seed: int
    tables: dict[str, list[Row]]
    as_of: str
    repos: list[str]
    json_cases: int


class _Times:
    """Instants near every edge of every window, written in every form."""

    def __init__(self, draw: random.Random, as_of: str) -> None:
        self._draw = draw
        self._as_of = datetime.fromisoformat(as_of)
        midnight = self._as_of.replace(hour=0, minute=0, second=0, microsecond=0)
        monday = midnight - timedelta(days=midnight.weekday())
        edges = [self._as_of - timedelta(days=days) for days in (0, 7, 84, 90)]
        edges += [midnight - timedelta(days=days) for days in (0, 90)]
        edges += [monday - timedelta(weeks=weeks) for weeks in (-1, 0, 1, 2, 7, 8, 12)]
        # A few days only, so that a lake is quick to write.
        self._edges = draw.sample(edges, 7)
        self._steps = [timedelta(days=1), timedelta(hours=5, minutes=30), timedelta(seconds=1)]
        self._steps += [timedelta(milliseconds=1), timedelta(microseconds=1), timedelta(0), timedelta(0)]
        self._recent = [
            self._as_of - timedelta(days=draw.choice((1, 2, 3, 8)), minutes=draw.randrange(600)) for _ in range(4)
        ]

    def moment(self) -> datetime:
        if self._draw.random() < 0.45:
            return self._draw.choice(self._recent) + self._draw.choice((0, 0, 1, 2)) * timedelta(minutes=1)
        return self._draw.choice(self._edges) + self._draw.choice((-1, 1)) * self._draw.choice(self._steps)

    def text(self) -> str:
        """One instant in a form that can hold it."""
        return written(self._draw, self.moment())

    def dirty(self, share: float = 0.04) -> Any:
        """Mostly an instant; sometimes what is none."""
        return self._draw.choice((*TRAP_TIMES, None, 20260601)) if self._draw.random() < share else self.text()

    def day(self) -> str:
        moment = self._draw.choice((*self._edges, *self._recent)) + timedelta(days=self._draw.choice((-1, 0, 0, 1)))
        return moment.strftime("%Y-%m-%d")


def written(draw: random.Random, moment: datetime) -> str:
    """The instant in one of the forms of the contract."""
    offset = draw.choice(("Z", "Z", "Z", "Z", "", "+00:00", "+02:00", "-0130", "+14", "-08"))
    if offset not in ("Z", ""):
        digits = offset[1:].replace(":", "").ljust(4, "0")
        shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        local = moment + (shift if offset[0] == "+" else -shift)
    else:
        local = moment
    fraction = f"{local.microsecond:06d}"
    if fraction == "000000":
        fraction = draw.choice(("", "", ".0", ".000", ".000000000"))
    elif fraction.endswith("000"):
        fraction = "." + draw.choice((fraction[:3], fraction, fraction + "000"))
    else:
        fraction = "." + fraction + draw.choice(("", "0"))
    date, clock = local.strftime("%Y-%m-%d"), local.strftime("%H:%M:%S")
    if not fraction and offset in ("Z", "") and clock == "00:00:00" and draw.random() < 0.3:
        return date
    if not fraction and clock.endswith(":00") and draw.random() < 0.2:
        return f"{date}T{clock[:5]}{offset}"
    if draw.random() < 0.3:
        return f"{date} {clock}{fraction}{'' if offset == 'Z' else offset}"
    return f"{date}T{clock}{fraction}{offset}"


def random_export(seed: int) -> RandomExport:
    """The export of one seed."""
    draw = random.Random(seed)
    as_of = draw.choice(AS_OFS)
    times = _Times(draw, as_of)
    make = _Rows(draw, times)
    tables: dict[str, list[Row]] = {name: [] for name in COLUMNS}
    tables["audit_events"] = make.audit_events()
    tables["pull_requests"] = _one_a_spelling([make.state() for _ in range(draw.randrange(0, 30))])
    tables["decision_records"] = [make.record(number) for number in range(draw.randrange(0, 40))]
    make.fleet(tables)
    make.outcomes(tables)
    if draw.random() < 0.25:
        tables[draw.choice([name for name in tables if tables[name]])] = []
    repos = draw.choice(
        (
            [],
            ["acme/widgets"],
            [" Acme/Widgets ", "acme/widgets", "acme/gadgets", ""],
            ["acme/gadgets", "solo/tool", "acme/widgets", "x", "zoË/äpp"],
            ["other/one"],
        )
    )
    return RandomExport(seed, tables, as_of, repos, draw.choice((2000, 2000, 3, 1)))


def _one_a_spelling(rows: list[Row]) -> list[Row]:
    """No two rows of the same spelling and number: nothing says which of them would count."""
    return list({(row["repo_full_name"], re.sub(r"^0+|\.0$", "", str(row["number"]))): row for row in rows}.values())


class _Rows:
    def __init__(self, draw: random.Random, times: _Times) -> None:
        self.draw, self.times = draw, times
        self.ids = 0
        self.numbers = (1, 2, 3) if draw.random() < 0.6 else (1,)

    def pick(self, of: Any) -> Any:
        return self.draw.choice(of)

    def id(self) -> str:
        """Unique, in an order that is not that of writing."""
        self.ids += 1
        return f"{self.pick('zaAé-0')}{self.draw.randrange(100)}.{self.ids}"

    def repository(self) -> str:
        return self.pick(REPOSITORIES[:5] if self.draw.random() < 0.8 else REPOSITORIES)

    def key(self) -> Any:
        if self.draw.random() < 0.1:
            return self.pick(TRAP_KEYS)
        number = self.pick(self.numbers)
        return f"{self.repository()}#{self.pick(('', '', '', '00'))}{number}"

    def number(self) -> Any:
        number = self.pick(self.numbers)
        if self.draw.random() < 0.06:
            return self.pick(
                (str(number), float(number), f"00{number}", "x", number + 0.5, -number, None, "", f" {number}")
            )
        return number

    def event(self, event_type: str, metadata: Any, **more: Any) -> Row:
        row = {
            "id": self.id(),
            "event_type": event_type,
            "target_key": self.key(),
            "outcome": self.pick(COMPLETED),
            "metadata_json": metadata,
            "created_at": self.times.dirty(),
        }
        return {name: {**row, **more}.get(name) for name in COLUMNS["audit_events"]}

    def audit_events(self) -> list[Row]:
        draw = self.draw
        rows = [self.override() for _ in range(draw.choice((0, 10, 40, 80)))]
        rows += [self.firing() for _ in range(draw.choice((0, 10, 30)))]
        rows += [self.action() for _ in range(draw.choice((0, 15, 40)))]
        rows += [self.reversal() for _ in range(draw.choice((0, 5, 20)))]
        rows += [self.surface() for _ in range(draw.choice((0, 10, 30)))]
        rows += [self.run() for _ in range(draw.choice((0, 2, 6)))]
        rows += [
            self.event(self.pick(TRAP_TYPES), self.pick(('{"verdict":"confirmed"}', "{}", "{")))
            for _ in range(draw.randrange(8))
        ]
        for _ in range(draw.choice((0, 0, 3))):  # the same row again, under another id: one row, one vote
            if rows:
                rows.append({**self.pick(rows), "id": self.id()})
        draw.shuffle(rows)
        return rows

    def rule(self) -> str:
        return self.pick(RULES)

    def signal_key(self) -> Any:
        """Few keys, so that firings meet overrides, several of them."""
        keys = ("acme/widgets#1", "acme/widgets#1", "Acme/Widgets#1", "acme/widgets#1#c0ffee", None, "", "é")
        return self.pick(keys) if self.draw.random() < 0.8 else self.key()

    def override(self) -> Row:
        kind = self.draw.random()
        if kind < 0.05:
            metadata = self.pick(BROKEN_METADATA)
        elif kind < 0.2:
            metadata = self.pick(ODD_VERDICTS)
        else:
            basis = self.pick(("", "", ',"basis":"implicit_terminal_disposition"', ',"basis":1'))
            metadata = f'{{"verdict":"{self.pick(("confirmed", "confirmed", "reversed"))}"{basis}}}'
        return self.event(f"signal.human_override:{self.rule()}", metadata, target_key=self.signal_key())

    def firing(self) -> Row:
        members = []
        if self.draw.random() < 0.8:
            members.append(f'"outcome":{self.pick(OUTCOMES_OF_FIRINGS)}')
        if self.draw.random() < 0.7:
            members.append(f'"confidence":{self.pick(NUMBERS if self.draw.random() < 0.8 else NO_NUMBERS)}')
        if self.draw.random() < 0.1:
            members.append('"provenance":"slop_replay_backfill_v1"')
        self.draw.shuffle(members)
        metadata = self.pick(BROKEN_METADATA) if self.draw.random() < 0.05 else "{" + ",".join(members) + "}"
        return self.event(f"signal.rule_fired:{self.rule()}", metadata, target_key=self.signal_key())

    def action(self) -> Row:
        modes = (
            "{}",
            '{"mode":"live"}',
            '{"mode":"live"}',
            '{"mode":"dry_run"}',
            '{"mode":null}',
            '{"mode":["dry_run"]}',
        )
        modes += ('{"mode":"Dry_Run"}', "{bad", '{"mode":"dry_run","mode":"live"}', '{"mode":"live","mode":"dry_run"}')
        return self.event(f"agent.action.{self.pick(('merge', 'merge', 'close', 'close', 'label'))}", self.pick(modes))

    def reversal(self) -> Row:
        return self.event(
            f"reversal_{self.pick(('reopened', 'reverted', 'superseded'))}", self.pick(("{}", "{bad", None))
        )

    def surface(self) -> Row:
        number = self.pick(NUMBERS if self.draw.random() < 0.8 else NO_NUMBERS)
        minutes = self.pick((f'{{"reviewEffortMinutes":{number}}}', "{}", "{bad", '{"reviewEffortMinutes":7}'))
        return self.event("github_app.pr_public_surface_published", minutes)

    def run(self) -> Row:
        empty = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
        checksum = self.pick((f'"{empty}"', '"abc"', '"def"', '""', "null", "1", '" "'))
        verdict = self.pick(('"regressed"', '"improved"', '"unchanged"', '"Improved"', "null", "1"))
        comparison = self.pick(
            (f'{{"ruleId":"a","verdict":{verdict}}}', f'{{"verdict":{verdict}}}', "null", "[]", '"improved"')
        )
        metadata = self.pick(
            (f'{{"corpusChecksum":{checksum},"comparison":{comparison}}}', f'{{"corpusChecksum":{checksum}}}', "{bad")
        )
        return self.event(f"calibration.{self.pick(('threshold', 'logic', 'counterfactual'))}_backtest_run", metadata)

    def state(self) -> Row:
        merged = self.draw.random() < 0.4
        return {
            "repo_full_name": self.repository(),
            "number": self.number(),
            "state": self.pick(("closed", "closed", "open", "Closed", None, ""))
            if not merged
            else self.pick(("closed", "open")),
            "author_login": "dev",
            "author_association": self.pick(ASSOCIATIONS),
            "merged_at": (self.pick(("", "soon")) if self.draw.random() < 0.05 else self.times.text())
            if merged
            else None,
            "linked_issues_json": "[]",
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": self.times.dirty(0.1),
        }

    def record(self, number: int) -> Row:
        return {
            "id": f"record:{number}",
            "repo_full_name": self.repository(),
            "pull_number": self.number(),
            "head_sha": "sha",
            "action": self.pick(ACTIONS),
            "reason_code": "success",
            "record_digest": "digest",
            "record_json": "{}",
            "created_at": self.times.dirty(),
            "reevaluation_reason": self.pick(REASONS),
            "supersedes_record_id": None,
            "reevaluation_actor": self.pick(ACTORS),
            "findings_count": self.pick(
                (None, 0, 1, 2, 3, 7, "4", 2.0, "x", 1.5) if self.draw.random() < 0.3 else (None, 0, 1, 5)
            ),
        }

    def fleet(self, tables: dict[str, list[Row]]) -> None:
        draw = self.draw
        instances = draw.sample(INSTANCES, draw.randrange(1, len(INSTANCES)))
        registered = [name for name in instances if draw.random() < 0.75]
        tables["orb_instances"] = [
            {"instance_id": name, "registered": int(name in registered)} for name in instances if draw.random() < 0.9
        ]
        volume = draw.choice((0, 8, 30, 80))
        tables["orb_signals"] = [self.signal(self.pick(instances)) for _ in range(volume)]
        if draw.random() < 0.5 and volume:  # one that does most of it
            tables["orb_signals"] += [self.signal(instances[0], good=True) for _ in range(60)]
        tables["orb_signal_rollups"] = [self.rollup(self.pick(instances)) for _ in range(draw.choice((0, 4, 12)))]
        tables["orb_risk_control_arms"] = [
            {
                "instance_id": name,
                "arm": arm,
                "payload_json": self.pick(PAYLOADS),
                "updated_at": self.times.dirty(0.1),
            }
            for name in instances
            for arm in ("close", "merge", "Merge")
            if draw.random() < 0.8
        ]

    def signal(self, instance: str, good: bool = False) -> Row:
        decision = self.pick((None, None, "garbage", "", self.times.text(), self.times.text(), self.times.text()))
        row = {
            "instance_id": instance,
            "gate_verdict": self.pick(VERDICTS),
            "outcome": self.pick(("merged", "merged", "closed", "Merged", None)),
            "reversal_flag": self.pick(FLAGS),
            "gate_reasoncode_bucket": self.pick(BUCKETS),
            "time_to_close_ms": self.pick((None, 0, 1000, 3_600_000, "500", 7.0, "soon", -5)),
            "decision_timestamp": decision,
            "received_at": self.times.dirty(),
        }
        if good:
            row |= {"gate_verdict": "merge", "outcome": "merged", "reversal_flag": "none"}
        return row

    def rollup(self, instance: str) -> Row:
        return {
            "instance_id": instance,
            "day": self.pick(("someday", "", None)) if self.draw.random() < 0.04 else self.times.day(),
            "gate_verdict": self.pick(("merge", "close", "hold", "")),
            "outcome": self.pick(("merged", "closed", "")),
            "reversal_flag": self.pick(FLAGS),
            "gate_reasoncode_bucket": self.pick(("", "", "other", "policy_action")),
            "n": self.pick((1, 2, 3, 5, 0, "2", "x", 1.5)) if self.draw.random() < 0.2 else self.pick((1, 2, 5)),
        }

    def outcomes(self, tables: dict[str, list[Row]]) -> None:
        draw = self.draw
        tables["orb_github_installations"] = [
            {"installation_id": number, "account_login": self.pick(("acme", None)), "registered": self.pick((0, 1, 1))}
            for number in range(1, draw.randrange(1, 5))
        ]
        tables["orb_pr_outcomes"] = [
            {
                "repository_full_name": self.pick((*REPOSITORIES, "ext/one", "ext/two")),
                "pr_number": self.number(),
                "installation_id": self.pick((1, 2, 3, None, "1", 1.0, "x")),
                "outcome": self.pick(("merged", "merged", "closed", "closed", "other", None, "rolled_up_merged")),
                "occurred_at": self.times.dirty(),
            }
            for _ in range(draw.choice((0, 5, 25)))
        ]
        tables["orb_outcome_rollups"] = [
            {
                "account_login": account,
                "merged": self.pick((0, 1, 12)),
                "closed": self.pick((0, 5)),
                "total": self.pick((0, 17, 3)),
            }
            for account in ("acme", "", "solo")[: draw.randrange(4)]
        ]
