"""Folders that must lie apart: what is published, what is private, and the export.

Belongs here: that one refusal, before anything is written. Does not: writing.

Source: interface contract, `--operator` "never under OUT"; the privacy classes of lake/tables.py.
"""

from pathlib import Path

from evenhand.errors import UsageError
from evenhand.sources import local_path


def refuse_overlap(out: Path, operator: Path | None = None, lake_dir: Path | None = None, source: str = "") -> None:
    """UsageError when private rows or pages would lie in what is published, or any of them in the export's folder."""
    private = [("--operator", operator), ("--lake", lake_dir)]
    for name, folder in private:
        if folder and _overlap(folder, out):
            raise UsageError(f"{name} {folder} and --out {out}, which is published, overlap: name folders apart")
    if operator and lake_dir and _overlap(operator, lake_dir):
        raise UsageError(f"--operator {operator} and --lake {lake_dir} overlap: name folders apart")
    export = local_path(source) if source else None
    if export and export.is_dir():
        for name, folder in [("--out", out), *private]:
            if folder and (folder.resolve() == export.resolve() or folder.resolve() in export.resolve().parents):
                raise UsageError(f"{name} {folder} holds the export {export.name}: name a folder of its own")


def _overlap(one: Path, other: Path) -> bool:
    first, second = one.resolve(), other.resolve()
    return first == second or first in second.parents or second in first.parents
