"""The whole of `evenhand outcomes`: events in, rows out, and a summary for people.

Belongs here: the order of the steps and the words of the summary. Does not: any rule.

Source: interface contract, `evenhand outcomes`.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.outcomes.context import Context
from evenhand.outcomes.derivation import derive
from evenhand.outcomes.reading import EventCounts, read_events
from evenhand.outcomes.records import Records
from evenhand.outcomes.writing import check_out, is_file, write_file, write_folder
from evenhand.policy import Policy
from evenhand.sources import local_path


@dataclass(frozen=True)
class Derived:
    """What one run found and wrote."""

    counts: EventCounts
    rows: Counter[str]
    """Rows by family."""
    mentions: Counter[str]
    """Uncorroborated mentions by reason."""

    def summary(self) -> str:
        """A few lines for a person."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        counts, events = self.counts, self.counts.events
        yield (
            f"{sum(events.values()):,} pull-request events: {events['opened']:,} opened, {events['merged']:,} closed "
            f"and merged, {events['closed']:,} closed unmerged, {events['reopened']:,} reopened"
        )
        told = [
            f"{name} {counts.classes[name, 'merged']:,} merged, {counts.classes[name, 'closed']:,} closed"
            for name in ("maintainer", "contributor", "unknown")
            if counts.classes[name, "merged"] or counts.classes[name, "closed"]
        ]
        if told:
            yield f"closed by author class: {'; '.join(told)}"
        if counts.passed:
            yield f"passed over: {_listed(counts.passed)}"
        if counts.aside:
            places = ", ".join(place for found in counts.examples.values() for place in found)
            yield f"set aside: {_listed(counts.aside)} (e.g. {places})"
        types = ", ".join(f"{name} {count:,}" for name, count in sorted(self.rows.items()))
        yield f"rows: {types or 'none'}"
        if self.mentions:
            total = sum(self.mentions.values())
            yield f"uncorroborated mentions of a revert, which count nowhere: {total:,} ({_listed(self.mentions)})"


def _listed(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{str(name).replace('_', ' ')} {count:,}" for name, count in sorted(counts.items()))


def derive_outcomes(events: list[Path], source: str | None, out: Path, policy: Policy) -> Derived:
    """Derive rows from events, beside a SOURCE or alone, and write them to OUT.

    Raises SourceError when an input cannot be read, UsageError when OUT would touch one. SOURCE is only read.
    """
    inputs = [*events, *([place] if source and (place := local_path(source)) else [])]
    check_out(out, inputs)
    with tempfile.TemporaryDirectory(prefix="evenhand-") as scratch:
        records = Records(Path(scratch))
        try:
            counts = EventCounts()
            records.add_events(read_events(events, counts, policy))
            if source is not None:
                from evenhand.outcomes.recorded import take_over

                take_over(source, records, policy, Path(scratch))
            records.index()
            context = Context(policy, records, alone=source is None)
            derive(context)
            rows = Counter(context.counts)
            mentions = Counter(reason for _, reason, _ in records.mentions())
            if is_file(out):
                write_file(out, context)
            else:
                write_folder(out, context)
        finally:
            records.close()
    return Derived(counts, rows, mentions)
