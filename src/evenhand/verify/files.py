"""Whether the files are those that the build says it consists of.

Belongs here: bytes, digests, the build's identity, the data package, the statement and its signature. Does not: what
any file says. Digests are compared before anything is parsed.
"""

import hashlib
from pathlib import Path
from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.plain import NotReadableError, parse_json, sha256
from evenhand.verify.signature import check_signature
from evenhand.verify.target import CHECKSUMS

_IDENTITY = ("v1/", "data/", "report.json")
_OUTSIDE = (CHECKSUMS, "statement.sig")
_UNSTATED = ("statement.json", "statement.sig")
_NEEDED = ("index.html", "report.json", "build.json", "datapackage.json", "statement.json", "v1/public/stats.json")


def check_bytes(build: Build, claims: Claims) -> None:
    """Every listed file is there with the digest that is listed, every needed one is listed, and none is added."""
    for path, digest in build.digests.items():
        file = build.target.folder / path
        if file.is_symlink() or not file.is_file():
            claims.fail(f"file: {path}", digest, "missing" if not file.is_symlink() else "a link")
        else:
            claims.equal(f"file: {path}", digest, _digest(file))
    for path in _NEEDED:
        if path not in build.digests:
            claims.fail(f"file: {path}", "listed", f"not in {CHECKSUMS}")
    if build.target.is_remote:
        claims.skip("files: none was added", "over http a file that nothing names cannot be seen")
        return
    added = [path for path in build.target.present() if path not in build.digests and path not in _OUTSIDE]
    for path in added:
        claims.fail(f"files: none was added: {path}", "no file that is not listed", path)
    if not added:
        claims.holds("files: none was added", True, "no file that is not listed")


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def check_identity(build: Build, claims: Claims) -> None:
    """The build's digest is that of its data, its name is of its as-of and digest, and the report agrees."""
    lines = sorted(f"{digest}  {path}\n" for path, digest in build.digests.items() if path.startswith(_IDENTITY))
    digest = sha256("".join(lines).encode())
    told = build.document("build.json")
    claims.equal("build: digest", digest, told["digest"])
    claims.equal("build: name", f"{told['asOf'][:10]}-{digest[:12]}", told["build"])
    claims.equal("build: as-of of the report", told["asOf"], build.document("report.json")["asOf"])
    if not build.target.is_remote:
        claims.equal("build: folder", told["build"], build.target.folder.name)


def check_package(build: Build, claims: Claims) -> None:
    """Every data file is described in `datapackage.json`, with its bytes and digest."""
    resources = {entry["path"]: entry for entry in build.document("datapackage.json")["resources"]}
    expected = sorted(path for path in build.digests if path.startswith(_IDENTITY))
    claims.equal("data package: files", ", ".join(expected), ", ".join(sorted(resources)))
    for path, entry in resources.items():
        if path in build.digests and build.has(path):
            size = (build.target.folder / path).stat().st_size
            claims.equal(
                f"data package: {path}",
                f"{size} bytes, sha256:{build.digests[path]}",
                f"{entry['bytes']} bytes, {entry['hash']}",
            )


def check_statement(build: Build, claims: Claims, key: Path | None) -> None:
    """The statement names just these files and this build; its signature, when there is one, is of the key given."""
    statement = build.document("statement.json")
    subjects = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
    covered = {path: digest for path, digest in build.digests.items() if path not in _UNSTATED}
    differing = sorted(path for path in covered.keys() | subjects.keys() if covered.get(path) != subjects.get(path))
    claims.equal("statement: subjects", "", ", ".join(differing))
    predicate, told = statement["predicate"], build.document("build.json")
    for name in ("build", "asOf", "digest"):
        claims.equal(f"statement: {name}", told[name], predicate[name])
    signature = build.target.folder / "statement.sig"
    if not signature.is_file():
        if key is not None:
            claims.fail("signature", f"one of the key {key.name}", "none")
        else:
            claims.skip("signature", "the build is not signed")
        return
    try:
        document: Any = parse_json(signature.read_bytes(), "statement.sig")
    except NotReadableError as error:
        claims.fail("signature", "a signature", str(error))
        return
    check_signature((build.target.folder / "statement.json").read_bytes(), document, key, told["asOf"], claims)


def check_chain(build: Build, claims: Claims) -> None:
    """The build names its predecessor's digest, and the predecessor, when it is beside it, has that digest."""
    previous = build.document("statement.json")["predicate"]["previous"]
    told = build.document("build.json")["previous"]
    claims.equal("chain: predecessor", told, previous["build"] if previous else None)
    if previous is None:
        claims.holds("chain: first build", True, "it names no predecessor")
        return
    beside = build.target.folder.parent / previous["build"] / "build.json"
    if build.target.is_remote or not beside.is_file():
        claims.skip("chain: digest of the predecessor", "the predecessor is not beside this build")
        return
    try:
        found = parse_json(beside.read_bytes(), "build.json")["digest"]
    except (NotReadableError, KeyError, TypeError):
        found = "no readable build.json"
    claims.equal("chain: digest of the predecessor", previous["digest"], found)
