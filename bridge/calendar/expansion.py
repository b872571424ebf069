"""Expand calendar entries to occurrences, with repeating events, exceptions and copies of meetings resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from bridge.domain.recurrence import Series, ended
from bridge.domain.slots import Moment, ZoneHistory, ZoneSpan, slot_start, zone_at
from bridge.domain.types import Event, Occurrence, Response
from bridge.domain.zones import zone_named
from rhythm_env.interface import Slot

DAY, NONE = timedelta(days=1), timedelta(0)
_RESPONSES = (Response.ACCEPTED, None, Response.TENTATIVE, Response.NEEDS_ACTION, Response.DECLINED)
BEFORE_ALL = datetime.min  # noqa: DTZ901 - before every wall time
FARTHEST = 366 * DAY  # largest shift of a series' later instances; a larger shift is an error
# Start of the line of an exception that also changes all later instances (RFC 5545, 3.2.13), before its colon.
ONWARDS = "RECURRENCE-ID;RANGE=THISANDFUTURE"


def expand(events: Sequence[Event], *, since: datetime, until: datetime, zones: ZoneHistory) -> list[Occurrence]:
    """Return the occurrences of calendar entries that overlap [since, until), ascending by start.

    - A repeating event (its master) runs on the clock of its own time zone. All-day entries follow the user's clock.
    - An exception replaces the instance it names. With an ``ONWARDS`` line it also changes all later instances.
    - Cancelled entries and excluded instances are left out. So are meetings of which the user declined a copy and
      accepted none.
    - Of several calendars' copies of a meeting, one stays: the copy that the user organises or accepted, if any. It
      is private if any copy is private.
    - Keys: an occurrence has its entry's key, an instance ``<master>_<UTC start>``, or ``<master>_<day>`` if all-day.
    """
    window = _Window(since=since, until=until, zones=zones)
    exceptions = _exceptions(events)
    masters = {(e.calendar, e.key): e for e in events if e.master is None}
    dropped = {key: _dropped(masters[key], exceptions[key], zones) for key in masters.keys() & exceptions.keys()}
    copies: dict[tuple[str, datetime], list[Occurrence]] = {}
    for event in events:
        if event.cancelled or event.key in dropped.get((event.calendar, event.master or ""), ()):
            continue
        for nominal, occurrence in _occurrences(event, exceptions.get((event.calendar, event.key), ()), window):
            if window.touches(occurrence.start, occurrence.end):
                copies.setdefault((series_of(event), nominal), []).append(occurrence)
    chosen = (_of_copies(same) for same in copies.values() if not _is_declined(same))
    return sorted(chosen, key=lambda o: (o.start, o.end, o.key))


def midnight(day: date, zones: ZoneHistory) -> datetime:
    """Return the UTC time at which a day begins on the user's clock."""
    return _midnight(day, tuple(zones))


@lru_cache(maxsize=4096)  # every task asks for the same days at every instant
def _midnight(day: date, zones: tuple[ZoneSpan, ...]) -> datetime:
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


def _exceptions(events: Sequence[Event]) -> dict[tuple[str, str], list[Event]]:
    found: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        if event.master is not None:
            found.setdefault((event.calendar, event.master), []).append(event)
    return found


def _is_declined(copies: Sequence[Occurrence]) -> bool:
    answers = {copy.event.response for copy in copies}
    return Response.DECLINED in answers and Response.ACCEPTED not in answers


def _dropped(master: Event, exceptions: Sequence[Event], zones: ZoneHistory) -> set[str]:
    if master.cancelled:
        return {exception.key for exception in exceptions}
    series = _series(master, zones) if master.recurrence else None
    if series is None:
        return set()
    excluded = series.excluded()
    return {exception.key for exception in exceptions if _original(exception, series) in excluded}


def _series(master: Event, zones: ZoneHistory) -> Series | None:
    """Return a repeating event's recurrence on the clock of its zone, or None for an event without a time."""
    if master.first_day is not None:
        homes = [zone for zone in (zone_named(master.zone), _zone_on(master.first_day, zones)) if zone is not None]
        return Series(lines=master.recurrence, first=datetime.combine(master.first_day, time()), zone=None, homes=homes)
    if master.start is None:
        return None
    zone = zone_named(master.zone) or zone_at(master.start, zones)
    return Series(lines=master.recurrence, first=_wall(master.start, zone), zone=zone)


def _zone_on(day: date, zones: ZoneHistory) -> ZoneInfo:
    return zone_at(midnight(day, zones), zones)


def _original(exception: Event, series: Series) -> datetime | None:
    at = exception.original_start
    if at is not None and series.zone is not None:
        return _wall(at, series.zone)
    day = exception.original_day
    return None if day is None else datetime.combine(day, series.first.time())


def series_of(event: Event) -> str:
    """Return what all events of a series share, copies of a meeting included. Corrections are stored under it.

    It is the iCalendar id or a key in this calendar.

    >>> series_of(entry(9, 10).event), series_of(entry(9, 10, series="standup@example.org").event)
    ('example/9', 'standup@example.org')
    """
    return event.series or f"{event.calendar}/{event.master or event.key}"


def _of_copies(copies: Sequence[Occurrence]) -> Occurrence:
    best = min(copies, key=_rank)
    if best.event.private or not any(copy.event.private for copy in copies):
        return best
    return replace(best, event=replace(best.event, private=True))


def _rank(copy: Occurrence) -> tuple[object, ...]:
    event = copy.event
    mine = event.organised_by_me and event.response in (None, Response.ACCEPTED)
    return (not mine, _RESPONSES.index(event.response), event.title is None, event.calendar, copy.key)


def _occurrences(event: Event, exceptions: Sequence[Event], window: _Window) -> Iterator[tuple[datetime, Occurrence]]:
    if event.recurrence and event.master is None:
        series = _all_day_series if event.all_day else _timed_series
        yield from series(event, exceptions, window)
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
    if event.first_day is not None:
        last = max(event.last_day or event.first_day, event.first_day)
        return midnight(event.first_day, zones), midnight(last + DAY, zones)
    if event.start is None:
        return None
    return event.start, max(event.end or event.start, event.start)


def _timed_series(event: Event, exceptions: Sequence[Event], window: _Window) -> Iterator[tuple[datetime, Occurrence]]:
    stretch, series = _stretch(event, window.zones), _series(event, window.zones)
    if stretch is None or series is None or series.zone is None:
        return
    first, zone = stretch[0], series.zone
    spells = _spells(event, stretch[1] - first, [_timed_spell(e, zone) for e in exceptions if _goes_on(e)])
    spells[0] = replace(spells[0], nominal=series.length())
    holes, lengths = {e.original_start or e.original_day for e in exceptions}, series.lengths()
    reach = max([spell.length for spell in spells] + list(lengths.values())) + DAY
    low = (window.since - reach).astimezone(zone).replace(tzinfo=None) - max(s.shift for s in spells) - DAY
    high = window.until.astimezone(zone).replace(tzinfo=None) - min(s.shift for s in spells) + DAY
    for local in series.starts(low, high):
        nominal = first if local == series.first else local.replace(tzinfo=zone).astimezone(UTC)
        spell = _spell_at(local, spells)
        if nominal in holes or local.date() in holes or spell.event.cancelled:
            continue
        start = (local + spell.shift).replace(tzinfo=zone).astimezone(UTC) if spell.shift else nominal
        end = start + lengths[local] if local in lengths else _end(start, spell, zone)
        yield nominal, Occurrence(key=f"{event.key}_{nominal:%Y%m%dT%H%M%SZ}", event=spell.event, start=start, end=end)


def _all_day_series(
    event: Event, exceptions: Sequence[Event], window: _Window
) -> Iterator[tuple[datetime, Occurrence]]:
    series = _series(event, window.zones)
    if series is None:
        return
    spells = _spells(event, _days(event), [_all_day_spell(e) for e in exceptions if _goes_on(e)])
    holes = {e.original_day for e in exceptions}
    low = window.since.replace(tzinfo=None) - max(s.length for s in spells) - max(s.shift for s in spells) - DAY
    high = window.until.replace(tzinfo=None) - min(s.shift for s in spells) + DAY
    for local in series.starts(low, high):
        spell = _spell_at(local, spells)
        if local.date() in holes or spell.event.cancelled:
            continue
        day = local.date() + spell.shift
        start, end = midnight(day, window.zones), midnight(day + spell.length, window.zones)
        key = f"{event.key}_{local:%Y%m%d}"
        yield midnight(local.date(), window.zones), Occurrence(key=key, event=spell.event, start=start, end=end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spell:
    after: datetime
    shift: timedelta
    length: timedelta
    event: Event
    nominal: tuple[timedelta, timedelta] | None = None


def _spells(master: Event, length: timedelta, changes: Sequence[_Spell | None]) -> list[_Spell]:
    found = sorted((spell for spell in changes if spell is not None), key=lambda spell: (spell.after, spell.event.key))
    return [_Spell(after=BEFORE_ALL, shift=NONE, length=length, event=master), *found]


def _spell_at(local: datetime, spells: Sequence[_Spell]) -> _Spell:
    return next(spell for spell in reversed(spells) if spell.after < local)


def _end(start: datetime, spell: _Spell, zone: ZoneInfo) -> datetime:
    return start + spell.length if spell.nominal is None else ended(start, zone, spell.nominal)


def _goes_on(exception: Event) -> bool:
    return any(line.upper().startswith(ONWARDS) for line in exception.recurrence)


def _timed_spell(change: Event, zone: ZoneInfo) -> _Spell | None:
    if change.original_start is None or change.all_day:
        return None
    start = change.start or change.original_start
    after, length = _wall(change.original_start, zone), max((change.end or start) - start, NONE)
    shift = _wall(start, zone) - after
    return _Spell(after=after, shift=shift, length=length, event=change) if abs(shift) <= FARTHEST else None


def _all_day_spell(change: Event) -> _Spell | None:
    if change.original_day is None or change.start is not None:
        return None
    shift = (change.first_day or change.original_day) - change.original_day
    after = datetime.combine(change.original_day, time())
    return _Spell(after=after, shift=shift, length=_days(change), event=change) if abs(shift) <= FARTHEST else None


def _days(event: Event) -> timedelta:
    if event.first_day is None:
        return DAY
    return max(event.last_day or event.first_day, event.first_day) - event.first_day + DAY


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, microsecond=0)
