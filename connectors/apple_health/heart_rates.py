"""Heart rates by quarter of an hour: an export holds one every few minutes, for years."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby

from bridge.metrics import METRICS, Metric
from connectors.apple_health.units import day_at, offset_at

DAY, QUARTER, QUARTERS = 86_400, 900, 96
PARTS = 4  # of a quarter: count, sum, lowest, highest
PLAUSIBLE = METRICS[Metric.HEART_RATE]

Means = list[float]  # count, mean, lowest, highest


class HeartRates:
    """Means in the making; a UTC day takes 3 kB however often the heart rate was measured."""

    def __init__(self) -> None:
        self._days: dict[int, array[float]] = {}

    def add(self, at: float, rate: float) -> None:
        """One measurement; what cannot be a heart rate is none."""
        if not PLAUSIBLE.low <= rate <= PLAUSIBLE.high:
            return
        day = self._days.setdefault(int(at // DAY), array("d", bytes(8 * PARTS * QUARTERS)))
        first = int(at % DAY // QUARTER) * PARTS
        count, added, low, high = day[first : first + PARTS]
        lowest, highest = (min(low, rate), max(high, rate)) if count else (rate, rate)
        day[first : first + PARTS] = array("d", (count + 1, added + rate, lowest, highest))

    def by_day(self, zone: str) -> Iterator[tuple[str, dict[str, Means]]]:
        """Local date and its quarters by their beginning in Unix seconds, ascending."""
        for day, quarters in groupby(self._quarters(), key=lambda q: day_at(q[0], offset_at(q[0], zone))):
            yield day, {str(start): means for start, means in quarters}

    def _quarters(self) -> Iterator[tuple[int, Means]]:
        for number, day in sorted(self._days.items()):
            for quarter in range(QUARTERS):
                count, added, low, high = day[quarter * PARTS : (quarter + 1) * PARTS]
                if count:
                    mean = min(max(added / count, low), high)  # rounding must not lift it over the highest
                    yield number * DAY + quarter * QUARTER, [count, mean, low, high]
