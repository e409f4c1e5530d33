"""Figures over reviews counted again from the published review tables, and the tables' own values beside the report's.

Belongs here: for each statistic over reviews, which rows give it, and its floor. Does not: the reviews themselves,
which hold code and pull requests and are not published: these tables are counts, and what is checked is that every
figure follows from them. Names of figures are made from rows and never taken apart: a seat's may hold any character.

Source: What a review means, sections 2 to 8; written again from it alone.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.counted import Counted, count, ratio
from evenhand.verify.plain import NotReadableError, canonical

Row = dict[str, Any]
Named = Iterator[tuple[str, Counted]]

_UNDECIDABLE = ("insertion", "deep_pass_incomplete", "no_deep_pass")
"""Suggestions of which a deep pass says nothing: no share counts them."""
_HIDDEN = 0
"""Stands for a count that is left out because its share is withheld: a share under its floor needs only its n."""


def _coverage(build: Build) -> Named:
    groups = _grouped(build.rows("review_coverage"), "pass")
    for name, rows in groups.items():
        of = sum(row["reviews"] for row in rows)
        yield f"{name}/reviews", count(of)
        for row in rows:
            yield f"{name}/{row['coverage']}", ratio(row["reviews"], of)
        whole = sum(row["reviews"] for row in rows if row["coverage"] == "complete")
        yield f"{name}/something_left_out", ratio(of - whole, of)


def _evidence_states(build: Build) -> Named:
    for row in build.rows("review_evidence_states"):
        group = row["by"] if row["by"] == "all" else f"{row['by']}/{row['name']}"
        yield f"{group}/mechanisms", count(row["of"])
        yield f"{group}/{row['state']}", ratio(_or_hidden(row["mechanisms"]), row["of"])


def _severity(build: Build) -> Named:
    for name, rows in _grouped(build.rows("review_severity"), "pass").items():
        of = sum(row["mechanisms"] for row in rows)
        yield f"{name}/mechanisms", count(of)
        for row in rows:
            yield f"{name}/{row['severity']}/count", count(row["mechanisms"])
            yield f"{name}/{row['severity']}/share", ratio(row["mechanisms"], of)


def _first_pass(build: Build) -> Named:
    rows = build.rows("review_first_pass")
    met = sum(row["suggestions"] for row in rows if row["outcome"] not in _UNDECIDABLE)
    yield "suggestions", count(sum(row["suggestions"] for row in rows))
    for row in rows:
        yield f"{row['outcome']}/count", count(row["suggestions"])
        if row["outcome"] not in _UNDECIDABLE:
            yield f"{row['outcome']}/share", ratio(row["suggestions"], met)


def _reliability(build: Build) -> Named:
    for name, rows in _grouped(build.rows("review_confidence"), "curve").items():
        yield f"{name}/decided", count(sum(row["decided"] for row in rows))
        for row in rows:
            place = f"{name}/{_bin(row)}"
            yield f"{place}/held", ratio(_or_hidden(row["held"]), row["decided"])
            yield f"{place}/mean_confidence", ratio(_or_hidden(row["confidence_sum"]), row["decided"])


def _bin(row: Row) -> int:
    return int(round(row["from"] / (row["to"] - row["from"]), 0))


def _fix_plans(build: Build) -> Named:
    for row in build.rows("review_fixes"):
        name = _fixes(row)
        if row["open"] is not None:
            yield f"{name}/open", count(row["open"])
        yield f"{name}/merged", count(row["merged"])
        yield f"{name}/closed", count(row["closed"])
        yield f"{name}/merged_share", ratio(row["merged"], row["merged"] + row["closed"])


def _fixes(row: Row) -> str:
    return str(row["kind"]) if row["kind"] == "follow_up" else f"{row['kind']}/{row['seat']}"


def _seat_calibration(build: Build) -> Named:
    if "data/review_seats.parquet" not in build.table_paths():
        return
    policy = build.policy["evidence"]
    for row in build.rows("review_seats"):
        name = _seat(row)
        yield f"{name}/decided", count(sum(row[outcome] for outcome in policy["decided_outcomes"]))
        yield f"{name}/score", _score(row, policy)
        yield f"{name}/beside_the_pick", count(row["beside_the_pick"])
        yield f"{name}/ahead", count(row["ahead"])


def _seat(row: Row) -> str:
    account = "others" if row["account"] is None else f"account/{row['account']}"
    return f"{account}/{row['lens']}/{row['seat']}"


def _score(row: Row, policy: Row) -> Counted:
    """Proven less contested plus settled, of all decided; merged fixes weigh more, and every seat starts with a few."""
    if row["account"] is None:
        return Counted(None, None, None)
    merged = policy["merged_weight"] * row["merged"]
    good = row["proven"] - row["contested"] + row["settled"] + merged + policy["prior_successes"]
    everything = row["proven"] + row["settled"] + row["unsettled"] + row["rejected"] + merged + row["closed"]
    everything += policy["prior_records"]
    return Counted(Fraction(good, everything), good, everything)


def _grouped(rows: list[Row], by: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[by], []).append(row)
    return groups


def _or_hidden(value: int | None) -> int:
    return _HIDDEN if value is None else value


_STATISTICS: dict[str, Callable[[Build], Named]] = {
    "reviews.coverage": _coverage,
    "reviews.evidence_states": _evidence_states,
    "reviews.severity": _severity,
    "reviews.first_pass": _first_pass,
    "reviews.reliability": _reliability,
    "reviews.fix_plans": _fix_plans,
    "reviews.seat_calibration": _seat_calibration,
}

_FLOORS = {
    "reviews.coverage": "review_floor",
    "reviews.evidence_states": "mechanism_floor",
    "reviews.severity": "mechanism_floor",
    "reviews.first_pass": "suggestion_floor",
    "reviews.reliability": "bin_floor",
    "reviews.fix_plans": "fix_floor",
}


def is_over_reviews(metric: str) -> bool:
    """Whether a metric's figures are counted here."""
    return metric in _STATISTICS


def recount_reviews(build: Build, metric: str, name: str) -> Counted:
    """One figure as the review tables give it; each statistic is counted once, whole.

    Raises NotReadableError when no row gives it, or the rows are missing or damaged.
    """
    if metric not in build.counted:
        build.counted[metric] = dict(_STATISTICS[metric](build))
    if name not in build.counted[metric]:
        raise NotReadableError("no published row is about it")
    found: Counted = build.counted[metric][name]
    return found


def is_below_floor(build: Build, metric: str, figure: Row, counted: Counted) -> bool:
    """Whether a share or a mean over reviews has too few cases to be shown."""
    if figure["scale"] not in ("percent", "mean") or metric not in _FLOORS:
        return False
    floor: int = build.policy["reviews"][_FLOORS[metric]]
    return (counted.denominator or 0) < floor


def check_review_tables(build: Build, claims: Claims) -> None:
    """The value, interval and reason in each row of a review table are those of the report."""
    figures = {figure["id"]: figure for figure in build.document("report.json")["figures"]}
    for table, name_of in _SHOWN.items():
        if f"data/{table}.parquet" not in build.table_paths():
            continue
        for row in build.rows(table):
            name = name_of(row)
            if name is None:
                continue
            figure = figures.get(name)
            if figure is None:
                claims.fail(f"summary: {table}: {name}", "a figure of the report", "none")
                continue
            claims.equal(f"summary: {table}: {name}", _told(figure, row), canonical(_cells(row)))


def _told(figure: Row, row: Row) -> str:
    if "score" in row:
        return canonical([figure["value"]])
    interval = figure["interval"] or {"low": None, "high": None}
    reason = figure["withheld"]["reason"] if figure["withheld"] else None
    return canonical([figure["value"], interval["low"], interval["high"], reason])


def _cells(row: Row) -> list[Any]:
    return [row["score"]] if "score" in row else [row[name] for name in ("value", "low", "high", "withheld")]


def _state_name(row: Row) -> str:
    group = row["by"] if row["by"] == "all" else f"{row['by']}/{row['name']}"
    return f"reviews.evidence_states:{group}/{row['state']}"


_SHOWN: dict[str, Callable[[Row], str | None]] = {
    "review_coverage": lambda row: f"reviews.coverage:{row['pass']}/{row['coverage']}",
    "review_evidence_states": _state_name,
    "review_severity": lambda row: f"reviews.severity:{row['pass']}/{row['severity']}/share",
    "review_first_pass": lambda row: (
        None if row["outcome"] in _UNDECIDABLE else f"reviews.first_pass:{row['outcome']}/share"
    ),
    "review_confidence": lambda row: f"reviews.reliability:{row['curve']}/{_bin(row)}/held",
    "review_fixes": lambda row: f"reviews.fix_plans:{_fixes(row)}/merged_share",
    "review_seats": lambda row: f"reviews.seat_calibration:{_seat(row)}/score",
}
