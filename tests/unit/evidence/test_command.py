"""The command: what goes where, exit codes, and the policy in force."""

import json

import pytest
from support.reviews import finding, patch, review, seat_record, text_of

from evenhand.cli import main


@pytest.fixture
def export(tmp_path):
    file = tmp_path / "reviews.ndjson"
    file.write_text(text_of([review(finding(patch=patch())), "{", review(pull_number=8)]), encoding="utf-8")
    return file


def test_json_goes_to_standard_output_and_the_report_to_standard_error(export, capfd):
    assert main(["evidence", str(export)]) == 0
    told = capfd.readouterr()
    document = json.loads(told.out)
    assert [sorted(document), len(document["reviews"])] == [["bad_records", "reviews", "seat_scores"], 2]
    assert document["bad_records"][0]["file"] == "reviews.ndjson"
    assert "reviews read: 2, bad records: 1" in told.err
    assert "reviews.ndjson:2: is not JSON" in told.err


def test_strict_exits_3_when_there_were_bad_records_and_writes_all_the_same(export, tmp_path, capfd):
    assert main(["evidence", str(export), "--strict", "--out", str(tmp_path / "out.json")]) == 3
    assert len(json.loads((tmp_path / "out.json").read_text())["reviews"]) == 2
    assert capfd.readouterr().out == ""
    (tmp_path / "good.ndjson").write_text(text_of([review()]))
    assert main(["evidence", str(tmp_path / "good.ndjson"), "--strict"]) == 0
    assert not list(tmp_path.glob(".*"))


def test_bad_seat_records_are_strict_too(export, tmp_path):
    seats = tmp_path / "seats.ndjson"
    seats.write_text(text_of([seat_record(proven=-1)]))
    (tmp_path / "good.ndjson").write_text(text_of([review()]))
    assert main(["evidence", str(tmp_path / "good.ndjson"), "--seats", str(seats), "--strict"]) == 3


@pytest.mark.parametrize(
    ("form", "says"),
    [("markdown", "## `acme/widgets` 7: deep pass"), ("annotations", '"annotations": ['), ("plan", "### Taken")],
)
def test_every_form_is_printed(export, form, says, capfd):
    export.write_text(text_of([review(finding(patch=patch()))]))
    assert main(["evidence", str(export), "--format", form]) == 0
    assert says in capfd.readouterr().out


def test_pages_go_to_an_empty_folder_and_one_page_may_be_printed(export, tmp_path, capfd):
    assert main(["evidence", str(export), "--format", "html", "--out", str(tmp_path / "pages")]) == 0
    assert len(list((tmp_path / "pages").iterdir())) == 3
    assert main(["evidence", str(export), "--format", "html", "--out", str(tmp_path / "pages")]) == 2
    assert main(["evidence", str(export), "--format", "html"]) == 2
    assert "name a folder" in capfd.readouterr().err
    export.write_text(text_of([review()]))
    assert main(["evidence", str(export), "--format", "html"]) == 0
    assert capfd.readouterr().out.startswith("<!doctype html>")


def test_a_missing_export_is_one_sentence(tmp_path, capfd):
    assert main(["evidence", str(tmp_path / "none.ndjson")]) == 1
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "lines",
    ["symbol_measure = 'cosine'",
     "states = ['proven']", "states = ['proven', 'proven', 'unverified', 'could_not_run', 'refuted']",
     "decided_outcomes = ['won']", "proven_floor = '0.9'", "provn_floor = 0.9"],
)  # fmt: skip
def test_a_policy_that_cannot_be_meant_is_refused(export, tmp_path, lines):
    policy = tmp_path / "policy.toml"
    policy.write_text(f"[evidence]\n{lines}\n")
    assert main(["evidence", str(export), "--policy", str(policy)]) == 2


def test_the_policy_decides(export, tmp_path, capfd):
    policy = tmp_path / "policy.toml"
    policy.write_text("[evidence]\nbranch_prefix = 'fixes'\nunverified_multiplier = 0.1\ncompact_entries = 0\n")
    assert main(["evidence", str(export), "--policy", str(policy)]) == 0
    [found, _] = json.loads(capfd.readouterr().out)["reviews"]
    assert found["fix_plan"]["branch"] == "fixes/review/7"
    assert found["mechanisms"][0]["confidence"] == 0.05
    assert (found["compact_list"], found["overflow"]) == ([], 1)
