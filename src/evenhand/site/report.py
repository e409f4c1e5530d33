"""`report.json`: every figure of a build with its evidence, in one list, and what each metric is.

Belongs here: the document and its identifiers. Does not: counting, or pages.

Source: interface contract, "The published tree"; design, section 1.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from evenhand import __version__
from evenhand.computed import Computed
from evenhand.evidence.analytics.registry import Statistic, statistics
from evenhand.evidence.analytics.reviewed import Reviewed
from evenhand.figures import Figure
from evenhand.metrics.registry import Combination, Metric, combinations, registry
from evenhand.timeline import iso

FORMAT = "evenhand-report/1"

Entry = Metric | Combination | Statistic


def report(computed: Computed) -> dict[str, Any]:
    """The published report: the public metrics' figures, ordered by metric and name."""
    context = computed.context
    reviews = computed.reviews
    return {
        "format": FORMAT,
        "title": context.policy.site.title,
        "source": context.policy.site.source_label,
        "asOf": iso(context.as_of),
        "evenhand": __version__,
        "confidence": {"level": 0.95, "z": context.policy.intervals.z},
        "notProvided": [table for table in computed.manifest.tables if table not in context.provided],
        **({"reviews": review_counts(reviews)} if reviews else {}),
        "metrics": [_described(entry) for entry in public_entries(with_reviews=reviews is not None)],
        "figures": [
            {"id": figure_id, "metric": entry.name, "rule": rule_anchor(entry), **figure.as_json()}
            for entry, figure_id, figure in named_figures(computed)
        ],
    }


def entries(*, with_reviews: bool = False) -> list[Entry]:
    """Every metric and combination, in the order in which a reader meets them; then the statistics over reviews."""
    over_reviews = statistics().values() if with_reviews else ()
    return [*combinations().values(), *registry().values(), *over_reviews]


def public_entries(*, with_reviews: bool = False) -> list[Entry]:
    """Those that are published."""
    return [entry for entry in entries(with_reviews=with_reviews) if not entry.operator_only]


def all_results(computed: Computed) -> dict[str, Any]:
    """Every result by name, those over reviews among them."""
    return {**computed.results, **(computed.reviews.results if computed.reviews else {})}


def named_figures(computed: Computed) -> Iterator[tuple[Entry, str, Figure]]:
    """(metric, id, figure) of every published figure; an id is `METRIC:NAME`."""
    results = all_results(computed)
    for entry in public_entries(with_reviews=computed.reviews is not None):
        for name, figure in results[entry.name].figures():
            yield entry, f"{entry.name}:{name}", figure


def review_counts(reviews: Reviewed) -> dict[str, Any]:
    """What was read of a review export and where in time it stands. Which records are bad is the operator's to know."""
    return {
        "inputs": {one.kind: {"records": one.records, "bad": one.bad} for one in reviews.inputs},
        "inWindow": reviews.within,
        "beforeWindow": reviews.earlier,
        "afterAsOf": reviews.later,
        "undated": reviews.undated,
        "undatedThatDidNotRun": reviews.undated_unrun,
    }


def rule_anchor(entry: Entry) -> str:
    """Where the methodology page states the rule of a metric."""
    return f"methodology.html#{anchor(entry.name)}"


def anchor(name: str) -> str:
    """The HTML id of a metric's section."""
    return name.replace(".", "-").replace("_", "-")


def _described(entry: Entry) -> dict[str, Any]:
    described = {
        "name": entry.name,
        "title": entry.title,
        "question": entry.question,
        "source": str(entry.source),
        "methodology": entry.methodology,
    }
    if isinstance(entry, Metric):
        return {**described, "tables": list(entry.tables), "window": entry.window, "sql": entry.sql_file}
    if isinstance(entry, Statistic):
        return {**described, "window": entry.window or "any age", "code": entry.file}
    return {**described, "of": list(entry.needs)}


def report_schema(*, with_reviews: bool = False) -> dict[str, Any]:
    """The JSON Schema of `report.json`; with the words that only figures over reviews use, when there are such."""
    schema = _read_schema("report.schema.json")
    if with_reviews:
        more = _read_schema("report.reviews.schema.json")
        metric, figure = (schema["$defs"][name]["properties"] for name in ("metric", "figure"))
        schema["properties"]["reviews"] = more["reviews"]
        metric["code"] = more["code"]
        for properties, name in ((metric, "source"), (figure, "source"), (figure, "scale"), (figure, "unit")):
            properties[name]["enum"] += more[name]
    return schema


def _read_schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(files("evenhand.site").joinpath(name).read_text(encoding="utf-8"))
    return schema
