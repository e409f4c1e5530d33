"""With two eligible instances nobody gets the withheld counts back from what is published, nor the build goes out."""

import json
import random
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support.exports import Row, every_table, write_sqlite
from support.pipeline import publish as computed_of

from evenhand import build as building
from evenhand.build import Outcome
from evenhand.computed import Computed
from evenhand.disclosure import attacker
from evenhand.disclosure.attacker import attack, see
from evenhand.disclosure.suppression import fleet_counts, withhold
from evenhand.errors import DisclosureError
from evenhand.metrics.fleet.fleet_trend import fleet_trend
from evenhand.metrics.fleet.instance_signals import instance_signals
from evenhand.policy import Policy, policy_from
from evenhand.site import api
from evenhand.site.report import report

MERGES = "fleet.instance_signals:pooled/merge_precision"
VERDICTS = "fleet.instance_signals:pooled/accuracy"
DAYS = tuple(f"2026-06-{day:02d}" for day in range(3, 11))


@pytest.fixture(autouse=True)
def quick_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have their own tests; here they are one file each."""

    def write(_computed: object, _facts: object, directory: Path) -> None:
        (directory / "index.html").write_text("a page", encoding="utf-8")

    monkeypatch.setattr(building, "write_pages", write)


def rollup(instance: str, verdict: str, good: bool, n: int, day: str = "2026-06-01") -> Row:
    outcome = "merged" if (verdict == "merge") == good else "closed"
    return {
        "instance_id": f"instance-{instance}",
        "day": day,
        "gate_verdict": verdict,
        "outcome": outcome,
        "reversal_flag": "none",
        "gate_reasoncode_bucket": "",
        "n": n,
    }


Signals = list[Row]


def instance(name: str, merges: tuple[int, int], closes: tuple[int, int], holds: int) -> Signals:
    """An instance by (confirmed, all) merges and closes, and holds."""
    told = (("merge", *merges), ("close", *closes))
    rows = [rollup(name, verdict, True, good) for verdict, good, _ in told]
    rows += [rollup(name, verdict, False, all_ - good) for verdict, good, all_ in told]
    return [row for row in (*rows, rollup(name, "hold", True, holds)) if row["n"]]


def compute_fleet(folder: Path, signals: Signals, day: str, policy: Policy | None = None) -> Computed:
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted({row["instance_id"] for row in signals})
    tables = {
        "orb_instances": [{"instance_id": name, "registered": 1} for name in names],
        "orb_signal_rollups": signals,
    }
    export = write_sqlite(folder / f"export-{len(list(folder.iterdir()))}.sqlite", every_table(tables))
    return computed_of(export, f"{day}T00:00:00Z", policy=policy).computed


def nightly(folder: Path, signals: Signals, day: str, policy: Policy | None = None) -> Outcome:
    """One night's build."""
    return building.publish(compute_fleet(folder / day, signals, day, policy), out=folder / "out")


A = instance("a", (31, 37), (11, 13), 6)
B = instance("b", (51, 56), (7, 9), 4)
C = instance("c", (20, 21), (5, 8), 2)


def test_a_first_build_with_two_instances_goes_out(tmp_path: Path) -> None:
    outcome = nightly(tmp_path, [*A, *B], DAYS[0])
    shown = see(outcome.folder).shares
    assert shown[MERGES].percent == Fraction("88.2")
    assert shown[MERGES].counts is None


def test_one_verdict_more_from_one_night_to_the_next_tells_small_counts_and_is_refused(tmp_path: Path) -> None:
    """66.7 % and then 71.4 %, by one verdict more: 4 of 6 and 5 of 7, and nothing else."""
    few = [*instance("a", (3, 4), (8, 9), 3), *instance("b", (1, 2), (7, 9), 4)]
    nightly(tmp_path, few, DAYS[0])
    more = [*few, rollup("a", "merge", True, 1, "2026-06-03")]
    with pytest.raises(DisclosureError, match=rf"{MERGES}.*1 came between.*withhold of \[disclosure\]"):
        nightly(tmp_path, more, DAYS[1])
    assert len(list((tmp_path / "out" / "builds").glob("*/build.json"))) == 1


def test_withheld_further_it_goes_out_and_stays_withheld_while_two_are_eligible(tmp_path: Path) -> None:
    few = [*instance("a", (3, 4), (8, 9), 3), *instance("b", (1, 2), (7, 9), 4)]
    more = [*few, rollup("a", "merge", True, 1, "2026-06-03")]
    nightly(tmp_path, few, DAYS[0])
    policy = policy_from({"disclosure": {"withhold": ["fleet.instance_signals:pooled/*", "fleet.fleet_trend:*"]}})
    outcome = nightly(tmp_path, more, DAYS[1], policy)
    stats = json.loads((outcome.folder / "v1/public/stats.json").read_text())
    assert stats["fleetAccuracy"]["mergePrecisionPct"] is None
    [figure] = [one for one in outcome.document["figures"] if one["id"] == MERGES]
    assert figure["withheld"]["reason"] == "withheld_for_privacy"
    with pytest.raises(DisclosureError, match=r"withheld fleet\.fleet_trend:\*, .*pooled/\* further"):
        nightly(tmp_path, more, DAYS[2])
    nightly(tmp_path, [*more, *C], DAYS[2])


def test_counts_of_yesterday_that_were_known_are_known_and_what_came_since_is_not_to_be_told(tmp_path: Path) -> None:
    """One instance yesterday, with its counts; today a second of 5 signals: only few pairs lead to the percentage."""
    alone = instance("a", (9, 10), (8, 9), 3)
    nightly(tmp_path, alone, DAYS[0])
    joined = [*alone, *instance("b", (2, 3), (0, 2), 0)]
    with pytest.raises(DisclosureError, match=r"can be told from what is published"):
        nightly(tmp_path, joined, DAYS[1])


def test_a_week_of_three_instances_is_no_secret_when_one_of_them_leaves(tmp_path: Path) -> None:
    """What yesterday's build told already cannot be taken back, and today's adds nothing to it."""
    small = instance("c", (3, 5), (0, 0), 0)
    nightly(tmp_path, [*A, *B, *small], DAYS[0])
    shrunk = [*A, *B, *instance("c", (3, 4), (0, 0), 0)]
    computed = compute_fleet(tmp_path / "again", shrunk, DAYS[1])
    assert computed.results["fleet.instance_signals"].privacy_withheld
    folder = tmp_path / "out" / "latest"
    assert see(folder).eligible == 3
    assert see(folder).shares[MERGES].counts == (85, 98)


def test_three_instances_have_nothing_to_defend(tmp_path: Path) -> None:
    outcome = nightly(tmp_path, [*A, *B, *C], DAYS[0])
    computed = compute_fleet(tmp_path / "again", [*A, *B, *C], DAYS[0])
    assert attack(computed, outcome.folder, []).cells == 0


@pytest.fixture
def two(tmp_path: Path) -> tuple[Computed, Path]:
    outcome = nightly(tmp_path, [*A, *B], DAYS[0])
    return compute_fleet(tmp_path / "again", [*A, *B], DAYS[0]), outcome.folder


def test_a_table_that_adds_up_to_the_counts_is_refused(two: tuple[Computed, Path]) -> None:
    computed, folder = two
    (folder / "data" / "rows_fleet_signals.csv").write_text("verdict,confirmed,n\n", encoding="utf-8")
    with pytest.raises(DisclosureError, match=r"data/rows_fleet_signals adds up to counts of two"):
        attack(computed, folder, [])


@pytest.mark.parametrize("column", ["numerator", "denominator", "low", "high"])
def test_a_count_or_an_interval_in_a_dataset_is_refused(column: str, two: tuple[Computed, Path]) -> None:
    computed, folder = two
    path = folder / "data" / "figures.parquet"
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[table["id"].to_pylist().index(MERGES)] = 5
    place = table.column_names.index(column)
    planted = table.set_column(place, column, [pq.read_table(path)[column].type and values])
    pq.write_table(planted, path)
    with pytest.raises(DisclosureError, match=rf"data/figures shows the counts or the interval of {MERGES}"):
        attack(computed, folder, [])


def test_a_percentage_with_too_many_digits_and_a_number_of_rows_is_inverted(two: tuple[Computed, Path]) -> None:
    """82 of 93 is 88.1720 %: no other pair with at most 120 signals."""
    computed, folder = two
    rounding = replace(computed.context.policy.rounding, percent_places=4)
    policy = replace(computed.context.policy, rounding=rounding)
    finer = replace(computed, context=replace(computed.context, policy=policy))
    change(folder / "report.json", lambda d: next(f for f in d["figures"] if f["id"] == MERGES).update(value=88.172))
    change(
        folder / "build.json",
        lambda d: d["quality"].update(rowsKept={"orb_signals": 120, "orb_signal_rollups": 0}),
    )
    with pytest.raises(DisclosureError, match=rf"{MERGES}.*by its percentages alone"):
        attack(finer, folder, [])


def change(path: Path, edit: Any) -> None:
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


def test_percentages_of_the_same_counts_narrow_each_other() -> None:
    merge, close = frozenset({(1, 2), (2, 4)}), frozenset({(1, 1)})
    pairs: dict[str, attacker.Pairs] = {
        "fleet.instance_signals:pooled/merge_precision": merge,
        "fleet.instance_signals:pooled/close_precision": close,
        VERDICTS: frozenset({(2, 3), (9, 9)}),
    }
    assert attacker._narrowed(pairs)[VERDICTS] == {(2, 3)}
    assert attacker._narrowed(pairs)["fleet.instance_signals:pooled/merge_precision"] == {(1, 2)}


@pytest.mark.parametrize(("part", "whole"), [(1, 3), (49, 80), (5, 8), (999, 1000), (0, 7), (7, 7)])
def test_inversion_keeps_the_pair_that_was_rounded(part: int, whole: int) -> None:
    scaled = Fraction(1000 * part, whole)
    percent = Fraction(int(scaled + Fraction(1, 2)), 10)
    found = attacker._inverted(percent, 1, 1000, 1)
    assert (part, whole) in found
    assert all(abs(Fraction(100 * a, n) - percent) <= Fraction(1, 20) for a, n in found)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Computed:
    return compute_fleet(tmp_path_factory.mktemp("base"), [*A, *B], DAYS[0])


Fleet = dict[str, list[int]]
"""By instance: confirmed and all merges, confirmed and all closes, holds."""


def put_out(base: Computed, fleet: Fleet, folder: Path, earlier: list[Path]) -> bool:
    """What a night with these instances publishes of them, unless the attacker stops it."""
    names = ("merge_confirmed", "merge_verdicts", "close_confirmed", "close_verdicts", "holds")
    cells = [
        {
            "instance_id": name,
            "registered": True,
            "decided": counts[1] + counts[3] + counts[4],
            "flagged": 0,
            "policy_actions": 0,
            **dict(zip(names, counts, strict=True)),
        }
        for name, counts in fleet.items()
    ]
    verdicts, confirmed = (sum(counts[index] + counts[index + 2] for counts in fleet.values()) for index in (1, 0))
    week = {"week": date(2026, 6, 1), "verdicts": verdicts, "confirmed": confirmed}
    results = {
        **base.results,
        "fleet.instance_signals": instance_signals(cells, base.context),
        "fleet.fleet_trend": fleet_trend([week], base.context),
    }
    computed = replace(base, results=withhold(results), fleet_counts=fleet_counts(results))
    (folder / "v1" / "public").mkdir(parents=True)
    for name, document in (
        ("report.json", report(computed)),
        ("v1/public/stats.json", api.stats(computed.results, computed.context)),
        ("build.json", {"policy": {}}),
    ):
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    try:
        attack(computed, folder, earlier)
    except DisclosureError:
        return False
    return True


@pytest.mark.parametrize("seed", range(50))
def test_no_seeded_attempt_recovers_a_withheld_cell(seed: int, base: Computed, tmp_path: Path) -> None:
    """Three nights with two instances, drawn at random; who knows the rules gets no count of a night that went out.

    The reader's attempt is its own code: every pair of counts that the percentages of successive nights allow when at
    most one verdict came, and no fleet figure carries a count. A night that is refused is not public.
    """
    draw = random.Random(seed)
    big = draw.choice((6, 40, 2000))
    fleet: Fleet = {}
    for name in ("a", "b"):
        merges, closes = draw.randint(3, 3 + big), draw.randint(3, 3 + big)
        fleet[name] = [draw.randint(0, merges), merges, draw.randint(0, closes), closes, draw.randint(0, big)]
    public: list[Path] = []
    for night in range(3):
        folder = tmp_path / str(night)
        if put_out(base, fleet, folder, public):
            public.append(folder)
            good, merges = (sum(counts[index] for counts in fleet.values()) for index in (0, 1))
            assert guesses(public[-2:]) != [(good, merges)] or not merges
            for figure in json.loads((folder / "report.json").read_text())["figures"]:
                if figure["id"].startswith(("fleet.instance_signals:pooled", "fleet.fleet_trend")):
                    assert (figure["numerator"], figure["denominator"], figure["interval"]) == (None, None, None)
        if draw.random() < 0.8:
            came = draw.choice((0, 2))
            fleet["a"][came + 1] += 1
            fleet["a"][came] += draw.random() < 0.7
    assert public


def guesses(nights: list[Path]) -> list[tuple[int, int]]:
    """Pairs of the last night that all nights allow, each at most one verdict after the one before."""
    possible: set[tuple[int, int]] | None = None
    for folder in nights:
        percent = json.loads((folder / "v1/public/stats.json").read_text())["fleetAccuracy"]["mergePrecisionPct"]
        if possible is None:
            candidates = {(part, whole) for whole in range(1, 150) for part in range(whole + 1)}
        else:
            candidates = {
                (part + good, whole + came) for part, whole in possible for came in (0, 1) for good in range(came + 1)
            }
        possible = {(part, whole) for part, whole in candidates if abs(100 * part / whole - percent) <= 0.0500001}
    return sorted(possible or ())


def test_what_is_defended_are_the_counts_before_they_are_withheld(base: Computed) -> None:
    counts = base.fleet_counts
    assert counts[MERGES] == (82, 93)
    assert counts[VERDICTS] == (100, 115)
    assert counts["fleet.instance_signals:pooled/coverage"] == (115, 125)
    assert base.results["fleet.instance_signals"].merge_precision.denominator is None
    assert counts["fleet.fleet_trend:2026-06-01/accuracy"] == (100, 115)
    assert withhold(base.results, ["nothing"])["fleet.instance_signals"].merge_precision.exact == Fraction(82, 93)
    assert fleet_counts(base.results)[MERGES] == (82, 93)
