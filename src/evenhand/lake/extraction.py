"""The first step alone: an export becomes a lake.

Belongs here: opening a source, and letting go of it however the extraction ends. Does not: reading (sources) or
writing (lake/writing).
"""

from pathlib import Path

from evenhand.lake.manifest import LakeManifest
from evenhand.lake.writing import write_lake
from evenhand.sources import open_source


def extract(source: str, lake_dir: Path, as_of: int | None = None) -> LakeManifest:
    """Reads a whole export into a lake, which is complete or as it was before.

    Raises SourceError when the export cannot be read, LakeError when the lake cannot be written.
    """
    with open_source(source) as opened:
        return write_lake(opened, lake_dir, as_of=as_of)
