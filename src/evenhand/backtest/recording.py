"""A backtest as audit data: one line that an export's audit_events can hold, and that the track record counts.

Belongs here: the row of a run and appending it to a file. Does not: counting runs (metrics/signals/track_record).

Source: fairness contract, section 0, "Event types", and section 10, "Track record".
"""

import json
import os
from pathlib import Path
from typing import Any

from evenhand.canonical import canonical, sha256_hex
from evenhand.errors import UsageError
from evenhand.timeline import iso

THRESHOLD_RUN = "calibration.threshold_backtest_run"
LOGIC_RUN = "calibration.logic_backtest_run"
_ACTOR = "evenhand"
_ID_DIGITS = 32


def run_event(event_type: str, document: dict[str, Any], at: int) -> dict[str, str]:
    """The row of a run: its comparison, its corpus and what was compared; the same run at one instant has one id."""
    kept = ("comparison", "corpusChecksum", "checksumRule", "old", "new", "mustImprove", "maxSacrifice")
    told = {key: document[key] for key in (*kept, "baseRevision", "headRevision", "skipped") if key in document}
    metadata = canonical(told).decode()
    created_at = iso(at)
    identity = sha256_hex(f"{event_type}\n{created_at}\n{metadata}".encode())[:_ID_DIGITS]
    return {
        "id": f"backtest:{identity}",
        "event_type": event_type,
        "actor": _ACTOR,
        "target_key": document["comparison"]["ruleId"],
        "outcome": "completed",
        "detail": document["comparison"]["verdict"],
        "metadata_json": metadata,
        "created_at": created_at,
    }


def append_event(path: Path, event: dict[str, str]) -> None:
    """Appends one line; a run that the file holds already is not written again.

    Raises UsageError when the name does not end in .ndjson, the form in which an export holds such rows.
    """
    if path.suffix != ".ndjson":
        raise UsageError(f"{path.name!r} must end in .ndjson: name it audit_events.ndjson and its folder is a SOURCE")
    line = json.dumps(event, ensure_ascii=False) + "\n"
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0)
        last = ""
        for last in file:
            if last == line:
                return
        file.seek(0, os.SEEK_END)
        # A line that a crash cut short must not swallow this one.
        file.write(line if not last or last.endswith("\n") else "\n" + line)
