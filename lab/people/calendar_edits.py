"""Made-up calendars whose events are as Google's own programs make and change them."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

CALENDARS = ("ana@example.com", "work@group.example.com", "club@group.example.com")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
FIRST = datetime(2026, 8, 3, 9)  # noqa: DTZ001 - a wall time
ALPHABET = "0123456789abcdefghijklmnopqrstuv"
Made = dict[str, Any]


def account(events: int, rng: random.Random) -> dict[str, Any]:
    """Return an account of three calendars with about ``events`` events, single or series, and changed instances."""
    entries = [{"id": c, "summary": c, "selected": True, "primary": c == CALENDARS[0]} for c in CALENDARS]
    held: dict[str, list[Made]] = {c: [] for c in CALENDARS}
    while sum(map(len, held.values())) < events:
        calendar = rng.choice(CALENDARS)
        event = made(rng)
        held[calendar].append(event)
        if is_series(event) and rng.random() < 0.6:
            held[calendar].append(changed_instance(event, rng))
    return {"origin": "generated", "calendars": entries, "events": held}


def made(rng: random.Random) -> Made:
    """Return a random event, either timed or all-day, and sometimes the master of a series."""
    key = "".join(rng.choices(ALPHABET, k=20))
    event: Made = {"id": key, "iCalUID": f"{key}@example.com", "status": "confirmed", "eventType": "default"}
    event |= {"summary": f"Event {key[:6]}", "organizer": {"self": True}, "updated": "2026-11-01T08:00:00.000Z"}
    if rng.random() < 0.1:
        first = (FIRST + timedelta(days=rng.randrange(200))).date()
        event |= {"start": {"date": f"{first}"}, "end": {"date": f"{first + timedelta(days=rng.randrange(1, 4))}"}}
    else:
        begin = FIRST + timedelta(days=rng.randrange(200), minutes=15 * rng.randrange(48))
        event |= placed(begin, rng.choice((15, 30, 60, 90)), rng.choice(ZONES))
    if rng.random() < 0.2:
        rule = rng.choice(("DAILY", "WEEKLY", "WEEKLY;INTERVAL=2"))
        event["recurrence"] = [f"RRULE:FREQ={rule}" + rng.choice((";COUNT=30", ""))]
    return event


def placed(begin: datetime, minutes: float, zone: str) -> Made:
    """Return the ``start`` and ``end`` of an event that begins at the local time ``begin`` in ``zone``."""
    start = begin.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).astimezone(ZoneInfo(zone))
    end = (start.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))
    return {
        "start": {"dateTime": start.isoformat(), "timeZone": zone},
        "end": {"dateTime": end.isoformat(), "timeZone": zone},
    }


def is_series(event: Made) -> bool:
    return "recurrence" in event and event["status"] != "cancelled"


def changed_instance(series: Made, rng: random.Random) -> Made:
    """Return an early instance of a series, moved, renamed or cancelled."""
    original = instance_start(series, rng.randrange(8))
    stamp = (original.get("date") or instant(original).strftime("%Y%m%dT%H%M%SZ")).replace("-", "")
    named = {"id": f"{series['id']}_{stamp}", "recurringEventId": series["id"], "originalStartTime": original}
    if rng.random() < 0.4:
        return named | {"status": "cancelled"}
    inherited = {n: v for n, v in series.items() if n != "recurrence"} | named
    if "date" in original:
        return inherited | {"summary": f"Changed {rng.randrange(1000)}"}
    begin = instant(original).astimezone(ZoneInfo(original["timeZone"])).replace(tzinfo=None)
    return inherited | placed(begin + timedelta(minutes=rng.choice((0, 45, 1440))), 45, original["timeZone"])


def instance_start(series: Made, number: int) -> Made:
    """Return the ``start`` of an instance of a series, numbered from 0, at the series' local time."""
    rule = series["recurrence"][0]
    step = timedelta(days=1 if "DAILY" in rule else 14 if "INTERVAL=2" in rule else 7) * number
    start = series["start"]
    if "date" in start:
        return {"date": f"{date.fromisoformat(start['date']) + step}"}
    zone = start["timeZone"]
    wall = instant(start).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return dict(placed(wall + step, 0, zone)["start"])


def instant(when: Made) -> datetime:
    return datetime.fromisoformat(when["dateTime"]).astimezone(UTC)
