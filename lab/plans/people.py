"""Generated people of several kinds with nights, calendar entries, workouts and tasks, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Event, Item, Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

A_DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
HOME, AWAY = "Europe/Berlin", "America/New_York"

Line = tuple[float, float, str, int]  # start and length in hours, title, other people


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of person, by functions that draw calendar entries and sleep for a date.

    ``sleep`` returns bedtime and wake time of the sleep that ends on the date, in hours from midnight of the date.
    """

    day: Callable[[random.Random, date], list[Line]]
    sleep: Callable[[random.Random, date], tuple[float, float]]
    watch: bool = True
    calendar: bool = True
    flight: int | None = None  # day on which the person flies to another zone


def _usual_sleep(rng: random.Random, day: date) -> tuple[float, float]:
    late = 1.0 if day.weekday() >= 5 else 0.0
    return -1 + late * 0.8 + rng.gauss(0, 0.4), 6.8 + late + rng.gauss(0, 0.3)


def _late_sleep(rng: random.Random, _day: date) -> tuple[float, float]:
    return 1.5 + rng.gauss(0, 0.7), 9.5 + rng.gauss(0, 0.7)


def _shift_of(day: date) -> int:
    """Return the shift of a date: 0 early, 1 late or 2 night, a week each."""
    return day.toordinal() // 7 % 3


def _shift_sleep(rng: random.Random, day: date) -> tuple[float, float]:
    bed, wake = ((-2.5, 4.6), (0.8, 8.5), (7.5, 14.5))[_shift_of(day)]
    return bed + rng.gauss(0, 0.3), wake + rng.gauss(0, 0.3)


def _office(rng: random.Random, day: date) -> list[Line]:
    if day.weekday() >= 5:
        return rng.sample(
            [(10.0, 1.0, "Groceries", 0), (15.0, 2.0, "Coffee with Lena", 1), (19.5, 3.0, "Dinner with friends", 4)], 2
        )
    lines: list[Line] = [(9.25, 0.25, "Team standup", 6), (10.0, 2.0, "Focus time", 0), (12.5, 0.75, "Lunch", 0)]
    lines += [(13.5 + 1.5 * k, 1.0, rng.choice(["Design review", "Planning", "1:1 with Sam"]), 3) for k in range(2)]
    evening: list[Line] = [(18.5, 1.25, "Gym", 0), (19.0, 2.0, "Choir", 12), (20.0, 2.5, "Date night", 1)]
    return lines + ([rng.choice(evening)] if rng.random() < 0.6 else [])


def _packed(rng: random.Random, day: date) -> list[Line]:
    if day.weekday() >= 6:
        return []
    titles = ["Steering", "Client call", "Interview", "Budget", "Review", "All hands"]
    return [(8.0 + 0.75 * k, 0.75, rng.choice(titles), rng.randint(1, 20)) for k in range(rng.randint(12, 15))]


def _parent(rng: random.Random, day: date) -> list[Line]:
    lines: list[Line] = [(7.5, 0.5, "Bring kids to daycare", 0), (15.0, 0.5, "Pick up kids", 0)]
    lines += [(17.5, 1.0, "Dinner with the kids", 0), (19.0, 0.5, "Kids to bed", 0)]
    if day.weekday() < 5:
        lines += [(9.0, 0.5, "Standup", 5), (10.0, 1.5, "Write report", 0)]
    return lines if day.weekday() < 5 else lines[2:] + [(10.0, 2.0, "Playground", 2)] * (rng.random() < 0.7)


def _student(rng: random.Random, day: date) -> list[Line]:
    if day.weekday() >= 5:
        return [(22.0, 4.0, "Party at Tom's", 8)] if rng.random() < 0.5 else []
    subjects = ["Linear Algebra lecture", "Physics tutorial", "Chemistry lab", "Seminar"]
    return [(10.0 + 2 * k, 1.5, rng.choice(subjects), 0) for k in range(rng.randint(1, 3))]


def _shifts(rng: random.Random, day: date) -> list[Line]:
    if day.weekday() >= 5:
        return [(14.0, 2.0, "Family visit", 3)] if rng.random() < 0.5 else []
    start = (6.0, 14.0, 22.0)[_shift_of(day)]
    return [(start, 8.0, ("Early shift", "Late shift", "Night shift")[_shift_of(day)], 0)]


def _empty(_rng: random.Random, _day: date) -> list[Line]:
    return []


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "office": Kind(day=_office, sleep=_usual_sleep),
        "full calendar": Kind(day=_packed, sleep=_usual_sleep),
        "parent": Kind(day=_parent, sleep=_usual_sleep),
        "student": Kind(day=_student, sleep=_late_sleep),
        "shift worker": Kind(day=_shifts, sleep=_shift_sleep),
        "traveller": Kind(day=_office, sleep=_usual_sleep, flight=35),
        "empty calendar": Kind(day=_empty, sleep=_usual_sleep),
        "no watch": Kind(day=_office, sleep=_usual_sleep, watch=False),
        "no calendar": Kind(day=_empty, sleep=_usual_sleep, calendar=False),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A generated person with calendar items, measurements and wishes.

    ``zones`` holds (instant, IANA zone) pairs. ``first`` is the first date on which recommendations are asked for.
    """

    kind: str
    zones: tuple[tuple[datetime, str], ...]
    items: tuple[tuple[datetime, Item], ...]  # with the instant from which each is known
    first: date
    wishes: Wishes = field(default_factory=Wishes)


def generate(seed: int, days: int, first: date) -> Person:
    """Return a person of kind number ``seed``, with six weeks of data before ``first`` and over ``days`` days after."""
    rng = random.Random(f"plans/{seed}")
    name = list(KINDS)[seed % len(KINDS)]
    kind = KINDS[name]
    begin = first - 42 * A_DAY
    leaves = None if kind.flight is None else first + rng.randint(2, max(days - 2, 3)) * A_DAY
    zones = [(_at(begin, 0, HOME), HOME)] + ([] if leaves is None else [(_at(leaves, 20, HOME), AWAY)])
    items: list[tuple[datetime, Item]] = []
    for number in range(42 + days + 8):
        day = begin + number * A_DAY
        zone = AWAY if leaves is not None and day > leaves else HOME
        items += _of_day(rng, kind, day, zone, _at(begin, 0, HOME))
    items += (
        [] if leaves is None else [(_at(begin, 0, HOME), _event(leaves, (12.0, 8.0, "Flight to New York", 0), HOME))]
    )
    items += _tasks(rng, first, days, _at(begin, 0, HOME))
    vetoed = frozenset(rng.sample(list(ActionType), rng.choice([0, 0, 1, 2])))
    return Person(kind=name, zones=tuple(zones), items=tuple(items), first=first, wishes=Wishes(never=vetoed))


def _of_day(rng: random.Random, kind: Kind, day: date, zone: str, known: datetime) -> Iterator[tuple[datetime, Item]]:
    """Yield (instant from which it is known, item) for a date's night and workout, if measured, and its entries."""
    if kind.watch and rng.random() < 0.95:
        bed, wake = (_at(day, hours, zone) for hours in kind.sleep(rng, day))
        night = {Metric.ASLEEP: (wake - bed) / MINUTE * 0.92, Metric.IN_BED: (wake - bed) / MINUTE}
        yield wake, Episode(key=f"night/{day}", kind=EpisodeKind.SLEEP, start=bed, end=wake, day=day, values=night)
        if rng.random() < 0.3:
            start = _at(day, rng.choice([7.2, 18.0, 19.0]), zone)
            end = start + rng.randint(25, 70) * MINUTE
            sport = rng.choice(["running", "cycling", "strength"])
            key, kind_of = f"sport/{day}", EpisodeKind.WORKOUT
            if start >= wake:
                yield end, Episode(key=key, kind=kind_of, start=start, end=end, day=day, label=sport)
    if kind.calendar:
        for line in kind.day(rng, day):
            yield known, _event(day, line, zone)


def _event(day: date, line: Line, zone: str) -> Event:
    start, length, title, others = line
    begin = _at(day, start, zone)
    end = begin + length * 60 * MINUTE
    key = f"{day}/{start}/{title}"
    return Event(key=key, calendar="own", title=title, start=begin, end=end, zone=zone, others=others)


def _tasks(rng: random.Random, first: date, days: int, known: datetime) -> Iterator[tuple[datetime, Item]]:
    titles = ["Write report", "Tax return", "Book dentist", "Prepare talk", "Pay invoice", "Read chapter 3"]
    for number in range(days // 2):
        due = first + rng.randint(0, days) * A_DAY
        done = _at(due, 16, HOME) if rng.random() < 0.5 else None
        title = f"{rng.choice(titles)} {number}"
        yield known, Task(key=f"task/{number}", list="tasks", title=title, due=due, completed=None)
        if done is not None:
            yield done, Task(key=f"task/{number}", list="tasks", title=title, due=due, completed=done)


def _at(day: date, hours: float, zone: str) -> datetime:
    """Return the instant ``hours`` hours by the clock after midnight of a date in a zone. Hours may exceed 0..24."""
    midnight = datetime.combine(day, time(0)) + timedelta(hours=hours)
    return midnight.replace(tzinfo=ZoneInfo(zone), second=0, microsecond=0)
