"""The folder of pages a review: complete or as it was before.

Belongs here: writing the pages beside the folder and putting them in its place. Does not: what a page says (pages.py).
The pages show code, titles and pull requests: they belong to the operator and are never published.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from evenhand.errors import EvenhandError
from evenhand.evidence.assessment import Assessment
from evenhand.evidence.reading import BadRecord


def write_review_pages(assessment: Assessment, bad: Sequence[BadRecord], folder: Path, report: str = "") -> None:
    """Puts the pages of these reviews in the place of those of an earlier run. report: where the report lies.

    EvenhandError when the folder holds anything else than pages: it is not ours to remove.
    """
    from evenhand.evidence.pages import page_files

    others = [path.name for path in folder.iterdir() if path.suffix != ".html"] if folder.is_dir() else []
    if others or (folder.exists() and not folder.is_dir()):
        raise EvenhandError(f"{folder} holds more than pages of reviews: move it away, then build again")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made, old = (folder.with_name(f".{folder.name}.{state}") for state in ("part", "old"))
    for leftover in (made, old):
        shutil.rmtree(leftover, ignore_errors=True)
    made.mkdir()
    try:
        for name, page in page_files(assessment, bad, report):
            (made / name).write_text(page, encoding="utf-8", newline="\n")
        if folder.exists():
            folder.rename(old)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
