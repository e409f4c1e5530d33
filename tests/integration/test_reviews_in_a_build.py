"""A build with reviews: figures over many for everyone, a page a review for the operator, and nothing without them."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
from support.exports import every_table
from support.reviews import RAN, finding, patch, review, seat_record, text_of
from support.sites import published_from, verdicts

from evenhand import build as building
from evenhand.cli import main
from evenhand.computed import Computed
from evenhand.errors import DisclosureError, EvenhandError, SourceError, UsageError
from evenhand.evidence.analytics.registry import statistics
from evenhand.evidence.analytics.reviewed import reviewed
from evenhand.evidence.page_folder import write_review_pages
from evenhand.policy import Policy
from evenhand.site import publish as publishing
from evenhand.site.report import report_schema

PRIVATE = {
    "title": "Zanzibar title",
    "reason": "Quagmire reason names nobody",
    "code": "xylophone_call()",
    "file": "src/kaleidoscope.py",
    "branch": "feat/umbrella-secret",
    "sha": "deadbeefcafe" + "0" * 28,
    "review id": "rv-private-7",
    "finding id": "F-private-1",
    "repository": "hidden-org/vault",
    "account": "quiet-account",
    "lab": "lab-undisclosed",
    "bad field": "no_such_status",
}
"""What a review says and a published file must not."""


def private_reviews() -> list[object]:
    copies = [
        finding(
            PRIVATE["finding id"] if number == 0 else f"F{number}",
            title=f"{PRIVATE['title']} {number}",
            reason=PRIVATE["reason"],
            files=[f"{PRIVATE['file']}{number}"],
            patch=patch(file=f"{PRIVATE['file']}{number}", replaced=PRIVATE["code"]),
            reproduction=RAN,
        )
        for number in range(12)
    ]
    seats = [{"seat": "alder", "lab": PRIVATE["lab"], "rank": 1, "unfinished_lenses": []}]
    private = {
        "review_id": PRIVATE["review id"],
        "repo": PRIVATE["repository"],
        "account": PRIVATE["account"],
        "head_ref": PRIVATE["branch"],
        "head_sha": PRIVATE["sha"],
        "pull_number": 987654,
        "seats": seats,
        "finished_at": "2026-10-01T10:04:05Z",
    }
    return [
        review(*copies, **private),
        review(status=PRIVATE["bad field"], **{**private, "review_id": "bad"}),
        review(status="partial", finished_at="2026-10-02T00:00:00Z"),
    ]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Computed:
    """A small export, computed."""
    events = every_table({"audit_events": [*verdicts("a_rule", 9, 3)]})
    return published_from(events, tmp_path_factory.mktemp("export"), repos=("acme/widgets",)).computed


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Reviews full of private texts, and seat records of two accounts."""
    folder = tmp_path_factory.mktemp("files")
    seats = [seat_record(settled=4), seat_record(account=PRIVATE["account"], proven=7)]
    (folder / "reviews.ndjson").write_text(text_of(private_reviews()), encoding="utf-8")  # type: ignore[arg-type]
    (folder / "seats.ndjson").write_text(text_of(seats), encoding="utf-8")
    return folder / "reviews.ndjson", folder / "seats.ndjson"


@pytest.fixture(scope="module")
def built(
    without: Computed, files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[building.Outcome, Path]:
    """The build with those reviews, and the operator's folder."""
    folder = tmp_path_factory.mktemp("built")
    found = reviewed(*files, without.context.policy, without.context.as_of, keep=True)
    computed = replace(without, reviews=found)
    return building.publish(computed, out=folder / "out", operator=folder / "operator"), folder / "operator"


@pytest.fixture(scope="module")
def plain(without: Computed, tmp_path_factory: pytest.TempPathFactory) -> building.Outcome:
    """The same build without them."""
    return building.publish(without, out=tmp_path_factory.mktemp("plain"))


def published_texts(folder: Path) -> dict[str, str]:
    """Every published file as text; Parquet as its rows."""
    return {name: published_text(folder / name) for name in publishing.files_below(folder)}


def published_text(path: Path) -> str:
    if path.suffix == ".parquet":
        return str(pq.read_table(path).to_pylist())
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("what", PRIVATE)
def test_no_published_file_holds_what_a_review_says(built: tuple[building.Outcome, Path], what: str) -> None:
    outcome, _ = built
    for name, text in published_texts(outcome.folder).items():
        assert PRIVATE[what].lower() not in text.lower(), f"{name} holds the {what}"
        assert not re.search(r"\b987654\b", text), f"{name} holds a pull request"


def test_the_operator_has_a_page_a_review_with_all_of_it_and_the_bad_records_by_name(
    built: tuple[building.Outcome, Path],
) -> None:
    _, operator = built
    pages = {path.name: path.read_text(encoding="utf-8") for path in (operator / "reviews").iterdir()}
    assert len(pages) == 3
    plain_pages = re.sub("<wbr>", "", "".join(pages.values()))
    for what in ("title", "reason", "code", "file", "repository", "account", "lab", "bad field"):
        assert PRIVATE[what] in plain_pages, what
    assert "reviews.ndjson, line 2" in re.sub("<[^>]*>", "", pages["index.html"])
    assert 'href="../reviews.html"' in pages["index.html"]
    assert 'href="reviews/index.html"' in (operator / "reviews.html").read_text(encoding="utf-8")
    assert 'Account <bdi class="name">quiet-<wbr>account' in (operator / "reviews-seats.html").read_text("utf-8")


def test_figures_over_reviews_stand_in_the_report_and_in_the_tables(built: tuple[building.Outcome, Path]) -> None:
    outcome, _ = built
    document = json.loads((outcome.folder / "report.json").read_text())
    jsonschema.Draft202012Validator(json.loads((outcome.folder / "report.schema.json").read_text())).validate(document)
    assert {f["metric"] for f in document["figures"] if f["metric"].startswith("reviews.")} == set(statistics())
    assert document["reviews"]["inputs"] == {"reviews": {"records": 2, "bad": 1}, "seats": {"records": 2, "bad": 0}}
    tables = {path.stem for path in (outcome.folder / "data").glob("review_*.parquet")}
    assert tables == {path.stem for path in (outcome.folder / "data").glob("review_*.csv")}
    assert len(tables) == len(statistics())
    page = (outcome.folder / "data.html").read_text(encoding="utf-8")
    assert all(f'href="data/{table}.csv"' in page for table in tables)


def test_every_page_over_reviews_says_what_was_not_read(built: tuple[building.Outcome, Path]) -> None:
    outcome, _ = built
    pages = sorted(outcome.folder.glob("reviews*.html"))
    assert [page.name for page in pages] == ["reviews-confidence.html", "reviews-seats.html", "reviews.html"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "1 complete, 1 partial" in text
        assert "What was not read was not reviewed" in text
    assert "not a calibrated probability" in pages[0].read_text(encoding="utf-8")


def test_the_inputs_of_a_build_have_their_digests_and_its_identity_depends_on_the_figures(
    built: tuple[building.Outcome, Path], plain: building.Outcome, files: tuple[Path, Path]
) -> None:
    outcome, _ = built
    stated = json.loads((outcome.folder / "build.json").read_text())["inputs"]
    assert stated["reviews"] == {"sha256": publishing.file_digest(files[0]), "records": 2, "bad": 1}
    assert stated["seats"]["sha256"] == publishing.file_digest(files[1])
    assert outcome.build_id != plain.build_id


def test_the_choices_of_the_contract_are_on_the_methodology_page(built: tuple[building.Outcome, Path]) -> None:
    outcome, _ = built
    page = (outcome.folder / "methodology.html").read_text(encoding="utf-8")
    listed = page.split("the choice made here is a policy value")[1].split("</p>")[0]
    for choice in ("states", "decided_outcomes", "symbol_measure"):
        assert f"<code>evidence.{choice}</code>" in listed
    for entry in statistics().values():
        assert f'<h3 id="{entry.name.replace(".", "-").replace("_", "-")}">' in page


def test_without_reviews_nothing_mentions_them(plain: building.Outcome) -> None:
    names = publishing.files_below(plain.folder)
    assert not [name for name in names if "review" in name]
    for name in names:
        if name.endswith((".html", ".json", ".csv", ".xml")):
            text = (plain.folder / name).read_text(encoding="utf-8")
            assert not re.search(r"mechanism|\bseats?\b|reviews\.html|Parallax|suite_green", text), name
    assert "inputs" not in json.loads((plain.folder / "build.json").read_text())
    assert not {"evidence", "reviews"} & set(json.loads((plain.folder / "build.json").read_text())["policy"])
    assert json.loads((plain.folder / "report.schema.json").read_text()) == report_schema()


def test_a_lens_that_names_a_hidden_repository_stops_the_build(without: Computed, tmp_path: Path) -> None:
    named = review(
        finding(lens="Hidden-Org/Vault rules"), repo=PRIVATE["repository"], finished_at="2026-10-01T00:00:00Z"
    )
    (tmp_path / "reviews.ndjson").write_text(text_of([named]), encoding="utf-8")
    found = reviewed(tmp_path / "reviews.ndjson", None, without.context.policy, without.context.as_of)
    with pytest.raises(DisclosureError, match="a lens or seat names a repository"):
        building.publish(replace(without, reviews=found), out=tmp_path / "out")
    assert not (tmp_path / "out" / "latest").exists()


def test_pages_of_an_earlier_run_are_replaced_and_other_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "reviews.ndjson").write_text(text_of([review()]), encoding="utf-8")
    policy = Policy()
    first = reviewed(tmp_path / "reviews.ndjson", None, policy, 1_900_000_000_000_000, keep=True)
    (tmp_path / "reviews.ndjson").write_text(text_of([review(pull_number=8)]), encoding="utf-8")
    second = reviewed(tmp_path / "reviews.ndjson", None, policy, 1_900_000_000_000_000, keep=True)
    folder = tmp_path / "pages"
    for found in (first, second):
        assert found.assessment
        write_review_pages(found.assessment, found.bad, folder)
        assert len(list(folder.iterdir())) == 2
    assert second.assessment
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(EvenhandError, match="move it away"):
        write_review_pages(second.assessment, second.bad, folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".pages*"))


def test_seats_without_reviews_and_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--reviews"):
        building.refuse_seats_alone(None, tmp_path / "seats.ndjson")
    with pytest.raises(SourceError, match=r"gone\.ndjson"):
        reviewed(tmp_path / "gone.ndjson", None, Policy(), 0)


def test_the_command_line_builds_with_the_sample_and_strict_counts_bad_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(_computed: object, _facts: object, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(building, "write_pages", write)
    source = tmp_path / "export"
    source.mkdir()
    shutil.copy("data/sample/seats.ndjson", tmp_path / "seats.ndjson")
    (source / "audit_events.ndjson").write_text("")
    arguments = ["build", str(source), "--as-of", "2026-11-01T00:00:00Z", "--out", str(tmp_path / "out")]
    arguments += ["--lake", str(tmp_path / "lake"), "--strict", "--seats", str(tmp_path / "seats.ndjson")]
    assert main([*arguments, "--reviews", "data/sample/reviews.ndjson"]) == 3
    assert "6 records of reviews or seats could not be read" in capsys.readouterr().out
    (tmp_path / "good.ndjson").write_text(text_of([review()]))
    again = [*arguments, "--restate", "other reviews"]
    assert main([*again, "--reviews", str(tmp_path / "good.ndjson")]) == 0
    assert main(arguments) == 2
