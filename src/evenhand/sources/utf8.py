"""Bytes as text: which rows are readable.

Belongs here: the one check that what a file calls text is UTF-8. Does not: any format.
"""

import pyarrow as pa
import pyarrow.compute as pc


def is_utf8(column: pa.Array) -> bool:
    """Whether every value of a binary or string column is UTF-8."""
    try:
        pa.Array.from_buffers(
            pa.string(), len(column), column.buffers(), column.null_count, column.offset
        ).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def readable_rows(
    columns: list[pa.BinaryArray], positions: pa.Int64Array
) -> tuple[list[pa.StringArray], pa.Int64Array, list[int]]:
    """Binary columns as text; rows with a value that is not UTF-8 are left out and their positions returned."""
    if all(is_utf8(column) for column in columns):
        return [column.cast(pa.string()) for column in columns], positions, []
    good = [
        all(_decodes(value) for value in row)
        for row in zip(*(column.to_pylist() for column in columns), strict=True)
    ]
    mask = pa.array(good, pa.bool_())
    texts = [pc.filter(column, mask).cast(pa.string()) for column in columns]
    return texts, pc.filter(positions, mask), pc.filter(positions, pc.invert(mask)).to_pylist()


def _decodes(value: bytes | None) -> bool:
    try:
        return value is None or value.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False
