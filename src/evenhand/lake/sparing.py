"""Arrow without pandas, which it imports at its first array when it is installed: 0.4 s that nothing here needs.

Belongs here: that one import. Does not: anything of Arrow's. A later `to_pandas` of a notebook finds pandas as ever.
"""

import sys
from collections.abc import Sequence
from types import ModuleType

import pyarrow as pa


class _NoPandas:
    """A finder for which there is no pandas."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Refuses pandas and leaves everything else to the others."""
        if name == "pandas":
            raise ImportError(name)


def spare_pandas() -> None:
    """Has Arrow look for pandas now, where it finds none, unless somebody uses it already."""
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
