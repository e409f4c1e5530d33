"""`evenhand evidence`: files in, one form out, bad records named.

Belongs here: the steps of the command and where its output goes. Does not: arguments (the command line), rules or
forms (a module each).

Source: interface contract, "Commands".
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evenhand.evidence.assessment import assess
from evenhand.evidence.json_form import json_pieces
from evenhand.evidence.reading import BadRecord, read_reviews, read_seats
from evenhand.evidence.rules import Deliver
from evenhand.evidence.seats import SeatRecords
from evenhand.policy import Evidence


def run(
    reviews: Path,
    seats: Path | None,
    policy: Evidence,
    *,
    deliver: str,
    form: str,
    out: Path | None,
    sweep: bool,
) -> list[BadRecord]:
    """Assesses an export, writes one form of it and returns what could not be read."""
    bad_seats: list[BadRecord] = []
    bad_reviews: list[BadRecord] = []
    records = read_seats(seats, bad_seats) if seats is not None else SeatRecords()
    assessment = assess(read_reviews(reviews, bad_reviews), records, policy, Deliver(deliver), sweep)
    bad = bad_reviews + bad_seats
    _write(json_pieces(assessment, bad), out)
    return bad


def _write(pieces: Iterable[str], out: Path | None) -> None:
    if out is None:
        _write_to(sys.stdout.buffer, pieces)
        sys.stdout.buffer.flush()
        return
    # A file is complete or absent: what stood there stays until the new one is.
    scratch = out.with_name(f".{out.name}.part")
    try:
        with scratch.open("wb") as file:
            _write_to(file, pieces)
        scratch.replace(out)
    finally:
        scratch.unlink(missing_ok=True)


def _write_to(file: BinaryIO, pieces: Iterable[str]) -> None:
    for piece in pieces:
        file.write(piece.encode("utf-8"))
