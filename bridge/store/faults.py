"""Find out what is wrong with a database or its disk, such as full, read-only, locked or damaged."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import sqlalchemy as sa

from bridge.domain.errors import Fault, StoreFault
from bridge.domain.languages import say

FREE_MIN_BYTES = 1_000_000  # below this a disk counts as full
TEXTS = MappingProxyType(
    {
        Fault.FULL: say("there is no room left on the disk; make room, then do it again"),
        Fault.READ_ONLY: say("the disk or the database can only be read; make it writable, then do it again"),
        Fault.LOCKED: say("another process writes into the database for long; try again when it is done"),
        Fault.DAMAGED: say("the database is damaged; stop the bridge and go on from a backup (see: bridge doctor)"),
        Fault.FAILING: say("the disk of the database fails; see the system's log, then: bridge doctor"),
    }
)
_SQLITE = {  # beginnings of SQLite's names (https://www.sqlite.org/rescode.html)
    "SQLITE_FULL": Fault.FULL,
    "SQLITE_READONLY": Fault.READ_ONLY,
    "SQLITE_BUSY": Fault.LOCKED,
    "SQLITE_LOCKED": Fault.LOCKED,
    "SQLITE_PROTOCOL": Fault.LOCKED,
    "SQLITE_CORRUPT": Fault.DAMAGED,
    "SQLITE_NOTADB": Fault.DAMAGED,
    "SQLITE_IOERR": Fault.FAILING,
}
_POSTGRESQL = {  # https://www.postgresql.org/docs/current/errcodes-appendix.html
    "53100": Fault.FULL,
    "25006": Fault.READ_ONLY,
    "55P03": Fault.LOCKED,
    "40P01": Fault.LOCKED,  # a deadlock, of which the server ends one transaction
    "XX001": Fault.DAMAGED,
    "XX002": Fault.DAMAGED,
    "58030": Fault.FAILING,
}
_SYSTEM = {
    errno.ENOSPC: Fault.FULL,
    errno.EDQUOT: Fault.FULL,
    errno.EROFS: Fault.READ_ONLY,
    errno.EIO: Fault.FAILING,
}


def fault(kind: Fault) -> StoreFault:
    """Return the error to raise for a kind of fault. Its text names the next command."""
    return StoreFault(TEXTS[kind], kind=kind)


def kind_of(error: BaseException, folder: Path | None = None) -> Fault | None:
    """Return the kind of fault that an error of the database or of a file means, or None for other errors.

    If the error is unclear, as SQLite's often is, the disk of ``folder`` is checked.
    """
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    if isinstance(cause, StoreFault):
        return cause.kind
    if isinstance(cause, OSError):
        return _SYSTEM.get(cause.errno or 0)
    name = getattr(cause, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and folder is not None and (found := of_disk(folder)):
        return found
    known = next((kind for begin, kind in _SQLITE.items() if name.startswith(begin)), None)
    return known or _POSTGRESQL.get(getattr(cause, "sqlstate", None) or "")


def of_disk(folder: Path) -> Fault | None:
    """Return FULL or READ_ONLY if the disk of a folder cannot be written, else None."""
    if not hasattr(os, "statvfs"):
        return None
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    if disk.f_flag & os.ST_RDONLY:
        return Fault.READ_ONLY
    blocks = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return Fault.FULL if blocks * disk.f_frsize < FREE_MIN_BYTES else None


def damage(path: Path) -> str | None:
    """Return what is damaged in a SQLite file, all of which is read, or None.

    Raises StoreFault if the file cannot be read for another reason.
    """
    with closing(sqlite3.connect(path)) as file:
        try:
            found = str(file.execute("PRAGMA quick_check(1)").fetchone()[0])
        except sqlite3.DatabaseError as error:
            kind = kind_of(error, path.parent)
            if kind is None:
                raise
            if kind is not Fault.DAMAGED:
                raise fault(kind) from error
            return str(error)
    return None if found == "ok" else found.splitlines()[-1]
