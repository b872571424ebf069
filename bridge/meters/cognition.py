"""Cognition: the capacity to concentrate, from sleep, pauses, the calendar and hours awake.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over:

- sleep: as in Vitality (attention is what short sleep costs first and most: Lim and Dinges 2010);
- deep: z of last night's deep-sleep minutes (minutes follow reported sleep quality better than the share does);
- pause: 0.35 - 0.7 min(u, 180) / 90 with u minutes without a pause of five (amplitude: Albulescu 2022, d = 0.35);
- calendar (less is better): the hours of entries against habit (``bridge.meters.habit``), halved every six hours;
  meetings count twice, and an hour more without a pause before (Microsoft 2021);
- awake: -0.6 exp(-h / 0.7) - 0.25 (h - 14)+ with h hours since the main sleep (inertia in the first hours, steady to
  some 16 hours awake: Dijk 1992);
- workday: -0.18 an hour of a day with work, from 13:00 to 18:30, of office workers' tiredness (Menghini 2023);
- the user's check-in.

Tiredness is not concentration, of which no public data hold these inputs together with reports.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp

from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.slots import Moment, local_time
from bridge.domain.types import Reading
from bridge.meters import body, words
from bridge.meters.baseline import CLIP, CONSTANTS, clip
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Latest, Past
from rhythm_env.interface import Meter, Slot

MAX_AWAKE = timedelta(hours=18)
LOAD_HALF_LIFE = timedelta(hours=6)
SILENCE = timedelta(hours=60)  # without entries, a weekend, after which the calendar tells nothing of tiredness
LEAST_DAYS = 10  # of four weeks with entries that are no rest
FLAT_UNTIL, FLAT_FROM = 13.0, 18.5  # hours on the clock between which a workday tires
TIRING = 0.18  # spreads of tiredness an hour
PAUSELESS_MAX_MINUTES = 180.0  # without a pause, after which the penalty stops growing


def read(past: Past, at: datetime) -> Reading:
    said = check_in(past.answers, Meter.COGNITION, at)
    slept = (body.sleep(past, at), deep_sleep(past, at))
    return fuse(
        past.proxies,
        Meter.COGNITION,
        (*slept, pause(past, at), calendar(past, at), awake(past, at), workday(past, at), said),
        reasons=past.reasons,
    )


def deep_sleep(past: Past, at: datetime) -> Signal | None:
    """Return a signal of last night's minutes of deep sleep, compared with the user's normal, or None if unknown."""
    night = past.latest(Metric.DEEP_SLEEP, at)
    return None if night is None else body.nightly("deep_sleep", night, at, past.kept(_deep, night))


def _deep(_past: Past, night: Latest) -> tuple[float, Fact]:
    z = night.normal.z(night.value, CONSTANTS[Metric.DEEP_SLEEP])
    compared = words.absolute(night.value, night.normal.centre, "min", night.normal)
    return z, fact("deep_sleep", compared=compared)


def pause(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the minutes of work since the last pause, or None in a pause or without work."""
    today = past.moment(at)
    morning = past.begin(Moment(week=today.week, day=today.day, slot=Slot.MORNING))
    minutes = past.calendar.unbroken(at, min(morning, at))
    if not minutes:
        return None
    told = past.told(lambda: fact("without_pause", length=length(minutes)))
    return Signal(name="pause", z=0.35 - 0.7 * min(minutes, PAUSELESS_MAX_MINUTES) / 90, fact=told)


def calendar(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the load of calendar entries, compared with habit. None if the calendar shows too little."""
    habit = past.calendar.load.compared(
        at, least_days=LEAST_DAYS, half_life=LOAD_HALF_LIFE, longest=2 * LOAD_HALF_LIFE, silence=SILENCE
    )
    if habit is None:
        return None
    told = past.told(lambda: habit.of_entries("entries_six_hours", past.calendar.busy(at - LOAD_HALF_LIFE, at)))
    return Signal(name="calendar", z=-habit.z, quality=habit.quality, fact=told)


def awake(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the hours since the main sleep, or None if it is unknown or longer ago than ``MAX_AWAKE``.

    Its z is negative just after waking and late in the day.
    """
    woke = past.woke(at)
    if woke is None or at - woke > MAX_AWAKE:
        return None
    hours = (at - woke) / timedelta(hours=1)
    z = -0.6 * exp(-hours / 0.7) - 0.25 * max(hours - 14, 0)
    told = past.told(lambda: fact("awake", length=length(60 * hours)))
    return Signal(name="awake", z=max(z, -CLIP), fact=told)


def workday(past: Past, at: datetime) -> Signal | None:
    """Return a signal of tiredness from work, whose z falls below 0 in the afternoon, or None before the day's work."""
    clock = local_time(at, past.zones)
    midnight = clock.replace(hour=0, minute=0, second=0, microsecond=0)
    if not past.calendar.busy(midnight, at):
        return None
    hour = clock.hour + clock.minute / 60
    tired = TIRING * (clip(hour, FLAT_UNTIL, FLAT_FROM) - FLAT_UNTIL)
    return Signal(name="workday", z=-tired, fact=fact("workday", clock=f"{clock:%H:%M}"))
