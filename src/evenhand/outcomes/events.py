"""One line of a webhook log or of GH Archive as a pull-request event, or why it is none.

Belongs here: the shapes in which the same event comes (a delivery with its payload, a bare payload, an archive line of
any age) and what is read of them. Does not: files and lines (reading.py), or what an event means (rules).

Source: fairness contract section 11, "Input".
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evenhand.lake.instants import instant_of
from evenhand.outcomes.claims import Claim, claim_of
from evenhand.policy import ascii_lower

_OLD_ARCHIVE_TIME = re.compile(r"([0-9]{4})/([0-9]{2})/([0-9]{2}) ([0-9:]{8}) ([+-][0-9]{4})")
_REPOSITORY = re.compile(r"[^/#\s]+/[^/#\s]+")
_REPOSITORY_ADDRESS = re.compile(r"https?://[^/]+/(?:repos/)?([^/#\s]+/[^/#\s]+?)/?")
_LARGEST_NUMBER = 2**53 - 1
_APP_SUFFIX = "[bot]"


class Action(StrEnum):
    """What happened to the pull request."""

    OPENED = "opened"
    CLOSED = "closed"
    REOPENED = "reopened"


class Passed(StrEnum):
    """Why a sound line is no event that a rule reads."""

    OTHER_EVENT = "other_event"
    OTHER_ACTION = "other_action"


class Aside(StrEnum):
    """Why a line that should be an event cannot be read as one."""

    UNREADABLE_LINE = "unreadable_line"
    UNKNOWN_SHAPE = "unknown_shape"
    NO_REPOSITORY = "no_repository"
    NO_NUMBER = "no_number"
    NO_TIME = "no_time"
    MERGE_NOT_TOLD = "merge_not_told"


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """One event, whatever shape it came in."""

    time: int
    """Microseconds since 1970-01-01 UTC."""
    action: Action
    repository: str
    """owner/name as the event spells it."""
    number: int
    merged: bool
    """Closed by a merge."""
    author: str | None
    sender: str | None
    """Login that acted; None for a deleted user."""
    is_bot: bool
    """The sender is of type Bot."""
    association: str | None
    merged_at: int | None
    """When it was merged, where the event tells."""
    opened: int | None
    claim: Claim | None
    """What the body says it reverts, when it says so."""

    @property
    def pull(self) -> str:
        """The identity of the pull request (contract section 1, "Target keys")."""
        return identity(self.repository, self.number)

    @property
    def target(self) -> str:
        """Its target key as the event spells it."""
        return f"{self.repository}#{self.number}"


def identity(repository: str, number: int) -> str:
    """repository#number with ASCII letters lower-cased."""
    return f"{ascii_lower(repository)}#{number}"


def parse_line(line: bytes) -> PullRequestEvent | Passed | Aside:
    """The event of one line, or why there is none; never raises, whatever the line holds."""
    document = _strict_object(line)
    if document is None:
        return Aside.UNREADABLE_LINE
    try:
        return _event(document)
    except _UnusableError as unusable:
        return unusable.reason


class _UnusableError(Exception):
    def __init__(self, reason: Passed | Aside) -> None:
        self.reason = reason


def _strict_object(text: bytes | str) -> dict[str, Any] | None:
    """A strict JSON object; None for anything else, too deep a nesting included."""
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(decoded, object_pairs_hook=_first_counts, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _first_counts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        found = dict(reversed(pairs))
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _event(document: dict[str, Any]) -> PullRequestEvent:
    kind, payload = document.get("type"), document.get("payload")
    if isinstance(payload, str):
        payload = _strict_object(payload)
    if isinstance(kind, str) and "event" not in document and (payload is not None or kind.endswith("Event")):
        if kind != "PullRequestEvent":
            raise _UnusableError(Passed.OTHER_EVENT)
        return _archived(document, _mapping(payload))
    if "payload" in document:
        if document.get("event", "pull_request") != "pull_request":
            raise _UnusableError(Passed.OTHER_EVENT)
        delivered = _mapping(payload)
        if "event" not in document and "pull_request" not in delivered:
            raise _UnusableError(Passed.OTHER_EVENT if "action" in delivered else Aside.UNKNOWN_SHAPE)
        return _delivered(delivered, document.get("received_at"))
    if "action" in document:
        if "pull_request" not in document:
            raise _UnusableError(Passed.OTHER_EVENT)
        return _delivered(document, None)
    raise _UnusableError(Aside.UNKNOWN_SHAPE)


def _delivered(payload: dict[str, Any], received_at: Any) -> PullRequestEvent:
    """A webhook payload; without a time of delivery it is dated by what it says of the pull request."""
    pull = _mapping(payload.get("pull_request"))
    action, said_merged = _action(payload)
    if received_at is None:
        dated = {
            Action.CLOSED: ("closed_at", "updated_at"),
            Action.REOPENED: ("updated_at",),
            Action.OPENED: ("created_at",),
        }[action]
        time = next((moment for name in dated if (moment := _instant(pull.get(name))) is not None), None)
    else:
        time = _instant(received_at)
    sender = payload.get("sender")
    is_bot = isinstance(sender, dict) and sender.get("type") == "Bot"
    repository = _repository(payload.get("repository"))
    return _made(payload, pull, action, said_merged, time, repository, _login(sender), is_bot)


def _archived(line: dict[str, Any], payload: dict[str, Any]) -> PullRequestEvent:
    """A GH Archive line: of today, or of the years when actor was a text and repository an object."""
    action, said_merged = _action(payload)
    pull = payload.get("pull_request")
    actor, attributes = line.get("actor"), line.get("actor_attributes")
    sender = _login(actor) or _login(attributes)
    told = [value.get("type") for value in (actor, attributes) if isinstance(value, dict)]
    # The archive leaves the type out; only an app's login can end so, brackets being no part of a person's.
    is_bot = "Bot" in told or (sender or "").endswith(_APP_SUFFIX)
    repository = _repository(line.get("repo")) or _repository(line.get("repository"))
    pull = pull if isinstance(pull, dict) else {}
    time = _instant(line.get("created_at"))
    return _made(payload, pull, action, said_merged, time, repository, sender, is_bot)


def _action(payload: dict[str, Any]) -> tuple[Action, bool]:
    """The action, and whether its name alone says that it was a merge."""
    name = payload.get("action")
    if not isinstance(name, str):
        raise _UnusableError(Aside.UNKNOWN_SHAPE)
    if name == "merged":
        return Action.CLOSED, True
    try:
        return Action(name), False
    except ValueError:
        raise _UnusableError(Passed.OTHER_ACTION) from None


def _made(
    payload: dict[str, Any],
    pull: dict[str, Any],
    action: Action,
    said_merged: bool,
    time: int | None,
    repository: str | None,
    sender: str | None,
    is_bot: bool,
) -> PullRequestEvent:
    if repository is None:
        raise _UnusableError(Aside.NO_REPOSITORY)
    number = pull.get("number", payload.get("number"))
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= _LARGEST_NUMBER:
        raise _UnusableError(Aside.NO_NUMBER)
    if time is None:
        raise _UnusableError(Aside.NO_TIME)
    merged = action is Action.CLOSED and (said_merged or _is_merged(pull, payload))
    body, author = pull.get("body"), pull.get("user")
    return PullRequestEvent(
        time=time,
        action=action,
        repository=repository,
        number=number,
        merged=merged,
        author=_login(author),
        sender=sender,
        is_bot=is_bot,
        association=_text(pull.get("author_association")),
        merged_at=_instant(pull.get("merged_at")) if merged else None,
        opened=_instant(pull.get("created_at")),
        claim=claim_of(body, repository) if isinstance(body, str) else None,
    )


def _is_merged(pull: dict[str, Any], payload: dict[str, Any]) -> bool:
    """Whether a closed one was merged: `merged` is true, or `merged_at` is not null, whatever it says."""
    holders = [holder for holder in (pull, payload) if "merged" in holder or "merged_at" in holder]
    if not holders:
        raise _UnusableError(Aside.MERGE_NOT_TOLD)
    return any(holder.get("merged") is True or holder.get("merged_at") is not None for holder in holders)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _UnusableError(Aside.UNKNOWN_SHAPE)
    return value


def _text(value: Any) -> str | None:
    """A text that can be written as UTF-8; a line that names something else by it is unreadable."""
    if not isinstance(value, str):
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise _UnusableError(Aside.UNREADABLE_LINE) from None
    return value


def _login(value: Any) -> str | None:
    return _text(value.get("login")) if isinstance(value, dict) else _text(value)


def _repository(value: Any) -> str | None:
    """owner/name of any of the ways in which a repository is named."""
    if not isinstance(value, dict):
        return None
    owner, name = _login(value.get("owner")), _text(value.get("name"))
    named = [_text(value.get("full_name")), name, f"{owner}/{name}" if owner and name else None]
    address = _REPOSITORY_ADDRESS.fullmatch(_text(value.get("url")) or "")
    named.append(address.group(1) if address else None)
    return next((text for text in named if text and _REPOSITORY.fullmatch(text)), None)


def _instant(value: Any) -> int | None:
    if not isinstance(value, str):
        return None
    old = _OLD_ARCHIVE_TIME.fullmatch(value)
    return instant_of("{}-{}-{} {}{}".format(*old.groups()) if old else value)
