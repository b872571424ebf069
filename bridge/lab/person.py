"""The demo's made-up person: a working life in a calendar and the body that goes with it, as vendors keep them."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.lab.calendar_life import calendar_account
from bridge.lab.days import whoop_account

HARD_WEEK = range(18, 25)  # days ago: evenings at work, short nights, and a body that shows it


def demo_person(
    today: date, *, zone: str = "Europe/Berlin", days: int = 75, seed: int = 7
) -> dict[str, dict[str, Any]]:
    """What WHOOP and Google hold of the person on the morning of ``today``: {"whoop": ..., "google_calendar": ...}.

    ``days`` nights end on the days up to and including ``today``. There is no clock and no other chance than ``seed``:
    the same arguments give the same JSON on any machine. Raises ValueError for fewer than 7 days.
    """
    if days < 7:
        raise ValueError("a person needs at least 7 days")
    place, hard = ZoneInfo(zone), frozenset(today - timedelta(days=ago) for ago in HARD_WEEK)
    return {
        "whoop": whoop_account(today, place, days, hard, random.Random(f"{seed}/body")),
        "google_calendar": calendar_account(today, place, days, hard, random.Random(f"{seed}/calendar")),
    }
