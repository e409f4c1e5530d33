"""Rows that are wrong, odd or hostile on purpose, one small catalogue entry a kind.

Real tables hold each of these; a reader must count them, never stop at them, and never show them as markup. What
is merely rare, but right, belongs to `scenes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from evenhand.sample.draws import Draws
from evenhand.sample.extras import Extra
from evenhand.sample.span import DAY, HOUR, MINUTE, Span, iso, spaced
from evenhand.sample.world import GATE_ACTOR, GATE_BOT, HUMAN_ACTOR

_OVERRIDE = "signal.human_override:manifest_missing_tests"
_FIRED = "signal.rule_fired:ai_consensus_defect"
_PUBLISHED = "github_app.pr_public_surface_published"
_CLOSE = "agent.action.close"
_CONFIRMED = '{"verdict":"confirmed"}'
_RECENT = 75 * DAY
_EVENTS_PER_COPY = 100_000
_MOST_COPIES = 40
_FIRST_TARGET = 5_000  # beyond the numbers of the sample's own pull requests, until those number many thousands


class Dirt(NamedTuple):
    """One kind of dirt; whatever is not given is clean."""

    kind: str
    event_type: str = _OVERRIDE
    metadata: object = _CONFIRMED
    target: object = "acme/widgets#{n}"
    created: Callable[[str], object] | None = None
    outcome: str = "completed"


def _cut(text: str, end: int, tail: str) -> str:
    return text[:end] + tail


TIMES = (
    Dirt("words_for_a_time", created=lambda text: "yesterday"),
    Dirt("empty_time", created=lambda text: ""),
    Dirt("month_thirteen", created=lambda text: f"{text[:4]}-13-40T00:00:00Z"),
    Dirt("hour_twenty_four", created=lambda text: _cut(text, 11, "24:00:00Z")),
    Dirt("second_sixty", created=lambda text: _cut(text, 17, "60Z")),
    Dirt("lower_case_t", created=lambda text: text.replace("T", "t")),
    Dirt("untrimmed_time", created=lambda text: f" {text}"),
    Dirt("basic_form", created=lambda text: text[:19].replace("-", "").replace(":", "") + "Z"),
    Dirt("epoch_seconds", created=lambda text: 1_790_000_000),
    Dirt("blob_time", created=lambda text: text.encode()),
    Dirt("space_form", created=spaced),
    Dirt("space_form_fraction", created=lambda text: f"{text[:10]} {text[11:23]}"),
    Dirt("space_form_offset", created=lambda text: f"{spaced(text)}+00"),
    Dirt("offset_colon", created=lambda text: f"{text[:19]}+02:00"),
    Dirt("offset_no_colon", created=lambda text: f"{text[:19]}-0130"),
    Dirt("offset_hours", created=lambda text: f"{text[:19]}+05"),
    Dirt("no_zone", created=lambda text: text[:19]),
    Dirt("no_seconds", created=lambda text: f"{text[:16]}Z"),
    Dirt("nanoseconds", created=lambda text: f"{text[:19]}.123456789Z"),
    Dirt("date_only", created=lambda text: text[:10]),
)

METADATA = (
    Dirt("cut_off", metadata='{"verdict":"confir'),
    Dirt("nan", _FIRED, '{"outcome":"blocker","confidence":NaN}'),
    Dirt("trailing_comma", metadata='{"verdict":"reversed",}'),
    Dirt("single_quotes", metadata="{'verdict':'confirmed'}"),
    Dirt("comment", metadata='{"verdict":"confirmed"} // by hand'),
    Dirt("array", metadata='["confirmed"]'),
    Dirt("bare_null", metadata="null"),
    Dirt("empty_text", metadata=""),
    Dirt("blank_text", metadata="  "),
    Dirt("leading_zero", _FIRED, '{"confidence":00.9}'),
    Dirt("raw_control_character", metadata='{"verdict":"confirmed","note":"a\tb"}'),
    Dirt("byte_order_mark", metadata="\ufeff" + _CONFIRMED),
    Dirt("blob_metadata", metadata=b'{"verdict":"confirmed"}'),
    Dirt("unpaired_surrogate", metadata='{"verdict":"confirmed","note":"\\ud83d"}'),
    Dirt("paired_surrogate", metadata='{"verdict":"confirmed","note":"\\ud83c\\udfaf"}'),
    Dirt("duplicate_key", metadata='{"verdict":"reversed","verdict":"confirmed"}'),
    Dirt("escaped_key", metadata='{"\\u0076erdict":"\\u0063onfirmed"}'),
    Dirt("white_space", metadata='{ "verdict" :\n "reversed" }'),
    Dirt("nested_deep", metadata='{"verdict":"confirmed","tree":' + "[" * 60 + "]" * 60 + "}"),
    Dirt("verdict_upper", metadata='{"verdict":"Confirmed"}'),
    Dirt("verdict_number", metadata='{"verdict":1}'),
    Dirt("verdict_null", metadata='{"verdict":null}'),
    Dirt("verdict_trailing_blank", metadata='{"verdict":"confirmed "}'),
    Dirt("verdict_list", metadata='{"verdict":["confirmed"]}'),
    Dirt("verdict_absent", metadata="{}"),
    Dirt("provenance_blank", metadata='{"verdict":"confirmed","provenance":"slop_replay_backfill_v1 "}'),
    Dirt("confidence_text", _FIRED, '{"outcome":"blocker","confidence":"0.93"}'),
    Dirt("confidence_infinite", _FIRED, '{"outcome":"blocker","confidence":1e400}'),
    Dirt("confidence_percent", _FIRED, '{"outcome":"warning","confidence":93}'),
    Dirt("confidence_negative_zero", _FIRED, '{"outcome":"warning","confidence":-0.0}'),
    Dirt("confidence_long", _FIRED, '{"outcome":"warning","confidence":0.91999999999999998224}'),
    Dirt("confidence_boolean", _FIRED, '{"outcome":"warning","confidence":true}'),
    Dirt("outcome_number", _FIRED, '{"outcome":7,"confidence":0.8}'),
    Dirt("integer_like_keys", _FIRED, '{"10":1,"2":{"b":1e3,"a":1e-7},"outcome":"blocker","confidence":0.9}'),
    Dirt("effort_text", _PUBLISHED, '{"reviewEffortMinutes":"12"}'),
    Dirt("effort_negative", _PUBLISHED, '{"reviewEffortMinutes":-5}'),
    Dirt("effort_boolean", _PUBLISHED, '{"reviewEffortMinutes":true}'),
    Dirt("effort_malformed", _PUBLISHED, '{"reviewEffortMinutes":'),
)

TARGETS = (
    Dirt("three_parts", _PUBLISHED, "{}", "acme/widgets#{n}#deadbee"),
    Dirt("three_parts_override", target="acme/widgets#{n}#src/a.ts"),
    Dirt("zero_padded", _PUBLISHED, "{}", "acme/widgets#007"),
    Dirt("null_target", target=None),
    Dirt("empty_target", target=""),
    Dirt("no_number", _PUBLISHED, "{}", "acme/gadgets#"),
    Dirt("no_repository", _PUBLISHED, "{}", "#{n}"),
    Dirt("no_hash", _PUBLISHED, "{}", "acme/gadgets"),
    Dirt("number_and_letters", _PUBLISHED, "{}", "acme/gadgets#{n}a"),
    Dirt("wide_digits", _PUBLISHED, "{}", "acme/gadgets#１２"),
    Dirt("blob_target", target=b"acme/widgets#1900"),
    Dirt("upper_repository", _PUBLISHED, "{}", "ACME/WIDGETS#{n}"),
    Dirt("mixed_repository_close", _CLOSE, '{"mode":"live"}', "Acme/Gadgets#{n}"),
    Dirt("huge_number", _PUBLISHED, "{}", "acme/gadgets#99999999999999999999"),
    Dirt("outcome_case", _CLOSE, '{"mode":"live"}', "acme/widgets#{n}", outcome="Completed"),
    Dirt("reversal_not_completed", "reversal_reverted", "{}", "acme/widgets#{n}", outcome="error"),
)

TYPES = (
    Dirt("empty_rule", "signal.human_override:"),
    Dirt("empty_rule_fired", "signal.rule_fired:", "{}"),
    Dirt("prefix_case", "Signal.Human_Override:manifest_missing_tests"),
    Dirt("no_colon", "signal.human_override"),
    Dirt("unknown_type", "github_app.installation_synced", "{}", None),
)

MARKUP_RULE = "<img src=x onerror=alert('evenhand')>"
RIGHT_TO_LEFT_RULE = "قاعدة_الاختبار_\u202egnorw"
LONG_RULE = "very_long_rule_name_" * 14
# (rule id, confirmed, reversed): two of them bear a published figure, so that pages must show them
ODD_RULES: tuple[tuple[str, int, int], ...] = (
    (MARKUP_RULE, 10, 3),
    (RIGHT_TO_LEFT_RULE, 9, 2),
    (LONG_RULE, 2, 1),
    ("règle_caféine", 2, 0),
    ("re\u0300gle_cafe\u0301ine", 1, 1),  # the same to the eye, decomposed: another rule
    ("правило_тестов", 1, 1),
    ("규칙_🎯", 1, 0),
    ("../../etc/passwd", 1, 0),
    ('=HYPERLINK("http://example.invalid","x")', 1, 0),
    ('comma, "quote" and\nnewline', 1, 1),
    ("Missing_Linked_Issue", 1, 1),
    (" ", 1, 0),
    ("pre:colon:ed", 1, 0),
    ("CON", 1, 0),
)

CATALOGUE = TIMES + METADATA + TARGETS + TYPES


def dirt(draws: Draws, span: Span, events: int) -> Iterator[Extra]:
    """Every kind, a few times: once in a small sample, a few dozen times in a large one."""
    for copy in range(copies(events)):
        for index, kind in enumerate(CATALOGUE):
            yield _row(draws, span, kind, _FIRST_TARGET + copy * len(CATALOGUE) + index)
    yield from _odd_rules(draws, span)
    yield from _edges(span)


def copies(events: int) -> int:
    """How often each kind occurs."""
    return min(1 + events // _EVENTS_PER_COPY, _MOST_COPIES)


def _row(draws: Draws, span: Span, kind: Dirt, number: int) -> Extra:
    time = span.as_of - DAY - int(draws.one() * min(_RECENT, span.days * DAY - DAY))
    target = kind.target.replace("{n}", str(number)) if isinstance(kind.target, str) else kind.target
    created = None if kind.created is None else kind.created(iso(time))
    actor = HUMAN_ACTOR if "override" in kind.event_type else GATE_ACTOR if "fired" in kind.event_type else GATE_BOT
    return Extra(time, kind.event_type, target, kind.metadata, actor, kind.outcome, None, created, dirty=True)


def _odd_rules(draws: Draws, span: Span) -> Iterator[Extra]:
    number = 0
    for rule_id, confirmed, reversed_ in ODD_RULES:
        for verdict in ["confirmed"] * confirmed + ["reversed"] * reversed_:
            number += 1
            time = span.as_of - 3 * DAY - int(draws.one() * min(_RECENT, span.days * DAY - 3 * DAY))
            target = f"acme/gadgets#{_FIRST_TARGET + number}"
            yield Extra(time, f"signal.rule_fired:{rule_id}", target, '{"outcome":"warning"}', GATE_ACTOR)
            decided = time + HOUR + draws.index(DAY)
            yield Extra(decided, f"signal.human_override:{rule_id}", target, f'{{"verdict":"{verdict}"}}', HUMAN_ACTOR)


def _edges(span: Span) -> Iterator[Extra]:
    """Verdicts on the very edges of the half-open window, and after it."""
    window = 90 * DAY
    for number, created in enumerate(
        (
            span.as_of,
            span.as_of + 1,
            span.as_of + 2 * HOUR,
            span.as_of - 1,
            span.as_of - window,
            span.as_of - window - 1,
        )
    ):
        arrives = min(created, span.as_of - MINUTE)
        if arrives >= span.start:
            target = f"acme/widgets#{_FIRST_TARGET - 10 + number}"
            yield Extra(arrives, _OVERRIDE, target, _CONFIRMED, HUMAN_ACTOR, created=iso(created))


# --- the other tables ------------------------------------------------------------------------------------------


def pull_rows(span: Span) -> Iterator[tuple[object, ...]]:
    """`pull_requests`: two rows of one pull request, odd states, texts where times or numbers belong."""
    time, later = iso(span.as_of - 20 * DAY), iso(span.as_of - 19 * DAY)

    def row(
        name: str, number: object, state: str, association: object, merged: object, updated: object
    ) -> tuple[object, ...]:
        return (
            f"{name}#{number}:dirt", name, number, "<b>Fix</b> & \"quote\" 'it' \u202egnorw", state, "amara", association,
            None, merged, "[]", time, updated,
        )  # fmt: skip

    yield row("acme/widgets", 1601, "open", "MEMBER", None, time)
    yield row("Acme/Widgets", 1601, "closed", "MEMBER", later, later)
    yield row("ACME/widgets", 1602, "closed", "owner", None, later)
    yield row("acme/gadgets", 803, "CLOSED", "CONTRIBUTOR", None, later)
    yield row("acme/gadgets", 804, "closed", "MANNEQUIN", "soon", later)
    yield row("acme/gadgets", 805, "closed", "weird", "", later)
    yield row("acme/gadgets", 806, "closed", "NONE", spaced(later), spaced(later))
    yield row("acme/gadgets", 807, "open", None, None, "not a time")
    yield row("acme/gadgets", "eight hundred", "open", "NONE", None, time)


def file_rows() -> Iterator[tuple[object, ...]]:
    """`pull_request_files`: a number that is text, and hostile paths."""
    yield "dirt:1", "acme/widgets", "abc", "src/core/parser.ts"
    yield "dirt:2", "acme/widgets", 1601, "../../etc/passwd"
    yield "dirt:3", "Acme/Widgets", 1601, "src/<script>alert(1)</script>.ts"
    yield "dirt:4", "acme/widgets", 1601, ""


def signal_rows(span: Span, first_id: int, instance: str) -> Iterator[tuple[object, ...]]:
    """`orb_signals`: bad times, unknown flags, times to close that are none."""
    good, day = iso(span.as_of - 10 * DAY), iso(span.as_of - 10 * DAY)[:10]
    for index, (flag, close_ms, decided, received) in enumerate(
        (
            ("none", 3_600_000, good, "soon"),
            ("none", 3_600_000, "not a time", good),
            ("weird", 60_000, good, good),
            ("none", -5, good, good),
            ("none", "n/a", good, good),
            ("none", 1.5e12, good, f"{day} 08:00:00+02"),
            ("none", None, None, day),
        )
    ):
        yield (
            first_id + index, instance, "rh0", f"dirt{index}", "merge", "merged", flag, "other", close_ms, decided, None,
            None, received,
        )  # fmt: skip


def rollup_rows(span: Span, instance: str) -> Iterator[tuple[object, ...]]:
    """`orb_signal_rollups`: an impossible day, and a cell that counts nothing."""
    updated = iso(span.as_of - HOUR)
    yield instance, "2026-99-99", "merge", "merged", "none", "", 3, updated
    yield instance, iso(span.as_of - 85 * DAY)[:10], "merge", "merged", "none", "other", 0, updated


def outcome_rows(span: Span) -> Iterator[tuple[object, ...]]:
    """`orb_pr_outcomes`: a time that is none, a third outcome, another spelling."""
    good = spaced(iso(span.as_of - 9 * DAY))
    yield "globex/router", 1, 11, "merged", "never"
    yield "globex/router", 2, 11, "abandoned", good
    yield "Globex/Router", 3, 11, "merged", good
    yield "ACME/WIDGETS", 1602, 1, "closed", good
