"""The real pipeline in one call: an export to what is published of it, in this process."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.computed import Computed, compute
from evenhand.lake.writing import write_lake
from evenhand.policy import Policy
from evenhand.site import api
from evenhand.site.api_files import operator_document
from evenhand.site.report import report
from evenhand.sources import open_source
from evenhand.timeline import instant_argument


@dataclass(frozen=True)
class Published:
    """Everything that one export publishes, each part computed when it is asked for."""

    computed: Computed

    @cached_property
    def stats(self) -> dict[str, Any]:
        """stats.json."""
        return api.stats(self.computed.results, self.computed.context)

    @cached_property
    def operator(self) -> dict[str, Any]:
        """operator.json."""
        return operator_document(self.computed)

    @cached_property
    def corpora(self) -> dict[str, dict[str, Any]]:
        """Each rule's JSON corpus, by rule."""
        return {corpus.rule_id: json.loads(corpus.json()) for corpus in self.computed.corpora}

    @property
    def records(self) -> list[dict[str, Any]]:
        """The eval score records."""
        return self.computed.records

    @cached_property
    def parts(self) -> dict[str, Any]:
        """The figures by part, as a golden `expected.json` holds them."""
        return {
            **self.stats,
            "stats": self.stats,
            **self.operator,
            "evalCorpus": self.corpora,
            "evalScoreRecords": self.records,
        }

    @cached_property
    def report(self) -> dict[str, Any]:
        """report.json."""
        return report(self.computed)

    def figure(self, name: str) -> dict[str, Any]:
        """One figure of report.json by its id."""
        [found] = [figure for figure in self.report["figures"] if figure["id"] == name]
        return found


def publish(export: Path, as_of: str, repos: Iterable[str] = (), policy: Policy | None = None) -> Published:
    """Extract, compute and shape; the lake stands beside the export."""
    lake = export.with_name(export.name + ".lake")
    with open_source(str(export)) as source:
        write_lake(source, lake, workers=1)
    chosen = (policy or Policy()).allowing(list(repos))
    return Published(compute(lake, chosen, instant_argument(as_of), for_operator=True))
