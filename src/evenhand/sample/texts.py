"""Metadata texts of audit events: the few that repeat, as numbered tables, and the ones that each row has alone.

Says how a text is written, as the gate's writers write it (compact, keys in their own order). Which row gets
which text is decided where rows are made.
"""

from __future__ import annotations

import json
from itertools import product

from evenhand.sample.world import RULES

CONFIDENCE_STEPS = 1_000  # confidences have three decimals at most
NO_CONFIDENCE = CONFIDENCE_STEPS + 1
_PER_PREFIX = CONFIDENCE_STEPS + 2

OUTCOMES = ("blocker", "warning", "critical", None)
GATE_MODES = ("block", "advisory")

CONFIRMED, REVERSED, CONFIRMED_IMPLICIT = 0, 1, 2
_VERDICTS = (
    '{"verdict":"confirmed"}',
    '{"verdict":"reversed"}',
    '{"verdict":"confirmed","basis":"implicit_terminal_disposition"}',
    '{"verdict":"confirmed","basis":"explicit_review"}',
    '{"verdict":"dismissed"}',
)
CONFIRMED_EXPLICIT, UNRECOGNIZED = 3, 4
_EFFORTS = ("5", "6", "8", "10", "12", "15", "18", "20", "25", "30", "45", "10.5", "7.5")
_MODES = ('{"mode":"live"}', "{}", '{"mode":null}')
_MORE = ('{"mode":"dry_run"}', '{"label":"gate:needs-issue"}', '{"label":"gate:held"}')

EFFORT_BASE = len(_VERDICTS)
EFFORT_COUNT = len(_EFFORTS) + 1
LIVE_BASE = EFFORT_BASE + EFFORT_COUNT
LIVE_WEIGHTS = (0.95, 0.03, 0.02)
DRY_RUN_TEXT = LIVE_BASE + len(_MODES)
LABEL_BASE = DRY_RUN_TEXT + 1
LABEL_COUNT = 2
FIRED_BASE = LIVE_BASE + len(_MODES) + len(_MORE)
OWN_TEXT = -1  # this row's text is written for it alone


def _confidence(step: int) -> str:
    return f"{step / CONFIDENCE_STEPS:.3f}".rstrip("0").rstrip(".")


def _firings() -> list[str]:
    texts = []
    for outcome, mode in product(OUTCOMES, GATE_MODES):
        fields = ([] if outcome is None else [f'"outcome":"{outcome}"']) + [f'"gateMode":"{mode}"']
        head = "{" + ",".join(fields)
        texts += [f'{head},"confidence":{_confidence(step)}}}' for step in range(CONFIDENCE_STEPS + 1)]
        texts.append(head + "}")
    return texts


def table() -> list[str]:
    """Every repeated text, by its number."""
    efforts = [f'{{"reviewEffortMinutes":{minutes}}}' for minutes in _EFFORTS]
    return [*_VERDICTS, *efforts, "{}", *_MODES, *_MORE, *_firings()]


def firing_number(outcome: int, mode: int, confidence_step: int) -> int:
    """The number of a firing's text; works on arrays as well."""
    return FIRED_BASE + (outcome * len(GATE_MODES) + mode) * _PER_PREFIX + confidence_step


# --- texts that a row has alone --------------------------------------------------------------------------------

_ASKS = (
    "Add retries to",
    "Stop the leak in",
    "Speed up",
    "Document",
    "Make idempotent",
    "Bound the memory of",
)
_THINGS = ("the upload queue", "session refresh", "the CSV importer", "webhook delivery", "the route cache")
_WHENS = (
    "when the peer resets",
    "after a redeploy",
    "under a full disk",
    "for empty input",
    "on Windows paths",
)
_FINDINGS = (
    "the diff only renames the helper",
    "the retry loop has no upper bound",
    'the test asserts "ok" before the call',
    "the new branch is covered",
    "the lock is taken twice",
)


def context_fields(rule: int, number: int, *, confirmed: bool) -> dict[str, str]:
    """What a model read and answered about one firing; the answer leans the way people later decided."""
    ask = f"{_ASKS[number % len(_ASKS)]} {_THINGS[number % len(_THINGS)]} {_WHENS[(number // 3) % len(_WHENS)]}"
    # one answer in eight is wrong, so that a replay has something to find
    agrees = number % 8 != 0
    status = "unaddressed" if confirmed == agrees else ("addressed" if number % 2 else "partial")
    answer = json.dumps({"status": status, "reason": _FINDINGS[number % len(_FINDINGS)]}, separators=(",", ":"))
    fields = {"issueText": f"{ask}.\nSee #{number}.", "modelResponseText": answer}
    if RULES[rule].rule_id == "secret_leak":
        # the example key of a vendor's own documentation: shaped like a secret, and nobody's
        fields["diff"] = f"+AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE # {number}"
    return fields


def with_context(text: str, fields: dict[str, str]) -> str:
    """`text` with the captured context appended."""
    return f"{text[:-1]},{json.dumps(fields, separators=(',', ':'))[1:]}"


def outcome_text(repository: str, number: int, *, merged: bool, by_bot: bool) -> str:
    """Metadata of `pr_outcome`."""
    said = f'"merged":{_bool(merged)},"botWasActor":{_bool(by_bot)}'
    return f'{{"repoFullName":"{repository}","pullNumber":{number},{said}}}'


def reopened_text(repository: str, number: int) -> str:
    """Metadata of a reopening, by anyone."""
    return f'{{"repoFullName":"{repository}","pullNumber":{number}}}'


def reverted_text(repository: str, number: int, by: int) -> str:
    """Metadata of `reversal_reverted`."""
    return f'{{"repoFullName":"{repository}","revertedPullNumber":{number},"revertPullNumber":{by}}}'


def superseded_text(repository: str, number: int, by: int) -> str:
    """Metadata of `reversal_superseded`."""
    why = '"heuristics":{"sameLinkedIssue":true,"sameAuthorFileOverlap":false,"fileOverlapRatio":0}'
    return f'{{"repoFullName":"{repository}","pullNumber":{number},"supersededBy":{by},{why}}}'


def _bool(value: bool) -> str:
    return "true" if value else "false"


# Every kind of escape that JSON has, long enough that a parser's fast path for plain text never helps.
_ESCAPES = (
    r"line one\nline \"two\"\tand \\a\\path\\to\\file\u00e9\u2028 caf\u00e9 \ud83d\ude80 \/slash\/ \b\f\r end; ",
    r"diff --git a\/x b\/x\n- \"old\": \"v\\\"alue\"\n+ \"new\": \"\u00fc\u4e2d\u6587\"\n\u2029 tail \\\\ \"q\" ",
    r"Traceback:\n  File \"C:\\repo\\gate.py\", line 7\n    raise Error(\"\u0416\u0448\")\n\u0000\u001f\u007f ok ",
)
_ESCAPE_REPEATS = 6


def unique_text(text: str, row_id: str) -> str:
    """`text` with a long trace before it that no other row has: a parser must read all of it to reach the rest."""
    block = _ESCAPES[ord(row_id[-1]) % len(_ESCAPES)] * _ESCAPE_REPEATS
    trace = f'{{"trace":"{row_id}\\n{block}\\"{row_id[-12:]}\\""'
    return f"{trace}}}" if text == "{}" else f"{trace},{text[1:]}"
