"""One way to open DuckDB for the whole package.

Belongs here: what must hold on every connection (silence, no extension fetched). Does not: what is asked of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def in_memory(threads: int | None = None) -> "duckdb.DuckDBPyConnection":
    """An in-memory DuckDB that prints nothing and loads nothing.

    On a terminal DuckDB draws its progress bar on stdout, where only machine output belongs. Where none would be drawn
    the setting is left alone: in a notebook without ipywidgets, touching it raises.
    """
    import duckdb

    connection = duckdb.connect(":memory:", config={"threads": threads} if threads else {})
    [(shows_bar,)] = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if shows_bar:
        connection.execute("SET enable_progress_bar = false")
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute("SET autoload_known_extensions = false")
    return connection
