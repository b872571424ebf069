"""Delete old raw records, sync outcomes, webhook notices and uploads, and free their disk space. Restore backups."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

from bridge import installation, leases, registry
from bridge.domain.errors import SetupError
from bridge.domain.records import Tidied

DAILY_INTERVAL = timedelta(days=1)
COMPACT_DAILY_BYTES = 200_000_000  # a store of this size is rewritten in seconds, also on a slow disk
HOUSEKEEPING_NAME = "housekeeping"

Progress = Callable[[str], Callable[[int, int], None]]


def is_due(bridge: installation.Bridge, *, now: datetime) -> bool:
    """Return True if the last housekeeping is a day ago, or in the future because the clock was ahead, or never was."""
    last = bridge.store.maintenance.last_done(HOUSEKEEPING_NAME)
    return last is None or not last <= now < last + DAILY_INTERVAL


def daily(bridge: installation.Bridge, *, now: datetime) -> Tidied:
    """Delete old raw records, outcomes of syncs, notices and uploads. Return the numbers of deleted rows.

    Age counts up to the call before, so a fast clock deletes nothing too early. Raises SetupError for a wrong setting.
    """
    last = bridge.store.maintenance.last_done(HOUSEKEEPING_NAME)
    gone = Tidied(raw=0, runs=0, notices=0) if last is None else _drop(bridge, before=min(last, now))
    bridge.store.maintenance.mark_done(
        HOUSEKEEPING_NAME, bridge.holder, now=now
    )  # if there is no room to compact, the next day tries again
    drop_uploads(bridge)
    bridge.store.maintenance.compact(COMPACT_DAILY_BYTES)
    return gone


def tidy(bridge: installation.Bridge, *, now: datetime) -> Tidied:
    """Do as ``daily`` at ``now``, and count the deleted rows. Raises SetupError for a wrong BRIDGE_KEEP_RAW."""
    gone = _drop(bridge, before=now)
    bridge.store.maintenance.mark_done(HOUSEKEEPING_NAME, bridge.holder, now=now)
    drop_uploads(bridge)
    bridge.store.maintenance.compact()
    return gone


def _drop(bridge: installation.Bridge, *, before: datetime) -> Tidied:
    lasting = {(spec.name, stream) for spec in registry.specs() for stream in spec.lasting}
    return bridge.store.maintenance.tidy(before - timedelta(days=days(bridge.settings.keep_raw)), lasting)


def drop_uploads(bridge: installation.Bridge) -> None:
    """Delete uploaded files older than a day. Only crashes leave such files, because an import does not take a day."""
    oldest = time.time() - DAILY_INTERVAL.total_seconds()
    for folder in bridge.settings.uploads.glob("*/*"):
        with suppress(FileNotFoundError):  # an import has just deleted this upload
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def days(text: str) -> float:
    """Parse ``BRIDGE_KEEP_RAW`` as a number of days. Raises SetupError for anything but a number from 1 to 36500."""
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
    """Restore the backup at ``path``. The store must be empty unless ``replace`` deletes its data first.

    Raises SetupError while a daemon or a sync works, and for a file that is no whole backup or has no users.
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
