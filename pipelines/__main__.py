"""Runs the nightly job once, in this process: what `make report` and a cron line call.

Belongs here: arguments, quiet logs, the exit code. Does not: what the job does.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import dagster as dg

from evenhand.build import refuse_seats_alone
from evenhand.errors import EvenhandError
from evenhand.overlap import refuse_overlap
from evenhand.policy import load_policy
from evenhand.site.terminal import visible
from evenhand.sources import is_database
from evenhand.timeline import instant_argument
from pipelines.assets import SITE
from pipelines.definitions import SOURCE_VARIABLE, defs
from pipelines.resources import Build


def main() -> int:
    """0 when the report is published, 1 when a step failed; then the old report stays."""
    options = _arguments()
    try:
        refuse_overlap(options.out, options.operator, options.lake, options.source)
        refuse_seats_alone(options.reviews, options.seats)
        load_policy(options.policy)
        instant_argument(options.as_of)
    except EvenhandError as error:
        print(f"nightly: {visible(str(error))}", file=sys.stderr)
        return int(error.exit_code)
    if is_database(options.source):
        # Dagster keeps the settings of a run, and an address may hold a password.
        os.environ[SOURCE_VARIABLE] = options.source
        options.source = f"env:{SOURCE_VARIABLE}"
    build = Build(
        source=options.source,
        as_of=options.as_of,
        policy_file=str(options.policy or ""),
        repos=options.repos or "",
        lake=str(options.lake),
        out=str(options.out),
        operator=str(options.operator or ""),
        restate=options.restate or "",
        reviews=str(options.reviews or ""),
        seats=str(options.seats or ""),
        anchor_keys=str(options.anchor_keys or ""),
    )
    with tempfile.TemporaryDirectory(prefix="evenhand-dagster-") as home:
        instance = dg.DagsterInstance.local_temp(home)
        job = defs.resolve_job_def("nightly")
        quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        result = job.execute_in_process(
            run_config=quiet, instance=instance, resources={"build": build}, raise_on_error=False
        )
        return _report(result)


def _report(result: dg.ExecuteInProcessResult) -> int:
    failed_checks = [
        check
        for check in result.get_asset_check_evaluations()
        if not check.passed and check.severity is dg.AssetCheckSeverity.ERROR
    ]
    failures: dict[str, None] = {}
    for event in result.all_events:
        if event.is_step_failure:
            failures[visible(_sentence(event))] = None
    for sentence in failures:
        print(f"nightly: {sentence}", file=sys.stderr)
    for check in failed_checks:
        print(
            f"nightly: the check {check.check_name} of {check.asset_key.to_user_string()} failed",
            file=sys.stderr,
        )
    if not result.success or failed_checks:
        return 1
    for event in result.get_asset_materialization_events():
        if event.asset_key == SITE:
            summary = event.materialization.metadata["summary"].value
            print(summary, end="")
    warned = [check for check in result.get_asset_check_evaluations() if not check.passed]
    for check in warned:
        print(
            f"nightly: the check {check.check_name} of {check.asset_key.to_user_string()} warns",
            file=sys.stderr,
        )
    return 0


def _sentence(event: dg.DagsterEvent) -> str:
    """The cause of a failed step in one sentence."""
    data = event.step_failure_data
    if data.user_failure_data and data.user_failure_data.description:
        return str(data.user_failure_data.description)
    error = data.error
    while error is not None and error.cause is not None:
        error = error.cause
    return error.message.strip() if error is not None else str(event.message)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pipelines", description=__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--as-of", required=True)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--repos")
    parser.add_argument("--lake", type=Path, default=Path("data/lake"))
    parser.add_argument("--out", type=Path, default=Path("reports"))
    parser.add_argument("--operator", type=Path)
    parser.add_argument("--restate")
    parser.add_argument("--reviews", type=Path)
    parser.add_argument("--seats", type=Path)
    parser.add_argument("--anchor-keys", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
