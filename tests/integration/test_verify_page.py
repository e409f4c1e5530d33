"""The Verify page keeps its word: its walkthrough runs as it stands there, and its exceptions are the checker's."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from integration.conftest import PublishedSite
from support.golden import GOLDEN, Case
from support.sites import published_from, verdicts

from evenhand.build import publish
from evenhand.site.facts import BuildFacts
from evenhand.site.pages.site import Site
from evenhand.site.pages.verify import exceptions
from evenhand.verify.check import verify
from evenhand.verify.claims import Claims, Status


def block(folder: Path, name: str) -> str:
    """A block of the page as a reader copies it."""
    page = (folder / "verify.html").read_text(encoding="utf-8")
    [found] = re.findall(rf'<code id="{name}">(.*?)</code>', page, re.DOTALL)
    return html.unescape(found)


def pasted(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash"], input=block(folder, name) + "\n", cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_walkthrough_works_as_it_is_shown(published_site: PublishedSite) -> None:
    folder = published_site.latest
    assert pasted(folder, "check-files").stdout == "every file is as listed\n"
    assert folder.name.endswith(f"-{pasted(folder, 'check-name').stdout.strip()}")
    counted, published = pasted(folder, "check-figure").stdout.splitlines()
    assert counted.removeprefix("counted  ") == published.removeprefix("published")
    assert counted.removeprefix("counted   ") in (folder / "verify.html").read_text(encoding="utf-8")
    python = block(folder, "check-figure").splitlines()[1:-1]
    assert len(python) <= 15
    assert all(re.match(r"(from|import) (csv|json|fractions)\b", line) for line in python if "import" in line)


def test_the_walkthrough_sees_what_was_changed(published_site: PublishedSite, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published_site.latest, tmp_path / published_site.latest.name))
    rule = block(folder, "check-figure").split('rule, votes = "')[1].split('"')[0]
    rows = folder / "data/rows_overrides.csv"
    text = rows.read_text(encoding="utf-8")
    rows.write_text(re.sub(rf'("{rule}",[^\n]*,"confirmed",[^\n]*,false,)(\d+)', r"\g<1>99", text, count=1))
    assert "data/rows_overrides.csv: FAILED" in pasted(folder, "check-files").stdout
    counted, published = pasted(folder, "check-figure").stdout.splitlines()
    assert counted.removeprefix("counted  ") != published.removeprefix("published")


def skipped(claims: Claims) -> dict[str, str]:
    """Figure id -> why the checker could not count it again."""
    return {
        claim.name.removeprefix("figure: "): claim.reason
        for claim in claims.listed
        if claim.status is Status.SKIP and claim.name.startswith("figure: ")
    }


def test_the_page_prints_the_share_and_the_exceptions_that_the_checker_finds(published_site: PublishedSite) -> None:
    page = html.unescape((published_site.latest / "verify.html").read_text(encoding="utf-8"))
    claims = verify(str(published_site.latest))
    found = skipped(claims)
    assert found
    for name, reason in found.items():
        assert f"<code>{name}</code>" in page
        assert reason in page
    total = sum(claim.name.endswith(": value or reason") for claim in claims.listed)
    assert f"{total - len(found)} of {total} published figures" in page


@pytest.mark.parametrize("kind", ["events alone", "two instances"])
def test_what_the_page_declares_is_what_the_checker_skips(kind: str, tmp_path: Path) -> None:
    if kind == "events alone":
        published = published_from({"audit_events": verdicts("alone", 9, 3)}, tmp_path)
    else:
        published = Case(GOLDEN / "fairness" / "open-01").publish(tmp_path)
    outcome = publish(published.computed, out=tmp_path / "site")
    declared, _ = exceptions(Site(published.computed, BuildFacts(outcome.build_id, "", ())))
    claims = verify(str(outcome.folder))
    assert {name: one.reason for one in declared for name in one.figures} == skipped(claims)
    assert [claim for claim in claims.listed if claim.status is Status.FAIL] == []
