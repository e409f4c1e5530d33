"""Section 6 and 9 as forms: summary, inline comments, annotations, plan bodies and pages, from untrusted texts."""

import json
import re

import pytest
from markdown_it import MarkdownIt
from support.reviews import CITED, FAILED, RAN, SEATS, assessment, finding, patch, review, seat_record, suite

from evenhand.evidence.annotations import annotation_pieces, annotations
from evenhand.evidence.comments import comments
from evenhand.evidence.markdown import markdown_pieces, summary
from evenhand.evidence.pages import file_name, page_files, review_page
from evenhand.evidence.plan_text import plan_pieces
from evenhand.evidence.untrusted import code, fenced, hidden_characters, line, paragraphs

HOSTILE = "<script>alert(1)</script> ![x](http://e.vil/p.png) @everyone #1 \u202e```\n# head\n<!-- -->|a|\x1b[2J \"'&"


def only_review(*findings, **changes):
    options = {name: changes.pop(name) for name in ("deliver", "sweep") if name in changes}
    made, bad = assessment(review(*findings, **changes), **options)
    assert bad == []
    return made.reviews[0], made.rules


def told(*findings, **changes):
    return summary(*only_review(*findings, **changes))


def test_the_summary_begins_with_the_headline():
    assert "**1 finding, 1 proven · confidence 100% · 4m 5s · $0.50**" in told(finding(reproduction=RAN))


def test_the_compact_list_is_grouped_by_section_and_the_rest_is_counted_under_details():
    text = told(*(finding(f"F{n:02}", title=f"title {n:02}.") for n in range(17)), finding("C", purpose="hygiene"))
    short, details = text.split("<details><summary>Details (3 more)</summary>")
    assert short.count("\n- UNVERIFIED") == 15
    assert "### Unverified" in short
    assert "### Cleanup" not in short
    assert "#### Cleanup" in details
    assert "#### title 03." in details


def test_a_partial_review_says_what_it_did_not_do_and_never_that_it_is_clean():
    seats = [SEATS[0] | {"unfinished_lenses": ["tests", "docs"]}]
    text = told(status="partial", seats=seats, shards_reviewed=1, lenses_skipped=["perf"], lenses_cut=["drift"])
    partial = text.split("### Partial review")[1].split("<details>")[0]
    for fact in ("alder: tests, docs", "1 of 3 reviewed", "Lenses skipped: perf", "Lenses cut: drift"):
        assert fact in partial
    assert "finding" not in partial
    assert "What was not read was not reviewed" in partial


def test_a_complete_review_has_no_partial_section_but_shows_its_gaps():
    assert "Partial review" not in told()
    assert "Not covered" not in told()
    for gap in ({"lenses_skipped": ["docs"]}, {"lenses_cut": ["docs"]}, {"shards_reviewed": 2}):
        text = told(**gap)
        assert "Partial review" not in text
        assert "What was not read was not reviewed" in text.split("<details>")[0]


def test_a_review_that_did_not_run_tells_neither_time_nor_cost():
    text = told(status="failed", shards_reviewed=0)
    assert "**Review did not run**" in text
    assert "4m 5s" not in text
    assert "0.50" not in text
    assert "Clock" not in text


def test_how_the_review_ran_is_folded_and_whole():
    text = told(finding(suite=suite(status="clock")), tests_at_head="not_run")
    block = text.split("<details><summary>How this review ran</summary>")[1]
    for name in ("Reviewers: alder (lab-a)", "Coverage", "Tests at head: not run", "Clock", "Cost", "Remaining work"):
        assert f"- {name}" in block
    assert "Failures: the review's time was up: 1" in block


def test_a_comment_holds_its_parts_in_order():
    assessed, rules = only_review(
        finding(title="Off by one", reason="It stops early.", patch=patch(), reproduction=RAN)
    )
    [comment] = comments(assessed, rules)
    assert comment.body.splitlines()[0] == "Parallax · PROVEN · confidence 100%"
    parts = ["**correctness**: Off by one", "It stops early.", "Reproduction ran", "```suggestion\nx = 2\n```", "<!-- "]
    assert [comment.body.index(part) for part in parts] == sorted(comment.body.index(part) for part in parts)
    assert comment.body.endswith("-->")


def test_the_state_stands_in_capitals_with_spaces():
    assessed, rules = only_review(finding(patch=patch(), suite=suite(status="clock")))
    assert comments(assessed, rules)[0].body.startswith("Parallax · COULD NOT RUN · confidence 40%\n")


@pytest.mark.parametrize(
    "changes", [{"reproduction": FAILED}, {"suite": suite("red")}, {"contradiction": CITED}, {"reproduction": None}]
)
def test_a_suggestion_block_stands_exactly_where_one_is_offered(changes):
    assessed, rules = only_review(finding(patch=patch(), **changes))
    [comment] = comments(assessed, rules)
    assert ("```suggestion" in comment.body) is bool(assessed.suggested)


def test_a_withdrawn_suggestion_is_said_to_be_and_has_no_block():
    deep = review(finding("B", patch=patch(), reproduction=FAILED))
    made, _ = assessment(review(finding("A", patch=patch()), **{"pass": "first"}), deep)
    [comment] = comments(made.reviews[0], made.rules)
    assert "Withdrawn" in comment.body
    assert "suggestion\n" not in comment.body
    assert "UNVERIFIED" in comment.body


def test_a_suggestion_whose_patch_did_badly_in_another_hand_says_so():
    assessed, rules = only_review(
        finding("A", patch=patch(), reproduction=RAN), finding("B", patch=patch(), suite=suite("red"))
    )
    [comment] = comments(assessed, rules)
    assert "```suggestion" in comment.body
    assert "Another copy of this patch was refuted, or turned the test suite red." in comment.body
    assert assessed.plan is None


def test_a_later_pass_finds_its_comment_again_some_lines_further_down():
    made, _ = assessment(
        review(finding("A", title="One", patch=patch(start_line=4)), **{"pass": "first"}),
        review(finding("Z", title="Other words", patch=patch(start_line=9, replacement="x = 3")), head_sha="b" * 40),
        review(finding("Y", patch=patch("b.py"))),
    )
    first, second, third = (comments(found, made.rules)[0].body.splitlines()[-1] for found in made.reviews)
    assert first == second != third
    assert re.fullmatch(r"<!-- parallax:comment:[0-9a-f]{16}:1 -->", first)


def test_two_comments_of_one_review_have_two_markers():
    assessed, rules = only_review(finding("A", patch=patch()), finding("B", patch=patch(replacement="y", start_line=5)))
    assert len({comment.body.splitlines()[-1] for comment in comments(assessed, rules)}) == 2


def test_an_insertion_is_shown_but_not_as_a_block_that_would_replace_a_line():
    assessed, rules = only_review(finding(patch=patch(replaced="", start_line=7)))
    body = comments(assessed, rules)[0].body
    assert "Insert before line 7:\n\n```\nx = 2\n```" in body


def test_invisible_characters_in_suggested_code_are_named():
    assessed, rules = only_review(finding(patch=patch(replacement="a\u202eb\n\tc\r\n")))
    body = comments(assessed, rules)[0].body
    assert "characters that cannot be seen: U+202E" in body
    assert "a\u202eb" in body
    assert hidden_characters("plain\ttext\r\n") == []


def test_a_fence_is_longer_than_any_in_the_code():
    assert fenced("a ```` b", "suggestion") == "`````suggestion\na ```` b\n`````"
    assert fenced("") == "```\n```"
    assert code("a`b``c") == "```a`b``c```"
    assert code("`a") == "`` `a ``"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain words, and (more): 10:04:05", "plain words, and (more): 10:04:05"),
        ("a*b_c", "a\\*b\\_c"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("@team", "&#64;&#8203;team"),
        ("fixes #12", "fixes &#35;&#8203;12"),
        ("http://x www.y GH-7", "http:&#8203;//x www&#8203;.y GH-&#8203;7"),
        ("# head", "&#35;&#8203; head"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("=====", "\\====="),
        (":tada: ok", ":&#8203;tada: ok"),
        ("call `f(*x)` `", "call `f(*x)` \\`"),
        ("a\nb", "a\u240ab"),
        ("a\u202eb", "a\\[U+202E\\]b"),
        ("", "(empty)"),
    ],
)
def test_a_line_reads_as_the_text(text, escaped):
    assert line(text) == escaped


def test_paragraphs_keep_their_lines():
    assert paragraphs("a\nb\r\n\n\n  c") == "a  \nb\n\nc"
    assert paragraphs("\n \n") == ""


def test_annotations_are_proven_or_dead_code_and_nothing_else():
    dead = [{"file": "a.py", "symbol": "old", "start_line": 3, "end_line": 8}]
    assessed, rules = only_review(
        finding("A", patch=patch(start_line=5, replaced="a\nb"), reproduction=RAN),
        finding("B", patch=patch("b.py"), suite=suite()),
        finding("C", patch=patch("c.py")),
        finding("D", patch=patch("d.py"), reproduction=FAILED),
        dead_code=dead,
    )
    proven, notice = annotations(assessed, rules)
    assert (proven["path"], proven["start_line"], proven["end_line"]) == ("a.py", 5, 6)
    assert (notice["path"], notice["start_line"], notice["annotation_level"]) == ("a.py", 3, "notice")


def test_a_first_pass_has_no_annotation_of_a_finding():
    assessed, rules = only_review(finding(patch=patch(), reproduction=RAN), **{"pass": "first"})
    assert annotations(assessed, rules) == []


def test_the_plans_body_names_each_patch_with_its_own_label_and_each_skip_with_its_reason():
    like = {"title": "one two three four five six seven", "files": ["f"]}
    made, _ = assessment(
        review(
            finding("A", **like, reproduction=RAN),
            finding("B", **like, patch=patch(replaced="a\nb"), seat="birch"),
            finding("C", **like, patch=patch(start_line=40, replacement="?"), seat="cedar"),
            finding("D", patch=patch(start_line=2), title="Other"),
        )
    )
    text = "".join(plan_pieces(made))
    assert "Branch `parallax/review/7` onto `feat`." in text
    # The proof is another copy's: the patch that is taken was not run.
    assert "- `B` by birch, `a.py:1-2`" in text
    assert "  - Parallax · UNVERIFIED · confidence 40%" in text
    assert "Alternatives considered: `C` by cedar" in text
    assert "- `D`, Parallax · UNVERIFIED · confidence 40%: Other; overlaps `B`" in text


def test_a_sweeps_body_names_the_day():
    made, _ = assessment(review(finding(purpose="hygiene", patch=patch())), sweep=True)
    assert "## Housekeeping in `acme/widgets` on 2026-03-01" in "".join(plan_pieces(made))


def hostile_review():
    return review(
        finding("A`", title=HOSTILE, reason=HOSTILE, lens=HOSTILE, seat=HOSTILE, reach=HOSTILE, files=[HOSTILE],
                patch=patch(HOSTILE, replaced=HOSTILE, replacement=HOSTILE), reproduction=RAN),
        review_id=HOSTILE, repo=HOSTILE, head_ref=HOSTILE, lenses_skipped=[HOSTILE],
        seats=[{"seat": HOSTILE, "lab": HOSTILE, "rank": 1, "unfinished_lenses": [HOSTILE]}], status="partial",
        dead_code=[{"file": HOSTILE, "symbol": HOSTILE, "start_line": 1, "end_line": 2}],
    )  # fmt: skip


def test_no_text_of_a_reviewer_acts_in_markdown():
    made, _ = assessment(hostile_review())
    text = "".join([*markdown_pieces(made), *plan_pieces(made)])
    tokens = [inner for token in MarkdownIt("commonmark").parse(text) for inner in [token, *(token.children or ())]]
    kinds = {token.type for token in tokens}
    assert kinds.isdisjoint({"image", "link_open", "html_inline", "blockquote_open", "code_block", "em_open"})
    raw = {token.content.strip() for token in tokens if token.type == "html_block"}
    assert all(re.fullmatch(r"</?details>.*|<!-- parallax:comment:[0-9a-f]{16}:1 -->", block) for block in raw)
    # Mentions and references are read out of the finished text, wherever it is not code.
    prose = " ".join(token.content for token in tokens if token.type == "text")
    assert not re.search(r"@\w|#\d|\u202e|\x1b", prose)
    shown = re.sub(r"(`{3,})suggestion\n.*?\n\1", "", text, flags=re.DOTALL)
    assert not re.search(r"\u202e|\x1b", shown)


def test_no_text_of_a_reviewer_acts_on_a_page():
    made, _ = assessment(hostile_review())
    for _, page in page_files(made, []):
        assert "<script" not in page
        assert "<img" not in page
        assert "\u202e" not in page
        assert "\x1b" not in page
        assert 'name="referrer"' in page
        assert "default-src 'none'" in page
        assert not re.search(r'(?:src|href)="(?!#|[A-Za-z0-9._-]+\.html")', page)


def test_a_page_holds_what_the_summary_holds():
    page = review_page(*only_review(*(finding(f"F{n:02}", title=f"title {n}.") for n in range(17)), status="partial"))
    assert "Review incomplete · 17 findings" in page
    assert "Partial review" in page
    assert "2 more" in page
    assert "How this review ran" in page


def test_file_names_are_plain_and_no_two_reviews_share_one():
    names = {file_name(review_id) for review_id in ("a/b", "a-b", "A-B", "../..", "", "é", "\ud800", "x" * 500)}
    assert len(names) == 8
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.html", name) for name in names)


def test_the_list_of_pages_names_what_could_not_be_read():
    made, bad = assessment(review(), "{")
    assert "1 records could not be read" in dict(page_files(made, bad))["index.html"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, None),
        ({"status": "partial"}, "The review is incomplete."),
        ({"status": "failed", "shards_reviewed": 0}, "The review did not run."),
        ({"lenses_skipped": ["docs"]}, "Not covered: lenses skipped: docs."),
        ({"seats": [SEATS[0] | {"unfinished_lenses": ["docs"]}]}, "Not covered: seats that did not finish every lens"),
    ],
)
def test_no_form_reads_as_a_clean_review_when_something_was_left_out(changes, says):
    copies = [] if changes.get("status") == "failed" else [finding(patch=patch(), reproduction=RAN)]
    made, _ = assessment(review(*copies, **changes))
    pages = dict(page_files(made, []))
    index = pages.pop("index.html")
    [page] = pages.values()
    annotated = json.loads("".join(annotation_pieces(made)))["reviews"][0]["summary"]
    planned = "".join(plan_pieces(made))
    forms = [index, annotated, *([planned] if planned else [])]
    not_clean = "nothing here says that it is free of faults"
    assert all(
        (not_clean in form) == (says is not None) for form in [*forms, page, summary(made.reviews[0], made.rules)]
    )
    assert says is None or all(says.lower() in form.lower() for form in forms)


def test_how_a_review_ran_names_the_seats_that_move_ahead_of_the_routers_pick():
    seats = [seat_record("cedar", "docs", settled=3), seat_record("birch", "docs", rejected=3)]
    made, _ = assessment(review(), seats=seats)
    ran = summary(made.reviews[0], made.rules).split("How this review ran")[1]
    assert "cedar on docs, ahead of alder" in ran
    assert "birch" not in ran.split("Ahead of")[1].split("\n")[0]
    index = dict(page_files(made, []))["index.html"]
    cells = re.findall(r"<tr><th scope=\"row\">.*?</tr>", index)
    assert [re.sub("<[^>]*>", " ", row).split() for row in cells] == [
        ["acme", "birch", "docs", "3", "0.2000", "no", "0"],
        ["acme", "cedar", "docs", "3", "0.8000", "no", "1"],
    ]


def test_without_records_nobody_moves_ahead_and_nothing_is_said():
    assert "Ahead of" not in told(finding())
