"""Gather the rows of a long file into records by date, for sources whose data comes as files only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from bridge.domain.errors import BadRecord
from bridge.domain.samples import QUARTER_HOUR_SECONDS
from bridge.domain.slots import ZoneHistory, zone_at
from bridge.domain.types import Page, RawRecord
from connectors.instants import local_date, offset_in, time_zone
from connectors.payload import Fields, mapping

PAGE_RECORDS = 200
UNREADABLE = "rows without a plausible time or value"

Payload = dict[str, Any]


class Place(NamedTuple):
    """The name of a person's zone at a time, its offset in minutes east of UTC, and the local date."""

    zone: str
    offset: int
    day: date


@dataclass(slots=True)
class Clock:
    """A person's clock by the zones that the person lived in, or by ``zone`` if ``zones`` is empty.

    Results are cached by quarter-hour, because a file asks for many minutes.
    """

    zone: str
    zones: ZoneHistory = ()
    _places: dict[int, Place] = field(default_factory=dict)

    def place(self, at: float) -> Place:
        """Return the person's place at a Unix second. Raises BadRecord for a zone that this machine does not know."""
        quarter = int(at // QUARTER_HOUR_SECONDS)
        if quarter not in self._places:
            instant = datetime.fromtimestamp(quarter * QUARTER_HOUR_SECONDS, UTC)
            name = self._named(instant)
            zone = time_zone(name)
            if zone is None:
                raise BadRecord(
                    "this machine does not know the time zone that is stored for the user; store another: bridge "
                    "user zone NAME ZONE"
                )
            offset = offset_in(zone, instant)
            self._places[quarter] = Place(name, offset, local_date(instant, offset))
        return self._places[quarter]

    def of_date(self, day: date) -> str:
        """Return the name of the person's zone at 12:00 UTC of a date."""
        return self._named(datetime.combine(day, time(12), UTC))

    def _named(self, at: datetime) -> str:
        return zone_at(at, self.zones).key if self.zones else self.zone


@dataclass(slots=True)
class Gathering:
    """The records made from the rows of a file: stream -> key -> payload.

    ``aside`` counts unreadable rows by the name of their stream or list.
    """

    clock: Clock
    found: dict[str, dict[str, Payload]] = field(default_factory=lambda: defaultdict(dict))
    aside: Counter[str] = field(default_factory=Counter)

    def take(self, name: str, read: Callable[[Fields], None], row: Any) -> None:
        """Call ``read`` with a row, to add it to a record. A row that raises BadRecord is counted and left out."""
        try:
            read(Fields(mapping(row), name))
        except BadRecord:
            self.aside[name] += 1

    def within(self, stream: str, key: str, *path: str) -> Payload:
        """Return the object at ``path`` in a record's payload. Missing records and objects are created."""
        place = self.found[stream].setdefault(key, {})
        for part in path:
            place = place.setdefault(part, {})
        return place

    def dated(self, stream: str, day: date, zone: str | None = None) -> Payload:
        """Return the payload of a date's record. A new payload gets ``zone``, or the person's zone on that date."""
        return self.found[stream].setdefault(str(day), {"zone": zone or self.clock.of_date(day)})

    def pages(self, as_of: datetime | None = None) -> Iterator[Page]:
        """Yield the records gathered so far in pages, and forget them. ``as_of`` is the date of their export."""
        for stream, payloads in self.found.items():
            records = [
                RawRecord(stream=stream, key=key, payload=payload, adds=True, as_of=as_of)
                for key, payload in payloads.items()
            ]
            for first in range(0, len(records), PAGE_RECORDS):
                yield Page(stream=stream, records=tuple(records[first : first + PAGE_RECORDS]))
        self.found.clear()

    def unreadable(self) -> Iterator[Page]:
        """Yield a page for each stream with unreadable rows, which states their number."""
        for stream, rows in self.aside.items():
            yield Page(stream=stream, records=(), set_aside=Counter({(stream, UNREADABLE): rows}))
