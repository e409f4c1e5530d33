"""The decision ledger: whether the chain of verdicts holds, and who has signed for it.

Belongs here: what the verification found, the waivers and the anchors, and what a reader can check alone. Does not: the
verification (metrics), or any figure.
"""

from collections.abc import Iterator

from evenhand.site.pages.site import Page, Site

_BREAKS = {
    "sequence_gap": "A position is missing: rows were taken out of the chain.",
    "predecessor_mismatch": "A row names another predecessor than the one before it: rows were exchanged.",
    "row_hash_mismatch": "A row's hash is not the digest of the row: it was changed after it was written.",
    "missing_record": "A record that the chain commits to is gone before its retention has passed.",
    "content_mismatch": "A record is not what the chain committed to: it was changed after it was written.",
    "short_tail": "A newer record stands outside the chain: the chain was cut short.",
    "unchained_record": "A record stands outside the chain, which has gone on since.",
}


def pages(site: Site) -> Iterator[Page]:
    """`ledger.html`, when the export has a ledger."""
    ledger = site.computed.ledger
    if ledger is None:
        return
    chain = ledger.chain
    yield Page(
        "ledger.html",
        "ledger.html",
        "Decision ledger",
        "ledger",
        {
            "chain": chain,
            "meaning": _BREAKS[chain.broken.kind] if chain.broken else "",
            "anchors": ledger.public_anchors()["anchors"],
            "status": ledger.status,
            "keys": sorted(ledger.keys),
            "content": chain.waivers.content,
            "unchained": chain.waivers.unchained,
            "names_records": ledger.names_records,
            "retention": site.policy.ledger.record_retention_days,
        },
        "Whether the chain of recorded verdicts holds, and which anchors bind it.",
    )
