"""The demo's made-up person, as an account or a file of each source."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.people.calendar_life import calendar_account
from lab.people.days import whoop_account
from lab.people.garmin_life import garmin_account
from lab.people.nights import nights
from lab.people.other_life import choir_account, phone_export, tasks_account

HARD_WEEK = range(18, 25)  # days ago: evenings at work, short nights, and a body that shows it


def hard_days(today: date) -> frozenset[date]:
    """Return the days of the person's week of stress, relative to ``today``."""
    return frozenset(today - timedelta(days=ago) for ago in HARD_WEEK)


def demo_person(
    today: date, *, zone: str = "Europe/Berlin", days: int = 75, seed: int = 7
) -> dict[str, dict[str, Any]]:
    """Return the person's account at each source by name, as of the morning of ``today``.

    ``days`` nights end up to and including ``today``, equal at all sources. The same arguments give the same JSON on
    every machine. Raises ValueError for fewer than 7 days.
    """
    if days < 7:
        raise ValueError("a person needs at least 7 days")
    place, hard = ZoneInfo(zone), hard_days(today)
    slept = nights(today, place, days, hard, random.Random(f"{seed}/body"))
    return {
        "whoop": whoop_account(today, place, days, hard, random.Random(f"{seed}/body")),
        "garmin": garmin_account(slept, today, place, random.Random(f"{seed}/watch"), every=5),
        "google_calendar": calendar_account(today, place, days, hard, random.Random(f"{seed}/calendar")),
        "google_tasks": tasks_account(today, place, days, random.Random(f"{seed}/tasks")),
        "ics": choir_account(today, days),
    }


def demo_files(today: date, *, zone: str = "Europe/Berlin", days: int = 75, seed: int = 7) -> dict[str, bytes]:
    """Return the files that the person downloads, as file name -> content."""
    return {"export.zip": phone_export(today, ZoneInfo(zone), days, random.Random(f"{seed}/phone"))}
