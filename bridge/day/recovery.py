"""Illness and hardly any sleep against sport: what is said before it, and for how long usual sport is held back."""

from __future__ import annotations

from datetime import date, timedelta

from bridge.calendar.busy import nobody_goes
from bridge.calendar.kinds import SURE
from bridge.day.person import LONG_SPORT, Person
from bridge.day.typical import DAY, MINUTE
from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Occurrence, Response
from rhythm_env.interface import ActionType

LITTLE_SLEEP = timedelta(hours=4)  # of a night that is hardly one; our choice, as what follows
HELD_BACK = 2  # days after illness, hardly any sleep or long sport, without sport that is merely usual
AT_RISK = timedelta(hours=36)  # ahead, in which sport is spoken of


def asleep(night: Episode) -> Fact:
    """Return how long a night's sleep was, as the page tells it everywhere."""
    return length(night.values.get(Metric.ASLEEP, (night.end - night.start) / MINUTE))


def hardly_slept(person: Person, day: date) -> Fact | None:
    """Return the fact of a night of under four hours that ended on a date, or None."""
    night = person.slept(day)
    little = night is not None and night.end - night.start < LITTLE_SLEEP
    return fact("hardly_slept", day=day.isoformat(), asleep=asleep(night)) if night and little else None


def at_risk(person: Person) -> tuple[Fact, ...]:
    """Return why sport ahead had better be left out or be easy, and which. It is empty where nothing says so."""
    today = person.date_of(person.now)
    yesterday = hardly_slept(person, today - DAY) if person.slept(today) is None else None
    why = person.body.why if person.body.ill else hardly_slept(person, today) or yesterday
    ahead = next((o for o in _sport(person) if person.now < o.start < person.now + AT_RISK), None)
    if why is None or ahead is None:
        return ()
    return why, fact("race_can_wait" if person.body.ill else "go_easy", time=person.local(ahead.start))


def _sport(person: Person) -> list[Occurrence]:
    """Return the timed entries of sport near now, ascending, races and what is usual alike."""
    found = [o for o, label in person.entries if label.action is ActionType.EXERCISE and label.confidence >= SURE]
    found = [o for o in found if not (o.event.all_day or o.event.cancelled or nobody_goes(o.event))]
    return [o for o in found if o.event.response is not Response.DECLINED]


def held_back(person: Person, day: date) -> Fact | None:
    """Return what holds usual sport back on a date: illness, hardly any sleep or long sport of the two days before."""
    for ago in range(1, HELD_BACK + 1):
        before = day - ago * DAY
        why = person.fought(before) or hardly_slept(person, before) or _raced(person, before)
        if why is not None:
            return fact("sport_rests", day=(before + (HELD_BACK + 1) * DAY).isoformat(), why=why)
    return None


def _raced(person: Person, day: date) -> Fact | None:
    long = (o for o in person.races if person.date_of(o.start) == day and o.end - o.start >= LONG_SPORT)
    race = next((o for o in long if o.end <= person.now and o.key not in person.missed), None)
    return None if race is None else fact("long_sport_then", time=person.local(race.start))
