"""Score a night from 0 to 1 by duration, efficiency, stages, regularity and debt.

Vendor scores cannot be compared with each other, and some sources have none. Shares of deep and REM sleep weigh little,
as there is no consensus about them (National Sleep Foundation, Ohayon 2017).
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
SLEEP_NEED_HOURS = 8.0  # hours, unless the vendor states a need (adults: 7-9)
LEAST_NEED, MOST_NEED = 5.0, 9.0
REGULARITY_DAYS = 14  # days for regularity and debt
DEBT_HALF_LIFE = 2.5  # days
JUDGED = (Metric.DEEP_SLEEP, Metric.SLEEP_SCORE)
LEAST_NIGHTS = 3  # earlier nights that regularity needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A main sleep. ``asleep`` and ``need`` are in hours, ``efficiency``, ``deep`` and ``rem`` are shares from 0 to 1.

    The shares are None if the source does not give them.
    """

    start: datetime
    end: datetime
    asleep: float
    need: float
    efficiency: float | None
    deep: float | None  # share of the time asleep
    rem: float | None
    middle: float  # hours since local noon at mid-sleep
    offset: timedelta  # of the person's clock from UTC
    vendor: Mapping[Metric, float]  # figures with a baseline of their own: the vendor's score, minutes of deep sleep


def night_of(episode: Episode, offset: timedelta) -> Night | None:
    """Return the Night of a sleep episode. Return None if its time asleep is unknown or outside of 1 to 16 hours.

    ``offset`` is what the user's clock is ahead of UTC.
    """
    values = episode.values
    asleep = _asleep(values)
    if asleep is None or not 60 <= asleep <= 960:
        return None
    middle = episode.start + (episode.end - episode.start) / 2 + offset
    deep, rem = values.get(Metric.DEEP_SLEEP), values.get(Metric.REM_SLEEP)
    return Night(
        start=episode.start,
        end=episode.end,
        asleep=asleep / 60,
        need=clip(values.get(Metric.SLEEP_NEED, SLEEP_NEED_HOURS * 60) / 60, LEAST_NEED, MOST_NEED),
        efficiency=_efficiency(values, asleep),
        deep=None if deep is None else deep / asleep,
        rem=None if rem is None else rem / asleep,
        middle=(middle.hour + middle.minute / 60 - 12) % 24,
        offset=offset,
        vendor={metric: values[metric] for metric in JUDGED if metric in values},
    )


def score(day: date, nights: Mapping[date, Night], *, settled: bool = True) -> float:
    """Return the score, from 0 to 1, of the night that ended on ``day``. ``nights`` also holds the two weeks before.

    The score is the weighted mean of the parts that are known. ``settled`` is False after a journey across time zones.
    Regularity is then left out. It also needs three earlier nights. ``hours`` are those asleep, and ``e`` is the
    efficiency. Raises KeyError without the night of ``day``.

    - 0.45 duration: clip((hours - 4) / (need - 4));
    - 0.20 efficiency: clip((e - 0.75) / 0.15);
    - 0.10 stages: half each of clip(deep / 0.18) and clip(REM / 0.20);
    - 0.10 regularity: 1 - clip(|middle - median of the last 14| / 2.5 h);
    - 0.15 debt: 1 - clip(mean shortfall with half-life 2.5 days / 2.5 h).
    """
    night = nights[day]
    parts: dict[str, float | None] = {
        "duration": clip((night.asleep - 4) / (night.need - 4)),
        "efficiency": None if night.efficiency is None else clip((night.efficiency - 0.75) / 0.15),
        "stages": _stages(night),
        "regularity": _regularity(day, nights) if settled else None,
        "debt": 1 - clip(_debt(day, nights) / 2.5),
    }
    known = {name: part for name, part in parts.items() if part is not None}
    return sum(PARTS[name] * part for name, part in known.items()) / sum(PARTS[name] for name in known)


def _asleep(values: Mapping[Metric, float]) -> float | None:
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


def _debt(day: date, nights: Mapping[date, Night]) -> float:
    """Return the mean hours of sleep below the need, over the known nights of ``day`` and the 14 days before.

    A night's weight halves every 2.5 days.
    """
    total = weight = 0.0
    for d in _back(day, start=0):
        if d in nights:
            w = 0.5 ** ((day - d).days / DEBT_HALF_LIFE)
            total += w * max(nights[d].need - nights[d].asleep, 0.0)
            weight += w
    return total / weight


def _back(day: date, *, start: int) -> list[date]:
    return [day - timedelta(days=k) for k in range(start, REGULARITY_DAYS + 1)]
