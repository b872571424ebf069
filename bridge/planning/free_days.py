"""Find the days that are free of work according to the calendar, such as vacation, public holidays, out of office."""

from __future__ import annotations

import re
from datetime import date, timedelta

from bridge.calendar.busy import clipped, length
from bridge.calendar.expansion import midnight
from bridge.domain.records import Snapshot
from bridge.domain.types import Event, Label, Occurrence, Response
from bridge.planning.clock import DAY, instant
from bridge.planning.published import OFFICE
from rhythm_env.interface import ActionType

AWAY = timedelta(hours=4)  # of office hours out of office, from which a day is free
# An all-day entry with such a word is a day off: en, de, fr, es, it, nl, pt, and the emoji of beach and palm.
DAY_OFF = re.compile(
    r"\b(vacation|holidays?|pto|(annual|sick|parental|maternity|paternity) leave|on leave|days? off|time off|ooo|"
    r"out of office|sick day|honeymoon|\w*urlaub|\w*ferien|\w*feiertag|brückentag|krankgeschrieben|gleittag|"
    r"vacances|congés?|férié|vacaciones|festivo|ferie|vacanza|vakantie|feestdag|férias|feriado)\b|[🏖🏝🌴]",
    re.IGNORECASE,
)
PUBLIC = re.compile(r"holiday|feiertag|festivo|férié|feestdag", re.IGNORECASE)  # in the name of a calendar


def is_free_day(known: Snapshot, day: date) -> bool:
    """Return True if the calendar says that a local date is free of work.

    An all-day entry says so if its title does, or if it is a journey of two or more days or a public holiday. Out of
    office for four of the eight office hours is free as well. Calendars of public holidays also name days such as
    Mother's Day. A holiday therefore does not count if work is planned on the date.
    """
    begin, end = midnight(day, known.zones), midnight(day + DAY, known.zones)
    today = [(o, label) for o, label in known.agenda if o.start < end and o.end > begin and _stands(o.event)]
    if any(_is_off(o, label) for o, label in today) or _away(known, today, day):
        return True
    named = any(o.event.all_day and PUBLIC.search(o.event.calendar) for o, _ in today)
    return named and not any(_is_work(o, label) for o, label in today)


def _stands(event: Event) -> bool:
    return not event.cancelled and event.response is not Response.DECLINED


def _is_off(occurrence: Occurrence, label: Label) -> bool:
    """Return True if an all-day entry is a day off by the words of its title, or a journey.

    A journey is a busy entry of two or more days, labelled as time for oneself. Birthdays, working locations and tasks
    never count.
    """
    event = occurrence.event
    if not event.all_day or event.kind in ("birthday", "workingLocation", "task"):
        return False
    days = (occurrence.end - occurrence.start) / DAY
    journey = label.action is ActionType.ME_TIME and days > 1.5 and event.busy
    return journey or (event.title is not None and DAY_OFF.search(event.title) is not None)


def _away(known: Snapshot, today: list[tuple[Occurrence, Label]], day: date) -> bool:
    """Return True if a single out-of-office entry covers at least four of the date's office hours."""
    start, end = (instant(day, minutes, known.zones) for minutes in OFFICE)
    out = sorted((o.start, o.end) for o, _ in today if o.event.kind == "outOfOffice")
    return any(length(clipped([one], start, end)) >= AWAY for one in out)


def _is_work(occurrence: Occurrence, label: Label) -> bool:
    return not occurrence.event.all_day and label.action in (ActionType.DEEP_WORK, ActionType.ADMIN_WORK)
