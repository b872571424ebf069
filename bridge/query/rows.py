"""Load the rows that a query rests on: a value per day and metric, nights, workouts and calendar entries."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from bridge.advice.labels import labelled
from bridge.advice.preference import load_preference
from bridge.advice.recommend import load_snapshot
from bridge.calendar.busy import Stretch, clipped, length
from bridge.calendar.days import LASTING, days_of, hours_of, part_on
from bridge.calendar.flights import is_by_land, is_journey
from bridge.calendar.kinds import counts_as_meeting
from bridge.domain import sports
from bridge.domain.errors import SetupError
from bridge.domain.metrics import METRICS, NIGHT_MINUTES, Metric, Shape
from bridge.domain.preference import Preference
from bridge.domain.slots import INSTANT, ZoneHistory, local_time
from bridge.domain.types import EpisodeKind, Label, Occurrence
from bridge.meters.nights import Nights
from bridge.meters.overlaps import AWAKE_MAX, once, series_of, whole_nights
from bridge.meters.sleep import minutes_asleep
from bridge.query.exposures import exposures, titled
from bridge.query.model import (
    DAY_COUNTS,
    IN_NIGHTS,
    LATEST,
    MEETINGS,
    METER_NAMES,
    NAPS,
    OWN_FIELDS,
    PEAK,
    PLANNED,
    SPORT_COUNT,
    TASKS,
    TITLED,
    WORKOUT_METRICS,
    Aggregate,
    Kind,
    Query,
)
from bridge.query.samples import PACKED_DAYS_MAX, of_part, samples_by_day
from bridge.query.tables import Row, Tables
from bridge.query.untold import never_told, unreached
from bridge.store import codec
from bridge.store.daily import episode_of
from bridge.trends import compute_trends

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

DAYS_MAX = 36_600  # of a span
METER_DAYS_MAX = 3_660  # meters are computed anew
READ_MINUTES = 2  # our choice: between heart rates of which the highest is that of a workout
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


def load_tables(bridge: Bridge, user: User, query: Query, *, now: datetime, titles: bool = False) -> Tables:
    """Return the user's rows that a query needs. ``titles`` is True where titles of entries may be shown.

    Raises SetupError if the span is too long to compute, or if the query reads titles that may not be shown.
    """
    if not titles and any(condition.name == "entry.title" for condition in query.conditions):
        raise SetupError("only your own page and the terminal can read the titles of entries; ask there")
    query = replace(query, since=query.reach.since, until=query.reach.until)
    parts, conditions = query.subjects, query.conditions
    fields = {name for condition in conditions for name in condition.name.split("/")}
    named = fields | {str(part.field) for part in parts if part.kind is Kind.DAYS and part.field}
    in_parts = {part.name: metric for part in parts if (metric := part.metric) and metric != part.field}
    whole = (part for part in parts if part.name not in in_parts)
    metrics = frozenset(m for part in whole for m in part.metrics) | {m for m in METRICS if m in fields}
    kinds = {part.kind for part in parts}
    sleeps = (
        Kind.NIGHTS in kinds or bool(metrics & NIGHT_MINUTES) or any(field.startswith("night.") for field in fields)
    )
    sleeps = sleeps or NAPS in named or any(one.endswith(IN_NIGHTS) for one in in_parts)
    sleeps = sleeps or bridge.store.daily.told_in_nights(user.id, metrics & NIGHTLY)
    trained = Kind.WORKOUTS in kinds or any(
        condition.of_workout or condition.name.startswith("workouts") for condition in conditions
    )
    since, until = query.since or date.min, query.until or date.max
    if query.since and any(condition.of_day_before for condition in conditions):
        since -= DAY
    if query.since and query.until and (query.until - query.since).days > DAYS_MAX:
        raise SetupError(f"a span has at most {DAYS_MAX} days; name a shorter one with --since and --until")
    preference = load_preference(bridge.store, user)
    kinds_read = (*ASLEEP * sleeps, *[EpisodeKind.WORKOUT] * trained)
    told = bridge.store.daily.episodes(user.id, kinds_read, since=since, until=until) if kinds_read else []
    slept, done = _parted(told)
    nights = _nights(slept, user.zones, preference)
    values = samples_by_day(bridge, user, query, metrics, (since, until))
    values |= {one: of_part(bridge, user, query, one, nights) for one in in_parts}
    for metric in metrics & NIGHTLY:
        of_nights = {day: night.values[metric] for day, night in nights.items() if metric in night.values}
        values[metric] = {**values.get(metric, {}), **of_nights}
    values |= {one: dict.fromkeys(nights, 0.0) | _napped(slept, preference) for one in {NAPS} & named}
    meters = METER_NAMES.keys() & named
    if meters:
        values |= levels(bridge, user, meters, query.since, now)
    by_sport = [field for field in fields if field.startswith(SPORT_COUNT)]
    factors = named - {*METRICS, *METER_NAMES, *OWN_FIELDS, *by_sport, *in_parts}
    if factors:
        values |= exposures(bridge, user, factors, now=now)
        in_titles = [factor for factor in factors if factor.startswith(TITLED)]
        last = query.until
        values |= {title: titled(bridge, user, title.removeprefix(TITLED), now=now, until=last) for title in in_titles}
    if asked := {*TASKS} & named:
        values |= _tasks(bridge, user, asked, now)
    empty = [metric for metric in (*metrics, *map(Metric, in_parts.values())) if not values.get(metric)]
    planned = {*PLANNED, *DAY_COUNTS} - {"workouts"} & (named | {part.name for part in parts})
    agenda = Kind.ENTRIES in kinds or "action" in fields or bool(planned)
    entries = _entries(bridge, user, query, now, titles=titles) if agenda else []
    today = local_time(now, user.zones).date()
    begun = bridge.store.daily.first_event(user.id) if planned else None
    if begun is not None:
        values |= _planned(entries, planned, (max(since, begun), today))
    workouts = _workouts(done, user.zones, preference)
    workouts = _with_peaks(bridge, user, query, workouts)
    counts_days = query.per is not None or any(part.kind is Kind.DAYS and part.counted for part in parts)
    counts_days = counts_days or query.of in (Aggregate.COUNT, Aggregate.STREAK, Aggregate.AGO)
    counted = {"workouts"} & fields | {*by_sport}
    first = bridge.store.daily.first_day(user.id) if counts_days or counted else None
    if first is not None:
        values |= {one: _zeros(max(since, first), today) | _done(workouts, one) for one in counted}
    return Tables(
        values=values,
        untold=frozenset(map(str, empty)) - bridge.store.daily.told(user.id, empty)
        | {*never_told(bridge, user, query, workouts)},
        nights=nights,
        workouts=workouts,
        entries=entries,
        tasks=[*_task_rows(bridge, user, now, titles=titles)] if Kind.TASKS in kinds else (),
        days=None if first is None else (first, today),
        unreached=unreached(bridge, user, query, workouts),
        today=today,
    )


ASLEEP = (EpisodeKind.SLEEP, EpisodeKind.NAP)
NIGHTLY = frozenset(metric for metric, spec in METRICS.items() if spec.shape is Shape.NIGHTLY)


# Figures of a workout that are stored by another name; active energy counts rather than that which rest takes, too.
RENAMED = [(str(m), name) for name, metrics in WORKOUT_METRICS.items() for m in reversed(metrics) if str(m) != name]
Encoded = tuple[str, dict[str, Any]]  # source, and the fields of an episode as they are stored


def _parted(found: Sequence[Encoded]) -> tuple[list[Encoded], list[Encoded]]:
    """Return the sleeps and the workouts of episodes."""
    slept, done = list[Encoded](), list[Encoded]()
    for one in found:
        (done if one[1]["kind"] == EpisodeKind.WORKOUT else slept).append(one)
    return slept, done


def _nights(found: Sequence[Encoded], zones: ZoneHistory, preference: Preference) -> dict[date, Row]:
    """Return local day of waking -> the main sleep that counts for it."""
    doubtful = _doubtful(found)
    sure = [_night(one[1], zones) for n, one in enumerate(found) if n not in doubtful and one[1]["kind"] == "sleep"]
    nights = {row.day: row for row in sure}
    if not doubtful:
        return nights
    of_device: dict[tuple[str, str | None], set[str]] = {}
    for source, fields in found:
        if fields["kind"] == "sleep":
            of_device.setdefault((source, fields.get("device")), set()).add(fields["day"])
    history = {series_of(*device): [*map(date.fromisoformat, sorted(days))] for device, days in of_device.items()}
    return nights | _chosen([found[n] for n in sorted(doubtful)], zones, preference, history)


def _chosen(
    found: Sequence[Encoded], zones: ZoneHistory, preference: Preference, history: Mapping[str, Sequence[date]]
) -> dict[date, Row]:
    sleeps = [(source, episode_of(fields)) for source, fields in found]
    told = {id(one): fields for (_, one), (_, fields) in zip(sleeps, found, strict=True)}
    whole = {(series_of(source, one.device), one.day, one.start): one for source, one in whole_nights(sleeps)}
    chosen = Nights(sleeps, zones, preference, single=once(sleeps, preference, history))
    counted = chosen.counted()
    keys = ((series, day, counted[day].start) for day, series in chosen.told.items())
    main = {key[1]: whole[key] for key in keys if key in whole}
    for one in whole.values():  # of unknown length, with nothing to choose by but its times
        alone = one.kind is EpisodeKind.SLEEP and one.day not in counted
        if alone and (one.day not in main or one.end - one.start > main[one.day].end - main[one.day].start):
            main[one.day] = one
    return {day: _night(told.get(id(one)) or json.loads(codec.encode(one)), zones) for day, one in main.items()}


def _doubtful(found: Sequence[Encoded]) -> set[int]:
    """Return the indexes of sleeps that may be parts of one night, or that share their day with another."""
    doubtful = _near(found, AWAKE_MAX + timedelta.resolution)
    of_day: dict[str, int] = {}
    for n, (_, fields) in enumerate(found):
        if fields["kind"] == "sleep" and (other := of_day.setdefault(fields["day"], n)) != n:
            doubtful |= {n, other}
    return doubtful


def _near(found: Sequence[Encoded], apart: timedelta) -> set[int]:
    """Return the indexes of episodes that overlap another one, or lie less than ``apart`` from it."""
    near: set[int] = set()
    begins, ends = ([*map(datetime.fromisoformat, [one[end] for _, one in found])] for end in ("start", "end"))
    latest, ended = 0, datetime.min.replace(tzinfo=UTC)  # the one that ends last so far, and when
    for n in sorted(range(len(found)), key=begins.__getitem__):
        if begins[n] - ended < apart:
            near |= {n, latest}
        if ends[n] > ended:
            latest, ended = n, ends[n]
    return near


def _night(fields: dict[str, Any], zones: ZoneHistory) -> Row:
    values = fields.get("values", {})
    if "asleep" not in values:
        asleep = minutes_asleep({Metric(name): value for name, value in values.items()})
        values = values if asleep is None else values | {"asleep": asleep}
    return Row(date.fromisoformat(fields["day"]), values, None, fields, zones)


def _napped(found: Sequence[Encoded], preference: Preference) -> dict[date, float]:
    """Return local day -> minutes asleep in naps, each nap once. One whose sleep is not told counts from end to end."""
    days: dict[date, float] = {}
    for _, one in once([(source, episode_of(fields)) for source, fields in found], preference):
        if one.kind is EpisodeKind.NAP:
            asleep = minutes_asleep(one.values)
            days[one.day] = days.get(one.day, 0.0) + ((one.end - one.start) / MINUTE if asleep is None else asleep)
    return days


def _workouts(found: Sequence[Encoded], zones: ZoneHistory, preference: Preference) -> list[Row]:
    if len({source for source, _ in found}) > 1:
        near = _near(found, timedelta(0))
        told = [(found[n][0], episode_of(found[n][1])) for n in sorted(near)]
        kept = {(source, one.key) for source, one in once(told, preference)}
        found = [one for n, one in enumerate(found) if n not in near or (one[0], one[1]["key"]) in kept]
    told_of = sorted((fields for _, fields in found), key=itemgetter("key"))
    return [_workout(fields, zones) for fields in sorted(told_of, key=itemgetter("start"))]


def _workout(fields: dict[str, Any], zones: ZoneHistory) -> Row:
    told, instant = fields.get("values", {}), datetime.fromisoformat
    values = {**told, "minutes": (instant(fields["end"]) - instant(fields["start"])).total_seconds() / 60}
    for name, figure in RENAMED:
        if name in told:
            values[figure] = told[name]
    return Row(date.fromisoformat(fields["day"]), values, fields.get("label"), fields, zones)


def _done(workouts: Sequence[Row], field: str) -> dict[date, float]:
    """Return local day -> number of workouts, or of those of the sports in a field such as "workouts.running"."""
    asked = field.partition(".")[2].split("|")
    named = cache(lambda label: asked == [""] or any(sports.is_sport(label, one) for one in asked))
    return dict(Counter(row.day for row in workouts if named(row.name)))


def _with_peaks(bridge: Bridge, user: User, query: Query, workouts: list[Row]) -> list[Row]:
    """Return workouts with their highest heart rate, if the query asks for it and readings are frequent enough."""
    if not workouts or all(part.field != PEAK for part in query.subjects):
        return workouts
    first, last = workouts[0].day, workouts[-1].day
    if (last - first).days > PACKED_DAYS_MAX:
        raise SetupError(
            f"heart rates are read for at most {PACKED_DAYS_MAX} days at once; give a --since closer to --until"
        )
    told = bridge.store.reading.samples(user.id, metrics=(Metric.HEART_RATE,), since=first - DAY, until=last + DAY)
    read = [(sample.start, sample.value if sample.high is None else sample.high) for _, sample in told]
    starts, found = [start for start, _ in read], list[Row]()
    for row in workouts:
        start, end = (datetime.fromisoformat(row.fields[one]) for one in ("start", "end"))
        during = [value for _, value in read[bisect_left(starts, start) : bisect_right(starts, end)]]
        often = len(during) * READ_MINUTES >= row.values["minutes"]
        peak = max(during, default=0.0)
        known = often and peak >= row.values.get("average_hr", 0.0)  # rather than between rare readings
        found.append(row._replace(values={**row.values, PEAK: peak}) if known else row)
    return found


def _entries(bridge: Bridge, user: User, query: Query, now: datetime, *, titles: bool) -> list[Row]:
    first = bridge.store.daily.first_event(user.id)
    if first is None:
        return []
    today = local_time(now, user.zones).date()
    since = max(query.since or date.min, first - DAY)
    until = min(query.until or today, today + 3660 * DAY)
    begin = datetime.combine(since, datetime.min.time(), tzinfo=UTC) - DAY
    end = datetime.combine(until, datetime.min.time(), tzinfo=UTC) + 2 * DAY
    if end <= begin:
        return []
    agenda, span = labelled(bridge, user, begin, end, at=now), (since - DAY, until + DAY * bool(query.until))
    return [row for one in agenda for row in _rows_of(*one, user.zones, span, titles=titles)]


def _rows_of(
    occurrence: Occurrence, label: Label, zones: ZoneHistory, span: tuple[date, date], *, titles: bool
) -> Iterator[Row]:
    days = days_of(occurrence.start, occurrence.end, zones, since=span[0], until=span[1])
    hours = hours_of(occurrence.start, occurrence.end, label.action, zones)
    entry, travels = None, is_journey(occurrence) or is_by_land(occurrence)  # no work, whatever its label
    if occurrence.end - occurrence.start >= LASTING:
        first, last = (local_time(at, zones).date() for at in (occurrence.start, occurrence.end - INSTANT))
        entry = (f"{occurrence.event.calendar}/{occurrence.key}", first, last)
    for day in days:
        yield Row(
            day=day,
            values={} if occurrence.event.all_day else _figures(occurrence, day, hours, zones),
            is_meeting=counts_as_meeting(occurrence, label),
            name=None if label.action is None or travels else str(label.action),
            title=occurrence.event.title if titles else None,
            entry=entry,
        )


def _figures(one: Occurrence, day: date, hours: Sequence[Stretch], zones: ZoneHistory) -> dict[str, float]:
    part = None if one.end - one.start < LASTING else part_on(one.start, one.end, day, zones)
    start, end = part or (one.start, one.end)
    found = {"minutes": length([(start, end)]) / MINUTE, "counted": length(clipped(hours, start, end)) / MINUTE}
    clocks = {"start": start} if part is None or start == one.start else {}
    clocks |= {} if part is None else {LATEST: end - MINUTE}
    local = ((name, local_time(at, zones)) for name, at in clocks.items())
    return found | {name: at.hour * 60 + at.minute for name, at in local}


def _task_rows(bridge: Bridge, user: User, now: datetime, *, titles: bool) -> Iterator[Row]:
    today = local_time(now, user.zones).date()
    for _, task in bridge.store.reading.tasks(user.id):
        done = task.completed and local_time(task.completed, user.zones).date()
        state = "done" if done else "overdue" if task.due and task.due < today else "open"
        yield Row(day=done or task.due or date.max, name=state, title=task.title if titles else None)


def _planned(entries: Sequence[Row], names: Iterable[str], span: tuple[date, date]) -> dict[str, dict[date, float]]:
    """Return name -> local day -> planned minutes or number of entries. Days of the span without an entry have 0."""
    found: dict[str, dict[date, float]] = {}
    for name in names:
        days = found[name] = _zeros(*span)
        for row in entries:
            counts = row.is_meeting if name.startswith(MEETINGS) else name not in PLANNED or row.name == PLANNED[name]
            if counts:
                amount = 1 if name in ("entries", MEETINGS) else row.values.get("counted", 0.0)
                days[row.day] = days.get(row.day, 0.0) + amount
    return found


def _tasks(bridge: Bridge, user: User, names: Iterable[str], now: datetime) -> dict[str, dict[date, float]]:
    """Return name -> local day -> number of tasks done, due, or overdue. Days in between have 0."""
    told = [task for _, task in bridge.store.reading.tasks(user.id)]
    today = local_time(now, user.zones).date()
    done = [local_time(one.completed, user.zones).date() for one in told if one.completed]
    days = {
        "tasks_done": done,
        "tasks_due": [one.due for one in told if one.due],
        "tasks_overdue": [one.due for one in told if one.due and one.due < today and one.completed is None],
    }
    known = [day for day in (*done, *days["tasks_due"]) if abs((day - today).days) <= DAYS_MAX]
    if not known:
        return {}
    span = _zeros(min(known), max(today, *known))
    return {name: span | {day: float(n) for day, n in Counter(days[name]).items() if day in span} for name in names}


def _zeros(first: date, last: date) -> dict[date, float]:
    return dict.fromkeys((first + n * DAY for n in range((last - first).days + 1)), 0.0)


def levels(
    bridge: Bridge, user: User, names: Iterable[str], since: date | None, now: datetime
) -> dict[str, dict[date, float]]:
    """Return meter -> local day -> mean level, computed from all known data. Raises SetupError for a long span."""
    today = local_time(now, user.zones).date()
    extent = bridge.store.reading.extent(user.id)
    if extent is None:
        return {}
    first = since or bridge.store.daily.first_day(user.id) or today
    days = (today - first).days + 1
    if days > METER_DAYS_MAX:
        raise SetupError(f"meters are computed for at most {METER_DAYS_MAX} days; give a --since closer to --until")
    if days < 1:
        return {}
    known = load_snapshot(bridge, user, at=now, back=days * DAY)
    found = compute_trends(known, days=days)
    return {
        name: {
            day: level
            for day, level in zip(found.days, found.meters[METER_NAMES[name]].level, strict=True)
            if level is not None
        }
        for name in names
    }
