"""Puts the sample together: day by day through the log, then everything that needs the whole.

Only order and scale are decided here. Memory stays bounded because no more than a day of rows, and the events
still to come from open pull requests, is ever held.
"""

from __future__ import annotations

import json
from datetime import datetime
from itertools import islice
from pathlib import Path

import numpy as np

from evenhand.sample import anchors, dirt, fleet, github, pulls, registry, reviews, scenes
from evenhand.sample import decisions as ledger_rows
from evenhand.sample.draws import Draws
from evenhand.sample.events import ROW_WIDTH, EventSource, Log
from evenhand.sample.extras import ExtraLog
from evenhand.sample.span import DAY, Span, to_ms
from evenhand.sample.store import Store
from evenhand.sample.world import INSTANCES, REPOSITORIES

_PILOT_PULLS = 4_000
# How the smaller tables grow with the log: a share of what could be written, up to a cap
_DECISIONS_PER_EVENT = 1 / 14
_MOST_DECISIONS = 100_000
_LOOKS_PER_PULL = 1.5
_FILES_SHARE, _MOST_FILED = 0.35, 60_000
_AUDIT_SHARE, _MOST_AUDITED = 0.12, 20_000
_OUTCOME_SHARE, _MOST_OUTCOMES = 0.2, 40_000
_BATCH = 5_000

POLICY = """\
# The sample's allowlist: only these repositories may be named.
[repositories]
allow = {allow}

[owners]
"acme" = ["ada-acme"]
"northwind" = ["nils-northwind"]

[bots]
logins = ["stale[bot]"]

[site]
title = "Is the gate treating contributors fairly?"
source_label = "synthetic sample export"
"""


def build_sample(directory: Path, *, days: int, events: int, seed: int, as_of: datetime, unique_metadata: bool) -> None:
    """Write every file of a sample."""
    directory.mkdir(parents=True, exist_ok=True)
    span = Span(to_ms(as_of), days)
    with Store(directory / "export.sqlite") as store:
        stories = _Export(store, span, events, seed, unique_metadata).write()
    keys = anchors.key_file(seed, span)
    (directory / "anchor-keys.json").write_text(json.dumps(keys, indent=2) + "\n", encoding="utf-8")
    allow = json.dumps([r.name for r in REPOSITORIES if r.allowlisted])
    (directory / "policy.toml").write_text(POLICY.format(allow=allow), encoding="utf-8")
    _write_lines(directory / "github_events.ndjson", github.lines(Draws(seed, "github"), span, stories))
    _write_lines(directory / "reviews.ndjson", reviews.review_lines(Draws(seed, "reviews"), span))
    _write_lines(directory / "seats.ndjson", reviews.seat_lines(Draws(seed, "seats")))


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class _Export:
    """The SQLite part: one pass over the days, then the tables that need the end."""

    def __init__(self, store: Store, span: Span, events: int, seed: int, unique: bool) -> None:
        self._store, self._span, self._events, self._seed = store, span, events, seed
        extras = [
            *scenes.scenes(Draws(seed, "scenes"), span, events),
            *dirt.dirt(Draws(seed, "dirt"), span, events),
        ]
        self._extras = ExtraLog(Draws(seed, "extra ids"), extras, unique_metadata=unique)
        self._log = Log(Draws(seed, "log"), span, unique_metadata=unique)
        self._total = _pull_count(span, max(events - len(extras), 0), seed)
        self._ledger = ledger_rows.Ledger(seed)
        self._stories: list[github.Story] = []

    def write(self) -> list[github.Story]:
        """Write every table; gives the pull requests that the public events tell more about."""
        seed, span, total = self._seed, self._span, max(self._total, 1)
        source = pulls.PullSource(Draws(seed, "pulls"), span)
        happenings = EventSource(Draws(seed, "events"), span)
        kept = min(self._events * _DECISIONS_PER_EVENT, _MOST_DECISIONS) / (_LOOKS_PER_PULL * total)
        verdicts = ledger_rows.DecisionSource(Draws(seed, "decisions"), span, kept)
        rows = registry.Registry(
            Draws(seed, "registry"),
            span,
            seed,
            files_share=min(_FILES_SHARE, _MOST_FILED / total),
            audit_share=min(_AUDIT_SHARE, _MOST_AUDITED / total),
            outcome_share=min(_OUTCOME_SHARE, _MOST_OUTCOMES / total),
        )
        for day, count in zip(span.day_starts(), _per_day(span, total), strict=True):
            opened = source.open_on(day, count)
            self._log.add(happenings.events_of(opened))
            self._ledger.add(verdicts.decisions_of(opened, day))
            self._stories += github.stories_of(opened, span)
            self._insert_registry(rows, opened)
            self._insert_due(day + DAY)
        self._insert_anchors()
        self._insert_fleet()
        self._insert_odd_rows()
        return self._stories

    def _insert_registry(self, rows: registry.Registry, opened: pulls.Pulls) -> None:
        self._store.insert("pull_requests", rows.pull_rows(opened), registry.PULL_WIDTH)
        self._store.insert("pull_request_files", rows.file_rows(opened), registry.FILE_WIDTH)
        self._store.insert("review_audit", rows.audit_rows(opened), registry.AUDIT_WIDTH)
        self._store.insert("orb_pr_outcomes", rows.outcome_rows(opened), registry.OUTCOME_WIDTH)

    def _insert_due(self, until: int) -> None:
        for batch in self._log.due(until):
            self._store.insert("audit_events", batch, ROW_WIDTH)
        self._store.insert("audit_events", self._extras.due(until), ROW_WIDTH)
        due = self._ledger.due(min(until, self._span.as_of - ledger_rows.MINIMUM_AGE))
        while pairs := list(islice(due, _BATCH)):
            self._store.insert("decision_records", (pair[0] for pair in pairs), ledger_rows.RECORD_WIDTH)
            self._store.insert("decision_ledger", (pair[1] for pair in pairs), ledger_rows.LEDGER_WIDTH)

    def _insert_anchors(self) -> None:
        made = anchors.anchor_rows(self._seed, self._span, self._ledger.links)
        self._store.insert("decision_ledger_anchors", made, anchors.ANCHOR_WIDTH)

    def _insert_fleet(self) -> None:
        store, span, seed, events = self._store, self._span, self._seed, self._events
        store.insert("orb_instances", fleet.instance_rows(), 2)
        timed = fleet.signals(Draws(seed, "fleet"), span, events)
        for batch in fleet.signal_rows(Draws(seed, "signals"), span, timed):
            store.insert("orb_signals", batch, fleet.SIGNAL_WIDTH)
        first = INSTANCES[0].instance_id
        store.insert("orb_signals", dirt.signal_rows(span, len(timed) + 1, first), fleet.SIGNAL_WIDTH)
        store.insert("orb_signal_rollups", fleet.rollup_rows(span, timed), fleet.ROLLUP_WIDTH)
        store.insert("orb_signal_rollups", dirt.rollup_rows(span, first), fleet.ROLLUP_WIDTH)
        outcomes = fleet.outcome_rows(Draws(seed, "fleet outcomes"), span, events)
        store.insert("orb_pr_outcomes", outcomes, fleet.OUTCOME_WIDTH)
        store.insert("orb_outcome_rollups", fleet.outcome_rollup_rows(span), 5)
        store.insert("orb_github_installations", fleet.installation_rows(), 3)
        store.insert("orb_risk_control_arms", fleet.arm_rows(span), 4)

    def _insert_odd_rows(self) -> None:
        store, span = self._store, self._span
        targets = scenes.review_target_rows(Draws(self._seed, "targets"), span, self._events)
        store.insert("review_targets", targets, scenes.TARGET_WIDTH)
        store.insert("pull_requests", scenes.frozen_pull_rows(span), registry.PULL_WIDTH)
        store.insert("pull_requests", dirt.pull_rows(span), registry.PULL_WIDTH)
        store.insert("pull_request_files", dirt.file_rows(), registry.FILE_WIDTH)
        store.insert("orb_pr_outcomes", dirt.outcome_rows(span), registry.OUTCOME_WIDTH)


def _pull_count(span: Span, events: int, seed: int) -> int:
    """How many pull requests leave about `events` events before as_of, judged by a pilot over the same days."""
    counts = _per_day(span, _PILOT_PULLS)
    source = pulls.PullSource(Draws(seed, "pilot pulls"), span)
    happenings = EventSource(Draws(seed, "pilot events"), span)
    seen = 0
    for day, count in zip(span.day_starts(), counts, strict=True):
        made = happenings.events_of(source.open_on(day, count))
        seen += int((made["time"] < span.as_of).sum())
    return round(events * _PILOT_PULLS / max(seen, 1))


def _per_day(span: Span, total: int) -> list[int]:
    load = span.loads()
    reached = np.floor(np.cumsum(load / load.sum()) * total + 0.5).astype(np.int64)
    counts: list[int] = np.diff(reached, prepend=0).tolist()
    return counts
