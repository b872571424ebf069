"""Find the command that mends a connection, or brings it up to date."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from bridge.domain.records import FOLDER_CONNECTION, IMPORT_CONNECTION, PUSH_CONNECTION, Connection, User

if TYPE_CHECKING:
    from bridge.installation import Bridge


def is_lost(bridge: Bridge, connection: Connection) -> bool:
    """Return True without a consent that the user did not end, as after the import of an export."""
    return _has_no_secret(bridge, connection) and not is_kept(bridge, connection)


def is_kept(bridge: Bridge, connection: Connection) -> bool:
    """Return True if the user disconnected a connection and kept its data. It is never due again."""
    ended = connection.due_at is None and connection.paused is None and connection.last_success is not None
    return ended and _has_no_secret(bridge, connection)


def _has_no_secret(bridge: Bridge, connection: Connection) -> bool:
    return (
        connection.name.startswith(("account", FOLDER_CONNECTION))
        and bridge.store.connections.secret(connection.id) is None
    )


def mending_command(bridge: Bridge, user: User, connection: Connection) -> str:
    """Return the command that mends a connection which has failed, was paused or has lost its consent."""
    login = f"bridge connect {connection.source} --user {user.name}"
    if connection.name == IMPORT_CONNECTION:
        return f"bridge import PATH --user {user.name}"
    if is_lost(bridge, connection):
        pushed = connection.name == PUSH_CONNECTION
        return login + ("" if connection.name.startswith("account") else " --push" if pushed else " --folder PATH")
    last = bridge.store.scheduling.last_outcome(connection.id)
    if connection.paused and not (last and last[1].outcome == "stopped"):
        return login
    return f"bridge sync --user {user.name} --source {connection.source}"


def next_step(bridge: Bridge, user: User, connection: Connection, now: datetime) -> str:
    """Return the command to run next for a connection, or an empty text if all is well."""
    wrong = connection.paused or connection.last_error or is_lost(bridge, connection)
    if wrong or connection.last_success is connection.due_at is None:
        return mending_command(bridge, user, connection)
    if connection.due_at is not None and connection.due_at < now:
        return f"bridge sync --user {user.name}"
    return f"bridge connect {connection.source} --user {user.name}" if connection.not_permitted else ""
