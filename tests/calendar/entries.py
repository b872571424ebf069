"""Entries of a calendar, made short for the tests."""

from datetime import UTC, datetime, timedelta

from bridge.calendar.expansion import expand
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event

BERLIN = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
NEW_YORK = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="America/New_York"),)
HOUR = timedelta(hours=1)


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def event(key="m", start="2026-11-02T09:00", *, hours=1.0, **of):
    begin = utc(start)
    return Event(key=key, calendar=of.pop("calendar", "c"), start=begin, end=begin + hours * HOUR, **of)


def series(rule="RRULE:FREQ=WEEKLY", *more, **of):
    return event(recurrence=(rule, *more), zone=of.pop("zone", "Europe/Berlin"), **of)


def starts(events, since="2026-11-01", until="2026-12-01", zones=BERLIN):
    found = expand(events, since=utc(since), until=utc(until), zones=zones)
    return [f"{o.start:%m-%d %H:%M}" for o in found]
