"""The compatible API below `/v1/`: what each path answers, from the latest build's own files.

Belongs here: statuses, filters and error words. Does not: bytes on the wire (server), or any figure; nothing is counted
here. Of a query that is given twice the first counts, as in the API that it is compatible with.

Source: interface contract, "Served paths".
"""

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import Any

from evenhand.serve.ledger import LONGEST_PAGE, MOST_ANCHORS, PAGE, Ledger
from evenhand.serve.tree import Tree
from evenhand.timeline import parse_instant
from evenhand.verify.plain import NotReadableError, canonical, read_csv, sha256

_PUBLIC = "v1/public"
_LEDGER = f"{_PUBLIC}/decision-ledger"
_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")
_NO_ANCHORS: dict[str, Any] = {"anchors": [], "nextBefore": None, "status": "unconfigured"}

Query = dict[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON body with its status. build: the one it was read from, which names its version; empty for an error."""

    status: HTTPStatus
    body: bytes
    build: str = ""


class NotServedError(Exception):
    """A request that is answered by an error; its word and status."""

    def __init__(self, word: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(word)
        self.word, self.status = word, status


def error(word: str, status: HTTPStatus) -> Answer:
    """`{"error": word}`."""
    return Answer(status, canonical({"error": word}).encode())


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


class Api:
    """The API over a tree of builds. The ledger of the latest build is read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lock = Lock()
        self._ledger: tuple[str, Ledger | None] = ("", None)

    def answer(self, parts: list[str], query: Query) -> Answer:
        """What a path below `/v1/` answers; parts: those after `v1`."""
        build = self._tree.latest()
        if build is None:
            return error("no_build", HTTPStatus.SERVICE_UNAVAILABLE)
        try:
            return self._answer(build, parts, query)
        except NotServedError as refused:
            return error(refused.word, refused.status)
        except (KeyError, TypeError, ValueError, NotReadableError):
            return error("damaged_build", HTTPStatus.INTERNAL_SERVER_ERROR)

    def _answer(self, build: str, parts: list[str], query: Query) -> Answer:
        match parts:
            case ["public", "stats"]:
                return Answer(HTTPStatus.OK, self._bytes(build, f"{_PUBLIC}/stats.json"), build)
            case ["public", "eval-scores"]:
                return Answer(HTTPStatus.OK, self._scores(build, query), build)
            case ["public", "eval-corpus"]:
                return Answer(HTTPStatus.OK, self._corpus(build, query), build)
            case ["public", "decision-ledger", *rest]:
                return self._ledger_answer(build, rest, query)
        raise _not_found()

    def _scores(self, build: str, query: Query) -> bytes:
        data = self._bytes(build, f"{_PUBLIC}/eval-scores.json")
        subject, since = query.get("subject"), query.get("since")
        if subject is None and since is None:
            return data
        earliest = None if since is None else parse_instant(since)
        if since is not None and earliest is None:
            raise NotServedError("invalid_since")
        records = [
            record
            for record in json.loads(data)["records"]
            if (subject is None or record["subject"]["id"] == subject)
            and (earliest is None or (parse_instant(record["issuedAt"]) or 0) >= earliest)
        ]
        return _json({"records": records})

    def _corpus(self, build: str, query: Query) -> bytes:
        rule = query.get("ruleId") or query.get("rule_id")
        if not rule:
            raise NotServedError("rule_id_required")
        file = self._document(build, f"{_PUBLIC}/eval-corpus/index.json")["rules"].get(rule)
        if file is not None:
            return self._bytes(build, f"{_PUBLIC}/eval-corpus/{file}")
        return _json(
            {
                "ruleId": rule,
                "windowDays": self._document(build, "build.json")["policy"]["windows"]["signals_days"],
                "caseCount": 0,
                "truncated": False,
                "readFailed": False,
                "checksum": sha256(canonical([]).encode()),
                "cases": [],
            }
        )

    def _ledger_answer(self, build: str, parts: list[str], query: Query) -> Answer:
        ledger = self._ledger_of(build)
        status, shown = HTTPStatus.OK, None
        match parts:
            case ["verify"]:
                after = _whole(query, "afterSeq", "invalid_after_seq")
                limit = _limit(query, LONGEST_PAGE)
                if ledger is not None:
                    whole = after is None and limit is None
                    shown = ledger.verification if whole else ledger.segment(after or 0, limit or PAGE)
                    status = HTTPStatus.OK if shown["ok"] else HTTPStatus.CONFLICT
            case ["row", seq]:
                if not _WHOLE.fullmatch(seq) or seq == "0":
                    raise NotServedError("invalid_seq")
                shown = ledger.row(int(seq)) if ledger else None
            case ["anchor-key"]:
                shown = ledger.keys if ledger else {"keys": []}
            case ["anchors"]:
                before, limit = _whole(query, "before", "invalid_before"), _limit(query, MOST_ANCHORS)
                shown = ledger.page(query.get("backend"), before, limit) if ledger else _NO_ANCHORS
            case ["anchor-payload"]:
                shown = ledger.newest_binding() if ledger else None
        if shown is None:
            raise _not_found()
        return Answer(status, _json(shown), build)

    def _ledger_of(self, build: str) -> Ledger | None:
        with self._lock:
            if self._ledger[0] != build:
                self._ledger = (build, self._read_ledger(build))
            return self._ledger[1]

    def _read_ledger(self, build: str) -> Ledger | None:
        data = self._tree.read(build, "data/rows_ledger.csv")
        if data is None or self._tree.read(build, f"{_LEDGER}/verify.json") is None:
            return None
        header, rows = read_csv(data, "rows_ledger.csv")
        named = [dict[str, Any](zip(header, row, strict=True)) for row in rows]
        return Ledger(
            [row | {"seq": int(row["seq"])} for row in named],
            self._document(build, f"{_LEDGER}/verify.json"),
            self._document(build, f"{_LEDGER}/anchors.json"),
            self._document(build, f"{_LEDGER}/anchor-key.json"),
        )

    def _bytes(self, build: str, path: str) -> bytes:
        data = self._tree.read(build, path)
        if data is None:
            raise _not_found()
        return data

    def _document(self, build: str, path: str) -> Any:
        return json.loads(self._bytes(build, path))


def _not_found() -> NotServedError:
    return NotServedError("not_found", HTTPStatus.NOT_FOUND)


def _whole(query: Query, name: str, word: str) -> int | None:
    if name not in query:
        return None
    if not _WHOLE.fullmatch(query[name]):
        raise NotServedError(word)
    return int(query[name])


def _limit(query: Query, most: int) -> int | None:
    limit = _whole(query, "limit", "invalid_limit")
    if limit == 0:
        raise NotServedError("invalid_limit")
    return None if limit is None else min(limit, most)
