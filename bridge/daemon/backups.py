"""Make an encrypted backup every day, delete older backups, and test if the newest can be restored."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import installation
from bridge.auth import backup_key
from bridge.daemon.backup_places import FILE_NAME_FORMAT, Place, Saved, made_at, places_of
from bridge.domain.errors import BridgeError, SetupError
from bridge.store import maintenance, parts
from bridge.store.database import as_setup_error

if TYPE_CHECKING:
    from bridge.config import Settings

log = logging.getLogger(__name__)

EVERY = timedelta(days=1)
RETRY = timedelta(hours=1)  # after a backup that failed
OLD = timedelta(days=2)  # from which the page and doctor warn of the last good backup
DAYS_KEPT, WEEKS_KEPT = 7, 5  # the newest backup of each of so many days and weeks stays
MADE, TRIED = "backup", "backup tried"  # chores: the last good backup, and the last attempt
WORKPLACE = ".backup-"  # begins folders for files that are not encrypted, inside the bridge's folder

Progress = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupState:
    """The state of an installation's own backups. ``on`` is False if no place for them is set.

    ``last`` is None without a good backup. ``old`` is True if users should be warned.
    """

    on: bool
    last: datetime | None
    old: bool


def state(bridge: installation.Bridge, now: datetime) -> BackupState:
    on, last = _is_on(bridge), bridge.store.maintenance.last_done(MADE)
    failed = last is None and bridge.store.maintenance.last_done(TRIED) is not None
    return BackupState(on=on, last=last, old=on and (failed or (last is not None and now - last > OLD)))


def _is_on(bridge: installation.Bridge) -> bool:
    return bool(bridge.settings.backups or bridge.settings.backups_s3)


def is_due(bridge: installation.Bridge, *, now: datetime) -> bool:
    """Return True if a backup is due. It is not due for a time after a failed attempt.

    A last backup or attempt in the future was dated by a fast clock, and is ignored.
    """
    if not _is_on(bridge):
        return False
    last, tried = (bridge.store.maintenance.last_done(chore) for chore in (MADE, TRIED))
    fresh = last is not None and last <= now < last + EVERY
    return not fresh and (tried is None or not tried <= now < tried + RETRY)


def daily(bridge: installation.Bridge, *, now: datetime) -> str:
    """Make an encrypted backup, save it at every place, and restore it from there as a test. Return its name.

    Older backups are deleted only after the test. Raises SetupError if a place fails, after trying all.
    """
    bridge.store.maintenance.mark_done(TRIED, bridge.holder, now=now)
    places, failures = places_of(bridge.settings), list[SetupError]()
    _drop_abandoned(bridge.settings.folder)
    name = now.astimezone(UTC).strftime(FILE_NAME_FORMAT)
    with _workplace(bridge) as own:
        write_encrypted(bridge, own / name)
        for place in places:
            try:
                _save(bridge, place, own / name)
            except SetupError as error:
                failures.append(error)
    if failures:
        raise failures[0]
    bridge.store.maintenance.mark_done(MADE, bridge.holder, now=now)
    for place in places:
        for gone in rotated(place.found()):
            place.delete(gone.name)
    return name


def _save(bridge: installation.Bridge, place: Place, sealed: Path) -> None:
    place.save(sealed, sealed.name)
    log.info("a backup of %d people was made and read back (%s)", drill(bridge, place, sealed.name), place.kind)


def write_encrypted(bridge: installation.Bridge, path: Path, progress: Progress = maintenance.no_progress) -> None:
    """Write an encrypted backup of the whole store to ``path``, where it appears only when complete.

    ``progress(name)`` returns a function called with (done, total). Raises SetupError if it cannot be written.
    """
    explained = as_setup_error(f"{path} cannot be written", "choose another place")
    with explained, _workplace(bridge) as own, parts.part_of(path) as part:
        bridge.store.maintenance.backup(own / "bridge.backup", progress)
        backup_key.encrypt(own / "bridge.backup", part, bridge.settings.folder, bridge.settings.backup_keys)


@contextmanager
def readable(bridge: installation.Bridge, path: Path, key: Path | None = None) -> Iterator[Path]:
    """Yield the path of a backup as plain data, which is ``path``, or a decrypted copy that is deleted afterwards.

    ``key`` is an age identity file, by default the installation's. Raises SetupError if it does not open the backup.
    """
    if not backup_key.is_encrypted(path):
        yield path
        return
    with _workplace(bridge) as own:
        plain = own / path.with_suffix(".backup").name
        with as_setup_error(f"{path} cannot be read", "make room"):
            backup_key.decrypt(path, plain, key or bridge.settings.folder / backup_key.KEY_FILE)
        yield plain


def drill(bridge: installation.Bridge, place: Place, name: str) -> int:
    """Restore a place's backup into a temporary store as a test, and return its number of users.

    Raises SetupError if that fails.
    """
    with _workplace(bridge) as own:
        place.fetch(name, own / name)
        with readable(bridge, own / name) as plain, maintenance.opened(plain) as saved:
            return maintenance.count_users(saved)


@contextmanager
def fetched(bridge: installation.Bridge, path: Path) -> Iterator[Path]:
    """Yield ``path``, or a temporary copy of the backup if ``path`` is only the name of a backup at a place.

    Raises SetupError if a place is unreadable.
    """
    named = str(path) == path.name and made_at(path.name) is not None and not path.exists()
    places = places_of(bridge.settings) if named else []
    place = next((one for one in places if any(saved.name == path.name for saved in one.found())), None)
    if place is None:
        yield path
        return
    with _workplace(bridge) as own:
        place.fetch(path.name, own / path.name)
        yield own / path.name


def rotated(backups: Sequence[Saved]) -> list[Saved]:
    """Return those of the ``backups`` (oldest first) to delete. The newest of each recent day and week is kept."""
    days: dict[object, Saved] = {}
    weeks: dict[object, Saved] = {}
    for saved in reversed(backups):
        days.setdefault(saved.at.date(), saved)
        weeks.setdefault(saved.at.isocalendar()[:2], saved)
    kept = [*list(days.values())[:DAYS_KEPT], *list(weeks.values())[:WEEKS_KEPT]]
    return [saved for saved in backups if saved not in kept]


def way_back(settings: Settings) -> str:
    """Return a sentence that names the newest backup and the command that restores it."""
    with suppress(BridgeError):
        for place in places_of(settings):
            if made := place.found():
                last = made[-1]
                return f"the newest backup is of {last.at:%Y-%m-%d %H:%M} UTC: bridge restore {last.name} --replace"
    return "no backup lies in BRIDGE_BACKUPS; take the last that bridge backup wrote: bridge restore PATH --replace"


@contextmanager
def _workplace(bridge: installation.Bridge) -> Iterator[Path]:
    bridge.settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=bridge.settings.folder, prefix=WORKPLACE) as folder:
        yield Path(folder)


def _drop_abandoned(folder: Path) -> None:
    """Delete temporary folders of killed processes after a day, because they may hold unencrypted backups."""
    for left in folder.glob(f"{WORKPLACE}*"):
        if time.time() - left.stat().st_mtime > parts.ABANDONED_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
