"""Leases of the dead: what a process that was killed on this machine held is free again."""

from __future__ import annotations

import os
import socket

from bridge.ports import Connection, Store


def free_dead(store: Store, connection: Connection) -> None:
    """A lease whose holder was killed on this machine would block every sync until it runs out: free it."""
    holder = store.holder(connection.id)
    if holder is not None and _dead(holder):
        store.release(connection.id, holder)


def _dead(holder: str) -> bool:
    """Whether it was a process of this machine that is no more."""
    host, _, rest = holder.partition("/")
    process = rest.partition("/")[0]
    return host == socket.gethostname() and process.isdigit() and not _alive(int(process))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def free_all_dead(store: Store) -> None:
    """The same for everybody who holds a lease."""
    for holder in store.work.holders():
        if _dead(holder):
            store.work.free_all(holder)
