"""Where derived rows go: one file, or a folder that is a SOURCE; complete or as it was before.

Belongs here: the two forms of OUT and their atomic writing. Does not: which rows there are.

A folder also holds one row of type `outcomes.uncorroborated_mention` for each pull request whose body speaks of a
revert that nothing bears out. No figure reads that type; being an audit event it passes through every kind of export
and lake, so that the data-quality page of a build can count it. The file holds the contract's rows alone.

Source: interface contract, `evenhand outcomes`.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evenhand.errors import UsageError
from evenhand.lake.assembly import sync
from evenhand.lake.tables import MENTION_FAMILY
from evenhand.outcomes.context import Context
from evenhand.outcomes.rows import DerivedRow
from evenhand.timeline import iso

EVENTS_FILE = "audit_events.ndjson"
PULLS_FILE = "pull_requests.ndjson"
_FILE_SUFFIX = ".ndjson"


def is_file(out: Path) -> bool:
    """Whether OUT names a file of rows and not a folder."""
    return out.name.endswith(_FILE_SUFFIX) and not out.is_dir()


def check_out(out: Path, inputs: Iterable[Path]) -> None:
    """UsageError when writing OUT would touch an input, or replace something that this command did not write."""
    place = out.resolve()
    for path in inputs:
        given = path.resolve()
        if place == given or given in place.parents or place in given.parents:
            raise UsageError(f"--out {out} and {path} overlap, and an input is never written: name another place")
    if out.exists() and not is_file(out):
        foreign = [entry.name for entry in out.iterdir()] if out.is_dir() else [out.name]
        foreign = [name for name in foreign if name not in (EVENTS_FILE, PULLS_FILE)]
        if foreign:
            raise UsageError(f"--out {out} holds {min(foreign)}, which is not of this command: name an empty folder")


def write_file(out: Path, context: Context) -> None:
    """The rows alone."""
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    partial = Path(name)
    try:
        os.close(handle)
        _write_lines(partial, context.records.derived())
        _publish(partial, out)
    finally:
        partial.unlink(missing_ok=True)


def write_folder(out: Path, context: Context) -> None:
    """The rows as a SOURCE, with the pull requests when there is no other SOURCE that has them."""
    out.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        for target, reason, time in list(context.records.mentions()):
            context.write(DerivedRow(MENTION_FAMILY, None, target, reason, {"reason": reason}, time))
        _write_lines(building / EVENTS_FILE, context.records.derived())
        if context.alone:
            _write_lines(building / PULLS_FILE, _pull_lines(context))
        building.chmod(0o777 & ~_umask())
        _replace_folder(building, out)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _replace_folder(building: Path, out: Path) -> None:
    """Put the finished folder in its place; only files of this command can be in the earlier one."""
    if out.exists():
        earlier = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        out.rename(earlier / out.name)
        building.rename(out)
        shutil.rmtree(earlier, ignore_errors=True)
    else:
        building.rename(out)
    sync(out.parent)


def _publish(partial: Path, out: Path) -> None:
    partial.chmod(0o666 & ~_umask())
    partial.replace(out)
    sync(out.parent)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _pull_lines(context: Context) -> Iterator[str]:
    for repository, number, state, author, association, merged_at, created, updated in context.records.seen():
        row: dict[str, Any] = {
            "repo_full_name": repository,
            "number": number,
            "state": state,
            "author_login": author,
            "author_association": association,
            "merged_at": None if merged_at is None else iso(merged_at),
            "linked_issues_json": None,
            "created_at": None if created is None else iso(created),
            "updated_at": iso(updated),
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
