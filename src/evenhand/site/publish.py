"""Atomic publishing: a build folder is complete or absent, and `latest` moves last, by one rename.

Belongs here: the lock, digests, build identity, permalinks, the order of the writes to disk. Does not: what is
in a file.

Source: interface contract, "The published tree"; design, section 3.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evenhand.canonical import pretty, sha256_hex
from evenhand.errors import EvenhandError
from evenhand.site.facts import Compared
from evenhand.timeline import day_text, iso, parse_instant

BUILDS = "builds"
LATEST = "latest"
_LINKED = ("history.json", "feed.xml", "restatements.html")
_IDENTITY = ("v1/", "data/", "report.json")
"""What the build's digest covers; pages, manifests and signatures lie outside."""


@dataclass(frozen=True, slots=True)
class PastBuild:
    """A build that is already published."""

    build_id: str
    as_of: int
    digest: str
    sequence: int
    """In which order builds were made, from 1."""
    restated: str


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Holds the publishing lock of an output folder; EvenhandError when another build holds it."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EvenhandError(f"another build is publishing to {out}: wait for it to end") from error
        yield


def past_builds(out: Path) -> list[PastBuild]:
    """Every published build, in the order in which they were made."""
    found = []
    for folder in (out / BUILDS).glob("*/build.json"):
        if folder.parent.name.startswith("."):
            continue
        found.append(_past_build(folder))
    return sorted(found, key=lambda past: past.sequence)


def _past_build(manifest: Path) -> PastBuild:
    try:
        stated = json.loads(manifest.read_text(encoding="utf-8"))
        as_of = parse_instant(stated["asOf"])
        name = manifest.parent.name
        if as_of is None or stated["build"] != name or build_id(as_of, stated["digest"]) != name:
            raise ValueError(f"{name} is not what it says of itself")
        return PastBuild(name, as_of, str(stated["digest"]), int(stated["sequence"]), str(stated["restated"]))
    except (ValueError, KeyError, TypeError) as error:
        raise EvenhandError(
            f"the published build {manifest.parent.name} is damaged ({manifest.name}): restore or remove it"
        ) from error


def predecessor(builds: list[PastBuild], as_of: int) -> PastBuild | None:
    """The newest build with an earlier as-of; of several with that as-of the last made."""
    earlier = [past for past in builds if past.as_of < as_of]
    return max(earlier, key=lambda past: (past.as_of, past.sequence), default=None)


def newest(builds: list[PastBuild]) -> PastBuild:
    """The build that readers should see: the newest as-of, of several the last made."""
    return max(builds, key=lambda past: (past.as_of, past.sequence))


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()


def files_below(directory: Path) -> list[str]:
    """Every file below a folder, as relative paths with forward slashes, in code point order."""
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())


def build_digest(digests: dict[str, str]) -> str:
    """SHA-256 over the sorted `sha256  path` lines of v1/, data/ and report.json."""
    lines = sorted(f"{digest}  {path}\n" for path, digest in digests.items() if path.startswith(_IDENTITY))
    return sha256_hex("".join(lines).encode())


def build_id(as_of: int, digest: str) -> str:
    """The as-of date and 12 digits of the digest."""
    return f"{day_text(as_of)}-{digest[:12]}"


@contextmanager
def scratch_folder(out: Path) -> Iterator[Path]:
    """A folder beside the builds that is gone when the block ends, however it ends; leftovers of killed runs too."""
    builds = out / BUILDS
    builds.mkdir(parents=True, exist_ok=True)
    for leftover in builds.glob(".making-*"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()
    folder = builds / f".making-{os.getpid()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_checksums(directory: Path) -> None:
    """`SHA256SUMS` over every file of the build, for `sha256sum -c`."""
    lines = (f"{file_digest(directory / path)}  {path}\n" for path in files_below(directory) if path != "SHA256SUMS")
    (directory / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def check_links(out: Path, identity: str) -> None:
    """EvenhandError when something that is no link of ours stands where a link or the build must go."""
    for name in (LATEST, *_LINKED):
        if (out / name).exists() and not (out / name).is_symlink():
            raise EvenhandError(f"{out / name} is no link to a build: move it away, then build again")
    if (out / BUILDS / identity).exists():
        raise EvenhandError(f"{out / BUILDS / identity} has no build.json and is no build: move it away")


def install(made: Path, out: Path, identity: str) -> None:
    """Puts a finished build at its permalink, durably."""
    for path in made.rglob("*"):
        _sync(path)
    _sync(made)
    made.rename(out / BUILDS / identity)
    _sync(out / BUILDS)


def point_latest(out: Path, identity: str) -> None:
    """Switches `latest` by one rename, then makes sure that the links through it stand."""
    links = {LATEST: f"{BUILDS}/{identity}", **{name: f"{LATEST}/{name}" for name in _LINKED}}
    for name, target in links.items():
        link = out / name
        if not (link.is_symlink() and link.readlink().as_posix() == target):
            _replace_link(link, target)
    _sync(out)


def _replace_link(link: Path, target: str) -> None:
    temporary = link.with_name(f".{link.name}-{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(link)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def history(builds: list[PastBuild]) -> str:
    """`history.json`: every build up to this one, the last made first."""
    return pretty(
        {
            "builds": [
                {
                    "build": past.build_id,
                    "asOf": iso(past.as_of),
                    "digest": past.digest,
                    "restated": past.restated or None,
                }
                for past in reversed(builds)
            ]
        }
    )


def compared_build(out: Path, past: PastBuild | None, figures: Mapping[str, Any]) -> Compared | None:
    """A published build with its figures, its policy and its versions; nothing without one."""
    if past is None:
        return None
    path = out / BUILDS / past.build_id / "build.json"
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        return Compared(past.build_id, past.as_of, figures, stated["policy"], stated["versions"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvenhandError(
            f"the published build {past.build_id} is damaged (build.json): restore or remove it"
        ) from error


def previous_report(out: Path, past: PastBuild | None) -> dict[str, Any]:
    """The figures by id of a published build's report.json; nothing without one."""
    if past is None:
        return {}
    path = out / BUILDS / past.build_id / "report.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {figure["id"]: figure for figure in document["figures"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvenhandError(
            f"the published build {past.build_id} is damaged (report.json): restore or remove it"
        ) from error
