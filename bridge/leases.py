"""Leases of the dead: what a process that was killed on this machine held is free again."""

from __future__ import annotations

import hashlib
import os
import socket
import uuid
from functools import cache
from pathlib import Path

from bridge.ports import Connection, Store


def holder() -> str:
    """Who we are in a lease: host, process, a mark that survives a reused process number, where such numbers count."""
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}/{_here()}"


@cache
def _here() -> str:
    """This start of this machine, and of this container: machines and containers may share a host name.

    Empty where the system does not tell. https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return hashlib.sha256(f"{boot}{Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:8]
    except OSError:
        return ""


def free_dead(store: Store, connection: Connection) -> None:
    """A lease whose holder was killed on this machine would block every sync until it runs out: free it."""
    holder = store.holder(connection.id)
    if holder is not None and _dead(holder):
        store.release(connection.id, holder)


def _dead(holder: str) -> bool:
    """Whether it was a process of this machine that is no more; before its last start, nobody can tell."""
    host, _, rest = holder.partition("/")
    process, _, marks = rest.partition("/")
    here = (host, marks.rpartition("/")[2]) == (socket.gethostname(), _here())
    return here and process.isdigit() and not _alive(int(process))


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
