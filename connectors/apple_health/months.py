"""What was collected of an export, as records: month by month, one record per stream and local day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from bridge.types import RawRecord
from connectors.apple_health import days
from connectors.apple_health.collect import DAY, ENDLESS, Collected, Series
from connectors.apple_health.days import Window
from connectors.apple_health.spill import END, SERIES, START
from connectors.apple_health.units import day_at

if TYPE_CHECKING:
    import numpy as np

EPOCH = date(1970, 1, 1)
AROUND = 3 * DAY  # seconds before and after a month that a night, or a zone, may reach into it


@dataclass(frozen=True)
class Export:
    """Everything that was read. ``until``: by type, from when on rows are too few, for the file broke off."""

    collected: Collected
    until: Mapping[str, float] = field(default_factory=dict)

    @property
    def first_day(self) -> str:
        """The local date of the earliest record of use; an export without any has none."""
        return self._day(self.collected.first) if self.collected.last else ""

    @property
    def last_day(self) -> str:
        """The local date of the export, which was not over; of its latest record where the export does not tell."""
        collected = self.collected
        at = collected.exported if collected.exported < ENDLESS else collected.last
        return self._day(at) if collected.last else ""

    def months(self) -> Iterator[list[RawRecord]]:
        """The records of each month, stream by stream, ascending."""
        for month in self._named():
            window = self._window(month)
            for stream, make in days.STREAMS.items():
                found = make(window)
                records = [RawRecord(stream=stream, key=day, payload=found[day]) for day in sorted(found)]
                if records:
                    yield records

    def _day(self, at: float) -> str:
        return day_at(at, self.collected.places.offset(at))

    def _named(self) -> list[str]:
        """Every month in which something may have begun or ended, wherever the person was."""
        edges = {edge for low, high in self.collected.spill.spans() for edge in (low - DAY, low + 12 * DAY, high + DAY)}
        edges |= {one["start"] + n * DAY for _, one in self.collected.workouts for n in (-1, 1)}
        return sorted({day_at(at, 0)[:7] for at in edges} | {day[:7] for day in self.collected.summaries})

    def _window(self, month: str) -> Window:
        first = date.fromisoformat(f"{month}-01")
        last = (first + timedelta(days=32)).replace(day=1)
        begin, end = (first - EPOCH).days, (last - EPOCH).days
        rows = self.collected.spill.between(begin * DAY - AROUND, end * DAY + AROUND)
        today = self._day(self.collected.exported) if self.collected.exported < ENDLESS else ""
        return Window(self.collected, begin, end, today=today, found=self._by_series(rows))

    def _by_series(self, rows: np.ndarray) -> dict[Series, np.ndarray]:
        """Rows of start, end and value."""
        import numpy as np

        rows = rows[np.argsort(rows[:, SERIES], kind="stable")]
        numbers, begins = np.unique(rows[:, SERIES], return_index=True)
        found = {}
        for number, part in zip(numbers, np.split(rows, begins[1:]), strict=False):
            series = self.collected.series[int(number)]
            until = self.until.get(series.name, ENDLESS)
            found[series] = part[part[:, END] <= until][:, START:] if until < ENDLESS else part[:, START:]
        return found
