"""Opening a finished lake.

Belongs here: the manifest of a lake and the files of its tables. Does not: any query (metrics, through an engine).
"""

from pathlib import Path

import pyarrow as pa

from evenhand.errors import LakeError
from evenhand.lake.manifest import FORMAT_VERSION, MANIFEST_NAME, LakeManifest
from evenhand.lake.sparing import spare_pandas
from evenhand.lake.tables import TABLES

spare_pandas()


def open_lake_manifest(lake_dir: Path) -> LakeManifest:
    """The manifest of a lake; LakeError when there is no complete lake of this format there."""
    try:
        text = (lake_dir / MANIFEST_NAME).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as error:
        raise LakeError(f"there is no lake in {lake_dir}: run evenhand extract first") from error
    except OSError as error:
        raise LakeError(f"the lake in {lake_dir} cannot be read: {error.strerror}") from error
    try:
        manifest = LakeManifest.from_json(text)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LakeError(f"{lake_dir / MANIFEST_NAME} is damaged: extract again") from error
    if manifest.format_version != FORMAT_VERSION:
        raise LakeError(
            f"the lake in {lake_dir} has format {manifest.format_version}, this version reads {FORMAT_VERSION}: "
            "extract again"
        )
    return manifest


def table_files(lake_dir: Path, manifest: LakeManifest, table: str) -> list[Path]:
    """The Parquet files of a declared table, oldest day first; none when it is empty or not provided.

    Raises LakeError when a file that the manifest names is gone.
    """
    files = [lake_dir / file.path for file in manifest.table(table).files]
    for file in files:
        if not file.is_file():
            raise LakeError(f"the lake lacks {file.relative_to(lake_dir)} of {table}: extract again")
    return files


def table_schema(table: str) -> pa.Schema:
    """The Arrow schema of a declared table, for an empty view of it."""
    from evenhand.lake.parse import schema_of

    return schema_of(TABLES[table])
