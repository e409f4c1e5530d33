"""The typed errors that a command may end with, each one clear sentence: what, where, what to do.

Belongs here: errors that more than one room raises, and the exit codes of the command line.
Does not: errors of one module that are caught inside the same module.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command (interface contract, "Commands")."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    STRICT = 3


class EvenhandError(Exception):
    """A refusal or failure that ends a command with one sentence and changes nothing."""

    exit_code = ExitCode.FAILED


class UsageError(EvenhandError):
    """The command line or the policy file asks for something that does not exist."""

    exit_code = ExitCode.USAGE


class SourceError(EvenhandError):
    """An export cannot be read at all: not there, not what it claims to be, cut off, locked."""


class BusySourceError(SourceError):
    """The export is locked by its writer; trying again later may work."""


class LakeError(EvenhandError):
    """A lake is missing, incomplete or of another format version."""


class DisclosureError(EvenhandError):
    """Something that must not be published was about to be."""
