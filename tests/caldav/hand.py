"""Random changes to calendars by a program that knows nothing of the bridge, with an account of what is left."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.caldav.servers import Client

FIRST = datetime(2026, 10, 5, 9)  # noqa: DTZ001 - a wall time
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "W. Europe Standard Time")
CALENDARS_MAX = 4
Lines = list[str]


@dataclass
class Entry:
    """An entry of a calendar. ``exceptions`` are changed instances of a series by the time that they replace."""

    uid: str
    main: Lines
    exceptions: dict[str, Lines] = field(default_factory=dict)

    def lines(self) -> Lines:
        return [*self.main, *(line for lines in self.exceptions.values() for line in lines)]


class Hand:
    """Somebody who changes calendars at random. ``held`` is what the server must hold, by calendar and file name."""

    def __init__(self, client: Client, rng: random.Random, *, moves: bool = True) -> None:
        self.client, self.rng, self.moves = client, rng, moves
        self.held: dict[str, dict[str, Entry]] = {}
        self.made = 0
        self.counts: dict[str, int] = {}
        for _ in range(2):
            self._make_calendar()

    def change(self) -> None:
        """Make one change."""
        kinds = {
            self._create: 8,
            self._edit: 5,
            self._delete: 3,
            self._except: 4,
            self._restore: 2,
            self._move: 2,
            self._copy: 1,
            self._make_calendar: 0.3,
            self._remove_calendar: 0.2,
        }
        action = self.rng.choices(list(kinds), list(kinds.values()))[0]
        action()
        self.counts[action.__name__] = self.counts.get(action.__name__, 0) + 1

    def uids(self) -> list[str]:
        """Return the UIDs of all events and to-dos, exceptions included, in order."""
        entries = [entry for calendar in self.held.values() for entry in calendar.values()]
        return sorted(entry.uid for entry in entries for _ in range(1 + len(entry.exceptions)))

    def _make_calendar(self) -> None:
        if len(self.held) < CALENDARS_MAX:
            self.made += 1
            name = f"{self.rng.choice(('work', 'Work', 'my-week'))}{self.made}"
            self.held[self.client.make(name, f"Calendar {self.made}")] = {}

    def _remove_calendar(self) -> None:
        if len(self.held) > 2:
            path = self.rng.choice(sorted(self.held))
            self.client.delete(path)
            del self.held[path]

    def _create(self) -> None:
        self.made += 1
        calendar, uid = self.rng.choice(sorted(self.held)), f"entry-{self.made}"
        entry = Entry(uid, self._main(uid))
        self._put(calendar, f"{uid}.ics", entry)

    def _edit(self) -> None:
        for calendar, name, entry in self._some():
            entry.main, entry.exceptions = self._main(entry.uid, todo="BEGIN:VTODO" in entry.main), {}
            self._put(calendar, name, entry)

    def _delete(self) -> None:
        for calendar, name, _ in self._some():
            self.client.delete(calendar + name)
            del self.held[calendar][name]

    def _except(self) -> None:
        """Change an instance of a series, by a time that begins like the series."""
        for calendar, name, entry in self._some(series=True):
            start = next(line for line in entry.main if line.startswith("DTSTART"))
            head, _, text = start.partition(":")
            begun = datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007 - a wall time
            original = begun + timedelta(days=7 * self.rng.randrange(5))
            moved = original + timedelta(hours=self.rng.randrange(1, 5))
            zone = head.removeprefix("DTSTART")
            entry.exceptions[f"{original}"] = [
                "BEGIN:VEVENT",
                f"UID:{entry.uid}",
                "DTSTAMP:20261101T080000Z",
                f"RECURRENCE-ID{zone}:{original:%Y%m%dT%H%M%S}",
                f"DTSTART{zone}:{moved:%Y%m%dT%H%M%S}",
                f"DTEND{zone}:{moved + timedelta(hours=1):%Y%m%dT%H%M%S}",
                self.rng.choice(("STATUS:CONFIRMED", "STATUS:CANCELLED")),
                f"SUMMARY:Changed {self.rng.randrange(1000)}",
                "END:VEVENT",
            ]
            self._put(calendar, name, entry)

    def _restore(self) -> None:
        """Take an exception back."""
        for calendar, name, entry in self._some(series=True):
            if entry.exceptions:
                del entry.exceptions[self.rng.choice(sorted(entry.exceptions))]
                self._put(calendar, name, entry)

    def _move(self) -> None:
        """Move an entry to another calendar, by MOVE or as programs do that cannot."""
        for calendar, name, entry in self._some():
            to = self.rng.choice(sorted(self.held))
            if to == calendar or name in self.held[to]:
                continue
            if self.moves and self.rng.random() < 0.5:
                self.client.move(calendar + name, to + name)
                self.held[to][name] = entry
            else:
                self._put(to, name, entry)
                self.client.delete(calendar + name)
            del self.held[calendar][name]

    def _copy(self) -> None:
        """Put an entry with the same UID into another calendar as well, under another title."""
        for calendar, name, entry in self._some():
            to = self.rng.choice(sorted(self.held))
            if to != calendar and name not in self.held[to]:
                main = [line.replace("SUMMARY:", "SUMMARY:Copy of ") for line in entry.main]
                self._put(to, name, Entry(entry.uid, main, dict(entry.exceptions)))

    def _some(self, *, series: bool = False) -> list[tuple[str, str, Entry]]:
        """Return an entry at random, or none where there is none."""
        found = [
            (calendar, name, entry)
            for calendar, entries in sorted(self.held.items())
            for name, entry in sorted(entries.items())
            if not series or any(line.startswith("RRULE") for line in entry.main)
        ]
        return [self.rng.choice(found)] if found else []

    def _put(self, calendar: str, name: str, entry: Entry) -> None:
        self.client.put(calendar + name, *entry.lines())
        self.held[calendar][name] = entry

    def _main(self, uid: str, *, todo: bool | None = None) -> Lines:
        todo = self.rng.random() < 0.25 if todo is None else todo
        begun = FIRST + timedelta(days=self.rng.randrange(90), minutes=15 * self.rng.randrange(30))
        head = [f"UID:{uid}", "DTSTAMP:20261101T080000Z", f"SUMMARY:Title {self.rng.randrange(10_000)}"]
        if todo:
            done = ["STATUS:COMPLETED", "COMPLETED:20261119T101500Z"] if self.rng.random() < 0.3 else []
            due = f"DUE;VALUE=DATE:{begun:%Y%m%d}"
            return ["BEGIN:VTODO", *head, due, f"PRIORITY:{self.rng.randrange(10)}", *done, "END:VTODO"]
        if self.rng.random() < 0.15:
            last = begun + timedelta(days=self.rng.randrange(1, 4))
            days = [f"DTSTART;VALUE=DATE:{begun:%Y%m%d}", f"DTEND;VALUE=DATE:{last:%Y%m%d}"]
            return ["BEGIN:VEVENT", *head, *days, "END:VEVENT"]
        series = ["RRULE:FREQ=WEEKLY;COUNT=8"] if self.rng.random() < 0.3 else []
        zone = f";TZID={self.rng.choice(ZONES)}"
        over = begun + timedelta(minutes=15 * self.rng.randrange(1, 8))
        times = [f"DTSTART{zone}:{begun:%Y%m%dT%H%M%S}", f"DTEND{zone}:{over:%Y%m%dT%H%M%S}"]
        return ["BEGIN:VEVENT", *head, *times, *series, "END:VEVENT"]
