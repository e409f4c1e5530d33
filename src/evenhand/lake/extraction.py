"""The first step alone: an export becomes a lake.

Belongs here: opening a source, and letting go of it however the extraction ends. Does not: reading (sources) or
writing (lake/writing).
"""

from pathlib import Path

from evenhand.lake.increments import Say
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.writing import Keeping, write_lake
from evenhand.policy import Policy
from evenhand.sources import open_source


def extract(
    source: str,
    lake_dir: Path,
    as_of: int | None = None,
    *,
    policy: Policy | None = None,
    full: bool = False,
    say: Say = lambda _: None,
) -> LakeManifest:
    """Reads an export into a lake, which is complete or as it was before.

    An earlier lake of the same export is gone on from unless `full`; `say` is told what was read, and why. With an
    as-of, what is past its retention then is dropped.

    Raises SourceError when the export cannot be read, LakeError when the lake cannot be written.
    """
    with open_source(source, policy) as opened:
        return write_lake(opened, lake_dir, as_of=as_of, keeping=Keeping.of(policy or Policy()), full=full, say=say)
