"""Slots (quarter-days) by a user's own clock, which follows the time zones in which the user lived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from itertools import zip_longest
from zoneinfo import ZoneInfo

from rhythm_env.interface import SLOTS_PER_DAY, STEPS_PER_WEEK, Slot

# Hours after midnight of the day that a slot belongs to. Night belongs to the day before its hours.
SLOT_START_HOURS = {Slot.MORNING: 6, Slot.AFTERNOON: 12, Slot.EVENING: 18, Slot.NIGHT: 24}
SLOT_HOURS = 6
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
INSTANT = timedelta(microseconds=1)  # makes an exclusive bound inclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneSpan:
    """A stay of the user in an IANA zone, from ``since`` until the next stay begins."""

    since: datetime
    zone: str


ZoneHistory = Sequence[ZoneSpan]  # ascending by ``since``; the first span also covers everything before it


def zone_at(instant: datetime, zones: ZoneHistory) -> ZoneInfo:
    """Return the user's zone at an instant. Raises ValueError for a naive instant or an empty history."""
    if instant.tzinfo is None or not zones:
        raise ValueError("zone_at needs an aware instant and at least one zone")
    current = zones[0]
    for span in zones:
        if span.since <= instant:
            current = span
    return _zone(current.zone)


_zone = lru_cache(maxsize=64)(ZoneInfo)


def local_time(instant: datetime, zones: ZoneHistory) -> datetime:
    """Return an instant on the user's clock. Raises ValueError for a naive instant or an empty history."""
    return instant.astimezone(zone_at(instant, zones))


def local_end(began: datetime, end: datetime, zones: ZoneHistory, *, lands: bool) -> datetime:
    """Return the end of an entry as local time just before it, or after a flight (``lands``) just after it.

    If the end would then look earlier than the start ``began``, it is given on the clock of the start.
    """
    over = end.astimezone(zone_at(end if lands else end - timedelta(seconds=1), zones))
    backwards = not lands and over.replace(tzinfo=None) < began.replace(tzinfo=None)
    return end.astimezone(began.tzinfo) if backwards else over


def ends_shown(
    start: datetime, end: datetime, zones: ZoneHistory, offset: int | None = None
) -> tuple[datetime, datetime]:
    """Return start and end of a recording as times on the user's clock.

    If the device's ``offset`` (minutes east of UTC) is given and differs from the user's, it is used instead.
    """
    ends = local_time(start, zones), local_time(end, zones)
    if offset is None or any(at.utcoffset() == timedelta(minutes=offset) for at in ends):
        return ends
    there = timezone(timedelta(minutes=offset))
    return start.astimezone(there), end.astimezone(there)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Moment:
    """A slot, one of the four quarters of a day, in a user's calendar.

    ``week`` is the Monday of the slot's week and ``day`` is 0 (Monday) to 6.
    """

    week: date
    day: int
    slot: Slot

    @property
    def timestep(self) -> int:
        """The slot's number in its week, from 0 (Monday morning) to 27 (the night until the next Monday, 06:00)."""
        return self.day * SLOTS_PER_DAY + int(self.slot)

    @property
    def date(self) -> date:
        """The calendar date on which the slot's day began. For a night, this is the date before its hours."""
        return self.week + timedelta(days=self.day)

    def shifted(self, steps: int) -> Moment:
        """Return the slot that is ``steps`` later, or earlier when negative, across weeks."""
        weeks, step = divmod(self.timestep + steps, STEPS_PER_WEEK)
        return moment_of(self.week + timedelta(weeks=weeks), step)


def moment_of(week: date, timestep: int) -> Moment:
    """Return the slot with the number ``timestep`` (0 to 27) in the week that begins on a Monday."""
    return Moment(week=week, day=timestep // SLOTS_PER_DAY, slot=Slot(timestep % SLOTS_PER_DAY))


def moment_at(instant: datetime, zones: ZoneHistory) -> Moment:
    """Return the slot that contains an instant by the user's own clock. A week starts on Monday at 06:00 local.

    Raises ValueError for a naive instant or an empty history.

    >>> zones = [ZoneSpan(since=datetime(2026, 1, 1, tzinfo=UTC), zone="Europe/Berlin")]
    >>> moment_at(datetime(2026, 11, 23, 4, 30, tzinfo=UTC), zones)  # Monday 05:30 belongs to Sunday's night
    Moment(week=datetime.date(2026, 11, 16), day=6, slot=<Slot.NIGHT: 3>)
    """
    local = local_time(instant, zones)
    is_night = local.hour < SLOT_START_HOURS[Slot.MORNING]
    day = local.date() - timedelta(days=1) if is_night else local.date()
    slot = Slot.NIGHT if is_night else Slot(local.hour // SLOT_HOURS - 1)
    return Moment(week=day - timedelta(days=day.weekday()), day=day.weekday(), slot=slot)


def slot_start(moment: Moment, zones: ZoneHistory) -> datetime:
    """Return the instant (UTC) at which a slot begins on the user's clock."""
    days, hour = divmod(SLOT_START_HOURS[moment.slot], 24)
    return first_shown(datetime.combine(moment.date + timedelta(days=days), time(hour)), zones)


def today_at(instant: datetime, zones: ZoneHistory) -> date:
    """Return the date that the user's clock shows at an instant.

    From midnight to 6:00 this is one day after the slot's ``Moment.date``, because a night belongs to the day before.
    """
    return local_time(instant, zones).date()


def slots_of_today(instant: datetime, zones: ZoneHistory) -> list[Moment]:
    """Return today's four slots, from the morning on. Until 6:00 the night that is under way comes before them.

    >>> zones = [ZoneSpan(since=datetime(2026, 1, 1, tzinfo=UTC), zone="Europe/Berlin")]
    >>> [(one.day, one.slot.name) for one in slots_of_today(datetime(2026, 11, 23, 4, 30, tzinfo=UTC), zones)[:2]]
    [(6, 'NIGHT'), (0, 'MORNING')]
    """
    now, day = moment_at(instant, zones), today_at(instant, zones)
    morning = Moment(week=day - timedelta(days=day.weekday()), day=day.weekday(), slot=Slot.MORNING)
    return [*([now] if now < morning else []), *(replace(morning, slot=slot) for slot in Slot)]


def first_shown(wall: datetime, zones: ZoneHistory) -> datetime:
    """Return the first instant (UTC) at which the user's clock shows the naive time ``wall``, or a later time.

    Raises ValueError without zones.

    >>> zones = [ZoneSpan(since=datetime(2026, 1, 1, tzinfo=UTC), zone="Europe/Berlin")]
    >>> first_shown(datetime(2026, 11, 23, 7, 30), zones).isoformat()
    '2026-11-23T06:30:00+00:00'
    """
    arrived = datetime.min.replace(tzinfo=UTC)
    for span, following in zip_longest(zones, zones[1:]):
        start = max(wall.replace(tzinfo=ZoneInfo(span.zone)).astimezone(UTC), arrived)
        if following is None or start < following.since:
            return start.astimezone(UTC)
        arrived = following.since
    raise ValueError("first_shown needs at least one zone")


def slot_bounds(moment: Moment, zones: ZoneHistory) -> tuple[datetime, datetime]:
    """Return the begin and the end (exclusive) of a slot in UTC."""
    return slot_start(moment, zones), slot_start(moment.shifted(1), zones)


def hours_minutes(minutes: float, *, pad: int = 1) -> str:
    """Return rounded minutes as text in hours and minutes. ``pad`` is the least number of digits for the hours.

    >>> hours_minutes(479.6), hours_minutes(65, pad=2)
    ('8:00', '01:05')
    """
    hours, left = divmod(round(minutes), 60)
    return f"{hours:0{pad}}:{left:02}"
