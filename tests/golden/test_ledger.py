"""Every golden ledger verifies, or breaks at the right place with the right name; every anchor binds or does not."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from evenhand.computed import Computation
from evenhand.lake.extraction import extract
from evenhand.metrics.ledger.anchors import read_keys
from evenhand.policy import Policy
from evenhand.timeline import instant_argument

ROOT = Path(__file__).parent / "fairness"
CASES = sorted(path.parent for path in [*ROOT.glob("*/input.json"), *ROOT.glob("ledger-breaks/*/input.json")])


def read(folder: Path, name: str) -> Any:
    plain = folder / name
    text = plain.read_bytes() if plain.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    return json.loads(text)


def ledger(export: Path, keys: list[dict[str, Any]], as_of: str, tmp_path: Path) -> dict[str, Any]:
    keys_file = tmp_path / "keys.json"
    keys_file.write_text(json.dumps(keys))
    extract(str(export), tmp_path / "lake")
    with Computation(tmp_path / "lake", Policy(), instant_argument(as_of)) as computation:
        ledger = computation.ledger(read_keys(keys_file) if keys_file else {})
        return ledger.operators() if ledger else {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_chain_and_anchors_of_the_case_are_right(case: Path, tmp_path: Path) -> None:
    given, expected = read(case, "input.json"), read(case, "expected.json")
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((case / "export.sqlite.gz").read_bytes()))
    found = ledger(export, given.get("anchor_keys", []), given["as_of"], tmp_path)
    for part in ("ledgerVerify", "anchors"):
        if part in expected:
            assert found[part] == expected[part]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    export = tmp_path / "sample.sqlite"
    export.write_bytes(Path("data/sample/export.sqlite").read_bytes())
    return export


def verified(export: Path, tmp_path: Path) -> dict[str, Any]:
    keys = json.loads(Path("data/sample/anchor-keys.json").read_text())
    return ledger(export, keys, "2026-11-01T00:00:00Z", tmp_path)


def change(export: Path, statement: str) -> None:
    with sqlite3.connect(export) as connection:
        connection.execute(statement)
    connection.close()


def test_the_samples_chain_holds_and_its_anchors_bind(sample: Path, tmp_path: Path) -> None:
    found = verified(sample, tmp_path)
    assert found["ledgerVerify"]["ok"]
    assert any(anchor["binds"] for anchor in found["anchors"])


def test_one_changed_record_is_named_and_the_scan_goes_on(sample: Path, tmp_path: Path) -> None:
    change(
        sample,
        "UPDATE decision_records SET record_json = replace(record_json, '{', '{\"x\":1,') WHERE rowid IN (40, 50)",
    )
    found = verified(sample, tmp_path)["ledgerVerify"]
    assert (found["ok"], found["contentMismatches"]) == (False, 2)
    assert found["checked"] == found["totalCount"]
    assert found["break"]["kind"] == "content_mismatch"


def test_an_anchor_whose_row_was_rewritten_no_longer_binds(sample: Path, tmp_path: Path) -> None:
    before = verified(sample, tmp_path)["anchors"]
    bound = next(anchor for anchor in before if anchor["binds"])
    change(sample, f"UPDATE decision_ledger SET row_hash = '{'0' * 64}' WHERE seq = {bound['seq']}")
    [after] = [anchor for anchor in verified(sample, tmp_path)["anchors"] if anchor["id"] == bound["id"]]
    assert (after["signatureVerifies"], after["onChain"], after["binds"]) == (True, False, False)


def test_a_record_with_an_unpaired_surrogate_is_a_mismatch_and_no_crash() -> None:
    from evenhand.metrics.ledger.chain import content_matches

    assert not content_matches('{"a":"\\ud800"}', "0" * 64)
    assert not content_matches("[" * 100_000, "0" * 64)
    assert not content_matches('{"a":NaN}', "0" * 64)
    assert not content_matches(None, "0" * 64)


@pytest.mark.parametrize(
    "text",
    [
        '{"b": 1, "a": [true, null, "x", -0, 1.0, 2e3, 0.5, -1.25]}',
        '{"ﬀ": 1, "\U0001f600": 2, "é": "\u2028\x7f"}',
        '{"\\ud83d\\ude00": 2, "\\ufb00": 1, "\\u0001": "\\u001f\\n"}',
        '{"n": 12345678901234567890, "f": 1e21, "e": 1e-7, "s": 0.00001}',
        '{"\\\\": "\\"", "": {}, "a": 1, "a": 2}',
        '{"w": 9007199254740993, "m": 1234567890123456, "t": 0.1}',
    ],
)
def test_the_quick_encoder_agrees_with_the_canonical_one(text: str) -> None:
    from evenhand.canonical import canonical
    from evenhand.lake.ledger_json import canonical_text

    assert canonical_text(text) == canonical(json.loads(text))
