"""Every check of a build, in order: bytes first, and nothing parsed before its digest is right.

Belongs here: the order, and what follows when a file cannot be read. Does not: any check.
"""

from collections.abc import Callable
from pathlib import Path

from evenhand.verify.api import check_counts, check_stats, check_summaries
from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.figures import check_figures, check_figures_table
from evenhand.verify.files import check_bytes, check_chain, check_identity, check_package, check_statement
from evenhand.verify.ledger import check_ledger
from evenhand.verify.plain import NotReadableError
from evenhand.verify.reviews import check_review_tables
from evenhand.verify.tables import check_corpora, check_records, check_rows
from evenhand.verify.target import Target

_CHECKS: tuple[tuple[str, Callable[[Build, Claims], None]], ...] = (
    ("build", check_identity),
    ("data package", check_package),
    ("chain", check_chain),
    ("rows", check_rows),
    ("corpus", check_corpora),
    ("record", check_records),
    ("figure", check_figures),
    ("figures table", check_figures_table),
    ("summary", check_summaries),
    ("summary", check_counts),
    ("summary", check_review_tables),
    ("api", check_stats),
    ("ledger", check_ledger),
)


def verify(address: str, key: Path | None = None) -> Claims:
    """Every claim of the build at a folder or an http address.

    Raises NoBuildError when there is none.
    """
    claims = Claims()
    with Target(address) as target:
        build = Build(target, target.listed())
        check_bytes(build, claims)
        build.read_tables()
        _guarded("statement", lambda one, into: check_statement(one, into, key), build, claims)
        for group, check in _CHECKS:
            _guarded(group, check, build, claims)
    return claims


def _guarded(group: str, check: Callable[[Build, Claims], None], build: Build, claims: Claims) -> None:
    """A document of another shape than a build's is a claim that failed, never an error of ours."""
    try:
        check(build, claims)
    except (
        NotReadableError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        LookupError,
        ArithmeticError,
        OSError,
    ) as error:
        what = str(error) if isinstance(error, NotReadableError) else f"{type(error).__name__}: {error}"
        claims.fail(f"{group}: readable", "documents of a build's shape", what)
