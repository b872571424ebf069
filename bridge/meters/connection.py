"""Connection: recent company, from the calendar's family and social hours and from messages.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over company, messages and the user's check-in.

- company: (s - 0.63) / 0.25 with s = 1 - exp(-E / 2), where E sums over past entries of the last seven days: 1 in
  person, 0.6 in a call, 0.3 with more than eight people, halved every two days, at most two entries a day;
- messages: z of ln(1 + the people written to yesterday), at most 1. Only counts are read, never contents.

In-person contact predicts less loneliness on the same day (Silva 2023). Company works on that day and hardly in the
week after (LifeSnaps), hence the short half-life. Older adults report about two contacts a day (Luo 2022), hence the
cap. The constants are a proposal, because no public data hold these inputs together with reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import exp

from bridge.calendar.plans import social_events
from bridge.domain.metrics import Metric
from bridge.domain.slots import zone_at
from bridge.domain.types import Event, Reading
from bridge.meters import body, words
from bridge.meters.baseline import CLIP, CONSTANTS, clip
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from rhythm_env.interface import Meter

CONTACTS_BACK = timedelta(days=7)
SOCIAL_ENTRY_MAX = timedelta(days=7)
HALF_LIFE = timedelta(days=2)
MAX_ENTRIES_A_DAY = 2
MAX_Z_OF_MESSAGES = 1.0
CROWD_MIN_OTHERS = 8


def read(past: Past, at: datetime) -> Reading:
    """Return Connection's reading at ``at``."""
    said = check_in(past.answers, Meter.CONNECTION, at)
    return fuse(past.proxies, Meter.CONNECTION, (company(past, at), messages(past, at), said))


def company(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the calendar's social entries that ended in the last seven days.

    It is None without a calendar, and low if the calendar shows no company.
    """
    if not past.calendar.exists(at):
        return None
    days: dict[date, list[float]] = {}
    count, last = 0, CONTACTS_BACK
    for day, age, closeness in _entries(past, at):
        days.setdefault(day, []).append(closeness * 0.5 ** (age / HALF_LIFE))
        count, last = count + 1, min(last, age)
    total = sum(sum(sorted(worth)[-MAX_ENTRIES_A_DAY:]) for worth in days.values())
    z = clip((1 - exp(-total / 2) - 0.63) / 0.25, -CLIP, CLIP)
    text = f"in company {words.plural(count, 'time')} over the last seven days"
    return Signal(name="company", z=z, quality=1.0, age_hours=last / timedelta(hours=1), text=text)


def messages(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the number of people the user wrote to yesterday, against the user's usual number.

    If the number of people is unknown, the number of messages written is taken instead. Returns None if neither is
    known.
    """
    for metric, noun in ((Metric.CONTACTS, "person"), (Metric.MESSAGES, "message")):
        day = past.latest(metric, at)
        if day is not None:
            z = min(day.normal.z(day.value, CONSTANTS[metric]), MAX_Z_OF_MESSAGES)
            text = f"{_counted(round(day.value), noun)} yesterday"
            return body.nightly("messages", day, z, text)
    return None


def _counted(count: int, noun: str) -> str:
    if noun == "message":
        return words.plural(count, noun)
    return f"wrote to {count} {'person' if count == 1 else 'people'}"


def closeness(event: Event) -> float:
    """Return the weight of a calendar entry as company: 0.3 with more than eight others, 0.6 in a call, 1 in person."""
    if event.others > CROWD_MIN_OTHERS:
        return 0.3
    return 0.6 if event.conference else 1.0


def _entries(past: Past, at: datetime) -> Iterator[tuple[date, timedelta, float]]:
    """Yield (local day, age, weight) of the social entries that ended in the last seven days."""
    for occurrence, _ in social_events(past.calendar.started(at - CONTACTS_BACK - SOCIAL_ENTRY_MAX, at), at):
        day = occurrence.start.astimezone(zone_at(occurrence.start, past.zones)).date()
        yield day, at - occurrence.end, closeness(occurrence.event)
