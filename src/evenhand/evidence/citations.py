"""Whether a quoted line stands in the repository where the reviewer says it does.

Belongs here: the check of one citation. Does not: what a contradiction or a promise changes once it verifies.

Source: What a review means, section 3 (citations).
"""

from collections.abc import Mapping

from evenhand.evidence.records import Citation, FileText
from evenhand.evidence.words import trimmed


def verifies(citation: Citation | None, files: Mapping[str, FileText], reach: int) -> bool:
    """Whether the trimmed quote, not empty, is part of a line at most `reach` lines from the one named."""
    if citation is None or citation.file not in files:
        return False
    quote, text = trimmed(citation.quote), files[citation.file]
    if not quote:
        return False
    first = max(0, citation.line - reach - text.start_line)
    last = citation.line + reach - text.start_line
    return any(quote in line for line in text.lines[first : max(0, last + 1)])
