"""Compute meters and their inputs day by day over weeks, beside planned hours and happenings.

Happenings are workouts, all-day entries and changes of time zone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import fmean
from typing import Any

from bridge.calendar.plans import planned_shares
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.records import ProxyMap, Snapshot
from bridge.domain.slots import Moment, ZoneHistory, local_time, moment_at, slot_bounds, slot_start, zone_at
from bridge.domain.types import Episode, EpisodeKind, Reading
from bridge.meters import INPUT_METRICS, proxy, read_slots
from bridge.meters.daily import Days, figures
from bridge.meters.overlaps import once
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Meter, Slot

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
VALUES_MIN = 3  # days with a value that make a line
IGNORED_KINDS = frozenset({"birthday", "workingLocation", "task"})  # all-day entries that say nothing of a day


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A meter's daily values, oldest first. ``level`` and ``sd`` are None on a day without fresh data.

    More readings do not make ``sd`` smaller, because the readings of a day share their errors.
    """

    level: tuple[float | None, ...]
    sd: tuple[float | None, ...]
    coverage: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A metric's values from a source, one per day, in ``unit``. A value is None on a day without data.

    ``meters`` are the meters that are computed from this metric.
    """

    metric: Metric
    unit: str
    source: str
    meters: tuple[Meter, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """A workout, an all-day calendar entry or a change of time zone on a day. ``title`` is not to be trusted.

    ``hours`` is the length of a workout, and ``days`` that of an entry. The title of a ``private`` entry is for the
    user alone.
    """

    day: date
    kind: str  # workout, entry, zone
    title: str | None
    hours: float | None = None
    days: int = 1
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """Meters, inputs and happenings over ``days``, as computed at ``at``. All series have a value per day.

    ``planned`` maps an action to hours. ``validated`` meters were compared with people's own reports.
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


def metrics_of(proxies: ProxyMap) -> frozenset[Metric]:
    """Return the metrics that trends read: those of the meters, and all that the proxy map names as inputs."""
    named = {name for row in proxies.rows for name in row.inputs}
    return INPUT_METRICS | {metric for metric in Metric if metric in named}


def compute_trends(known: Snapshot, *, days: int) -> Trends:
    """Compute the trends of the last ``days`` days on the user's clock, to the day of ``known.at``."""
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


def _tracks(known: Snapshot, days: Sequence[date]) -> dict[Meter, Track]:
    now = moment_at(known.at, known.zones)
    first = now.shifted(-SLOTS_PER_DAY * ((now.date - days[0]) // DAY) - int(now.slot))
    steps = range((now.date - days[0]) // DAY * SLOTS_PER_DAY + int(now.slot) + 1)
    moments = [first.shifted(step) for step in steps]
    starts = [slot_start(moment, known.zones) for moment in moments[:-1]]
    last = [known.at] if moments else []  # a day has no slot of its own before its morning
    readings = read_slots(known, [*starts, *last], reasons=False)  # the running slot as it is now, like Today
    of_day: dict[date, list[Mapping[Meter, Reading]]] = {}
    for moment, reading in zip(moments, readings, strict=True):
        of_day.setdefault(moment.date, []).append(reading)
    return {meter: _track([[r[meter] for r in of_day.get(day, ())] for day in days]) for meter in Meter}


def _track(days: Sequence[Sequence[Reading]]) -> Track:
    known = [[reading for reading in day if reading.coverage > 0] for day in days]
    return Track(
        level=tuple(round(fmean([r.level for r in day]), 3) if day else None for day in known),
        sd=tuple(round(fmean([r.sd for r in day]), 3) if day else None for day in known),
        coverage=tuple(round(fmean([r.coverage for r in day]), 2) if day else 0.0 for day in days),
    )


def _inputs(found: Days, days: Sequence[date], proxies: ProxyMap) -> Iterator[Input]:
    resting = {
        metric: tuple(meter for meter in Meter if any(metric in row.inputs for row in proxies.of(meter).values()))
        for metric in Metric
    }
    sources = sorted({source for _, source in found})
    for metric in (metric for metric, meters in resting.items() if meters):
        for source in sources:
            figure = [found.get((day, source), {}).get(metric) for day in days]
            values = tuple(None if one is None else round(one.value, 2) for one in figure)
            if sum(value is not None for value in values) >= VALUES_MIN:
                yield Input(
                    metric=metric, unit=METRICS[metric].unit, source=source, meters=resting[metric], values=values
                )


def _planned(known: Snapshot, days: Sequence[date]) -> dict[ActionType, tuple[float, ...]]:
    hours: dict[ActionType, list[float]] = {}
    bounds = [_bounds(day, known.zones) for day in days]
    agenda_of = _by_day(known, bounds)
    for number, (start, end) in enumerate(bounds):
        for action, share in planned_shares(agenda_of[number], start, end).items():
            hours.setdefault(action, [0.0] * len(days))[number] = round(share * ((end - start) / HOUR), 2)
    return {action: tuple(hours[action]) for action in ActionType if action in hours}


def _by_day(known: Snapshot, bounds: Sequence[tuple[datetime, datetime]]) -> list[list[Any]]:
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


def _happenings(known: Snapshot, days: Sequence[date]) -> Iterator[Happening]:
    within = frozenset(days)
    for episode in _workouts(known):
        if episode.day in within:
            hours = round((episode.end - episode.start) / HOUR, 1)
            yield Happening(day=episode.day, kind="workout", title=episode.label, hours=hours)
    for occurrence, _ in known.agenda:
        event = occurrence.event
        day = local_time(occurrence.start, known.zones).date()
        if event.all_day and event.kind not in IGNORED_KINDS and day in within:
            length = max(round((occurrence.end - occurrence.start) / DAY), 1)
            yield Happening(day=day, kind="entry", title=event.title, days=length, private=event.private)
    for span in known.zones[1:]:
        day = local_time(span.since, known.zones).date()
        if day in within:
            yield Happening(day=day, kind="zone", title=span.zone)


def _workouts(known: Snapshot) -> Iterator[Episode]:
    found = [one for _, one in once(known.episodes, known.preference) if one.kind is EpisodeKind.WORKOUT]
    over: datetime | None = None
    for episode in sorted(found, key=lambda one: one.start):
        if over is None or episode.start >= over:
            yield episode
            over = episode.end
