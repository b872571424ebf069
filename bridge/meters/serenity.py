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
from bridge.meters.baseline import CONSTANTS, MEETING_LOAD, WINDOW, clip, normal_of
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse, warmed
from bridge.meters.hours import SIX_HOURS
from bridge.meters.past import Past
from rhythm_env.interface import Meter

MAX_Z_OF_MEETINGS = 2.0
DAY = timedelta(days=1)


def read(past: Past, at: datetime) -> Reading:
    """Return Serenity's reading at ``at``."""
    said = check_in(past.answers, Meter.SERENITY, at)
    signals = (body.stress(past, at), body.hrv_trend(past, at), meetings(past, at), body.sleep(past, at), said)
    return fuse(past.proxies, Meter.SERENITY, signals)


def meetings(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the meeting load of the last six hours, against the same hours of earlier days.

    Its z is (load - usual load) / spread, limited to +-2. Returns None without a calendar, because that is not an empty
    calendar.
    """
    if not past.calendar.exists(at):
        return None
    earlier = (at - k * DAY for k in range(1, WINDOW + 1))
    loads = [past.calendar.load(then) for then in earlier if past.calendar.reaches_back(then - SIX_HOURS)]
    normal = normal_of(loads, CONSTANTS[MEETING_LOAD])
    load = past.calendar.load(at)
    z = clip(normal.z(load, CONSTANTS[MEETING_LOAD]), -MAX_Z_OF_MEETINGS, MAX_Z_OF_MEETINGS)
    text = f"meeting load {load:.2f} over the last six hours, {normal.centre:.2f} is usual"
    return Signal(name="meetings", z=z, quality=warmed(1.0, normal.n), age_hours=0.0, text=text)
