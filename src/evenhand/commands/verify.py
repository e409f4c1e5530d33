"""`evenhand verify`: its arguments and its table. What is checked is the verifier's."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import command_named
from evenhand.errors import EvenhandError, ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands
    from evenhand.verify.claims import Claims


def add(commands: "Commands") -> None:
    """Adds the command."""
    command = command_named(commands, "verify", "check a published build")
    command.add_argument("target", metavar="TARGET", help="a build's folder, or its http address")
    command.add_argument("--json", action="store_true", help="print every claim as JSON")
    command.add_argument("--all", action="store_true", help="print the claims that passed too, one by one")
    command.add_argument("--key", type=Path, metavar="FILE", help="the publisher's public key, or a list of its keys")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from evenhand.verify.check import verify
    from evenhand.verify.target import NoBuildError

    if options.key is not None and not options.key.is_file():
        raise EvenhandError(f"there is no key file {options.key.name}: check --key")
    try:
        claims = verify(options.target, options.key)
    except NoBuildError as error:
        raise EvenhandError(str(error)) from error
    if options.json:
        json.dump(_document(claims), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        from evenhand.site.terminal import visible

        for line in _table(claims, every=options.all):
            print(visible(line))
    return ExitCode.DONE if claims.sound else ExitCode.FAILED


def _document(claims: "Claims") -> dict[str, object]:
    from evenhand.verify.claims import Status

    return {
        "sound": claims.sound,
        "counts": {str(status): claims.count(status) for status in Status},
        "claims": [claim.as_json() for claim in claims.listed],
    }


def _table(claims: "Claims", *, every: bool) -> list[str]:
    """What failed and what could not be checked, a line each; what passed as one line a group."""
    from evenhand.verify.claims import Status

    lines: list[str] = []
    groups: dict[str, dict[Status, int]] = {}
    for claim in claims.listed:
        group = claim.name.partition(":")[0]
        groups.setdefault(group, dict.fromkeys(Status, 0))[claim.status] += 1
        if claim.status is Status.FAIL:
            lines.append(
                f"FAIL  {claim.name}: expected {claim.expected or 'nothing'}, found {claim.found or 'nothing'}"
            )
        elif claim.status is Status.SKIP:
            lines.append(f"SKIP  {claim.name}: {claim.reason}")
        elif every:
            lines.append(f"PASS  {claim.name}: {claim.found}")
    width = max((len(group) for group in groups), default=0)
    lines += ["", f"{'claims of':{width}}  {'pass':>6}  {'fail':>6}  {'skip':>6}"]
    lines += [
        f"{group:{width}}  {of[Status.PASS]:>6}  {of[Status.FAIL]:>6}  {of[Status.SKIP]:>6}"
        for group, of in groups.items()
    ]
    verdict = "Nothing failed." if claims.sound else "The build does not hold."
    lines.append(f"{claims.count(Status.PASS)} passed, {claims.count(Status.FAIL)} failed. {verdict}")
    return lines
