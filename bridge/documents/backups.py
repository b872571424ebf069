"""JSON documents of the backups that an installation makes by itself."""

from __future__ import annotations

from typing_extensions import TypedDict

from bridge.daemon.backup_places import places_of
from bridge.installation import Bridge


class SavedDocument(TypedDict):
    """A backup at a place, which is ``folder`` or ``s3``, with its name, size in bytes and time (ISO 8601)."""

    name: str
    place: str
    made_at: str
    bytes: int


class BackupsDocument(TypedDict):
    """All backups at all places, the newest first."""

    backups: list[SavedDocument]


def backups_document(bridge: Bridge) -> BackupsDocument:
    """Return the backups at all places of the settings, the newest first. Raises SetupError if one fails."""
    found = [(place.kind, saved) for place in places_of(bridge.settings) for saved in place.found()]
    found.sort(key=lambda one: one[1].at, reverse=True)
    return {
        "backups": [
            {"name": one.name, "place": kind, "made_at": one.at.isoformat(), "bytes": one.bytes} for kind, one in found
        ]
    }
