"""Score a night from 0 to 1 by duration, efficiency, stages, regularity and debt.

Stages weigh little, as there is no consensus about them (National Sleep Foundation, Ohayon 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode
from bridge.meters.baseline import clip

PARTS = {"duration": 0.45, "efficiency": 0.20, "stages": 0.10, "regularity": 0.10, "debt": 0.15}
USUAL_NEED = 7.5  # hours of most adults (National Sleep Foundation: 7-9)
LEAST_NEED, MOST_NEED = 5.0, 10.0
NEED_DAYS = 42  # days before, whose nights tell the need
PRIOR_NIGHTS = 4.0  # free nights that the need of most adults is worth
FREE_DAYS = (5, 6)  # weekdays of waking without an alarm
LATE = timedelta(minutes=45)  # after the usual time of waking, from which no alarm rang
PAID_BACK = 1.0  # hours that the three nights before may fall short of the usual together
REGULARITY_DAYS = 14  # days for regularity and debt
DEBT_HALF_LIFE = 2.5  # days
JUDGED = (Metric.DEEP_SLEEP, Metric.SLEEP_SCORE)
LEAST_NIGHTS = 3  # earlier nights that regularity needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A main sleep, with the hours ``asleep``, the hours that the vendor says are needed (``stated``), and shares.

    A field is None if the source does not give it.
    """

    start: datetime
    end: datetime
    asleep: float
    stated: float | None
    efficiency: float | None
    deep: float | None  # share of the time asleep
    rem: float | None
    middle: float  # hours since local noon at mid-sleep
    waking: float  # hours from that noon to the end
    offset: timedelta  # of the person's clock from UTC
    vendor: Mapping[Metric, float]  # figures with a baseline of their own: the vendor's score, minutes of deep sleep


def night_of(episode: Episode, offset: timedelta) -> Night | None:
    """Return an episode of sleep as a night, or None if its time asleep is unknown or impossible.

    ``offset`` is that of the person's clock from UTC.
    """
    values = episode.values
    asleep = minutes_asleep(values)
    if asleep is None or not 60 <= asleep <= 960:
        return None
    lasted = episode.end - episode.start
    at_middle = episode.start + lasted / 2 + offset
    middle = (at_middle.hour + at_middle.minute / 60 - 12) % 24
    deep, rem = values.get(Metric.DEEP_SLEEP), values.get(Metric.REM_SLEEP)
    return Night(
        start=episode.start,
        end=episode.end,
        asleep=asleep / 60,
        stated=None if Metric.SLEEP_NEED not in values else clip(values[Metric.SLEEP_NEED] / 60, LEAST_NEED, MOST_NEED),
        efficiency=_efficiency(values, asleep),
        deep=None if deep is None else deep / asleep,
        rem=None if rem is None else rem / asleep,
        middle=middle,
        waking=middle + lasted / timedelta(hours=2),
        offset=offset,
        vendor={metric: values[metric] for metric in JUDGED if metric in values},
    )


def need(day: date, nights: Mapping[date, Night]) -> float:
    """Return the hours of sleep that the user needs, as of the night of ``day``.

    It is the median of earlier nights without alarm or debt, drawn towards most people's need, and averaged with the
    vendor's figure if there is one. Raises KeyError without the night of ``day``.
    """
    before = {d: nights[d] for d in _back(day, start=1, count=NEED_DAYS) if d in nights}
    free = _free(before)
    own = (len(free) * median(free) + PRIOR_NIGHTS * USUAL_NEED) / (len(free) + PRIOR_NIGHTS) if free else USUAL_NEED
    stated = nights[day].stated
    return clip(own if stated is None else (own + stated) / 2, LEAST_NEED, MOST_NEED)


def score(day: date, nights: Mapping[date, Night], needs: Mapping[date, float], *, settled: bool = True) -> float:
    """Return the score (0 to 1) of the night that ended on ``day``, a weighted mean of the parts that are known.

    ``needs`` holds the ``need`` of each night. ``settled`` is False after a journey, to leave regularity out, which
    also takes three earlier nights. Raises KeyError without the night of ``day``.

    - 0.45 duration: clip((hours asleep - 4) / (need - 4));
    - 0.20 efficiency: clip((efficiency - 0.75) / 0.15);
    - 0.10 stages: half each of clip(deep / 0.18) and clip(REM / 0.20);
    - 0.10 regularity: 1 - clip(|middle - median of the last 14| / 2.5 h);
    - 0.15 debt: 1 - clip(mean shortfall with half-life 2.5 days / 2.5 h).
    """
    night = nights[day]
    parts: dict[str, float | None] = {
        "duration": clip((night.asleep - 4) / (needs[day] - 4)),
        "efficiency": None if night.efficiency is None else clip((night.efficiency - 0.75) / 0.15),
        "stages": _stages(night),
        "regularity": _regularity(day, nights) if settled else None,
        "debt": 1 - clip(_debt(day, nights, needs) / 2.5),
    }
    known = {name: part for name, part in parts.items() if part is not None}
    return sum(PARTS[name] * part for name, part in known.items()) / sum(PARTS[name] for name in known)


def _free(nights: Mapping[date, Night]) -> list[float]:
    """Return the hours asleep of nights that ended without an alarm (weekend or late) and followed no debt."""
    if not nights:
        return []
    usual = median(night.asleep for night in nights.values())
    latest = median(night.waking for night in nights.values()) + LATE / timedelta(hours=1)
    found = []
    for day, night in nights.items():
        if day.weekday() in FREE_DAYS or night.waking >= latest:
            owed = [usual - nights[d].asleep for d in _back(day, start=1, count=3) if d in nights]
            if sum(owed) <= PAID_BACK:
                found.append(night.asleep)
    return found


def minutes_asleep(values: Mapping[Metric, float]) -> float | None:
    """Return the minutes asleep in an episode's values, or else from its stages or time in bed, or None."""
    stages = (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP)
    if Metric.ASLEEP in values:
        return values[Metric.ASLEEP]
    if all(stage in values for stage in stages):
        return sum(values[stage] for stage in stages)
    if Metric.IN_BED in values and Metric.AWAKE in values:
        return values[Metric.IN_BED] - values[Metric.AWAKE]
    return None


def _efficiency(values: Mapping[Metric, float], asleep: float) -> float | None:
    found = values.get(Metric.SLEEP_EFFICIENCY)
    in_bed = values.get(Metric.IN_BED)
    if found is None and in_bed:
        found = 100 * asleep / in_bed
    return found / 100 if found is not None and 30 <= found <= 100 else None


def _stages(night: Night) -> float | None:
    shares = ((night.deep, 0.18), (night.rem, 0.20))
    known = [clip(share / enough) for share, enough in shares if share is not None]
    return sum(known) / len(known) if known else None


def _regularity(day: date, nights: Mapping[date, Night]) -> float | None:
    before = [nights[d].middle for d in _back(day, start=1) if d in nights]
    if len(before) < LEAST_NIGHTS:
        return None
    own = nights[day].middle
    off = abs(median([(middle - own + 12) % 24 - 12 for middle in before]))  # around the clock, 23.9 is next to 0.1
    return 1 - clip(off / 2.5)


def _debt(day: date, nights: Mapping[date, Night], needs: Mapping[date, float]) -> float:
    total = weight = 0.0
    for d in _back(day, start=0):
        if d in nights:
            w = 0.5 ** ((day - d).days / DEBT_HALF_LIFE)
            total += w * max(needs[d] - nights[d].asleep, 0.0)
            weight += w
    return total / weight


def _back(day: date, *, start: int, count: int = REGULARITY_DAYS) -> list[date]:
    return [day - ago for ago in _AGO[start : count + 1]]


_AGO = [timedelta(days=k) for k in range(NEED_DAYS + 1)]
