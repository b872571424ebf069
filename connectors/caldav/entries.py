"""Turn the entries of a CalDAV calendar into raw records.

An entry is an event or to-do with its exceptions, each of which gets a record of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bridge.domain.types import RawRecord
from connectors.caldav.discovery import Collection
from connectors.icalendar.components import (
    Version,
    collected,
    components,
    reader_of,
    text_of,
    told_of_replaced,
    unreadable,
)
from connectors.icalendar.text import decoded, parsed

if TYPE_CHECKING:
    from icalendar import Calendar

STREAM = "entry"
OURS = "X-RHYTHM-ADVICE"  # the property of events we wrote ourselves: ``<slot>/<action>``
MARK = "Kept by rhythm-bridge: what you accepted. Delete an event and the advice counts as ignored."


def is_ours(collection: Collection, written: str) -> bool:
    """Return True for the calendar that the bridge writes, whose path is ``written`` ("" if unknown)."""
    return collection.description == MARK or collection.key == written


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The settings for reading the entries of a calendar. ``zone`` is for times without a zone.

    ``ours`` is True for the calendar that the bridge writes, whose events carry marks of the bridge.
    """

    key: str
    name: str
    zone: str
    mine: frozenset[str]
    ours: bool

    def records(self, key: str, text: str | None) -> list[RawRecord]:
        """Return the records of the entry at the path ``key``, one that deletes it if ``text`` is None."""
        if text is None:
            return [self.deletion(key)]
        calendars, broken = parsed(decoded(text.encode("utf-8", "replace")))
        if not calendars and not broken:
            return [RawRecord(stream=STREAM, key=key, payload={"unreadable": True})]
        found = {record.path: record for record in (unreadable(self.name, block) for block in broken)}
        found |= collected(pair for calendar in calendars for pair in self._versions(calendar))
        return list(self._keyed(key, list(told_of_replaced(found).values())))

    def deletion(self, key: str) -> RawRecord:
        return RawRecord(stream=STREAM, key=key, payload={}, deleted=True)

    def _versions(self, calendar: Calendar) -> Iterator[tuple[Version, RawRecord]]:
        reader = reader_of(calendar, self.name, self.zone, self.mine)
        for component in components(calendar):
            for version, record in reader.versions_of(component):
                more: dict[str, Any] = {"kind": record.stream}
                if not record.payload.get("unreadable"):
                    more["uid"] = text_of(component, "UID")
                    more |= {"ours": text_of(component, OURS)} if self.ours and OURS in component else {}
                yield version, replace(record, payload={**record.payload, **more})

    def _keyed(self, key: str, records: list[RawRecord]) -> Iterator[RawRecord]:
        parent = f"{STREAM}/{key}"
        whole = [record for record in records if "original" not in record.payload]
        own = next((record for record in whole if "unreadable" not in record.payload), whole[0] if whole else None)
        if own is None:
            yield self.deletion(key)
        for record in records:
            suffix = record.key.rpartition("/")[2]
            named, of = (key, None) if record is own else (f"{key}/{suffix}", parent)
            yield replace(record, stream=STREAM, key=named, parent=of)
