"""What an export says of each local day and night, gathered while it streams by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bridge.types import RawRecord
from connectors.apple_health.merging import Interval, rank, total
from connectors.apple_health.nights import ASLEEP, AWAKE, IN_BED, Stretch, nights, overnight
from connectors.apple_health.units import (
    KILOCALORIES,
    METRES,
    day_at,
    instant,
    midnight_after,
    number,
    offset_at,
    offset_of_beats,
)
from connectors.apple_health.workouts import workout

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
SLEEP_VALUE = "HKCategoryValueSleepAnalysis"
DAY = 86_400.0
TOTALS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "StepCount": ("steps", {"count": 1.0}),
    "DistanceWalkingRunning": ("distance", METRES),
    "ActiveEnergyBurned": ("active_energy", KILOCALORIES),
}
OVERNIGHT = {
    "RespiratoryRate": "respiratory_rate",
    "OxygenSaturation": "spo2",
    "AppleSleepingWristTemperature": "skin_temperature",
}


class Collected:
    """An export as far as it has been read. ``zone``: where the person lives; printed offsets are the export's."""

    def __init__(self, zone: str) -> None:
        self.zone = zone
        self.exported = float("inf")
        self.last_type = ""
        self._totals: dict[str, dict[str, list[tuple[int, str, Interval]]]] = defaultdict(lambda: defaultdict(list))
        self._rates: dict[int, tuple[int, float, float, float]] = {}  # count, sum, lowest, highest
        self._resting: dict[str, tuple[float, float]] = {}
        self._summaries: dict[str, float] = {}
        self._sleep: set[Stretch] = set()
        self._overnight: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._single: dict[tuple[str, str], RawRecord] = {}
        self._takers: Mapping[str, Callable[[Element, float, float], None]] = {
            **{QUANTITY + name: self._total for name in TOTALS},
            **{QUANTITY + name: self._of_night for name in OVERNIGHT},
            QUANTITY + "HeartRate": self._rate,
            QUANTITY + "RestingHeartRate": self._rest,
            QUANTITY + "HeartRateVariabilitySDNN": self._variability,
            CATEGORY + "SleepAnalysis": self._slept,
            CATEGORY + "MindfulSession": self._mindful,
        }

    def take(self, element: Element) -> None:
        """Note what one element says; what is of no use or unreadable is passed over."""
        if element.tag == "Record":
            self._record(element)
        elif element.tag == "Workout":
            self._keep("workout", workout(element, self.zone))
        elif element.tag == "ActivitySummary":
            self._summary(element)
        elif element.tag == "ExportDate":
            self.exported = instant(element.get("value")) or self.exported

    def _record(self, element: Element) -> None:
        kind = element.get("type", "")
        self.last_type = kind
        taker = self._takers.get(kind)
        start, end = instant(element.get("startDate")), instant(element.get("endDate"))
        if taker is None or start is None or end is None:
            return
        if start <= end <= self.exported + DAY and end - start < 7 * DAY:  # clocks run wild: 2030 in an export of 2019
            taker(element, start, end)

    def _total(self, element: Element, start: float, end: float) -> None:
        name, units = TOTALS[element.get("type", "").removeprefix(QUANTITY)]
        value, factor = number(element.get("value")), units.get(element.get("unit", ""))
        if value is None or factor is None or value < 0:
            return
        source = element.get("sourceName", "")
        order = rank(source, element.get("device", ""))
        for day, part in self._by_day((start, end, value * factor)):
            self._totals[name][day].append((order, source, part))

    def _by_day(self, interval: Interval) -> Iterator[tuple[str, Interval]]:
        """An interval cut at local midnights, its value in proportion."""
        start, end, value = interval
        midnight = midnight_after(start, self.zone) if end - start > 0 else end
        if end <= midnight:
            yield day_at(start, offset_at(start, self.zone)), interval
            return
        share = (midnight - start) / (end - start)
        yield day_at(start, offset_at(start, self.zone)), (start, midnight, value * share)
        yield from self._by_day((midnight, end, value * (1 - share)))

    def _rate(self, element: Element, start: float, end: float) -> None:  # noqa: ARG002 - one shape for all
        value = number(element.get("value"))
        if value is not None:
            count, added, low, high = self._rates.get(int(start // 900), (0, 0.0, value, value))
            self._rates[int(start // 900)] = (count + 1, added + value, min(low, value), max(high, value))

    def _rest(self, element: Element, start: float, end: float) -> None:
        """One a day, rewritten as the day goes on: the last counts."""
        value, day = number(element.get("value")), day_at(start, offset_at(start, self.zone))
        if value is not None and end >= self._resting.get(day, (0.0, 0.0))[0]:
            self._resting[day] = (end, value)

    def _variability(self, element: Element, start: float, end: float) -> None:
        beat = next((beat.get("time") for beat in element.iter("InstantaneousBeatsPerMinute")), None)
        offset = offset_of_beats(beat, start)
        offset = offset_at(start, self.zone) if offset is None else offset
        self._keep(
            "hrv",
            {
                "start": start,
                "end": end,
                "offset": offset,
                "day": day_at(start, offset),
                "value": number(element.get("value")),
            },
        )

    def _of_night(self, element: Element, start: float, end: float) -> None:
        name = OVERNIGHT[element.get("type", "").removeprefix(QUANTITY)]
        value, unit = number(element.get("value")), element.get("unit", "")
        if value is None:
            return
        if name == "spo2" and value <= 1.5:  # "%" beside a fraction
            value *= 100
        if unit == "degF":
            value = (value - 32) / 1.8
        self._overnight[name].append(((start + end) / 2, value))

    def _slept(self, element: Element, start: float, end: float) -> None:
        stage = element.get("value", "").removeprefix(SLEEP_VALUE)
        if stage in ASLEEP or stage in (IN_BED, AWAKE):
            self._sleep.add(
                Stretch(start, end, stage, element.get("sourceName", ""), element.get("device", ""), zone_of(element))
            )

    def _mindful(self, element: Element, start: float, end: float) -> None:  # noqa: ARG002
        offset = offset_at(start, self.zone)
        self._keep("mindful", {"start": start, "end": end, "offset": offset, "day": day_at(start, offset)})

    def _summary(self, element: Element) -> None:
        """Apple's own total of a day, from which doubles are gone."""
        value, factor = (
            number(element.get("activeEnergyBurned")),
            KILOCALORIES.get(element.get("activeEnergyBurnedUnit", "")),
        )
        if value and factor:
            self._summaries[element.get("dateComponents", "")] = value * factor

    def _keep(self, stream: str, payload: dict[str, Any] | None) -> None:
        if payload is not None:
            key = f"{payload['start']:.0f}-{payload['end']:.0f}"
            self._single[stream, key] = RawRecord(stream=stream, key=key, payload=payload)

    def drop_last_type(self) -> None:
        """Forget the kind of record that was being listed when the file broke off: its totals would be too small."""
        name = self.last_type.removeprefix(QUANTITY)
        if name in TOTALS:
            self._totals.pop(TOTALS[name][0], None)
        elif name in OVERNIGHT:
            self._overnight.pop(OVERNIGHT[name], None)
        elif name == "HeartRate":
            self._rates.clear()
        elif self.last_type == CATEGORY + "SleepAnalysis":
            self._sleep.clear()

    def records(self) -> Iterator[RawRecord]:
        """Everything, stream by stream."""
        yield from self._days()
        yield from self._heart_rates()
        yield from (record for (_, _), record in sorted(self._single.items()))
        for night in nights(self._sleep, self.zone):
            measured = {name: overnight(night, values) for name, values in self._overnight.items()}
            payload = night | {name: value for name, value in measured.items() if value is not None}
            yield RawRecord(stream="night", key=f"{night['day']}/{night['start']:.0f}", payload=payload)

    def _days(self) -> Iterator[RawRecord]:
        """Totals of whole days; the day of the export is not over and its totals would grow."""
        today = None if self.exported == float("inf") else day_at(self.exported, offset_at(self.exported, self.zone))
        values: dict[str, dict[str, float]] = defaultdict(dict)
        for name, days in self._totals.items():
            for day, intervals in days.items():
                values[day][name] = total(intervals)
        for day, energy in self._summaries.items():
            values[day]["active_energy"] = energy
        values.pop(today or "", None)
        for day, (_, rate) in self._resting.items():
            values[day]["resting_hr"] = rate
        for day in sorted(values):
            payload = {"day": day, "zone": self.zone, **values[day]}
            yield RawRecord(stream="day", key=day, payload=payload, adds=True)

    def _heart_rates(self) -> Iterator[RawRecord]:
        """Quarter-hour means by day: [count, mean, lowest, highest]."""
        days: dict[str, dict[str, list[float]]] = defaultdict(dict)
        for quarter, (count, added, low, high) in sorted(self._rates.items()):
            day = day_at(quarter * 900, offset_at(quarter * 900, self.zone))
            days[day][str(quarter * 900)] = [count, added / count, low, high]
        for day, quarters in days.items():
            payload = {"day": day, "zone": self.zone, "quarters": quarters}
            yield RawRecord(stream="heart_rate", key=day, payload=payload, adds=True)


def zone_of(element: Element) -> str | None:
    """The phone's zone when the record was made, which sleep and workouts carry."""
    from zoneinfo import ZoneInfo

    for entry in element.iter("MetadataEntry"):
        if entry.get("key") == "HKTimeZone":
            try:
                return ZoneInfo(entry.get("value", "")).key
            except (KeyError, ValueError, OSError):
                return None
    return None
