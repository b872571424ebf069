"""Connection: how much company there was lately, from the calendar's family and social hours.

s = 1 - exp(-E / 2), z = (s - 0.63) / 0.25, where E sums over the entries of the last seven days that are over: 1 in
person, 0.6 in a call, 0.3 with more than eight others, halved every two days, at most two entries a day. In-person
contact predicts less loneliness on the day (Silva 2023); company works on the same day and hardly on the week after
(LifeSnaps), hence the short half-life; older adults report about two contacts a day (Luo 2022), hence the cap.
The constants are a proposal: no public data hold these inputs together with what people say.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import exp

from bridge.agenda import takes_time
from bridge.meters import words
from bridge.meters.baseline import CLIP, clip
from bridge.meters.fuse import NOT_VALIDATED, Signal, fuse
from bridge.meters.past import Past
from bridge.types import Event, Reading
from rhythm_env.interface import ActionType, zone_at

WEIGHTS = {"company": 1.0}
COMPANY = frozenset({ActionType.FAMILY_TIME, ActionType.SOCIALIZE})
LOOK_BACK = timedelta(days=7)
HALF_LIFE = timedelta(days=2)
A_DAY = 2
CROWD = 8


def read(past: Past, at: datetime) -> Reading:
    """Connection as of ``at``."""
    return fuse(WEIGHTS, (company(past, at),), note=NOT_VALIDATED)


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


def closeness(event: Event) -> float:
    """What an entry is worth: 0.3 in a crowd, 0.6 on the line, 1 in person."""
    if event.others > CROWD:
        return 0.3
    return 0.6 if event.conference else 1.0


def _entries(past: Past, at: datetime) -> Iterator[tuple[date, timedelta, float]]:
    """(local day, age, worth) of the entries in company that ended in the last seven days."""
    for occurrence, label in past.calendar.entries:
        age = at - occurrence.end
        if label.action in COMPANY and timedelta(0) <= age <= LOOK_BACK and takes_time(occurrence.event):
            day = occurrence.start.astimezone(zone_at(occurrence.start, past.zones)).date()
            yield day, age, closeness(occurrence.event)
