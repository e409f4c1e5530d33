"""Whatever a reviewer writes, it is read as that text and nothing else, and no code breaks out of its block."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.reviews import assessment, finding, patch, review

from evenhand.evidence.comments import comments
from evenhand.evidence.markdown import summary
from evenhand.evidence.pages import review_page
from evenhand.evidence.untrusted import fenced, line, paragraphs

PIECES = [
    *"\\`*_{}[]()<>#+-.!|~&$@:=1aé \n\t\r\u202e\u200b",
    "```",
    "~~~",
    "<b>",
    "</details>",
    "<!--",
    "-->",
    "&lt;",
    "@you",
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PLAIN = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "code_inline"}


def kinds(markdown: str) -> set[str]:
    return {inner.type for token in MARKDOWN.parse(markdown) for inner in (token, *(token.children or ()))}


@given(texts)
@settings(max_examples=300, deadline=None)
def test_a_line_is_one_paragraph_of_plain_text(text: str) -> None:
    found = line(text)
    assert "\n" not in found
    assert kinds(found) <= PLAIN
    assert kinds(f"- {found}") - {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"} <= PLAIN


@given(texts)
@settings(max_examples=300, deadline=None)
def test_paragraphs_are_paragraphs_and_nothing_else(text: str) -> None:
    assert kinds(paragraphs(text)) <= PLAIN


@given(texts)
@settings(max_examples=300, deadline=None)
def test_a_block_of_code_holds_the_code_and_ends_where_it_should(text: str) -> None:
    tokens = MARKDOWN.parse(f"before\n\n{fenced(text, 'suggestion')}\n\nafter")
    [block] = [token for token in tokens if token.type == "fence"]
    whole = text if not text or text.endswith("\n") else f"{text}\n"
    assert block.content == re.sub(r"\r\n?", "\n", whole)
    assert [token.content for token in tokens if token.type == "inline"] == ["before", "after"]


@given(texts, texts, texts)
@settings(max_examples=60, deadline=None)
def test_no_review_breaks_its_summary_its_comment_or_its_page(title: str, reason: str, code: str) -> None:
    copy = finding(title=title, reason=reason, patch=patch(replacement=code))
    made, bad = assessment(review(copy, status="partial"))
    assert bad == []
    [assessed] = made.reviews
    told = summary(assessed, made.rules)
    folded = [token.content.strip().split(">")[0] for token in MARKDOWN.parse(told) if token.type == "html_block"]
    assert folded == ["<details", "</details", "<details", "</details"]
    [comment] = comments(assessed, made.rules)
    blocks = [token for token in MARKDOWN.parse(comment.body) if token.type == "fence"]
    assert [block.info for block in blocks] == ["suggestion"]
    assert [t.content.strip() for t in MARKDOWN.parse(comment.body) if t.type == "html_block"] == [
        comment.body.splitlines()[-1]
    ]
    page = review_page(assessed, made.rules)
    assert page.count("<details>") == page.count("</details>") == 1
    assert "<b>" not in page
    assert "\u202e" not in page
