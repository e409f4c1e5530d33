"""What goes round a build so that others can take it apart: the data package and the statement.

Belongs here: `datapackage.json` (Data Package v2) and `statement.json` (an in-toto Statement v1 whose subjects are the
build's files). Does not: the signature (signing), the list of checksums (publish), any figure.

Source: interface contract, "The published tree".
"""

import hashlib
from pathlib import Path
from typing import Any

from evenhand.canonical import pretty
from evenhand.computed import Computed
from evenhand.lake.manifest import LakeManifest
from evenhand.site.facts import BuildFacts, PublishedFile
from evenhand.site.publish import PastBuild, file_digest, files_below
from evenhand.timeline import iso

STATEMENT = "statement.json"
SIGNATURE = "statement.sig"
CHECKSUMS = "SHA256SUMS"
PREDICATE_TYPE = "urn:evenhand:build:v1"

_FIELD_TYPES = {"text": "string", "integer": "integer", "number": "number", "flag": "boolean", "day": "date"}
_MEDIA_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


def datapackage(computed: Computed, facts: BuildFacts) -> dict[str, Any]:
    """The build's data files with their columns, digests, licence, source and windows."""
    site = computed.context.policy.site
    windows = computed.context.policy.windows
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": f"evenhand-{facts.build_id}",
        "title": site.title,
        "version": facts.build_id,
        "created": iso(computed.context.as_of),
        "licenses": [{"name": site.licence}],
        "sources": [{"title": site.source_label}],
        "windows": {
            "signalsDays": windows.signals_days,
            "accuracyDays": windows.accuracy_days,
            "fleetDays": windows.fleet_days,
            "parityDays": windows.parity_days,
            "automationDays": windows.automation_days,
            "trendWeeks": windows.trend_weeks,
            "end": iso(computed.context.as_of),
        },
        "resources": [_resource(file) for file in facts.files],
    }


def _resource(file: PublishedFile) -> dict[str, Any]:
    suffix = file.path.rsplit(".", 1)[-1]
    resource: dict[str, Any] = {
        "name": file.path.lower().replace("/", "-").replace("_", "-").replace(".", "-"),
        "path": file.path,
        "title": file.title,
        "format": suffix,
        "mediatype": _MEDIA_TYPES.get(suffix, "application/octet-stream"),
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
    }
    if suffix != "parquet":
        resource["encoding"] = "utf-8"
    if file.rows is not None:
        resource["rows"] = file.rows
        resource["rowDigest"] = f"sha256:{file.row_digest}"
        resource["schema"] = {
            "fields": [
                {"name": column.name, "type": _FIELD_TYPES[column.type], "description": column.meaning}
                for column in file.columns
            ],
            "missingValues": [""],
        }
    return resource


def statement(
    computed: Computed,
    facts: BuildFacts,
    this: PastBuild,
    before: PastBuild | None,
    versions: dict[str, str],
    folder: Path,
) -> dict[str, Any]:
    """Which files the build consists of, and what it was made from; nothing here tells when or where it was made."""
    names = [path for path in files_below(folder) if path not in (STATEMENT, SIGNATURE, CHECKSUMS)]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": file_digest(folder / name)}} for name in names],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "build": this.build_id,
            "asOf": iso(this.as_of),
            "digest": this.digest,
            "previous": {"build": before.build_id, "digest": before.digest} if before else None,
            "source": computed.context.policy.site.source_label,
            "inputs": [
                {"table": name, "digest": {"sha256": input_digest(computed.manifest, name)}}
                for name, table in computed.manifest.tables.items()
                if table.provided
            ]
            + [
                {"table": one.kind, "digest": {"sha256": one.sha256}}
                for one in (computed.reviews.inputs if computed.reviews else ())
            ],
            "restated": this.restated or None,
            "versions": versions,
        },
    }


def input_digest(manifest: LakeManifest, table: str) -> str:
    """A commitment to a table's rows. Not their digest itself, of which the key of the ordinals is made."""
    return hashlib.sha256(f"evenhand input\n{table} {manifest.table(table).content_sha256}\n".encode()).hexdigest()


def write_datapackage(computed: Computed, facts: BuildFacts, folder: Path) -> None:
    """`datapackage.json`."""
    (folder / "datapackage.json").write_text(pretty(datapackage(computed, facts)), encoding="utf-8")


def write_statement(
    computed: Computed,
    facts: BuildFacts,
    this: PastBuild,
    before: PastBuild | None,
    versions: dict[str, str],
    folder: Path,
) -> None:
    """`statement.json`, once every other file is there."""
    told = statement(computed, facts, this, before, versions, folder)
    (folder / STATEMENT).write_text(pretty(told), encoding="utf-8")
