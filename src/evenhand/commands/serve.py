"""`evenhand serve`: its arguments. What is answered is the server's."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import command_named, tell
from evenhand.errors import ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def add(commands: "Commands") -> None:
    """Adds the command."""
    command = command_named(commands, "serve", "serve a published site and its API, read-only")
    command.add_argument("directory", type=Path, metavar="DIR", help="the folder of --out, or one build's own")
    command.add_argument("--host", default="127.0.0.1", metavar="HOST")
    command.add_argument("--port", type=int, default=8787, metavar="PORT")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from evenhand.serve.server import Server
    from evenhand.serve.tree import Tree

    with Server(Tree(options.directory), options.host, options.port) as server:
        tell(f"Serving {options.directory} at {server.address} (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell("Stopped.")
    return ExitCode.DONE
