"""Where a build is read from: a folder, or an http address that is copied into one first.

Belongs here: finding the build, listing it, and reading its files within limits. Does not: any claim.
"""

import re
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

CHECKSUMS = "SHA256SUMS"
MOST_FILES = 20_000
MOST_BYTES = 2 << 30
"""Of one file; a Parquet file is read in a process of its own and may not unpack beyond its own limits."""
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_TIMEOUT = 60


class NoBuildError(Exception):
    """There is no build to check; says what is there instead."""


class Target:
    """A build in a folder; a context manager that removes what it copied."""

    def __init__(self, address: str) -> None:
        """NoBuildError when nothing like a build is there."""
        self.copied: Path | None = None
        self.is_remote = urllib.parse.urlsplit(address).scheme in ("http", "https")
        if self.is_remote:
            self.copied = Path(tempfile.mkdtemp(prefix="evenhand-verify-"))
            try:
                self.folder = _download(address, self.copied)
            except BaseException:
                self.close()
                raise
        else:
            self.folder = _build_folder(Path(address))

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove what was copied."""
        if self.copied is not None:
            shutil.rmtree(self.copied, ignore_errors=True)

    def listed(self) -> dict[str, str]:
        """Path -> digest, as SHA256SUMS says."""
        return _listed((self.folder / CHECKSUMS).read_bytes())

    def present(self) -> list[str]:
        """Every file that is there, by its path below the build."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() or path.is_symlink()
        )

    def read(self, path: str) -> bytes:
        """A file's bytes; FileNotFoundError, or NoBuildError when it is larger than any file of a build."""
        file = self.folder / path
        if file.stat().st_size > MOST_BYTES:
            raise NoBuildError(f"{path} is larger than {MOST_BYTES >> 30} GiB")
        return file.read_bytes()


def is_safe(path: str) -> bool:
    """Whether a path stays below the folder that it is relative to, on every system."""
    parts = path.split("/")
    return not any(part in ("", ".", "..") for part in parts) and not re.search(r"[\\:\x00-\x1f]", path)


def _listed(data: bytes) -> dict[str, str]:
    listed: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        found = _LINE.fullmatch(line)
        if not found or not is_safe(found[2]):
            raise NoBuildError(f"line {number} of {CHECKSUMS} is no digest with a path below the build")
        listed[found[2]] = found[1]
    if len(listed) > MOST_FILES:
        raise NoBuildError(f"{CHECKSUMS} lists more than {MOST_FILES} files")
    return listed


def _build_folder(folder: Path) -> Path:
    for candidate in (folder, folder / "latest"):
        if (candidate / CHECKSUMS).is_file():
            return candidate.resolve()
    if folder.is_dir():
        raise NoBuildError(f"{folder} holds no build: there is no {CHECKSUMS} in it or in its latest/")
    raise NoBuildError(f"there is no folder {folder}: give a build's folder or its http address")


def _download(address: str, copied: Path) -> Path:
    base = address if address.endswith("/") else address.rsplit("/", 1)[0] + "/" if _is_page(address) else address + "/"
    for root in (base, urllib.parse.urljoin(base, "latest/")):
        try:
            sums = _fetched(root, CHECKSUMS)
        except NoBuildError:
            continue
        folder = copied / "build"
        folder.mkdir()
        (folder / CHECKSUMS).write_bytes(sums)
        for path in _listed(sums):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                file.write_bytes(_fetched(root, path))
            except NoBuildError:
                continue  # missing: the claim about the file says so
        _optional(root, "statement.sig", folder)
        return folder
    raise NoBuildError(f"there is no build at {address}: its {CHECKSUMS} cannot be fetched")


def _optional(root: str, path: str, folder: Path) -> None:
    try:
        (folder / path).write_bytes(_fetched(root, path))
    except NoBuildError:
        return


def _is_page(address: str) -> bool:
    return address.rsplit("/", 1)[-1].endswith((".html", CHECKSUMS))


def _fetched(root: str, path: str) -> bytes:
    address = urllib.parse.urljoin(root, urllib.parse.quote(path))
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT) as response:
            data: bytes = response.read(MOST_BYTES + 1)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise NoBuildError(f"{path} cannot be fetched: {error}") from error
    if len(data) > MOST_BYTES:
        raise NoBuildError(f"{path} is larger than {MOST_BYTES >> 30} GiB")
    return data
