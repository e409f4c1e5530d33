"""Where a PostgreSQL database is, and the sentences for why it cannot be read.

Belongs here: opening a connection whose address never leaves this module, and telling a failure by its kind. libpq
repeats parts of an address in its messages, the password among them, so that no message of a driver is ever passed
on or kept as the cause of an error. Does not: what is asked (postgresql.py).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import BusySourceError, SourceError

if TYPE_CHECKING:
    from adbc_driver_postgresql.dbapi import Connection

LABEL = "PostgreSQL"
"""All that is ever shown of a database; what is published names the policy's label."""

# What libpq says when it cannot connect, in its untranslated words, and what to do about it.
_NO_CONNECTION: tuple[tuple[tuple[str, ...], type[SourceError], str], ...] = (
    (
        ("password authentication failed", "no password supplied", "authentication failed"),
        SourceError,
        "refuses the user or the password: check the address, or the variable that holds it",
    ),
    (("pg_hba.conf", "is not permitted to log in"), SourceError, "does not admit this user from here: ask who runs it"),
    (
        ("definition of service",),
        SourceError,
        "is named by a service that no service file defines: check PGSERVICEFILE",
    ),
    (('role "', "does not exist"), SourceError, "has no such database or user: check the address"),
    (("could not translate host name",), SourceError, "has a host name that nobody knows: check the address"),
    (("ssl", "certificate"), SourceError, "cannot be reached securely: check sslmode and the certificates"),
    (
        ("connection refused", "timeout expired", "no route to host", "network is unreachable", "no such file"),
        BusySourceError,
        "does not answer: check that it runs and can be reached from here, or try again later",
    ),
    (
        ("too many", "starting up", "shutting down", "recovery mode", "closed the connection", "reset by peer"),
        BusySourceError,
        "takes no connection at present: try again later",
    ),
)
_BAD_ADDRESS = "has an address that cannot be understood: write it as postgresql://user@host:port/database"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a database may take."""

    connect_seconds: int
    statement_seconds: int


@contextmanager
def _for_libpq(limits: Limits) -> Iterator[None]:
    """What libpq takes from the environment where an address does not say it, and its words in English."""
    wanted = {"PGCONNECT_TIMEOUT": str(limits.connect_seconds), "PGAPPNAME": "evenhand"}
    added = [name for name in wanted if name not in os.environ]
    before = os.environ.get("LC_MESSAGES")
    os.environ.update({name: wanted[name] for name in added}, LC_MESSAGES="C")
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
        if before is None:
            os.environ.pop("LC_MESSAGES", None)
        else:
            os.environ["LC_MESSAGES"] = before


def connect(address: str, limits: Limits) -> "Connection":
    """A connection; SourceError when there is none to be had, BusySourceError when it may be had later."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise SourceError("PostgreSQL needs the package adbc-driver-postgresql: install evenhand[postgresql]") from None
    refusal: SourceError | None = None
    connection: Any = None
    with _for_libpq(limits):
        try:
            connection = dbapi.connect(address, autocommit=True)
        except Exception as error:
            refusal = _no_connection(str(error))
    # Raised out here, so that not even the context of the error holds what the driver said.
    if refusal is not None:
        raise refusal
    return connection


def _no_connection(message: str) -> SourceError:
    told = message.lower()
    for words, kind, sentence in _NO_CONNECTION:
        if any(word in told for word in words):
            return kind(f"the database {sentence}")
    return SourceError(f"the database {_BAD_ADDRESS}")


def refusal(error: Exception, what: str, limits: Limits) -> SourceError:
    """The sentence for a failure while something was asked; by its SQLSTATE, and by no word of the driver's."""
    state = str(getattr(error, "sqlstate", None) or "")
    message = str(error).lower()
    if state == "57014" or "statement timeout" in message:
        seconds = limits.statement_seconds
        return BusySourceError(
            f"{what} took longer than {seconds} seconds to read: try again, or raise statement_seconds in [postgresql]"
        )
    if state == "42501" or "permission denied" in message:
        return SourceError(f"the user may not read {what}: grant SELECT on it, or name another user")
    if state in ("55P03", "40001", "40P01") or "lock timeout" in message:
        return BusySourceError(f"{what} is locked by another session: try again when it has finished")
    cut = ("terminating connection", "closed the connection", "connection to server", "no connection", "reset by peer")
    if state[:2] in ("08", "57") or any(word in message for word in cut):
        return BusySourceError(f"the connection was cut while {what} was read, and nothing was kept: try again")
    if "recovery" in message:
        return BusySourceError(f"{what} changed on the primary while it was read from a standby: try again")
    code = f" (SQLSTATE {state})" if state.isalnum() else ""
    return SourceError(f"{what} cannot be read{code}: look into the server's log")
