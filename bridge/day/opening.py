"""The sentence that a day begins with: how the body is, what is unusual today, and what that asks for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from statistics import median

from bridge.calendar.busy import Stretch, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.day.person import Condition, Entry, Person
from bridge.day.typical import DAY, MINUTE
from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode
from rhythm_env.interface import ActionType

SHORT = timedelta(minutes=45)  # our choice: shorter than usual by so much is a short night
FULL, FULL_AGAINST = timedelta(hours=5), 1.3  # our choice: of entries, and against such a day's median
WEEKS = 4  # before, of which the same weekday tells how full such a day is


def opening(person: Person) -> tuple[Fact, ...]:
    """Return what matters most of the person's day, in order. It is empty where neither night nor day is known."""
    return (*_body(person), *_beside(person))


def _body(person: Person) -> Iterator[Fact]:
    body, night = person.body, list(_night_and_day(person))
    explained = any(one.kind.startswith("short") for one in night)  # a low Vitality needs no figure then
    if body.state is Condition.WELL or (explained and body.facts[0].kind == "low_vitality"):
        yield from night
    else:
        yield body.facts[0]
    if body.state is not Condition.WELL:
        yield fact("rest_first" if body.ill else "take_it_easier")


def _night_and_day(person: Person) -> Iterator[Fact]:
    today = person.date_of(person.now)
    night, short, entries = person.slept(today), person.short_of_sleep, _entries(person, today)
    asleep = None if night is None else _asleep(night)
    count, busy = len(entries), _length(entries)
    full = busy >= FULL and busy >= FULL_AGAINST * _usual(person, today)
    if short is not None and short >= SHORT and asleep is not None:
        if full:
            yield fact("short_before_full", asleep=asleep, count=count)
        else:
            yield fact("short_opening", asleep=asleep)
    elif full:
        yield fact("full_opening" if asleep is None else "full_after_good", count=count, busy=length(busy / MINUTE))
    elif not entries and person.free_day(today):
        yield fact("free_opening" if asleep is None else "free_after_good")
    elif asleep is not None:
        yield fact("ordinary_after_good")
    elif person.known.agenda:
        yield fact("ordinary_opening")


def _beside(person: Person) -> Iterator[Fact]:
    today = person.date_of(person.now)
    flight = next((o for o in person.flights if person.date_of(o.start) == today and o.start > person.now), None)
    if flight is not None:
        yield fact("flight_today", time=person.local(flight.start))
    due = sum(task.completed is None and task.due is not None and task.due <= today for task in person.known.tasks)
    if due:
        yield fact("due_by_today", count=due)


def _entries(person: Person, day: date) -> list[Entry]:
    begin, end = midnight(day, person.zones), midnight(day + DAY, person.zones)
    return [
        (o, label)
        for o, label in person.known.agenda
        if begin <= o.start < end and takes_time(o.event) and label.action is not ActionType.SLEEP
    ]


def _length(entries: list[Entry]) -> timedelta:
    stretches: list[Stretch] = merged((o.start, o.end) for o, _ in entries)
    return sum((end - begin for begin, end in stretches), timedelta(0))


def _usual(person: Person, day: date) -> timedelta:
    before = (_length(_entries(person, day - 7 * DAY * week)) for week in range(1, WEEKS + 1))
    return timedelta(seconds=median(length.total_seconds() for length in before))


def _asleep(night: Episode) -> Fact:
    return length(night.values.get(Metric.ASLEEP, (night.end - night.start) / MINUTE))
