"""Segments of the ledger, pages of anchors: what is vouched for and what is not."""

import hashlib
from typing import Any

from evenhand.serve.ledger import GENESIS, Ledger

Row = dict[str, Any]


def rows(number: int) -> list[Row]:
    made, previous = [], GENESIS
    for seq in range(1, number + 1):
        digest = hashlib.sha256(str(seq).encode()).hexdigest()
        made.append({"seq": seq, "prev_hash": previous, "row_hash": digest, "record_digest": "d", "created_at": "t"})
        previous = digest
    return made


def ledger(chain: list[Row], broken: Row | None = None, anchors: tuple[Row, ...] = ()) -> Ledger:
    told: Row = {"ok": broken is None, "checked": len(chain), "nextAfterSeq": None, "tipSeq": chain[-1]["seq"]}
    told |= {"totalCount": len(chain), "contentMismatches": 0}
    return Ledger(chain, told | ({"break": broken} if broken else {}), {"anchors": list(anchors), "status": "x"}, {})


def anchor(name: str, seq: int, backend: str = "git", binds: bool = True) -> Row:
    return {
        "id": name,
        "seq": seq,
        "backend": backend,
        "binds": binds,
        "payload": {"v": 1, "seq": seq},
        "keyId": "k",
        "signature": "s",
    }


def test_segments_follow_each_other_to_the_tip() -> None:
    chain, after, seen = ledger(rows(7)), 0, []
    while after is not None:
        found = chain.segment(after, 3)
        seen.append((found["ok"], found["checked"], found["nextAfterSeq"]))
        after = found["nextAfterSeq"]
    assert seen == [(True, 3, 3), (True, 3, 6), (True, 1, None)]


def test_after_the_tip_there_is_nothing_to_check() -> None:
    assert ledger(rows(2)).segment(2, 5)["checked"] == 0
    assert ledger(rows(2)).segment(99, 5)["nextAfterSeq"] is None


def test_a_gap_and_another_predecessor_break_the_segment_that_holds_them() -> None:
    gap = rows(5)
    del gap[2]
    assert ledger(gap).segment(1, 9)["break"] == {"kind": "sequence_gap", "atSeq": 4, "expectedSeq": 3}
    assert ledger(gap).segment(3, 9)["break"] == {"kind": "sequence_gap", "atSeq": 4, "expectedSeq": 3}
    forged = rows(5)
    forged[3]["prev_hash"] = "f" * 64
    assert ledger(forged).segment(0, 3)["ok"]
    found = ledger(forged).segment(3, 3)
    assert (found["ok"], found["checked"], found["break"]) == (False, 0, {"kind": "predecessor_mismatch", "atSeq": 4})


def test_what_only_records_show_is_told_from_its_place_on_and_never_vouched_for_after_it() -> None:
    broken = {"kind": "content_mismatch", "atSeq": 4}
    chain = ledger(rows(9), broken)
    assert chain.segment(0, 3)["ok"]
    assert chain.segment(0, 4)["break"] == broken
    assert chain.segment(0, 4)["checked"] == 3
    assert chain.segment(6, 2)["break"] == broken


def test_row_hashes_are_checked_where_records_are_named() -> None:
    named = [row | {"record_id": f"acme/widgets#{row['seq']}"} for row in rows(2)]
    assert ledger(named).segment(0, 2)["break"] == {"kind": "row_hash_mismatch", "atSeq": 1}
    assert ledger(named).row(1) == {
        "seq": 1,
        "recordDigest": "d",
        "prevHash": GENESIS,
        "rowHash": named[0]["row_hash"],
        "createdAt": "t",
        "recordId": "acme/widgets#1",
    }


def test_pages_of_anchors_are_newest_first_and_split_no_position() -> None:
    chain = ledger(rows(1), anchors=(anchor("a", 1), anchor("b", 5), anchor("c", 5, "rekor"), anchor("d", 8)))
    first = chain.page(None, None, 2)
    assert ([one["id"] for one in first["anchors"]], first["nextBefore"]) == (["d", "c", "b"], 5)
    second = chain.page(None, 5, 2)
    assert ([one["id"] for one in second["anchors"]], second["nextBefore"]) == (["a"], None)
    assert [one["id"] for one in chain.page("rekor", None, None)["anchors"]] == ["c"]


def test_the_newest_anchor_that_binds_is_the_one_whose_payload_is_given() -> None:
    chain = ledger(rows(1), anchors=(anchor("a", 1), anchor("b", 5), anchor("c", 8, binds=False)))
    assert chain.newest_binding() == {
        "signed": {"payload": {"v": 1, "seq": 5}, "keyId": "k", "signature": "s"},
        "signingInput": '{"seq":5,"v":1}',
    }
    assert ledger(rows(1)).newest_binding() is None
