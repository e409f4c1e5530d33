"""The analyst's door: a lake as typed Polars frames, and its figures as frames.

Belongs here: what a notebook opens. Does not: any rule; figures come from the registry that a build walks.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.computed import Computed, compute, context_of, open_engine
from evenhand.errors import UsageError
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.tables import TABLES, Kind
from evenhand.metrics.registry import registry
from evenhand.policy import Policy, load_policy
from evenhand.timeline import instant_argument

_POLARS = {
    Kind.TEXT: pl.String,
    Kind.DECIMAL: pl.String,
    Kind.INSTANT: pl.Int64,
    Kind.INTEGER: pl.Int64,
    Kind.DAY: pl.Date,
    Kind.FLAG: pl.Boolean,
    Kind.DOUBLE: pl.Float64,
}


@dataclass(frozen=True)
class Lake:
    """A finished lake, opened for reading."""

    directory: Path
    manifest: LakeManifest
    policy: Policy

    @property
    def tables(self) -> tuple[str, ...]:
        """The declared tables that the export provided."""
        return tuple(name for name in TABLES if self.manifest.table(name).provided)

    def frame(self, table: str) -> pl.DataFrame:
        """One table; instants are UTC datetimes and lose their `_us` (`ts_us` becomes `at`).

        Raises UsageError for a table that is not declared.
        """
        if table not in TABLES:
            raise UsageError(f"there is no table {table!r}; declared are {', '.join(TABLES)}")
        declared = TABLES[table]
        files = table_files(self.directory, self.manifest, table)
        schema = {column.name: _POLARS[column.kind] for column in declared.columns}
        frame = pl.read_parquet(files).select(list(schema)) if files else pl.DataFrame(schema=schema)
        instants = [column.name for column in declared.columns if column.kind is Kind.INSTANT]
        return frame.with_columns(
            pl.from_epoch(name, time_unit="us").dt.replace_time_zone("UTC") for name in instants
        ).rename({name: "at" if name == "ts_us" else name.removesuffix("_us") + "_at" for name in instants})

    def dictionary(self) -> pl.DataFrame:
        """Every column of every table: type, unit, meaning, privacy."""
        return pl.DataFrame(
            [
                {
                    "table": table.name,
                    "column": column.name,
                    "type": str(column.kind),
                    "unit": column.unit,
                    "privacy": str(column.privacy),
                    "meaning": column.meaning,
                }
                for table in TABLES.values()
                for column in table.columns
            ]
        )

    def figures(self, as_of: str) -> pl.DataFrame:
        """Every published figure with its evidence, one row each; columns as in data/figures.csv."""
        return self.published(as_of)["figures"]

    def published(self, as_of: str) -> dict[str, pl.DataFrame]:
        """The published tables by name, as `data/` of a build holds them."""
        from evenhand.site.datasets import datasets

        computed = self.computed(as_of)
        return {dataset.name: _frame(dataset.rows) for dataset in datasets(computed)}

    def cases(self, as_of: str) -> pl.DataFrame:
        """Every labelled case of every rule: rule_id, fired_day, decided_day, outcome, label, confidence."""
        cases = self.computed(as_of).cases
        return _frame(cases)

    def computed(self, as_of: str) -> Computed:
        """Typed results, corpora and records for one as-of."""
        return compute(self.directory, self.policy, instant_argument(as_of))

    def count(self, metric: str, as_of: str) -> pl.DataFrame:
        """The cells that a metric's SQL counts: small rows of names and integers."""
        context = context_of(self.manifest, self.policy, instant_argument(as_of))
        entry = registry()[metric]
        with open_engine(self.directory, self.manifest, self.policy) as engine:
            return _frame(engine.arrow(entry.sql, entry.parameters(context)))


def _frame(table: Any) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def open_lake(directory: str | Path, policy: str | Path | Policy | None = None, repos: list[str] | None = None) -> Lake:
    """Opens the lake in a folder, with the policy of a file or the defaults.

    Raises LakeError when there is no complete lake there.
    """
    chosen = policy if isinstance(policy, Policy) else load_policy(Path(policy) if policy else None)
    if repos is not None:
        chosen = chosen.allowing(repos)
    path = Path(directory)
    return Lake(path, open_lake_manifest(path), chosen)
