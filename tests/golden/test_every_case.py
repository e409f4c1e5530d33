"""Every golden export publishes exactly its right answers, field by field."""

from collections.abc import Callable

import pytest
from support.golden import Case, cases, differences
from support.pipeline import Published


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_every_figure_of_the_case_is_right(case: Case, published: Callable[[str], Published]) -> None:
    assert differences(case.expected, published(case.folder.name).parts) == []
