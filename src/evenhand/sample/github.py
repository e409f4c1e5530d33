"""Public pull-request events: webhook deliveries and GH Archive lines of the sample's repositories.

Some go on with pull requests of the export (a reopening, a merge after it, a superseding one, a revert), others
are a stale bot's. What such events mean is none of this module's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from evenhand.sample import pulls as p
from evenhand.sample.draws import Draws
from evenhand.sample.span import DAY, HOUR, MINUTE, SECOND, Span, iso
from evenhand.sample.world import CONTRIBUTORS, GATE_BOT, MAINTAINERS, OWNERS, STALE_BOT

_STORY_AGE = 48 * DAY
_STORIES_PER_DAY = 2
_MOST_STORIES = 48
_STALE_PULLS = 34
_STALE_AFTER = 30 * DAY
_PLAIN_PULLS = 30
_STALE_REPOSITORIES = ("acme/docs-site", "northwind/ledger-core", "acme/widgets")
# below the numbers of the pull requests that the gate has seen
_STALE_FIRST_NUMBER = 210
_PLAIN_FIRST_NUMBER = 300
_NEXT_NUMBER = 40_000  # of pull requests that supersede or revert, beyond the export's


class Story(NamedTuple):
    """A pull request of the export that the gate closed or merged, and that nothing has overturned yet."""

    place: str
    number: int
    author: str
    ended: int
    merged: bool


class Happening(NamedTuple):
    """One public event of a pull request, before it is written in either form."""

    time: int
    place: str
    number: int
    author: str
    action: str
    sender: str
    merged: bool = False
    body: str | None = None


def stories_of(pulls: Any, span: Span) -> list[Story]:
    """The first few of a day that qualify."""
    if not len(pulls) or pulls["created"][0] < span.as_of - _STORY_AGE:
        return []
    ended = (pulls["action"] == p.LIVE) & (pulls["reversal"] == p.STANDS) & p.allowlisted(pulls)
    ended &= pulls["first_end_at"] < span.as_of - 2 * DAY
    found = pulls[np.flatnonzero(ended)[:_STORIES_PER_DAY]]
    return [
        Story(
            p.PLACES[pull["place"]],
            int(pull["number"]),
            p.PEOPLE[pull["author"]],
            int(pull["first_end_at"]),
            bool(pull["verdict"] == p.MERGE),
        )
        for pull in found
    ]


def lines(draws: Draws, span: Span, stories: list[Story]) -> list[str]:
    """Every line of the file, in time order; acme's repositories send webhooks, the others are archived."""
    happenings = [
        *_continued(draws, stories[-_MOST_STORIES:]),
        *_stale(draws, span),
        *_plain(draws, span),
    ]
    happenings = sorted((h for h in happenings if h.time < span.as_of), key=lambda h: (h.time, h.place, h.number))
    written: list[str] = []
    for index, happening in enumerate(happenings):
        is_delivered = happening.place.lower().startswith("acme/")
        line = _delivery(index, happening) if is_delivered else _archived(index, happening)
        written.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
        if index % 60 == 30:
            written.append(json.dumps(_other_event(index, happening.time), separators=(",", ":")))
    return written


def _continued(draws: Draws, stories: list[Story]) -> Iterator[Happening]:
    for index, story in enumerate(stories):
        # what a stranger did must have happened while the sample was still running
        later = story.ended + HOUR + draws.index(20 * HOUR)
        if story.merged:
            yield from _after_merge(story, index, later)
        else:
            yield from _after_close(story, index, later)


def _after_merge(story: Story, index: int, later: int) -> Iterator[Happening]:
    place, number, author = story.place, story.number, story.author
    yield Happening(story.ended, place, number, author, "closed", GATE_BOT, merged=True)
    if index % 4 == 0:
        fix = _NEXT_NUMBER + index
        body = f"Reverts {place}#{number}" if index % 8 else f"Breaks the build.\n\nReverts #{number}."
        yield Happening(later, place, fix, MAINTAINERS[2], "opened", MAINTAINERS[2], body=body)
        yield Happening(later + HOUR, place, fix, MAINTAINERS[2], "closed", MAINTAINERS[2], merged=True, body=body)


def _after_close(story: Story, index: int, later: int) -> Iterator[Happening]:
    place, number, author = story.place, story.number, story.author
    owner = OWNERS[place.split("/")[0].lower()]
    yield Happening(story.ended, place, number, author, "closed", GATE_BOT)
    match index % 6:
        case 0:
            yield Happening(later, place, number, author, "reopened", author)
            yield Happening(later + 2 * MINUTE, place, number, author, "reopened", author)  # delivered again
            yield Happening(later + 5 * HOUR, place, number, author, "closed", MAINTAINERS[3], merged=True)
        case 1:
            yield Happening(later, place, number, author, "reopened", owner)
            yield Happening(later + 3 * HOUR, place, number, author, "closed", owner, merged=True)
        case 2:
            yield Happening(later, place, number, author, "reopened", owner)
            yield Happening(later + 7 * HOUR, place, number, author, "closed", owner)
        case 3:
            yield Happening(later, place, number, author, "reopened", author)
            yield Happening(later + 9 * HOUR, place, number, author, "closed", author)
        case 4:
            other = _NEXT_NUMBER + index
            body = f"Second try of #{number}."
            yield Happening(later, place, other, author, "opened", author, body=body)
            yield Happening(later + DAY, place, other, author, "closed", MAINTAINERS[4], merged=True, body=body)
        case _:
            yield Happening(later, place, number, author, "edited", author)


def _stale(draws: Draws, span: Span) -> Iterator[Happening]:
    for index in range(_STALE_PULLS):
        place = _STALE_REPOSITORIES[index % len(_STALE_REPOSITORIES)]
        number, author = _STALE_FIRST_NUMBER + index, CONTRIBUTORS[index % len(CONTRIBUTORS)]
        opened = span.as_of - 58 * DAY + draws.index(20 * DAY)
        closed = opened + _STALE_AFTER
        yield Happening(opened, place, number, author, "opened", author)
        if index % 3 == 0:
            yield Happening(opened + 6 * DAY, place, number, author, "synchronize", author)
        yield Happening(closed, place, number, author, "closed", STALE_BOT)
        back = closed + HOUR + draws.index(2 * DAY)
        if index % 3 == 1:
            yield Happening(back, place, number, author, "reopened", author)
            yield Happening(back + DAY, place, number, author, "closed", MAINTAINERS[1], merged=True)
        if index % 9 == 2:
            yield Happening(back, place, number, author, "reopened", MAINTAINERS[0])


def _plain(draws: Draws, span: Span) -> Iterator[Happening]:
    for index in range(_PLAIN_PULLS):
        place = ("northwind/ledger-core", "acme/gadgets", "northwind/ledger-core")[index % 3]
        number, author = _PLAIN_FIRST_NUMBER + index, CONTRIBUTORS[(7 * index) % len(CONTRIBUTORS)]
        opened = span.as_of - 40 * DAY + draws.index(35 * DAY)
        yield Happening(opened, place, number, author, "opened", author)
        yield Happening(opened + 3 * HOUR, place, number, author, "synchronize", author)
        sender = author if index % 5 == 0 else MAINTAINERS[index % len(MAINTAINERS)]
        yield Happening(opened + DAY, place, number, author, "closed", sender, merged=index % 5 != 0)


def _pull(happening: Happening) -> dict[str, Any]:
    time = _second(happening.time)
    closed = happening.action == "closed"
    return {
        "number": happening.number,
        "title": f"PR {happening.number}",
        "state": "closed" if closed else "open",
        "user": _account(happening.author),
        "body": happening.body,
        "author_association": "CONTRIBUTOR",
        "created_at": _second(happening.time - 3 * DAY),
        "updated_at": time,
        "closed_at": time if closed else None,
        "merged_at": time if closed and happening.merged else None,
        "merged": closed and happening.merged,
    }


def _delivery(index: int, happening: Happening) -> dict[str, Any]:
    owner, name = happening.place.split("/")
    payload = {
        "action": happening.action,
        "number": happening.number,
        "pull_request": _pull(happening),
        "repository": {"full_name": happening.place, "name": name, "owner": {"login": owner}},
        "sender": _account(happening.sender),
    }
    received = iso(happening.time + SECOND)
    return {"event": "pull_request", "delivery": f"d{index:04d}", "received_at": received, "payload": payload}


def _archived(index: int, happening: Happening) -> dict[str, Any]:
    return {
        "id": str(48_000_000_000 + index),
        "type": "PullRequestEvent",
        "actor": {"login": happening.sender},
        "repo": {"name": happening.place},
        "payload": {
            "action": happening.action,
            "number": happening.number,
            "pull_request": _pull(happening),
        },
        "public": True,
        "created_at": _second(happening.time),
    }


def _other_event(index: int, time: int) -> dict[str, Any]:
    if index % 120 == 30:
        return {"id": str(49_000_000_000 + index), "type": "WatchEvent", "created_at": _second(time)}
    payload = {"action": "opened", "issue": {"number": index}}
    return {"event": "issues", "delivery": f"x{index:04d}", "received_at": iso(time), "payload": payload}


def _account(login: str) -> dict[str, str]:
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def _second(time: int) -> str:
    return f"{iso(time)[:19]}Z"
