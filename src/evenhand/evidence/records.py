"""What a review export holds, once it has been checked: reviews, their copies, patches, citations and seats.

Belongs here: the shapes and the closed sets of words. Does not: the checking (checking.py), or anything computed
from a record.

Source: What a review means, section 1 (input).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

Instant = int | Fraction
"""Microseconds since the epoch; a fraction when the text was finer than a microsecond."""


class Pass(StrEnum):
    """Which of the two passes a review is."""

    FIRST = "first"
    DEEP = "deep"


class Status(StrEnum):
    """How far a review came."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"


class PullState(StrEnum):
    """State of a pull request: the reviewed one, or the follow-up that fixes it."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class Tests(StrEnum):
    """What the tests said at the reviewed head."""

    GREEN = "green"
    RED = "red"
    NOT_RUN = "not_run"


class Purpose(StrEnum):
    """What a lens looks for; drift is docs and comments."""

    DEFECT = "defect"
    PERF = "perf"
    HYGIENE = "hygiene"
    DRIFT = "drift"


class Impact(StrEnum):
    """How much a finding matters, strongest first."""

    CRITICAL = "critical"
    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"


class RunStatus(StrEnum):
    """How an attempt to run something ended."""

    RAN = "ran"
    TIMED_OUT = "timed_out"
    PATCH_NOT_APPLIED = "patch_not_applied"
    TOOLCHAIN_MISSING = "toolchain_missing"
    PREPARATION_FAILED = "preparation_failed"
    CLOCK = "clock"


class SuiteStatus(StrEnum):
    """How an attempt to run the test suite ended."""

    RAN = "ran"
    TIMED_OUT = "timed_out"
    PATCH_NOT_APPLIED = "patch_not_applied"
    TOOLCHAIN_MISSING = "toolchain_missing"
    PREPARATION_FAILED = "preparation_failed"
    CLOCK = "clock"
    NO_TEST_COMMAND = "no_test_command"


class Colour(StrEnum):
    """What a test suite said."""

    GREEN = "green"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Patch:
    """Lines of one file and what replaces them."""

    file: str
    start_line: int
    replaced: str
    replacement: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A line of the repository that a reviewer quotes."""

    file: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An attempt to show the fault: it must fail before the patch and pass after it."""

    status: RunStatus
    fails_before: bool
    passes_after: bool
    referent_gone: bool


@dataclass(frozen=True, slots=True)
class Suite:
    """A run of the repository's own tests, without and with the patch."""

    status: SuiteStatus
    baseline: Colour | None
    with_patch: Colour | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One copy of a finding: by one seat, through one lens.

    symbols: None when the reviewer named none, which is not the same as an empty list.
    """

    finding_id: str
    lens: str
    purpose: Purpose
    seat: str
    title: str
    reason: str
    files: tuple[str, ...]
    symbols: tuple[str, ...] | None
    stated_confidence: Decimal | int | None
    claims_speed: bool
    impact: Impact | None
    reach: str | None
    edge_input_only: bool
    patch: Patch | None
    reproduction: Reproduction | None
    suite: Suite | None
    contested_by: tuple[str, ...]
    scope_sent_away: bool
    contradiction: Citation | None
    promise: Citation | None


@dataclass(frozen=True, slots=True)
class Seat:
    """A reviewer of one review. rank: the router's, 1 is its first pick."""

    seat: str
    lab: str
    rank: int
    unfinished_lenses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeadCode:
    """A symbol that nothing reaches."""

    file: str
    symbol: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class FileText:
    """Some lines of a file at the reviewed head; the first has the number `start_line`."""

    start_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """One review. fix_pr: the state of the follow-up that exists already."""

    review_id: str
    account: str
    repo: str
    pull_number: int
    head_sha: str
    head_ref: str
    base_ref: str
    head_is_fork: bool
    source_state: PullState
    review_pass: Pass
    status: Status
    started_at: Instant | None
    finished_at: Instant | None
    settled_cost_usd: Decimal | int | None
    seats: tuple[Seat, ...]
    shards_total: int
    shards_reviewed: int
    lenses_skipped: tuple[str, ...]
    lenses_cut: tuple[str, ...]
    findings: tuple[Finding, ...]
    dead_code: tuple[DeadCode, ...]
    fix_pr: PullState | None
    tests_at_head: Tests | None
    files_at_head: Mapping[str, FileText]

    @property
    def pull_request(self) -> tuple[str, int]:
        """What two passes of one pull request share."""
        return self.repo, self.pull_number

    @property
    def did_not_run(self) -> bool:
        """Whether no seat read the diff: then there is nothing to say, and least of all that it is clean."""
        ended_early = self.status in (Status.FAILED, Status.SKIPPED)
        return ended_early and not self.findings and self.shards_reviewed == 0
