"""What the terminal shows: headline figures with n and interval, and what an extraction read.

Belongs here: plain-text tables on standard output. Does not: pages, or any figure's computation.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.lake.manifest import LakeManifest
from evenhand.timeline import DAY, parse_instant

_HEADLINES = (
    ("Decision accuracy, own repositories", "outcomes.decision_accuracy:all/accuracy"),
    ("Decision accuracy, fleet", "fleet.instance_signals:pooled/accuracy"),
    ("Coverage, fleet", "fleet.instance_signals:pooled/coverage"),
    ("Gaming patterns caught", "fleet.instance_signals:gaming_caught"),
    ("Decided without a person", "ledger.automation_rate:all/rate"),
    ("Re-evaluated", "ledger.reevaluations:rate"),
    ("Pull requests reviewed", "outcomes.totals:reviewed"),
    ("Minutes of review", "outcomes.totals:minutes"),
)


def headline_table(document: dict[str, Any]) -> str:
    """The headline figures of a report.json, and how many rules have a precision."""
    figures = {figure["id"]: figure for figure in document["figures"]}
    rows = [(title, *_cells(figures[name])) for title, name in _HEADLINES if name in figures]
    precisions = [
        f for name, f in figures.items() if name.startswith("signals.rule_precision:") and name.endswith("/precision")
    ]
    shown = sum(figure["value"] is not None for figure in precisions)
    table = _table(("figure", "value", "95 % interval", "n", "source"), rows)
    return f"{table}\nPrecision is shown for {shown} of {len(precisions)} rules; the others are below the floor.\n"


def figures_table(document: dict[str, Any]) -> str:
    """Every figure of a report.json, one a line."""
    rows = [(visible(figure["id"]), *_cells(figure)) for figure in document["figures"]]
    return _table(("figure", "value", "95 % interval", "n", "source"), rows)


def extraction_table(manifest: LakeManifest) -> str:
    """Rows read, kept and set aside of each table, and the tables that were not provided."""
    rows = []
    for name, table in manifest.tables.items():
        if table.provided:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(table.quarantined.items()))
            rows.append((name, f"{table.rows_read:,}", f"{table.rows_kept:,}", reasons))
    absent = [name for name, table in manifest.tables.items() if not table.provided]
    text = _table(("table", "read", "kept", "quarantined"), rows)
    return text + (f"not provided: {', '.join(absent)}\n" if absent else "")


def track_record_table(record: dict[str, Any]) -> str:
    """Recorded backtests by rule, from the shape of `operator.json`."""
    if not record["totalRuns"]:
        return "No backtest that names its rule is recorded.\n"
    rows: list[tuple[str, ...]] = [("rule", "runs", "regressed", "improved", "unchanged")]
    rows += [
        (visible(rule), *(str(counts[name]) for name in ("total", "regressed", "improved", "unchanged")))
        for rule, counts in record["perRule"].items()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, f"{record['regressedRuns']} of {record['totalRuns']} runs regressed."]) + "\n"


def visible(text: str) -> str:
    """Text from an export with everything that could steer a terminal made visible."""
    return "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in text)


def _cells(figure: dict[str, Any]) -> tuple[str, str, str, str]:
    interval = figure["interval"]
    count = figure["denominator"] if figure["denominator"] is not None else figure["numerator"]
    n = "" if count is None else f"{count:,} {figure['unit']}{'' if count == 1 else 's'}"
    n = ", ".join(part for part in (n, _covers(figure)) if part)
    source = figure["source"]
    if figure["withheld"]:
        return _reason(figure["withheld"]), "", n, source
    value = f"{figure['value']:,}" + (" %" if figure["scale"] == "percent" else "")
    return value, f"{interval['low']}-{interval['high']}" if interval else "", n, source


def _covers(figure: dict[str, Any]) -> str:
    if "coveredDays" not in figure:
        return ""
    start, end = (parse_instant(figure["window"][name]) or 0 for name in ("start", "end"))
    return f"covers {figure['coveredDays']} of {round((end - start) / DAY)} days"


def _reason(withheld: dict[str, Any]) -> str:
    if withheld["reason"] == "below_floor":
        return f"below the floor of {withheld['floor']}"
    words = withheld["reason"].replace("_", " ")
    return f"{words}: {withheld['detail']}" if withheld.get("detail") else words


_WIDEST_CELL = 64


def _cut(cell: str) -> str:
    return cell if len(cell) <= _WIDEST_CELL else cell[: _WIDEST_CELL - 1] + "…"


def _table(head: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> str:
    rows = [tuple(_cut(cell) for cell in row) for row in body]
    widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [head, *rows]
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"
