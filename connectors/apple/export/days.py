"""Make the payloads of raw records, for each local day of a month, from an Apple Health export's rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from connectors.apple.export.collect import DAY_SECONDS, Collected, Series
from connectors.apple.export.heads import TYPE_KINDS, Source
from connectors.apple.export.merging import QUARTER, Quarters, means, once, quarters
from connectors.apple.export.nights import Stretch, nights, overnight
from connectors.apple.export.units import day_at, offset_at
from connectors.apple.export.workouts import told_once
from connectors.noted import NOTED

if TYPE_CHECKING:
    from connectors.apple.export.places import Places

TOTAL_KINDS = tuple(kind.name for kind in TYPE_KINDS.values() if kind.role == "total")
NIGHTLY_KINDS = tuple(kind.name for kind in TYPE_KINDS.values() if kind.role in ("overnight", "rmssd"))

Payload = dict[str, Any]
Days = dict[str, Payload]


@dataclass(frozen=True)
class Window:
    """The rows of an Apple Health export for local days from ``begin`` until before ``end``, in days since 1970.

    ``found`` reaches further at both ends. ``today`` is the export's date, or empty if unknown.
    """

    collected: Collected
    begin: int
    end: int
    today: str
    found: Mapping[Series, np.ndarray]  # rows of start, end, value

    @property
    def places(self) -> Places:
        return self.collected.places

    def holds(self, day: str) -> bool:
        return str(_date(self.begin)) <= day < str(_date(self.end))

    def by_source(self, name: str) -> dict[Source, np.ndarray]:
        """Return source -> all rows (start, end, value) of a kind, such as "steps"."""
        parts: dict[Source, list[np.ndarray]] = defaultdict(list)
        for series, rows in self.found.items():
            if series.name == name and len(rows):
                parts[series.source].append(rows)
        return {source: np.concatenate(some) for source, some in parts.items()}

    @cached_property
    def counted(self) -> Mapping[str, tuple[Quarters, dict[str, Quarters]]]:
        """The sums by quarter of an hour of each quantity that adds up: merged by trust, and by source's name."""
        return {name: quarters(self.by_source(name)) for name in TOTAL_KINDS}

    def by_day(self, numbers: np.ndarray) -> Iterator[tuple[str, slice]]:
        """Yield (local day, its slice of ``numbers``), which count quarters of an hour since 1970, ascending."""
        days = ((numbers * QUARTER + self.places.offsets(numbers * QUARTER)) // DAY_SECONDS).astype(np.int64)
        if (days[1:] < days[:-1]).any():  # the user crossed the date line
            days = np.maximum.accumulate(days)
        for day in sorted({*days[(days >= self.begin) & (days < self.end)].tolist()}):
            yield str(_date(day)), slice(*np.searchsorted(days, (day, day + 1)).tolist())

    def place(self, day: str) -> str:
        """Return the zone, or the name of a fixed offset, in which the user was at noon of a day."""
        noon = (date.fromisoformat(day) - _date(0)).days * DAY_SECONDS + DAY_SECONDS / 2
        return self.places.place(noon - self.places.offset(noon) * 60)


def _date(number: int) -> date:
    return date(1970, 1, 1) + timedelta(days=number)


def totals(window: Window) -> Days:
    """Return local day -> its totals and resting heart rate. The day of the export was not over and has no totals."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for name, (merged, _) in window.counted.items():
        for day, some in window.by_day(merged.numbers):
            values[day][name] = float(merged.values[some].sum())
    for day, hours in _stood(window).items():
        values[day]["stand_hours"] = float(hours)
    for day, summary in window.collected.summaries.items():
        if window.holds(day):
            values[day] |= summary
    values.pop(window.today, None)
    for day, rate in _resting(window).items():
        values[day]["resting_hr"] = rate
    return {day: {"day": day, "zone": window.place(day), **some} for day, some in values.items()}


def _stood(window: Window) -> dict[str, int]:
    found = window.by_source("stand_hours").values()
    hours = sorted({hour for rows in found for hour in (rows[:, 0] // QUARTER).tolist()})
    return {day: some.stop - some.start for day, some in window.by_day(np.array(hours, dtype=np.int64))}


def _resting(window: Window) -> dict[str, float]:
    """Return local day -> last resting heart rate of the day's most trusted source."""
    # The value that ends last counts, because Apple revises the value during the day.
    best: dict[str, tuple[int, float, float]] = {}
    for (rank, _), rows in window.by_source("resting_hr").items():
        for start, end, rate in sorted(rows.tolist()):
            day = _local(window, (start + end) / 2)
            if window.holds(day) and (-rank, end) >= best.get(day, (-rank, 0.0))[:2]:
                best[day] = (-rank, end, rate)
    return {day: rate for day, (_, _, rate) in best.items()}


def _local(window: Window, at: float) -> str:
    return day_at(at, window.places.offset(at))


def activity(window: Window) -> Days:
    """Return local day -> sums by source (``merged``: all), quantity and quarter of an hour, for whole days."""
    found: Days = {}
    for name, (merged, own) in window.counted.items():
        for title, some in [*own.items(), *([("", merged)] if len(own) > 1 else [])]:
            for day, told in _told(window, some):
                whole = found.setdefault(day, {"day": day, "sources": {}})
                part = whole["sources"].setdefault(title, {}) if title else whole.setdefault("merged", {})
                part[name] = told
    found.pop(window.today, None)
    return found


def _told(window: Window, some: Quarters) -> Iterator[tuple[str, dict[str, float]]]:
    values = np.round(some.values, 6)
    for day, part in window.by_day(some.numbers):
        yield day, dict(zip(_beginnings(some.numbers[part]), values[part].tolist(), strict=True))


def _beginnings(numbers: np.ndarray) -> Iterator[str]:
    return map(str, (numbers * QUARTER).tolist())


def rates(window: Window) -> Days:
    """Return local day -> [count, mean, lowest, highest] heart rate by quarter-hour, from the most trusted source."""
    best, own = means(window.by_source("heart_rate"))
    found: Days = {}
    for day, some in window.by_day(best.numbers):
        told = dict(zip(_beginnings(best.numbers[some]), best.rows[some].tolist(), strict=True))
        found[day] = {"day": day, "zone": window.place(day), "quarters": told}
    for name, mine in own.items() if len(own) > 1 else ():
        for day, some in window.by_day(mine.numbers):
            told = dict(zip(_beginnings(mine.numbers[some]), mine.rows[some].tolist(), strict=True))
            found[day].setdefault("sources", {})[name] = told
    return found


def variability(window: Window) -> Days:
    """Return local day -> SDNN readings of the day's most trusted source, with their heart beats' RMSSD if known."""
    beats = {
        (series.source, *row[:2]): row[2] for series, rows in _in_order(window) if series.name == "beats"
        for row in sorted(rows.tolist())
    }  # fmt: skip
    return _one_by_one(window, "sdnn", "readings", lambda source, row: {"rmssd": beats.get((source, *row[:2]))})


def readings(window: Window) -> Days:
    """Return local day -> readings of the RMSSD that the watch itself computed, from the day's most trusted source."""
    return _one_by_one(window, "hrv_rmssd", "readings", lambda *_: {})


def mindful(window: Window) -> Days:
    return _one_by_one(window, "mindful", "sessions", lambda *_: {"value": None})


def noted(window: Window) -> Days:
    """Return local day -> amounts by the name of what was noted, from the day's most trusted source."""
    found: Days = {}
    for name in NOTED:
        for day, told in _one_by_one(window, name, name, lambda *_: {}).items():
            found.setdefault(day, {}).update(told)
    return found


def _one_by_one(
    window: Window, name: str, field: str, more: Callable[[Source, list[float]], Mapping[str, float | None]]
) -> Days:
    ranks: dict[str, int] = {}
    found: dict[str, dict[str, Payload]] = {}
    for series, rows in _in_order(window):
        for start, end, value in sorted(rows.tolist()) if series.name == name else ():
            offset = offset_at(start, series.place or window.places.place(start))
            day = day_at(start, offset)
            if not window.holds(day) or ranks.setdefault(day, series.source[0]) < series.source[0]:
                continue
            payload = {"start": start, "end": end, "offset": offset, "value": value}
            payload |= more(series.source, [start, end, value])
            told = {key: some for key, some in payload.items() if some is not None}
            found.setdefault(day, {}).setdefault(f"{start:.0f}-{end:.0f}", told)
    return {day: {field: some} for day, some in found.items()}


def _in_order(window: Window) -> list[tuple[Series, np.ndarray]]:
    return sorted(window.found.items(), key=lambda item: (item[0].source, item[0].detail, item[0].place or ""))


def workouts(window: Window) -> Days:
    by_day: dict[str, list[tuple[Source, Payload]]] = defaultdict(list)
    for source, told in window.collected.workouts:
        start = told["start"]
        if window.begin * DAY_SECONDS - DAY_SECONDS <= start < window.end * DAY_SECONDS + DAY_SECONDS:
            payload = {name: value for name, value in told.items() if name != "place"}
            payload["offset"] = offset_at(start, told["place"] or window.places.place(start))
            by_day[day_at(start, payload["offset"])].append((source, payload))
    return {
        day: {"workouts": {f"{one['start']:.0f}-{one['end']:.0f}": one for one in told_once(some)}}
        for day, some in by_day.items()
        if window.holds(day)
    }


def sleeps(window: Window) -> Days:
    """Return date of waking -> sleeps and naps by start, each with the medians of values measured in it.

    A median uses only the most trusted source that has a value in that sleep.
    """
    stretches = {
        Stretch(start, end, series.detail, series.source, series.place)
        for series, rows in window.found.items()
        if series.name == "sleep"
        for start, end, _ in rows.tolist()
    }
    spots = {name: _spots(window.by_source(name)) for name in NIGHTLY_KINDS}
    found: Days = {}
    for night in nights(stretches, window.places):
        day, start, end, stale = night.pop("day"), night["start"], night["end"], night.pop("stale")
        if window.holds(day):
            if stale:
                window.collected.aside["SleepAnalysis", "stages apart from the time in bed, of an earlier night"] += (
                    stale
                )
            medians = {name: overnight(start, end, some) for name, some in spots.items()}
            known = {name: value for name, value in medians.items() if value is not None}
            found.setdefault(day, {"day": day, "sleeps": {}})["sleeps"][f"{start:.0f}"] = night | known
    return found


def _spots(by_source: Mapping[Source, np.ndarray]) -> dict[Source, tuple[np.ndarray, np.ndarray]]:
    found = {}
    for source, rows in by_source.items():
        rows = once(rows)
        middle = rows[:, :2].mean(axis=1)
        order = middle.argsort(kind="stable")
        found[source] = middle[order], rows[order, 2]
    return found


def every(window: Window) -> Days:
    """Return local day -> all its rows by type, source, unit and time. It is empty unless ``keep_all`` is set."""
    found: Days = {}
    for series, rows in sorted(window.found.items(), key=lambda item: (item[0].name, item[0].source, item[0].detail)):
        if not series.name.startswith("*"):
            continue
        for start, end, value in sorted(rows.tolist()):
            day = _local(window, start)
            if window.holds(day):
                types = found.setdefault(day, {"day": day, "types": {}})["types"]
                by_source = types.setdefault(series.name[1:], {}).setdefault(series.source[1], {})
                told = by_source.setdefault(series.detail, {}).setdefault(f"{start:.0f}-{end:.0f}", [])
                if value not in told:
                    told.append(value)
    return found


DAYS_OF_STREAM: Mapping[str, Callable[[Window], Days]] = {
    "day": totals,
    "activity": activity,
    "heart_rate": rates,
    "hrv": variability,
    "rmssd": readings,
    "mindful": mindful,
    "noted": noted,
    "workout": workouts,
    "night": sleeps,
    "every": every,
}
