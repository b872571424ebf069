"""Random edits of a person's calendars. Events are made and changed as Google's own programs do."""

from __future__ import annotations

import copy
import random
from datetime import date, datetime, timedelta

from lab.people.calendar_edits import (
    CALENDARS,
    FIRST,
    ZONES,
    Made,
    changed_instance,
    instance_start,
    instant,
    is_series,
    made,
    placed,
)
from lab.vendors.google_calendar import Vendor


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
