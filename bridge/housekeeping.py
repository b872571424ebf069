"""Once a day: what is old and has served goes, and its space is given back. Backups, and the way back from one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from bridge import app, registry
from bridge.errors import SetupError
from bridge.ports import Tidied

DAILY = timedelta(days=1)
NAME = "housekeeping"

Progress = Callable[[str], Callable[[int, int], None]]


def is_due(bridge: app.Bridge, *, now: datetime) -> bool:
    """Whether it was not done for a day; a clock that was ahead does not put it off."""
    last = bridge.store.keeping.last(NAME)
    return last is None or not last <= now < last + DAILY


def tidy(bridge: app.Bridge, *, now: datetime) -> Tidied:
    """Drop raw records that last changed ``BRIDGE_KEEP_RAW`` days ago, and give their space back."""
    lasting = {(spec.name, stream) for spec in registry.specs() for stream in spec.lasting}
    gone = bridge.store.keeping.tidy(now - timedelta(days=days(bridge.settings.keep_raw)), lasting)
    bridge.store.keeping.done(NAME, bridge.holder, now=now)  # if there is no room to compact, the next day tries again
    bridge.store.keeping.compact()
    return gone


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
    """Put a backup into the store. Raises SetupError while a daemon is at it."""
    with closing(bridge.store.work.presence("daemon", bridge.holder, now=now)):
        bridge.store.keeping.restore(path, replace=replace, progress=progress)
