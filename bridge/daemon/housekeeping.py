"""Delete what is old, restore backups, move a store to another database, and slim an installation."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import installation, leases, registry
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.records import Tidied

if TYPE_CHECKING:
    from bridge.store import Store
    from bridge.store.moving import MovedTable


DAILY_INTERVAL = timedelta(days=1)
COMPACT_DAILY_BYTES = 200_000_000  # a store of this size is rewritten in seconds, also on a slow disk
HOUSEKEEPING_NAME = "housekeeping"

Step = Callable[[int, int], None]
Progress = Callable[[str], Step]
DESCRIPTIONS = Path("googleapiclient/discovery_cache/documents")  # of all of Google's APIs, 110 MB
USED_DESCRIPTIONS = ("calendar.v3.json", "tasks.v1.json")  # of Google Health the connector needs none
TESTS = ("test", "tests")
SOURCES = (".a", ".c", ".cc", ".cpp", ".exe", ".h", ".hpp", ".pxd", ".pxi", ".pyi", ".pyx")  # and declarations
INSTALLERS = ("pip", "setuptools", "hatchling")  # seldom run, so that they need not be compiled
ADVICE = "install into an environment of its own: python3 -m venv /opt/rhythm-bridge"


def is_due(bridge: installation.Bridge, *, now: datetime) -> bool:
    """Return True unless the last housekeeping was within a day before ``now``."""
    last = bridge.store.maintenance.last_done(HOUSEKEEPING_NAME)
    return last is None or not last <= now < last + DAILY_INTERVAL


def daily(bridge: installation.Bridge, *, now: datetime) -> Tidied:
    """Delete old raw records, outcomes of syncs, notices and uploads. Return the numbers of deleted rows.

    Age counts up to the last call, so a fast clock deletes nothing too early. Raises SetupError for a wrong setting.
    """
    last = bridge.store.maintenance.last_done(HOUSEKEEPING_NAME)
    return _kept(bridge, None if last is None else min(last, now), now, COMPACT_DAILY_BYTES)


def tidy(bridge: installation.Bridge, *, now: datetime) -> Tidied:
    """Delete as ``daily`` does, with the age counted up to ``now``. Raises SetupError for a wrong BRIDGE_KEEP_RAW."""
    return _kept(bridge, now, now, None)


def _kept(bridge: installation.Bridge, before: datetime | None, now: datetime, compact: int | None) -> Tidied:
    store, gone = bridge.store.maintenance, Tidied(raw=0, runs=0, notices=0)
    if before is not None:
        lasting = {(spec.name, stream) for spec in registry.specs() for stream in spec.lasting}
        gone = store.tidy(before - timedelta(days=days(bridge.settings.keep_raw)), lasting)
    store.mark_done(HOUSEKEEPING_NAME, bridge.holder, now=now)  # without room to compact, the next day tries again
    drop_uploads(bridge)
    store.compact(compact)
    return gone


def drop_uploads(bridge: installation.Bridge) -> None:
    """Delete uploaded files older than a day, which only a crash leaves behind."""
    oldest = time.time() - DAILY_INTERVAL.total_seconds()
    for folder in bridge.settings.uploads.glob("*/*"):
        with suppress(FileNotFoundError):  # an import has just deleted this upload
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def days(text: str) -> float:
    """Return the number of days in ``BRIDGE_KEEP_RAW``. Raises SetupError unless it is a number from 1 to 36500."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 1 <= found <= 36_500:
        raise SetupError(
            "BRIDGE_KEEP_RAW must be the number of days to keep raw records, from 1 to 36500; "
            "correct it, then: bridge doctor"
        )
    return found


def restore(bridge: installation.Bridge, path: Path, *, replace: bool, progress: Progress, now: datetime) -> None:
    """Restore the backup at ``path``. The store must be empty, or with ``replace`` loses its data first.

    ``progress(name)`` returns a function called with (done, total). Raises SetupError while a daemon or a sync is
    running, and for a file that is no whole backup or has no users.
    """
    settings, store = bridge.settings, bridge.store
    with closing(store.scheduling.singleton_lock("daemon", bridge.holder, now=now)):
        before = {(user.id, user.name) for user in store.people.users()}
        leases.release_dead(store)
        store.maintenance.restore(path, replace=replace, now=now, progress=progress)
        present = {(user.id, user.name) for user in store.people.users()}
        folders = {int(place.name) for place in settings.inbox(0).parent.glob("*") if place.name.isdecimal()}
        gone = {number for number, _ in before - present} | folders - {number for number, _ in present}
        adapters = [place for number in gone for place in settings.adapters.glob(f"u{number}-v*")]
        for place in (*map(settings.inbox, gone), *adapters, *([settings.cache] if before else [])):
            shutil.rmtree(place, ignore_errors=True)
        for mark in settings.inbox(0).parent.glob("*/*/.[0-9a-f]*"):
            mark.unlink(missing_ok=True)


class Unequal(BridgeError):
    """The copied rows differ from the original, so the copy was rolled back."""


def migrate(bridge: installation.Bridge, to: str, *, progress: Progress) -> list[MovedTable]:
    """Copy every table to the database ``to`` in a single transaction, compare both, and return each table's result.

    ``progress(name)`` returns a function called with (done, total). Raises SetupError if the target is not empty or a
    daemon or sync runs, Unequal if the copy differs.
    """
    from bridge.store import Store
    from bridge.store.moving import copy, hold, refuse_unless_empty

    source = bridge.store
    leases.release_dead(source)
    alone = source.scheduling.singleton_lock("daemon", bridge.holder, now=installation.now())
    with closing(alone), closing(Store(to)) as other:
        if str(other.database.engine.url) == str(source.database.engine.url):
            raise SetupError(
                "--to names the database in use; give the address of an empty one: bridge migrate --to URL"
            )
        with source.database.write() as here:
            hold(here)
            _refuse_leased(source)
            with other.database.write() as there:
                refuse_unless_empty(there)
                moved = list(copy(here, there, progress))
                if not all(one.verified for one in moved):
                    names = ", ".join(one.table for one in moved if not one.verified)
                    raise Unequal(f"the copy differs in {names} and was taken back; try again: bridge migrate --to URL")
    return moved


def _refuse_leased(source: Store) -> None:
    if busy := source.scheduling.lease_count(now=installation.now()):
        raise SetupError(
            f"{busy} connections are being synced; stop the daemon and all workers, then: bridge migrate --to URL"
        )


def slim() -> tuple[float, float]:
    """Delete unused files from this program's virtual environment. Return its size in megabytes before and after.

    Raises SetupError outside of a virtual environment, whose packages other programs use too, and in a checkout's.
    """
    if sys.prefix == sys.base_prefix:
        raise SetupError(f"this Python has packages of other programs; {ADVICE}")
    direct = distribution("rhythm-bridge").read_text("direct_url.json")
    if direct and json.loads(direct).get("dir_info", {}).get("editable"):
        raise SetupError(f"this is the environment of a checkout, whose tests need all files; {ADVICE}")
    before = megabytes(Path(sys.prefix))
    for path in list(superfluous(Path(sysconfig.get_path("purelib")))):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return before, megabytes(Path(sys.prefix))


def superfluous(site: Path) -> Iterator[Path]:
    """Yield the files and whole folders below the folder of packages ``site`` that the bridge does not use."""
    yield from (path for path in (site / DESCRIPTIONS).glob("*.json") if path.name not in USED_DESCRIPTIONS)
    yield from (cached for name in INSTALLERS for cached in (site / name).rglob("__pycache__"))
    for folder, inside, files in os.walk(site):
        if Path(folder) != site:  # a package may be called so itself
            tests = [name for name in inside if name in TESTS]
            yield from (Path(folder) / name for name in tests)
            inside[:] = [name for name in inside if name not in tests]
        yield from (Path(folder) / name for name in files if name.endswith(SOURCES))


def megabytes(folder: Path) -> float:
    """Return the disk space of a folder's files in megabytes of 2**20 bytes, as ``du -m`` does."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 2**20
