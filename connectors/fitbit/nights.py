"""Compute the sleeps of a date from Fitbit's logs, or from Google's sessions if the date has no log.

Google's export holds every night two or three times. It is a log of Fitbit, and a session of each algorithm that Google
has tried. Sessions are of use where logs are missing, and for the offset of a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind
from connectors.fitbit.clock import Unreadable, at_wall, written
from connectors.fitbit.gather import session_walls
from connectors.instants import offset_between, written_offset
from connectors.payload import Fields, Stretch, Table, mapping

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


def sleeps(payload: Mapping[str, Any], zone: ZoneInfo) -> Iterator[Episode]:
    """Yield the sleeps and naps in the payload of a date's record.

    They are Fitbit's logs, or without logs Google's sessions that do not overlap a session made later.

    ``zone`` is the person's zone, for times without a known offset. Raises BadRecord if a time is unreadable.
    """
    sessions = mapping(payload.get("sessions"))
    try:
        logs = mapping(payload.get("logs"))
        if logs:
            offsets = _offsets(sessions)
            for key, row in sorted(logs.items()):
                yield _log(key, Fields(mapping(row), "fitbit/night"), zone, offsets)
            return
        stages = mapping(payload.get("stages"))
        for key, row in _apart(sessions):
            yield _session(key, Fields(row, "fitbit/night"), zone, mapping(stages.get(key)))
    except Unreadable:
        raise BadRecord("fitbit/night: a time is unreadable") from None


def _log(key: str, fields: Fields, zone: ZoneInfo, offsets: Mapping[datetime, tuple[int, int]]) -> Episode:
    start, end = written(fields.get("startTime")), written(fields.get("endTime"))
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
    """Return the time between two times of the wall clock, which are marked as UTC.

    ``offsets`` are the minutes east of UTC at the start and the end. If they are None, ``zone`` tells them. In an hour
    that the clock shows twice, the length in ``milliseconds`` tells which time is meant. If it is None, the difference
    of the two clocks is taken for the length.
    """
    if offsets is not None:
        begun, over = (wall - timedelta(minutes=minutes) for wall, minutes in zip((start, end), offsets, strict=True))
        return Stretch(start=begun, end=max(begun, over), offset=offsets[1], day=end.date())
    pairs = [(at_wall(start, zone, later=a), at_wall(end, zone, later=b)) for a in (False, True) for b in (False, True)]
    lasted = end - start if milliseconds is None else milliseconds * MILLISECOND
    begun, over = min((p for p in pairs if p[0] <= p[1]), key=lambda p: abs(p[1] - p[0] - lasted), default=pairs[0])
    return Stretch(start=begun, end=max(begun, over), offset=offset_between(end, over), day=end.date())


def _offsets(sessions: Mapping[str, Any]) -> dict[datetime, tuple[int, int]]:
    """Return (minutes east at the start, at the end) of Google's sessions by the wall clock of their start.

    Sessions with an offset of 0 are left out, because it may stand for an unknown offset.
    """
    found = {}
    for _, row in sorted(sessions.items()):
        start, end = (written_offset(row.get(name)) for name in ("start_utc_offset", "end_utc_offset"))
        if start and end:
            found[session_walls(row)[0]] = start, end
    return found


def _session(key: str, fields: Fields, zone: ZoneInfo, stages: Mapping[str, Any]) -> Episode:
    start, end = session_walls(fields.payload)
    fields.ordered(start, end)
    offsets = tuple(written_offset(fields.get(name)) for name in ("start_utc_offset", "end_utc_offset"))
    known = (offsets[0], offsets[1]) if offsets[0] and offsets[1] else None
    lasted = _between(start, end, zone, known, None)
    values = {metric: _number(fields, str(path)) for metric, path in SESSION.items()}
    if any(stages.get(name) for name in STAGES.values()):
        told = Fields(stages, fields.name)
        values |= {metric: told.number(name) or 0.0 for metric, name in STAGES.items()}
    return lasted.episode(EpisodeKind.NAP if lasted.is_nap else EpisodeKind.SLEEP, key, values)


def _apart(sessions: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return (key, session) of Google's sessions, without those that overlap a session made later.

    The session made later is of a newer algorithm.
    """
    kept: list[tuple[str, Mapping[str, Any]]] = []
    made = sorted(sessions.items(), key=lambda one: (str(mapping(one[1]).get("sleep_created")), one[0]), reverse=True)
    for key, row in made:
        start, end = session_walls(mapping(row))
        if all(min(end, b) - max(start, a) <= ZERO for a, b in (session_walls(other) for _, other in kept)):
            kept.append((key, mapping(row)))
    return sorted(kept)


def _number(fields: Fields, path: str) -> float | None:
    return fields.number(path, Fraction(1), written=True)
