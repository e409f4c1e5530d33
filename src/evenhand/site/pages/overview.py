"""The overview: the headline figures, what changed since the build before, the last weeks, and the rules best known.

Belongs here: what a reader meets first. Does not: anything that is not shown in full on a page of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.figures import Figure
from evenhand.site.pages import trends
from evenhand.site.pages.changes import changes
from evenhand.site.pages.rules import rule_rows
from evenhand.site.pages.series import by_volume
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import FigureView, counted, number, view

SHOWN_RULES = 12
"""Rules in the overview's table; the page of rules has all."""


@dataclass(frozen=True)
class Card:
    """A headline figure: what it is, its reading, one sentence, and where it comes from."""

    title: str
    figure: FigureView
    sentence: str
    evidence: tuple[str, ...]
    link: str


def pages(site: Site) -> Iterator[Page]:
    """`index.html`."""
    rules = site.results["signals.rule_precision"].rules
    rows = rule_rows(site)
    shown = [rows[rule.rule_id] for rule in by_volume(rules)][:SHOWN_RULES]
    yield Page(
        "index.html",
        "overview.html",
        site.policy.site.title,
        "index",
        {
            "cards": cards(site),
            "changes": changes(site),
            "weeks": trends.week_rows(site),
            "chart": trends.weekly_drawing(site),
            "rules": shown,
            "all_rules": len(rules),
            "below_floor": sum(rule.precision.withheld is not None for rule in rules),
            "has_score_gate": any(row.score_gate for row in shown),
            "window": view(rules[0].precision).window if rules else "",
            "floor": site.policy.floors.rule_precision,
        },
        "How often the decisions of an automated review gate stood, each number with its interval and its count.",
    )


def cards(site: Site) -> list[Card]:
    """The headline figures in the order of importance."""
    results = site.results
    accuracy, fleet = results["outcomes.decision_accuracy"], results["fleet.instance_signals"]
    totals, automation = results["outcomes.totals"], results["ledger.automation_rate"]
    return [
        _card(
            "Decision accuracy",
            accuracy.accuracy,
            _accuracy_sentence(accuracy.accuracy),
            counted(len(accuracy.repositories), "repository", "repositories") if accuracy.repositories else "",
            "repositories.html",
        ),
        _card(
            "Fleet accuracy",
            fleet.accuracy,
            _fleet_sentence(fleet.accuracy),
            "" if site.context.missing("orb_instances") else f"{counted(len(fleet.eligible), 'eligible instance')}",
            "fleet.html",
        ),
        _card(
            "Decided without a person",
            automation.rate,
            _automation_sentence(automation.rate),
            automation.rate.basis if automation.rate.exact is not None and automation.rate.basis != "full" else "",
            "automation.html",
        ),
        _card(
            "Gaming patterns caught",
            fleet.gaming_caught,
            "Instances that decide much, are nearly always confirmed and hardly ever reversed, compared "
            "with the others."
            if fleet.gaming_caught.exact is not None
            else "The check compares instances with each other, so it needs several of them.",
            f"among {counted(len(fleet.eligible), 'eligible instance')}" if fleet.gaming_ran else "",
            "fleet.html",
        ),
        _card(
            "Pull requests reviewed",
            totals.reviewed,
            _volume_sentence(site),
            totals.reviewed.basis,
            "repositories.html",
        ),
        _card(
            "Minutes of review",
            totals.minutes,
            f"What those reviews stand for in a person’s time: the recorded minutes, else "
            f"{site.policy.outcomes.minutes_per_review} a pull request. An estimate, without an interval.",
            "",
            "repositories.html",
        ),
    ]


def _card(title: str, figure: Figure, sentence: str, basis: str, link: str) -> Card:
    shown = view(figure)
    parts = (basis, shown.window, shown.method, f"source: {shown.source}")
    return Card(
        title,
        shown,
        sentence if shown.shown else shown.explanation or sentence,
        tuple(part for part in parts if part),
        link,
    )


def _of(figure: Figure) -> str:
    return number(figure.denominator) if figure.denominator is not None else ""


def _accuracy_sentence(figure: Figure) -> str:
    return f"of {_of(figure)} pull requests that the gate merged or closed by itself were not undone by a person."


def _fleet_sentence(figure: Figure) -> str:
    if figure.denominator is None:
        return "of merge and close verdicts were confirmed by what happened next."
    return f"of {_of(figure)} merge and close verdicts were confirmed by what happened next."


def _automation_sentence(figure: Figure) -> str:
    return f"of {_of(figure)} decided pull requests; holds and re-runs on request count as manual."


def _volume_sentence(site: Site) -> str:
    totals, recent = site.results["outcomes.totals"], site.results["outcomes.recent_volume"]
    states = ", ".join(
        f"{number(int(figure.exact))} {word}"
        for figure, word in (
            (totals.merged, "merged"),
            (totals.closed, "closed"),
            (totals.in_review, "in review"),
        )
        if figure.exact is not None
    )
    if recent.reviewed.exact is None or not site.policy.repositories.allow:
        return f"{states}."
    days = site.policy.windows.volume_days
    return f"{states}. In the last {days} days {number(int(recent.reviewed.exact))} were newly reviewed."
