"""Connection: how much company there was lately, from the calendar's family and social hours and from messages.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over company, messages and the person's own check-in.
- company: (s - 0.63) / 0.25 with s = 1 - exp(-E / 2), where E sums over the entries of the last seven days that are
  over: 1 in person, 0.6 in a call, 0.3 with more than eight others, halved every two days, at most two entries a day;
- messages: z of ln(1 + the people written to yesterday), at most 1; counts only, nothing of what was written.
In-person contact predicts less loneliness on the day (Silva 2023); company works on the same day and hardly on the week
after (LifeSnaps), hence the short half-life; older adults report about two contacts a day (Luo 2022), hence the cap.
The constants are a proposal: no public data hold these inputs together with what people say.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import exp

from bridge.agenda import social_events
from bridge.meters import body, words
from bridge.meters.baseline import CLIP, CONSTANTS, clip
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from bridge.metrics import Metric
from bridge.types import Event, Reading
from rhythm_env.interface import Meter, zone_at

LOOK_BACK = timedelta(days=7)
LONGEST = timedelta(days=7)  # an entry in company takes
HALF_LIFE = timedelta(days=2)
A_DAY = 2
MOST_FROM_MESSAGES = 1.0
CROWD = 8


def read(past: Past, at: datetime) -> Reading:
    """Connection as of ``at``."""
    said = check_in(past.answers, Meter.CONNECTION, at)
    return fuse(past.proxies, Meter.CONNECTION, (company(past, at), messages(past, at), said))


def company(past: Past, at: datetime) -> Signal | None:
    """The week's company; missing without a calendar, low with one that shows none."""
    if not past.calendar.exists(at):
        return None
    days: dict[date, list[float]] = {}
    count, last = 0, LOOK_BACK
    for day, age, closeness in _entries(past, at):
        days.setdefault(day, []).append(closeness * 0.5 ** (age / HALF_LIFE))
        count, last = count + 1, min(last, age)
    total = sum(sum(sorted(worth)[-A_DAY:]) for worth in days.values())
    z = clip((1 - exp(-total / 2) - 0.63) / 0.25, -CLIP, CLIP)
    text = f"in company {words.plural(count, 'time')} over the last seven days"
    return Signal(name="company", z=z, quality=1.0, age_hours=last / timedelta(hours=1), text=text)


def messages(past: Past, at: datetime) -> Signal | None:
    """How many people were written to yesterday, against the person's usual; where only messages are counted, those."""
    for metric, noun in ((Metric.CONTACTS, "person"), (Metric.MESSAGES, "message")):
        day = past.latest(metric, at)
        if day is not None:
            z = min(day.normal.z(day.value, CONSTANTS[metric]), MOST_FROM_MESSAGES)
            text = f"{_counted(round(day.value), noun)} yesterday"
            return body.nightly("messages", day, z, text)
    return None


def _counted(count: int, noun: str) -> str:
    if noun == "message":
        return words.plural(count, noun)
    return f"wrote to {count} {'person' if count == 1 else 'people'}"


def closeness(event: Event) -> float:
    """What an entry is worth: 0.3 in a crowd, 0.6 on the line, 1 in person."""
    if event.others > CROWD:
        return 0.3
    return 0.6 if event.conference else 1.0


def _entries(past: Past, at: datetime) -> Iterator[tuple[date, timedelta, float]]:
    """(local day, age, worth) of the entries in company that ended in the last seven days."""
    for occurrence, _ in social_events(past.calendar.started(at - LOOK_BACK - LONGEST, at), at):
        day = occurrence.start.astimezone(zone_at(occurrence.start, past.zones)).date()
        yield day, at - occurrence.end, closeness(occurrence.event)
