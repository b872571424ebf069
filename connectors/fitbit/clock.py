"""Read the times of a Fitbit export (MM/DD/YY, ISO 8601, dates), and find a person's local date and zone at a time."""

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
    """The error of a row without a readable time or value, which is counted and passed over."""


@dataclass(slots=True)
class Clock:
    """The clock of a person, by the zones that the person lived in, or by ``zone`` if ``zones`` is empty.

    It remembers the date and the zone of each quarter-hour that it was asked for, because files hold many minutes.
    """

    zone: str
    zones: ZoneHistory = ()
    _dates: dict[datetime, tuple[date, str]] = field(default_factory=dict)

    def named_at(self, at: datetime) -> str:
        """Return the name of the person's zone at an instant."""
        return zone_at(at, self.zones).key if self.zones else self.zone

    def place(self, at: datetime) -> tuple[date, str]:
        """Return (the person's local date, the name of the zone) at an instant. Raises BadRecord for an unknown
        zone.
        """
        quarter = at.replace(minute=at.minute - at.minute % QUARTER_MINUTES, second=0, microsecond=0)
        if quarter not in self._dates:
            name = self.named_at(quarter)
            zone = time_zone(name)
            if zone is None:
                raise BadRecord(
                    "fitbit: this machine knows no time zone of the name that the bridge stores for the user"
                )
            self._dates[quarter] = quarter.astimezone(zone).date(), name
        return self._dates[quarter]

    def of_date(self, day: date) -> str:
        """Return the name of the person's zone at 12:00 UTC of a date."""
        return self.named_at(datetime.combine(day, time(12), UTC))


def american(text: object) -> datetime:
    """Return the UTC instant of a time written as ``MM/DD/YY HH:MM:SS``. Raises Unreadable for anything else.

    A part of the time of day that is missing counts as 0.
    """
    try:
        month, day, year = int(str(text)[0:2]), int(str(text)[3:5]), int(str(text)[6:8])
        hour, minute, second = int(str(text)[9:11] or 0), int(str(text)[12:14] or 0), int(str(text)[15:17] or 0)
        return datetime(2000 + year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise Unreadable from None


def written(text: object) -> datetime:
    """Return the time of an ISO text in UTC. A text without an offset is taken as it stands and marked as UTC.

    Raises Unreadable for anything else, and for a year outside 1990 to 2199.

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
    """Return the date in the first ten characters of an ISO text. Raises Unreadable for anything else."""
    found = calendar_date(str(text)[:10])
    if found is None:
        raise Unreadable
    return found


def at_wall(wall: datetime, zone: ZoneInfo, *, later: bool = False) -> datetime:
    """Return the instant at which a zone's clock shows ``wall``, a wall clock marked as UTC.

    In an hour that the clock shows twice the first time counts, or the second with ``later``.
    """
    return wall.replace(tzinfo=zone, fold=int(later)).astimezone(UTC)
