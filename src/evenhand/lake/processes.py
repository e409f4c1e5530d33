"""A second process for an extraction: started, given its work, and never left behind.

Belongs here: the conversation between the two (one JSON line each way per phase), and its failures.
Does not: the work itself (work.py). The process is a fresh interpreter and no fork, because the libraries that are
loaded here own threads, which a fork would lose in the middle of whatever they do.
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from evenhand.errors import BusySourceError, EvenhandError, LakeError, SourceError
from evenhand.lake.assembly import Bucket
from evenhand.lake.manifest import LakeFile
from evenhand.lake.retention import Retention
from evenhand.lake.staging import Piece
from evenhand.lake.tables import TABLES
from evenhand.lake.work import Json, Numbers, Share, Tally, read_shares, write_buckets

_ERRORS: dict[str, type[EvenhandError]] = {error.__name__: error for error in (SourceError, BusySourceError, LakeError)}


class Helper:
    """The second process, from this side."""

    def __init__(self, share_numbers: int, bucket_numbers: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evenhand.lake.processes", str(share_numbers), str(bucket_numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(share_numbers, bucket_numbers),
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def tell(self, message: Json) -> None:
        """Send one message; the address of the export goes this way and stands on no command line."""
        assert self._process.stdin is not None
        # When it has ended already, its answer, or the lack of one, says why.
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def answer(self) -> Json:
        """Wait for its answer; raise what it raised, or LakeError when it is gone."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            code = self._process.wait()
            raise LakeError(f"the second process of the extraction ended early (code {code}): run it again")
        message: Json = json.loads(line)
        if "error" in message:
            raise _ERRORS.get(message["error"], LakeError)(message["message"])
        return message

    def end(self) -> None:
        """Make sure that it is gone."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # What it did not live to read is in its buffer still.
                with suppress(BrokenPipeError):
                    stream.close()


class Crew:
    """The processes of one extraction: this one, a second one when it is worth its start, and what they share.

    A context manager. The second one takes half a second to start, so it is started before there is work for it.
    """

    def __init__(self) -> None:
        self.reading, shares = os.pipe()
        self.writing, buckets = os.pipe()
        self.helper: Helper | None = None
        self._unfilled = [shares, buckets]

    def start(self) -> None:
        """Start the second process, once."""
        if self.helper is None:
            self.helper = Helper(self.reading, self.writing)

    def share_out(self, count: int) -> None:
        """Give out the numbers below `count`: of shares the first time, of groups of buckets the second."""
        Numbers.fill(self._unfilled.pop(0), count)

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        if self.helper is not None:
            self.helper.end()
        # Filling a pipe has closed its other end; one that was never filled is closed here.
        for descriptor in (self.reading, self.writing, *self._unfilled):
            os.close(descriptor)


def reading_message(address: str, shares: list[Share], staged: Path) -> Json:
    """What the second process needs for the first phase."""
    return {"address": address, "shares": shares, "staged": str(staged)}


def writing_message(groups: list[list[Bucket]], building: Path, memory_limit: str) -> Json:
    """What it needs for the second phase."""
    listed = [[_told(bucket) for bucket in group] for group in groups]
    return {"groups": listed, "building": str(building), "memory_limit": memory_limit}


def _told(bucket: Bucket) -> Json:
    told = {part.name: getattr(bucket, part.name) for part in fields(bucket)}
    told["table"] = bucket.table.name
    told["pieces"] = [asdict(piece) for piece in bucket.pieces]
    told["retention"] = asdict(bucket.retention) if bucket.retention else None
    return told


def tallies_of(message: Json) -> dict[str, Tally]:
    """Its answer to the first phase."""
    return {name: Tally.from_json(value) for name, value in message["tallies"].items()}


def files_of(message: Json) -> dict[str, LakeFile]:
    """Its answer to the second phase."""
    return {path: LakeFile(**value) for path, value in message["files"].items()}


def _groups(listed: list[list[Json]]) -> list[list[Bucket]]:
    return [[_bucket(value) for value in group] for group in listed]


def _bucket(value: Json) -> Bucket:
    told = {
        "table": TABLES[value["table"]],
        "pieces": [Piece(**piece) for piece in value["pieces"]],
        "retention": Retention.from_json(value["retention"]) if value["retention"] else None,
    }
    return Bucket(**{**value, **told})


def _serve(share_numbers: int, bucket_numbers: int) -> None:
    """The second process, from its own side."""
    from evenhand.sources import open_source

    parent = os.getppid()

    def end_with_parent() -> None:
        if os.getppid() != parent:
            raise SystemExit(1)

    line = sys.stdin.buffer.readline()
    if not line:
        return
    reading: dict[str, Any] = json.loads(line)
    staged = Path(reading["staged"])
    shares: list[Share] = [
        (name, (part[0], part[1]) if isinstance(part, list) else part, since_day)
        for name, part, since_day in reading["shares"]
    ]
    with open_source(reading["address"]) as source:
        tallies = read_shares(source, shares, iter(Numbers(share_numbers)), staged, 1, end_with_parent)
    _say({"tallies": {name: tally.to_json() for name, tally in tallies.items()}})
    line = sys.stdin.buffer.readline()
    if not line:
        return
    writing: dict[str, Any] = json.loads(line)
    files = write_buckets(
        _groups(writing["groups"]),
        iter(Numbers(bucket_numbers)),
        staged,
        Path(writing["building"]),
        writing["memory_limit"],
        end_with_parent,
    )
    _say({"files": {path: asdict(file) for path, file in files.items()}})


def _say(message: Json) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def _main() -> None:
    try:
        _serve(int(sys.argv[1]), int(sys.argv[2]))
    except EvenhandError as error:
        _say({"error": type(error).__name__, "message": str(error)})
    except OSError as error:
        _say({"error": "LakeError", "message": f"the lake cannot be written: {error.strerror}"})


if __name__ == "__main__":
    _main()
