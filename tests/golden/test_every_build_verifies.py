"""The verifier, which shares no code with the pipeline, counts every golden export's figures again and agrees."""

import gzip
from pathlib import Path

import pytest
from support.golden import Case, cases

import evenhand.build
from evenhand.build import build
from evenhand.policy import Policy
from evenhand.timeline import instant_argument
from evenhand.verify.check import verify
from evenhand.verify.claims import Status

_ALWAYS = ("open-03", "open-11", "open-hand-05", "open-hand-08")
"""A large one, one without an allowlist, and two with tables missing or empty; the others with the slow tests."""


def _marked(case: Case) -> object:
    name = case.folder.name
    return pytest.param(case, id=name, marks=() if name in _ALWAYS else pytest.mark.slow)


@pytest.mark.parametrize("case", [_marked(case) for case in cases()])
def test_nothing_of_a_build_fails(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evenhand.build, "write_pages", lambda *_: None)
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((case.folder / "export.sqlite.gz").read_bytes()))
    outcome = build(
        str(export),
        policy=Policy().allowing(case.input["repos"]),
        as_of=instant_argument(case.input["as_of"]),
        lake_dir=tmp_path / "lake",
        out=tmp_path / "out",
    )
    claims = verify(str(outcome.folder))
    failed = [claim for claim in claims.listed if claim.status is Status.FAIL]
    # Without its pages the build is not whole, which is all that may be wrong with it.
    assert {claim.name for claim in failed} == {"file: index.html"}
    assert claims.count(Status.PASS) > 400
