"""What is known at an instant: recorded rows, derived rows and deliveries, in a scratch database.

Belongs here: keeping them on disk, so that memory does not grow with the input, and the questions that the rules ask.
Every question names the instant from which it looks back: what lies after it is not known yet. Does not: the rules.

Source: fairness contract section 11; section 1 for the identity of a pull request.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.outcomes.claims import Claim
from evenhand.outcomes.events import Action, PullRequestEvent

_CACHE_KIBIBYTES = 64 * 1024
_RECORDED, _DERIVED = 0, 1
_SCHEMA = """
CREATE TABLE events (time INTEGER, repository TEXT, number INTEGER, rest TEXT);
CREATE TABLE actions (pull TEXT, repo TEXT, kind TEXT, time INTEGER, origin INTEGER, id TEXT, target TEXT);
CREATE TABLE outcomes (pull TEXT, time INTEGER, origin INTEGER, id TEXT, detail TEXT);
CREATE TABLE marks (pull TEXT, type TEXT, time INTEGER);
CREATE TABLE firings (target TEXT, rule TEXT, time INTEGER);
CREATE TABLE overrides (target TEXT, rule TEXT, time INTEGER, verdict TEXT);
CREATE TABLE pulls (pull TEXT PRIMARY KEY, state TEXT, merged INTEGER, author TEXT, linked TEXT, updated INTEGER)
  WITHOUT ROWID;
CREATE TABLE files (pull TEXT, path TEXT, PRIMARY KEY (pull, path)) WITHOUT ROWID;
CREATE TABLE deliveries (pull TEXT, time INTEGER, state TEXT);
CREATE TABLE mentions (pull TEXT PRIMARY KEY, target TEXT, reason TEXT, time INTEGER) WITHOUT ROWID;
CREATE TABLE seen (pull TEXT PRIMARY KEY, repository TEXT, number INTEGER, state TEXT, author TEXT, association TEXT,
  merged_at INTEGER, created INTEGER, updated INTEGER, acted_on INTEGER) WITHOUT ROWID;
CREATE TABLE derived (time INTEGER, line TEXT);
CREATE TABLE lines (line TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
"""
_INDEXES = """
CREATE INDEX actions_of_pull ON actions (pull, time);
CREATE INDEX closes_of_repo ON actions (repo, kind, time);
CREATE INDEX outcomes_of_pull ON outcomes (pull, time);
CREATE INDEX marks_of_pull ON marks (pull, type, time);
CREATE INDEX firings_of_target ON firings (target, rule, time);
CREATE INDEX overrides_of_target ON overrides (target, rule, time);
CREATE INDEX deliveries_of_pull ON deliveries (pull, time);
"""


@dataclass(frozen=True, slots=True)
class BotAction:
    """A completed action of the bot that was no dry run."""

    pull: str
    kind: str
    """`close`, `merge` or `reopen`."""
    time: int
    target: str
    """The target key as it was written."""


@dataclass(frozen=True, slots=True)
class PullRow:
    """A row of `pull_requests`."""

    state: str | None
    merged: bool
    author: str | None
    linked_issues: frozenset[str]
    updated: int | None


NO_ROW = PullRow(None, False, None, frozenset(), None)


class Records:
    """The scratch database; `folder` is a temporary folder of the caller's."""

    def __init__(self, folder: Path) -> None:
        self._database = sqlite3.connect(folder / "outcomes.sqlite", isolation_level=None)
        for pragma in (
            "journal_mode=OFF",
            "synchronous=OFF",
            "locking_mode=EXCLUSIVE",
            "temp_store=FILE",
            f"cache_size=-{_CACHE_KIBIBYTES}",
        ):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.executescript(_SCHEMA)
        self._database.execute("BEGIN")

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def index(self) -> None:
        """Make questions quick, once everything that was recorded is there."""
        for statement in _INDEXES.strip().splitlines():
            self._database.execute(statement)

    # Filling

    def add_events(self, events: Iterable[PullRequestEvent]) -> None:
        """Events in the order of their files."""
        self._database.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", map(_packed, events))

    def events(self) -> Iterator[PullRequestEvent]:
        """All events by time, ties in the order in which they were added."""
        for row in self._database.execute("SELECT time, repository, number, rest FROM events ORDER BY time, rowid"):
            yield _unpacked(row)

    def repositories(self) -> set[str]:
        """Every repository of an event, as spelled."""
        return {row[0] for row in self._database.execute("SELECT DISTINCT repository FROM events")}

    def add_actions(self, rows: Iterable[Sequence[Any]]) -> None:
        """Recorded actions: pull, repo, kind, time, id, target."""
        statement = f"INSERT INTO actions VALUES (?, ?, ?, ?, {_RECORDED}, ?, ?)"
        self._database.executemany(statement, rows)

    def add_outcomes(self, rows: Iterable[Sequence[Any]]) -> None:
        """Recorded outcomes: pull, time, id, detail."""
        self._database.executemany(f"INSERT INTO outcomes VALUES (?, ?, {_RECORDED}, ?, ?)", rows)

    def add_marks(self, rows: Iterable[Sequence[Any]]) -> None:
        """Recorded reversals and pending markers: pull, type, time."""
        self._database.executemany("INSERT INTO marks VALUES (?, ?, ?)", rows)

    def add_firings(self, rows: Iterable[Sequence[Any]]) -> None:
        """Recorded firings: target, rule, time."""
        self._database.executemany("INSERT INTO firings VALUES (?, ?, ?)", rows)

    def add_overrides(self, rows: Iterable[Sequence[Any]]) -> None:
        """Recorded overrides: target, rule, time, verdict."""
        self._database.executemany("INSERT INTO overrides VALUES (?, ?, ?, ?)", rows)

    def add_pulls(self, rows: Iterable[Sequence[Any]]) -> None:
        """Rows of pull requests, of two rows of one the last: pull, state, merged, author, linked issues, updated."""
        self._database.executemany("INSERT OR REPLACE INTO pulls VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add_files(self, rows: Iterable[Sequence[Any]]) -> None:
        """Files of pull requests: pull, path."""
        self._database.executemany("INSERT OR IGNORE INTO files VALUES (?, ?)", rows)

    # What the rules add while they go

    def act(self, event: PullRequestEvent, kind: str) -> None:
        """An action of the bot that an event shows."""
        pull = event.pull
        values = (pull, pull.rpartition("#")[0], kind, event.time, _DERIVED, "", event.target)
        self._database.execute("INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def realise(self, event: PullRequestEvent, detail: str) -> None:
        """The outcome that an event shows."""
        values = (event.pull, event.time, _DERIVED, "", detail)
        self._database.execute("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?)", values)

    def mark(self, pull: str, kind: str, time: int) -> None:
        """A reversal or a pending marker."""
        self._database.execute("INSERT INTO marks VALUES (?, ?, ?)", (pull, kind, time))

    def override(self, target: str, rule: str, time: int, verdict: str) -> None:
        """An override."""
        self._database.execute("INSERT INTO overrides VALUES (?, ?, ?, ?)", (target, rule, time, verdict))

    def deliver(self, event: PullRequestEvent) -> None:
        """The state in which an event left its pull request."""
        state = ("merged" if event.merged else "closed") if event.action is Action.CLOSED else "open"
        self._database.execute("INSERT INTO deliveries VALUES (?, ?, ?)", (event.pull, event.time, state))

    def mention(self, event: PullRequestEvent, reason: str) -> None:
        """A revert that a body speaks of and nothing bears out; of several of one pull request the last."""
        values = (event.pull, event.target, reason, event.time)
        self._database.execute("INSERT OR REPLACE INTO mentions VALUES (?, ?, ?, ?)", values)

    def bear_out(self, pull: str) -> None:
        """What a body said has proved true."""
        self._database.execute("DELETE FROM mentions WHERE pull = ?", (pull,))

    def mentions(self) -> Iterator[tuple[str, str, int]]:
        """Target key, reason and time of every mention, by time and pull request."""
        yield from self._database.execute("SELECT target, reason, time FROM mentions ORDER BY time, pull")

    # Questions

    def last_action(self, pull: str, until: int) -> BotAction | None:
        """The newest action of the bot; of one instant the greatest id."""
        return self._action("pull = ? AND time <= ?", pull, until)

    def last_close(self, pull: str, until: int) -> BotAction | None:
        """The newest close of the bot."""
        return self._action("pull = ? AND time <= ? AND kind = 'close'", pull, until)

    def _action(self, where: str, *values: Any) -> BotAction | None:
        order = "ORDER BY time DESC, origin DESC, id DESC, rowid DESC LIMIT 1"
        row = self._database.execute(
            f"SELECT pull, kind, time, target FROM actions WHERE {where} {order}", values
        ).fetchone()
        return None if row is None else BotAction(*row)

    def closed_by_bot(self, repo: str, since: int, until: int) -> list[BotAction]:
        """The newest close of each pull request of a repository that the bot closed, ordered by pull request."""
        query = (
            "SELECT pull, kind, time, target FROM actions WHERE repo = ? AND kind = 'close' "
            "AND time >= ? AND time <= ? ORDER BY pull, time, origin, id, rowid"
        )
        newest = {row[0]: row for row in self._database.execute(query, (repo, since, until))}
        return [BotAction(*row) for row in newest.values()]

    def last_outcome(self, pull: str, until: int) -> str | None:
        """The latest recorded outcome: `merged` or `closed`."""
        order = "ORDER BY time DESC, origin DESC, id DESC, rowid DESC LIMIT 1"
        query = f"SELECT detail FROM outcomes WHERE pull = ? AND time <= ? {order}"
        row = self._database.execute(query, (pull, until)).fetchone()
        return None if row is None else row[0]

    def is_merge_recorded(self, pull: str, until: int) -> bool:
        """Whether some recorded outcome is a merge."""
        return self._any("outcomes WHERE pull = ? AND time <= ? AND detail = 'merged'", pull, until)

    def is_marked(self, pull: str, kind: str, since: int | None, until: int) -> bool:
        """Whether there is a reversal or marker of a type; `since` None looks at any age."""
        if since is None:
            return self._any("marks WHERE pull = ? AND type = ? AND time <= ?", pull, kind, until)
        return self._any("marks WHERE pull = ? AND type = ? AND time >= ? AND time <= ?", pull, kind, since, until)

    def last_mark(self, pull: str, kind: str, since: int, until: int) -> int | None:
        """When the newest reversal or marker of a type was made."""
        query = "SELECT max(time) FROM marks WHERE pull = ? AND type = ? AND time >= ? AND time <= ?"
        return self._time(query, pull, kind, since, until)

    def fired(self, target: str, since: int, until: int) -> list[str]:
        """The rules that fired on a target, ordered by rule."""
        query = "SELECT DISTINCT rule FROM firings WHERE target = ? AND time >= ? AND time <= ? ORDER BY rule"
        return [row[0] for row in self._database.execute(query, (target, since, until))]

    def last_firing(self, target: str, rule: str, until: int) -> int | None:
        """When a rule last fired on a target."""
        query = "SELECT max(time) FROM firings WHERE target = ? AND rule = ? AND time <= ?"
        return self._time(query, target, rule, until)

    def is_overridden(self, target: str, rule: str, until: int) -> bool:
        """Whether there is an override of any age or verdict."""
        return self._any("overrides WHERE target = ? AND rule = ? AND time <= ?", target, rule, until)

    def has_verdict(self, target: str, rule: str, verdict: str, since: int | None, until: int) -> bool:
        """Whether there is an override of a verdict; `since` None looks at any age."""
        asked = "overrides WHERE target = ? AND rule = ? AND verdict = ? AND time <= ?"
        if since is None:
            return self._any(asked, target, rule, verdict, until)
        return self._any(f"{asked} AND time >= ?", target, rule, verdict, until, since)

    def pull_row(self, pull: str) -> PullRow:
        """The row of a pull request, or what is known without one."""
        query = "SELECT state, merged, author, linked, updated FROM pulls WHERE pull = ?"
        row = self._database.execute(query, (pull,)).fetchone()
        if row is None:
            return NO_ROW
        return PullRow(row[0], bool(row[1]), row[2], linked_issues(row[3]), row[4])

    def files_of(self, pull: str) -> frozenset[str]:
        """The files that a pull request touches."""
        return frozenset(row[0] for row in self._database.execute("SELECT path FROM files WHERE pull = ?", (pull,)))

    def last_delivery(self, pull: str, since: int, until: int) -> tuple[int, str] | None:
        """When an event last told the state after an instant, and the state: `open`, `closed` or `merged`."""
        query = (
            "SELECT time, state FROM deliveries WHERE pull = ? AND time > ? AND time <= ? "
            "ORDER BY time DESC, rowid DESC LIMIT 1"
        )
        row = self._database.execute(query, (pull, since, until)).fetchone()
        return None if row is None else (row[0], row[1])

    def _any(self, where: str, *values: Any) -> bool:
        return bool(self._database.execute(f"SELECT EXISTS (SELECT 1 FROM {where})", values).fetchone()[0])

    def _time(self, query: str, *values: Any) -> int | None:
        found: int | None = self._database.execute(query, values).fetchone()[0]
        return found

    # Pull requests as the events alone tell them

    def see(self, event: PullRequestEvent) -> None:
        """Take over what an event tells of its pull request."""
        state = "closed" if event.action is Action.CLOSED else "open"
        opened = event.opened if event.opened is not None or event.action is not Action.OPENED else event.time
        merged_at = (event.time if event.merged_at is None else event.merged_at) if event.merged else None
        self._database.execute(
            "INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (pull) DO UPDATE SET "
            "state = excluded.state, repository = excluded.repository, author = coalesce(excluded.author, author), "
            "association = coalesce(excluded.association, association), "
            # A merge cannot be undone: a later event that does not tell of it takes nothing back.
            "merged_at = coalesce(merged_at, excluded.merged_at), created = coalesce(created, excluded.created), "
            "updated = excluded.updated",
            (
                event.pull,
                event.repository,
                event.number,
                state,
                event.author,
                event.association,
                merged_at,
                opened,
                event.time,
            ),
        )

    def act_on(self, pull: str) -> bool:
        """Note that the bot acted on a pull request; whether it is the first time."""
        changed = self._database.execute("UPDATE seen SET acted_on = 1 WHERE pull = ? AND acted_on = 0", (pull,))
        return changed.rowcount > 0

    def seen(self) -> Iterator[tuple[Any, ...]]:
        """Every pull request that an event told of, by repository and number."""
        yield from self._database.execute(
            "SELECT repository, number, state, author, association, merged_at, created, updated FROM seen "
            "ORDER BY lower(repository), number"
        )

    # Rows that come out

    def same_before(self, key: str) -> int:
        """How many rows of the same key came before this one."""
        query = "INSERT INTO lines VALUES (?, 0) ON CONFLICT (line) DO UPDATE SET n = n + 1 RETURNING n"
        [(count,)] = self._database.execute(query, (key,)).fetchall()
        return int(count)

    def derive(self, time: int, line: str) -> None:
        """Keep one row."""
        self._database.execute("INSERT INTO derived VALUES (?, ?)", (time, line))

    def derived(self) -> Iterator[str]:
        """Every row by time, of one instant in the order of derivation."""
        for row in self._database.execute("SELECT line FROM derived ORDER BY time, rowid"):
            yield row[0]


def linked_issues(text: str | None) -> frozenset[str]:
    """The issues of a JSON list of numbers; none when it is not such a list."""
    try:
        value = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return frozenset()
    if not isinstance(value, list):
        return frozenset()
    return frozenset(str(item) for item in value if isinstance(item, int | str) and not isinstance(item, bool))


def _packed(event: PullRequestEvent) -> tuple[int, str, int, str]:
    claim = event.claim and [event.claim.number]
    rest = [
        event.action,
        event.merged,
        event.author,
        event.sender,
        event.is_bot,
        event.association,
        event.merged_at,
        event.opened,
        claim,
    ]
    return event.time, event.repository, event.number, json.dumps(rest, ensure_ascii=False)


def _unpacked(row: tuple[int, str, int, str]) -> PullRequestEvent:
    time, repository, number, rest = row
    action, merged, author, sender, is_bot, association, merged_at, opened, claim = json.loads(rest)
    return PullRequestEvent(
        time=time,
        action=Action(action),
        repository=repository,
        number=number,
        merged=merged,
        author=author,
        sender=sender,
        is_bot=is_bot,
        association=association,
        merged_at=merged_at,
        opened=opened,
        claim=Claim(claim[0]) if claim else None,
    )
