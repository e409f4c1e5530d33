"""Where Evenhand means to count otherwise than LoopOver's running system: every [D*n*] of the fairness contract.

Belongs here: the list, in our own words. Does not: the rules themselves (metrics), or limits that both share (limits).
A difference is listed whether or not the part of the report that it concerns is built yet.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: what LoopOver does, what Evenhand does, and what it concerns."""

    number: int
    subject: str
    section: int
    theirs: str
    ours: str

    @property
    def anchor(self) -> str:
        """The HTML id."""
        return f"d{self.number}"


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        1,
        "Times are compared as instants",
        1,
        "Compares the stored texts of times, so on the first or last day of a window a row written with a "
        "space instead of a T is lost.",
        "Parses every form to an instant and compares instants.",
    ),
    Difference(
        2,
        "Windows end at as-of",
        1,
        "Has a lower bound alone: a row dated after the moment of the report is counted.",
        "Windows are half-open, from a start up to and without as-of.",
    ),
    Difference(
        3,
        "Repositories are one whatever their capitals",
        1,
        "Treats two spellings of one repository that differ in capitals as two.",
        "Compares and publishes repository names with ASCII letters in lower case.",
    ),
    Difference(
        4,
        "One malformed row costs one row",
        1,
        "A single row with malformed metadata, or one malformed guarantee, blanks the whole figure.",
        "The row keeps its type and time, its metadata values are absent, and it is counted under data "
        "quality; a malformed guarantee is skipped.",
    ),
    Difference(
        5,
        "One order of texts",
        1,
        "Orders texts by the collation of US English.",
        "Orders texts by Unicode code points, which are the same on every machine.",
    ),
    Difference(
        6,
        "Event types are matched exactly",
        2,
        "Matches the prefix of an event type without regard to capitals.",
        "Matches the exact, case-sensitive prefix.",
    ),
    Difference(
        7,
        "An unrecognized verdict labels nothing",
        3,
        "Labels a case whose verdict is neither confirmed nor reversed as confirmed.",
        "Takes recognized verdicts alone into corpora and backtests, and counts the others apart.",
    ),
    Difference(
        8,
        "A capped corpus is capped by cases",
        3,
        "Reads the oldest 2,000 firings and the oldest 2,000 overrides, then pairs what it has read.",
        "Pairs everything in the window, orders the cases, and publishes the first 2,000 as JSON; the "
        "Parquet snapshot has them all.",
    ),
    Difference(
        9,
        "Accuracy is about the automatic actions",
        4,
        "Leaves pull requests that were reopened since out of the denominator, and counts reversals of "
        "anything at any time.",
        "The denominator is the pull requests auto-actioned in the window, as the published page says; a "
        "reversal counts when it follows such an action.",
    ),
    Difference(
        10,
        "The fleet is folded into the trend once",
        5,
        "Counts pull requests twice that are known here and from the fleet, and drops the oldest Monday of the trend.",
        "Leaves the overlap out, and shows every week from its Monday.",
    ),
    Difference(
        11,
        "A reversal belongs to the week of the action",
        5,
        "Counts distinct pull-request numbers across repositories, a day at a time.",
        "Counts distinct pull requests of a repository over the week, and a reversal in the week of the "
        "action that it undid.",
    ),
    Difference(
        12,
        "The floor of a week looks at its denominator",
        5,
        "Shows a week’s accuracy as soon as enough pull requests merged or closed, however few actions the"
        " percentage rests on.",
        "Withholds the percentage when fewer automatic actions than the floor were taken, too.",
    ),
    Difference(
        13,
        "Only allowed repositories are named",
        7,
        "Names every repository in the parity table.",
        "Names the repositories of the allowlist; the others are part of the sums.",
    ),
    Difference(
        14,
        "Copied verdicts are left out everywhere",
        9,
        "Leaves verdicts copied by a replay out of precision, but not out of the calibration trend and the"
        " backtest corpora.",
        "Leaves them out of all of these.",
    ),
    Difference(
        15,
        "Organisations have owners",
        11,
        "Takes the login before the slash as the owner, so on an organisation’s repositories it never sees one.",
        "Takes also the logins that the policy names for the repository or the organisation.",
    ),
    Difference(
        16,
        "A label does not hide a close",
        11,
        "Looks at the newest action of the bot of any kind, so a later label or comment hides its close.",
        "Looks at the newest completed close, merge or reopen.",
    ),
    Difference(
        17,
        "The latest outcome is the outcome",
        11,
        "Keeps the first outcome that was recorded for a pull request.",
        "The latest recorded outcome is the realised one; a new row is written only when it differs.",
    ),
    Difference(
        18,
        "A redelivery changes nothing",
        11,
        "Writes a reversal again at every redelivery of the same event.",
        "Writes one reversal for each close by the bot, and one revert for each pull request.",
    ),
    Difference(
        19,
        "Only what is still closed can be superseded",
        11,
        "Marks a pull request as superseded that has been reopened since.",
        "Looks whether it is still closed, by its row, later deliveries and the bot’s completed actions.",
    ),
    Difference(
        20,
        "A revert names this repository",
        11,
        "Takes the number after “Reverts” as one of its own, even when it names another repository.",
        "Passes over references to other repositories and takes the first to its own.",
    ),
    Difference(
        21,
        "A revert overrules the rules that fired",
        11,
        "Lists reverts among the reversals on its page, but writes no override for them.",
        "All four kinds of reversal write a reversed override for each listed rule that fired.",
    ),
    Difference(
        22,
        "All firings are seen",
        11,
        "Sees the oldest 500 firings of a target.",
        "Sees all firings of the target in the look-back.",
    ),
    Difference(
        23,
        "Of duplicate keys the first counts",
        1,
        "Of a key that stands twice in an object the last counts.",
        "The first counts in metadata; the chain’s own check takes the last, as its writer did.",
    ),
    Difference(
        24,
        "A number is a finite number",
        1,
        "Prints 1e400 as null.",
        "Takes a number as its exact decimal text where it is compared, and as its double where it is "
        "printed; what has no finite double is no number.",
    ),
    Difference(
        25,
        "Rounding is exact",
        1,
        "Rounds binary doubles: of 80 cases with 49 reversed it prints 38.7\u202f%.",
        "Rounds the exact fraction half away from zero: 38.8\u202f%.",
    ),
    Difference(
        26,
        "An empty rule id is no rule",
        2,
        "Counts overrides without a rule id under a rule without a name.",
        "Quarantines them, with a count.",
    ),
    Difference(
        27,
        "The latest usable backtest is the latest",
        2,
        "Stops at the newest run, even when it has no usable corpus checksum.",
        "Takes the newest run that has one.",
    ),
    Difference(
        28,
        "Minutes are numbers",
        4,
        "Casts texts and booleans to minutes, and gives 0 minutes without an allowlist.",
        "Takes non-negative numbers alone, else the flat number of minutes, and counts the pull requests "
        "of a deployment that names none.",
    ),
    Difference(
        29,
        "All guarantees are read",
        6,
        "Reads 50 guarantees of an arm.",
        "Reads them all before it chooses the one with the most cases.",
    ),
    Difference(
        30,
        "Comparisons are exact",
        10,
        "Compares the scores of a backtest as doubles.",
        "Compares exact fractions.",
    ),
    Difference(
        31,
        "Names are matched, not patterns",
        11,
        "Looks up a superseded pull request with a pattern in which characters of a name act as wildcards.",
        "Compares the identity of the pull request.",
    ),
    Difference(
        32,
        "One reversed override for a firing",
        11,
        "Writes a reversed override for a rule and target again, although one already follows its last firing.",
        "Writes none when the pair has a reversed override at or after its last firing.",
    ),
    Difference(
        33,
        "An owner’s close confirms once",
        11,
        "Writes a confirmation at every close by the owner.",
        "Writes one for each rule and target.",
    ),
    Difference(
        34,
        "Two instances: no interval",
        6,
        "Withholds the count at two instances but prints the interval, which gives the count back.",
        "Withholds counts and intervals together.",
    ),
    Difference(
        35,
        "Two instances: no weekly counts",
        6,
        "Prints the weekly counts of verdicts, from which either of two instances learns the other’s.",
        "Withholds the counts of every week while exactly two instances are eligible.",
    ),
)
"""Every difference, by number."""
