"""Serenity: how calm the user is, from stress, the week's heart-rate variability, meetings and sleep.

Z = sum(l q z) / (1 + sum(l q)) over stress and meeting load (less is better), the 7-day trend of variability, sleep and
the check-in. The proxy map holds the weights l. Sleep is the only input with any relation to reported calm. Without
sleep the correlation cannot be told from zero. The within-person rank correlation with reported valence on the day is
about 0.11 (LifeSnaps, 34 persons).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bridge.domain.types import Reading
from bridge.meters import body
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from rhythm_env.interface import Meter

HALF_LIFE = timedelta(hours=12)  # of the load
SILENCE = timedelta(hours=60)  # without entries, a weekend, after which the calendar tells nothing of calm
LEAST_DAYS = 10  # of four weeks with entries that are no rest


def read(past: Past, at: datetime) -> Reading:
    said = check_in(past.answers, Meter.SERENITY, at)
    signals = (body.stress(past, at), body.hrv_trend(past, at), meetings(past, at), body.sleep(past, at), said)
    return fuse(past.proxies, Meter.SERENITY, signals, reasons=past.reasons)


def meetings(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the load of entries and meetings, compared with habit, more being positive.

    Returns None if the calendar has entries on too few days for a comparison.
    """
    habit = past.calendar.load.compared(
        at, least_days=LEAST_DAYS, half_life=HALF_LIFE, longest=2 * HALF_LIFE, silence=SILENCE
    )
    if habit is None:
        return None
    told = past.told(lambda: habit.of_entries("entries_twelve_hours", past.calendar.busy(at - HALF_LIFE, at)))
    return Signal(name="meetings", z=habit.z, quality=habit.quality, fact=told)
