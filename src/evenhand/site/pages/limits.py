"""Known limits: what the figures cannot say, and the table that reconciles corpora with precision, rule by rule.

Belongs here: contract section 13 in our own words. Does not: differences from LoopOver (differences).
"""

from collections.abc import Iterator

from evenhand.site.pages.rules import Reconciliation, reconciled, rule_rows
from evenhand.site.pages.site import Page, Site

LIMITS: tuple[tuple[str, str], ...] = (
    (
        "A dash is not 100\u202f%",
        "Without an automatic action there is nothing that a person could have undone. Such an accuracy is"
        " not measurable; "
        "it is neither perfect nor zero, and it takes no part in any average.",
    ),
    (
        "Reversals are undercounted",
        "An owner who reopens a pull request and does nothing more, or a revert that no recorded merge "
        "corroborates, leaves "
        "no reversal behind. The accuracy that is shown is therefore an upper estimate of how often decisions stood.",
    ),
    (
        "The JSON corpus can be a prefix",
        "It holds a capped number of cases, and says so when there are more. Of such a rule no score "
        "record is published, "
        "because a checksum of a prefix commits to nothing. The Parquet snapshot is always complete.",
    ),
    (
        "A corpus and a precision count different things",
        "A case is a firing that found its verdict; a vote is an override. Several firings can share one "
        "override, and an "
        "override can stand on a target without a firing in the window. The table below reconciles the two"
        " for every rule.",
    ),
    (
        "Backtest scores cannot be compared with precision",
        "A backtest takes “reversed” as the positive class, because it asks whether a change would have "
        "caught wrong firings. "
        "Precision here asks how often a firing stood. The two look alike and run in opposite directions.",
    ),
    (
        "Parity counts evaluations, not pull requests",
        "A pull request that was judged five times counts five times, unless a column says pull requests. "
        "Evaluations of one "
        "pull request resemble each other, so the intervals are somewhat narrower than they should be.",
    ),
    (
        "The unknown class stays unknown",
        "Where an author’s association is not recorded, the evaluation is neither a maintainer’s nor a "
        "contributor’s, and it is "
        "never counted as one of them.",
    ),
    (
        "Old cases weigh as much as new ones",
        "Within a window every case counts the same. A rule that was repaired last week carries its old "
        "verdicts for the whole window.",
    ),
    (
        "Only parity and automation come from the ledger",
        "The other figures come from audit events and signals, which are not hash-chained. Of parity the "
        "author class is not "
        "from the ledger either: it is looked up in the pull requests as exported.",
    ),
    (
        "Score gates can only be reversed",
        "The way verdicts are recorded never confirms a score gate. Its precision reads low for that "
        "reason alone, and its page says so.",
    ),
    (
        "An implicit confirmation is weaker evidence",
        "It means that nobody undid the firing, perhaps because nobody looked. Implicit confirmations are "
        "counted apart, and each "
        "rule shows its precision without them as well.",
    ),
    (
        "Nightly looks at a fixed-sample interval are pointwise",
        "Each 95\u202f% interval is right for one look at one figure. Whoever watches many figures every night "
        "will see some of them "
        "leave their intervals by chance alone.",
    ),
    (
        "A failed read publishes nothing",
        "LoopOver’s reads fail soft: a figure that could not be read appears empty. Here the build stops "
        "and the report of the day "
        "before stays. An old date at the top of the page therefore means that something failed.",
    ),
)
"""(what, why) of each limit, in the order of the page."""


def pages(site: Site) -> Iterator[Page]:
    """`limits.html`."""
    yield Page(
        "limits.html",
        "limits.html",
        "Known limits",
        "methodology",
        {
            "limits": LIMITS,
            "rows": reconciliations(site),
            "days": site.policy.windows.signals_days,
            "cap": site.policy.corpus.json_cases,
        },
        "What the figures of this report cannot say.",
    )


def reconciliations(site: Site) -> list[Reconciliation]:
    """Every rule with a corpus, by id."""
    return [reconciled(row) for row in rule_rows(site).values() if row.corpus is not None]
