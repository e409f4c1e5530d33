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
from evenhand.figures import Figure
from evenhand.metrics.registry import Combination, Metric, combinations, registry
from evenhand.timeline import iso

FORMAT = "evenhand-report/1"


def report(computed: Computed) -> dict[str, Any]:
    """The published report: the public metrics' figures, ordered by metric and name."""
    context = computed.context
    return {
        "format": FORMAT,
        "title": context.policy.site.title,
        "source": context.policy.site.source_label,
        "asOf": iso(context.as_of),
        "evenhand": __version__,
        "confidence": {"level": 0.95, "z": context.policy.intervals.z},
        "notProvided": [table for table in computed.manifest.tables if table not in context.provided],
        "metrics": [_described(entry) for entry in public_entries()],
        "figures": [
            {"id": figure_id, "metric": entry.name, "rule": rule_anchor(entry), **figure.as_json()}
            for entry, figure_id, figure in named_figures(computed)
        ],
    }


def entries() -> list[Metric | Combination]:
    """Every metric and combination, in the order in which a reader meets them."""
    return [*combinations().values(), *registry().values()]


def public_entries() -> list[Metric | Combination]:
    """Those that are published."""
    return [entry for entry in entries() if not entry.operator_only]


def named_figures(computed: Computed) -> Iterator[tuple[Metric | Combination, str, Figure]]:
    """(metric, id, figure) of every published figure; an id is `METRIC:NAME`."""
    for entry in public_entries():
        for name, figure in computed.results[entry.name].figures():
            yield entry, f"{entry.name}:{name}", figure


def rule_anchor(entry: Metric | Combination) -> str:
    """Where the methodology page states the rule of a metric."""
    return f"methodology.html#{anchor(entry.name)}"


def anchor(name: str) -> str:
    """The HTML id of a metric's section."""
    return name.replace(".", "-").replace("_", "-")


def _described(entry: Metric | Combination) -> dict[str, Any]:
    described = {
        "name": entry.name,
        "title": entry.title,
        "question": entry.question,
        "source": str(entry.source),
        "methodology": entry.methodology,
    }
    if isinstance(entry, Metric):
        return {**described, "tables": list(entry.tables), "window": entry.window, "sql": entry.sql_file}
    return {**described, "of": list(entry.needs)}


def report_schema() -> dict[str, Any]:
    """The JSON Schema of `report.json`."""
    schema: dict[str, Any] = json.loads(
        files("evenhand.site").joinpath("report.schema.json").read_text(encoding="utf-8")
    )
    return schema
