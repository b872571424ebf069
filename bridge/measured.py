"""What was measured, as samples: without what cannot be true, and many times an hour as means of quarters of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bridge.metrics import METRICS, Metric
from bridge.types import Sample

QUARTER = 900  # seconds; every offset from UTC in use is a multiple, so that no quarter lies on two local days


def finite(value: Any) -> float | None:
    """A number that is one and not beyond all measure; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e15 < value < 1e15:
        return None
    return float(value)


def in_range(values: Mapping[Metric, float | None]) -> dict[Metric, float]:
    """Without what is missing, a sentinel (-1, -2) or cannot be true."""
    return {m: v for m, v in values.items() if v is not None and METRICS[m].low <= v <= METRICS[m].high}


def samples(
    values: Mapping[Metric, float | None], *, key: str, start: datetime, end: datetime, offset: int | None, day: date
) -> Iterator[Sample]:
    """One sample per possible value of a stretch of time."""
    for metric, value in in_range(values).items():
        yield Sample(key=f"{key}/{metric}", metric=metric, start=start, end=end, offset=offset, day=day, value=value)


def quarter_hours(
    metric: Metric, readings: Iterable[tuple[float, float]], *, offset: int, device: str | None = None
) -> Iterator[Sample]:
    """Means of (Unix seconds, value) per quarter of an hour, ascending; what is out of the metric's range is left out.

    ``offset`` is in minutes east of UTC. The key is the quarter's start, so that a day read again matches itself.
    """
    low, high = METRICS[metric].low, METRICS[metric].high
    quarters: dict[int, list[float]] = {}
    for at, value in readings:
        if low <= value <= high:
            quarters.setdefault(int(at // QUARTER), []).append(value)
    for quarter, values in sorted(quarters.items()):
        start = datetime.fromtimestamp(quarter * QUARTER, UTC)
        yield Sample(
            key=f"{metric}/{start:%Y-%m-%dT%H:%MZ}",
            metric=metric,
            start=start,
            end=start + timedelta(seconds=QUARTER),
            offset=offset,
            day=(start + timedelta(minutes=offset)).date(),
            value=sum(values) / len(values),
            device=device,
            count=len(values),
            low=min(values),
            high=max(values),
        )
