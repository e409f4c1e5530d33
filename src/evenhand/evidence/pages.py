"""A page a review, and a list of them: self-contained HTML without scripts.

Belongs here: what the templates are given, and the frame of a page. Does not: what is said (wording.py). The pages
show code, titles and pull requests, so they are the operator's and never published with a report.

Source: What a review means, section 6; the look is the report's own.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evenhand.canonical import sha256_hex
from evenhand.evidence.assessment import Assessed, Assessment
from evenhand.evidence.confidence import percent_of
from evenhand.evidence.headline import SEPARATOR
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.ranges import covered
from evenhand.evidence.reading import BadRecord
from evenhand.evidence.records import DeadCode
from evenhand.evidence.rules import Rules
from evenhand.evidence.wording import (
    DEAD_CODE_TITLE,
    NOT_CLEAN,
    SECTION_TITLES,
    Fact,
    coverage_words,
    gaps,
    impact_words,
    is_incomplete,
    label,
    partial_facts,
    place,
    proof_steps,
    remarks,
    run_facts,
    state_words,
)
from evenhand.evidence.words import trimmed
from evenhand.site.text import isolated, visible
from evenhand.stats import rounded

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 60
_DIGEST_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the compact list. state: None for dead code."""

    section: str
    title: str
    place: str
    told: str = ""
    state: str | None = None
    words: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat on a lens for an account. ahead: in how many reviews it moves ahead of the router's pick."""

    account: str
    seat: str
    lens: str
    decided: int
    score: str
    counts: bool
    ahead: int


def page_files(assessment: Assessment, bad: Sequence[BadRecord], report: str = "") -> Iterator[tuple[str, str]]:
    """The pages of an export by file name: `index.html`, and one a review. report: the page above them, if any."""
    pages = [(file_name(assessed.review.review_id), assessed) for assessed in assessment.reviews]
    entries = [(name, assessed, coverage_words(assessed.review)) for name, assessed in pages]
    yield (
        "index.html",
        _render("index.html", pages=entries, bad=bad, seats=_seat_rows(assessment), up=report, up_title="The report"),
    )
    for name, assessed in pages:
        yield name, review_page(assessed, assessment.rules, "index.html")


def file_name(review_id: str) -> str:
    """A file name that any system takes, and that no other review has."""
    digest = sha256_hex(review_id.encode("utf-8", "surrogatepass"))[:_DIGEST_DIGITS]
    return f"{_UNSAFE.sub('-', review_id)[:_LONGEST_NAME].strip('.-') or 'review'}-{digest}.html"


def review_page(assessed: Assessed, rules: Rules, index: str = "") -> str:
    """The page of one review. index: where the list of pages lies, if anywhere."""
    review = assessed.review
    entries = [
        *(_entry(place_, found, rules) for place_, found in enumerate(assessed.mechanisms)),
        *map(_dead_entry, assessed.dead_code),
    ]
    limit = rules.policy.compact_entries
    return _render(
        "review.html",
        review=review,
        headline=assessed.headline,
        partial=partial_facts(review) if is_incomplete(review) else [],
        gaps=gaps(review),
        not_clean=NOT_CLEAN,
        compact=_grouped(entries[:limit]),
        rest=_grouped(entries[limit:]),
        rest_count=len(entries) - limit,
        told=[_told(place_, found, assessed, rules) for place_, found in enumerate(assessed.mechanisms)],
        plan=assessed.plan,
        ran=run_facts(assessed),
        up=index,
        up_title="All reviews",
    )


def _seat_rows(assessment: Assessment) -> list[SeatRow]:
    """The records of every seat and whether they weigh, by account, seat and lens."""
    scores, rules = assessment.scores, assessment.rules
    ahead = Counter(
        (assessed.review.account, found.seat, found.lens) for assessed in assessment.reviews for found in assessed.ahead
    )
    return [
        SeatRow(
            *key,
            scores.decided(key),
            f"{float(rounded(scores.score(key), rules.policy.score_places)):.{rules.policy.score_places}f}",
            scores.counts(key),
            ahead[key],
        )
        for key in scores.ordered()
    ]


def code_text(text: str) -> str:
    """Code as it stands, but with every character shown: `[U+202E]` for one that turns the direction."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else visible(character) for character in text
    )


def _grouped(entries: Sequence[Entry]) -> list[tuple[str, list[Entry]]]:
    return [(title, list(group)) for title, group in groupby(entries, key=lambda entry: entry.section)]


def _anchor(number: int) -> str:
    return f"m{number + 1}"


def _entry(number: int, mechanism: Mechanism, rules: Rules) -> Entry:
    told = SEPARATOR.join(
        word for word in (impact_words(mechanism), f"{percent_of(mechanism.confidence, rules)}%") if word
    )
    return Entry(
        SECTION_TITLES[mechanism.section],
        mechanism.lead.finding.title,
        place(mechanism.lead),
        told,
        str(mechanism.state),
        state_words(mechanism.state),
        _anchor(number),
    )


def _dead_entry(dead: DeadCode) -> Entry:
    return Entry(DEAD_CODE_TITLE, dead.symbol, f"{dead.file}:{dead.start_line}-{dead.end_line}")


def _told(number: int, mechanism: Mechanism, assessed: Assessed, rules: Rules) -> dict[str, Any]:
    finding = mechanism.lead.finding
    patch = finding.patch
    facts = [
        Fact("Lenses", tuple(mechanism.lenses)),
        Fact("Seats", tuple(mechanism.seats)),
        Fact("Copies", tuple(copy.finding.finding_id for copy in mechanism.copies)),
    ]
    if finding.reach and trimmed(finding.reach):
        facts.append(Fact("Reach", (finding.reach,)))
    if finding.files:
        facts.append(Fact("Files", finding.files))
    is_offered = mechanism.lead_id in assessed.suggested
    return {
        "anchor": _anchor(number),
        "title": finding.title,
        "label": label(mechanism, rules),
        "impact": impact_words(mechanism),
        "reason": code_text(finding.reason),
        "said": [*remarks(mechanism, mechanism.lead_id in assessed.withdrawn), *proof_steps(mechanism.lead)],
        "facts": facts,
        "place": place(mechanism.lead),
        "patch": patch,
        "patch_heading": ("Suggested change" if is_offered else "Patch, not offered")
        + (" at" if patch is None or covered(patch) else " inserted before"),
        "replaced": code_text(patch.replaced) if patch else "",
        "replacement": code_text(patch.replacement) if patch else "",
    }


def _render(template: str, **content: Any) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    page = _environment().get_template(template).render(style=Markup(style), style_digest=digest, **content)
    # An unpaired surrogate has no UTF-8; the filters show those of texts, this one is for any that is left.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _style() -> str:
    report = files("evenhand.site").joinpath("assets/style.css").read_text(encoding="utf-8")
    return report + files("evenhand.evidence").joinpath("templates/review.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Templates with every value escaped; an unknown name is an error, not a blank."""
    built = Environment(
        loader=PackageLoader("evenhand.evidence"),
        autoescape=True,
        auto_reload=False,  # or every page would look at the templates' files again
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    built.filters.update(name=isolated, visible=visible)
    return built
