"""Corpora as files: what their manifest says, what verifies, and which case fails."""

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.backtests import AS_OF, case, corpus, corpus_file
from support.exports import write_sqlite
from support.folders import to_folder
from support.rows import firing, override

from evenhand.backtest.cases import digest_of_texts, shallow_text
from evenhand.backtest.history import export_corpus
from evenhand.backtest.snapshot import CorpusError, read_corpus, safe_label, with_rule
from evenhand.canonical import digest
from evenhand.errors import UsageError
from evenhand.policy import Policy
from evenhand.timeline import instant_argument

CASES = [
    case("confirmed", "0.5", 1, note="é😀"),
    case("reversed", None, 2, **{"10": 1, "2": {"b": [1, 2e-9], "a": None}}),
    case("confirmed", "0.25", 3),
]


def document(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def edited(path: Path, change) -> Path:
    told = document(path)
    change(told)
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_a_corpus_comes_back_as_it_was_written(tmp_path, suffix):
    found = read_corpus(corpus_file(tmp_path / f"corpus{suffix}", CASES))
    assert [one.json() for one in found.cases] == [one.json() for one in CASES]
    assert [one.confidence for one in found.cases] == [one.confidence for one in CASES]
    assert found.manifest == corpus(CASES).manifest


def test_the_manifest_says_what_it_is_and_holds_both_digests(tmp_path):
    told = document(corpus_file(tmp_path / "corpus.json", CASES))
    assert told["checksum"] == digest(told["cases"])
    assert told["checksumLoopover"] == digest_of_texts(map(shallow_text, told["cases"]))
    assert told["checksum"] != told["checksumLoopover"]
    for key in ("formatVersion", "evenhandVersion", "generatedAt", "source", "database", "window", "ruleId"):
        assert told[key]
    assert (told["caseCount"], told["incremental"], told["checksumRule"]) == (3, False, "canonical")


def export(tmp_path: Path, *events) -> Path:
    return write_sqlite(tmp_path / "export.sqlite", {"audit_events": events})


def exported(tmp_path: Path, rule: str, *events, since: str | None = None) -> dict:
    out = tmp_path / "corpus.json"
    moment = None if since is None else instant_argument(since)
    export_corpus(str(export(tmp_path, *events)), Policy(), instant_argument(AS_OF), rule, out, moment)
    read_corpus(out)
    return document(out)


def test_an_incremental_corpus_says_since_when(tmp_path):
    told = exported(
        tmp_path,
        "slop",
        firing("slop", "a/b#1", "2026-04-01T00:00:00Z"),
        override("slop", "a/b#1", "2026-05-02T00:00:00Z"),
        firing("slop", "a/b#2", "2026-05-01T00:00:00Z"),
        override("slop", "a/b#2", "2026-05-02T00:00:00Z"),
        since="2026-05-01",
    )
    assert (told["incremental"], told["sinceDate"], told["caseCount"]) == (True, "2026-05-01T00:00:00.000Z", 1)


@pytest.mark.parametrize("rule", ["secret_leak", "Secret_Leak"])
def test_no_context_of_a_secret_leaves_the_export_wherever_it_stands(tmp_path, rule):
    told = exported(
        tmp_path,
        rule,
        firing(
            rule,
            "a/b#1",
            "2026-05-01T00:00:00Z",
            confidence=0.5,
            issueText="hunter2",
            model_response_text="hunter2",
            nested=[{"diff": "hunter2", "kept": 1, "Body": {"x": "hunter2"}}],
        ),
        override(rule, "a/b#1", "2026-05-02T00:00:00Z"),
    )
    assert "hunter2" not in json.dumps(told)
    assert told["cases"][0]["metadata"] == {"confidence": 0.5, "nested": [{"kept": 1}]}


def test_the_context_of_another_rule_stays_for_a_replay(tmp_path):
    told = exported(
        tmp_path,
        "slop",
        firing("slop", "a/b#1", "2026-05-01T00:00:00Z", issueText="why"),
        override("slop", "a/b#1", "2026-05-02T00:00:00Z"),
    )
    assert told["cases"][0]["metadata"] == {"issueText": "why"}


def test_the_export_is_never_written_over(tmp_path):
    source = export(tmp_path, firing("slop", "a/b#1", "2026-05-01T00:00:00Z"))
    before = source.read_bytes()
    with pytest.raises(UsageError, match=r"\.json or \.parquet"):
        export_corpus(str(source), Policy(), instant_argument(AS_OF), "slop", source)
    named = source.rename(tmp_path / "export.json")
    with pytest.raises(UsageError, match="only read"):
        export_corpus(str(named), Policy(), instant_argument(AS_OF), "slop", named)
    assert named.read_bytes() == before


def test_nothing_is_written_into_the_folder_of_an_export(tmp_path):
    (tmp_path / "audit_events.ndjson").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="only read"):
        export_corpus(str(tmp_path), Policy(), instant_argument(AS_OF), "slop", tmp_path / "corpus.json")
    assert [path.name for path in tmp_path.iterdir()] == ["audit_events.ndjson"]


def dumped(source: Path) -> str:
    """The export as an SQL dump."""
    connection = sqlite3.connect(source)
    dump = source.with_suffix(".sql")
    dump.write_text("\n".join(connection.iterdump()), encoding="utf-8")
    connection.close()
    return f"d1:{dump}"


@pytest.mark.parametrize("kind", ["sqlite:", "ndjson", "ndjson.gz", "csv", "parquet", "d1"])
def test_any_kind_of_source_gives_the_same_corpus(tmp_path, kind):
    source = export(
        tmp_path,
        firing("slop", "a/b#1", "2026-05-01 10:00:00", confidence=0.25, outcome="é", note='"quoted", and\na line'),
        firing("slop", None, "2026-05-01T10:00:00+02:00", **{"10": 1, "2": [2e-9]}),
        override("slop", "a/b#1", "2026-05-02T00:00:00Z"),
        override("slop", None, "2026-05-03T00:00:00Z", "reversed"),
    )
    spec = {"sqlite:": lambda: f"sqlite:{source}", "d1": lambda: dumped(source)}.get(
        kind, lambda: str(to_folder(source, tmp_path / "folder", kind))
    )()
    told = [
        export_corpus(one, Policy(), instant_argument(AS_OF), "slop", tmp_path / "corpus.json")
        for one in (str(source), spec)
    ]
    assert told[0]["caseCount"] == 2
    assert told[0]["caseDigests"] == told[1]["caseDigests"]
    assert told[0]["checksum"] == told[1]["checksum"]


# --- what does not verify -------------------------------------------------------------------------------------


def flip(told):
    told["cases"][1]["label"] = "confirmed"


def drop(told):
    del told["cases"][2]


def add(told):
    told["cases"].append(told["cases"][0])


def swap(told):
    told["cases"][0], told["cases"][1] = told["cases"][1], told["cases"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (flip, "case 2 (acme/widgets#2) is not what was exported"),
        (drop, "case 3 is missing"),
        (add, "case 4 (acme/widgets#1) was added"),
        (swap, "case 1 (acme/widgets#2) is not what was exported"),
        (lambda told: told["cases"][1].pop("targetKey"), "case 2 has no text under targetKey"),
        (lambda told: told["cases"][1].update(label="maybe"), "case 2 (acme/widgets#2) has the label 'maybe'"),
        (lambda told: told["cases"][1].update(ruleId="other"), "belongs to the rule 'other'"),
        (lambda told: told["cases"][1].update(firedAt="yesterday"), "which is no instant"),
        (lambda told: told["cases"].__setitem__(1, 7), "case 2 is no object"),
        (lambda told: told.update(caseCount=9), "its manifest says 9"),
        (lambda told: told.update(checksum="0" * 64), "do not give the checksum"),
        (lambda told: told.update(checksumLoopover="0" * 64), "do not give the checksumLoopover"),
        (lambda told: told.update(checksumRule="md5"), "checksum rule 'md5'"),
        (lambda told: told.update(formatVersion=99), "format 99"),
        (lambda told: told.pop("ruleId"), "no ruleId"),
    ],
)
def test_what_was_changed_is_named(tmp_path, change, said):
    path = edited(corpus_file(tmp_path / "corpus.json", CASES), change)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert said in str(caught.value)


def older(tmp_path: Path) -> Path:
    """A manifest as LoopOver writes it: one digest, under its own rule, and none of a single case."""
    members = [one.json() for one in CASES]
    told = {
        "generatedAt": "2026-06-01T00:00:00.000Z",
        "source": "d1",
        "database": "loopover",
        "incremental": False,
        "ruleId": "slop",
        "caseCount": len(members),
        "checksum": digest_of_texts(map(shallow_text, members)),
        "cases": members,
    }
    path = tmp_path / "older.json"
    path.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    return path


def test_an_older_manifest_verifies_under_its_own_rule(tmp_path):
    found = read_corpus(older(tmp_path))
    assert (found.checksum_rule, len(found.cases)) == ("loopover", 3)


def test_in_an_older_manifest_a_malformed_case_is_named_and_another_change_is_said(tmp_path):
    with pytest.raises(CorpusError, match="case 2 has no text under targetKey"):
        read_corpus(edited(older(tmp_path), lambda told: told["cases"][1].pop("targetKey")))
    with pytest.raises(CorpusError, match="one was changed, added, removed or moved"):
        read_corpus(edited(older(tmp_path), flip))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cases": 1}', '{"cases": [NaN]}', "[" * 100_000])
def test_what_is_no_corpus_is_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / "corpus.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError):
        read_corpus(path)


def test_a_damaged_parquet_file_is_refused(tmp_path):
    path = corpus_file(tmp_path / "corpus.parquet", CASES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CorpusError, match="damaged"):
        read_corpus(path)


def test_a_corpus_of_another_rule_is_not_tested_by_mistake():
    with pytest.raises(UsageError, match="is the corpus of 'slop', not of 'other'"):
        with_rule(corpus(CASES), "other")


@pytest.mark.parametrize(
    "label",
    [
        "postgresql://u:hunter2@host/db",
        "u:hunter2@host",
        "host?password=hunter2",
        "dbname=x password=hunter2",
        "api_token_hunter2",
    ],
)
def test_a_label_that_looks_like_an_address_is_not_written_down(label):
    assert safe_label(label, "postgresql") == "postgresql database"
    assert safe_label("audit-2026.sqlite", "sqlite") == "audit-2026.sqlite"


@given(st.lists(st.sampled_from(CASES), max_size=5), st.integers(0, 10**6))
def test_any_single_flip_of_a_label_is_found(cases, seed):
    told = {**corpus(cases).manifest, "cases": [json.loads(json.dumps(one.json())) for one in cases]}
    if not cases:
        return
    chosen = told["cases"][seed % len(cases)]
    chosen["label"] = "reversed" if chosen["label"] == "confirmed" else "confirmed"
    from evenhand.backtest.snapshot import verify

    with pytest.raises(CorpusError, match=f"case {seed % len(cases) + 1} "):
        verify("corpus.json", {key: value for key, value in told.items() if key != "cases"}, told["cases"])
