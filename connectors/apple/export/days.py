"""Make the payloads of raw records, for each local day of a month, from an Apple Health export's rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from connectors.apple.export.collect import DAY_SECONDS, Collected, Series
from connectors.apple.export.heads import TYPE_KINDS, Source
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
Column = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Intervals = np.ndarray[tuple[int, int], np.dtype[np.float64]]  # rows of start, end (Unix seconds), value
QUARTER = 900  # seconds; all UTC offsets in use are multiples, so that a day consists of whole quarters


@dataclass(frozen=True)
class Window:
    """The rows of an Apple Health export for local days from ``begin`` until before ``end``, in days since 1970.

    ``found`` also holds rows some days before and after. ``today`` is the date of the export, or "" if unknown.
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
        """Return source -> array of its rows (start, end, value) of a quantity such as "steps"."""
        parts: dict[Source, list[np.ndarray]] = defaultdict(list)
        for series, rows in self.found.items():
            if series.name == name and len(rows):
                parts[series.source].append(rows)
        return {source: np.concatenate(some) for source, some in parts.items()}

    @cached_property
    def counted(self) -> Mapping[str, tuple[Quarters, dict[str, Quarters]]]:
        """The sums by quarter-hour of each quantity, such as steps, as ``quarters`` returns them."""
        return {name: quarters(self.by_source(name)) for name in TOTAL_KINDS}

    def by_day(self, numbers: np.ndarray) -> Iterator[tuple[str, slice]]:
        """Yield (local day, the slice of ``numbers`` in it) for quarters of an hour since 1970, in ascending order."""
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
    """Return local day -> its totals and resting heart rate. The day of the export is incomplete and gets no totals."""
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
    """Return local day -> source -> quantity -> its sums by quarter-hour, and those of all sources under ``merged``.

    The day of the export is incomplete and left out.
    """
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
    """Return local day -> [count, mean, lowest, highest] heart rate by quarter-hour.

    Each quarter-hour is of the most trusted source in it. If there are several sources, ``sources`` has each one's own.
    """
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
    """Return local day -> readings of SDNN from its most trusted source, each with the RMSSD of its beats if known."""
    beats = {
        (series.source, *row[:2]): row[2] for series, rows in _in_order(window) if series.name == "beats"
        for row in sorted(rows.tolist())
    }  # fmt: skip
    return _one_by_one(window, "sdnn", "readings", lambda source, row: {"rmssd": beats.get((source, *row[:2]))})


def readings(window: Window) -> Days:
    """Return local day -> readings of the RMSSD that the watch computed, from the day's most trusted source."""
    return _one_by_one(window, "hrv_rmssd", "readings", lambda *_: {})


def mindful(window: Window) -> Days:
    return _one_by_one(window, "mindful", "sessions", lambda *_: {"value": None})


def noted(window: Window) -> Days:
    """Return local day -> name, such as alcohol -> the amounts noted, from the day's most trusted source."""
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
    """Return local day -> all rows of unused types, by type, source, unit and time. Empty without ``keep_all``."""
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


class Means(NamedTuple):
    """Mean heart rates by quarter of an hour. ``numbers`` count quarters since 1970, ascending.

    A row of ``rows`` is the number of readings, their mean, the lowest and the highest.
    """

    numbers: np.ndarray
    rows: np.ndarray


def means(by_source: Mapping[Source, np.ndarray]) -> tuple[Means, dict[str, Means]]:
    """Return the heart rates by quarter-hour, as (of the most trusted source in each, source's name -> its own)."""
    found = sorted(((source, _of_one(rows)) for source, rows in by_source.items()), key=lambda item: item[0])
    if not found:
        return Means(np.zeros(0, dtype=np.int64), np.zeros((0, 4))), {}
    numbers, first = np.unique(np.concatenate([mine.numbers for _, mine in found]), return_index=True)
    rows = np.concatenate([mine.rows for _, mine in found])
    return Means(numbers, rows[first]), {name: mine for (_, name), mine in reversed(found)}


def _of_one(rows: np.ndarray) -> Means:
    rows = once(rows)
    numbers, begins = np.unique((rows[:, 0] // QUARTER).astype(np.int64), return_index=True)
    rates = rows[:, 2]
    counts = np.diff(np.append(begins, len(rates)))
    low, high = np.minimum.reduceat(rates, begins), np.maximum.reduceat(rates, begins)
    mean = np.clip(np.add.reduceat(rates, begins) / counts, low, high)  # or rounding could lift it over the highest
    return Means(numbers, np.column_stack([counts, mean, low, high]))


class Quarters(NamedTuple):
    """Sums by quarter of an hour. ``numbers`` count the quarters since 1970, ascending, and ``values`` are the sums."""

    numbers: np.ndarray
    values: np.ndarray


def quarters(by_source: Mapping[Source, Intervals]) -> tuple[Quarters, dict[str, Quarters]]:
    """Return the sums by quarter-hour, as (of all sources merged, source's name -> its own).

    A time that two sources cover counts once, by the more trusted source.
    """
    covered = np.zeros((0, 2))
    free: list[Quarters] = []
    own: dict[str, list[Quarters]] = {}
    for (_, name), rows in sorted(by_source.items(), key=lambda item: item[0]):
        mine = once(rows)
        pieces, numbers = _cut(mine)
        own.setdefault(name, []).append(Quarters(numbers, pieces[:, 2]))
        free.append(Quarters(numbers, pieces[:, 2] * _free(pieces, covered)))
        covered = union(np.concatenate([covered, mine[:, :2]]))
    return _summed(free), {name: _summed(some) for name, some in own.items()}


def once(rows: Intervals) -> Intervals:
    """Return the rows sorted by start, end and value, without duplicates."""
    rows = rows[np.lexsort(rows.T[::-1])]
    different = np.ones(len(rows), dtype=bool)
    different[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    found: Intervals = rows[different]
    return found


def _summed(some: Sequence[Quarters]) -> Quarters:
    if not some:
        return Quarters(np.zeros(0, dtype=np.int64), np.zeros(0))
    numbers, places = np.unique(np.concatenate([one.numbers for one in some]), return_inverse=True)
    weights = np.concatenate([one.values for one in some])
    return Quarters(numbers, np.bincount(places, weights, minlength=len(numbers)))


def _cut(rows: Intervals) -> tuple[Intervals, np.ndarray]:
    """Split intervals at quarters of an hour. Return (pieces, quarter of each since 1970), values shared by time."""
    start, end, value = rows.T
    first = (start // QUARTER).astype(np.int64)
    last = np.maximum(np.ceil(end / QUARTER).astype(np.int64) - 1, first)
    times = last - first + 1
    whole = np.repeat(np.arange(len(rows)), times)
    numbers = first[whole] + np.arange(len(whole)) - np.repeat(np.cumsum(times) - times, times)
    low, high = np.maximum(start[whole], numbers * QUARTER), np.minimum(end[whole], (numbers + 1) * QUARTER)
    length = (end - start)[whole]
    share = np.divide(high - low, length, out=np.ones(len(whole)), where=length > 0)
    return np.column_stack([low, high, value[whole] * share]), numbers


def union(spans: np.ndarray) -> np.ndarray:
    """Return the spans (rows of start, end) in ascending order, with those joined that overlap or touch."""
    if not len(spans):
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    ends = np.maximum.accumulate(spans[:, 1])
    begins = np.concatenate([[True], spans[1:, 0] > ends[:-1]])
    return np.column_stack([spans[begins, 0], ends[np.concatenate([begins[1:], [True]])]])


def _free(rows: Intervals, covered: np.ndarray) -> Column:
    if not len(covered):
        return np.ones(len(rows))
    start, end = rows[:, 0], rows[:, 1]
    before = np.concatenate([[0.0], np.cumsum(covered[:, 1] - covered[:, 0])])

    def reached(at: Column) -> tuple[Column, np.ndarray]:
        span = np.searchsorted(covered[:, 0], at, side="right") - 1
        inside = np.minimum(at, covered[span, 1]) - covered[span, 0]
        return np.where(span < 0, 0.0, before[span] + inside), (span >= 0) & (at <= covered[span, 1])

    (low, at_start), (high, _) = reached(start), reached(end)
    length = end - start
    share = np.divide(high - low, length, out=at_start.astype(np.float64), where=length > 0)
    free: Column = 1.0 - share
    return free
