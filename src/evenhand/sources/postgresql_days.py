"""The UTC day of a row, told by a PostgreSQL server.

Belongs here: the expressions that give the same day as the lake reads from a row's text, and NULL where only a reader
of texts can tell. Does not: which rows are read (postgresql.py, lake/increments.py), or the grammar of an instant
(timeline.py), whose common forms alone are told here.

What an expression takes for the day of an instant must be what the lake takes for it: rows without a day are read each
time, so a form that is left out costs time and nothing else.
"""

from datetime import date, timedelta

_DATE = (
    "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
)
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = ":[0-5][0-9]([.][0-9]+)?"
# Of longer fractions PostgreSQL makes the nearest microsecond, which may be tomorrow's.
_CAST_SECONDS = ":[0-5][0-9]([.][0-9]{1,6})?"
_UTC = f"^{_DATE}(T{_CLOCK}({_SECONDS})?Z?| {_CLOCK}{_SECONDS}Z?)?$"
# The form that the gate writes, up to the 28th, in a quarter of the time that the expression takes.
_COMMON = (
    "(length({0}) = 24 AND translate({0}, '123456789', '000000000') = '0000-00-00T00:00:00.000Z' "
    "AND substr({0}, 6, 2) BETWEEN '01' AND '12' AND substr({0}, 9, 2) BETWEEN '01' AND '28' "
    "AND substr({0}, 12, 2) <= '23' AND substr({0}, 15, 1) <= '5' AND substr({0}, 18, 1) <= '5')"
)
# PostgreSQL knows offsets of less than 16 hours.
_OFFSET = f"^{_DATE}(T{_CLOCK}({_CAST_SECONDS})?| {_CLOCK}{_CAST_SECONDS})[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?$"
_FIRST_YEAR, _AFTER_LAST_YEAR = "0002-01-01", "9999-01-01"
_TEXTS = ("text", "varchar")
_MOMENTS = {"timestamptz": "AT TIME ZONE 'UTC'", "timestamp": "", "date": ""}


def day_of(column: str, kind: str) -> str:
    """The expression of a column's UTC day as `YYYY-MM-DD`, compared by its bytes; empty for a type without one.

    Right for each row whose time is an instant, or NULL; a text that is none may have any day, or words for one. To ask
    for more of each row takes longer than all the rest of a night.
    """
    return _day_of(column, kind, "strpos(substr({0}, 11), '+') = 0 AND strpos(substr({0}, 11), '-') = 0")


def certain_day_of(column: str, kind: str) -> str:
    """The same, and NULL for each text that is no instant."""
    return _day_of(column, kind, f"({_COMMON} OR {{0}} ~ '{_UTC}')")


def is_day(text: str) -> bool:
    """Whether such a text is a date of the calendar."""
    try:
        return len(text) == 10 and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _day_of(column: str, kind: str, is_utc: str) -> str:
    name = _quoted(column)
    if kind in _MOMENTS:
        known = f"{name} >= '{_FIRST_YEAR}' AND {name} < '{_AFTER_LAST_YEAR}'"
        return f"CASE WHEN {known} THEN to_char({name} {_MOMENTS[kind]}, 'YYYY-MM-DD') END COLLATE \"C\""
    if kind not in _TEXTS:
        return ""
    text = f'({name}::text COLLATE "C")'
    known = f"{text} >= '{_FIRST_YEAR}' AND {text} < '{_AFTER_LAST_YEAR}'"
    moved = f"to_char({name}::text::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    return (
        f"CASE WHEN NOT ({known}) THEN NULL WHEN {is_utc.replace('{0}', text)} THEN left({text}, 10) "
        f"WHEN {text} ~ '{_OFFSET}' THEN {moved} END COLLATE \"C\""
    )


def no_earlier(column: str, kind: str, day: str) -> str:
    """A condition that an index can answer, true of each row of a day and later, and of some of the day before."""
    bound = date.fromisoformat(day)
    if kind in _TEXTS and bound > date.min:
        # A text with an offset can name an instant of the next day, UTC.
        bound -= timedelta(days=1)
    return f"{_quoted(column)} >= '{bound.isoformat()}'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
