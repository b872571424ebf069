"""Turn the dates of a Fitbit export into episodes and samples. Of a value in both, Fitbit's counts before Google's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord
from connectors.fitbit import DAILY, SUMS, ZONES
from connectors.fitbit.files import american_time, at_wall, session_walls
from connectors.fitbit.kinds import FITBIT, GOOGLE
from connectors.instants import local_date, offset_between, offset_in, written_offset
from connectors.payload import Fields, Table, mapping, words
from connectors.stretches import Stretch

NOON = timedelta(hours=12)
QUARTER = timedelta(minutes=15)
METRES = {"Mile": 1609.344, "Kilometer": 1000.0}  # of the units in which a log's distance is written
BY_TRUST = (FITBIT, f"{FITBIT} nights", GOOGLE)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    fields = Fields.of("fitbit", record)
    zone, day = fields.zone("zone"), Fields({"key": record.key}, fields.name).day("key")
    return list(_items(record.stream, day, fields, zone))


def _items(stream: str, day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    if stream == "night":
        yield from sleeps(fields, zone)
    elif stream == "score":
        yield from _scores(fields, zone)
    elif stream == "workout":
        yield from _workouts(fields, zone)
    elif stream == "heart_rate":
        yield from _quarters(day, fields, zone)
    elif stream in DAILY:
        yield from _daily(DAILY[stream], fields, Stretch.civil(day, zone, NOON))
    elif stream in SUMS:
        sums = [_total(pieces) for pieces in _told(fields).values()]
        yield from Stretch.civil(day, zone).samples(str(day), {SUMS[stream]: round(max(sums, default=0.0), 6) or None})
    elif stream == "zone_minutes":
        minutes = {metric: _total(_told(fields).get(name)) for name, metric in ZONES.items()}
        yield from Stretch.civil(day, zone).samples(str(day), {**minutes, Metric.ZONE_MINUTES: sum(minutes.values())})
    else:
        raise fields.bad("not a stream of fitbit")


def _told(fields: Fields) -> Mapping[str, Any]:
    return next((told for of in BY_TRUST if (told := mapping(fields.get(of)))), {})


def _daily(metric: Metric, fields: Fields, morning: Stretch) -> Iterator[Item]:
    told = _told(fields)
    best = min(sorted(told), key=lambda at: -_pair(told[at])[1], default=None)
    if best is not None:
        yield from morning.samples(str(morning.day), {metric: _pair(told[best])[0]})


def _pair(value: Any) -> tuple[float, float]:
    numbers = [finite(one) or 0.0 for one in value] if isinstance(value, list) and len(value) == 2 else [0.0, 0.0]
    return numbers[0], numbers[1]


def _total(pieces: Any) -> float:
    return sum(finite(piece) or 0.0 for piece in mapping(pieces).values())


def _scores(fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    last = sorted(fields.objects("sessions"), key=lambda session: (str(session[1].get("created")), session[0]))[-1:]
    for key, row in fields.objects("logs") or last:
        wall = row.wall("at")
        at = at_wall(wall, zone)
        woken = Stretch(start=at, end=None, offset=offset_in(zone, at), day=wall.date())
        yield from woken.samples(key, {Metric.SLEEP_SCORE: row.number("value")})


def _quarters(day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    told = {**mapping(fields.get(GOOGLE)), **mapping(fields.get(FITBIT))}
    for clock, found in sorted(told.items()):
        start = Fields({"quarter": f"{day}T{clock}:00"}, fields.name).wall("quarter")
        rates, count, low, high = fields.figures(found, 4)
        if not count:
            raise fields.bad("a quarter of an hour has no reading")
        offset = offset_in(zone, start)
        lasted = Stretch(start=start, end=start + QUARTER, offset=offset, day=local_date(start, offset))
        yield lasted.mean(Metric.HEART_RATE, (count, rates / count, low, high))


def _workouts(fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    taken: list[Stretch] = []
    for key, log in fields.objects("logs"):
        start, lasted = american_time(log, "startTime"), log.number("duration") or 0.0
        taken.append(_stretch(log, start, start + timedelta(milliseconds=lasted), None, zone))
        yield taken[-1].episode(EpisodeKind.WORKOUT, key, _of_log(log), label=words(log.get("activityName")))
    for key, told in fields.objects("sessions"):
        start, end = told.wall("exercise_start"), told.wall("exercise_end")
        found = _stretch(told, start, end, written_offset(told.get("utc_offset")), zone)
        if not any(min(end, other.end or end) > max(start, other.start) for other in taken):
            label = words(told.get("activity_name"))
            yield found.episode(EpisodeKind.WORKOUT, key, _of_session(told), label=label)


def _stretch(fields: Fields, start: datetime, end: datetime, offset: int | None, zone: ZoneInfo) -> Stretch:
    fields.ordered(start, end)
    east = offset or offset_in(zone, start)
    return Stretch(start=start, end=end, offset=east, day=local_date(start, east))


def _of_log(log: Fields) -> dict[Metric, float | None]:
    distance, unit = log.number("distance"), METRES.get(str(log.get("distanceUnit")))
    speed = log.number("speed")  # an hour, in the unit of the distance
    return {
        Metric.TOTAL_ENERGY: log.number("calories") or None,
        Metric.DISTANCE: None if not distance or unit is None else distance * unit,
        Metric.HEART_RATE: log.number("averageHeartRate"),
        Metric.STEPS: log.number("steps"),
        Metric.ASCENT: log.number("elevationGain"),
        Metric.SPEED: None if not speed or unit is None else speed * unit / 1000,
        Metric.ZONE_MINUTES: log.number("activeZoneMinutes.totalMinutes"),
    }


def _of_session(told: Fields) -> dict[Metric, float | None]:
    names = ("tracker_total_{}", "manually_logged_total_{}")
    energy, millimetres = (
        next((value for name in names if (value := _written(told, name.format(what)))), None)
        for what in ("calories", "distance_mm")
    )
    speed = _written(told, "tracker_avg_speed_mm_per_second")
    return {
        Metric.TOTAL_ENERGY: energy,
        Metric.DISTANCE: _thousandth(millimetres),
        Metric.HEART_RATE: _written(told, "tracker_avg_heart_rate"),
        Metric.STEPS: _written(told, "tracker_total_steps"),
        Metric.ASCENT: _thousandth(_written(told, "tracker_total_altitude_mm")),
        Metric.SPEED: None if speed is None else speed * 0.0036,
    }


def _thousandth(value: float | None) -> float | None:
    return None if value is None else value / 1000


def _written(told: Fields, path: str) -> float | None:
    return told.number(path, written=True) or None


MILLISECOND = timedelta(milliseconds=1)
LOG: Table = {
    Metric.ASLEEP: "minutesAsleep",
    Metric.AWAKE: "minutesAwake",
    Metric.IN_BED: "timeInBed",
    Metric.SLEEP_EFFICIENCY: "efficiency",
}
SESSION: Table = {
    Metric.ASLEEP: "minutes_asleep",
    Metric.AWAKE: "minutes_awake",
    Metric.IN_BED: "minutes_in_sleep_period",
}
STAGES = {Metric.LIGHT_SLEEP: "light", Metric.DEEP_SLEEP: "deep", Metric.REM_SLEEP: "rem"}
STAGED_TYPE = "stages"  # the type of a sleep whose stages were told; "classic" has none
ZERO = timedelta(0)


def sleeps(fields: Fields, zone: ZoneInfo) -> Iterator[Episode]:
    """Yield the sleeps and naps of a date from Fitbit's logs, or if there are none from Google's sessions.

    ``zone`` is for times without a known offset. Raises BadRecord if a time is unreadable.
    """
    logs, sessions = fields.objects("logs"), fields.objects("sessions")
    if logs:
        offsets = _offsets(sessions)
        for key, row in logs:
            yield _log(key, row, zone, offsets)
        return
    stages = dict(fields.objects("stages"))
    for key, row in _apart(sessions):
        yield _session(key, row, zone, stages.get(key, Fields({}, fields.name)))


def _log(key: str, fields: Fields, zone: ZoneInfo, offsets: Mapping[datetime, tuple[int, int]]) -> Episode:
    start, end = fields.wall("startTime"), fields.wall("endTime")
    fields.ordered(start, end)
    lasted = _between(start, end, zone, offsets.get(start), fields.number("duration"))
    main = fields.get("mainSleep")
    nap = not main if isinstance(main, bool) else lasted.is_nap
    values = fields.measured(LOG)
    if fields.get("type") == STAGED_TYPE:
        values |= {metric: fields.number(f"stages.{name}") for metric, name in STAGES.items()}
    return lasted.episode(EpisodeKind.NAP if nap else EpisodeKind.SLEEP, key, values)


def _between(
    start: datetime, end: datetime, zone: ZoneInfo, offsets: tuple[int, int] | None, milliseconds: float | None
) -> Stretch:
    """Return the span of two local times marked as UTC. ``milliseconds``, its length, decides repeated clock times."""
    if offsets is not None:
        begun, over = (wall - timedelta(minutes=minutes) for wall, minutes in zip((start, end), offsets, strict=True))
        return Stretch(start=begun, end=max(begun, over), offset=offsets[1], day=end.date())
    pairs = [(at_wall(start, zone, later=a), at_wall(end, zone, later=b)) for a in (False, True) for b in (False, True)]
    lasted = end - start if milliseconds is None else milliseconds * MILLISECOND
    begun, over = min((p for p in pairs if p[0] <= p[1]), key=lambda p: abs(p[1] - p[0] - lasted), default=pairs[0])
    return Stretch(start=begun, end=max(begun, over), offset=offset_between(end, over), day=end.date())


def _offsets(sessions: Sequence[tuple[str, Fields]]) -> dict[datetime, tuple[int, int]]:
    # Sessions with an offset of 0 are left out, because it may stand for an unknown offset.
    found = {}
    for _, row in sessions:
        start, end = (written_offset(row.get(name)) for name in ("start_utc_offset", "end_utc_offset"))
        if start and end:
            found[session_walls(row)[0]] = start, end
    return found


def _session(key: str, fields: Fields, zone: ZoneInfo, stages: Fields) -> Episode:
    start, end = session_walls(fields)
    fields.ordered(start, end)
    offsets = tuple(written_offset(fields.get(name)) for name in ("start_utc_offset", "end_utc_offset"))
    known = (offsets[0], offsets[1]) if offsets[0] and offsets[1] else None
    lasted = _between(start, end, zone, known, None)
    values = fields.measured(SESSION, written=True)
    if any(stages.get(name) for name in STAGES.values()):
        values |= {metric: stages.number(name) or 0.0 for metric, name in STAGES.items()}
    return lasted.episode(EpisodeKind.NAP if lasted.is_nap else EpisodeKind.SLEEP, key, values)


def _apart(sessions: Sequence[tuple[str, Fields]]) -> list[tuple[str, Fields]]:
    """Return Google's sleep sessions by key. Of overlapping sessions, only the one created last is kept."""
    kept: list[tuple[str, Fields]] = []
    for key, row in sorted(sessions, key=lambda one: (str(one[1].get("sleep_created")), one[0]), reverse=True):
        start, end = session_walls(row)
        if all(min(end, b) - max(start, a) <= ZERO for a, b in (session_walls(other) for _, other in kept)):
            kept.append((key, row))
    return sorted(kept, key=lambda one: one[0])
