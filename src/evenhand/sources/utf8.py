"""Bytes as text: which rows are readable.

Belongs here: the one check that what an export calls text is UTF-8. Does not: any format.
"""

import pyarrow as pa


def as_text(column: pa.BinaryArray) -> pa.StringArray | None:
    """A binary column as text without a copy; None when some value is not UTF-8."""
    texts = pa.Array.from_buffers(pa.string(), len(column), column.buffers(), column.null_count, column.offset)
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return texts


def readable_rows(columns: list[pa.BinaryArray]) -> tuple[list[pa.StringArray], list[int]]:
    """Binary columns as text, and the numbers of the rows that are left out: those with a value that is not UTF-8."""
    texts = [as_text(column) for column in columns]
    bad: set[int] = set()
    for column, text in zip(columns, texts, strict=True):
        if text is None:
            bad.update(row for row, value in enumerate(column.to_pylist()) if not _decodes(value))
    if not bad:
        return [text for text in texts if text is not None], []
    kept = pa.array([row for row in range(len(columns[0])) if row not in bad], pa.int64())
    return [column.take(kept).cast(pa.string()) for column in columns], sorted(bad)


def _decodes(value: bytes | None) -> bool:
    try:
        return value is None or value.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False
