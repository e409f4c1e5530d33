"""Waivers: what is declared in full is waived and counted; what is not waives nothing. Structure is never waived."""

import json
from typing import Any

import pytest

from evenhand.canonical import canonical, sha256_hex
from evenhand.metrics.ledger.chain import GENESIS, Chain, as_json, row_hash, verify_chain
from evenhand.metrics.ledger.waivers import ContentWaiver, UnchainedWaiver, Waivers
from evenhand.metrics.registry import Context
from evenhand.policy import Policy
from evenhand.timeline import DAY, HOUR, instant_argument

AS_OF = instant_argument("2026-06-01T00:00:00Z")
CONTEXT = Context(Policy(), AS_OF, frozenset({"decision_ledger", "decision_records"}))


def chain(count: int, changed: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """A chain of so many rows, an hour apart, some of whose records are not what was committed to."""
    rows: list[dict[str, Any]] = []
    for seq in range(1, count + 1):
        record = json.dumps({"seq": seq})
        row = {
            "seq": seq,
            "record_id": f"r{seq}",
            "record_digest": sha256_hex(canonical({"seq": seq})),
            "prev_hash": rows[-1]["row_hash"] if rows else GENESIS,
            "created_at": f"2026-05-01T{seq:02}:00:00.000Z",
            "ts_us": instant_argument("2026-05-01T00:00:00Z") + seq * HOUR,
            "found": True,
            "record_json": "{}" if seq in changed else record,
            "record_content": None,
        }
        rows.append({**row, "row_hash": row_hash(row)})
    return rows


def orphan(name: str, at: str) -> dict[str, Any]:
    return {"id": name, "ts_us": instant_argument(at)}


def verified(
    rows: list[dict[str, Any]], orphans: list[dict[str, Any]], content: str = "", unchained: str = ""
) -> Chain:
    return verify_chain(rows, orphans, CONTEXT, Waivers.declared(content, unchained))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("3-7:lost disk", ContentWaiver(3, 7, "lost disk")),
        ("3-3:one", ContentWaiver(3, 3, "one")),
        ("3-7:", None),
        ("3-7: ", None),
        ("3-:why", None),
        ("-7:why", None),
        ("7-3:why", None),
        ("3..7:why", None),
        ("3-7", None),
        ("", None),
    ],
)
def test_a_content_waiver_needs_both_ends_and_a_reason(text: str, read: ContentWaiver | None) -> None:
    assert Waivers.declared(text, None).content == read


FROM, TO = "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (f"{FROM}..{TO}|5|migration", True),
        (f"{FROM}..{TO}|0|none", True),
        (f"{FROM}..{TO}||why", False),
        (f"{FROM}..{TO}|5|", False),
        (f"{FROM}..{TO}|5", False),
        (f"{FROM}..|5|why", False),
        (f"..{TO}|5|why", False),
        (f"{TO}..{FROM}|5|why", False),
        (f"{FROM}..soon|5|why", False),
        (f"{FROM}..{TO}|many|why", False),
    ],
)
def test_an_unchained_waiver_needs_both_ends_the_maximum_and_a_reason(text: str, is_read: bool) -> None:
    start = instant_argument(FROM)
    expected = UnchainedWaiver(FROM, TO, 5, "migration", start, start + DAY)
    read = Waivers.declared(None, text).unchained
    assert (read is not None) == is_read
    if "migration" in text:
        assert read == expected


def test_a_mismatch_inside_the_range_is_waived_and_counted_apart() -> None:
    found = as_json(verified(chain(5, changed=(2, 4)), [], content="2-2:known"), with_record_ids=False)
    assert (found["ok"], found["contentMismatches"], found["waivedContentMismatches"]) == (False, 1, 1)
    assert found["break"] == {"kind": "content_mismatch", "atSeq": 4}
    assert found["contentWaiver"] == {"fromSeq": 2, "toSeq": 2, "reason": "known"}
    whole = as_json(verified(chain(5, changed=(2, 4)), [], content="2-4:known"), with_record_ids=False)
    assert (whole["ok"], whole["contentMismatches"], whole["waivedContentMismatches"]) == (True, 0, 2)


def test_records_outside_the_chain_are_waived_up_to_the_maximum_or_not_at_all() -> None:
    orphans = [orphan("a", "2026-05-01T02:00:00Z"), orphan("b", "2026-05-01T03:00:00Z")]
    enough = as_json(verified(chain(5), orphans, unchained=f"{FROM}..{TO}|2|migration"), with_record_ids=False)
    assert (enough["ok"], enough["waivedUnchainedRecords"]) == (True, 2)
    assert enough["unchainedWaiver"] == {"fromIso": FROM, "toIso": TO, "maxRecords": 2, "reason": "migration"}
    too_few = as_json(verified(chain(5), orphans, unchained=f"{FROM}..{TO}|1|migration"), with_record_ids=False)
    assert (too_few["ok"], too_few["waivedUnchainedRecords"], too_few["break"]["kind"]) == (
        False,
        0,
        "unchained_record",
    )


def test_a_short_tail_and_the_structure_are_never_waived() -> None:
    after = [orphan("late", "2026-05-01T20:00:00Z")]
    short = as_json(verified(chain(5), after, unchained=f"{FROM}..{TO}|9|no"), with_record_ids=False)
    assert (short["ok"], short["break"]["kind"]) == (False, "short_tail")
    gap = [row for row in chain(5) if row["seq"] != 3]
    broken = as_json(verified(gap, [], content="1-5:no"), with_record_ids=False)
    assert (broken["ok"], broken["break"]["kind"]) == (False, "sequence_gap")


def test_the_published_break_names_no_record() -> None:
    found = verified(chain(5, changed=(4,)), [])
    assert "recordId" not in as_json(found, with_record_ids=False)["break"]
    assert as_json(found, with_record_ids=True)["break"]["recordId"] == "r4"
