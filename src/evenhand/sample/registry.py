"""Rows about pull requests beside the log: their state as exported, files, recorded merges, public outcomes.

Each row follows from the life of one pull request. Rows of the fleet that follow from nothing here belong to
`fleet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evenhand.sample import pulls as p
from evenhand.sample.decisions import head_sha
from evenhand.sample.draws import Draws, Quota
from evenhand.sample.span import MINUTE, Span, iso_all, spaced
from evenhand.sample.world import ASSOCIATIONS, FILES

PULL_WIDTH = 12
FILE_WIDTH = 4
AUDIT_WIDTH = 9
OUTCOME_WIDTH = 5

_NOT_EXPORTED = 0.015  # published, but its row is not there: counts as in review
_LINKED = 0.5
_TITLES = ("Fix", "Add", "Refactor", "Bump", "Document", "Speed up", "Test")
_SUBJECTS = (
    "retry loop",
    "route table",
    "session store",
    "parser",
    "dialog focus",
    "lockfile",
    "cache eviction",
)
_LONGEST_FILE_LIST = 3
_INSTALLATIONS = (1, 2, 3, None)


class Registry:
    """Writes what other tables know of a day's pull requests."""

    def __init__(
        self,
        draws: Draws,
        span: Span,
        seed: int,
        *,
        files_share: float,
        audit_share: float,
        outcome_share: float,
    ) -> None:
        self._draws = draws
        self._span = span
        self._seed = seed
        self._with_files = Quota(files_share)
        self._audited = Quota(audit_share)
        self._public = Quota(outcome_share)

    def pull_rows(self, pulls: Any) -> Iterator[tuple[object, ...]]:
        """`pull_requests`: how each stands at the export."""
        pulls = pulls[~self._draws.chance(_NOT_EXPORTED, len(pulls))]
        n = len(pulls)
        ended = (pulls["end"] != p.STILL_OPEN) & (pulls["end_at"] < self._span.as_of)
        # a bot close that a reopening undid only after the export still stands
        undone_later = (pulls["end_at"] >= self._span.as_of) & (pulls["first_end_at"] < self._span.as_of)
        undone_later &= pulls["reversed_at"] >= self._span.as_of
        end = np.where(undone_later, pulls["first_end"], np.where(ended, pulls["end"], p.STILL_OPEN))
        end_at = np.where(undone_later, pulls["first_end_at"], pulls["end_at"])
        touched = np.minimum(p.last_evaluation(pulls) + MINUTE, self._span.as_of - MINUTE)
        closed = end != p.STILL_OPEN
        end_texts = iso_all(np.where(closed, end_at, pulls["created"]))
        updated = iso_all(np.where(closed, end_at, touched))
        created = iso_all(pulls["created"])
        linked = self._draws.chance(_LINKED, n)
        # plain lists: taking each value out of a numpy row would cost more than all the rest
        columns = (pulls["place"], pulls["number"], pulls["author"], pulls["association"], end, linked)
        rows = zip(*(column.tolist() for column in columns), created, updated, end_texts, strict=True)
        for place_index, number, author, association, state, is_linked, opened, touched_at, ended_at in rows:
            place = p.PLACES[place_index]
            yield (
                f"{place}#{number}", place, number, f"{_TITLES[number % 7]} the {_SUBJECTS[number // 7 % 7]}",
                "open" if state == p.STILL_OPEN else "closed", p.PEOPLE[author], ASSOCIATIONS[association].text,
                head_sha(self._seed, place, number, 0), ended_at if state == p.MERGED else None,
                f"[{number // 2}]" if is_linked else "[]", spaced(opened) if number % 40 == 0 else opened, touched_at,
            )  # fmt: skip

    def file_rows(self, pulls: Any) -> Iterator[tuple[object, ...]]:
        """`pull_request_files` of some of them."""
        for pull in pulls[self._with_files.take(len(pulls))]:
            place, number = p.PLACES[pull["place"]], int(pull["number"])
            for index in range(1 + number % _LONGEST_FILE_LIST):
                path = FILES[(number * 5 + index * 3) % len(FILES)]
                yield f"{place}#{number}:{index}", place, number, path

    def audit_rows(self, pulls: Any) -> Iterator[tuple[object, ...]]:
        """`review_audit`: merges that another writer recorded."""
        merged = (pulls["end"] == p.MERGED) & (pulls["end_at"] < self._span.as_of)
        some = pulls[self._audited.among(merged)]
        for pull, time in zip(some, iso_all(some["end_at"]), strict=True):
            place, number = p.PLACES[pull["place"]], int(pull["number"])
            target = f"{place}#{number}"
            yield (
                f"audit:{target}",
                place,
                target,
                "pr_outcome",
                "merged",
                "webhook",
                None,
                None,
                spaced(time),
            )

    def outcome_rows(self, pulls: Any) -> Iterator[tuple[object, ...]]:
        """`orb_pr_outcomes` of the gate's own repositories: what the fleet count must leave out."""
        ended = (pulls["end"] != p.STILL_OPEN) & (pulls["end_at"] < self._span.as_of)
        some = pulls[self._public.among(ended)]
        for pull, time in zip(some, iso_all(some["end_at"]), strict=True):
            number = int(pull["number"])
            outcome = "merged" if pull["end"] == p.MERGED else "closed"
            yield (
                p.PLACES[pull["place"]],
                number,
                _INSTALLATIONS[number % len(_INSTALLATIONS)],
                outcome,
                spaced(time),
            )
