"""Estimate bedtime and wake time by weekday, with partial pooling from published figures over the user to the weekday.

location(weekday) = published + user + kind of day + weekday. Each term is a Huber location of what the terms before it
leave, shrunk towards zero. The published figures count as 2.5 nights. Bounded influence keeps them from holding back a
user who lives by another clock. A kind of day and a weekday shrink by k = within^2 / between^2 nights. "Between" is
estimated from the user's own nights once these suffice. A week with night shifts thus keeps its pattern. If the user
wakes near midnight, each night belongs to the date from which its wake time is near the usual.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from math import atan2, cos, pi, sin, sqrt

from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import zone_at
from bridge.domain.types import Episode, Response
from bridge.meters import sleep
from bridge.meters.nights import Nights
from bridge.planning.clock import DAY, MINUTE, MINUTES_OF_DAY, WEEKEND, clock, weight
from bridge.planning.published import BETWEEN, BETWEEN_WEEKDAYS, FREE_DAY, WITHIN, WORKDAY, Published
from rhythm_env.interface import ActionType

PRIOR_NIGHTS = 2.5  # own nights that the published figures are worth
PRIOR_SPREAD_NIGHTS = 6.0  # own nights that the published spread within a person is worth
HUBER = 1.345  # spreads beyond which a night pulls no harder; 95 % efficiency for normal errors (Huber 1981)
ENOUGH_NIGHTS = (5.0, 10.0)  # between them the user's own differences of weekdays come to count
LEAST_SPREAD = 10.0  # minutes
MOST_SPREAD = MINUTES_OF_DAY / sqrt(12)  # of a time that may be any of the day
MAD_TO_SD = 1.4826
PLANNED = 0.25  # nights that a calendar entry is worth where no source records sleep
PLANNED_HOURS = (3, 14)  # length of an entry that can be a night
SHORTEST, LONGEST = 60.0, 960.0  # minutes of a usual night, as of a recorded night
ROUNDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """The usual main sleep that ends on a given weekday, in minutes after midnight of the date of waking.

    A bedtime before midnight is negative. ``bed_sd`` and ``wake_sd`` are standard deviations in minutes of the next
    such night. ``nights`` is the number of the user's own nights of all weekdays, where older nights count less.
    """

    bed: float
    wake: float
    bed_sd: float
    wake_sd: float
    nights: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Slept:
    """A main sleep that ended on ``day``, with bedtime and wake time in minutes after that date's midnight.

    ``weight`` is at most 1. It is less for an older night, and for a night that only the calendar shows.
    """

    day: date
    bed: float
    wake: float
    weight: float


def usual_nights(known: Snapshot) -> tuple[Night, ...]:
    """Return the seven usual nights of a user, by weekday of waking from Monday on.

    They rest on recorded sleep, or without any on sleep in the calendar. Published figures stand in for missing nights.
    """
    slept = _around_the_clock(recorded(known) or _planned(known))
    bed = _usual(slept, lambda one: one.bed, [_published(weekday).bed for weekday in range(7)])
    wake = _usual(slept, lambda one: one.wake, [_published(weekday).wake for weekday in range(7)])
    count = sum(one.weight for one in slept)
    return tuple(_night(*both, count) for both in zip(bed, wake, strict=True))


def _night(bed: tuple[float, float], wake: tuple[float, float], count: float) -> Night:
    """Return the usual night of a bedtime and a wake time, each given as (minutes, standard deviation).

    A length outside of 1 to 16 hours is brought to that limit, around the middle of the night. ``count`` is the
    weighted number of the user's own nights.
    """
    middle, length = (bed[0] + wake[0]) / 2, wake[0] - bed[0]
    half = min(max(length, SHORTEST), LONGEST) / 2
    return Night(bed=middle - half, wake=middle + half, bed_sd=bed[1], wake_sd=wake[1], nights=count)


def recorded(known: Snapshot) -> list[Slept]:
    """Return the recorded main sleeps that have ended, sorted by date.

    If several series (source and device) have a night on a date, the preferred series counts. Its night must last at
    least half as long as the longest. Nights in the days after a journey, which jet lag may disturb, are left out.
    """
    nights = Nights(sorted(_sleeps(known), key=repr), known.zones, known.preference)
    counted = nights.counted().items()
    return sorted(_slept(night, known) for day, night in counted if not nights.journeys.frozen(day))


def _sleeps(known: Snapshot) -> Iterable[tuple[str, Episode]]:
    """Yield (source, episode) of the episodes that have ended.

    An episode without a value for the time asleep counts as asleep from its start to its end.
    """
    for source, one in known.episodes:
        if one.end <= known.at:
            values = {Metric.ASLEEP: (one.end - one.start) / MINUTE, **one.values}
            yield source, replace(one, values=values)


def _slept(night: sleep.Night, known: Snapshot) -> Slept:
    """Return bedtime and wake time of a recorded night, on the clock that applied at waking.

    The bedtime is that of the clock before a change to or from summer time during the night.
    """
    day, wake = clock(night.end, known.zones, round(night.offset / MINUTE))
    zone = zone_at(night.end, known.zones)
    changed = _offset(night.start, zone) - _offset(night.end, zone)
    bed = wake - (night.end - night.start) / MINUTE + changed
    return Slept(day=day, bed=bed, wake=wake, weight=weight(night.end, known.at))


def _offset(at: datetime, zone: tzinfo) -> float:
    return (at.astimezone(zone).utcoffset() or timedelta(0)) / MINUTE


def _planned(known: Snapshot) -> list[Slept]:
    """Return past nights from the calendar, as weak evidence: entries of 3 to 14 hours labelled as sleep.

    All-day and declined entries do not count.
    """
    low, high = (timedelta(hours=hours) for hours in PLANNED_HOURS)
    found: list[Slept] = []
    for occurrence, label in known.agenda:
        event, length = occurrence.event, occurrence.end - occurrence.start
        if label.action is not ActionType.SLEEP or event.all_day or event.response is Response.DECLINED:
            continue
        if occurrence.end <= known.at and low <= length <= high:
            day, wake = clock(occurrence.end, known.zones)
            trust = PLANNED * weight(occurrence.end, known.at)
            found.append(Slept(day=day, bed=wake - length / MINUTE, wake=wake, weight=trust))
    return sorted(found)


def _around_the_clock(slept: Sequence[Slept]) -> list[Slept]:
    """Return the nights, with minutes counted so that each wake time is within twelve hours of the usual.

    The usual wake time is the weighted mean on the circle of the day.
    """
    turns = [(one.weight, one.wake / MINUTES_OF_DAY * 2 * pi) for one in slept]
    east, north = (sum(w * turn(angle) for w, angle in turns) for turn in (sin, cos))
    usual = atan2(east, north) / (2 * pi) * MINUTES_OF_DAY % MINUTES_OF_DAY
    return [_moved(one, round((usual - one.wake) / MINUTES_OF_DAY)) for one in slept]


def _moved(one: Slept, days: int) -> Slept:
    """Return the same night counted from midnight of a date ``days`` earlier. Its minutes grow by that many days."""
    minutes = days * MINUTES_OF_DAY
    return replace(one, day=one.day - days * DAY, bed=one.bed + minutes, wake=one.wake + minutes)


def _published(weekday: int) -> Published:
    return FREE_DAY if weekday in WEEKEND else WORKDAY


Residual = tuple[int, float, float]  # weekday, minutes, weight


def _usual(
    slept: Sequence[Slept], figure: Callable[[Slept], float], published: Sequence[float]
) -> list[tuple[float, float]]:
    """Return (usual time in minutes, standard deviation of the next such time) for each weekday from Monday on.

    ``figure`` picks a night's bedtime or its wake time. ``published`` holds seven published times in minutes, which
    stand in for missing nights.
    """
    left = [(one.day.weekday(), figure(one) - published[one.day.weekday()], one.weight) for one in slept]
    spread = _within(left)
    count = sum(w for _, _, w in left)
    everything = [(r, w) for _, r, w in left]
    user = _huber(everything, PRIOR_NIGHTS, spread)
    left = [(d, r - user, w) for d, r, w in left]
    kinds, _ = _level(left, lambda d: d in WEEKEND, spread, count)
    left = [(d, r - kinds.get(d in WEEKEND, 0.0), w) for d, r, w in left]
    days, shrinkage = _level(left, lambda d: d, spread, count)
    conflict = user - _median(everything) if everything else 0.0  # until the published figures give way
    of_user = BETWEEN**2 / (1 + count * BETWEEN**2 / spread**2) + conflict**2
    found: list[tuple[float, float]] = []
    for d in range(7):
        own = sum(w for other, _, w in left if other == d)
        variance = spread**2 * (1 + 1 / (own + shrinkage)) + of_user
        location = published[d] + user + kinds.get(d in WEEKEND, 0.0) + days.get(d, 0.0)
        found.append((location, min(sqrt(variance), MOST_SPREAD)))
    return found


def _within(left: Sequence[Residual]) -> float:
    """Return the standard deviation of nights around the median of their weekday, in minutes, at least ten.

    ``left`` holds (weekday, minutes, weight) of each night. The published spread counts as six nights.
    """
    own: list[tuple[float, float]] = []
    for group in _groups(left, lambda d: d).values():
        middle = _median(group)
        own += [(abs(r - middle), w) for r, w in group if len(group) > 1]
    deviation = MAD_TO_SD * _median(own)
    variance = (len(own) * deviation**2 + PRIOR_SPREAD_NIGHTS * WITHIN**2) / (len(own) + PRIOR_SPREAD_NIGHTS)
    return max(sqrt(variance), LEAST_SPREAD)


def _level(
    left: Sequence[Residual], key: Callable[[int], Hashable], spread: float, count: float
) -> tuple[Mapping[Hashable, float], float]:
    """Return two values, of which the first is group -> location of its nights in minutes, shrunk towards zero.

    The second is the number of nights at zero that shrink each location. ``left`` holds (weekday, minutes, weight) of
    each night. ``key`` returns the group of a weekday. ``spread`` is the standard deviation within a weekday in
    minutes. ``count`` is the sum of all weights.
    """
    groups = _groups(left, key)
    weights = {name: sum(w for _, w in group) for name, group in groups.items()}
    squares = sum(weights[name] * _median(group) ** 2 - spread**2 for name, group in groups.items())
    excess = max(squares / count, 0.0) if count else 0.0
    low, high = ENOUGH_NIGHTS
    trust = min(max((count - low) / (high - low), 0.0), 1.0)
    shrinkage = spread**2 / (BETWEEN_WEEKDAYS**2 + trust * excess)
    return {name: _huber(group, shrinkage, spread) for name, group in groups.items()}, shrinkage


def _groups(left: Sequence[Residual], key: Callable[[int], Hashable]) -> dict[Hashable, list[tuple[float, float]]]:
    found: dict[Hashable, list[tuple[float, float]]] = {}
    for weekday, residual, w in left:
        found.setdefault(key(weekday), []).append((residual, w))
    return found


def _median(weighted: Sequence[tuple[float, float]]) -> float:
    """Return the weighted median of (value, weight) pairs, or 0.0 without pairs."""
    ranked = sorted(weighted)
    half = sum(w for _, w in ranked) / 2
    reached = 0.0
    for at, (value, w) in enumerate(ranked):
        reached += w
        if reached > half * (1 + 1e-9) or at == len(ranked) - 1:
            return value
        if reached >= half * (1 - 1e-9):
            return (value + ranked[at + 1][0]) / 2
    return 0.0


def _huber(weighted: Sequence[tuple[float, float]], prior: float, spread: float) -> float:
    """Return the Huber location of (value, weight) pairs and of a pair (0, ``prior``), which draws it towards zero.

    A value farther from the location than 1.345 times ``spread`` pulls no harder than at that distance.
    """
    values = [*weighted, (0.0, prior)]
    found = _median(values)
    for _ in range(ROUNDS):
        pulls = [(v, w * min(1.0, HUBER * spread / max(abs(v - found), 1e-9))) for v, w in values]
        found = sum(v * w for v, w in pulls) / sum(w for _, w in pulls)
    return found
