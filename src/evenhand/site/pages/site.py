"""What every page builder is given, and what it gives back.

Belongs here: the edition, the page, the navigation, and how a chart is asked for. Does not: any one page (its own
module) or how a page becomes bytes (rendering).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from markupsafe import Markup

from evenhand.computed import Computed
from evenhand.disclosure.suppression import hidden_tables
from evenhand.lake.tables import TABLES
from evenhand.metrics.registry import Context, Metric
from evenhand.policy import Policy
from evenhand.site.charts.drawing import Drawing
from evenhand.site.citation import json_ld
from evenhand.site.facts import BuildFacts, PublishedFile
from evenhand.site.report import all_results


class Edition(StrEnum):
    """For whom the pages are: what a stranger may see, or everything."""

    PUBLIC = "public"
    OPERATOR = "operator"


@dataclass(frozen=True)
class Page:
    """One page: where it goes, the template that draws it, and what the template is given."""

    path: str
    template: str
    title: str
    section: str
    """The navigation entry that it belongs to."""
    content: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""

    @property
    def root(self) -> str:
        """The way from this page to the folder of the build."""
        return "../" * self.path.count("/")


NAVIGATION = (
    ("index", "Overview", "index.html"),
    ("rules", "Rules", "rules.html"),
    ("repositories", "Repositories", "repositories.html"),
    ("trends", "Trends", "trends.html"),
    ("fleet", "Fleet", "fleet.html"),
    ("parity", "Parity", "parity.html"),
    ("automation", "Automation", "automation.html"),
    ("data", "Data", "data.html"),
    ("verify", "Verify", "verify.html"),
    ("methodology", "Methodology", "methodology.html"),
)
"""(key, label, path) of the header, in order."""

LEDGER_NAVIGATION = ("ledger", "Ledger", "ledger.html")
"""Its entry when the export has a ledger."""

REVIEWS_NAVIGATION = ("reviews", "Reviews", "reviews.html")
"""Its entry when the build was given reviews; it stands before the data."""

OPERATOR_NAVIGATION = (
    ("calibration", "Calibration", "calibration.html"),
    ("instances", "Instances", "instances.html"),
    ("backtests", "Backtests", "backtests.html"),
    ("quarantine", "Quarantine", "quarantine.html"),
)
"""What the operator's edition has beside it."""


def navigation(site: "Site") -> tuple[tuple[str, str, str], ...]:
    """The entries of the header."""
    place = next(index for index, entry in enumerate(NAVIGATION) if entry[0] == "data")
    ledger = (LEDGER_NAVIGATION,) if site.computed.ledger else ()
    reviews = (REVIEWS_NAVIGATION,) if site.computed.reviews else ()
    return (*NAVIGATION[:place], *ledger, *reviews, *NAVIGATION[place:])


@dataclass
class Site:
    """One edition of one build, and the charts that its pages asked for."""

    computed: Computed
    facts: BuildFacts
    edition: Edition = Edition.PUBLIC
    _charts: dict[str, Drawing | None] = field(default_factory=dict)

    @property
    def results(self) -> Mapping[str, Any]:
        """Every metric's result by name, those over reviews among them."""
        return all_results(self.computed)

    @property
    def context(self) -> Context:
        """As-of, policy, and what the export provided."""
        return self.computed.context

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.computed.context.policy

    @property
    def operator(self) -> bool:
        """Whether private pages belong to this edition."""
        return self.edition is Edition.OPERATOR

    def publishes(self, metric: Metric) -> bool:
        """Whether a metric's rule belongs to this edition."""
        return self.operator or not metric.operator_only

    def chart(self, name: str, build: Callable[[], Drawing | None]) -> Drawing | None:
        """The chart of a name, made once however many pages show it, and remembered to be written beside them."""
        if name not in self._charts:
            self._charts[name] = build()
        return self._charts[name]

    @property
    def drawings(self) -> list[Drawing]:
        """The charts that pages asked for and that show something."""
        return [drawing for drawing in self._charts.values() if drawing is not None]

    def described(self, *, every_file: bool) -> Markup:
        """The build as a schema.org Dataset, for the head of a page."""
        windows = self.policy.windows
        days = max(windows.signals_days, windows.accuracy_days, windows.fleet_days, windows.automation_days)
        # Everything that could end the element is escaped in it.
        return Markup(json_ld(self.policy.site, self.facts, self.context.as_of, days, every_file=every_file))

    def file(self, path: str) -> PublishedFile | None:
        """A published file, to be linked."""
        return self.facts.file(path)

    @property
    def rows_read(self) -> int:
        """Rows of every declared table of the export whose number may be told."""
        return sum(self.computed.manifest.table(name).rows_read for name in TABLES if name not in self.hidden)

    @property
    def quarantined(self) -> int:
        """Values and rows that could not be read, over all tables and reasons."""
        tables = (self.computed.manifest.table(name) for name in TABLES if name not in self.hidden)
        return sum(sum(table.quarantined.values()) for table in tables)

    @property
    def hidden(self) -> frozenset[str]:
        """Tables whose numbers of rows the public pages do not tell."""
        return frozenset() if self.edition is Edition.OPERATOR else hidden_tables(self.computed.results)

    @property
    def not_provided(self) -> list[str]:
        """Declared tables that the export does not hold."""
        return [name for name in TABLES if not self.computed.manifest.table(name).provided]
