"""A few made-up accounts that many users share, with the records and rows that each user must get.

Every id contains ``MARK``, which is replaced by the user's number, so that a record that is stored for the wrong user
is found.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge import registry
from bridge.domain.types import RawRecord
from bridge.installation import normaliser
from bridge.store import codec
from lab.people.appointments import ME, Book, Meeting
from lab.people.days import whoop_account
from lab.people.garmin_life import garmin_account
from lab.people.nights import nights

SOURCES = ("whoop", "garmin", "google_calendar")
KINDS = 16  # different people; the others are like one of them
MARK = "98765432"
ZONE = ZoneInfo("Europe/Berlin")
TODAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)  # when the fleet's clock starts
DAY = timedelta(days=1)
MEETINGS = (  # of every day; the series are there from the beginning
    ("Design doc: writing block", time(9, 45), 120, 0),
    ("Lunch", time(12, 30), 45, 1),
    ("Roadmap review", time(14, 0), 60, 6),
    ("Gym", time(18, 30), 75, 0),
)
SERIES = (("Team standup", time(9, 15), 15, 5), ("Inbox", time(16, 15), 45, 0), ("Read a book", time(21, 0), 45, 0))


def number_of(person: int) -> str:
    """Return the number of a user as it is in the ids of the user's records."""
    return f"{10_000_000 + person:08d}"


def accounts(kind: int, days: int) -> dict[str, dict[str, Any]]:
    """Return the account of a kind of user at each source, with ``days`` nights and days up to ``TODAY``."""
    hard: frozenset[date] = frozenset()
    slept = nights(TODAY, ZONE, days, hard, random.Random(f"{kind}/body"))
    whoop = whoop_account(TODAY, ZONE, days, hard, random.Random(f"{kind}/body"))
    garmin = garmin_account(slept, TODAY, ZONE, random.Random(f"{kind}/watch"))
    tomorrow = (TODAY + DAY).isoformat()  # it is asked for, and answered with nulls
    garmin["sleeps"][tomorrow] = {"dailySleepDTO": {"id": None, "calendarDate": tomorrow}}
    calendar = _calendar(days, random.Random(f"{kind}/calendar"))
    return {"whoop": _marked(whoop), "garmin": _marked(garmin), "google_calendar": _marked(calendar)}


def _calendar(days: int, rng: random.Random) -> dict[str, Any]:
    book = Book(zone=ZONE, today=TODAY, rng=rng)
    first = TODAY - (days - 1) * DAY
    for title, at, minutes, others in SERIES:
        meeting = Meeting(title, datetime.combine(first, at, ZONE), minutes, others=others)
        book.add(ME, meeting, recurrence=["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"])
    for day in range(days):
        for title, at, minutes, others in MEETINGS:
            book.add(ME, Meeting(title, datetime.combine(first + day * DAY, at, ZONE), minutes, others=others))
    mine = [calendar for calendar in book.calendars() if calendar["id"] == ME]
    return {"zone": ZONE.key, "calendars": mine, "events": {ME: book.events[ME]}}


def _marked(account: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(account)
    for place, found in enumerate(sorted({str(key) for key in _ids(account)})):
        text = text.replace(found, f"{MARK}{place:03d}" if found.isdigit() else MARK + found[len(MARK) :])
    marked: dict[str, Any] = json.loads(text)
    return marked


def _ids(account: Mapping[str, Any]) -> Iterator[object]:
    listed = [rows for rows in account.values() if isinstance(rows, list)]
    for row in (row for rows in (*listed, *account.get("events", {}).values()) for row in rows):
        yield from (row[name] for name in ("id", "activityId") if name in row and row[name] != ME)


def consent(source: str, person: int) -> dict[str, Any]:
    """Return a consent that is valid for a week, in the form in which the source's connector stores it."""
    ends = datetime.now(UTC) + timedelta(days=7)
    access = f"fleet-{person}"
    if source == "google_calendar":
        scopes = ["https://www.googleapis.com/auth/calendar.readonly"]
        return {"token": access, "refresh_token": access, "expiry": ends.isoformat(), "scopes": scopes}
    return {"access_token": access, "refresh_token": access, "api_key": access, "expires_at": ends.timestamp()}


def records(source: str, account: Mapping[str, Any]) -> list[RawRecord]:
    """Return every record of an account as the connector should store it, made without the connector."""
    if source == "google_calendar":
        listed = [("calendar", row["id"], row) for row in account["calendars"]]
        listed += [("event", f"{place}/{row['id']}", row) for place, rows in account["events"].items() for row in rows]
        return [RawRecord(stream=stream, key=str(key), payload=row) for stream, key, row in listed]
    if source == "garmin":
        dated = {"summary": "summaries", "hrv": "hrv", "body_battery": "body_battery", "activity": "activities"}
        keys = ("activityId", "calendarDate", "date")
        rows = [(stream, row) for stream, name in dated.items() for row in account[name]]
        found = [(stream, next(str(row[key]) for key in keys if key in row), row) for stream, row in rows]
        found += [("sleep", day, night) for day, night in account["sleeps"].items()]
        found += [("heart_rate", day, row) for day, row in account["heart_rates"].items()]
        return [RawRecord(stream=stream, key=key, payload=row) for stream, key, row in found]
    single = {"cycle": "cycles", "sleep": "sleeps", "workout": "workouts"}
    plain = [
        RawRecord(stream=s, key=str(row["id"]), payload=row) for s, name in single.items() for row in account[name]
    ]
    return plain + [
        RawRecord(stream="recovery", key=row["sleep_id"], payload=row, parent=f"sleep/{row['sleep_id']}")
        for row in account["recoveries"]
    ]


def holdings(days: int) -> list[dict[str, tuple[list[str], Counter[str]]]]:
    """Return for each kind of user, by source, the paths of the records and the number of their rows by kind."""
    return [
        {source: _meaning(source, records(source, account)) for source, account in accounts(kind, days).items()}
        for kind in range(KINDS)
    ]


def _meaning(source: str, held: Sequence[RawRecord]) -> tuple[list[str], Counter[str]]:
    normalise = normaliser(registry.spec(source))
    by_path = {record.path: record for record in held}
    rows: Counter[str] = Counter()
    for record in held:
        rows.update(codec.KIND_OF_CLASS[type(item)] for item in normalise(record, by_path.get(record.parent or "")))
    return sorted(by_path), rows
