"""How a build is cited and found: `CITATION.cff`, and the description of a data set for search engines.

Belongs here: the two documents. Does not: the files that they name (facts). Texts of the policy are anybody's: they are
quoted so that none can end the place where it stands.

Source: Citation File Format 1.2.0; schema.org Dataset.
"""

import json
import re
from typing import Any

from evenhand.policy import Site as SiteWords
from evenhand.site.facts import BuildFacts, PublishedFile
from evenhand.site.text import visible
from evenhand.timeline import day_text, iso

_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_MEDIA_TYPES = {"csv": "text/csv", "json": "application/json", "parquet": "application/vnd.apache.parquet"}
_ALWAYS = ("report.json", "data/figures.csv", "v1/public/stats.json")


def citation(words: SiteWords, facts: BuildFacts, as_of: int) -> str:
    """`CITATION.cff`: a build cited by its name and digest is the same for ever."""
    lines = [
        ("cff-version", "1.2.0"),
        ("message", "Cite a build by its name: a build is never rewritten, and its name follows from its data."),
        ("type", "dataset"),
        ("title", visible(words.title)),
        ("version", facts.build_id),
        ("date-released", day_text(as_of)),
        ("license", words.licence if _SPDX.fullmatch(words.licence) else ""),
        ("url", words.address),
    ]
    told = "".join(f"{name}: {_quoted(value)}\n" for name, value in lines if value)
    return (
        f"{told}authors:\n  - name: {_quoted(visible(words.source_label))}\nidentifiers:\n  - type: other\n"
        f"    value: {_quoted(f'sha256:{facts.digest}')}\n    description: Digest of the build’s data\n"
    )


def _quoted(text: str) -> str:
    """A double-quoted scalar of YAML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def json_ld(words: SiteWords, facts: BuildFacts, as_of: int, days: int, *, every_file: bool) -> str:
    """A schema.org Dataset, as the text of a script element: no `<`, `>` or `&` is left in it.

    days: the longest window that figures look back. every_file: all data files, or the main ones alone.
    """
    files = [file for file in facts.files if every_file or file.path in _ALWAYS]
    told: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": visible(words.title),
        "description": f"Fairness figures of an automated code-review gate, each with its counts, its interval and its "
        f"window, and the rows that they are counted from. Source: {visible(words.source_label)}.",
        "identifier": facts.build_id,
        "version": facts.build_id,
        "dateModified": iso(as_of),
        "temporalCoverage": f"P{days}D/{day_text(as_of)}",
        "isAccessibleForFree": True,
        "measurementTechnique": "methodology.html",
        "license": f"https://spdx.org/licenses/{words.licence}.html"
        if _SPDX.fullmatch(words.licence)
        else visible(words.licence),
        **({"url": words.address} if words.address else {}),
        "distribution": [_download(file) for file in files],
    }
    text = json.dumps(told, ensure_ascii=True, indent=1)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _download(file: PublishedFile) -> dict[str, Any]:
    suffix = file.path.rsplit(".", 1)[-1]
    return {
        "@type": "DataDownload",
        "name": visible(file.title),
        "contentUrl": file.path,
        "encodingFormat": _MEDIA_TYPES.get(suffix, "application/octet-stream"),
        "contentSize": f"{file.bytes} B",
        "sha256": file.sha256,
    }
