"""A day's figures from what was measured in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.meters.daily import Figure, figures

MORNING = datetime(2026, 11, 20, 7, tzinfo=UTC)
DAY = MORNING.date()


def sample(metric: Metric, hour: int, value: float, count: int | None = None) -> Sample:
    at = MORNING + timedelta(hours=hour)
    return Sample(key=f"{metric}/{hour}", metric=metric, start=at, day=DAY, value=value, count=count)


def test_lengths_of_time_are_added_and_other_measurements_averaged() -> None:
    given = [
        *(sample(Metric.MINDFUL, hour, minutes) for hour, minutes in ((0, 10.0), (12, 20.0))),
        *(sample(Metric.HEART_RATE, hour, rate, count) for hour, rate, count in ((0, 60.0, 1), (1, 80.0, 3))),
    ]
    found = figures([("apple_health", one) for one in given], [])[DAY, "apple_health"]
    assert found[Metric.MINDFUL] == Figure(value=30.0, count=2, low=10.0, high=20.0)
    assert found[Metric.HEART_RATE] == Figure(value=75.0, count=4, low=60.0, high=80.0)
