"""The one resource: which export is built into which report, and the computation that its assets share.

Belongs here: configuration, and work that must happen once a run. Does not: the work itself (evenhand).
"""

from pathlib import Path

import dagster as dg
from pydantic import PrivateAttr

from evenhand.computed import Computation
from evenhand.evidence.analytics.reviewed import Reviewing
from evenhand.lake.tables import TABLES, Table
from evenhand.metrics.ledger.anchors import Key, read_keys
from evenhand.policy import Policy, load_policy
from evenhand.sources import open_source
from evenhand.sources.base import Source
from evenhand.timeline import instant_argument


class Build(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What one run builds. The computation is opened when first asked for, and closed with the run."""

    source: str
    as_of: str
    policy_file: str = ""
    repos: str = ""
    lake: str = "data/lake"
    out: str = "reports"
    operator: str = ""
    restate: str = ""
    anchor_keys: str = ""
    reviews: str = ""
    seats: str = ""

    _computation: Computation | None = PrivateAttr(default=None)
    _counted: dict[str, int] | None = PrivateAttr(default=None)
    _reviewing: Reviewing | None = PrivateAttr(default=None)

    def policy(self) -> Policy:
        """The policy in force, with the run's allowlist when it gives one."""
        policy = load_policy(Path(self.policy_file) if self.policy_file else None)
        return policy.allowing(self.repos.split(",")) if self.repos else policy

    def public_keys(self) -> dict[str, Key]:
        """The public keys of the ledger's anchors."""
        return read_keys(Path(self.anchor_keys)) if self.anchor_keys else {}

    def moment(self) -> int:
        """As-of in microseconds."""
        return instant_argument(self.as_of)

    def computation(self) -> Computation:
        """The computation over the lake as it stands now, shared by the assets of a run."""
        if self._computation is None:
            self._computation = Computation(Path(self.lake), self.policy(), self.moment())
        return self._computation

    def reviewing(self) -> Reviewing | None:
        """The reviews being assessed, shared by the assets of a run; None when the run was given none."""
        if not self.reviews:
            return None
        if self._reviewing is None:
            seats = Path(self.seats) if self.seats else None
            self._reviewing = Reviewing(Path(self.reviews), seats, self.policy(), self.moment())
        return self._reviewing

    def rows_in_the_source(self) -> dict[str, int] | None:
        """Rows of each table of the export, counted once a run; None of a live database, which goes on meanwhile."""
        if self._counted is None:
            with open_source(self.source, self.policy()) as opened:
                if opened.kind == "postgresql":
                    return None
                self._counted = {name: _rows(opened, TABLES[name]) for name in opened.tables()}
        return self._counted

    def forget(self) -> None:
        """Closes the computation; the next asset opens the lake anew."""
        if self._computation is not None:
            self._computation.close()
            self._computation = None

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """Ends with the run."""
        self.forget()
        self._reviewing = None
        self._counted = None


def _rows(source: Source, table: Table) -> int:
    batches = (batch for part in source.parts(table) for batch in source.batches(table, part))
    return sum(batch.rows + len(batch.unreadable) for batch in batches)
