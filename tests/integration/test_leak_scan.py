"""The leak scan finds every class of private identifier in every kind of published file, and nothing else."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.exports import every_table, write_sqlite
from support.pipeline import Published, publish
from support.rows import action, event, record, signal, state

from evenhand.disclosure.leaks import scan
from evenhand.disclosure.private import JSON_TEXTS, PRIVATE, PUBLIC, WORDS
from evenhand.disclosure.words import SEPARATORS, joined, words_in_sql, words_of
from evenhand.duck import in_memory
from evenhand.errors import DisclosureError
from evenhand.lake.tables import TABLES, Kind, Privacy
from evenhand.policy import policy_from

AS_OF = "2026-06-10T00:00:00Z"
ALLOWED = "acme/widgets"
COMMIT = "3f786850e387550fdab836ed7e6dc881de23001b"
DETAIL = "reporter asked that nobody hears about the salary table"
IDENTIFIERS = {
    "pull request": ["acme/widgets#4711", "Hidden-Org/Vault#12", "urn:pull:Hidden-Org/Vault:12:deep"],
    "login": ["zaphod-b", "Trillian.M", "marvin[bot]", "slartibartfast", "prefect-f", "dent-a"],
    "repository": ["hidden-org/vault", "Hidden-Org/Vault"],
    "instance": ["inst-7d41-aa", "Instance (Vogsphere)"],
    "record id": ["rec:hidden-org/vault:12:1", "ev-000017x"],
    "commit": [COMMIT],
    "file path": ["payroll/2026/bonus.xlsx"],
    "private text": [DETAIL, "salary table", "top-secret-mode"],
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("leaks")
    at = "2026-06-02T10:00:00Z"
    tables = every_table(
        {
            "audit_events": [
                action("close", "acme/widgets#4711", at, mode="live") | {"actor": "zaphod-b", "detail": DETAIL},
                action("close", "Hidden-Org/Vault#12", at, mode="top-secret-mode") | {"actor": "evaluations"},
                event("signal.rule_fired:tidy_up", "urn:pull:Hidden-Org/Vault:12:deep", at) | {"id": "ev-000017x"},
                event("signal.human_override:tidy_up", "x", at, verdict="confirmed") | {"actor": "acme", "id": "42"},
            ],
            "pull_requests": [state("acme/widgets", 4711, author_login="Trillian.M")],
            "pull_request_files": [
                {"repo_full_name": "acme/widgets", "pull_number": 4711, "path": "payroll/2026/bonus.xlsx"}
            ],
            "decision_records": [
                record(
                    "Hidden-Org/Vault",
                    12,
                    at,
                    id="rec:hidden-org/vault:12:1",
                    head_sha=COMMIT,
                    reevaluation_actor="marvin[bot]",
                    reevaluation_reason="asked_again",
                    record_json=json.dumps({"about": "salary table"}),
                )
            ],
            "orb_instances": [{"instance_id": "Instance (Vogsphere)", "registered": 1}],
            "orb_signals": [signal("inst-7d41-aa", "merge", "merged", at)],
            "orb_outcome_rollups": [{"account_login": "slartibartfast", "merged": 1, "closed": 0, "total": 1}],
            "orb_github_installations": [{"installation_id": 1, "account_login": "prefect-f", "registered": 1}],
        }
    )
    policy = policy_from({"owners": {"acme": ["dent-a"]}})
    return publish(write_sqlite(folder / "export.sqlite", tables), AS_OF, [ALLOWED], policy)


def text(path: Path, shown: str) -> None:
    path.with_suffix(".css").write_text(f"/* about {shown}. */", encoding="utf-8")


def page_text(path: Path, shown: str) -> None:
    path.with_suffix(".html").write_text(
        f"<p>12 of <b>{shown.replace('/', '/<wbr>')}</b>, closed.</p>", encoding="utf-8"
    )


def attribute(path: Path, shown: str) -> None:
    path.with_suffix(".html").write_text(f'<a title="See {shown}">x</a>', encoding="utf-8")


def comment(path: Path, shown: str) -> None:
    path.with_suffix(".html").write_text(f"<!-- {shown} -->", encoding="utf-8")


def linked_data(path: Path, shown: str) -> None:
    path.with_suffix(".html").write_text(
        f'<script type="application/ld+json">{json.dumps({"name": shown})}</script>', encoding="utf-8"
    )


def drawing(path: Path, shown: str) -> None:
    path.with_suffix(".html").write_text(f'<svg role="img"><g><text x="1">{shown}</text></g></svg>', encoding="utf-8")


def json_value(path: Path, shown: str) -> None:
    path.with_suffix(".json").write_text(json.dumps({"rows": [{"of": shown}]}), encoding="utf-8")


def json_key(path: Path, shown: str) -> None:
    path.with_suffix(".json").write_text(json.dumps({shown: 1}, ensure_ascii=True), encoding="utf-8")


def csv_cell(path: Path, shown: str) -> None:
    pa_csv.write_csv(pa.table({"n": [1], "of": [shown]}), path.with_suffix(".csv"))


def parquet_cell(path: Path, shown: str) -> None:
    pq.write_table(pa.table({"n": [1], "of": [shown]}), path.with_suffix(".parquet"))


PLACES = [
    text,
    page_text,
    attribute,
    comment,
    linked_data,
    drawing,
    json_value,
    json_key,
    csv_cell,
    parquet_cell,
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_an_identifier_of_any_class_in_any_kind_of_file_stops_the_build_and_is_not_repeated(
    kind: str, place: Callable[[Path, str], None], published: Published, tmp_path: Path
) -> None:
    # One place holds all of a class at once where it can: each is also found alone, below.
    for shown in IDENTIFIERS[kind][:1]:
        place(tmp_path / "planted", shown)
        with pytest.raises(DisclosureError, match=rf"^planted\.\w+.*holds a {kind} that must not") as refused:
            scan(published.computed, tmp_path)
        assert shown not in str(refused.value)


@pytest.mark.parametrize(("kind", "shown"), [(kind, one) for kind, all_ in IDENTIFIERS.items() for one in all_])
def test_each_column_that_holds_private_identifiers_is_read(
    kind: str, shown: str, published: Published, tmp_path: Path
) -> None:
    json_value(tmp_path / "planted", f"seen at {shown}, lately")
    with pytest.raises(DisclosureError, match=r"planted\.json: holds a "):
        scan(published.computed, tmp_path)


@pytest.mark.parametrize(
    "shown", ["https://example.org/acme/widgets/pull/4711", "ACME/Widgets#4711", "@Zaphod-B", "mail zaphod-b: hello"]
)
def test_other_spellings_of_an_identifier_are_found(shown: str, published: Published, tmp_path: Path) -> None:
    json_value(tmp_path / "planted", shown)
    with pytest.raises(DisclosureError):
        scan(published.computed, tmp_path)


def test_a_name_of_a_file_is_read_too(published: Published, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "zaphod-b.html").write_text("<p>Nothing</p>", encoding="utf-8")
    with pytest.raises(DisclosureError, match="name of the file: holds a login"):
        scan(published.computed, tmp_path)


def test_a_kind_of_file_that_nobody_can_read_is_refused(published: Published, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    with pytest.raises(DisclosureError, match=r"photo\.png is of a kind"):
        scan(published.computed, tmp_path)


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("evaluations", "own words"),  # a login that is a word of every page
        ("acme", "public"),  # the owner of a repository that may be named
        ("acme/widgets", "public"),
        ("tidy_up", None),  # a rule's name was never private
        ("42", "numbers"),  # the id of an event that is a count as well
        ("zaphod-bee, azaphod-b and widgets4711", None),  # whole words only
        ("acme/widgets: 4711 reviewed", "public"),  # a count beside a repository is no pull request
        ("Instance of a Vogsphere", None),
    ],
)
def test_what_may_stand_in_a_build_is_no_leak_and_is_counted(
    shown: str, why: str | None, published: Published, tmp_path: Path
) -> None:
    page_text(tmp_path / "page", shown)
    exempt = scan(published.computed, tmp_path).exempt
    assert {name for name, count in exempt.items() if count} >= ({why} if why else set())


def test_record_ids_may_stand_when_the_policy_publishes_them(published: Published, tmp_path: Path) -> None:
    json_value(tmp_path / "ledger", "ev-000017x")
    ledger = replace(published.computed.context.policy.ledger, publish_record_ids=True)
    policy = replace(published.computed.context.policy, ledger=ledger)
    allowed = replace(published.computed, context=replace(published.computed.context, policy=policy))
    scan(allowed, tmp_path)


def test_every_private_text_of_the_lake_has_a_class_or_a_reason_to_have_none() -> None:
    private = {
        (table.name, column.name)
        for table in TABLES.values()
        for column in table.columns
        if column.privacy is not Privacy.PUBLIC and column.kind in (Kind.TEXT, Kind.DECIMAL)
    }
    classed = {pair for pairs in PRIVATE.values() for pair in pairs} | set(JSON_TEXTS)
    assert private == classed | set(WORDS)
    assert not classed & set(WORDS)
    for table, column in PUBLIC:
        assert TABLES[table].column(column).privacy is Privacy.PUBLIC or (table, column) in WORDS


_WORDS = in_memory(1)
TEXTS = st.text(alphabet=st.sampled_from(list("aB9_.#-/@ :é—…\u200b\u202e'\"[]\\\n")), max_size=24)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_python_and_sql_see_the_same_words(texts: list[str]) -> None:
    with _WORDS.cursor() as connection:
        connection.register("texts", pa.table({"place": list(range(len(texts))), "told": texts}))
        found = connection.execute(f"SELECT {words_in_sql('told')} FROM texts ORDER BY place").fetchall()
    assert [words for (words,) in found] == [words_of(one) for one in texts]
    assert all(not set(word) & set(" /@:—…") for one in texts for word in words_of(one)), SEPARATORS


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shown=st.sampled_from([(kind, one) for kind, all_ in IDENTIFIERS.items() for one in all_]),
    before=TEXTS,
    after=TEXTS,
    place=st.sampled_from(PLACES[6:]),
)
def test_whatever_stands_round_it_a_whole_identifier_is_found(shown, before, after, place, published, tmp_path) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    place(tmp_path / "planted", f"{before} {shown[1]} {after}")
    with pytest.raises(DisclosureError):
        scan(published.computed, tmp_path)


def test_the_time_does_not_grow_with_identifiers_times_texts(published: Published, tmp_path: Path) -> None:
    """40,000 published texts are read in seconds, however many identifiers there are."""
    cells = [f"word{index} and word{index + 1} of them" for index in range(40_000)]
    pq.write_table(pa.table({"of": cells}), tmp_path / "many.parquet")
    started = time.process_time()
    scan(published.computed, tmp_path)
    assert time.process_time() - started < 10
    assert joined(cells[7]) == "word7 and word8 of them"
