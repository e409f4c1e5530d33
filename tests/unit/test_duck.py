"""A connection to DuckDB never draws on stdout, and opens wherever Python runs."""

import os
import pty
import subprocess
import sys

import nbformat
from nbclient import NotebookClient

SETTING = "execute(\"SELECT current_setting('enable_progress_bar')\").fetchall()"


def on_a_terminal(program: str) -> str:
    """What a Python program prints when its output is a terminal."""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stdout=theirs, stderr=theirs, stdin=theirs, check=True)
    os.close(theirs)
    with os.fdopen(ours, "rb") as terminal:
        return terminal.read1().decode()


def test_no_progress_bar_is_drawn_where_duckdb_would_draw_one() -> None:
    assert "True" in on_a_terminal(f"import duckdb; print(duckdb.connect().{SETTING})")
    assert "False" in on_a_terminal(f"from evenhand.duck import in_memory; print(in_memory().{SETTING})")


def test_a_notebook_kernel_without_widgets_opens_it_too() -> None:
    cell = nbformat.v4.new_code_cell(f"from evenhand.duck import in_memory\nin_memory(1).{SETTING}")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"] == "[(False,)]"
