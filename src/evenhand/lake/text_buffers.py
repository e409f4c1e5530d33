"""The bytes of an Arrow text column as numpy views: what the vectorised readers stand on.

Belongs here: views and gathers without a Python object per value. Does not: what a text means.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evenhand.lake.sparing import spare_pandas

spare_pandas()

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TextBuffers:
    """One text column: value i is `data[starts[i] : starts[i] + lengths[i]]` unless `present[i]` is false."""

    data: Bytes
    starts: Offsets
    lengths: Offsets
    present: Mask

    def gather(self, rows: Offsets, width: int) -> Bytes:
        """The first `width` bytes of the given rows, one row of the result each; the rows must be that long."""
        if len(rows) == len(self.starts) and self.starts[-1] + width - self.starts[0] == width * len(rows):
            # All rows, end to end: they are the table already.
            return self.data[self.starts[0] : self.starts[-1] + width].reshape(len(rows), width)
        # A row of the window is a view of `width` bytes, so that each row is copied whole and not byte by byte.
        gathered: Bytes = np.lib.stride_tricks.sliding_window_view(self.data, width)[self.starts[rows]]
        return gathered


def presence(column: pa.Array) -> Mask:
    """True where a value is not null."""
    bitmap = column.buffers()[0]
    if bitmap is None or column.null_count == 0:
        return np.ones(len(column), dtype=np.bool_)
    bits = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(np.bool_)


def text_buffers(column: pa.StringArray) -> TextBuffers:
    """Views of an Arrow string column; nothing is copied but the offsets."""
    _, offsets_buffer, data_buffer = column.buffers()
    if len(column) == 0:
        none = np.zeros(0, dtype=np.int64)
        return TextBuffers(np.zeros(0, dtype=np.uint8), none, none, np.zeros(0, dtype=np.bool_))
    raw = np.frombuffer(offsets_buffer, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    offsets = raw.astype(np.int64)
    data = np.zeros(0, dtype=np.uint8) if data_buffer is None else np.frombuffer(data_buffer, dtype=np.uint8)
    return TextBuffers(data, offsets[:-1], np.diff(offsets), presence(column))


def validity_buffer(present: Mask) -> pa.Buffer | None:
    """The validity bitmap of a mask; None when everything is present."""
    if bool(present.all()):
        return None
    return pa.py_buffer(np.packbits(present, bitorder="little").tobytes())


def int64_array(values: npt.NDArray[np.int64], present: Mask) -> pa.Int64Array:
    """An Arrow int64 column; absent places hold 0 underneath, so equal columns have equal bytes."""
    clean = np.where(present, values, 0).astype(np.int64)
    return pa.Array.from_buffers(pa.int64(), len(clean), [validity_buffer(present), pa.py_buffer(clean)])


def date32_array(days: npt.NDArray[np.int64], present: Mask) -> pa.Date32Array:
    """An Arrow date column from days since the epoch."""
    clean = np.where(present, days, 0).astype(np.int32)
    return pa.Array.from_buffers(pa.date32(), len(clean), [validity_buffer(present), pa.py_buffer(clean)])


def bool_array(values: Mask, present: Mask) -> pa.BooleanArray:
    """An Arrow boolean column."""
    clean = pa.py_buffer(np.packbits(values & present, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.bool_(), len(values), [validity_buffer(present), clean])
