"""What is measured many times an hour, as means of quarters of an hour that can be added up again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from bridge.types import METRICS, Metric, Sample

QUARTER = 900  # seconds; every offset from UTC in use is a multiple, so that no quarter lies on two local days


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
