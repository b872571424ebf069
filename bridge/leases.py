"""Leases: rights to sync a connection. A lease ends by itself after five minutes unless it is renewed."""

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
    """The right of ``holder`` to sync a connection. It ends five minutes after the last renewal.

    ``now`` is the time when this object was made. From there on it follows the machine's wall clock, also when that
    clock is set. Other processes use it too.
    """

    store: Store
    connection: Connection
    holder: str
    now: datetime
    began: float = field(default_factory=time.time)
    renewed: float = float("-inf")

    def clock(self) -> datetime:
        """Return the present time: ``now`` plus the seconds that the machine's clock has advanced since this object was
        made.
        """
        return self.now + timedelta(seconds=time.time() - self.began)

    def taken(self) -> bool:
        """Take or renew the lease for five minutes. Returns False, and takes nothing, while another holder has it."""
        mine = self.store.scheduling.claim(self.connection.id, self.holder, now=self.clock(), lease=LEASE)
        self.renewed = time.monotonic() if mine else self.renewed
        return mine

    def wait(self, patience: timedelta) -> bool:
        """Wait until the lease is free, take it and return True. Returns False if that takes longer than
        ``patience``.
        """
        until = time.monotonic() + patience.total_seconds()
        while not self.taken():
            if time.monotonic() > until:
                return False
            time.sleep(LEASE_POLL_SECONDS)
        return True

    def renew(self) -> None:
        """Renew the lease if the last renewal is at least 30 seconds old. Raises TryLater if another holder has taken
        it.
        """
        if time.monotonic() - self.renewed < LEASE_RENEWAL_SECONDS:
            return
        if not self.taken():
            raise TryLater("another sync has taken over this connection")

    def renewing(self, progress: Callable[[int, int], None] | None) -> Callable[[int, int], None]:
        """Return a function ``step(done, total)``, which renews the lease when due and then calls ``progress``, if
        given.
        """

        def step(done: int, total: int) -> None:
            self.renew()
            if progress is not None:
                progress(done, total)

        return step


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """Take the lease for a ``with`` block, yield it, and release it afterwards. Raises TryLater while another holder
    has it.

    This is for work that is no sync, but must not run beside one.
    """
    source = lease.connection.source
    if not lease.taken():
        raise TryLater(f"{source} is being synced; try again when that is done, in a minute or so")
    try:
        yield lease
    finally:
        lease.store.scheduling.release(lease.connection.id, lease.holder)


def holder() -> str:
    """Return a new name for a holder of leases in this process: host, process id, random mark and mark of the system.

    The random mark tells two holders in one process apart.
    """
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}/{_system_mark()}"


@cache
def _system_mark() -> str:
    """Return eight hex digits that change with each start of the machine and differ between containers.

    They tell apart machines and containers with the same host name. The text is empty where Linux' /proc is missing.
    https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return hashlib.sha256(f"{boot}{Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:8]
    except OSError:
        return ""


def release_if_dead(store: Store, connection: Connection) -> None:
    """Release a connection's lease if its holder was a process of this machine that no longer runs.

    Otherwise the next sync would have to wait until the lease expires.
    """
    holder = store.scheduling.lease_holder(connection.id)
    if holder is not None and _is_dead(holder):
        store.scheduling.release(connection.id, holder)


def release_dead(store: Store) -> None:
    """Release all leases whose holders were processes of this machine that no longer run."""
    for holder in store.scheduling.lease_holders():
        if _is_dead(holder):
            store.scheduling.release_all(holder)


def _is_dead(holder: str) -> bool:
    """Return True if ``holder`` names a process of this machine that no longer runs.

    Returns False for other machines, other containers and earlier starts of this machine, because that cannot be known.
    """
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
