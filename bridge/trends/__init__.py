"""Meters and what they rest on, day by day over weeks, beside what happened: for charts, the API and assistants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import fmean
from typing import Any

from bridge import agenda
from bridge.daily import Days, figures
from bridge.meters import proxy, read_slots
from bridge.metrics import METRICS, Metric
from bridge.ports import Known, ProxyMap
from bridge.types import Episode, EpisodeKind, Reading
from rhythm_env.interface import (
    SLOTS_PER_DAY,
    ActionType,
    Meter,
    Moment,
    Slot,
    ZoneHistory,
    moment_at,
    slot_bounds,
    slot_start,
    zone_at,
)

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
FEWEST = 3  # days with a value; fewer are no line
PASSED_OVER = frozenset({"birthday", "workingLocation", "task"})  # all-day entries that tell nothing of a day


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One meter, a value per day: the mean of what was known at the day's slot starts, None where nothing was.

    ``sd`` is the mean of theirs, not divided by the root of their number: what is uncertain is so all day.
    """

    level: tuple[float | None, ...]
    sd: tuple[float | None, ...]
    coverage: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One measured quantity of one source, a value per day in ``unit``, and the meters that rest on it."""

    metric: Metric
    unit: str
    source: str
    meters: tuple[Meter, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What stands beside the lines: a workout, an all-day entry, a journey. ``title`` is somebody's words, or None;
    that of a ``private`` entry is the person's alone.
    """

    day: date
    kind: str  # workout, entry, zone
    title: str | None
    hours: float | None = None
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """``planned``: hours a day that the calendar gives each action, of those that occur.

    ``validated``: the meters whose agreement with people's own reports was measured.
    """

    at: datetime
    zone: str
    map: str
    days: tuple[date, ...]  # local ones, ascending, the last of them today
    meters: Mapping[Meter, Track]
    validated: frozenset[Meter]
    inputs: tuple[Input, ...]
    planned: Mapping[ActionType, tuple[float, ...]]
    happenings: tuple[Happening, ...]


def trends(known: Known, *, days: int) -> Trends:
    """The last ``days`` local days up to ``known.at``, from all that is known then: late data changes earlier days too.

    ``known`` reaches that far back (``advise.know``, ``back=``). Pure.
    """
    zone = zone_at(known.at, known.zones)
    today = known.at.astimezone(zone).date()
    shown = tuple(today - back * DAY for back in range(days - 1, -1, -1))
    found = known.proxies or proxy.shipped()
    return Trends(
        at=known.at,
        zone=zone.key,
        map=found.version,
        days=shown,
        meters=_tracks(known, shown),
        validated=frozenset(found.validity),
        inputs=tuple(_inputs(figures(known.samples, known.episodes), shown, found)),
        planned=_planned(known, shown),
        happenings=tuple(sorted(_happenings(known, shown), key=lambda one: (one.day, one.kind, one.title or ""))),
    )


def _tracks(known: Known, days: Sequence[date]) -> dict[Meter, Track]:
    now = moment_at(known.at, known.zones)
    first = now.shifted(-SLOTS_PER_DAY * ((now.date - days[0]) // DAY) - int(now.slot))
    steps = range((now.date - days[0]) // DAY * SLOTS_PER_DAY + int(now.slot) + 1)
    moments = [first.shifted(step) for step in steps]
    readings = read_slots(known, [slot_start(moment, known.zones) for moment in moments])
    of_day: dict[date, list[Mapping[Meter, Reading]]] = {}
    for moment, reading in zip(moments, readings, strict=True):
        of_day.setdefault(moment.date, []).append(reading)
    return {meter: _track([[r[meter] for r in of_day.get(day, ())] for day in days]) for meter in Meter}


def _track(days: Sequence[Sequence[Reading]]) -> Track:
    known = [[reading for reading in day if reading.coverage > 0] for day in days]
    return Track(
        level=tuple(round(fmean(r.level for r in day), 3) if day else None for day in known),
        sd=tuple(round(fmean(r.sd for r in day), 3) if day else None for day in known),
        coverage=tuple(round(fmean(r.coverage for r in day), 2) if day else 0.0 for day in days),
    )


def _inputs(found: Days, days: Sequence[date], proxies: ProxyMap) -> Iterator[Input]:
    """Every metric that a meter rests on, one line per source, where there are enough values for one."""
    resting = {
        metric: tuple(meter for meter in Meter if any(metric in row.inputs for row in proxies.of(meter).values()))
        for metric in Metric
    }
    sources = sorted({source for _, source in found})
    for metric in (metric for metric, meters in resting.items() if meters):
        for source in sources:
            figure = [found.get((day, source), {}).get(metric) for day in days]
            values = tuple(None if one is None else round(one.value, 2) for one in figure)
            if sum(value is not None for value in values) >= FEWEST:
                yield Input(
                    metric=metric, unit=METRICS[metric].unit, source=source, meters=resting[metric], values=values
                )


def _planned(known: Known, days: Sequence[date]) -> dict[ActionType, tuple[float, ...]]:
    """Hours from six to six, as the days of the slots are."""
    hours: dict[ActionType, list[float]] = {}
    bounds = [_bounds(day, known.zones) for day in days]
    agenda_of = _by_day(known, bounds)
    for number, (start, end) in enumerate(bounds):
        for action, share in agenda.planned_shares(agenda_of[number], start, end).items():
            hours.setdefault(action, [0.0] * len(days))[number] = round(share * ((end - start) / HOUR), 2)
    return {action: tuple(hours[action]) for action in ActionType if action in hours}


def _by_day(known: Known, bounds: Sequence[tuple[datetime, datetime]]) -> list[list[Any]]:
    """The entries that touch each of some days; the calendar is long, and a day looks at few of it."""
    found: list[list[Any]] = [[] for _ in bounds]
    origin = bounds[0][0]
    for one in known.agenda:
        first = max((one[0].start - origin) // DAY - 1, 0)
        last = min((one[0].end - origin) // DAY + 1, len(bounds) - 1)
        for number in range(first, last + 1):
            if one[0].start < bounds[number][1] and one[0].end > bounds[number][0]:
                found[number].append(one)
    return found


def _bounds(day: date, zones: ZoneHistory) -> tuple[datetime, datetime]:
    moment = Moment(week=day - day.weekday() * DAY, day=day.weekday(), slot=Slot.MORNING)
    return slot_bounds(moment, zones)[0], slot_start(moment.shifted(SLOTS_PER_DAY), zones)


def _happenings(known: Known, days: Sequence[date]) -> Iterator[Happening]:
    within = frozenset(days)
    for episode in _workouts(known):
        if episode.day in within:
            hours = round((episode.end - episode.start) / HOUR, 1)
            yield Happening(day=episode.day, kind="workout", title=episode.label, hours=hours)
    for occurrence, _ in known.agenda:
        event = occurrence.event
        day = occurrence.start.astimezone(zone_at(occurrence.start, known.zones)).date()
        if event.all_day and event.kind not in PASSED_OVER and day in within:
            yield Happening(day=day, kind="entry", title=event.title, private=event.private)
    for span in known.zones[1:]:
        day = span.since.astimezone(zone_at(span.since, known.zones)).date()
        if day in within:
            yield Happening(day=day, kind="zone", title=span.zone)


def _workouts(known: Known) -> Iterator[Episode]:
    """Each once, though two watches saw it: what begins within another one is that one."""
    found = [episode for _, episode in known.episodes if episode.kind is EpisodeKind.WORKOUT]
    over: datetime | None = None
    for episode in sorted(found, key=lambda one: one.start):
        if over is None or episode.start >= over:
            yield episode
            over = episode.end
