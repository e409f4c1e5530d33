"""The decision ledger over HTTP: the verification of the whole chain or of a segment, one row, and pages of anchors.

Belongs here: what is answered from the published ledger rows and from what the build found. Does not: HTTP (server).

Without record ids, which name pull requests, nobody can compute a row hash from what is published. A segment is
therefore checked for what its rows show: positions without a gap and the predecessor of each row, and the row hash as
well where the policy publishes record ids. Records, their content, waivers and counts are those that the build found
for the whole chain, in which it stopped at the first break: a segment that ends before that break is vouched for, and
any other says what the break is and is not ok.

Source: fairness contract, section 8; interface contract, "Served paths".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.verify.plain import canonical, sha256

GENESIS = "0" * 64
PAGE, LONGEST_PAGE = 1000, 10_000
ANCHORS, MOST_ANCHORS = 100, 1000
Row = dict[str, Any]


@dataclass(frozen=True)
class Ledger:
    """One build's ledger. rows: in the order of the chain, with seq as a number; None when the source has no ledger."""

    rows: list[Row]
    verification: Row
    anchors: Row
    keys: Row

    @cached_property
    def _at(self) -> dict[int, Row]:
        found: dict[int, Row] = {}
        for row in self.rows:
            found.setdefault(row["seq"], row)
        return found

    def row(self, seq: int) -> Row | None:
        """One row as the compatible API shows it."""
        row = self._at.get(seq)
        if row is None:
            return None
        shown = {
            "seq": row["seq"],
            "recordDigest": row["record_digest"],
            "prevHash": row["prev_hash"],
            "rowHash": row["row_hash"],
            "createdAt": row["created_at"],
        }
        return shown | ({"recordId": row["record_id"]} if "record_id" in row else {})

    def segment(self, after: int, limit: int) -> Row:
        """The verification of up to `limit` rows after a position, in the shape of that of the whole chain."""
        rows = [row for row in self.rows if row["seq"] > after][:limit]
        checked, broken = self._structure(rows, after)
        end = rows[-1]["seq"] if rows else after
        whole = self.verification.get("break")
        # The whole chain's scan went no further than its break, so that nothing from there on is vouched for.
        if broken is None and whole is not None and whole["atSeq"] <= end:
            broken = whole
            checked = sum(row["seq"] < whole["atSeq"] for row in rows)
        tip = self.verification["tipSeq"]
        shown = {name: value for name, value in self.verification.items() if name != "break"}
        shown |= {
            "ok": broken is None,
            "checked": checked,
            "nextAfterSeq": end if broken is None and end < tip else None,
        }
        return shown | ({"break": broken} if broken is not None else {})

    def _structure(self, rows: list[Row], after: int) -> tuple[int, Row | None]:
        before = self._at.get(after)
        if after and before is None and rows:
            return 0, {"kind": "sequence_gap", "atSeq": rows[0]["seq"], "expectedSeq": after}
        previous = before["row_hash"] if before else GENESIS
        for checked, row in enumerate(rows):
            expected = after + checked + 1
            if row["seq"] != expected:
                return checked, {"kind": "sequence_gap", "atSeq": row["seq"], "expectedSeq": expected}
            if row["prev_hash"] != previous:
                return checked, {"kind": "predecessor_mismatch", "atSeq": row["seq"]}
            if "record_id" in row and row["row_hash"] != _row_hash(row):
                return checked, {"kind": "row_hash_mismatch", "atSeq": row["seq"]}
            previous = row["row_hash"]
        return len(rows), None

    def page(self, backend: str | None, before: int | None, limit: int | None) -> Row:
        """Anchors of a backend, all as published; or, with `before` or `limit`, those below a position, newest first.

        Anchors of one position stay on one page, which may so be longer than `limit`: the next begins below them.
        """
        anchors = [one for one in self.anchors["anchors"] if backend is None or one["backend"] == backend]
        if before is None and limit is None:
            return self.anchors | {"anchors": anchors}
        anchors = [one for one in reversed(anchors) if before is None or one["seq"] < before]
        size = ANCHORS if limit is None else limit
        shown = [one for place, one in enumerate(anchors) if place < size or one["seq"] == anchors[size - 1]["seq"]]
        following = shown[-1]["seq"] if shown and len(shown) < len(anchors) else None
        return self.anchors | {"anchors": shown, "nextBefore": following}

    def newest_binding(self) -> Row | None:
        """What the newest anchor that binds signs, and the text over which its signature goes."""
        binding = [one for one in self.anchors["anchors"] if one["binds"]]
        if not binding:
            return None
        # Of several at one position the last listed.
        newest = max(enumerate(binding), key=lambda place: (place[1]["seq"], place[0]))[1]
        signed = {name: newest[name] for name in ("payload", "keyId", "signature")}
        return {"signed": signed, "signingInput": canonical(newest["payload"])}


def _row_hash(row: Row) -> str:
    committed = {
        "createdAt": row["created_at"],
        "recordDigest": row["record_digest"],
        "recordId": row["record_id"],
        "seq": row["seq"],
    }
    return sha256(f"{row['prev_hash'] or ''}{canonical(committed)}".encode())
