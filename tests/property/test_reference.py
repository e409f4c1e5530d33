"""The reference itself is right: it gives every golden export its right answers."""

import gzip
from pathlib import Path

import pytest
from support import reference
from support.golden import Case, cases, differences
from support.sqlite_rows import read_rows


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_the_reference_gives_the_right_answers(case: Case, tmp_path: Path) -> None:
    export = tmp_path / "export.sqlite"
    export.write_bytes(gzip.decompress((case.folder / "export.sqlite.gz").read_bytes()))
    got = reference.figures(read_rows(export), case.input["as_of"], case.input["repos"])
    assert differences(case.expected, got) == []
