"""The same figures give the same bytes: again, in another process, and under other settings."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from support.golden import GOLDEN

_PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from support.golden import Case
from support.sites import written
folder = Path(sys.argv[1])
written(Case(Path({case!r})).publish(folder), folder / "site")
"""


def _digests(folder: Path, **settings: str) -> dict[str, str]:
    folder.mkdir()
    program = _PROGRAM.format(tests=str(GOLDEN.parent), case=str(GOLDEN / "fairness" / "open-hand-07b"))
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True, env={**os.environ, **settings})
    site = folder / "site"
    return {
        path.relative_to(site).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


def test_two_settings_of_the_machine_give_the_same_pages(tmp_path: Path):
    one = _digests(tmp_path / "one", PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C", POLARS_MAX_THREADS="1")
    other = _digests(tmp_path / "other", PYTHONHASHSEED="2", TZ="Asia/Kathmandu", LC_ALL="C.UTF-8", LANG="tr_TR.UTF-8")
    assert one == other
    assert "index.html" in one
