"""What an export says of each local day and night, gathered while it streams by."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bridge.types import RawRecord
from connectors.apple_health.heart_rates import HeartRates
from connectors.apple_health.merging import Interval, Source, put, rank, total
from connectors.apple_health.nights import STAGES, Stretch, nights, overnight
from connectors.apple_health.units import (
    KILOCALORIES,
    METRES,
    MILLISECONDS,
    PER_MINUTE,
    day_at,
    instant,
    measured,
    midnight_after,
    number,
    offset_at,
    offset_of_beats,
    source_name,
    zone_of,
)
from connectors.apple_health.workouts import workout

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
SLEEP_VALUE = "HKCategoryValueSleepAnalysis"
DAY = 86_400.0
ENDLESS = float("inf")
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
SINGLE = {"hrv": "readings", "mindful": "sessions", "workout": "workouts"}  # stream -> what its days hold

Taker = Callable[["Element", float, float], None]


class Collected:
    """An export as far as it has been read. ``zone``: where the person lives; printed offsets are the export's."""

    def __init__(self, zone: str) -> None:
        self.zone = zone
        self.exported = ENDLESS
        self.last_type = ""
        self._first, self._last = ENDLESS, 0.0
        self._totals: dict[str, dict[str, dict[Source, array[float]]]] = defaultdict(lambda: defaultdict(dict))
        self._rates = HeartRates()
        self._resting: dict[str, tuple[float, float]] = {}
        self._summaries: dict[str, float] = {}
        self._sleep: set[Stretch] = set()
        self._overnight: dict[str, array[float]] = defaultdict(lambda: array("d"))  # at, value, at, value ...
        self._single: dict[str, dict[str, dict[str, dict[str, Any]]]] = {stream: {} for stream in SINGLE}
        self._takers: Mapping[str, Taker] = {
            **{QUANTITY + name: self._total for name in TOTALS},
            **{QUANTITY + name: self._of_night for name in OVERNIGHT},
            QUANTITY + "HeartRate": self._rate,
            QUANTITY + "RestingHeartRate": self._rest,
            QUANTITY + "HeartRateVariabilitySDNN": self._variability,
            CATEGORY + "SleepAnalysis": self._slept,
            CATEGORY + "MindfulSession": self._mindful,
        }

    @property
    def first_day(self) -> str:
        """The local date of the earliest record of use; an export without any has none."""
        return self._day(self._first) if self._last else ""

    @property
    def last_day(self) -> str:
        """The local date of the export, which was not over; of its latest record where the export does not tell."""
        return self._day(self.exported if self.exported < ENDLESS else self._last) if self._last else ""

    def _day(self, at: float) -> str:
        return day_at(at, offset_at(at, self.zone))

    def take(self, element: Element) -> None:
        """Note what one element says; what is of no use or unreadable is passed over."""
        self.last_type = element.get("type", "") if element.tag == "Record" else ""
        if element.tag == "ExportDate":
            self.exported = instant(element.get("value")) or ENDLESS
        elif element.tag == "ActivitySummary":
            self._summary(element)
        else:
            self._timed(element, self._workout if element.tag == "Workout" else self._takers.get(self.last_type))

    def _timed(self, element: Element, taker: Taker | None) -> None:
        """Hand over what has plausible times. Clocks run wild: there is a 2030 in an export of 2019."""
        if taker is None:
            return
        start, end = instant(element.get("startDate")), instant(element.get("endDate"))
        if start is not None and end is not None and start <= end <= self.exported + DAY and end - start < 7 * DAY:
            self._first, self._last = min(self._first, start), max(self._last, end)
            taker(element, start, end)

    def _total(self, element: Element, start: float, end: float) -> None:
        name, units = TOTALS[element.get("type", "").removeprefix(QUANTITY)]
        value, source = measured(element, units), _source(element)
        if value is not None and value >= 0:
            for day, part in self._by_day((start, end, value)):
                put(self._totals[name][day], source, part)

    def _by_day(self, interval: Interval) -> Iterator[tuple[str, Interval]]:
        """An interval cut at local midnights, its value in proportion."""
        start, end, value = interval
        day = self._day(start)
        midnight = end if day == self._day(end) else midnight_after(start, self.zone)
        if end <= midnight:
            yield day, interval
            return
        share = (midnight - start) / (end - start)
        yield day, (start, midnight, value * share)
        yield from self._by_day((midnight, end, value * (1 - share)))

    def _rate(self, element: Element, start: float, end: float) -> None:  # noqa: ARG002 - one shape for all
        rate = measured(element, PER_MINUTE)
        if rate is not None:
            self._rates.add(start, rate)

    def _rest(self, element: Element, start: float, end: float) -> None:
        """One a day, rewritten as the day goes on: the last counts. It begins at a midnight: the middle is surer."""
        middle = (start + end) / 2
        rate, day = measured(element, PER_MINUTE), self._day(middle)
        if rate is not None and end >= self._resting.get(day, (0.0, 0.0))[0]:
            self._resting[day] = (end, rate)

    def _variability(self, element: Element, start: float, end: float) -> None:
        value, usual = measured(element, MILLISECONDS), offset_at(start, self.zone)
        beat = next((beat.get("time") for beat in element.iter("InstantaneousBeatsPerMinute")), None)
        offset = offset_of_beats(beat, start, usual)
        if value is not None:
            reading = {"start": start, "end": end, "offset": usual if offset is None else offset, "value": value}
            self._keep("hrv", reading)

    def _of_night(self, element: Element, start: float, end: float) -> None:
        name = OVERNIGHT[element.get("type", "").removeprefix(QUANTITY)]
        value = _overnight_value(element)
        if value is not None:
            self._overnight[name].extend(((start + end) / 2, value))

    def _slept(self, element: Element, start: float, end: float) -> None:
        stage = STAGES.get(element.get("value", "").removeprefix(SLEEP_VALUE))
        if stage is not None:
            self._sleep.add(Stretch(start, end, stage, _source(element), zone_of(element)))

    def _mindful(self, element: Element, start: float, end: float) -> None:  # noqa: ARG002
        self._keep("mindful", {"start": start, "end": end, "offset": offset_at(start, self.zone)})

    def _workout(self, element: Element, start: float, end: float) -> None:
        self._keep("workout", workout(element, start, end, self.zone))

    def _summary(self, element: Element) -> None:
        """Apple's own total of a day, from which doubles are gone; 0 on days without a watch."""
        energy = measured(element, KILOCALORIES, "activeEnergyBurned", "activeEnergyBurnedUnit")
        if energy:
            self._summaries[element.get("dateComponents", "")] = energy

    def _keep(self, stream: str, payload: dict[str, Any]) -> None:
        """Under the local day it began on; a record that stands in the file twice is one."""
        day = day_at(payload["start"], payload["offset"])
        self._single[stream].setdefault(day, {})[f"{payload['start']:.0f}-{payload['end']:.0f}"] = payload

    def drop_last_type(self) -> None:
        """Forget the kind of record that was being listed when the file broke off: its totals would be too small."""
        name = self.last_type.removeprefix(QUANTITY)
        if name in TOTALS:
            self._totals.pop(TOTALS[name][0], None)
        elif name in OVERNIGHT:
            self._overnight.pop(OVERNIGHT[name], None)
        elif name == "HeartRate":
            self._rates = HeartRates()
        elif self.last_type == CATEGORY + "SleepAnalysis":
            self._sleep.clear()

    def records(self) -> Iterator[RawRecord]:
        """Everything, stream by stream; in each, one record per local day, ascending."""
        yield from self._days()
        for day, quarters in self._rates.by_day(self.zone):
            yield RawRecord(stream="heart_rate", key=day, payload={"day": day, "zone": self.zone, "quarters": quarters})
        for stream, days in self._single.items():
            for day in sorted(days):
                yield RawRecord(stream=stream, key=day, payload={SINGLE[stream]: days[day]})
        yield from self._nights()

    def _days(self) -> Iterator[RawRecord]:
        """Totals of whole days; those of the day of the export would grow."""
        values: dict[str, dict[str, float]] = defaultdict(dict)
        for name, days in self._totals.items():
            for day, by_source in days.items():
                values[day][name] = total(by_source)
        for day, energy in self._summaries.items():
            values[day]["active_energy"] = energy
        if self.exported < ENDLESS:
            values.pop(self._day(self.exported), None)
        for day, (_, rate) in self._resting.items():
            values[day]["resting_hr"] = rate
        for day in sorted(values):
            yield RawRecord(stream="day", key=day, payload={"day": day, "zone": self.zone, **values[day]})

    def _nights(self) -> Iterator[RawRecord]:
        """All sleeps that one wakes from on a day, so that a later export replaces them together."""
        series = {name: _ascending(flat) for name, flat in self._overnight.items()}
        days: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        for night in nights(self._sleep, self.zone):
            start, end = night["start"], night["end"]
            found = {name: overnight(start, end, *both) for name, both in series.items()}
            known = {name: value for name, value in found.items() if value is not None}
            days[night.pop("day")][f"{start:.0f}"] = night | known
        for day in sorted(days):
            yield RawRecord(stream="night", key=day, payload={"day": day, "sleeps": days[day]})


def _source(element: Element) -> Source:
    name = source_name(element.get("sourceName", ""))
    return rank(name, element.get("device", "")), name


def _overnight_value(element: Element) -> float | None:
    """Breaths per minute, percent (written as a fraction beside a "%" sign) or degrees Celsius."""
    match element.get("unit"):
        case "%":
            value = number(element.get("value"))
            return value * 100 if value is not None and value <= 1.5 else value
        case "degF":
            value = number(element.get("value"))
            return None if value is None else (value - 32) / 1.8
        case _:
            return measured(element, {"degC": 1.0, **PER_MINUTE})


def _ascending(flat: array[float]) -> tuple[list[float], list[float]]:
    """Times and values of what was written as at, value, at, value ..., by time."""
    pairs = sorted(zip(flat[::2], flat[1::2], strict=True))
    return [at for at, _ in pairs], [value for _, value in pairs]
