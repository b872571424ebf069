"""Leases of the dead: what a process that was killed on this machine held is free again."""

from __future__ import annotations

import os
import socket

from bridge.ports import Connection, Store


def free_dead(store: Store, connection: Connection) -> None:
    """A lease whose holder was killed on this machine would block every sync until it runs out: free it."""
    holder = store.holder(connection.id)
    if holder is None:
        return
    host, _, rest = holder.partition("/")
    process = rest.partition("/")[0]
    if host == socket.gethostname() and process.isdigit() and not _alive(int(process)):
        store.release(connection.id, holder)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
