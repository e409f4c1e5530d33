"""What is withheld is withheld in every published file: percentages below a floor, and counts at two instances.

Files are read back as a reader would read them, CSV and Parquet included, and compared with what the figures say.
"""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support.exports import every_table, write_sqlite
from support.golden import GOLDEN, Case
from support.pipeline import Published, publish
from support.random_exports import random_export

from evenhand.canonical import pretty
from evenhand.disclosure.checks import check_published
from evenhand.errors import DisclosureError
from evenhand.site.api_files import write_public
from evenhand.site.datasets import datasets, write_datasets

SEEDS = range(7000, 7004)


def write(published: Published, folder: Path) -> Path:
    """Everything that the digest of a build covers."""
    write_public(published.computed, folder)
    write_datasets(published.computed, folder)
    (folder / "report.json").write_text(pretty(published.report), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=[*SEEDS, "open-01", "open-hand-07"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Published, Path]:
    """A published folder."""
    scratch = tmp_path_factory.mktemp("site")
    if isinstance(request.param, str):
        published = Case(GOLDEN / "fairness" / request.param).publish(scratch)
    else:
        export = random_export(request.param)
        published = publish(write_sqlite(scratch / "export", export.tables), export.as_of, export.repos)
    return published, write(published, scratch / "site")


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """A dataset as its CSV says; its Parquet says the same."""
    table = pq.read_table(folder / "data" / f"{name}.parquet").to_pylist()
    with (folder / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(table)
    for line, row in zip(lines, table, strict=True):
        for column, value in row.items():
            told = line[column]
            if value is None or value == "":
                assert told == ""
            elif isinstance(value, bool):
                assert told == str(value).lower()
            elif isinstance(value, float):
                assert float(told) == value
            else:
                assert told == str(value)
    return table


def test_every_value_has_no_reason_and_every_missing_one_has_exactly_one(site):
    published, folder = site
    for dataset in datasets(published.computed):
        columns = [column.name for column in dataset.columns]
        for prefix in {name.removesuffix("value") for name in columns if name.endswith("value")}:
            for row in rows_of(folder, dataset.name):
                value, reason = row[f"{prefix}value"], row[f"{prefix}withheld"]
                assert (value is None) == (reason is not None), (dataset.name, row)
                if value is None:
                    assert (row[f"{prefix}low"], row[f"{prefix}high"]) == (None, None)


def test_a_rule_below_its_floor_shows_its_counts_and_no_percentage_in_any_file(site):
    published, folder = site
    stats = json.loads((folder / "v1/public/stats.json").read_text())
    below = {rule["ruleId"] for rule in stats["rulePrecision"]["rules"] if rule["decided"] < 10}
    for rule in stats["rulePrecision"]["rules"]:
        assert (rule["precision"] is None) == (rule["ruleId"] in below)
    for row in rows_of(folder, "rule_precision"):
        assert (row["withheld"] == "below_floor") == (row["rule_id"] in below)
        assert row["decided"] is not None
    scores = json.loads((folder / "v1/public/eval-scores.json").read_text())
    for record in scores["records"]:
        assert (record["score"]["precision"] is None) == (record["workUnit"]["ruleId"] in below)
    for figure in published.report["figures"]:
        if figure["metric"] == "signals.rule_precision" and figure["id"].endswith("/precision"):
            rule = figure["id"].removeprefix("signals.rule_precision:").removesuffix("/precision")
            assert (figure["withheld"] is not None) == (rule in below)


def test_a_week_below_its_floor_is_withheld_whole_in_every_file(site):
    _, folder = site
    stats = json.loads((folder / "v1/public/stats.json").read_text())
    for week, row in zip(stats["accuracyTrend"], rows_of(folder, "weekly"), strict=True):
        assert (week["merged"], week["closed"], week["reversed"]) == (row["merged"], row["closed"], row["reversed"])
        assert week["accuracyPct"] == row["value"]
        if week["merged"] is None:
            assert {week["closed"], week["reversed"], week["accuracyPct"]} == {None}
            assert row["withheld"] in ("below_floor", "window_not_covered")  # a week that the export begins after
            assert row["auto_actioned"] is None
    for week, row in zip(stats["fleetAccuracyTrend"], rows_of(folder, "fleet_weekly"), strict=True):
        assert (week["verdicts"], week["accuracyPct"]) == (row["verdicts"], row["value"])


def test_no_instance_is_named_in_any_file(site):
    published, folder = site
    names = {
        row["instanceId"] for row in published.operator["fleetAnalytics"]["instances"] if len(row["instanceId"]) > 5
    }
    for path in folder.rglob("*.*"):
        text = path.read_bytes()
        for name in names:
            assert name.encode() not in text, path


COUNTS = ("accuracyCiPct", "mergePrecisionCiPct", "closePrecisionCiPct", "decidedCount")


def test_at_two_instances_no_file_has_a_count_or_an_interval_of_the_fleet(tmp_path):
    """5573 and 2311 are instances' volumes, 7884 their sum: no published file may hold any of them, nor a bound."""
    volumes = {"one": 5573, "two": 2311}
    rollups = [
        {
            "instance_id": name,
            "day": "2026-06-04",
            "gate_verdict": verdict,
            "outcome": outcome,
            "reversal_flag": "none",
            "gate_reasoncode_bucket": "",
            "n": n,
        }
        for name, volume in volumes.items()
        for verdict, outcome, n in (
            ("merge", "merged", volume - 1000),
            ("merge", "closed", 103),
            ("close", "closed", 700),
            ("hold", "closed", 197),
        )
    ]
    tables = every_table(
        {
            "orb_instances": [{"instance_id": name, "registered": 1} for name in volumes],
            "orb_signal_rollups": rollups,
        }
    )
    published = publish(write_sqlite(tmp_path / "export", tables), "2026-06-10T00:00:00Z")
    folder = write(published, tmp_path / "site")
    fleet = published.stats["fleetAccuracy"]
    assert fleet["instanceCount"] == 2
    assert fleet["accuracyPct"] is not None
    assert {name: fleet[name] for name in COUNTS} == dict.fromkeys(COUNTS)
    assert {week["verdicts"] for week in published.stats["fleetAccuracyTrend"]} == {None}
    for figure in published.report["figures"]:
        if figure["source"] == "fleet" and figure["metric"] != "fleet.guarantees" and "gaming" not in figure["id"]:
            assert (figure["numerator"], figure["denominator"], figure["interval"]) == (None, None, None), figure["id"]
            assert not (figure["withheld"] or {}).get("n"), figure["id"]
    for row in rows_of(folder, "fleet_weekly"):
        assert (row["verdicts"], row["low"], row["high"]) == (None, None, None)
    for row in rows_of(folder, "figures"):
        if row["source"] == "fleet" and "gaming" not in row["id"]:
            assert (row["numerator"], row["denominator"], row["low"], row["high"]) == (None, None, None, None)
    verdicts = sum(volumes.values()) - 2 * 197
    for path in folder.rglob("*.json"):
        for number in (*volumes.values(), sum(volumes.values()), verdicts):
            assert str(number) not in path.read_text(), path


def tampered(site: tuple[Published, Path], tmp_path: Path, name: str, change: Any) -> tuple[Published, Path]:
    """The same folder with one JSON file changed."""
    published, folder = site
    target = tmp_path / "tampered"
    for path in (Path("report.json"), Path("v1/public/stats.json")):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes((folder / path).read_bytes())
    document = json.loads((target / name).read_text())
    change(document)
    (target / name).write_text(json.dumps(document))
    return published, target


def test_what_was_computed_passes_the_last_check(site):
    published, folder = site
    check_published(published.computed, folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Published, Path]:
    """A folder with a rule below its floor."""
    scratch = tmp_path_factory.mktemp("small")
    published = Case(GOLDEN / "fairness" / "open-hand-05").publish(scratch)
    return published, write(published, scratch / "site")


def withheld_figure(document: dict[str, Any]) -> dict[str, Any]:
    return next(figure for figure in document["figures"] if figure["withheld"])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("report.json", lambda d: withheld_figure(d).update(value=90), "neither a value nor a reason, or both"),
        ("report.json", lambda d: withheld_figure(d).update(withheld=None), "neither a value nor a reason, or both"),
        (
            "report.json",
            lambda d: withheld_figure(d).update(interval={"low": 0, "high": 1}),
            "still shows its evidence",
        ),
        ("report.json", lambda d: withheld_figure(d).update(numerator=9), "still shows its evidence"),
        (
            "v1/public/stats.json",
            lambda d: d["rulePrecision"]["rules"][0].update(precision=1),
            "shows a precision of 9",
        ),
    ],
)
def test_a_folder_that_shows_what_is_withheld_is_refused(small, name, change, message, tmp_path):
    published, folder = tampered(small, tmp_path, name, change)
    with pytest.raises(DisclosureError, match=message):
        check_published(published.computed, folder)
