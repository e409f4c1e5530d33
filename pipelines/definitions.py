"""The definitions that Dagster loads: assets, checks, the nightly job and its schedule.

Belongs here: how the parts are put together. Does not: the parts.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from evenhand.sources import is_database
from pipelines import assets, checks, days, reviews
from pipelines.resources import Build

SOURCE_VARIABLE = "EVENHAND_SOURCE"
SCHEDULE = "15 2 * * *"
"""02:15 UTC: after the day has ended and its late events have arrived."""

nightly = dg.define_asset_job(
    "nightly",
    selection=dg.AssetSelection.all() - dg.AssetSelection.assets(*days.KEYS),
    description="Extract, compute, check, publish.",
)


def _settings() -> dict[str, str]:
    """The build that the environment describes; without one, the committed sample."""
    source = os.environ.get(SOURCE_VARIABLE, "data/sample/export.sqlite")
    return {
        # Dagster keeps the settings of each run: the address of a database stays in the variable.
        "source": f"env:{SOURCE_VARIABLE}" if is_database(source) else source,
        "as_of": os.environ.get("EVENHAND_AS_OF", "2026-11-01T00:00:00Z"),
        "policy_file": os.environ.get("EVENHAND_POLICY", "data/sample/policy.toml"),
        "lake": os.environ.get("EVENHAND_LAKE", "data/lake"),
        "out": os.environ.get("EVENHAND_OUT", "reports"),
        "operator": os.environ.get("EVENHAND_OPERATOR", ""),
        "reviews": os.environ.get("EVENHAND_REVIEWS", _of_the_sample("reviews.ndjson")),
        "seats": os.environ.get("EVENHAND_SEATS", _of_the_sample("seats.ndjson")),
    }


def _of_the_sample(name: str) -> str:
    """A file of the sample, but never beside another export."""
    return "" if "EVENHAND_SOURCE" in os.environ else f"data/sample/{name}"


@dg.schedule(job=nightly, cron_schedule=SCHEDULE, execution_timezone="UTC")
def every_night(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """One build a night, as of the UTC midnight before it."""
    moment = context.scheduled_execution_time.replace(hour=0, minute=0, second=0, microsecond=0)
    as_of = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return dg.RunRequest(
        run_key=as_of, run_config=dg.RunConfig(resources={"build": Build(**{**_settings(), "as_of": as_of})})
    )


@dg.sensor(job=nightly, minimum_interval_seconds=60)
def a_landed_export(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """One build for each export that lands in the folder of EVENHAND_LANDING, as of the last UTC midnight."""
    now = time.time()
    folder = Path(os.environ.get(days.LANDING, "data/landing"))
    exports = days.landed(folder, now)
    if not exports:
        yield dg.SkipReason(f"no settled export in {folder.name}")
    as_of = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT00:00:00Z")
    for export in exports:
        # An export that is replaced under its name is another one.
        key = f"{export.name}-{export.stat().st_mtime_ns}"
        settings = {**_settings(), "source": str(export), "as_of": as_of, "reviews": "", "seats": ""}
        yield dg.RunRequest(run_key=key, run_config=dg.RunConfig(resources={"build": Build(**settings)}))


defs = dg.Definitions(
    assets=[
        assets.lake,
        *assets.METRICS,
        assets.corpus_cases,
        assets.corpora,
        assets.score_records,
        assets.calibration,
        reviews.seat_records,
        reviews.assessed,
        *reviews.STATISTICS,
        assets.report,
        days.days_of_the_lake,
        days.report_of_a_day,
    ],
    asset_checks=[*checks.CHECKS, reviews.every_record_is_read_or_bad],
    jobs=[nightly, days.days, days.past_reports],
    schedules=[every_night],
    sensors=[a_landed_export],
    resources={"build": Build(**_settings())},
    # With the default executor every step starts a process: ten trivial assets took 82 s instead of 6.
    executor=dg.in_process_executor,
)
