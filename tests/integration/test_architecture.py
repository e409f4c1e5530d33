"""The house keeps its shape: one direction of imports, portable SQL beside every metric, rooms that do not mix."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

import evenhand
from evenhand.evidence.analytics.registry import statistics
from evenhand.figures import Source
from evenhand.lake.tables import TABLES
from evenhand.metrics.registry import combinations, registry
from evenhand.policy import Reviews

ROOT = Path(evenhand.__file__).parent

# Each layer may import itself and those above it. The longest name that fits a module decides its layer.
LAYERS = (
    ("errors", "stats", "timeline", "canonical", "site.text"),  # how untrusted text is shown needs no site
    ("figures", "policy"),
    # Declarations and leaves that sources need too.
    ("lake.tables", "lake.strict_json", "lake.text_buffers", "lake.sparing", "duck"),
    ("sources",),
    ("lake",),
    ("outcomes", "backfill"),
    ("metrics", "engines"),
    ("corpus", "rows"),
    ("backtest",),
    ("evidence",),
    ("disclosure.suppression",),
    ("computed",),
    ("disclosure",),
    ("site",),
    ("build", "analyst"),
    ("verify",),
    ("serve",),
    ("commands",),
    ("cli",),
)
HEAVY = ("polars", "duckdb", "dagster", "altair", "statsmodels", "pyarrow", "pandas", "vl_convert")
UNPORTABLE = (
    r"percentile_cont",
    r"date_diff",
    r"\bepoch",
    r"quantile_cont",
    r"\basof\b",
    r"try_cast",
    r"\bqualify\b",
    r"//",
    r"::",
    r"->",
    r"date_trunc",
    r"\bjson",
    r"strptime",
    r"\bnow\s*\(",
    r"current_date",
    r"current_timestamp",
    r"random\s*\(",
    r"\bfloor\s*\(",
    r"\bavg\s*\(",
)


def modules() -> list[tuple[str, Path]]:
    """Every module of the package by its name without `evenhand.`."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")
        found.append((name, path))
    return found


def layer_of(module: str) -> int | None:
    """The layer of a module; None for what stands beside the rooms (the package itself, the sample)."""
    fits = [
        (len(prefix), number)
        for number, layer in enumerate(LAYERS)
        for prefix in layer
        if module == prefix or module.startswith(prefix + ".")
    ]
    return max(fits)[1] if fits else None


def imports(path: Path) -> Iterator[str]:
    """The modules of this package that a module imports anywhere, without `evenhand.`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("evenhand."):
            yield node.module.removeprefix("evenhand.")
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("evenhand.") for alias in node.names if alias.name.startswith("evenhand.")
            )


@pytest.mark.parametrize(("module", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_module_imports_a_later_room(module: str, path: Path) -> None:
    own = layer_of(module)
    if own is None:
        return
    later = [name for name in imports(path) if (layer := layer_of(name)) is not None and layer > own]
    assert later == []


def test_the_verifier_shares_nothing_with_what_it_checks() -> None:
    shared = [name for module, path in modules() if module.split(".")[0] == "verify" for name in imports(path)]
    assert {name.split(".")[0] for name in shared} == {"verify"}


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys, evenhand, evenhand.cli\n"
        "try:\n    evenhand.cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def metric_sql() -> list[tuple[str, str]]:
    """Every statement that counts or pairs, without its comments."""
    statements = [(path.relative_to(ROOT).as_posix(), path) for path in sorted(ROOT.rglob("*.sql"))]
    return [(name, re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))) for name, path in statements]


@pytest.mark.parametrize(("name", "sql"), metric_sql(), ids=[name for name, _ in metric_sql()])
def test_sql_stays_in_the_portable_subset(name: str, sql: str) -> None:
    without_texts = re.sub(r"'[^']*'", "''", sql)
    assert [form for form in UNPORTABLE if re.search(form, without_texts, re.IGNORECASE)] == []


@pytest.mark.parametrize("name", registry())
def test_every_metric_has_its_sql_beside_it_with_a_comment_that_says_why(name: str) -> None:
    entry = registry()[name]
    beside = ROOT / "metrics" / entry.sql_file
    assert beside.read_text(encoding="utf-8") == entry.sql
    assert entry.sql.startswith("-- ")
    assert beside.with_suffix(".py").is_file()


@pytest.mark.parametrize("name", [*registry(), *combinations()])
def test_every_metric_says_what_belongs_in_it_what_does_not_and_where_its_rule_comes_from(name: str) -> None:
    told = import_module(f"evenhand.metrics.{name}").__doc__ or ""
    assert "Belongs here:" in told
    assert "Does not:" in told
    assert "Source: fairness contract" in told


ALLOWED_NUMBERS = {0, 1, -1, 100}
"""Nothing, one, the last, and the hundred of a percentage; everything else is a decision and stands in the policy."""


@pytest.mark.parametrize("name", [*registry(), *combinations()])
def test_no_metric_decides_with_a_number_of_its_own(name: str) -> None:
    path = ROOT / "metrics" / f"{name.replace('.', '/')}.py"
    numbers = [
        node.value
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    ]
    assert [number for number in numbers if number not in ALLOWED_NUMBERS] == []


@pytest.mark.parametrize(
    ("name", "sql"),
    [(name, sql) for name, sql in metric_sql() if name.startswith(("metrics", "corpus"))],
    ids=[name for name, _ in metric_sql() if name.startswith(("metrics", "corpus"))],
)
def test_no_query_decides_with_a_number_of_its_own(name: str, sql: str) -> None:
    percentiles = {"50", "95", "100"} if name.endswith("cycle_times.sql") else set()
    # CHR(9) is a tab: a character, not a number.
    bare = re.sub(r"CHR\(\d+\)|'[^']*'|\$\w+|\b[a-z_]\w*", " ", sql, flags=re.IGNORECASE)
    assert set(re.findall(r"\d+(?:\.\d+)?", bare)) - {"0", "1"} - percentiles == set()


@pytest.mark.parametrize("name", statistics())
def test_every_statistic_over_reviews_keeps_to_the_rules_of_a_metric(name: str) -> None:
    entry = statistics()[name]
    told = " ".join((import_module(entry.fold.__module__).__doc__ or "").split())
    assert [part for part in ("Belongs here:", "Does not:", "Source: What a review means") if part not in told] == []
    code = ast.parse((ROOT / entry.file).read_text(encoding="utf-8"))
    numbers = {
        node.value
        for function in ast.walk(code)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    }
    assert numbers <= ALLOWED_NUMBERS
    assert entry.counting.startswith("def count(")


def test_every_floor_of_reviews_is_that_of_some_statistic() -> None:
    named = {name for entry in statistics().values() for name in entry.floors}
    assert named == {entry.name for entry in fields(Reviews) if entry.name.endswith("_floor")}


ROOMS = {
    Source.SIGNALS: {"audit_events"},
    Source.OUTCOMES: {
        "audit_events",
        "pull_requests",
        "orb_pr_outcomes",
        "orb_outcome_rollups",
        "orb_github_installations",
    },
    Source.LEDGER: {"decision_records"},
    Source.FLEET: {"orb_instances", "orb_signals", "orb_signal_rollups", "orb_risk_control_arms"},
}
JOINS = {"outcomes.recorded_states": {"decision_records"}, "ledger.review_parity": {"pull_requests"}}
"""The one table of another room that a metric may read; its docstring says so."""


@cache
def relations() -> dict[str, set[str]]:
    """What each view of the lake reads, by name."""
    views = files("evenhand.lake").joinpath("views.sql").read_text(encoding="utf-8")
    text = re.sub(r"--[^\n]*", "", views)
    made = re.findall(r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\s+)?(?:VIEW|TABLE)\s+(\w+)\s+AS(.*?)(?:;|\Z)", text, re.S)
    return {name: read_by(body) for name, body in made}


def read_by(sql: str) -> set[str]:
    """The names after FROM and JOIN, without the words of `IS DISTINCT FROM` and of subqueries."""
    return set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", sql))


def tables_of(sql: str) -> set[str]:
    """The declared tables that a query reads, through the views."""
    found: set[str] = set()
    waiting = read_by(sql)
    while waiting:
        name = waiting.pop()
        if name in TABLES:
            found.add(name)
        waiting |= relations().get(name, set())
    return found


@pytest.mark.parametrize("name", registry())
def test_no_metric_reads_another_room_unless_its_docstring_says_so(name: str) -> None:
    entry = registry()[name]
    foreign = tables_of(re.sub(r"--[^\n]*", "", entry.sql)) - ROOMS[entry.source]
    assert foreign <= JOINS.get(name, set())
    if foreign:
        assert "The one join" in (import_module(f"evenhand.metrics.{name}").__doc__ or "")


@pytest.mark.parametrize("name", registry())
def test_a_metric_declares_tables_that_it_reads(name: str) -> None:
    entry = registry()[name]
    declared = {table.split(".")[0] for group in entry.tables for table in group.split("|")}
    assert declared <= tables_of(re.sub(r"--[^\n]*", "", entry.sql))
    assert declared <= set(TABLES)
