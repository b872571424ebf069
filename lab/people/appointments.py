"""Calendar entries in the format of Google's Calendar API v3, in the demo person's two calendars."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

ME = "ana.keller@example.com"
FAMILY = "family-keller@example.com"
COLLEAGUES = (
    *("sarah", "jonas", "mei", "pablo", "aisha", "tom", "lena", "nora", "ben", "mia", "olga", "raj"),
    *(f"colleague{number}" for number in range(1, 21)),
)
ALPHABET = "0123456789abcdefghijklmnopqrstuv"  # the vendor's ids are base32hex
SPECIAL: dict[str, dict[str, Any]] = {  # what the kinds of event carry beside the usual
    "default": {},
    "fromGmail": {"visibility": "private", "source": {"title": "Booking", "url": "https://mail.example.com/booking"}},
    "focusTime": {
        "focusTimeProperties": {"autoDeclineMode": "declineOnlyNewConflictingInvitations", "chatStatus": "doNotDisturb"}
    },
    "outOfOffice": {"outOfOfficeProperties": {"autoDeclineMode": "declineAllConflictingInvitations"}},
    "workingLocation": {
        "transparency": "transparent",
        "visibility": "public",
        "workingLocationProperties": {"type": "homeOffice", "homeOffice": {}},
    },
    "birthday": {
        "transparency": "transparent",
        "visibility": "private",
        "birthdayProperties": {"type": "birthday"},
    },
}


class Meeting(NamedTuple):
    title: str
    start: datetime  # on the person's clock
    minutes: int
    others: int = 0
    online: bool = False
    mine: bool = True
    response: str = "accepted"
    kind: str = "default"


@dataclass(slots=True, kw_only=True)
class Book:
    """The calendars being written. Every entry was last changed in the 90 days before the morning of ``today``."""

    zone: ZoneInfo
    today: date
    rng: random.Random
    events: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {ME: [], FAMILY: []})

    def calendars(self) -> list[dict[str, Any]]:
        """Return the calendars as entries of ``calendarList``."""
        return [
            self._calendar(ME, ME, "14", "#9fe1e7") | {"primary": True},
            self._calendar(FAMILY, "Family", "7", "#42d692"),
        ]

    def _calendar(self, key: str, summary: str, color: str, background: str) -> dict[str, Any]:
        return {
            "kind": "calendar#calendarListEntry",
            "etag": self._etag(self._touched()),
            "id": key,
            "summary": summary,
            "timeZone": self.zone.key,
            "colorId": color,
            "backgroundColor": background,
            "foregroundColor": "#000000",
            "selected": True,
            "accessRole": "owner",
            "defaultReminders": [{"method": "popup", "minutes": 10}],
            "conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
        }

    def add(self, calendar: str, meeting: Meeting, *, recurrence: Sequence[str] = ()) -> dict[str, Any]:
        """Add a timed event and return it. With ``recurrence`` it is the master of a series."""
        end = meeting.start + timedelta(minutes=meeting.minutes)
        event = self._event(calendar, meeting.title, meeting.kind, mine=meeting.mine)
        event |= {"start": self._time(meeting.start), "end": self._time(end)}
        if recurrence:
            event["recurrence"] = list(recurrence)
        if meeting.others:
            event["attendees"] = self._attendees(event["organizer"]["email"], meeting)
        if meeting.online:
            event |= self._conference()
        self.events[calendar].append(event)
        return event

    def whole_day(
        self,
        calendar: str,
        title: str,
        first: date,
        days: int,
        *,
        kind: str = "default",
        recurrence: Sequence[str] = (),
    ) -> None:
        """Add an all-day event of ``days`` days from ``first`` on."""
        event = self._event(calendar, title, kind, mine=True)
        event |= {"start": {"date": first.isoformat()}, "end": {"date": (first + timedelta(days=days)).isoformat()}}
        event.setdefault("transparency", "transparent" if kind == "default" else "opaque")
        if recurrence:
            event["recurrence"] = list(recurrence)
        self.events[calendar].append(event)

    def cancel(self, calendar: str, master: dict[str, Any], day: date) -> None:
        """Cancel the instance of a series on ``day``, as an entry that has only its ids and original start."""
        start = self._instance(master, day)
        keys = ("kind", "recurringEventId", "originalStartTime", "id", "etag")
        hole = {key: value for key, value in self._exception(master, start).items() if key in keys}
        self.events[calendar].append(hole | {"status": "cancelled"})

    def move(
        self, calendar: str, master: dict[str, Any], day: date, by: timedelta, *, summary: str | None = None
    ) -> None:
        """Move the instance of a series on ``day`` by a time, and rename it if ``summary`` is given."""
        start = self._instance(master, day)
        event = self._exception(master, start) | {"sequence": 1}
        event |= {"start": self._time(start + by), "end": self._time(start + by + _length(master))}
        self.events[calendar].append(event | ({} if summary is None else {"summary": summary}))

    def answer(self, calendar: str, master: dict[str, Any], day: date, response: str) -> None:
        """Set the user's response to the instance of a series on ``day``."""
        event = self._exception(master, self._instance(master, day))
        event["attendees"] = [
            person | ({"responseStatus": response} if person.get("self") else {}) for person in event["attendees"]
        ]
        self.events[calendar].append(event)

    def _instance(self, master: dict[str, Any], day: date) -> datetime:
        at = datetime.fromisoformat(master["start"]["dateTime"]).time()
        return datetime.combine(day, at, self.zone)

    def _exception(self, master: dict[str, Any], start: datetime) -> dict[str, Any]:
        touched = self._touched()
        return {key: value for key, value in master.items() if key != "recurrence"} | {
            "id": f"{master['id']}_{start.astimezone(UTC):%Y%m%dT%H%M%SZ}",
            "etag": self._etag(touched),
            "updated": _stamp(touched),
            "recurringEventId": master["id"],
            "originalStartTime": self._time(start),
            "start": self._time(start),
            "end": self._time(start + _length(master)),
        }

    def _event(self, calendar: str, title: str, kind: str, *, mine: bool) -> dict[str, Any]:
        key, touched = self._text(26), self._touched()
        host = (_named(title) or [self.rng.choice(COLLEAGUES)])[0]
        organizer: dict[str, Any] = {"email": calendar, "self": True} if mine else {"email": f"{host}@example.com"}
        if calendar == FAMILY:
            organizer["displayName"] = "Family"
        return {
            "kind": "calendar#event",
            "etag": self._etag(touched),
            "id": key,
            "status": "confirmed",
            "htmlLink": f"https://calendar.example.com/event?eid={key}",
            "created": _stamp(touched - timedelta(days=self.rng.randrange(1, 40))),
            "updated": _stamp(touched),
            "summary": title,
            "creator": {key: value for key, value in organizer.items() if key != "displayName"},
            "organizer": organizer,
            "iCalUID": f"{key}@example.com",
            "sequence": 0,
            "reminders": {"useDefault": True},
            "eventType": kind,
            **SPECIAL[kind],
        }

    def _attendees(self, organizer: str, meeting: Meeting) -> list[dict[str, Any]]:
        named = [name for name in _named(meeting.title) if f"{name}@example.com" != organizer]
        rest = [name for name in COLLEAGUES if name not in named and f"{name}@example.com" != organizer]
        wanted = meeting.others - (0 if meeting.mine else 1)
        invited = [*named, *self.rng.sample(rest, max(wanted - len(named), 0))]
        answers = [{"email": f"{name}@example.com", "responseStatus": self._reply()} for name in invited]
        me: dict[str, Any] = {"email": ME, "self": True, "responseStatus": meeting.response}
        if meeting.mine:
            return [me | {"organizer": True}, *answers]
        return [{"email": organizer, "organizer": True, "responseStatus": "accepted"}, me, *answers]

    def _reply(self) -> str:
        return "accepted" if self.rng.random() < 0.8 else "needsAction"

    def _conference(self) -> dict[str, Any]:
        code = "-".join(self._text(size, "abcdefghijkmnopqrstuvwxyz") for size in (3, 4, 3))
        link = f"https://meet.example.com/{code}"
        return {
            "hangoutLink": link,
            "conferenceData": {
                "entryPoints": [{"entryPointType": "video", "uri": link, "label": link.removeprefix("https://")}],
                "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
                "conferenceId": code,
            },
        }

    def _time(self, at: datetime) -> dict[str, str]:
        return {"dateTime": at.astimezone(self.zone).isoformat(), "timeZone": self.zone.key}

    def _touched(self) -> datetime:
        morning = datetime.combine(self.today, time(6), UTC)
        return morning - timedelta(milliseconds=self.rng.randrange(60_000, 90 * 86_400_000))

    def _etag(self, touched: datetime) -> str:
        return f'"{2 * round(touched.timestamp() * 1000)}"'

    def _text(self, size: int, alphabet: str = ALPHABET) -> str:
        return "".join(self.rng.choice(alphabet) for _ in range(size))


def _length(event: dict[str, Any]) -> timedelta:
    start, end = (datetime.fromisoformat(event[side]["dateTime"]) for side in ("start", "end"))
    return end - start


def _named(title: str) -> list[str]:
    return [name for name in COLLEAGUES if name in title.lower().split()]


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
