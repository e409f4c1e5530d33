"""Columns of text instants as microseconds, without a Python object for the common forms.

Belongs here: the bulk reading of the one grammar that timeline.parse_instant defines.
Does not: the grammar itself; what these forms do not cover goes to parse_instant, once per distinct text.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.text_buffers import Bytes, Mask, text_buffers
from evenhand.timeline import DAY, HOUR, MINUTE, SECOND, parse_instant

Moments = npt.NDArray[np.int64]

COMMON_FORMS = (
    "dddd-dd-ddTdd:dd:dd.dddZ",
    "dddd-dd-dd dd:dd:dd",
    "dddd-dd-ddTdd:dd:ddZ",
    "dddd-dd-dd",
)
"""The forms that exports are full of; `d` is one ASCII digit. Each has a length of its own."""

# 0001-01-01 and 10000-01-01: outside, an offset has moved the instant to a year that no calendar here can print.
FIRST_MOMENT = -719_162 * DAY
END_OF_TIME = 2_932_897 * DAY

_DAYS_BEFORE_MONTH = np.array([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334], dtype=np.int64)
_DAYS_IN_MONTH = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], dtype=np.int64)


def instant_of(text: str) -> int | None:
    """The instant of one text as the lake keeps it: parse_instant, within the years 1 to 9999."""
    moment = parse_instant(text)
    if moment is None or not FIRST_MOMENT <= moment < END_OF_TIME:
        return None
    return moment


def parse_instants(column: pa.StringArray) -> tuple[Moments, Mask, Mask]:
    """Microseconds since the epoch, which of them are known, and which texts are present but no instant.

    Equal to instant_of on every value; a test holds the two together.
    """
    texts = text_buffers(column)
    moments = np.zeros(len(column), dtype=np.int64)
    known = np.zeros(len(column), dtype=np.bool_)
    for form in COMMON_FORMS:
        rows = np.flatnonzero(texts.present & (texts.lengths == len(form)))
        if len(rows):
            values, fits = _parse_form(texts.gather(rows, len(form)), form)
            moments[rows[fits]] = values[fits]
            known[rows[fits]] = True
    rest = np.flatnonzero(texts.present & ~known)
    if len(rest):
        values, fits = _parse_distinct(column.take(pa.array(rest)))
        moments[rest[fits]] = values[fits]
        known[rest[fits]] = True
    return moments, known, texts.present & ~known


def _parse_form(characters: Bytes, form: str) -> tuple[Moments, Mask]:
    """Read rows of one form; the mask says which rows are of it and name a time that exists."""
    digits = characters - np.uint8(ord("0"))  # what is below '0' wraps round to above 9
    fits = np.ones(len(characters), dtype=np.bool_)
    for position, expected in enumerate(form):
        if expected == "d":
            fits &= digits[:, position] <= 9
        else:
            fits &= characters[:, position] == ord(expected)

    def number(start: int, width: int) -> Moments:
        value = np.zeros(len(digits), dtype=np.int64)
        for position in range(start, start + width):
            value = value * 10 + digits[:, position]
        return value

    year, month, day = number(0, 4), number(5, 2), number(8, 2)
    fits &= (year >= 1) & (month >= 1) & (month <= 12)
    month = np.where(fits, month, 1)
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    fits &= (day >= 1) & (day <= _DAYS_IN_MONTH[month] + (is_leap & (month == 2)))
    # Days from 0001-01-01 to the first of the year, e.g. 1970: 719162; then to the month and the day.
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    days += _DAYS_BEFORE_MONTH[month] + (is_leap & (month > 2)) + day - 1 - 719_162
    moments = days * DAY
    if len(form) >= 19:
        hour, minute, second = number(11, 2), number(14, 2), number(17, 2)
        fits &= (hour <= 23) & (minute <= 59) & (second <= 59)
        moments += hour * HOUR + minute * MINUTE + second * SECOND
    if len(form) == 24:
        moments += number(20, 3) * 1000
    return moments, fits


def _parse_distinct(column: pa.StringArray) -> tuple[Moments, Mask]:
    """The grammar itself, once per distinct text."""
    encoded = pc.dictionary_encode(column)
    found = [instant_of(text) for text in encoded.dictionary.to_pylist()]
    values = np.array([moment or 0 for moment in found], dtype=np.int64)
    fits = np.array([moment is not None for moment in found], dtype=np.bool_)
    indices = np.frombuffer(encoded.indices.buffers()[1], dtype=np.int32)[: len(column)]
    return values[indices], fits[indices]
