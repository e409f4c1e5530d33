"""Reading Parquet files in a process with limits, because a small one can unpack into any size.

Belongs here: the process's own side (`python -m evenhand.verify.parquet_reader`) and the caller's. It is told one file
a line and answers one line each: the number of rows, their digest and, when asked, the rows; or why it refused. When a
file is the end of it, that file alone is refused, and another process goes on.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from evenhand.verify.plain import NotReadableError, csv_line

MOST_ROWS = 50_000_000
MOST_UNPACKED = 8 << 30
MOST_ROWS_WHOLE = 5_000_000
"""Of a table whose rows are wanted and not their digest alone."""
MEMORY = 3 << 30
SECONDS = 600
_BATCH = 16_384


@dataclass(frozen=True)
class Rows:
    """What a Parquet file holds."""

    columns: list[str]
    count: int
    digest: str
    rows: list[list[Any]]
    """Only when they were asked for; days as ISO dates."""


def read_parquet(files: Mapping[Path, int]) -> dict[Path, "Rows | NotReadableError"]:
    """What each file holds, or why it is not read. files: how many of its first rows are wanted."""
    found: dict[Path, Rows | NotReadableError] = {}
    while waiting := [file for file in files if file not in found]:
        asked = "".join(json.dumps([str(file.absolute()), files[file]]) + "\n" for file in waiting)
        command = [sys.executable, "-I", "-m", "evenhand.verify.parquet_reader"]
        try:
            ran = subprocess.run(
                command, input=asked.encode(), capture_output=True, timeout=SECONDS, check=False, env=_environment()
            )
            answers, ended = ran.stdout, f"its reader ended with {ran.returncode}"
        except subprocess.TimeoutExpired as error:
            answers, ended = error.stdout or b"", f"it was not read within {SECONDS} s"
        whole = answers.split(b"\n")[:-1]
        for file, line in zip(waiting, whole, strict=False):
            found[file] = _answer(file, line)
        if len(whole) < len(waiting):
            broken = waiting[len(whole)]
            found[broken] = NotReadableError(f"{broken.name}: {ended}")
    return found


def _answer(file: Path, line: bytes) -> "Rows | NotReadableError":
    told = json.loads(line)
    if "refused" in told:
        return NotReadableError(f"{file.name}: {told['refused']}")
    return Rows(told["columns"], told["count"], told["digest"], told["rows"])


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _main() -> None:
    import pyarrow as pa

    pa.set_cpu_count(1)
    _limit()
    for line in sys.stdin:
        path, wanted = json.loads(line)
        sys.stdout.write(json.dumps(_read(path, wanted)) + "\n")
        sys.stdout.flush()


def _read(path: str, wanted: int) -> dict[str, Any]:
    import hashlib

    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            metadata = file.metadata
            unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
            if metadata.num_rows > MOST_ROWS or unpacked > MOST_UNPACKED:
                return {"refused": f"{metadata.num_rows} rows in {unpacked} bytes are more than any table of a build"}
            digest = hashlib.sha256((",".join(file.schema_arrow.names) + "\n").encode())
            rows: list[list[Any]] = []
            count = 0
            for batch in file.iter_batches(_BATCH, use_threads=False):
                columns = [column.to_pylist() for column in batch.columns]
                for row in zip(*columns, strict=True):
                    digest.update((csv_line(row) + "\n").encode())
                    if count < wanted:
                        rows.append([value.isoformat() if isinstance(value, date) else value for value in row])
                    count += 1
            return {"columns": file.schema_arrow.names, "count": count, "digest": digest.hexdigest(), "rows": rows}
    except (pa.ArrowException, OSError, MemoryError, ValueError, AttributeError, TypeError) as error:
        return {"refused": f"no readable Parquet ({type(error).__name__})"}


if __name__ == "__main__":
    _main()
