"""`evenhand evidence`: files in, one form out, bad records named.

Belongs here: the steps of the command and where its output goes. Does not: arguments (the command line), rules or
forms (a module each).

Source: interface contract, "Commands".
"""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import UsageError
from evenhand.evidence.assessment import Assessment, assess
from evenhand.evidence.collecting import without_cycle_search
from evenhand.evidence.json_form import json_pieces
from evenhand.evidence.reading import BadRecord, read_reviews, read_seats
from evenhand.evidence.rules import Deliver
from evenhand.evidence.seats import SeatRecords
from evenhand.policy import Evidence
from evenhand.site.text import visible


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
    with without_cycle_search():
        assessment = assess(read_reviews(reviews, bad_reviews), records, policy, Deliver(deliver), sweep)
    bad = bad_reviews + bad_seats
    if form == "html":
        _write_pages(assessment, bad, out)
    else:
        _write(_pieces(form, assessment, bad), out)
    _tell(assessment, bad)
    return bad


def _pieces(form: str, assessment: Assessment, bad: Sequence[BadRecord]) -> Iterator[str]:
    """The text of a form. Each is imported when it is asked for: JSON needs no templates."""
    if form == "markdown":
        from evenhand.evidence.markdown import markdown_pieces

        return markdown_pieces(assessment)
    if form == "annotations":
        from evenhand.evidence.annotations import annotation_pieces

        return annotation_pieces(assessment)
    if form == "plan":
        from evenhand.evidence.plan_text import plan_pieces

        return plan_pieces(assessment)
    return json_pieces(assessment, bad)


def _write_pages(assessment: Assessment, bad: Sequence[BadRecord], out: Path | None) -> None:
    from evenhand.evidence.pages import page_files, review_page

    if out is None:
        if len(assessment.reviews) != 1:
            raise UsageError(f"{len(assessment.reviews)} reviews are as many pages: name a folder for them with --out")
        _write([review_page(assessment.reviews[0], assessment.rules)], None)
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out.name!r} is not an empty folder: name another one with --out")
    # All pages or none: they are written beside the folder, which is then put in its place.
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = out.with_name(f".{out.name}.part")
    scratch.mkdir()
    try:
        for name, page in page_files(assessment, bad):
            (scratch / name).write_text(page, encoding="utf-8", newline="\n")
        scratch.replace(out)
    except BaseException:
        shutil.rmtree(scratch)
        raise


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
        # An unpaired surrogate has no UTF-8; JSON has escaped it already.
        file.write(piece.encode("utf-8", "backslashreplace"))


def _tell(assessment: Assessment, bad: Sequence[BadRecord]) -> None:
    """What was read and what was not, on standard error: standard output is for the form alone."""
    print(f"reviews read: {len(assessment.reviews)}, bad records: {len(bad)}", file=sys.stderr)
    for record in bad:
        print(f"{visible(record.file)}:{record.line}: {visible(record.reason)}", file=sys.stderr)
