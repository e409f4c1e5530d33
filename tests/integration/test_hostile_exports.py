"""An export that means harm gets a build that is sound: its names stay names, its depths and lengths are survived."""

import csv
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exports import every_table, write_sqlite
from support.pipeline import publish as computed_of
from support.rows import firing, override, record, state, surface

from evenhand import build as building
from evenhand.site.tabular import csv_text
from evenhand.verify.check import verify
from evenhand.verify.claims import Status
from evenhand.verify.plain import read_csv

RULES = {
    "script": "<script>alert(1)</script>",
    "end of a script": "</script><svg onload=alert(1)>",
    "formula": '=HYPERLINK("http://example.org","x")',
    "negative": "-1+1",
    "guard": "'quoted",
    "traversal": "../../../etc/cron.d/x",
    "windows device": "CON.txt",
    "small device": "nul",
    "capital": "Tidy",
    "small": "tidy",
    "right to left": "gpj.\u202etxt",
    "control": "a\x1b[2Jb\x07",
    "line": "one\ntwo",
    "long": "n" * 200_000,
    "url": "javascript:alert(1)",
    "template": "{{ 7 * 7 }}",
}
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
CELLS = st.text(alphabet=st.sampled_from(list("=+-@\t\r\n',\"ab1\u202e")), max_size=6)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    at, later = "2026-06-02T10:00:00Z", "2026-06-03T10:00:00Z"
    deep = '{"verdict":"confirmed","x":' + "[" * 50_000 + "]" * 50_000 + "}"
    events = [surface("acme/widgets#1", at)]
    for rule in RULES.values():
        events += [firing(rule, "acme/widgets#1", at, outcome="=1+1"), override(rule, "acme/widgets#1", later)]
    events.append(override("tidy", "acme/widgets#1", later) | {"metadata_json": deep})
    tables = {
        "audit_events": events,
        "pull_requests": [state("acme/widgets", 1), state("<img src=x>/../..", 2)],
        "decision_records": [
            record("acme/widgets", 1, "2026-06-08T10:00:00Z", "close", reevaluation_reason="=cmd|' /C calc'!A0")
        ],
    }
    export = write_sqlite(folder / "export.sqlite", every_table(tables))
    made = computed_of(export, "2026-06-10T00:00:00Z", ["acme/widgets"]).computed
    return building.publish(made, out=folder / "out").folder


def test_the_build_is_sound(site: Path) -> None:
    claims = verify(str(site))
    assert [claim for claim in claims.listed if claim.status is Status.FAIL] == []
    assert claims.sound


def test_no_name_of_an_export_leaves_the_folder_or_meets_another_on_any_file_system(site: Path) -> None:
    names = [path.relative_to(site).as_posix() for path in site.rglob("*")]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        for part in name.split("/"):
            assert re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", part), part
            assert not _DEVICES.fullmatch(part), part
            assert not part.endswith(".")
    assert not list(site.parents[2].glob("**/cron.d"))


def test_each_rule_has_its_corpus_under_its_own_name(site: Path) -> None:
    index = json.loads((site / "v1/public/eval-corpus/index.json").read_text())["rules"]
    assert set(index) == set(RULES.values())
    assert len({name.lower() for name in index.values()}) == len(RULES)
    for rule, name in index.items():
        assert json.loads((site / "v1/public/eval-corpus" / name).read_text())["ruleId"] == rule


def test_no_page_holds_a_tag_or_an_address_of_the_export(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text, path
        assert "<svg onload" not in text, path
        assert not re.search(r'(href|src)="\s*javascript:', text), path
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b\x07]", text), path


def test_a_spreadsheet_is_given_no_formula_and_numbers_stay_numbers(site: Path) -> None:
    csv.field_size_limit(1 << 20)
    for path in (site / "data").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    formula = cell.startswith(("=", "+", "@", "\t", "\r", "-"))
                    assert not formula or re.fullmatch(r"-?[0-9.e+-]+", cell), (path.name, cell[:40])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.none() | CELLS, st.none() | st.integers(-5, 5)), max_size=5))
def test_a_guarded_table_is_read_back_as_it_was(rows: list[tuple[str | None, int | None]]) -> None:
    table = pa.table({"text": pa.array([row[0] for row in rows], pa.string()), "n": [row[1] for row in rows]})
    text = csv_text(table)
    header, found = read_csv(text.encode(), "t.csv")
    assert header == ["text", "n"]
    assert found == [[one, None if n is None else str(n)] for one, n in rows]
    for row in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))
