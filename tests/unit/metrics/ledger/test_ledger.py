"""Ledger: what the gate decided, evaluations by author class and pull requests by who decided them."""

import pytest
from support.cells import context, fold

from evenhand.metrics.ledger.review_parity import author_class_of
from evenhand.timeline import day_text

MAINTAINERS = ("OWNER", "MEMBER", "COLLABORATOR")


@pytest.mark.parametrize(
    ("association", "author_class"),
    [
        ("OWNER", "maintainer"),
        (" member ", "maintainer"),
        ("Collaborator", "maintainer"),
        ("CONTRIBUTOR", "contributor"),
        ("NONE", "contributor"),
        ("weird", "contributor"),
        ("OWNERS", "contributor"),
        ("", "unknown"),
        ("  ", "unknown"),
        ("\u00a0", "unknown"),
        (None, "unknown"),
    ],
)
def test_an_association_is_trimmed_and_upper_cased_and_unknown_is_never_folded(association, author_class):
    assert author_class_of(association, MAINTAINERS) == author_class


def test_parity_lists_present_classes_in_their_order_over_all_and_by_named_repository():
    """Seven verdicts, two of a repository that may not be named: they count over all, and nowhere else."""
    cells = [
        row("acme/b", None, verdicts=1),
        row("acme/b", "NONE", verdicts=2, closes=1),
        row(None, "OWNER", verdicts=2, holds=1),
        row("acme/a", "NONE", verdicts=2),
    ]
    parity = fold("ledger.review_parity", cells)
    assert [(c.author_class, c.verdicts) for c in parity.classes] == [
        ("maintainer", 2),
        ("contributor", 4),
        ("unknown", 1),
    ]
    assert parity.verdicts.value == 7
    assert [repo for repo, _ in parity.repositories] == ["acme/b", "acme/a"]


def row(repo, association, **counts):
    zero = {"verdicts": 1, "pull_requests": 1, "findings_basis": 0, "findings": None, "closes": 0, "holds": 0}
    return {"repo": repo, "association": association, **zero, **counts}


def test_rates_are_of_evaluations_and_reviews_of_pull_requests():
    counts = {"verdicts": 8, "pull_requests": 3, "findings_basis": 6, "findings": 20, "closes": 3, "holds": 1}
    [contributor] = fold("ledger.review_parity", [row("acme/a", "NONE", **counts)]).classes
    assert contributor.reviews_per_pull_request.value == 2.67
    assert contributor.findings_per_evaluation.value == 3.33
    assert (contributor.close_rate.value, contributor.hold_rate.value) == (37.5, 12.5)


def test_evaluations_without_a_count_of_findings_are_not_evaluations_with_none():
    [contributor] = fold("ledger.review_parity", [row("acme/a", "NONE", verdicts=4)]).classes
    assert contributor.findings_basis == 0
    assert contributor.findings_per_evaluation.value is None


def test_without_the_table_of_pull_requests_no_author_reads_as_unknown():
    parity = fold("ledger.review_parity", [row("acme/a", None)], context(without=["pull_requests"]))
    assert (parity.verdicts.value, parity.classes, parity.repositories) == (1, (), ())


def test_reasons_are_ordered_by_count_then_name_and_are_shares_of_all_verdicts():
    again = fold(
        "ledger.reevaluations",
        """
        reason  n
        null    6
        b       1
        a       1
        z       2
        """,
    )
    assert [(reason, n, share.value) for reason, n, share in again.reasons] == [
        ("z", 2, 20),
        ("a", 1, 10),
        ("b", 1, 10),
    ]
    assert (again.count, again.rate.value) == (4, 40)


def test_of_no_verdict_there_is_no_rate():
    again = fold("ledger.reevaluations", "")
    assert again.rate.value is None
    assert again.reasons == ()


def test_a_persons_hand_beats_automation_and_an_undecided_pull_request_counts_nowhere():
    automation = fold(
        "ledger.automation_rate",
        """
        week        decided  acted  manual  n
        2026-06-01  1        1      0       6
        2026-06-01  1        1      1       2
        2026-06-01  1        0      1       1
        2026-06-01  0        0      0       9
        2026-05-25  0        0      0       4
        """,
    )
    [week] = automation.weeks
    assert (week.decided, week.automated, week.manual) == (9, 6, 3)
    assert week.rate.value == 66.7
    assert (automation.decided, automation.automated, automation.rate.value) == (9, 6, 66.7)


def test_before_the_provenance_horizon_only_holds_show_a_persons_hand():
    weeks = fold(
        "ledger.automation_rate",
        """
        week        decided  acted  manual  n
        2026-07-27  1        1      0       1
        2026-08-03  1        1      0       1
        """,
        context(as_of="2026-08-20T00:00:00Z"),
    ).weeks
    assert [(day_text(week.monday), week.rate.basis) for week in weeks] == [
        ("2026-07-27", "holds_only"),
        ("2026-08-03", "full"),
    ]
