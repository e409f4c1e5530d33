"""The server: every served path with its statuses, and nothing outside the site for anyone."""

import http.client
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
from integration.conftest import PublishedSite

from evenhand.errors import EvenhandError
from evenhand.serve.server import Server
from evenhand.serve.tree import Tree
from evenhand.verify.check import verify

LEDGER = "/v1/public/decision-ledger"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    port: int

    def __call__(self, target: str, method: str = "GET", **headers: str) -> Reply:
        """One request, its target sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        reply = Reply(response.status, dict(response.getheaders()), response.read())
        connection.close()
        return reply


def serving(folder: Path) -> Iterator[Client]:
    with Server(Tree(folder), "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield Client(server.server_port)
        server.shutdown()


@pytest.fixture(scope="module")
def get(published_site: PublishedSite) -> Iterator[Client]:
    yield from serving(published_site.out)


def test_the_site_is_read_at_latest_and_at_its_permalink(get: Client, published_site: PublishedSite) -> None:
    assert (get("/").status, get("/").headers["Location"]) == (302, "latest/")
    assert (get("/latest").status, get("/latest").headers["Location"]) == (302, "latest/")
    page = (published_site.latest / "index.html").read_bytes()
    for path in ("/latest/", "/latest/index.html", f"/builds/{published_site.latest.name}/"):
        assert get(path).body == page
    earlier = get(f"/builds/{published_site.earlier.name}/report.json")
    assert earlier.body == (published_site.earlier / "report.json").read_bytes()


def test_only_permalinks_may_be_kept_for_ever(get: Client, published_site: PublishedSite) -> None:
    assert "immutable" in get(f"/builds/{published_site.latest.name}/data/figures.csv").headers["Cache-Control"]
    for path in ("/latest/", "/history.json", "/v1/public/stats"):
        reply = get(path)
        assert reply.headers["Cache-Control"] == "no-cache"
        assert get(path, If_None_Match=reply.headers["ETag"]).status == 304


@pytest.mark.parametrize("path", ["/", "/latest/", "/latest/report.json", "/v1/public/stats", "/v1/nothing", "/no"])
def test_every_answer_has_the_strict_headers(get: Client, path: str) -> None:
    headers = get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Server"] == "evenhand"


def test_head_is_get_without_its_body_and_nothing_else_is_allowed(get: Client) -> None:
    for path in ("/latest/report.json", "/v1/public/stats"):
        whole, head = get(path), get(path, "HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Length"] == str(len(whole.body))
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"):
        reply = get("/v1/public/stats", method)
        assert (reply.status, reply.headers["Allow"], reply.json) == (405, "GET, HEAD", {"error": "method_not_allowed"})


def test_the_verifier_passes_what_is_served(get: Client) -> None:
    claims = verify(f"http://127.0.0.1:{get.port}/")
    assert claims.sound
    assert any(claim.name == "figure: outcomes.decision_accuracy:all/accuracy" for claim in claims.listed)


def test_stats_are_those_of_the_latest_build(get: Client, published_site: PublishedSite) -> None:
    reply = get("/v1/public/stats")
    assert reply.body == (published_site.latest / "v1/public/stats.json").read_bytes()
    assert reply.headers["Access-Control-Allow-Origin"] == "*"


def test_score_records_are_filtered_by_subject_and_instant(get: Client, published_site: PublishedSite) -> None:
    every = json.loads((published_site.latest / "v1/public/eval-scores.json").read_text())
    assert get("/v1/public/eval-scores").json == every
    assert get("/v1/public/eval-scores?subject=orb-gate&since=2026-11-01T00:00:00.000Z").json == every
    assert get("/v1/public/eval-scores?subject=another").json == {"records": []}
    assert get("/v1/public/eval-scores?since=2026-11-01T00:00:00.001Z").json == {"records": []}
    assert get("/v1/public/eval-scores?subject=&since=").json == every
    refused = get("/v1/public/eval-scores?since=lately")
    assert (refused.status, refused.json) == (400, {"error": "invalid_since"})


def test_a_corpus_is_asked_for_by_rule_in_either_spelling(get: Client, published_site: PublishedSite) -> None:
    folder = published_site.latest / "v1/public/eval-corpus"
    for rule, file in json.loads((folder / "index.json").read_text())["rules"].items():
        for name in ("ruleId", "rule_id"):
            assert get(f"/v1/public/eval-corpus?{name}={quote(rule, safe='')}").body == (folder / file).read_bytes()


def test_a_rule_without_a_corpus_has_none_of_nothing(get: Client) -> None:
    reply = get("/v1/public/eval-corpus?ruleId=..%2f..%2freport.json")
    assert reply.status == 200
    assert reply.json == {
        "ruleId": "../../report.json",
        "windowDays": 90,
        "caseCount": 0,
        "truncated": False,
        "readFailed": False,
        "checksum": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
        "cases": [],
    }
    for path in ("/v1/public/eval-corpus", "/v1/public/eval-corpus?ruleId="):
        assert (get(path).status, get(path).body) == (400, b'{"error":"rule_id_required"}')


def test_the_ledger_is_verified_whole_and_by_segments(get: Client, published_site: PublishedSite) -> None:
    whole = json.loads((published_site.latest / "v1/public/decision-ledger/verify.json").read_text())
    assert get(f"{LEDGER}/verify").json == whole
    checked, after = 0, 0
    while after is not None:
        segment = get(f"{LEDGER}/verify?afterSeq={after}&limit=150").json
        assert segment.keys() == whole.keys()
        checked, after = checked + segment["checked"], segment["nextAfterSeq"]
    assert checked == whole["checked"] == 389
    for query in ("afterSeq=-1", "afterSeq=1.5", "limit=0", "limit=x", "afterSeq=%D9%A1"):
        assert get(f"{LEDGER}/verify?{query}").status == 400


def test_a_broken_ledger_is_a_conflict(published_site: PublishedSite, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published_site.latest, tmp_path / published_site.latest.name))
    file = folder / "v1/public/decision-ledger/verify.json"
    told = json.loads(file.read_text()) | {"ok": False, "break": {"kind": "content_mismatch", "atSeq": 200}}
    file.write_text(json.dumps(told))
    for get in serving(folder):
        assert get(f"{LEDGER}/verify").status == 409
        assert get(f"{LEDGER}/verify?afterSeq=0&limit=199").status == 200
        assert get(f"{LEDGER}/verify?afterSeq=199&limit=10").status == 409


def test_a_row_of_the_ledger(get: Client) -> None:
    first, second = get(f"{LEDGER}/row/1").json, get(f"{LEDGER}/row/2").json
    assert list(first) == ["seq", "recordDigest", "prevHash", "rowHash", "createdAt"]
    assert (first["seq"], first["prevHash"], second["prevHash"]) == (1, "0" * 64, first["rowHash"])
    for seq in ("0", "-1", "x", "1.0", "01", "%31%00", "9" * 40):
        assert get(f"{LEDGER}/row/{seq}").status in (400, 404)
    assert (get(f"{LEDGER}/row/x").status, get(f"{LEDGER}/row/x").json) == (400, {"error": "invalid_seq"})
    assert (get(f"{LEDGER}/row/390").status, get(f"{LEDGER}/row/390").json) == (404, {"error": "not_found"})


def test_anchors_with_their_keys_and_the_newest_that_binds(get: Client, published_site: PublishedSite) -> None:
    folder = published_site.latest / "v1/public/decision-ledger"
    every = json.loads((folder / "anchors.json").read_text())
    assert get(f"{LEDGER}/anchors").json == every
    assert get(f"{LEDGER}/anchor-key").json == json.loads((folder / "anchor-key.json").read_text())
    found: list[Any] = []
    before: Any = ""
    while before is not None:
        page = get(f"{LEDGER}/anchors?backend=git&limit=3&before={before}").json
        found, before = found + page["anchors"], page["nextBefore"]
    assert found == [one for one in reversed(every["anchors"]) if one["backend"] == "git"]
    newest = get(f"{LEDGER}/anchor-payload").json
    assert newest["signed"]["payload"]["seq"] == max(one["seq"] for one in every["anchors"] if one["binds"])
    assert json.loads(newest["signingInput"]) == newest["signed"]["payload"]


def test_of_a_query_that_comes_twice_the_first_counts(get: Client) -> None:
    assert get(f"{LEDGER}/verify?limit=2&limit=9&afterSeq=0").json["checked"] == 2
    assert get("/v1/public/stats?" + "&".join(f"q{number}=1" for number in range(99))).status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/",
        "/v1/public",
        "/v1/public/stats.json",
        "/v1/public/stats/",
        "/v1/public/eval-corpus/index.json",
        "/v1//public/stats",
        "/v1/public/decision-ledger",
        "/v1/public/decision-ledger/row",
        "/v1/../latest/index.html",
        "/v2/public/stats",
    ],
)
def test_nothing_else_exists_below_v1(get: Client, path: str) -> None:
    assert (get(path).status, get(path).json) == (404, {"error": "not_found"})


@pytest.mark.parametrize(
    "path",
    [
        "/builds/",
        "/builds",
        "/latest/data/",
        "/latest/data",
        "/latest/../../lake/lake.json",
        "/latest/%2e%2e/%2e%2e/secret.txt",
        "/latest/%2E%2E%2F%2E%2E%2Fsecret.txt",
        "/latest/..%5c..%5csecret.txt",
        "/latest\\..\\secret.txt",
        "/latest/%252e%252e/secret.txt",
        "/latest/report.json%00.html",
        "/latest/%ff%fe",
        "/latest//report.json",
        "/latest/./report.json",
        "/latest/report.json/",
        "/latest/C:/secret.txt",
        "/builds/../secret.txt",
        "/builds/.making-1/report.json",
        "/secret.txt",
        "/.lock",
        "http://127.0.0.1/latest/report.json",
        "latest/report.json",
        "*",
    ],
)
def test_a_hostile_path_finds_nothing(get: Client, published_site: PublishedSite, path: str) -> None:
    (published_site.out.parent / "secret.txt").write_text("secret")
    reply = get(path)
    assert reply.status in (400, 404)
    assert b"secret" not in reply.body


def test_a_very_long_path_is_refused(get: Client) -> None:
    assert get("/latest/" + "a" * 3000).status == 414
    assert get("/" + "a/" * 40_000).status == 414


def test_a_body_is_never_taken_for_the_next_request(get: Client) -> None:
    reply = get("/v1/public/stats", Content_Length="0")
    assert (reply.status, reply.headers["Connection"]) == (200, "close")


def test_no_link_is_followed_but_latest_and_only_to_a_build(published_site: PublishedSite, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    out = tmp_path / "out"
    build = out / "builds" / published_site.latest.name
    shutil.copytree(published_site.latest, build)
    (build / "leak.txt").symlink_to(tmp_path / "secret.txt")
    (build / "leak").symlink_to(tmp_path)
    (out / "latest").symlink_to(f"builds/{build.name}")
    for get in serving(out):
        assert get("/latest/report.json").status == 200
        assert get("/latest/leak.txt").status == get("/latest/leak/secret.txt").status == 404
        (out / "latest").unlink()
        (out / "latest").symlink_to(tmp_path)
        assert get("/latest/secret.txt").status == 404
        assert (get("/v1/public/stats").status, get("/v1/public/stats").json) == (503, {"error": "no_build"})


def test_a_folder_without_a_build_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EvenhandError, match="holds no published site"):
        Tree(tmp_path)


def test_a_damaged_build_is_an_error_of_the_server(published_site: PublishedSite, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published_site.latest, tmp_path / published_site.latest.name))
    (folder / "v1/public/eval-corpus/index.json").write_text("{")
    for get in serving(folder):
        reply = get("/v1/public/eval-corpus?ruleId=x")
        assert (reply.status, reply.json) == (500, {"error": "damaged_build"})
