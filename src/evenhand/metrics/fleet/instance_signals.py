"""Fleet accuracy: what registered instances' signals say about the gate, pooled and as medians.

Belongs here: the fold from per-instance counts to pooled figures, medians, outliers and the anti-gaming check.
Does not: cycle times, guarantees, the weekly trend (their own modules). Every per-instance number is the operator's.

Source: fairness contract, section 6, D34.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric, sums
from evenhand.policy import exact
from evenhand.stats import median
from evenhand.timeline import Window

TWO_INSTANCES = "with two instances either one could subtract itself and learn the other's"


@dataclass(frozen=True)
class Instance:
    """Counts of one instance; its rates are exact, and None where nothing was decided."""

    instance_id: str
    registered: bool
    decided: int
    flagged: int
    merge_verdicts: int
    merge_confirmed: int
    close_verdicts: int
    close_confirmed: int
    holds: int
    policy_actions: int

    @property
    def merge_precision(self) -> Fraction | None:
        """Confirmed of merge verdicts."""
        return _share(self.merge_confirmed, self.merge_verdicts)

    @property
    def close_precision(self) -> Fraction | None:
        """Confirmed of close verdicts."""
        return _share(self.close_confirmed, self.close_verdicts)

    @property
    def false_positive_rate(self) -> Fraction | None:
        """Merge verdicts that were not confirmed."""
        return _share(self.merge_verdicts - self.merge_confirmed, self.merge_verdicts)

    @property
    def false_negative_rate(self) -> Fraction | None:
        """Close verdicts that were not confirmed."""
        return _share(self.close_verdicts - self.close_confirmed, self.close_verdicts)

    @property
    def reversal_rate(self) -> Fraction | None:
        """Flagged of all signals."""
        return _share(self.flagged, self.decided)

    @property
    def accuracy(self) -> Fraction | None:
        """Confirmed of merge and close verdicts."""
        return _share(self.merge_confirmed + self.close_confirmed, self.merge_verdicts + self.close_verdicts)


_COUNTS = tuple(field.name for field in fields(Instance))[2:]


@dataclass(frozen=True)
class Outlier:
    """An eligible instance whose merge precision lies far from the median."""

    instance_id: str
    value: Fraction
    fleet_median: Fraction


@dataclass(frozen=True)
class GamingFlag:
    """An eligible instance that decides much, is nearly always confirmed and hardly ever reversed."""

    instance: Instance
    median_decided: Fraction
    median_merge_precision: Fraction
    median_reversal_rate: Fraction


@dataclass(frozen=True)
class FleetAccuracy:
    """Pooled figures, medians of eligible instances, and the checks; the rows of instances are private."""

    instances: tuple[Instance, ...]
    eligible: tuple[Instance, ...]
    basis: str
    fleet_framing: bool
    privacy_withheld: bool
    accuracy: Figure
    merge_precision: Figure
    close_precision: Figure
    coverage: Figure
    decided: Figure
    medians: dict[str, Figure]
    outliers: tuple[Outlier, ...]
    gaming_ran: bool
    gaming_flags: tuple[GamingFlag, ...]
    gaming_caught: Figure

    def pooled(self, name: str) -> int:
        """The sum of one count over eligible instances."""
        return sum(getattr(instance, name) for instance in self.eligible)

    def figures(self) -> NamedFigures:
        """Pooled figures by name, and the number of gaming patterns caught."""
        yield "pooled/accuracy", self.accuracy
        yield "pooled/merge_precision", self.merge_precision
        yield "pooled/close_precision", self.close_precision
        yield "pooled/coverage", self.coverage
        yield "pooled/decided", self.decided
        yield "gaming_caught", self.gaming_caught

    def private_figures(self) -> NamedFigures:
        """`median/NAME`: of an odd number of instances a median is one instance's own rate."""
        for name, figure in self.medians.items():
            yield f"median/{name}", figure


@metric(
    title="Fleet accuracy",
    question="Across instances, how often was a verdict confirmed by what happened?",
    source=Source.FLEET,
    tables=("orb_signals|orb_signal_rollups", "orb_instances"),
    window="fleet_days",
    methodology="Fairness methodology, section 6",
    floors=("instance_signals",),
)
def instance_signals(cells: Cells, context: Context) -> FleetAccuracy:
    """cells: instance_id, registered, decided, flagged, *_verdicts, *_confirmed, holds, policy_actions."""
    instances = _instances(cells)
    floor = context.policy.floors.instance_signals
    eligible = tuple(row for row in instances if row.registered and row.decided >= floor)
    fleet_framing = len(eligible) >= context.policy.fleet.framing_instances
    basis = "fleet" if fleet_framing else "single_instance_self_report"
    withheld = len(eligible) == context.policy.fleet.withheld_instances
    pooled = _Pool(eligible, basis, withheld, context)
    medians = _medians(eligible, context)
    gaming_ran = len(eligible) >= context.policy.fleet.gaming_instances and medians["merge_precision"].exact is not None
    flags = _gaming_flags(eligible, context) if gaming_ran else ()
    return FleetAccuracy(
        instances,
        eligible,
        basis,
        fleet_framing,
        withheld,
        pooled.share(
            lambda row: row.merge_confirmed + row.close_confirmed,
            lambda row: row.merge_verdicts + row.close_verdicts,
        ),
        pooled.share(lambda row: row.merge_confirmed, lambda row: row.merge_verdicts),
        pooled.share(lambda row: row.close_confirmed, lambda row: row.close_verdicts),
        pooled.share(
            lambda row: row.merge_verdicts + row.close_verdicts,
            lambda row: row.merge_verdicts + row.close_verdicts + row.holds,
        ),
        pooled.count(lambda row: row.merge_verdicts + row.close_verdicts),
        medians,
        _outliers(eligible, context),
        gaming_ran,
        flags,
        _gaming_caught(len(flags), gaming_ran, len(eligible), context),
    )


def _instances(cells: Cells) -> tuple[Instance, ...]:
    """One an id, ordered by it, with the counts of its cells summed."""
    registered = {cell["instance_id"]: cell["registered"] for cell in cells}
    counts = sums(cells, "instance_id", *_COUNTS)
    return tuple(Instance(name, registered[name], *counts[name]) for name in sorted(counts))


def _share(numerator: int, denominator: int) -> Fraction | None:
    return Fraction(numerator, denominator) if denominator else None


@dataclass(frozen=True)
class _Pool:
    """Sums over eligible instances, with counts and intervals withheld at exactly two."""

    eligible: tuple[Instance, ...]
    basis: str
    withheld: bool
    context: Context

    def _sum(self, count: Callable[[Instance], int]) -> int:
        return sum(count(row) for row in self.eligible)

    def share(self, numerator: Callable[[Instance], int], denominator: Callable[[Instance], int]) -> Figure:
        figure = Figure.proportion(
            self._sum(numerator),
            self._sum(denominator),
            unit=Unit.EVALUATION,
            source=Source.FLEET,
            window=_window(self.context),
            z=self.context.policy.intervals.z,
            places=self.context.policy.rounding.percent_places,
            basis=self.basis,
            nothing=_nothing(self.context, len(self.eligible)) if not self._sum(denominator) else "",
        )
        return figure.without_counts(TWO_INSTANCES) if self.withheld else figure

    def count(self, of: Callable[[Instance], int]) -> Figure:
        figure = Figure.counted(
            self._sum(of),
            unit=Unit.EVALUATION,
            source=Source.FLEET,
            window=_window(self.context),
            basis=self.basis,
        )
        return figure.hidden(TWO_INSTANCES) if self.withheld else figure


def _window(context: Context) -> Window:
    return context.window(context.policy.windows.fleet_days)


def _nothing(context: Context, eligible: int) -> str:
    if eligible:
        return "no verdict was recorded"
    return f"no registered instance has {context.policy.floors.instance_signals} signals"


_MEDIANS: dict[str, Callable[[Instance], Fraction | None]] = {
    "merge_precision": lambda row: row.merge_precision,
    "close_precision": lambda row: row.close_precision,
    "false_positive_rate": lambda row: row.false_positive_rate,
    "reversal_rate": lambda row: row.reversal_rate,
    "accuracy": lambda row: row.accuracy,
}


def _known(eligible: tuple[Instance, ...], rate: Callable[[Instance], Fraction | None]) -> list[Fraction]:
    return [value for row in eligible if (value := rate(row)) is not None]


def _medians(eligible: tuple[Instance, ...], context: Context) -> dict[str, Figure]:
    """Unrounded medians over instances with a value."""
    return {
        name: Figure.statistic(
            median(_known(eligible, rate)),
            len(_known(eligible, rate)),
            scale=Scale.RATIO,
            unit=Unit.INSTANCE,
            source=Source.FLEET,
            window=_window(context),
            places=None,
            basis="median over eligible instances",
            nothing=_nothing(context, len(eligible)),
        )
        for name, rate in _MEDIANS.items()
    }


def _outliers(eligible: tuple[Instance, ...], context: Context) -> tuple[Outlier, ...]:
    middle = median(_known(eligible, lambda row: row.merge_precision))
    if middle is None:
        return ()
    distance = exact(context.policy.fleet.outlier_difference)
    return tuple(
        Outlier(row.instance_id, value, middle)
        for row in eligible
        if (value := row.merge_precision) is not None and abs(value - middle) > distance
    )


def _gaming_flags(eligible: tuple[Instance, ...], context: Context) -> tuple[GamingFlag, ...]:
    fleet = context.policy.fleet
    decided = median([Fraction(row.decided) for row in eligible])
    precision = median(_known(eligible, lambda row: row.merge_precision))
    reversal = median(_known(eligible, lambda row: row.reversal_rate))
    if decided is None or precision is None or reversal is None:
        return ()

    def hardly_reversed(rate: Fraction) -> bool:
        if reversal > 0:
            return rate < exact(fleet.gaming_reversal_share) * reversal
        return rate <= exact(fleet.gaming_reversal_ceiling)

    return tuple(
        GamingFlag(row, decided, precision, reversal)
        for row in eligible
        if row.decided > exact(fleet.gaming_volume_factor) * decided
        and row.merge_precision is not None
        and row.merge_precision - precision > exact(fleet.gaming_precision_difference)
        and row.reversal_rate is not None
        and hardly_reversed(row.reversal_rate)
    )


def _gaming_caught(flags: int, ran: bool, eligible: int, context: Context) -> Figure:
    if ran:
        return Figure.counted(
            flags, unit=Unit.INSTANCE, source=Source.FLEET, window=_window(context), basis="anti-gaming check"
        )
    needed = context.policy.fleet.gaming_instances
    return Figure.statistic(
        None,
        eligible,
        scale=Scale.COUNT,
        unit=Unit.INSTANCE,
        source=Source.FLEET,
        window=_window(context),
        places=0,
        basis="anti-gaming check",
        nothing=f"the check needs {needed} eligible instances with merge verdicts, and there are {eligible}",
    )
