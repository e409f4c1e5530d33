"""A corpus as a file: exported, read back, and verified, as JSON or Parquet.

Belongs here: the manifest, its two digests, what an export leaves out, and where a file that does not verify fails.
Does not: which cases there are (history), or what they are tested on.

Source: fairness contract, section 10, "Export manifest" and "Exports drop every context field".
"""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evenhand import __version__
from evenhand.backtest.cases import (
    LABELS,
    Case,
    checksum,
    digest_of_texts,
    javascript_number,
    loopover_checksum,
    metadata_texts,
    shallow_text,
    without_context,
)
from evenhand.backtest.decimals import exact_number
from evenhand.canonical import digest, sha256_hex
from evenhand.errors import EvenhandError, UsageError
from evenhand.policy import Policy, ascii_lower
from evenhand.sources import local_path
from evenhand.timeline import iso, parse_instant

FORMAT_VERSION = 1
CANONICAL, SHALLOW = "canonical", "loopover"
_CASE_DIGITS = 16
_TEXTS = ("ruleId", "targetKey", "outcome", "label", "firedAt", "decidedAt")
_MEMBERS = {*_TEXTS, "metadata"}
_MANIFEST_KEY = b"evenhand.corpus"
_CREDENTIAL = re.compile(r"://|@|password|passwd|secret|token|[?&=]", re.IGNORECASE)


class CorpusError(EvenhandError):
    """A corpus file cannot be read or does not verify."""


@dataclass(frozen=True)
class Corpus:
    """A corpus file that was read: its manifest without the cases, and the cases."""

    name: str
    manifest: dict[str, Any]
    cases: tuple[Case, ...]

    @property
    def rule_id(self) -> str:
        """The rule that it belongs to."""
        return str(self.manifest["ruleId"])

    @property
    def checksum(self) -> str:
        """The digest that names it."""
        return str(self.manifest["checksum"])

    @property
    def checksum_rule(self) -> str:
        """Which rule that digest follows: an older manifest says none and follows LoopOver's."""
        return str(self.manifest.get("checksumRule", SHALLOW))


def safe_label(label: str, kind: str) -> str:
    """A label that may stand in a manifest: the kind of source alone where it looks like an address or a credential."""
    return f"{kind} database" if _CREDENTIAL.search(label) else label


def redacted(cases: Iterable[Case], policy: Policy) -> list[Case]:
    """The cases as they may leave the export: those of a rule about secrets without any captured context."""
    withheld = {ascii_lower(rule) for rule in policy.backtest.context_rules_withheld}
    fields = policy.backtest.context_fields
    return [without_context(case, fields) if ascii_lower(case.rule_id) in withheld else case for case in cases]


def corpus_manifest(
    cases: Sequence[Case], rule: str, *, as_of: int, since: int | None, kind: str, label: str
) -> dict[str, Any]:
    """The manifest of an export, without the cases."""
    texts = [case.canonical_text() for case in cases]
    window = {"start": None if since is None else iso(since), "end": iso(as_of)}
    return {
        "formatVersion": FORMAT_VERSION,
        "evenhandVersion": __version__,
        "generatedAt": iso(as_of),
        "source": kind,
        "database": safe_label(label, kind),
        "incremental": since is not None,
        **({} if since is None else {"sinceDate": iso(since)}),
        "window": window,
        "ruleId": rule,
        "caseCount": len(cases),
        "checksumRule": CANONICAL,
        "checksum": digest_of_texts(texts),
        "checksumLoopover": digest_of_texts(
            text if case.is_told_alike else case.loopover_text() for case, text in zip(cases, texts, strict=True)
        ),
        "caseDigests": [case_digest(text) for text in texts],
    }


def case_digest(text: str) -> str:
    """The first digits of the SHA-256 of a case's canonical text: what names the case that differs."""
    return sha256_hex(text.encode())[:_CASE_DIGITS]


# --- writing --------------------------------------------------------------------------------------------------


def write_corpus(path: Path, manifest: dict[str, Any], cases: Sequence[Case]) -> None:
    """Writes a corpus, complete or not at all; UsageError for a suffix that is neither .json nor .parquet."""
    check_suffix(path)
    with _in_place_of(path) as scratch:
        (_write_json if path.suffix == ".json" else _write_parquet)(scratch, manifest, cases)


def check_suffix(path: Path) -> None:
    """UsageError for a name that says neither JSON nor Parquet."""
    if path.suffix not in (".json", ".parquet"):
        raise UsageError(f"{path.name!r} says no format: end the name of --out in .json or .parquet")


def refuse_in_source(path: Path, source: str) -> None:
    """UsageError when a file would be written over an export or into its folder."""
    export = local_path(source)
    target = path.resolve()
    if (
        export
        and export.exists()
        and (target == export.resolve() or (export.is_dir() and export.resolve() in target.parents))
    ):
        raise UsageError(f"{path.name!r} would be written into the export, which is only read: name another place")


@contextmanager
def _in_place_of(path: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    scratch = Path(name)
    try:
        yield scratch
        scratch.chmod(0o600)  # full cases name pull requests and hold what reviewers and authors wrote
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _write_json(path: Path, manifest: dict[str, Any], cases: Sequence[Case]) -> None:
    head = json.dumps(manifest, ensure_ascii=False, indent=1)[:-2]
    with path.open("w", encoding="utf-8") as file:
        file.write(head + ',\n "cases": [')
        for number, case in enumerate(cases):
            file.write((",\n" if number else "\n") + case.loopover_text())
        file.write("\n ]\n}\n")


def _write_parquet(path: Path, manifest: dict[str, Any], cases: Sequence[Case]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, list[str | None]] = {name: [] for name in (*_TEXTS, "metadata")}
    for case in cases:
        members = case.json()
        for name in _TEXTS:
            columns[name].append(members[name])
        told = case.metadata
        columns["metadata"].append(None if told is None else json.dumps(told, ensure_ascii=False))
    schema = pa.schema([pa.field(name, pa.string()) for name in columns])
    table = pa.table(columns, schema=schema).replace_schema_metadata(
        {_MANIFEST_KEY: json.dumps(manifest, ensure_ascii=False).encode()}
    )
    pq.write_table(table, path, compression="zstd", row_group_size=1 << 16)


# --- reading --------------------------------------------------------------------------------------------------


def read_corpus(path: Path) -> Corpus:
    """A corpus file, verified; see `verify`."""
    manifest, cases = _read(path)
    return verify(path.name, manifest, cases)


def _read(path: Path) -> tuple[dict[str, Any], list[Any]]:
    try:
        return _read_parquet(path) if path.suffix == ".parquet" else _read_json(path)
    except FileNotFoundError as error:
        raise CorpusError(f"there is no corpus {path.name!r}: check the path") from error
    except OSError as error:
        raise CorpusError(f"the corpus {path.name!r} cannot be read: {error.strerror or 'it is damaged'}") from error


def _read_json(path: Path) -> tuple[dict[str, Any], list[Any]]:
    try:
        document = _parsed(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"the corpus {path.name!r} is not JSON: export it again") from error
    if not isinstance(document, dict) or not isinstance(document.get("cases"), list):
        raise CorpusError(f"{path.name!r} is no corpus: it has no list of cases")
    return {key: value for key, value in document.items() if key != "cases"}, document["cases"]


def _parsed(text: str) -> Any:
    """JSON with numbers as JavaScript holds them and without what JSON does not know."""
    return json.loads(
        text, parse_float=javascript_number, parse_int=javascript_number, parse_constant=_refused_constant
    )


def _refused_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _read_parquet(path: Path) -> tuple[dict[str, Any], list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=[*_TEXTS, "metadata"], use_threads=False)
        manifest = _parsed((table.schema.metadata or {})[_MANIFEST_KEY].decode())
        rows = table.to_pylist()
        for row in rows:
            told = row.pop("metadata")
            if told is not None:
                row["metadata"] = _parsed(told)
    except (pa.ArrowException, KeyError, ValueError, TypeError, RecursionError) as error:
        raise CorpusError(f"{path.name!r} is no corpus of Evenhand or is damaged: export it again") from error
    if not isinstance(manifest, dict):
        raise CorpusError(f"{path.name!r} is no corpus: it has no manifest")
    return manifest, rows


# --- verifying ------------------------------------------------------------------------------------------------


def verify(name: str, manifest: dict[str, Any], members: list[Any]) -> Corpus:
    """A corpus whose cases are what its manifest says.

    Raises CorpusError naming the first case that fails: one that is no case, that belongs to another rule, or that its
    digest does not fit.
    """
    for key in ("ruleId", "checksum"):
        if not isinstance(manifest.get(key), str):
            raise CorpusError(f"{name} is no corpus: its manifest has no {key}")
    if manifest.get("formatVersion", FORMAT_VERSION) != FORMAT_VERSION:
        raise CorpusError(f"{name} has format {manifest['formatVersion']!r}; this version reads {FORMAT_VERSION}")
    rule = manifest.get("checksumRule", SHALLOW)
    if rule not in (CANONICAL, SHALLOW):
        raise CorpusError(f"{name} follows the checksum rule {rule!r}; known are {CANONICAL} and {SHALLOW}")
    for number, member in enumerate(members, 1):
        if problem := _problem(member, manifest["ruleId"]):
            raise CorpusError(f"{name}: case {number}{_named(member)} {problem}")
    cases = tuple(map(_case, members))
    _check_digests(name, manifest, members, cases)
    if manifest.get("caseCount") != len(cases):
        raise CorpusError(f"{name} holds {len(cases)} cases, its manifest says {manifest.get('caseCount')!r}")
    return Corpus(name, manifest, cases)


def _problem(member: Any, rule: str) -> str:
    """What keeps a member from being a case of this rule; '' when nothing does."""
    if not isinstance(member, dict):
        return "is no object"
    for key in _TEXTS:
        if not isinstance(member.get(key), str):
            return f"has no text under {key}"
    if member["ruleId"] != rule:
        return f"belongs to the rule {member['ruleId']!r}, not to {rule!r}"
    if member["label"] not in LABELS:
        return f"has the label {member['label']!r}; known are {' and '.join(LABELS)}"
    for key in ("firedAt", "decidedAt"):
        if parse_instant(member[key]) is None:
            return f"has {member[key]!r} under {key}, which is no instant"
    if not isinstance(member.get("metadata", {}), dict):
        return "has metadata that is no object"
    return ""


def _named(member: Any) -> str:
    key = member.get("targetKey") if isinstance(member, dict) else None
    return f" ({key})" if isinstance(key, str) else ""


def _case(member: dict[str, Any]) -> Case:
    metadata = member.get("metadata")
    told = (metadata or {}).get("confidence")
    is_number = isinstance(told, int | float) and not isinstance(told, bool)
    confidence = exact_number(repr(told)) if is_number else None
    texts = None if metadata is None else metadata_texts(metadata)
    rule, target, outcome, label, fired, decided = (member[key] for key in _TEXTS)
    return Case(rule, target, outcome, label, fired, decided, metadata, confidence, texts)


def _check_digests(name: str, manifest: dict[str, Any], members: list[Any], cases: Sequence[Case]) -> None:
    digests = manifest.get("caseDigests")
    if isinstance(digests, list):
        for number, (case, told) in enumerate(zip_longest(cases, digests), 1):
            if case is None:
                raise CorpusError(f"{name}: case {number} is missing: {len(cases)} of {len(digests)} are there")
            if told is None:
                raise CorpusError(
                    f"{name}: case {number} ({case.target_key}) was added: its manifest has no digest of it"
                )
            if told != case_digest(case.canonical_text()):
                raise CorpusError(
                    f"{name}: case {number} ({case.target_key}) is not what was exported: its digest differs"
                )
    # A member of an older manifest may hold more than a case does, and its digest is taken over all of it.
    is_case = all(member.keys() <= _MEMBERS for member in members)
    digested = {
        CANONICAL: lambda: checksum(cases) if is_case else digest(members),
        SHALLOW: lambda: loopover_checksum(cases) if is_case else digest_of_texts(map(shallow_text, members)),
    }
    for key, rule in (("checksum", manifest.get("checksumRule", SHALLOW)), ("checksumLoopover", SHALLOW)):
        if key in manifest and digested[rule]() != manifest[key]:
            raise CorpusError(
                f"{name}: the cases do not give the {key} of the manifest under the {rule} rule; no case is malformed, "
                "so one was changed, added, removed or moved since it was written"
            )


def with_rule(corpus: Corpus, rule: str) -> Corpus:
    """The corpus, which must be of this rule; UsageError otherwise."""
    if corpus.rule_id != rule:
        raise UsageError(
            f"{corpus.name} is the corpus of {corpus.rule_id!r}, not of {rule!r}: name another with --rule"
        )
    return replace(corpus)
