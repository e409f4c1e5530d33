"""One build, from an export to a published site: the steps that the command line and the pipeline share.

Belongs here: the order of the steps and what is refused before anything is written. Does not: what a step does.

Source: interface contract, "evenhand build" and "The published tree".
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evenhand import __version__
from evenhand.canonical import pretty
from evenhand.computed import Computed, compute
from evenhand.disclosure.attacker import attack
from evenhand.disclosure.checks import check_published
from evenhand.disclosure.leaks import LeakScan, scan
from evenhand.disclosure.suppression import hidden_tables
from evenhand.errors import EvenhandError, UsageError
from evenhand.evidence.analytics.reviewed import Reviewed, reviewed
from evenhand.evidence.page_folder import write_review_pages
from evenhand.lake.extraction import extract
from evenhand.lake.increments import Say
from evenhand.metrics.ledger.anchors import Key
from evenhand.metrics.ledger.waivers import Waivers
from evenhand.overlap import refuse_overlap
from evenhand.policy import REVIEW_TABLES, Policy
from evenhand.site import api
from evenhand.site.api_files import write_operator, write_public
from evenhand.site.datasets import write_datasets
from evenhand.site.facts import BuildFacts, MadeBuild, PublishedFile
from evenhand.site.packaging import write_datapackage, write_statement
from evenhand.site.pages import write_operator_pages, write_pages
from evenhand.site.publish import (
    BUILDS,
    PastBuild,
    build_digest,
    build_id,
    check_links,
    compared_build,
    file_digest,
    files_below,
    history,
    install,
    locked,
    newest,
    past_builds,
    point_latest,
    predecessor,
    previous_report,
    scratch_folder,
    write_checksums,
)
from evenhand.site.report import report, report_schema
from evenhand.site.signing import SigningKey
from evenhand.site.tabular import Dataset
from evenhand.site.terminal import headline_table
from evenhand.timeline import iso

_VERSIONED = ("polars", "pyarrow", "duckdb", "altair", "vl-convert-python", "jinja2", "rfc8785")


@dataclass(frozen=True)
class Outcome:
    """What a build ended with."""

    folder: Path
    build_id: str
    unchanged: bool
    quarantined: int
    document: dict[str, Any]
    bad_records: int = 0
    """Records of reviews and seats that could not be read."""
    leak_scan: LeakScan | None = None
    """What the leak scan looked at and what it let pass; none when nothing new was published."""

    def summary(self) -> str:
        """The headline figures, and where the report is."""
        state = "unchanged, already published" if self.unchanged else "published"
        aside = (
            f"{self.quarantined:,} values could not be read and were set aside; the report counts them by reason.\n"
            if self.quarantined
            else ""
        )
        if self.bad_records:
            aside += f"{self.bad_records:,} records of reviews or seats could not be read; the report counts them.\n"
        if self.leak_scan and (passed := self.leak_scan.exempt):
            told = ", ".join(f"{count} {why}" for why, count in passed.items() if count)
            aside += f"The leak scan let private names pass that may stand here: {told}.\n" if told else ""
        report_at = self.folder / "index.html"
        return f"{headline_table(self.document)}{aside}Build {self.build_id} {state}.\nReport: {report_at}\n"


def build(
    source: str,
    *,
    policy: Policy,
    as_of: int,
    lake_dir: Path,
    out: Path,
    operator: Path | None = None,
    restate: str | None = None,
    reviews: Path | None = None,
    seats: Path | None = None,
    anchor_keys: Mapping[str, Key] | None = None,
    waivers: Waivers | None = None,
    signing: SigningKey | None = None,
    say: Say = lambda _: None,
) -> Outcome:
    """Extract, compute, check, publish; `say` is told what was read of the export, and why.

    Raises EvenhandError when anything fails; what was published before is then untouched.
    """
    refuse_overlap(out, operator, lake_dir, source)
    refuse_seats_alone(reviews, seats)
    assessed = reviewed(reviews, seats, policy, as_of, keep=operator is not None) if reviews else None
    extract(source, lake_dir, as_of, policy=policy, say=say)
    computed = compute(
        lake_dir,
        policy,
        as_of,
        for_operator=operator is not None,
        anchor_keys=anchor_keys or {},
        waivers=waivers,
    )
    computed = replace(computed, reviews=assessed)
    return publish(computed, out=out, operator=operator, restate=restate, signing=signing)


def refuse_seats_alone(reviews: Path | None, seats: Path | None) -> None:
    """UsageError when seat records come without the reviews that they are about."""
    if seats and not reviews:
        raise UsageError("--seats says whose word has held in reviews: name the reviews with --reviews")


def publish(
    computed: Computed,
    *,
    out: Path,
    operator: Path | None = None,
    restate: str | None = None,
    signing: SigningKey | None = None,
) -> Outcome:
    """Writes, checks and publishes what was computed; the same digest again changes nothing."""
    refuse_overlap(out, operator)
    as_of = computed.context.as_of
    scanned: LeakScan | None = None
    with locked(out), scratch_folder(out) as folder:
        builds = past_builds(out)
        document, files, digest = _write_figures(computed, folder)
        identity = build_id(as_of, digest)
        published = next((past for past in builds if past.build_id == identity), None)
        _refuse_silent_restatement(builds, as_of, digest, restate)
        before = predecessor(builds, as_of)
        facts = BuildFacts(
            identity,
            digest,
            tuple(files),
            before.build_id if before else None,
            previous_report(out, before),
            restate or "",
            policy=_policy(computed),
            versions=_versions(),
        )
        if published is None:
            this = PastBuild(
                identity, as_of, digest, max((past.sequence for past in builds), default=0) + 1, restate or ""
            )
            facts = _with_history(facts, out, builds, this, before)
            _write_surroundings(computed, facts, this, before, [*builds, this], folder)
            if signing:
                signing.sign(folder)
            write_checksums(folder)
            check_published(computed, folder)
            scanned = scan(computed, folder)
            attack(computed, folder, *_around(out, builds, as_of))
            check_links(out, identity)
            # The operator's pages come first: when they fail, nothing has been published.
            if operator:
                _write_operator(computed, facts, operator)
            install(folder, out, identity)
            builds = [*builds, this]
        elif operator:
            _write_operator(computed, facts, operator)
        # Also when nothing changed: a run killed after its build was installed left the link behind.
        point_latest(out, newest(builds).build_id)
    quarantined = sum(sum(table.quarantined.values()) for table in computed.manifest.tables.values())
    bad = len(computed.reviews.bad) if computed.reviews else 0
    return Outcome(out / "builds" / identity, identity, published is not None, quarantined, document, bad, scanned)


def _with_history(
    facts: BuildFacts, out: Path, builds: list[PastBuild], this: PastBuild, before: PastBuild | None
) -> BuildFacts:
    """The same facts with every build made, and the one that restatements are told against."""
    made = tuple(MadeBuild(past.build_id, past.as_of, past.digest, past.restated) for past in (*builds, this))
    same = [past for past in builds if past.as_of == this.as_of]
    against = same[-1] if same else before
    figures = facts.previous_figures if against is before else previous_report(out, against)
    return replace(facts, builds=made, compared=compared_build(out, against, figures))


def _around(out: Path, builds: list[PastBuild], as_of: int) -> tuple[list[Path], list[Path]]:
    """Where published builds lie up to an as-of and after it, in the order of their as-of."""
    ordered = sorted(builds, key=lambda past: (past.as_of, past.sequence))
    earlier, later = ([past for past in ordered if (past.as_of > as_of) == after] for after in (False, True))
    return [out / BUILDS / past.build_id for past in earlier], [out / BUILDS / past.build_id for past in later]


def _refuse_silent_restatement(builds: list[PastBuild], as_of: int, digest: str, restate: str | None) -> None:
    same = [past for past in builds if past.as_of == as_of]
    if same and all(past.digest != digest for past in same) and not restate:
        raise EvenhandError(
            f"the figures as of {iso(as_of)} are published as {same[-1].build_id} and would now differ: "
            "say why with --restate, and they become a new build beside it"
        )


def _write_figures(computed: Computed, folder: Path) -> tuple[dict[str, Any], list[PublishedFile], str]:
    """Everything that the build's digest covers: v1/, data/ and report.json."""
    write_public(computed, folder)
    tables = dict(write_datasets(computed, folder))
    document = report(computed)
    (folder / "report.json").write_text(pretty(document), encoding="utf-8")
    digests = {path: file_digest(folder / path) for path in files_below(folder)}
    files = [_published(folder, path, digests[path], tables.get(path), computed) for path in digests]
    return document, files, build_digest(digests)


def _published(folder: Path, path: str, digest: str, table: Dataset | None, computed: Computed) -> PublishedFile:
    size = (folder / path).stat().st_size
    if table is None:
        return PublishedFile(path, _title(path, computed), size, digest)
    return PublishedFile(path, table.title, size, digest, table.rows.num_rows, table.columns, table.row_digest)


_TITLES = {
    "report.json": "Every figure with its evidence",
    "v1/public/stats.json": "Figures in the compatible API's shape",
    "v1/public/eval-scores.json": "Eval score records, one a committed rule",
    "v1/public/eval-corpus/index.json": "Which file holds which rule's corpus",
}


def _title(path: str, computed: Computed) -> str:
    if path in _TITLES:
        return _TITLES[path]
    files = api.corpus_index(computed.corpora)["rules"]
    name = path.rsplit("/", 1)[1]
    return next((f"JSON corpus of {rule}" for rule, file in files.items() if file == name), name)


def _write_surroundings(
    computed: Computed,
    facts: BuildFacts,
    this: PastBuild,
    before: PastBuild | None,
    builds: list[PastBuild],
    folder: Path,
) -> None:
    """Pages and manifests, which lie outside the digest."""
    schema = report_schema(with_reviews=computed.reviews is not None)
    (folder / "report.schema.json").write_text(pretty(schema), encoding="utf-8")
    write_pages(computed, facts, folder)
    (folder / "build.json").write_text(pretty(_manifest(computed, facts, this)), encoding="utf-8")
    (folder / "history.json").write_text(history(builds), encoding="utf-8")
    write_datapackage(computed, facts, folder)
    write_statement(computed, facts, this, before, _versions(), folder)


def _manifest(computed: Computed, facts: BuildFacts, this: PastBuild) -> dict[str, Any]:
    """`build.json`: inputs by label, row counts, quarantine, policy, versions; no timings and no addresses."""
    return {
        "build": this.build_id,
        "asOf": iso(this.as_of),
        "digest": this.digest,
        "sequence": this.sequence,
        "previous": facts.previous_id,
        "restated": this.restated,
        "source": computed.context.policy.site.source_label,
        **({"inputs": _inputs(computed.reviews)} if computed.reviews else {}),
        "quality": api.quality(computed.manifest, hidden_tables(computed.results)),
        "policy": facts.policy,
        "versions": _versions(),
    }


def _policy(computed: Computed) -> dict[str, dict[str, Any]]:
    """The policy in force by table, without what names people and without what nothing here was counted by."""
    policy: dict[str, dict[str, Any]] = {}
    for value in computed.context.policy.described():
        policy.setdefault(value.table, {})[value.name] = value.value
    if computed.reviews is None:
        for unused in REVIEW_TABLES:
            policy.pop(unused)
    # Logins in [owners] and [bots] are names of people.
    for private in ("owners", "bots"):
        policy.pop(private)
    return policy


def _versions() -> dict[str, str]:
    return {
        "evenhand": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _VERSIONED},
    }


def _inputs(reviews: Reviewed) -> dict[str, dict[str, Any]]:
    """What was read beside the source, by kind: its digest, and how many records could and could not be read."""
    return {one.kind: {"sha256": one.sha256, "records": one.records, "bad": one.bad} for one in reviews.inputs}


def _write_operator(computed: Computed, facts: BuildFacts, operator: Path) -> None:
    write_operator(computed, operator)
    write_operator_pages(computed, facts, operator)
    if computed.reviews and computed.reviews.assessment:
        write_review_pages(computed.reviews.assessment, computed.reviews.bad, operator / "reviews", "../reviews.html")
