"""Totals: everything the gate has handled, here and in the fleet, and the time it stands for.

Belongs here: the sum of the own and the fleet's part. Does not: any accuracy; the fold moves the volume alone
(8 of 10 auto-actions that stood are 80 %, whether the fleet adds 990 merges or none).

Source: fairness contract, section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.metrics.registry import Context, combination


@dataclass(frozen=True)
class Totals:
    """Pull requests of any age. filtered: reviewed and not merged, of reviewed."""

    handled: Figure
    merged: Figure
    closed: Figure
    in_review: Figure
    reviewed: Figure
    reversed: Figure
    filtered: Figure
    minutes: Figure

    def figures(self) -> NamedFigures:
        """Each by its name."""
        for name in (
            "handled",
            "merged",
            "closed",
            "in_review",
            "reviewed",
            "reversed",
            "filtered",
            "minutes",
        ):
            yield name, getattr(self, name)


@combination(
    title="Totals",
    question="How many pull requests has the gate handled, and how did they end?",
    source=Source.OUTCOMES,
    needs=(
        "outcomes.published_states",
        "outcomes.recorded_states",
        "outcomes.fleet_volume",
        "outcomes.review_minutes",
        "outcomes.decision_accuracy",
    ),
    methodology="Fairness methodology, section 4",
)
def totals(results: Mapping[str, Any], context: Context) -> Totals:
    """Own and fleet part together. Without an allowlist the own part comes from the decision records."""
    named = bool(context.policy.repositories.allow)
    own = results["outcomes.published_states" if named else "outcomes.recorded_states"].total
    fleet = results["outcomes.fleet_volume"]
    accuracy = results["outcomes.decision_accuracy"]
    absent = context.missing("audit_events", "pull_requests") if named else _absent_without_names(own.reviewed, context)
    basis = f"own repositories; fleet {no_fleet}" if (no_fleet := _no_fleet(context)) else "own repositories and fleet"
    merged, closed = own.merged + fleet.merged, own.closed + fleet.closed
    reviewed = merged + closed + own.in_review

    def count(value: int) -> Figure:
        figure = Figure.counted(value, unit=Unit.PULL_REQUEST, source=Source.OUTCOMES, window=None, basis=basis)
        return figure.not_measurable(absent) if absent else figure

    filtered = Figure.proportion(
        reviewed - merged,
        reviewed,
        unit=Unit.PULL_REQUEST,
        source=Source.OUTCOMES,
        window=None,
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        basis=basis,
        nothing="no pull request was reviewed",
    )
    minutes = Figure.statistic(
        _minutes(results, context, named) if reviewed else Fraction(0),
        reviewed,
        scale=Scale.MINUTES,
        unit=Unit.PULL_REQUEST,
        source=Source.OUTCOMES,
        window=None,
        places=0,
        basis=f"recorded minutes, else {context.policy.outcomes.minutes_per_review} a pull request; {basis}",
    )
    undone = Figure.counted(
        accuracy.reversed if named else 0,
        unit=Unit.PULL_REQUEST,
        source=Source.OUTCOMES,
        window=context.window(context.policy.windows.accuracy_days),
        basis="auto-actioned and undone",
    )
    return Totals(
        count(own.reviewed + fleet.handled),
        count(merged),
        count(closed),
        count(own.in_review),
        count(reviewed),
        undone.not_measurable(absent) if absent else undone,
        filtered.not_measurable(absent) if absent else filtered,
        minutes.not_measurable(absent) if absent else minutes,
    )


def _no_fleet(context: Context) -> str:
    """Why the fleet adds nothing; which installations are registered is part of knowing what it adds."""
    absent = context.missing("orb_pr_outcomes|orb_outcome_rollups")
    if not absent and "orb_pr_outcomes" in context.provided:
        absent = context.missing("orb_github_installations")
    return absent


def _absent_without_names(reviewed: int, context: Context) -> str:
    """An empty table of records means nothing handled; an absent one says nothing. States need the pull requests."""
    return context.missing("decision_records") or (context.missing("pull_requests") if reviewed else "")


def _minutes(results: Mapping[str, Any], context: Context, named: bool) -> Fraction:
    flat = context.policy.outcomes.minutes_per_review
    if named:
        own = results["outcomes.review_minutes"].minutes
    else:
        own = Fraction(flat * results["outcomes.recorded_states"].total.reviewed)
    return Fraction(own + flat * results["outcomes.fleet_volume"].handled)
