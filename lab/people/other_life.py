"""The rest of the demo person's life, with to-do lists, a choir's calendar, and a phone's health data."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.people.nights import bell, stamp

DAY = timedelta(days=1)
HOME, WORK = "demo-home", "demo-work"
CHORES = (
    (HOME, ("Renew passport", "Call the plumber", "Book dentist", "Buy running shoes", "Sort photos", "Water plants")),
    (WORK, ("Send quarterly report", "Review contract", "Reply to the audit", "Update roadmap", "Prepare workshop")),
)
REHEARSAL, CONCERT = time(20, 0), time(18, 0)
MEDITATION = time(21, 30)
HOURS = {8: 0.22, 9: 0.05, 12: 0.18, 13: 0.06, 17: 0.2, 18: 0.17, 20: 0.12}  # of a day's steps, with the phone along


def tasks_account(today: date, zone: ZoneInfo, days: int, rng: random.Random) -> dict[str, Any]:
    """Return an account of Google Tasks with two lists of done, due and overdue tasks."""
    tasks: dict[str, list[dict[str, Any]]] = {HOME: [], WORK: []}
    for one, titles in CHORES:
        for number in range(days // 3):
            due = today + timedelta(days=8 - 3 * number)
            done = due < today - 4 * DAY or (due < today and rng.random() < 0.75)
            tasks[one].append(_task(f"{one}-{number}", titles[number % len(titles)], due, done, zone, rng))
    return {
        "origin": "generated",
        "about": "a made-up person for the demo; the shapes are those of the Google Tasks API v1",
        "lists": [{"id": HOME, "title": "Home"}, {"id": WORK, "title": "Work"}],
        "tasks": tasks,
    }


def _task(key: str, title: str, due: date, done: bool, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    at = datetime.combine(due, time(9), zone) + timedelta(minutes=rng.randrange(540))
    written = datetime.combine(due - 10 * DAY, time(8), zone)
    task: dict[str, Any] = {"id": key, "title": title, "status": "completed" if done else "needsAction"}
    task |= {"due": f"{due}T00:00:00.000Z", "updated": stamp(at if done else written)}
    return task | ({"completed": stamp(at), "hidden": True} if done else {})


def choir_account(today: date, days: int) -> dict[str, Any]:
    """Return a choir's iCalendar with weekly rehearsals, a rehearsal left out, and a concert."""
    monday = today - timedelta(days=days + today.weekday())
    first, off = monday + 2 * DAY, monday + timedelta(days=9 + 7 * (days // 14))
    concert = today + timedelta(days=(5 - today.weekday()) % 7 + 7)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Choir//EN", "X-WR-CALNAME:Kammerchor"]
    lines += _event("rehearsal", "Chorprobe", first, REHEARSAL, 120)[:-1]
    lines += ["RRULE:FREQ=WEEKLY;BYDAY=WE", f"EXDATE;TZID=Europe/Berlin:{off:%Y%m%d}T{REHEARSAL:%H%M%S}", "END:VEVENT"]
    lines += [*_event("concert", "Adventskonzert", concert, CONCERT, 150), "END:VCALENDAR"]
    return {"origin": "generated", "about": "a made-up choir's calendar for the demo", "text": lines}


def _event(uid: str, title: str, day: date, at: time, minutes: int) -> list[str]:
    end = datetime.combine(day, at) + timedelta(minutes=minutes)
    return [
        "BEGIN:VEVENT",
        f"UID:{uid}@choir.example.com",
        f"SUMMARY:{title}",
        f"DTSTART;TZID=Europe/Berlin:{day:%Y%m%d}T{at:%H%M%S}",
        f"DTEND;TZID=Europe/Berlin:{end:%Y%m%dT%H%M%S}",
        "END:VEVENT",
    ]


def phone_export(today: date, zone: ZoneInfo, days: int, rng: random.Random) -> bytes:
    """Return the zip of Apple's Health app on the person's phone, with steps and mindful minutes of ``days`` days."""
    exported = datetime.combine(today, time(9), zone)
    rows = [row for ago in range(days, 0, -1) for row in _phone_day(today - ago * DAY, zone, exported, rng)]
    text = "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            "<!DOCTYPE HealthData [\n<!-- HealthKit Export Version: 13 -->\n<!ELEMENT HealthData ANY>\n]>",
            '<HealthData locale="en_DE">',
            f' <ExportDate value="{_printed(exported, exported)}"/>',
            *rows,
            "</HealthData>\n",
        ]
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        name = zipfile.ZipInfo("apple_health_export/export.xml", exported.timetuple()[:6])
        archive.writestr(name, text)
    return content.getvalue()


def _phone_day(day: date, zone: ZoneInfo, exported: datetime, rng: random.Random) -> Iterator[str]:
    total = 7600 + 1900 * bell(rng)
    for hour, share in HOURS.items():
        start = datetime.combine(day, time(hour, rng.randrange(30)), zone)
        steps = max(round(total * share), 20)
        yield _record("HKQuantityTypeIdentifierStepCount", start, 15, exported, f' unit="count" value="{steps}"')
    if rng.random() < 0.35:
        start = datetime.combine(day, MEDITATION, zone)
        yield _record("HKCategoryTypeIdentifierMindfulSession", start, 8 + rng.randrange(8), exported, "")


def _record(kind: str, start: datetime, minutes: int, exported: datetime, more: str) -> str:
    begun, ended = (_printed(at, exported) for at in (start, start + timedelta(minutes=minutes)))
    return f' <Record type="{kind}" sourceName="iPhone"{more} startDate="{begun}" endDate="{ended}"/>'


def _printed(at: datetime, exported: datetime) -> str:
    offset = exported.utcoffset() or timedelta(0)
    local = at.astimezone(UTC) + offset
    hours, rest = divmod(int(offset.total_seconds()) // 60, 60)
    return f"{local:%Y-%m-%d %H:%M:%S} {hours:+03d}{rest:02d}"
