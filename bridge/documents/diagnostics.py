"""JSON documents of diagnostics, which a person can attach to a question, and of the existing backups.

Diagnostics are versions, counts and states. They hold nothing personal, that is no name, title, value, address, path or
text of an error, and of a setting only its name.
"""

from __future__ import annotations

import platform
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge import __version__, config, doctor, registry
from bridge.daemon import backups
from bridge.daemon.backup_places import places_of
from bridge.daemon.housekeeping import HOUSEKEEPING_NAME

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.domain.records import Connection
    from bridge.installation import Bridge

LIBRARIES = (
    "sqlalchemy",
    "pydantic",
    "fastapi",
    "numpy",
    "pandas",
    "scikit-learn",
    "requests",
    "psycopg",
    "procrastinate",
)
CHECKS = ("settings", "key", "store", "plug-ins", "rules", "backups", "webhook", "people")  # of doctor, about no person


class SourceDocument(TypedDict):
    """The number of connections to a source, in all, by state and by last outcome.

    ``failed`` counts those whose last sync failed, and ``never_synced`` those that never succeeded.
    """

    connections: int
    paused: int
    failed: int
    never_synced: int
    last_outcomes: dict[str, int]


class DiagnosticsDocument(TypedDict):
    """Versions, counts and states of an installation.

    ``checks`` maps a check of ``bridge doctor`` to true if all was well. It is empty on the page, where the checks
    would take too long. ``settings`` are the names of settings that are not at their default. ``hours_since`` is the
    age of the last housekeeping and backup, null if never done. ``row_counts`` is table -> rows.
    """

    version: str
    python: str
    system: str
    libraries: dict[str, str]
    database: str
    settings: list[str]
    users: int
    row_counts: dict[str, int]
    by_source: dict[str, SourceDocument]
    checks: dict[str, bool]
    hours_since: dict[str, float | None]


def diagnostics_document(bridge: Bridge, now: datetime, *, checks: bool) -> DiagnosticsDocument:
    """Return the diagnostics of an installation as of ``now``, with ``checks`` those of ``bridge doctor`` too."""
    people = bridge.store.people.users()
    chores = {name: bridge.store.maintenance.last_done(name) for name in (HOUSEKEEPING_NAME, backups.MADE)}
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": {name: found for name in LIBRARIES if (found := _version(name))},
        "database": bridge.settings.database.partition(":")[0],
        "settings": sorted(_set_names(bridge.settings)),
        "users": len(people),
        "row_counts": bridge.store.maintenance.row_counts(),
        "by_source": _sources(bridge, [one for user in people for one in bridge.store.connections.of_user(user.id)]),
        "checks": _checks() if checks else {},
        "hours_since": {
            name: None if at is None else round((now - at).total_seconds() / 3600, 1) for name, at in chores.items()
        },
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _set_names(settings: config.Settings) -> set[str]:
    usual = {"database": f"sqlite:///{settings.folder / 'bridge.db'}"}
    found = {
        f"BRIDGE_{setting.name}".upper()
        for setting in config.INSTALLATION
        if (getattr(settings, setting.name) or "") != usual.get(setting.name, setting.default)
    }
    for spec in registry.specs():
        found |= {
            config.variable_of(spec.name, setting)
            for setting in spec.settings
            if settings.installed(spec.name, setting)
        }
    return found


def _sources(bridge: Bridge, connections: list[Connection]) -> dict[str, SourceDocument]:
    return {
        name: _source(bridge, [connection for connection in connections if connection.source == name])
        for name in sorted({connection.source for connection in connections})
    }


def _source(bridge: Bridge, connections: list[Connection]) -> SourceDocument:
    last = [bridge.store.scheduling.last_outcome(connection.id) for connection in connections]
    return {
        "connections": len(connections),
        "paused": sum(connection.paused is not None for connection in connections),
        "failed": sum(connection.last_error is not None for connection in connections),
        "never_synced": sum(connection.last_success is None for connection in connections),
        "last_outcomes": dict(Counter(one[1].outcome for one in last if one is not None)),
    }


def _checks() -> dict[str, bool]:
    """Return check -> True if it found no fault. Checks about users are left out."""
    found = [one for one in doctor.examine() if one.check in CHECKS]
    return {check: all(one.ok for one in found if one.check == check) for check in {one.check for one in found}}


class SavedDocument(TypedDict):
    """A backup, with its name, size in bytes and time (ISO 8601). Its place is ``folder`` or ``s3``."""

    name: str
    place: str
    made_at: str
    bytes: int


class BackupsDocument(TypedDict):
    """All backups at all places, the newest first."""

    backups: list[SavedDocument]


def backups_document(bridge: Bridge) -> BackupsDocument:
    """Return the backups at all places in the settings, newest first. Raises SetupError if a place fails."""
    found = [(place.kind, saved) for place in places_of(bridge.settings) for saved in place.found()]
    found.sort(key=lambda one: one[1].at, reverse=True)
    return {
        "backups": [
            {"name": one.name, "place": kind, "made_at": one.at.isoformat(), "bytes": one.bytes} for kind, one in found
        ]
    }
