"""Serenity: how calm the person is, from stress, the week's heart-rate variability, meetings and sleep.

Z = sum(l q z) / (1 + sum(l q)) over stress and the load of meetings (less is better), the 7-day trend of variability,
sleep and the person's own check-in; the weights l stand in the proxy map. Sleep is in because it is the one input with
any relation to reported calm; without it the correlation cannot be told from none. Against the valence people report
on the day: within-person rank correlation about 0.11 (LifeSnaps, 34 persons).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bridge.meters import body
from bridge.meters.baseline import CONSTANTS, MEETING_LOAD, WINDOW, clip, normal_of
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse, warmed
from bridge.meters.hours import SIX_HOURS
from bridge.meters.past import Past
from bridge.types import Reading
from rhythm_env.interface import Meter

MOST_FROM_MEETINGS = 2.0
DAY = timedelta(days=1)


def read(past: Past, at: datetime) -> Reading:
    """Serenity as of ``at``."""
    said = check_in(past.answers, Meter.SERENITY, at)
    signals = (body.stress(past, at), body.hrv_trend(past, at), meetings(past, at), body.sleep(past, at), said)
    return fuse(past.proxies, Meter.SERENITY, signals)


def meetings(past: Past, at: datetime) -> Signal | None:
    """(load - usual load) / s of the last six hours against the same hours of earlier days, within +-2.

    Missing without a calendar: nobody's calendar is not an empty one.
    """
    if not past.calendar.exists(at):
        return None
    earlier = (at - k * DAY for k in range(1, WINDOW + 1))
    loads = [past.calendar.load(then) for then in earlier if past.calendar.reaches_back(then - SIX_HOURS)]
    normal = normal_of(loads, CONSTANTS[MEETING_LOAD])
    load = past.calendar.load(at)
    z = clip(normal.z(load, CONSTANTS[MEETING_LOAD]), -MOST_FROM_MEETINGS, MOST_FROM_MEETINGS)
    text = f"meeting load {load:.2f} over the last six hours, {normal.centre:.2f} is usual"
    return Signal(name="meetings", z=z, quality=warmed(1.0, normal.n), age_hours=0.0, text=text)
