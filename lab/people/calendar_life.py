"""The demo person's two calendars in Google's format."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from lab.people.appointments import FAMILY, ME, Book, Meeting

BEFORE = 7  # days that the series begin before the first night
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORK_DAYS = (0, 1, 2, 3, 4)


class Series(NamedTuple):
    title: str
    weekdays: tuple[int, ...]
    at: time
    minutes: int
    every: int = 1  # weeks
    others: int = 0
    online: bool = False
    mine: bool = True
    kind: str = "default"
    calendar: str = ME


class Single(NamedTuple):
    title: str
    weekdays: tuple[int, ...]  # it falls on one of these
    at: time
    minutes: int
    weeks: int  # from this week
    others: int = 0
    online: bool = False
    mine: bool = True
    response: str = "accepted"
    kind: str = "default"
    calendar: str = ME


# Every weekday has at least four of the weekly ones, from morning to evening: today is never empty.
SERIES = (
    Series("Team standup", WORK_DAYS, time(9, 15), 15, others=5, online=True, mine=False),
    Series("Design doc: writing block", (0, 2, 4), time(9, 45), 120),
    Series("Focus time", (1, 3), time(9, 45), 120, kind="focusTime"),
    Series("Lunch", WORK_DAYS, time(12, 30), 45),
    Series("Sprint planning", (0,), time(13, 30), 75, every=2, others=7, online=True, mine=False),
    Series("1:1 with Sarah", (1,), time(14, 0), 30, others=1, mine=False),
    Series("Design review", (2,), time(15, 0), 60, others=4, online=True),
    Series("Inbox und Papierkram", (2, 4), time(16, 15), 45),
    Series("1:1 Jonas", (3,), time(15, 30), 30, every=2, others=1, online=True),
    Series("Wochenplanung", (4,), time(15, 0), 30),
    Series("Telefonat mit Mama", (0,), time(19, 0), 40, calendar=FAMILY),
    Series("Gym", (1, 3), time(18, 30), 75),
    Series("Spanischkurs", (2,), time(18, 30), 90),
    Series("Date night", (4,), time(19, 30), 180, calendar=FAMILY),
    Series("Long run", (5,), time(9, 0), 60),
    Series("Wocheneinkauf", (5,), time(11, 0), 60, calendar=FAMILY),
    Series("Coffee with Lena", (5,), time(15, 0), 90, others=1),
    Series("Movie night", (5,), time(20, 30), 130, calendar=FAMILY),
    Series("Yoga", (6,), time(9, 30), 60),
    Series("Brunch with Tom and Mia", (6,), time(11, 30), 120, every=2, others=2),
    Series("Read a book", (6,), time(15, 0), 90),
    Series("Dinner with family", (6,), time(18, 30), 120, calendar=FAMILY),
    Series("Journaling", (0, 3, 6), time(21, 30), 20),
)

SINGLES = (
    Single("Quarterly planning workshop", (1, 2), time(13, 0), 180, -8, others=11, mine=False),
    Single("Training: SOC2", (3,), time(14, 0), 60, -7, others=24, online=True, mine=False),
    Single("Zahnarzt", (0, 2), time(8, 0), 45, -6),
    Single("Concert with Nora", (4, 5), time(20, 0), 150, -6, others=1),
    Single("Interview: backend engineer", (1, 3), time(11, 0), 60, -5, others=2, online=True, mine=False),
    Single("Team dinner", (3,), time(18, 30), 150, -5, others=6, mine=False),
    Single("Flight to Lisbon", (4,), time(17, 50), 195, -4, kind="fromGmail"),
    Single("Friseur", (5,), time(13, 0), 45, -4),
    Single("Vendor demo", (2,), time(16, 0), 45, -4, others=9, online=True, mine=False, response="declined"),
    Single("Leaving drinks for Ben", (3,), time(18, 0), 120, -2, others=12, mine=False, response="tentative"),
    Single("Steuererklärung", (5, 6), time(13, 30), 120, -2),
    Single("Machine learning meetup", (2,), time(18, 30), 120, -1, others=30, mine=False, response="needsAction"),
    Single("Arzttermin", (1, 3), time(8, 0), 40, -1),
    Single("Roadmap review", (1, 2), time(16, 0), 60, 1, others=6, online=True, mine=False),
    Single("Spieleabend bei Jonas", (4, 5), time(19, 0), 210, 1, others=4, mine=False),
    Single("Submit expense report", (0, 4), time(17, 0), 15, 1),
)

HARD_DAYS = (  # what fills the hard week beside the usual
    ("Incident review", time(13, 30), 60),
    ("Release go/no-go", time(16, 30), 45),
    ("Customer escalation call", time(17, 30), 75),
)


def calendar_account(
    today: date, zone: ZoneInfo, days: int, hard: frozenset[date], rng: random.Random
) -> dict[str, Any]:
    """Return the account with the person's and the family's calendars. Series begin before the last ``days`` days.

    ``hard`` are days with more meetings.
    """
    book = Book(zone=zone, today=today, rng=rng)
    since = today - timedelta(days=days + BEFORE)
    masters = [_master(book, series, since) for series in SERIES]
    _changes(book, dict(zip((series.title for series in SERIES), masters, strict=True)), today)
    _singles(book, today)
    for day in sorted(day for day in hard if day.weekday() in WORK_DAYS):
        for title, at, minutes in HARD_DAYS:
            book.add(ME, Meeting(title, _at(day, at, zone), minutes, others=5, online=True, mine=False))
    _whole_days(book, today)
    return {
        "origin": "generated",
        "about": "a made-up person for the demo; the shapes are those of the Google Calendar API v3",
        "calendars": book.calendars(),
        "events": book.events,
    }


def _master(book: Book, series: Series, since: date) -> dict[str, Any]:
    monday = since - timedelta(days=since.weekday())
    first = monday + timedelta(days=series.weekdays[0])
    rule = f"RRULE:FREQ=WEEKLY;BYDAY={','.join(WEEKDAYS[day] for day in series.weekdays)}"
    if series.every > 1:
        rule = rule.replace("WEEKLY;", f"WEEKLY;INTERVAL={series.every};")
    meeting = Meeting(
        series.title,
        _at(first, series.at, book.zone),
        series.minutes,
        others=series.others,
        online=series.online,
        mine=series.mine,
        kind=series.kind,
    )
    return book.add(series.calendar, meeting, recurrence=[rule])


def _changes(book: Book, masters: dict[str, dict[str, Any]], today: date) -> None:
    gym, standup, lena = masters["Gym"], masters["Team standup"], masters["Coffee with Lena"]
    book.cancel(ME, gym, _past(today, 3, 2))
    book.cancel(ME, standup, _past(today, 2, 1))
    book.cancel(ME, lena, _past(today, 5, 3))
    book.move(ME, masters["1:1 with Sarah"], _past(today, 1, 1), timedelta(days=1, hours=2))
    book.move(ME, masters["Design review"], _past(today, 2, 2), timedelta(hours=1), summary="Design review: search")
    book.answer(ME, standup, _past(today, 4, 3), "declined")
    book.cancel(FAMILY, masters["Date night"], _past(today, 4, 4))


def _past(today: date, weekday: int, weeks: int) -> date:
    """Return a weekday's date (0 is Monday) in the week ``weeks`` before that of ``today``."""
    return today - timedelta(days=today.weekday() - weekday + 7 * weeks)


def _singles(book: Book, today: date) -> None:
    for single in SINGLES:
        day = _past(today, book.rng.choice(single.weekdays), -single.weeks)
        meeting = Meeting(
            single.title,
            _at(day, single.at, book.zone),
            single.minutes,
            others=single.others,
            online=single.online,
            mine=single.mine,
            response=single.response,
            kind=single.kind,
        )
        book.add(single.calendar, meeting)


def _whole_days(book: Book, today: date) -> None:
    saturday = _past(today, 5, -1)
    book.whole_day(FAMILY, "Trip to Hamburg", saturday, 2)
    book.whole_day(ME, "Urlaub", _past(today, 4, 6), 1, kind="outOfOffice")
    book.whole_day(ME, "Home", _past(today, 4, 1), 1, kind="workingLocation")
    book.whole_day(
        ME, "Nora's birthday", today + timedelta(days=9), 1, kind="birthday", recurrence=["RRULE:FREQ=YEARLY"]
    )


def _at(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone)
