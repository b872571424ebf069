"""Once a day: what is old and has served goes, and its space is given back. Backups, and the way back from one."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

from bridge import app, leases, registry
from bridge.errors import SetupError
from bridge.ports import Tidied

DAILY = timedelta(days=1)
SMALL = 200_000_000  # bytes of a store that are written anew in seconds, also where a disk is slow
NAME = "housekeeping"

Progress = Callable[[str], Callable[[int, int], None]]


def is_due(bridge: app.Bridge, *, now: datetime) -> bool:
    """Whether it was not done for a day; a clock that was ahead does not put it off."""
    last = bridge.store.keeping.last(NAME)
    return last is None or not last <= now < last + DAILY


def daily(bridge: app.Bridge, *, now: datetime) -> Tidied:
    """What was old already the last time goes: a clock that is ahead, for less than a day, deletes nothing."""
    last = bridge.store.keeping.last(NAME)
    gone = Tidied(raw=0, runs=0, notices=0) if last is None else _drop(bridge, before=min(last, now))
    bridge.store.keeping.done(NAME, bridge.holder, now=now)  # if there is no room to compact, the next day tries again
    drop_uploads(bridge)
    bridge.store.keeping.compact(SMALL)
    return gone


def tidy(bridge: app.Bridge, *, now: datetime) -> Tidied:
    """Drop raw records that last changed ``BRIDGE_KEEP_RAW`` days ago, and old uploads, and give their space back."""
    gone = _drop(bridge, before=now)
    bridge.store.keeping.done(NAME, bridge.holder, now=now)
    drop_uploads(bridge)
    bridge.store.keeping.compact()
    return gone


def _drop(bridge: app.Bridge, *, before: datetime) -> Tidied:
    lasting = {(spec.name, stream) for spec in registry.specs() for stream in spec.lasting}
    return bridge.store.keeping.tidy(before - timedelta(days=days(bridge.settings.keep_raw)), lasting)


def drop_uploads(bridge: app.Bridge) -> None:
    """Delete what crashes have left of files that were sent to the page: an import does not take a day."""
    oldest = time.time() - DAILY.total_seconds()
    for folder in bridge.settings.uploads.glob("*/*"):
        with suppress(FileNotFoundError):  # one that has just been imported
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def days(text: str) -> float:
    """``BRIDGE_KEEP_RAW`` as a number of days."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 1 <= found <= 36_500:
        raise SetupError("BRIDGE_KEEP_RAW is how many days raw records are kept: a number from 1 to 36500")
    return found


def restore(bridge: app.Bridge, path: Path, *, replace: bool, progress: Progress, now: datetime) -> None:
    """Put a backup into the store. Raises SetupError while a daemon is at it, or anything is synced.

    Files of those who are gone go too: a number may now be somebody else's. What was pushed since the backup was made
    may be sent again: it is known no longer.
    """
    settings, store = bridge.settings, bridge.store
    with closing(store.work.presence("daemon", bridge.holder, now=now)):
        before = {(user.id, user.name) for user in store.users()}
        leases.free_all_dead(store)
        store.keeping.restore(path, replace=replace, now=now, progress=progress)
        gone = [number for number, _ in before - {(user.id, user.name) for user in store.users()}]
        adapters = [place for number in gone for place in settings.adapters.glob(f"u{number}-v*")]
        for place in (*map(settings.inbox, gone), *adapters, *([settings.cache] if before else [])):
            shutil.rmtree(place, ignore_errors=True)
        for mark in settings.inbox(0).parent.glob("*/*/.[0-9a-f]*"):
            mark.unlink(missing_ok=True)
