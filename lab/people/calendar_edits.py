"""Random edits of a person's calendars. Events are made and changed as Google's own programs do."""

from __future__ import annotations

import copy
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.vendors.google_calendar import Vendor

CALENDARS = ("ana@example.com", "work@group.example.com", "club@group.example.com")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
FIRST = datetime(2026, 8, 3, 9)  # noqa: DTZ001 - a wall time
ALPHABET = "0123456789abcdefghijklmnopqrstuv"
Made = dict[str, Any]


def account(events: int, rng: random.Random) -> dict[str, Any]:
    """Return three calendars that share ``events`` events, single ones, series, and exceptions of series."""
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
    """Return a single event, timed or all-day, or a series every fifth time."""
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
    """Return ``start`` and ``end`` of an event that begins at a wall time."""
    start = begin.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).astimezone(ZoneInfo(zone))
    end = (start.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))
    return {
        "start": {"dateTime": start.isoformat(), "timeZone": zone},
        "end": {"dateTime": end.isoformat(), "timeZone": zone},
    }


def is_series(event: Made) -> bool:
    return "recurrence" in event and event["status"] != "cancelled"


def changed_instance(series: Made, rng: random.Random) -> Made:
    """Move, rename or cancel an early instance of a series."""
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
    """Return ``start`` of an instance, on the series' own wall clock."""
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


class Hand:
    """Random edits of a vendor's account. Each kind of edit is a method."""

    def __init__(self, vendor: Vendor, rng: random.Random) -> None:
        self._vendor, self._rng = vendor, rng
        self._bin: list[tuple[str, list[Made]]] = []
        self._hidden: list[Made] = []

    def change(self) -> str:
        """Make a random edit, and return its name."""
        kinds = {
            self.add: 3,
            self.edit: 6,
            self.move: 5,
            self.cancel: 8,
            self.split: 4,
            self.change_instance: 6,
            self.delete_instance: 3,
            self.move_series: 2,
            self.restore: 3,
            self.tick: 1,
        }
        kind = self._rng.choices(list(kinds), list(kinds.values()))[0]
        kind()
        return kind.__name__

    def add(self) -> None:
        self._vendor.put(self._rng.choice(CALENDARS), made(self._rng))

    def edit(self) -> None:
        calendar, event = self._any()
        if event["status"] != "cancelled":
            self._vendor.put(calendar, event | {"summary": f"Renamed {self._rng.randrange(1000)}"})

    def move(self) -> None:
        calendar, event = self._any()
        if event["status"] != "cancelled" and not is_series(event):
            begin = FIRST + timedelta(days=self._rng.randrange(200), minutes=15 * self._rng.randrange(48))
            self._vendor.put(calendar, event | placed(begin, 30, self._rng.choice(ZONES)))

    def cancel(self) -> None:
        """Delete an event, a series with its exceptions, or an instance that was changed before."""
        calendar, event = self._any()
        if self._rng.random() < 0.6:
            calendar, series = self._series()
            event = series or event
        gone = self._vendor.delete(calendar, event["id"])
        self._bin.append((calendar, copy.deepcopy(gone)))

    def split(self) -> None:
        """Change "this and following" instances. The series ends before, and another begins."""
        calendar, series = self._series()
        if series is None or "COUNT" in series["recurrence"][0] or "UNTIL" in series["recurrence"][0]:
            return
        cut = instance_start(series, self._rng.randrange(1, 8))
        day = "date" in cut
        at = cut["date"] if day else instant(cut).isoformat()
        until = date.fromisoformat(at) - timedelta(days=1) if day else instant(cut) - timedelta(seconds=1)
        text = until.strftime("%Y%m%d" if day else "%Y%m%dT%H%M%SZ")
        for event in list(self._vendor.events(calendar)):
            original = event.get("originalStartTime", {})
            later = original.get("date") or (instant(original).isoformat() if original else "")
            if event.get("recurringEventId") == series["id"] and later >= at:
                self._vendor.delete(calendar, event["id"])
        self._vendor.put(calendar, series | {"recurrence": [f"{series['recurrence'][0]};UNTIL={text}"]})
        key = f"{series['id']}_R{text.rstrip('Z')}"
        follow = series | {"id": key, "iCalUID": f"{key}@example.com", "summary": "From now on"}
        length = timedelta(days=1) if day else instant(series["end"]) - instant(series["start"])
        end = {"date": f"{date.fromisoformat(at) + length}"} if day else None
        wall = None if day else datetime.fromisoformat(cut["dateTime"]).replace(tzinfo=None)
        times = {"start": cut, "end": end} if wall is None else placed(wall, length.seconds // 60, cut["timeZone"])
        self._vendor.put(calendar, follow | times)

    def change_instance(self) -> None:
        calendar, series = self._series()
        if series is not None:
            self._vendor.put(calendar, changed_instance(series, self._rng))

    def delete_instance(self) -> None:
        calendar, series = self._series()
        if series is not None:
            one = changed_instance(series, self._rng)
            named = {name: one[name] for name in ("id", "recurringEventId", "originalStartTime")}
            self._vendor.put(calendar, named | {"status": "cancelled"})

    def move_series(self) -> None:
        """Move all instances. Instances changed before become ordinary instances again."""
        calendar, series = self._series()
        if series is None or "date" in series["start"]:
            return
        for event in list(self._vendor.events(calendar)):
            if event.get("recurringEventId") == series["id"]:
                self._vendor.drop(calendar, event["id"])
        wall = datetime.fromisoformat(series["start"]["dateTime"]).replace(tzinfo=None)
        self._vendor.put(calendar, series | placed(wall + timedelta(minutes=30), 60, series["start"]["timeZone"]))

    def restore(self) -> None:
        """Take something back out of the bin, a series with all its exceptions."""
        if self._bin:
            calendar, events = self._bin.pop(self._rng.randrange(len(self._bin)))
            alive = {e["id"] for e in self._vendor.events(calendar)} | {e["id"] for e in events}
            for event in events:
                if event.get("recurringEventId", event["id"]) in alive:
                    self._vendor.put(calendar, event)

    def tick(self) -> None:
        """Stop looking at a calendar, or look at it again."""
        if self._hidden:
            self._vendor.put_calendar(self._hidden.pop() | {"selected": True})
            return
        entry = next(c for c in self._vendor.account["calendars"] if c["id"] == CALENDARS[2])
        self._hidden.append(entry)
        self._vendor.put_calendar(entry | {"selected": False})

    def _any(self) -> tuple[str, Made]:
        calendar = self._rng.choice(CALENDARS)
        return calendar, self._rng.choice(self._vendor.events(calendar))

    def _series(self) -> tuple[str, Made | None]:
        calendar = self._rng.choice(CALENDARS)
        series = [e for e in self._vendor.events(calendar) if is_series(e)]
        return calendar, self._rng.choice(series) if series else None
