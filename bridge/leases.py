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
    """The right of ``holder`` to sync a connection, which ends some time after the last renewal.

    Its clock follows the machine's wall clock, as that of other processes does.
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
        """Take or renew the lease for five minutes. Returns True on success, and False while another holder has it."""
        mine = self.store.scheduling.claim(self.connection.id, self.holder, now=self.clock(), lease=LEASE)
        self.renewed = time.monotonic() if mine else self.renewed
        return mine

    def claimed(self) -> Lease:
        """Return the same lease, noted as just taken by ``holder``."""
        self.renewed = time.monotonic()
        return self

    def is_mine(self) -> bool:
        """Take the lease unless it was taken already. Return True if it is held."""
        return self.renewed > float("-inf") or self.taken()

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
        """Renew the lease if the last renewal is some time ago. Raises TryLater if another holder has taken it."""
        if time.monotonic() - self.renewed < LEASE_RENEWAL_SECONDS:
            return
        if not self.taken():
            raise TryLater("another sync has taken over this connection; wait until it is done")

    def renewing(self, progress: Callable[[int, int], None] | None) -> Callable[[int, int], None]:
        """Return a function of (done, total) that renews the lease when due, and then calls ``progress`` if given."""

        def step(done: int, total: int) -> None:
            self.renew()
            if progress is not None:
                progress(done, total)

        return step


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """Take a lease for work that must not run during a sync, until the block ends. Raises TryLater if held."""
    source = lease.connection.source
    if not lease.taken():
        raise TryLater(f"{source} is being synced; try again when that is done, in a minute or so")
    try:
        yield lease
    finally:
        lease.store.scheduling.release(lease.connection.id, lease.holder)


def holder() -> str:
    """Return a new name for a holder of leases: host, process id, random mark, and mark of the running system."""
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}/{_system_mark()}"


@cache
def _system_mark() -> str:
    """Return a text that differs for each start of a system or container, which may share a host name, or ""."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return hashlib.sha256(f"{boot}{Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:8]
    except OSError:
        return ""


def release_if_dead(store: Store, connection: Connection) -> bool:
    """Release a connection's lease if its holder was a process of this machine that has died, and return True then."""
    holder = store.scheduling.lease_holder(connection.id)
    dead = holder is not None and _is_dead(holder)
    if holder is not None and dead:
        store.scheduling.release(connection.id, holder)
    return dead


def release_dead(store: Store) -> None:
    """Release all leases whose holders were processes of this machine that have died."""
    for holder in store.scheduling.lease_holders():
        if _is_dead(holder):
            store.scheduling.release_all(holder)


def _is_dead(holder: str) -> bool:
    """Return True if a holder was a process of this machine that has ended. Other machines' holders are not known."""
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
