"""Read Garmin's forms of times and dates, and choose among the versions of a row. Times are UTC without saying so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind
from connectors.instants import local_date, offset_between, offset_in, time_zone, utc_of_naive
from connectors.payload import SECONDS, Fields, Table, mapping, rows
from connectors.stretches import Stretch

STAGES: Table = {
    Metric.LIGHT_SLEEP: ("lightSleepSeconds", SECONDS),
    Metric.DEEP_SLEEP: ("deepSleepSeconds", SECONDS),
    Metric.REM_SLEEP: ("remSleepSeconds", SECONDS),
    Metric.AWAKE: ("awakeSleepSeconds", SECONDS),
}
WHOLE_DAY = timedelta(hours=22, minutes=45)  # the shortest: clocks put forward, and the last minutes not yet sent
NO_NIGHT = {"unconfirmed", "off_wrist"}  # no stages, and often no sleep at all
ACTIVITY_MAX = timedelta(days=30)
GROWS = ("wellnessEndTimeGmt", "durationInMilliseconds", "updateTimestampUTC", "createTimestampUTC", "stages")


def fields_of(row: Mapping[str, Any], stream: str) -> Fields:
    """Return a row as Fields, whose errors name it as ``garmin/STREAM``."""
    return Fields(row, f"garmin/{stream}")


def length(fields: Fields, per_second: int, *names: str) -> timedelta | None:
    """Return the first number of the named fields, in 1/``per_second`` s. None beyond 30 days or without one."""
    found = next((value for name in names if (value := fields.number(name)) is not None), None)
    longest = ACTIVITY_MAX.total_seconds() * per_second
    return timedelta(seconds=found / per_second) if found is not None and 0 <= found <= longest else None


def intensity(row: Fields, *, of_day: bool = False) -> dict[Metric, float | None]:
    """Return the intensity minutes in a row, with ``of_day`` also by zone."""
    found = minutes_by_zone(row.number("moderateIntensityMinutes"), row.number("vigorousIntensityMinutes"))
    return found if of_day else {Metric.ZONE_MINUTES: found[Metric.ZONE_MINUTES]}


def minutes_by_zone(moderate: float | None, vigorous: float | None) -> dict[Metric, float | None]:
    """Return the intensity minutes of each zone, and their sum, in which a vigorous minute counts twice."""
    hard = None if vigorous is None else 2 * vigorous
    together = None if moderate is None or hard is None else moderate + hard
    return {Metric.FAT_BURN_MINUTES: moderate, Metric.CARDIO_MINUTES: hard, Metric.ZONE_MINUTES: together}


def unconfirmed(night: Fields) -> bool:
    """Return True if a night's sleep was guessed, or the watch was not worn."""
    return str(night.get("sleepWindowConfirmationType")).lower() in NO_NIGHT


def is_over(row: Fields, lasted: timedelta) -> bool:
    """Return True if a day's row covers at least 22 h 45 min, so that the day was over when it was written.

    The longer of ``lasted`` and the time between the row's local times counts, as a journey east shortens a day.
    """
    began, ended = (utc_of_naive(row.get(f"wellness{end}TimeLocal")) for end in ("Start", "End"))
    return max(lasted, ended - began if began and ended else lasted) >= WHOLE_DAY


def is_whole(fields: Fields) -> bool:
    """Return True if an exported day was over when its row was written, or if the row does not tell."""
    start, end = (utc_of_naive(fields.get(f"wellness{edge}TimeGmt")) for edge in ("Start", "End"))
    lasted = fields.number("durationInMilliseconds")
    if start is None or end is None:
        return lasted is None or lasted / 1000 >= WHOLE_DAY.total_seconds()
    return is_over(fields, end - start)


def span(fields: Fields, start: str, end: str) -> tuple[datetime, datetime]:
    """Return the instants in two fields. Raises BadRecord unless both are readable and in order."""
    begun, ended = utc_of_naive(fields.get(start)), utc_of_naive(fields.get(end))
    if begun is None or ended is None:
        raise fields.bad(f"{start} or {end} is not an instant")
    fields.ordered(begun, ended)
    return begun, ended


def naps(key: str, fields: Fields, path: str, offset: Callable[[datetime], int | None]) -> Iterator[Episode]:
    """Yield the naps in a list of the row. ``offset`` gives minutes east of UTC. Raises BadRecord for bad times."""
    for entry in rows(fields.get(path)):
        nap = Fields(mapping(entry), fields.name)
        start, end = span(nap, "napStartTimestampGMT", "napEndTimestampGMT")
        east = offset(end)
        lasted = Stretch(start=start, end=end, offset=east, day=local_date(start, east))
        asleep = nap.number("napTimeSec", SECONDS)
        values = {Metric.ASLEEP: asleep or lasted.minutes, Metric.IN_BED: lasted.minutes}
        yield lasted.episode(EpisodeKind.NAP, f"{key}/nap/{start:%H:%M}", values)


def workout(key: str, fields: Fields, table: Table, names: tuple[str, str], *, per_second: int) -> Episode:
    """Return an activity as a workout episode. ``names`` are the fields of its start and of its kind of sport.

    ``table`` maps metrics to fields. Durations are in 1/``per_second`` s. Raises BadRecord if its start or length is
    unreadable.
    """
    start, lasted = utc_of_naive(fields.get(names[0])), length(fields, per_second, "elapsedDuration", "duration")
    if start is None or lasted is None:
        raise fields.bad(f"{names[0]} or duration is unreadable")
    offset, kind = offset_of(fields, "startTimeLocal", names[0]), fields.get(names[1])
    time = Stretch(start=start, end=start + lasted, offset=offset, day=local_date(start, offset))
    label = kind if isinstance(kind, str) else None
    return time.episode(EpisodeKind.WORKOUT, key, fields.measured(table) | intensity(fields), label=label)


def offset_of(fields: Fields, local: str, gmt: str) -> int | None:
    """Return minutes east of UTC, by the fields of the same time in local time and UTC. None if unreadable."""
    return offset_between(utc_of_naive(fields.get(local)), utc_of_naive(fields.get(gmt)))


def offset_at_home(payload: Mapping[str, Any], at: datetime, stream: str) -> int:
    """Return the minutes east of UTC at ``at`` in a record's zone, 0 without one. Raises BadRecord if it is unknown."""
    name = payload.get("zone")
    zone = time_zone(name if isinstance(name, str) else "UTC")
    if zone is None:
        raise fields_of(payload, stream).bad("zone is no known time zone")
    return offset_in(zone, at)


def mark(row: Mapping[str, Any]) -> str:
    """Return a fingerprint of a row, which is 16 hex digits and the same for equal content."""
    return hashlib.blake2b(_text(row).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def versions(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return {fingerprint: row}, the form in which several versions of a row are stored side by side."""
    return {mark(row): dict(row)}


def settled(rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the stored version of a row that covers the most time, the larger of equal ones. {} without any."""
    found = [row for row in rows.values() if isinstance(row, Mapping)]
    return max(found, key=lambda row: ([_text(row.get(field)) for field in GROWS], _text(row)), default={})


def _text(value: Any) -> str:
    """Return a JSON value as a text that sorts as the value does, with numbers by size and lists by length."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:020d}"
    if isinstance(value, list):
        return f"{len(value):020d}" + json.dumps(value, sort_keys=True)
    return json.dumps(value, sort_keys=True)


def workout_key(start: float | None, row: Mapping[str, Any]) -> str:
    """Return a workout's key, its start in Unix seconds, or "?" and a fingerprint of the row if there is none."""
    return f"?{mark(row)}" if start is None else str(int(start))


def settled_fields(record_payload: Mapping[str, Any], stream: str) -> Fields:
    """Return the best stored version of a record's row, as Fields."""
    return fields_of(settled(mapping(record_payload.get("rows"))), stream)
