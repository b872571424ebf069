"""Make samples from measurements, average frequent readings over quarter-hours, and reject impossible values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from rhythm_env.interface import Meter

QUARTER_HOUR_SECONDS = 900  # every offset from UTC in use is a multiple: no quarter-hour lies on two local days
ROUNDED, BRIEFLY_AWAKE_MAX, AWAKE_IN_BED_MAX = 5.0, 30.0, 120.0  # minutes
STAGES = (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP)
FINITE_MAX = 1e15  # no measurement is larger
OUTSIDE = re.compile(r"(?:(?:.*: )?\S+ (?:below|above) \S+ .*(?:\n|$))+")
NAP_MAX_MINUTES, NAP_HOURS = 180, range(8, 20)
# Meter -> the user's own score of the meter; None -> the score of life as a whole.
CHECK_INS: Mapping[Meter | None, Metric] = MappingProxyType(
    {None: Metric.CHECK_IN, **{meter: Metric(f"check_in_{meter.lower()}") for meter in Meter}}
)


def finite(value: Any) -> float | None:
    """Return a number of reasonable size as a float, and None for anything else, booleans included."""
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, int | float)):
        return None  # most are floats, for which the questions would take longest
    return float(value) if -FINITE_MAX < value < FINITE_MAX else None


def is_measured(metric: Metric, value: float) -> bool:
    """Return True if a value may be a measurement of ``metric``, and False for codes of "not measured" such as -1."""
    return value > 0 or value >= METRICS[metric].low


def only_measured(values: Mapping[Metric, float | None]) -> dict[Metric, float]:
    """Return the mapping without None and without vendors' codes for "not measured". Impossible values stay."""
    return {m: v for m, v in values.items() if v is not None and is_measured(m, v)}


def set_apart(items: Sequence[Item]) -> tuple[list[Item], tuple[str, ...]]:
    """Return the items without values outside their metric's range, and the distinct reasons, e.g. "spo2 above 100 %".

    Every record passes this function before it is stored, so connectors need not drop impossible values.
    """
    kept: list[Item] = []
    reasons: dict[str, None] = {}
    for item in items:
        if isinstance(item, Sample):
            found = _impossible(item)
            if not found:
                kept.append(item)
        elif isinstance(item, Episode):
            bad = {metric: why for metric, v in item.values.items() if (why := _outside(metric, v))}
            told = {m: v for m, v in item.values.items() if m not in bad}
            settled, sums = _settled(item, told)
            found = [*bad.values(), *sums]
            kept.append(item if settled == item.values else replace(item, values=settled))
        else:
            found = []
            kept.append(item)
        if found:
            reasons |= dict.fromkeys(found)
    return kept, tuple(reasons)


def _settled(one: Episode, told: dict[Metric, float]) -> tuple[dict[Metric, float], list[str]]:
    """Return an episode's values with consistent minutes asleep, in bed and in stages, and the reasons for changes."""
    length = (one.end - one.start).total_seconds() / 60
    found: list[str] = []
    asleep, in_bed = told.get(Metric.ASLEEP), told.get(Metric.IN_BED)
    if one.kind is EpisodeKind.WORKOUT or not length:
        return told, found
    if asleep is not None and asleep > length + ROUNDED:
        asleep = length
        found.append("asleep above the night's length")
    if in_bed is not None and in_bed > length + AWAKE_IN_BED_MAX:
        in_bed = length
        found.append("in_bed above the night's length")
    if in_bed is not None and asleep is not None and in_bed < asleep:
        found += ["in_bed below the time asleep"] if asleep - in_bed > ROUNDED and not found else []
        in_bed = asleep
    values = {Metric.ASLEEP: asleep, Metric.IN_BED: in_bed}
    stages = {metric: told[metric] for metric in STAGES if metric in told}
    together, most = sum(stages.values()), length if asleep is None else asleep
    slack = ROUNDED if found or asleep is None else BRIEFLY_AWAKE_MAX  # some vendors list brief waking within stages
    if together > min(most + slack, length + ROUNDED):
        values |= {metric: minutes * most / together for metric, minutes in stages.items()}
        if not found:
            found.append("stages above the night's length" if asleep is None else "stages above the time asleep")
    return told | {metric: value for metric, value in values.items() if value is not None}, found


def _impossible(sample: Sample) -> list[str]:
    spec, low, high = METRICS[sample.metric], sample.low, sample.high
    lowest, highest = sample.value if low is None else low, sample.value if high is None else high
    if spec.low <= lowest <= sample.value <= highest <= spec.high:
        return []
    return [why for v in (sample.value, low, high) if v is not None and (why := _outside(sample.metric, v))]


def only_outside(reasons: str) -> bool:
    """Return True if each line of ``reasons`` is about a single value left out, and none about a whole record."""
    return OUTSIDE.fullmatch(reasons) is not None


def _outside(metric: Metric, value: float) -> str | None:
    spec = METRICS[metric]
    if spec.low <= value <= spec.high:
        return None
    side, bound = ("below", spec.low) if value < spec.low else ("above", spec.high)
    return f"{metric} {side} {bound:g} {spec.unit}"


def quarter_hours(
    metric: Metric, readings: Iterable[tuple[float, float]], *, offset: int, device: str | None = None
) -> Iterator[Sample]:
    """Yield a sample per quarter-hour with the mean of its readings (Unix seconds, value), ascending by time.

    ``offset`` is in minutes east of UTC. Values outside the metric's range go into a sample of their own.
    """
    spec = METRICS[metric]
    quarters: dict[tuple[int, bool], list[float]] = {}
    for at, value in readings:
        if is_measured(metric, value):
            quarters.setdefault((int(at // QUARTER_HOUR_SECONDS), not spec.low <= value <= spec.high), []).append(value)
    for (quarter, outside), values in sorted(quarters.items()):
        start = datetime.fromtimestamp(quarter * QUARTER_HOUR_SECONDS, UTC)
        yield Sample(
            key=f"{metric}/{start:%Y-%m-%dT%H:%MZ}{'/outside' if outside else ''}",
            metric=metric,
            start=start,
            end=start + timedelta(seconds=QUARTER_HOUR_SECONDS),
            offset=offset,
            day=(start + timedelta(minutes=offset)).date(),
            value=sum(values) / len(values),
            device=device,
            count=len(values),
            low=min(values),
            high=max(values),
        )


def is_nap(hour: int, minutes: float) -> bool:
    """Return True if a sleep of ``minutes`` that begins in ``hour`` (user's clock) is short and by day, thus a nap."""
    return minutes < NAP_MAX_MINUTES and hour in NAP_HOURS
