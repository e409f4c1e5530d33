"""Which file an address names, opened so that nothing outside the site can be reached.

Belongs here: decoding a path, the two mounts `latest/` and `builds/ID/`, and opening a file component by component
without following a link; `latest` alone is read, and only when it names a build beside it. Does not: HTTP (server), or
the API (api). Folders are never listed.

Source: interface contract, "The published tree" and "Served paths".
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from evenhand.errors import EvenhandError

BUILDS, LATEST, INDEX, CHECKSUMS = "builds", "latest", "index.html", "SHA256SUMS"
LINKED = ("history.json", "feed.xml", "restatements.html")
"""What stands beside `latest` as well."""
LONGEST_PATH = 2048
_BUILD = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{12}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\:]")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# A named pipe in a build would otherwise hold its reader up for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Opened:
    """A regular file of a build, open for reading: whoever holds it closes the descriptor."""

    descriptor: int
    size: int
    path: str
    """Below the build."""
    build: str


@dataclass(frozen=True, slots=True)
class Place:
    """A path below a build, and whether it was named by its permalink, under which it never changes."""

    build: str
    path: str
    permanent: bool


def decoded(path: str) -> list[str] | None:
    """The parts of a request's path, decoded once; None for one that could mean anything but a file below a folder."""
    if len(path) > LONGEST_PATH or not path.startswith("/"):
        return None
    try:
        parts = [unquote_to_bytes(part).decode("utf-8") for part in path[1:].split("/")]
    except UnicodeDecodeError:
        return None
    # An encoded slash would make two parts of one after the check.
    if any(part.startswith(".") or "/" in part or _UNSAFE.search(part) for part in parts):
        return None
    return parts if all(parts[:-1]) else None


class Tree:
    """A folder of builds, or one build's own folder, which is then `latest`."""

    def __init__(self, folder: Path) -> None:
        """EvenhandError when no build is there."""
        self._folder = folder.resolve()
        self._alone = (self._folder / CHECKSUMS).is_file()
        if self.latest() is None:
            raise EvenhandError(
                f"{folder} holds no published site: give the folder of --out, with `{LATEST}` in it, or a build's own"
            )

    def latest(self) -> str | None:
        """The build that readers should see now; None when there is none, or `latest` names anything else."""
        if self._alone:
            return self._folder.name
        try:
            target = (self._folder / LATEST).readlink().as_posix()
        except OSError:
            return None
        parent, _, name = target.partition("/")
        return name if parent == BUILDS and _BUILD.fullmatch(name) else None

    def place(self, parts: list[str]) -> Place | None:
        """What a path names; the last part is empty when it ends with a slash, and is then the folder's first page."""
        latest = self.latest()
        if latest is not None and parts[0] == LATEST and len(parts) > 1:
            return Place(latest, _page(parts[1:]), permanent=False)
        if latest is not None and len(parts) == 1 and parts[0] in LINKED:
            return Place(latest, parts[0], permanent=False)
        if parts[0] == BUILDS and len(parts) > 2 and (_BUILD.fullmatch(parts[1]) or parts[1] == latest):
            return Place(parts[1], _page(parts[2:]), permanent=True)
        return None

    def needs_slash(self, parts: list[str]) -> bool:
        """Whether a path names a build without the slash that its pages' links need."""
        return parts == [LATEST] or (len(parts) == 2 and parts[0] == BUILDS and self.place([*parts, ""]) is not None)

    def open(self, build: str, path: str) -> Opened | None:
        """A regular file below a build, no part of whose way is a link; None when there is none."""
        way = path.split("/") if self._alone else [BUILDS, build, *path.split("/")]
        if self._alone and build != self._folder.name:
            return None
        folder = -1
        try:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            for part in way[:-1]:
                inner = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = inner
            descriptor = os.open(way[-1], _FILE, dir_fd=folder)
        except (OSError, ValueError):
            return None
        finally:
            if folder >= 0:
                os.close(folder)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            return None
        return Opened(descriptor, status.st_size, path, build)

    def read(self, build: str, path: str) -> bytes | None:
        """A file's bytes."""
        opened = self.open(build, path)
        if opened is None:
            return None
        with os.fdopen(opened.descriptor, "rb") as file:
            return file.read()


def _page(parts: list[str]) -> str:
    """Only the folder of the build itself has a first page."""
    return INDEX if parts == [""] else "/".join(parts)
