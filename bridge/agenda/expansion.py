"""Calendar entries -> the occurrences of a stretch of time: series expanded, exceptions applied, copies merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from bridge.agenda.rules import Series, zone_named
from bridge.types import Event, Occurrence, Response
from rhythm_env.interface import Moment, Slot, ZoneHistory, slot_start, zone_at

DAY = timedelta(days=1)
_RESPONSES = (Response.ACCEPTED, None, Response.TENTATIVE, Response.NEEDS_ACTION, Response.DECLINED)
_Holes = frozenset[date | datetime]  # UTC starts and days of a series that exceptions have replaced


def expand(events: Sequence[Event], *, since: datetime, until: datetime, zones: ZoneHistory) -> list[Occurrence]:
    """What takes place in [since, until), ascending by start: each meeting once, however many calendars hold it.

    A series runs on its master's wall clock. An exception replaces the instance it names, wherever it was moved to;
    a cancelled or declined one leaves a hole. Cancelled and declined entries are left out. All-day entries reach from
    midnight to midnight on the person's clock. Of several copies of one meeting (same series and original start) the
    one I organise or accepted stays. Keys are the event's own, or ``<master>_<UTC start>`` (``<master>_<day>`` when
    all-day) for instances.
    """
    window = _Window(since=since, until=until, zones=zones)
    replaced = _replaced(events)
    gone = {(e.calendar, e.key) for e in events if e.cancelled and e.master is None}
    copies: dict[tuple[str, datetime], list[Occurrence]] = {}
    for event in events:
        if event.cancelled or event.response is Response.DECLINED or (event.calendar, event.master) in gone:
            continue
        for nominal, occurrence in _occurrences(event, replaced.get((event.calendar, event.key), frozenset()), window):
            if window.touches(occurrence.start, occurrence.end):
                copies.setdefault((_meeting(event), nominal), []).append(occurrence)
    chosen = (min(same, key=_rank) for same in copies.values())
    return sorted(chosen, key=lambda o: (o.start, o.end, o.key))


def midnight(day: date, zones: ZoneHistory) -> datetime:
    """The instant (UTC) a calendar day begins on the person's clock: where the night of the day before begins."""
    before = day - DAY
    week = before - before.weekday() * DAY
    return slot_start(Moment(week=week, day=before.weekday(), slot=Slot.NIGHT), zones)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    since: datetime
    until: datetime
    zones: ZoneHistory

    def touches(self, start: datetime, end: datetime) -> bool:
        return start < self.until and (end > self.since or start == end == self.since)


def _replaced(events: Sequence[Event]) -> dict[tuple[str, str], _Holes]:
    """(calendar, master key) -> which instances have an exception of their own."""
    found: dict[tuple[str, str], set[date | datetime]] = {}
    for event in events:
        if event.master is not None:
            originals = {event.original_start, event.original_day} - {None}
            found.setdefault((event.calendar, event.master), set()).update(o for o in originals if o is not None)
    return {master: frozenset(originals) for master, originals in found.items()}


def _meeting(event: Event) -> str:
    """Equal for all copies of one entry or series; without an iCalUID an entry is only equal to itself."""
    return event.series or f"{event.calendar}/{event.master or event.key}"


def _rank(copy: Occurrence) -> tuple[object, ...]:
    event = copy.event
    mine = event.organised_by_me and event.response in (None, Response.ACCEPTED)
    return (not mine, _RESPONSES.index(event.response), event.title is None, event.calendar, copy.key)


def _occurrences(event: Event, holes: _Holes, window: _Window) -> Iterator[tuple[datetime, Occurrence]]:
    """(original start, occurrence) of an entry."""
    if event.recurrence and event.master is None:
        yield from _all_day_series(event, holes, window) if event.all_day else _timed_series(event, holes, window)
        return
    stretch = _stretch(event, window.zones)
    if stretch is None:
        return
    start, end = stretch
    moved_from = event.original_start
    if event.original_day is not None:
        moved_from = midnight(event.original_day, window.zones)
    yield moved_from or start, Occurrence(key=event.key, event=event, start=start, end=end)


def _stretch(event: Event, zones: ZoneHistory) -> tuple[datetime, datetime] | None:
    """Begin and end of a single entry; None for a bare one that has no time (deleted ones may lack it)."""
    if event.first_day is not None:
        last = max(event.last_day or event.first_day, event.first_day)
        return midnight(event.first_day, zones), midnight(last + DAY, zones)
    if event.start is None:
        return None
    return event.start, max(event.end or event.start, event.start)


def _timed_series(event: Event, holes: _Holes, window: _Window) -> Iterator[tuple[datetime, Occurrence]]:
    """Instances keep their wall time across DST changes and their exact duration (RFC 5545, 3.8.5.3)."""
    stretch = _stretch(event, window.zones)
    if stretch is None:
        return
    first, length = stretch[0], stretch[1] - stretch[0]
    zone = zone_named(event.zone) or zone_at(first, window.zones)
    wall = first.astimezone(zone).replace(tzinfo=None, microsecond=0)
    low = (window.since - length).astimezone(zone).replace(tzinfo=None) - DAY
    high = window.until.astimezone(zone).replace(tzinfo=None) + DAY
    for local in Series(lines=event.recurrence, first=wall, zone=zone).starts(low, high):
        start = first if local == wall else local.replace(tzinfo=zone).astimezone(UTC)
        if start not in holes and local.date() not in holes:
            key = f"{event.key}_{start:%Y%m%dT%H%M%SZ}"
            yield start, Occurrence(key=key, event=event, start=start, end=start + length)


def _all_day_series(event: Event, holes: _Holes, window: _Window) -> Iterator[tuple[datetime, Occurrence]]:
    first = event.first_day
    if first is None:
        return
    length = max(event.last_day or first, first) - first + DAY
    low = window.since.replace(tzinfo=None) - length - DAY
    high = window.until.replace(tzinfo=None) + DAY
    for local in Series(lines=event.recurrence, first=datetime.combine(first, time()), zone=None).starts(low, high):
        day = local.date()
        if day not in holes:
            start, end = midnight(day, window.zones), midnight(day + length, window.zones)
            yield start, Occurrence(key=f"{event.key}_{day:%Y%m%d}", event=event, start=start, end=end)
