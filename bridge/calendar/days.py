"""Assign entries to local days, split them by day, and measure how much of them counts as hours.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from bridge.calendar.busy import Stretch
from bridge.calendar.expansion import midnight
from bridge.calendar.plans import COMPANY, REST
from bridge.domain.slots import DAY, INSTANT, ZoneHistory, local_time
from rhythm_env.interface import ActionType

LASTING = DAY  # our choice: an entry of this length is of each day that it touches, a shorter one of its first alone
LONGEST = timedelta(hours=16)  # our choice: a longer entry, such as a trip or being on call, tells no working hours
LONGEST_STAY = 366 * DAY  # of which the days count as hours


def days_of(
    start: datetime, end: datetime, zones: ZoneHistory, *, since: date = date.min, until: date = date.max
) -> list[date]:
    """Return the local days of an entry within ``since`` to ``until``, ascending.

    An entry shorter than a day belongs only to its first day, a longer one to every day that it touches.

    >>> [[day.day for day in days_of(hour(a), hour(b), LONDON)] for a, b in ((21, 31), (8, 60))]
    [[20], [20, 21, 22]]
    """
    first = local_time(start, zones).date()
    last = local_time(max(end - INSTANT, start), zones).date() if end - start >= LASTING else first
    low, high = max(first, since), min(last, until)
    return [low + n * DAY for n in range((high - low).days + 1)]


def part_on(start: datetime, end: datetime, day: date, zones: ZoneHistory) -> Stretch | None:
    """Return the part of an entry that lies on a local day, or None if none does.

    >>> [at.hour for at in part_on(hour(21), hour(31), date(2026, 11, 21), LONDON)]
    [0, 7]
    """
    begin, over = midnight(day, zones), midnight(day + DAY, zones)
    touches = start < over and (end > begin or start == begin)
    return (max(start, begin), min(end, over)) if touches else None


def hours_of(start: datetime, end: datetime, action: ActionType | None, zones: ZoneHistory) -> list[Stretch]:
    """Return the stretches of an entry that count as hours of its action, ascending.

    An entry longer than ``LONGEST`` counts only if the action is company or rest, and then with at most ``LONGEST`` of
    each day.

    >>> trip = hour(8), hour(60)
    >>> work, company = (hours_of(*trip, ActionType(one), LONDON) for one in ("DEEP_WORK", "FAMILY_TIME"))
    >>> work, [(end - start).seconds // 3600 for start, end in company]
    ([], [16, 16, 12])
    """
    if end - start <= LONGEST:
        return [(start, end)]
    if action not in COMPANY | REST:
        return []
    days = days_of(start, min(end, start + LONGEST_STAY), zones)
    parts = (part_on(start, end, day, zones) for day in days)
    return [(low, min(high, low + LONGEST)) for low, high in filter(None, parts)]
