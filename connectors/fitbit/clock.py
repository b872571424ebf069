"""Read the export's three notations of a time, and place UTC on the person's clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.slots import ZoneHistory, zone_at
from connectors.instants import YEARS, calendar_date, time_zone

MINUTE = timedelta(minutes=1)
QUARTER_MINUTES = 15


class Unreadable(Exception):
    """Raised for a row without a readable time or value, which is counted and passed over."""


@dataclass(slots=True)
class Clock:
    """The person's zones by time. Dates of instants are remembered by the quarter-hour, as files hold many minutes."""

    zone: str
    zones: ZoneHistory = ()
    _dates: dict[datetime, tuple[date, str]] = field(default_factory=dict)

    def named_at(self, at: datetime) -> str:
        """Return the name of the person's zone at an instant."""
        return zone_at(at, self.zones).key if self.zones else self.zone

    def place(self, at: datetime) -> tuple[date, str]:
        """Return (the person's local date, the name of the zone) at an instant."""
        quarter = at.replace(minute=at.minute - at.minute % QUARTER_MINUTES, second=0, microsecond=0)
        if quarter not in self._dates:
            name = self.named_at(quarter)
            zone = time_zone(name)
            if zone is None:
                raise BadRecord("fitbit: the person's zone is no known time zone")
            self._dates[quarter] = quarter.astimezone(zone).date(), name
        return self._dates[quarter]

    def of_date(self, day: date) -> str:
        """Return the name of the person's zone at noon of a date."""
        return self.named_at(datetime.combine(day, time(12), UTC))


def american(text: object) -> datetime:
    """Return the UTC instant of a time such as ``04/06/26 18:40:00``. Raises Unreadable."""
    try:
        month, day, year = int(str(text)[0:2]), int(str(text)[3:5]), int(str(text)[6:8])
        hour, minute, second = int(str(text)[9:11] or 0), int(str(text)[12:14] or 0), int(str(text)[15:17] or 0)
        return datetime(2000 + year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise Unreadable from None


def written(text: object) -> datetime:
    """Return the time of an ISO text, marked as UTC whether or not the text says so. Raises Unreadable.

    >>> written("2026-04-06T09:18").isoformat(), written("2026-04-12 12:39:30+0000").isoformat()
    ('2026-04-06T09:18:00+00:00', '2026-04-12T12:39:30+00:00')
    """
    try:
        at = datetime.fromisoformat(str(text))
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Unreadable from None
    if at.year not in YEARS:
        raise Unreadable
    return at


def dated(text: object) -> date:
    """Return the date at the beginning of an ISO text. Raises Unreadable."""
    found = calendar_date(str(text)[:10])
    if found is None:
        raise Unreadable
    return found


def at_wall(wall: datetime, zone: ZoneInfo, *, later: bool = False) -> datetime:
    """Return the instant at which a zone's clock shows ``wall``, which is marked as UTC.

    Of an hour that the clock shows twice it is the first time, or the second with ``later``.
    """
    return wall.replace(tzinfo=zone, fold=int(later)).astimezone(UTC)
