"""Every kind of dirt is in the export, in small numbers, exactly as real writers leave it."""

from __future__ import annotations

import json
import sqlite3

import pytest

from evenhand.sample import dirt
from evenhand.sample.dirt import CATALOGUE, ODD_RULES

# what SQLite itself can say about each kind; one condition a kind that a text search can tell apart
CONDITIONS = {
    "words for a time": "created_at = 'yesterday'",
    "empty time": "created_at = ''",
    "month thirteen": "created_at LIKE '____-13-40T%'",
    "hour 24": "created_at LIKE '%T24:00:00Z'",
    "space form": "created_at GLOB '????-??-?? ??:??:??'",
    "space form with offset": "created_at GLOB '????-??-?? ??:??:??+00'",
    "offset": "created_at LIKE '%+02:00'",
    "offset without colon": "created_at LIKE '%-0130'",
    "date only": "created_at GLOB '????-??-??'",
    "nanoseconds": "created_at LIKE '%.123456789Z'",
    "blob time": "typeof(created_at) = 'blob'",
    "number as a time": "created_at = '1790000000'",
    "after as_of": "created_at > '2026-11-01T00:00:00.000Z' AND created_at < '2026-11-02'",
    "cut off": 'metadata_json = \'{"verdict":"confir\'',
    "NaN": "metadata_json LIKE '%NaN%'",
    "trailing comma": "metadata_json LIKE '%,}'",
    "array": "metadata_json LIKE '[%'",
    "empty metadata": "metadata_json = ''",
    "blob metadata": "typeof(metadata_json) = 'blob'",
    "duplicate key": 'metadata_json = \'{"verdict":"reversed","verdict":"confirmed"}\'',
    "unpaired surrogate": "metadata_json LIKE '%\\ud83d\"}'",
    "verdict in capitals": 'metadata_json GLOB \'{"verdict":"Confirmed"}\'',
    "verdict as a number": "metadata_json = '{\"verdict\":1}'",
    "verdict null": "metadata_json = '{\"verdict\":null}'",
    "number as text": 'metadata_json LIKE \'%"confidence":"0.93"%\'',
    "beyond a double": "metadata_json LIKE '%1e400%'",
    "effort as text": 'metadata_json = \'{"reviewEffortMinutes":"12"}\'',
    "three parts": "target_key LIKE '%#%#%'",
    "zero-padded": "target_key = 'acme/widgets#007'",
    "null target": "target_key IS NULL AND event_type LIKE 'signal.%'",
    "blob target": "typeof(target_key) = 'blob'",
    "mixed-case repository": "target_key GLOB 'Acme/*'",
    "empty rule": "event_type = 'signal.human_override:'",
    "markup": "event_type LIKE 'signal.human_override:<img%onerror%'",
    "right-to-left": "event_type LIKE '%قاعدة%'",
    "very long rule": "length(event_type) > 250",
    "excluded provenance": 'metadata_json LIKE \'%"provenance":"slop_replay_backfill_v1"}\'',
    "decision backfill": "metadata_json LIKE '%review_targets_decision_level%'",
    "not completed": "event_type LIKE 'agent.action.%' AND outcome <> 'completed'",
    "reversal not completed": "event_type LIKE 'reversal_%' AND outcome <> 'completed'",
    "dry run": "event_type = 'agent.action.merge' AND metadata_json LIKE '%dry_run%'",
}


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_kind_is_present_and_rare(export: sqlite3.Connection, condition: str) -> None:
    (found,) = export.execute(f"SELECT COUNT(*) FROM audit_events WHERE {condition}").fetchone()
    (total,) = export.execute("SELECT COUNT(*) FROM audit_events").fetchone()
    assert 0 < found < total / 25


def test_every_kind_of_the_catalogue_is_written_as_it_stands(export: sqlite3.Connection) -> None:
    for kind in CATALOGUE:
        if kind.created is None:
            target = kind.target.replace("{n}", "%") if isinstance(kind.target, str) else kind.target
            query = "SELECT 1 FROM audit_events WHERE event_type = ? AND metadata_json IS ? AND outcome = ?"
            query += " AND (target_key LIKE ? OR target_key IS ?)"
            values = (kind.event_type, kind.metadata, kind.outcome, target, target)
            assert export.execute(query, values).fetchone(), kind.kind


def test_two_odd_rules_bear_a_published_figure(export: sqlite3.Connection) -> None:
    decided = [confirmed + reversed_ for _, confirmed, reversed_ in ODD_RULES]
    assert sum(n >= 10 for n in decided) == 2
    for rule_id, confirmed, reversed_ in ODD_RULES:
        query = "SELECT COUNT(*) FROM audit_events WHERE event_type = ?"
        assert export.execute(query, (f"signal.human_override:{rule_id}",)).fetchone() == (confirmed + reversed_,)


def test_clean_metadata_is_strict_json(export: sqlite3.Connection) -> None:
    broken = 0
    for (text,) in export.execute("SELECT metadata_json FROM audit_events"):
        try:
            json.loads(text)
        except ValueError:
            broken += 1
    assert 5 <= broken <= len(CATALOGUE)


def test_dirt_grows_slower_than_the_log() -> None:
    assert dirt.copies(1_000) == 1
    assert dirt.copies(1_000_000) == 11
    assert dirt.copies(500_000_000) == dirt.copies(50_000_000)


def test_other_tables_have_their_own_dirt(export: sqlite3.Connection) -> None:
    for query in (
        "SELECT 1 FROM pull_requests WHERE typeof(number) = 'text'",
        "SELECT 1 FROM pull_requests WHERE merged_at = 'soon'",
        "SELECT 1 FROM pull_requests WHERE trim(author_association) = ''",
        "SELECT 1 FROM pull_requests WHERE author_association IS NULL",
        "SELECT 1 FROM pull_requests GROUP BY lower(repo_full_name), number HAVING COUNT(*) > 1",
        "SELECT 1 FROM pull_request_files WHERE typeof(pull_number) = 'text'",
        "SELECT 1 FROM orb_signals WHERE received_at = 'soon'",
        "SELECT 1 FROM orb_signals WHERE decision_timestamp = 'not a time'",
        "SELECT 1 FROM orb_signals WHERE typeof(time_to_close_ms) = 'text'",
        "SELECT 1 FROM orb_signal_rollups WHERE day = '2026-99-99'",
        "SELECT 1 FROM orb_pr_outcomes WHERE occurred_at = 'never'",
        "SELECT 1 FROM review_targets WHERE terminal_at = 'last Tuesday'",
        "SELECT 1 FROM orb_risk_control_arms WHERE NOT json_valid(payload_json)",
    ):
        assert export.execute(query).fetchone(), query
