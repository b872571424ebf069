"""Leases, which are rights to sync a connection and end by themselves unless they are renewed."""

from __future__ import annotations

import hashlib
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.domain.errors import TryLater
from bridge.domain.records import Connection

if TYPE_CHECKING:
    from bridge.store import Store

LEASE = timedelta(minutes=5)
LEASE_RENEWAL_SECONDS = 30.0  # between two renewals
LEASE_POLL_SECONDS = 0.2  # between two tries to take a lease


@dataclass(slots=True, kw_only=True)
class Lease:
    """The right to sync a connection, for as long as the lease is renewed.

    The lease's clock starts at ``now`` and follows the machine's clock, even when that is set or has slept, because
    other processes use the machine's clock too.
    """

    store: Store
    connection: Connection
    holder: str
    now: datetime
    began: float = field(default_factory=time.time)
    renewed: float = float("-inf")

    def clock(self) -> datetime:
        """Return the present time, counted by the machine's clock from the lease's ``now``."""
        return self.now + timedelta(seconds=time.time() - self.began)

    def taken(self) -> bool:
        """Take or renew the lease. Returns False while another holder has it."""
        mine = self.store.scheduling.claim(self.connection.id, self.holder, now=self.clock(), lease=LEASE)
        self.renewed = time.monotonic() if mine else self.renewed
        return mine

    def wait(self, patience: timedelta) -> bool:
        """Wait for the lease and take it. Returns False when that takes longer than ``patience``."""
        until = time.monotonic() + patience.total_seconds()
        while not self.taken():
            if time.monotonic() > until:
                return False
            time.sleep(LEASE_POLL_SECONDS)
        return True

    def renew(self) -> None:
        """Renew the lease when a renewal is due. Raises TryLater when another holder took it."""
        if time.monotonic() - self.renewed < LEASE_RENEWAL_SECONDS:
            return
        if not self.taken():
            raise TryLater("another sync has taken over this connection")

    def renewing(self, progress: Callable[[int, int], None] | None) -> Callable[[int, int], None]:
        """Return a progress function that also renews the lease."""

        def step(done: int, total: int) -> None:
            self.renew()
            if progress is not None:
                progress(done, total)

        return step


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """Hold a lease for work that is no sync. Raises TryLater when another holder has it."""
    source = lease.connection.source
    if not lease.taken():
        raise TryLater(f"{source} is being synced; try again when that is done, in a minute or so")
    try:
        yield lease
    finally:
        lease.store.scheduling.release(lease.connection.id, lease.holder)


def holder() -> str:
    """Return this process's name as a holder, made of host, process id, random mark, and mark of the system.

    The random mark tells processes with the same id apart.
    """
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}/{_system_mark()}"


@cache
def _system_mark() -> str:
    """Return a mark of this start of this machine and container, because several of them may share a host name.

    Empty where the system does not tell. https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return hashlib.sha256(f"{boot}{Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:8]
    except OSError:
        return ""


def release_if_dead(store: Store, connection: Connection) -> None:
    """Release a connection's lease if its holder died on this machine. A sync need not wait until the lease expires."""
    holder = store.scheduling.lease_holder(connection.id)
    if holder is not None and _is_dead(holder):
        store.scheduling.release(connection.id, holder)


def release_dead(store: Store) -> None:
    """Release the leases of all holders that died on this machine."""
    for holder in store.scheduling.lease_holders():
        if _is_dead(holder):
            store.scheduling.release_all(holder)


def _is_dead(holder: str) -> bool:
    """Return True for a process of this machine, since its last start, that no longer runs."""
    host, _, rest = holder.partition("/")
    process, _, marks = rest.partition("/")
    here = (host, marks.rpartition("/")[2]) == (socket.gethostname(), _system_mark())
    return here and process.isdigit() and not _is_alive(int(process))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
