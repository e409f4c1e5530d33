"""The verifier passes what was built and names the claim that fails in anything else.

Two kinds of tampering: clumsy, where a file is changed and nothing else, and careful, where every digest is made to fit
again, so that only counting can tell.
"""

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from evenhand.build import build
from evenhand.canonical import canonical, sha256_hex
from evenhand.policy import load_policy
from evenhand.site.signing import SigningKey
from evenhand.site.tabular import csv_text
from evenhand.timeline import instant_argument
from evenhand.verify.check import verify
from evenhand.verify.claims import Claims, Status
from evenhand.verify.target import NoBuildError

SAMPLE = Path("data/sample")
AS_OF = instant_argument("2026-11-01T00:00:00Z")


def pem(key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey, path: Path) -> Path:
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = path.with_suffix(".pub")
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's build, signed, and the folder of its keys beside it."""
    out = tmp_path_factory.mktemp("verify")
    key = pem(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32))), out / "key.pem")
    policy = load_policy(SAMPLE / "policy.toml")
    outcome = build(
        str(SAMPLE / "export.sqlite"),
        policy=policy,
        as_of=AS_OF,
        lake_dir=out / "lake",
        out=out / "site",
        signing=SigningKey(key),
    )
    return outcome.folder


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """A copy to tamper with."""
    return Path(shutil.copytree(published, tmp_path / published.name))


def failed(claims: Claims) -> list[str]:
    return [claim.name for claim in claims.listed if claim.status is Status.FAIL]


def document(folder: Path, path: str) -> Any:
    return json.loads((folder / path).read_text(encoding="utf-8"))


def rewrite(folder: Path, path: str, value: Any) -> None:
    (folder / path).write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made_to_fit(folder: Path) -> Path:
    """Every digest recomputed, as a careful forger would, and the build renamed to fit."""
    (folder / "statement.sig").unlink(missing_ok=True)
    package = document(folder, "datapackage.json")
    for entry in package["resources"]:
        file = folder / entry["path"]
        entry["bytes"], entry["hash"] = file.stat().st_size, f"sha256:{digest(file)}"
        if "rowDigest" in entry:
            twin = file.with_suffix(".parquet")
            table = pq.read_table(twin)
            entry["rows"] = table.num_rows
            entry["rowDigest"] = "sha256:" + sha256_hex(csv_text(table, guarded=False).encode())
    rewrite(folder, "datapackage.json", package)
    told = document(folder, "build.json")
    listed = {entry["path"]: entry["hash"].removeprefix("sha256:") for entry in package["resources"]}
    told["digest"] = sha256_hex("".join(sorted(f"{sha}  {path}\n" for path, sha in listed.items())).encode())
    told["build"] = f"{told['asOf'][:10]}-{told['digest'][:12]}"
    rewrite(folder, "build.json", told)
    statement = document(folder, "statement.json")
    for subject in statement["subject"]:
        subject["digest"]["sha256"] = digest(folder / subject["name"])
    statement["predicate"].update(build=told["build"], digest=told["digest"])
    rewrite(folder, "statement.json", statement)
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = (f"{digest(folder / path)}  {path}\n" for path in paths if path != "SHA256SUMS")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    renamed = folder.with_name(told["build"])
    return folder if renamed == folder else folder.rename(renamed)


def table_rewritten(folder: Path, name: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """A table changed alike in Parquet and CSV."""
    path = folder / "data" / f"{name}.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    changed = pa.Table.from_pylist(rows, table.schema)
    pq.write_table(changed, path, store_schema=False)
    (folder / "data" / f"{name}.csv").write_text(csv_text(changed), encoding="utf-8", newline="")


def test_what_was_built_holds_and_every_exception_is_named(published: Path) -> None:
    claims = verify(str(published), published.parents[1].parent / "key.pub")
    assert failed(claims) == []
    skipped = {
        claim.name for claim in claims.listed if claim.status is Status.SKIP and claim.name.startswith("figure: ")
    }
    assert skipped == {
        "figure: outcomes.fleet_volume:merged",
        "figure: outcomes.fleet_volume:closed",
        "figure: outcomes.fleet_volume:handled",
        "figure: fleet.instance_signals:gaming_caught",
        "figure: fleet.guarantees:close/coverage",
        "figure: fleet.guarantees:merge/coverage",
    }
    assert claims.sound


def test_the_folder_of_all_builds_stands_for_the_latest(published: Path) -> None:
    assert verify(str(published.parents[1])).sound


def seeds(fast: int, of: int) -> list[Any]:
    """Seeds of which the first run always and the others with the slow tests."""
    return [pytest.param(seed, marks=() if seed < fast else pytest.mark.slow) for seed in range(of)]


@pytest.mark.parametrize("seed", seeds(4, of=20))
def test_a_changed_byte_anywhere_fails_the_claim_of_its_file(seed: int, copy: Path) -> None:
    draw = random.Random(seed)
    files = sorted(path for path in copy.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    file = draw.choice(files)
    data = bytearray(file.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)
    assert f"file: {file.relative_to(copy).as_posix()}" in failed(verify(str(copy)))


def test_a_truncated_download_a_missing_page_and_an_added_file_are_each_named(copy: Path) -> None:
    cut = copy / "data" / "rows_overrides.parquet"
    cut.write_bytes(cut.read_bytes()[:-100])
    (copy / "fleet.html").unlink()
    (copy / "extra.html").write_text("hello")
    found = failed(verify(str(copy)))
    assert {"file: data/rows_overrides.parquet", "file: fleet.html", "files: none was added: extra.html"} <= set(found)


def test_swapped_corpora_are_named(copy: Path) -> None:
    one, other = (copy / "v1/public/eval-corpus" / name for name in ("secret_leak.json", "slop_gate_score.json"))
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    found = failed(verify(str(copy)))
    assert {"file: v1/public/eval-corpus/secret_leak.json", "corpus: secret_leak: rule"} <= set(found)


def test_a_figure_of_another_build_is_named(copy: Path) -> None:
    """An older file put in the place of a newer one: its digest is another."""
    package = document(copy, "datapackage.json")
    package["version"] = "2026-10-31-0123456789ab"
    rewrite(copy, "datapackage.json", package)
    assert failed(verify(str(copy))) == ["file: datapackage.json"]


def figure_changed(**changes: Any) -> Callable[[Path, random.Random], str]:
    def change(folder: Path, draw: random.Random) -> str:
        report = document(folder, "report.json")
        shown = [one for one in report["figures"] if one["interval"] and not one["id"].startswith("fleet.guarantees")]
        figure = draw.choice(shown)
        for name, by in changes.items():
            figure[name] = figure[name] + by if not isinstance(by, dict) else {**figure[name], **by}
        rewrite(folder, "report.json", report)
        return f"figure: {figure['id']}" + (": interval" if "interval" in changes else "")

    return change


def a_floor_undone(folder: Path, draw: random.Random) -> str:
    report = document(folder, "report.json")
    hidden = [one for one in report["figures"] if (one["withheld"] or {}).get("reason") == "below_floor"]
    figure = draw.choice([one for one in hidden if one["scale"] in ("ratio", "percent")])
    figure.update(value=1, numerator=figure["denominator"], withheld=None)
    rewrite(folder, "report.json", report)
    return f"figure: {figure['id']}"


def a_total_changed(folder: Path, draw: random.Random) -> str:
    stats = document(folder, "v1/public/stats.json")
    name = draw.choice(["handled", "merged", "closed", "reviewed", "filteredPct", "accuracyPct", "minutesSaved"])
    stats["totals"][name] += 1
    rewrite(folder, "v1/public/stats.json", stats)
    return f"api: totals.{name}"


def a_class_changed(folder: Path, draw: random.Random) -> str:
    stats = document(folder, "v1/public/stats.json")
    draw.choice(stats["reviewParity"]["byAuthorClass"])["verdicts"] += 1
    rewrite(folder, "v1/public/stats.json", stats)
    return "api: reviewParity: totals against classes"


def votes_added(folder: Path, draw: random.Random) -> str:
    rule = ""

    def change(rows: list[dict[str, Any]]) -> None:
        nonlocal rule
        row = draw.choice([row for row in rows if row["verdict"] == "confirmed" and not row["excluded"]])
        row["n"] += 40
        rule = row["rule_id"]

    table_rewritten(folder, "rows_overrides", change)
    return f"figure: signals.rule_precision:{rule}/precision"


def reversals_hidden(folder: Path, draw: random.Random) -> str:
    def change(rows: list[dict[str, Any]]) -> None:
        draw.choice([row for row in rows if row["reversed"]])["reversed"] = False

    table_rewritten(folder, "rows_pull_requests", change)
    return "figure: outcomes.decision_accuracy:all/accuracy"


def verdicts_moved(folder: Path, draw: random.Random) -> str:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["action"] == "close":
                row["action"] = "hold"

    table_rewritten(folder, "rows_verdicts", change)
    return "figure: ledger.review_parity:all/contributor/close_rate"


def a_label_flipped(folder: Path, draw: random.Random) -> str:
    index = document(folder, "v1/public/eval-corpus/index.json")["rules"]
    rule = draw.choice(
        [rule for rule, file in index.items() if document(folder, f"v1/public/eval-corpus/{file}")["cases"]]
    )
    path = f"v1/public/eval-corpus/{index[rule]}"
    corpus = document(folder, path)
    case = draw.choice(corpus["cases"])
    case["label"] = "reversed" if case["label"] == "confirmed" else "confirmed"
    corpus["checksum"] = sha256_hex(canonical(corpus["cases"]))
    rewrite(folder, path, corpus)
    return f"corpus: {rule}: same cases as the Parquet"


def a_score_changed(folder: Path, draw: random.Random) -> str:
    scores = document(folder, "v1/public/eval-scores.json")
    record = draw.choice(scores["records"])
    record["score"]["confirmed"] += 1
    del record["recordDigest"]
    record["recordDigest"] = sha256_hex(canonical(record))
    rewrite(folder, "v1/public/eval-scores.json", scores)
    return f"record: {record['workUnit']['ruleId']}: score"


def a_record_on_another_corpus(folder: Path, draw: random.Random) -> str:
    scores = document(folder, "v1/public/eval-scores.json")
    record = draw.choice(scores["records"])
    record["commitments"]["corpusChecksum"] = sha256_hex(b"[]")
    del record["recordDigest"]
    record["recordDigest"] = sha256_hex(canonical(record))
    rewrite(folder, "v1/public/eval-scores.json", scores)
    return f"record: {record['workUnit']['ruleId']}: corpus"


def only_the_csv_changed(folder: Path, draw: random.Random) -> str:
    name = draw.choice(["rows_overrides", "rows_automation", "rows_reversals", "rows_fleet_signals"])
    path = folder / "data" / f"{name}.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    number = draw.randrange(1, len(lines))
    lines[number] = lines[number].rsplit(",", 1)[0] + ",77"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"rows: data/{name}.csv"


def a_summary_changed(folder: Path, draw: random.Random) -> str:
    rule = ""

    def change(rows: list[dict[str, Any]]) -> None:
        nonlocal rule
        row = draw.choice([row for row in rows if row["value"] is not None])
        row["value"] = 0.999
        rule = row["rule_id"]

    table_rewritten(folder, "rule_precision", change)
    return f"summary: rule_precision: signals.rule_precision:{rule}/precision"


CAREFUL = [
    figure_changed(value=0.1),
    figure_changed(numerator=1),
    figure_changed(denominator=1),
    figure_changed(interval={"low": 0.001}),
    a_floor_undone,
    a_total_changed,
    a_class_changed,
    votes_added,
    reversals_hidden,
    verdicts_moved,
    a_label_flipped,
    a_score_changed,
    a_record_on_another_corpus,
    only_the_csv_changed,
    a_summary_changed,
]


@pytest.mark.parametrize("seed", seeds(len(CAREFUL), of=3 * len(CAREFUL)))
def test_a_careful_forger_is_caught_by_counting(seed: int, copy: Path) -> None:
    draw = random.Random(seed)
    claim = CAREFUL[seed % len(CAREFUL)](copy, draw)
    assert claim in failed(verify(str(made_to_fit(copy))))


def test_making_everything_fit_again_is_not_itself_noticed(copy: Path) -> None:
    """Else the forger's tests would prove nothing."""
    assert failed(verify(str(made_to_fit(copy)))) == []


def test_more_days_covered_than_a_window_has_are_named(copy: Path) -> None:
    report = document(copy, "report.json")
    figure = next(figure for figure in report["figures"] if figure["window"])
    figure["coveredDays"] = 500
    rewrite(copy, "report.json", report)
    named = failed(verify(str(made_to_fit(copy))))
    assert {f"figure: {figure['id']}: covered days", f"figures table: {figure['id']}"} <= set(named)


def test_a_parquet_that_unpacks_into_more_than_any_table_is_refused(copy: Path) -> None:
    bomb = copy / "data" / "rows_overrides.parquet"
    with pq.ParquetWriter(bomb, pa.schema([("n", pa.int64())]), compression="zstd") as writer:
        zeros = pa.table({"n": pa.nulls(4_000_000, pa.int64())})
        for _ in range(13):
            writer.write_table(zeros)
    assert bomb.stat().st_size < 1 << 20
    [claim] = [claim for claim in verify(str(copy)).listed if claim.name == "rows: data/rows_overrides.parquet"]
    assert claim.status is Status.FAIL
    assert "more than any table of a build" in claim.found


def test_a_signature_of_another_key_and_one_that_is_gone_are_named(copy: Path, tmp_path: Path) -> None:
    other = pem(ec.generate_private_key(ec.SECP256R1()), tmp_path / "other.pem").with_suffix(".pub")
    assert "signature" in failed(verify(str(copy), other))
    (copy / "statement.sig").unlink()
    assert {"signature", "file: statement.sig"} <= set(failed(verify(str(copy), other)))


def test_a_statement_changed_after_it_was_signed_is_named(copy: Path) -> None:
    statement = document(copy, "statement.json")
    statement["predicate"]["source"] = "another export"
    rewrite(copy, "statement.json", statement)
    assert "signature" in failed(verify(str(copy)))


def test_the_key_in_force_at_the_as_of_is_the_one_that_counts(published: Path, tmp_path: Path) -> None:
    signature = document(published, "statement.sig")
    entry = {"keyId": signature["keyId"], "publicKeySpki": signature["publicKeySpki"], "notAfter": None}
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps([{**entry, "notBefore": "2026-01-01T00:00:00.000Z"}]))
    assert verify(str(published), keys).sound
    keys.write_text(json.dumps([{**entry, "notBefore": "2027-01-01T00:00:00.000Z"}]))
    assert "signature" in failed(verify(str(published), keys))


def test_a_p256_signature_is_the_same_each_time_and_verifies(copy: Path, tmp_path: Path) -> None:
    key = pem(ec.derive_private_key(12345, ec.SECP256R1()), tmp_path / "key.pem")
    SigningKey(key).sign(copy)
    first = (copy / "statement.sig").read_bytes()
    SigningKey(key).sign(copy)
    assert (copy / "statement.sig").read_bytes() == first
    names = {claim.name: claim.status for claim in verify(str(copy), key.with_suffix(".pub")).listed}
    assert names["signature"] is Status.PASS


def test_what_is_no_build_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoBuildError, match="holds no build"):
        verify(str(tmp_path))
    with pytest.raises(NoBuildError, match="there is no folder"):
        verify(str(tmp_path / "nowhere"))
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  ../../etc/passwd\n")
    with pytest.raises(NoBuildError, match="no digest with a path below the build"):
        verify(str(tmp_path))


SHAPES = ["", "null", "[]", "[" * 100_000, '{"figures": 1}', "NaN"]
DOCUMENTS = ["report.json", "build.json", "statement.json", "datapackage.json", "v1/public/stats.json"]


@pytest.mark.parametrize("content", SHAPES)
def test_a_document_of_another_shape_is_a_failed_claim_and_no_error(
    content: str, published: Path, tmp_path: Path
) -> None:
    for path in DOCUMENTS if content == "null" else DOCUMENTS[:1]:
        copy = Path(shutil.copytree(published, tmp_path / path / published.name))
        (copy / path).write_text(content)
        assert f"file: {path}" in failed(verify(str(copy)))
