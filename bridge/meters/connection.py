"""Connection: recent company, from the calendar's family and social hours and from messages.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over company, messages and the user's check-in.

- company_now: the hours in company against habit, halved every six hours, 1 in person, 0.6 in a call, 0.3 with more
  than eight others. What company does for loneliness fades within the day: over 439 people's evenings the rank
  correlation is .197 at a half-life of 6 h, .159 at two days, .106 at seven (Kuczynski 2022);
- company: the sum over past entries against habit (``bridge.meters.habit``): 1 in person, 0.6 in a call, 0.3 with more
  than eight others, at most two entries a day, halved every two days, or up to every seven where entries are rare;
- messages: z of ln(1 + the people written to yesterday), at most 1. Only counts are read, never contents.

The week of company is need and habit rather than feeling, and weighs less. Older adults report about two contacts a
day (Luo 2022), hence the cap on entries. The weights are a proposal.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bridge.calendar.plans import social_events
from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.types import Reading
from bridge.meters import body
from bridge.meters.baseline import CONSTANTS
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Latest, Past
from rhythm_env.interface import Meter

CONTACTS_BACK = timedelta(days=7)
SOCIAL_ENTRY_MAX = timedelta(days=7)
HALF_LIFE, LONGEST_HALF_LIFE = timedelta(days=2), timedelta(days=7)
NOW_HALF_LIFE, NOW = timedelta(hours=6), timedelta(hours=12)  # of company now, and the hours that its reason names
LEAST_DAYS = 4  # of four weeks with company in the calendar, from which on it tells of company
MAX_Z_OF_MESSAGES = 1.0


def read(past: Past, at: datetime) -> Reading:
    said = check_in(past.answers, Meter.CONNECTION, at)
    signals = (company(past, at), company_now(past, at), messages(past, at), said)
    return fuse(past.proxies, Meter.CONNECTION, signals, reasons=past.reasons)


def company(past: Past, at: datetime) -> Signal | None:
    """Return a signal of recent company, compared with habit, or None if the calendar seldom shows company."""
    habit = past.calendar.company.compared(at, least_days=LEAST_DAYS, half_life=HALF_LIFE, longest=LONGEST_HALF_LIFE)
    if habit is None:
        return None
    ages = _ages(past, at)
    age = min(ages, default=CONTACTS_BACK) / timedelta(hours=1)
    told = past.told(lambda: fact("company", count=len(ages), compared=habit.fact))
    return Signal(name="company", z=habit.z, quality=habit.quality, age_hours=age, fact=told)


def company_now(past: Past, at: datetime) -> Signal | None:
    """Return a signal of company in the last hours, compared with the same hours of other days, or None if seldom."""
    habit = past.calendar.together.compared(at, least_days=LEAST_DAYS, half_life=NOW_HALF_LIFE, longest=NOW_HALF_LIFE)
    if habit is None:
        return None
    told = past.told(
        lambda: fact("company_now", length=length(60 * past.calendar.company_hours(at - NOW, at)), compared=habit.fact)
    )
    return Signal(name="company_now", z=habit.z, quality=habit.quality, fact=told)


def times_in_company(past: Past, at: datetime) -> int:
    """Return the number of calendar entries with family or friends that ended in the seven days before ``at``."""
    return len(_ages(past, at))


def _ages(past: Past, at: datetime) -> list[timedelta]:
    entries = past.calendar.in_company(at - CONTACTS_BACK - SOCIAL_ENTRY_MAX, at)
    return [at - o.end for o, _ in social_events(entries, at)]


def messages(past: Past, at: datetime) -> Signal | None:
    """Return a signal of how many people (or else messages) the user wrote to yesterday, or None if unknown."""
    for metric in (Metric.CONTACTS, Metric.MESSAGES):
        day = past.latest(metric, at)
        if day is not None:
            return body.nightly("messages", day, at, past.kept(_wrote, metric, day))
    return None


def _wrote(_past: Past, metric: Metric, day: Latest) -> tuple[float, Fact]:
    kind = "messages" if metric is Metric.MESSAGES else "written_to"
    return min(day.normal.z(day.value, CONSTANTS[metric]), MAX_Z_OF_MESSAGES), fact(kind, count=round(day.value))
