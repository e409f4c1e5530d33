"""The attacker: at two eligible instances, tries to get the withheld counts back from everything that is published.

Belongs here: the attacks and the refusal. Does not: deciding what is withheld (suppression), or the sampling floors,
which are no secret. What is defended are the counts behind the fleet's percentages while exactly two instances are
eligible: confirmed and all verdicts (merge, close, both), verdicts and signals (coverage), and the verdicts of a week.

The attacks, on this build's files and on those of every earlier build:
- *shown*: a withheld count or interval stands in a file, or a table whose rows add up to it;
- *inverted*: every pair of counts that rounds to the published percentage, with at most as many signals as the numbers
  of rows allow; several percentages of the same counts narrow each other (verdicts are merges and closes together);
- *from build to build*: pairs of one build that lead to pairs of the next when at most `attack_verdicts` verdicts came
  or went, exactly so many came, or (where the number of eligible instances changed) an instance of the least size
  joined or left. Percentages with known counts of yesterday, a week that crosses its floor, n to n + 1.

A count is recovered when one pair alone is left, it is the true one, and without this build's own figure more than one
was left: what an earlier build has told already cannot be taken back. An attack whose supposition is wrong ends in no
pair or in a wrong one. What the contract itself tells is no recovery: a percentage that is null because nothing was
decided says that it is of 0. A guarantee's n is a number that an instance reports to be published.

Counts above `_LARGEST` are left out: there one verdict more or less hardly moves a printed digit. A chain of builds is
tried from each of the last `_NIGHTS` on; a supposition that must hold for longer is seldom true.

Source: fairness contract, section 1 "Floors are not secrets", section 6, D34, D35.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from evenhand.computed import Computed
from evenhand.disclosure.suppression import POOLED, SHARES, TREND, Counts, withheld_further
from evenhand.errors import DisclosureError
from evenhand.policy import exact

Pairs = frozenset[Counts] | None
"""Pairs of counts that are possible; None: any at all."""

_LARGEST = 1000
_NIGHTS = 3
_MOST_SUMS = 20_000
_WIDEST = 64
_MERGE, _CLOSE, _BOTH, _COVERAGE = (f"{POOLED}:pooled/{name}" for name in SHARES)
_SIGNAL_TABLES = ("orb_signals", "orb_signal_rollups")
_POOLED_TABLES = ("rows_fleet_signals", "rows_fleet_weeks")


@dataclass(frozen=True)
class Seen:
    """What one build shows of one share: a percentage or none, and its counts where they are not withheld."""

    percent: Fraction | None
    counts: Counts | None


@dataclass(frozen=True)
class BuildSeen:
    """What one build shows of the fleet. eligible: instances; withhold: cells that its policy withheld further."""

    name: str
    eligible: int | None
    shares: Mapping[str, Seen]
    withhold: tuple[str, ...]


@dataclass(frozen=True)
class Attack:
    """How an attack ended that recovered nothing. known: cells whose counts an earlier build has told already."""

    cells: int
    tried: int
    known: tuple[str, ...]


def attack(computed: Computed, folder: Path, earlier: Sequence[Path], later: Sequence[Path] = ()) -> Attack:
    """Attacks a finished folder together with the published ones, both in the order of their as-of.

    later: those with a later as-of, when a past one is built.

    Raises DisclosureError naming the cells to withhold further when a withheld count is recovered, and when a cell that
    the build before withheld further would be shown again.
    """
    if not computed.results[POOLED].privacy_withheld:
        return Attack(0, 0, ())
    today = see(folder)
    _refuse_shown(folder)
    past = [see(before) for before in earlier[-_NIGHTS:]]
    _refuse_unstuck(computed, past)
    # Backwards in time what came has gone, and both are supposed.
    future = [see(after) for after in reversed(later[:_NIGHTS])]
    return _refuse_recovered(computed, _chains(past, today) + _chains(future, today)[1:], _most_signals(folder))


def _chains(others: Sequence["BuildSeen"], today: "BuildSeen") -> list[list["BuildSeen"]]:
    """This build alone, and behind each run of builds that ends just before it."""
    return [[*others[start:], today] for start in range(len(others), -1, -1)]


def see(folder: Path) -> BuildSeen:
    """What a published folder shows of the fleet."""
    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        stats = json.loads((folder / "v1" / "public" / "stats.json").read_text(encoding="utf-8"))
        manifest = json.loads((folder / "build.json").read_text(encoding="utf-8"))
        shares = {
            figure["id"]: _seen(figure)
            for figure in report["figures"]
            if figure["metric"] in (POOLED, TREND) and figure["scale"] == "percent"
        }
        withhold = tuple(manifest["policy"].get("disclosure", {}).get("withhold", ()))
        return BuildSeen(folder.name, stats["fleetAccuracy"]["instanceCount"], shares, withhold)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DisclosureError(f"the published build {folder.name} is damaged: restore or remove it") from error


def _seen(figure: Mapping[str, Any]) -> Seen:
    counts = None
    if figure["denominator"] is not None and figure["numerator"] is not None:
        counts = (int(figure["numerator"]), int(figure["denominator"]))
    return Seen(None if figure["value"] is None else exact(figure["value"]), counts)


def _refuse_shown(folder: Path) -> None:
    """No withheld count and no table that adds up to one lies open in any form."""
    tables = [name for name in _POOLED_TABLES for _ in (folder / "data").glob(f"{name}.*")]
    if tables:
        raise DisclosureError(f"data/{tables[0]} adds up to counts of two instances: nothing was published")
    figures = folder / "data" / "figures.parquet"
    if figures.exists():
        columns = ["id", "numerator", "denominator", "low", "high"]
        for row in pq.read_table(figures, columns=columns).to_pylist():
            fleet = row["id"].startswith((f"{POOLED}:pooled/", f"{TREND}:"))
            if fleet and any(row[column] is not None for column in columns[1:]):
                raise DisclosureError(
                    f"data/figures shows the counts or the interval of {row['id']}, which two instances must not "
                    "have shown: nothing was published"
                )


def _refuse_unstuck(computed: Computed, past: Sequence[BuildSeen]) -> None:
    """What was withheld further stays withheld from one build to the next while two instances are eligible."""
    if not past or past[-1].eligible != computed.context.policy.fleet.withheld_instances:
        return
    gone = sorted(set(past[-1].withhold) - set(computed.context.policy.disclosure.withhold))
    if gone:
        raise DisclosureError(
            f"{past[-1].name} withheld {', '.join(gone)} further, and beside it this build would tell what it hid: "
            "keep it in withhold of [disclosure] in the policy; nothing was published"
        )


def _refuse_recovered(computed: Computed, chains: Sequence[Sequence[BuildSeen]], most: int) -> Attack:
    known: set[str] = set()
    recovered: dict[str, str] = {}
    shown = chains[0][-1].shares
    cells = {name: counts for name, counts in computed.fleet_counts.items() if name in shown and counts[1]}
    tried = 0
    for supposition in _suppositions(computed):
        for chain in chains:
            if (len(chain) == 1) != supposition.alone:
                continue
            before, after = _pairs(supposition, chain, cells, most, computed)
            # What is supposed of one percentage may be wrong of another: each stands alone, then all together.
            narrowed = _narrowed(after)
            for name, counts in cells.items():
                tried += 1
                if frozenset({counts}) in (after[name], narrowed[name]):
                    if before[name] == frozenset({counts}):
                        known.add(name)
                    else:
                        recovered.setdefault(name, supposition.told)
    if recovered:
        names = ", ".join(sorted(recovered))
        how = "; ".join(dict.fromkeys(recovered[name] for name in sorted(recovered)))
        raise DisclosureError(
            f"the counts behind {names} can be told from what is published ({how}): add them to withhold of "
            "[disclosure] in the policy; nothing was published"
        )
    return Attack(len(cells), tried, tuple(sorted(known)))


@dataclass(frozen=True)
class _Supposition:
    """What the attacker supposes to happen from one build to the next: a change of n within [least, most]."""

    told: str
    least: int
    most: int
    alone: bool = False
    """Of one build, which nothing came before."""


def _suppositions(computed: Computed) -> Iterator[_Supposition]:
    steps = computed.context.policy.disclosure.attack_verdicts
    yield _Supposition("by its percentages alone", 0, 0, alone=True)
    yield _Supposition("nothing came between two builds", 0, 0)
    for step in range(1, steps + 1):
        yield _Supposition(f"{step} came between two builds", step, step)
        yield _Supposition(f"at most {step} came between two builds", 0, step)
        yield _Supposition(f"{step} went between two builds", -step, -step)
        yield _Supposition(f"at most {step} came or went between two builds", -step, step)


def _pairs(
    supposed: _Supposition,
    builds: Sequence[BuildSeen],
    cells: Mapping[str, Counts],
    most: int,
    computed: Computed,
) -> tuple[dict[str, Pairs], dict[str, Pairs]]:
    """By cell, what is possible before this build's own figures are looked at, and after."""
    policy = computed.context.policy
    two, weekly_floor = policy.fleet.withheld_instances, policy.floors.weekly_fleet
    instance = policy.floors.instance_signals + policy.disclosure.attack_verdicts
    before: dict[str, Pairs] = {}
    after: dict[str, Pairs] = {}
    for name in cells:
        floor = weekly_floor if name.startswith(TREND) else 1
        possible: Pairs = None
        eligible: int | None = None
        for build in builds:
            least, furthest = supposed.least, supposed.most
            if eligible is not None and build.eligible != eligible and not name.startswith(TREND):
                joined = (build.eligible or 0) > eligible
                least, furthest = (0, instance) if joined else (-instance, 0)
            eligible = build.eligible
            before[name] = _moved(possible, least, furthest)
            further = withheld_further(name, build.withhold) and build.eligible == two
            seen = build.shares.get(name)
            limit = most if build is builds[-1] else _LARGEST
            places = policy.rounding.percent_places
            shown = None if seen is None or further else _consistent(seen, before[name], floor, limit, places)
            possible = before[name] if shown is None else shown
        after[name] = possible
    return before, after


def _moved(possible: Pairs, least: int, most: int) -> Pairs:
    """Where pairs can lead; anything, when anything was possible or too much may have happened."""
    if possible is None or (possible and most - least > _WIDEST):
        return None
    led: set[Counts] = set()
    for part, whole in possible:
        for change in range(least, most + 1):
            parts = range(part, part + change + 1) if change >= 0 else range(part + change, part + 1)
            if least < 0 < most and change == 0:
                # One came and one went: the whole is the same, its part may not be.
                parts = range(part - 1, part + 2)
            led.update((new, whole + change) for new in parts if 0 <= new <= whole + change)
    return frozenset(led)


def _consistent(seen: Seen, possible: Pairs, floor: int, most: int, places: int) -> Pairs:
    """The pairs that what is seen allows."""
    if seen.counts is not None:
        return frozenset({seen.counts})
    if seen.percent is None:
        below = ((part, whole) for whole in range(floor) for part in range(whole + 1))
        return frozenset(pair for pair in below if possible is None or pair in possible)
    if possible is None:
        return _inverted(seen.percent, floor, most, places)
    low, high = _rounding(seen.percent, places)
    return frozenset(
        (part, whole)
        for part, whole in possible
        if whole >= floor and low * whole <= part * 200 * 10**places < high * whole
    )


def _rounding(percent: Fraction, places: int) -> tuple[int, int]:
    """The bounds of what rounds to a percentage, in units of 1 in 200 * 10**places; the upper one is excluded."""
    doubled = int(percent * 2 * 10**places)
    return doubled - 1, doubled + 1


@lru_cache(maxsize=256)
def _inverted(percent: Fraction, floor: int, most: int, places: int) -> frozenset[Counts]:
    """Every pair that rounds to a percentage, half away from zero."""
    low, high = _rounding(percent, places)
    scale = 200 * 10**places
    found = []
    for whole in range(max(floor, 1), most + 1):
        first = max(0, -(-low * whole // scale))
        after = -(-high * whole // scale)
        found += [(part, whole) for part in range(first, min(after, whole + 1))]
    return frozenset(found)


def _narrowed(pairs: dict[str, Pairs]) -> dict[str, Pairs]:
    """Verdicts are merges and closes together, and covered signals are the verdicts."""
    found = dict(pairs)
    for _ in range(2):
        merge, close, both = (found.get(name) for name in (_MERGE, _CLOSE, _BOTH))
        if merge and close and both and len(merge) * len(close) <= _MOST_SUMS:
            fits = [
                (one, other, total)
                for one in merge
                for other in close
                if (total := (one[0] + other[0], one[1] + other[1])) in both
            ]
            found[_MERGE] = frozenset(one for one, _, _ in fits)
            found[_CLOSE] = frozenset(other for _, other, _ in fits)
            found[_BOTH] = frozenset(total for _, _, total in fits)
        both, coverage = found.get(_BOTH), found.get(_COVERAGE)
        if both and coverage:
            verdicts = {whole for _, whole in both} & {part for part, _ in coverage}
            found[_BOTH] = frozenset(pair for pair in both if pair[1] in verdicts)
            found[_COVERAGE] = frozenset(pair for pair in coverage if pair[0] in verdicts)
    return found


def _most_signals(folder: Path) -> int:
    """The most signals that the published numbers of rows allow; the largest that is tried where they are withheld."""
    quality = json.loads((folder / "build.json").read_text(encoding="utf-8")).get("quality", {})
    kept = quality.get("rowsKept", {})
    # A row of signals is one of them; rollups count many a row.
    if kept.get("orb_signals") is None or kept.get("orb_signal_rollups", 0) != 0:
        return _LARGEST
    return min(int(kept["orb_signals"]), _LARGEST)
