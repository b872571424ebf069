"""Readers of Garmin's own forms of times, dates and versions of a row.

Any field may be absent or of another type. Times are UTC without saying so, as text or in Unix milliseconds. The offset
is the difference between a time in UTC and the field beside it that holds the wall clock.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from bridge.domain.metrics import Metric
from connectors.payload import (
    SECONDS,
    Fields,
    Table,
    calendar_date,
    mapping,
    offset_between,
    offset_in,
    time_zone,
    utc_of_naive,
)

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
    """Return the fields of a row. ``stream`` names it in errors."""
    return Fields(row, f"garmin/{stream}")


def length(fields: Fields, per_second: int, *names: str) -> timedelta | None:
    """Return the first duration that the row states, or None if it is impossible for an activity."""
    found = next((value for name in names if (value := fields.number(name)) is not None), None)
    longest = ACTIVITY_MAX.total_seconds() * per_second
    return timedelta(seconds=found / per_second) if found is not None and 0 <= found <= longest else None


def unconfirmed(night: Fields) -> bool:
    """Tell if the watch only guessed a sleep, or was not worn. The account export writes these words in capitals."""
    return str(night.get("sleepWindowConfirmationType")).lower() in NO_NIGHT


def is_over(row: Fields, lasted: timedelta) -> bool:
    """Tell if a day was over when the row was written, by its length or by its wall clock.

    Either is enough, because a journey east shortens a day.
    """
    began, ended = (utc_of_naive(row.get(f"wellness{end}TimeLocal")) for end in ("Start", "End"))
    return max(lasted, ended - began if began and ended else lasted) >= WHOLE_DAY


def day_of(fields: Fields, path: str = "calendarDate") -> date:
    """Return a calendar date, which may be followed by a time. Raises BadRecord."""
    found = calendar_date(str(fields.get(path))[:10])
    if found is None:
        raise fields.bad(f"{path} is no date")
    return found


def span(fields: Fields, start: str, end: str) -> tuple[datetime, datetime]:
    """Return two instants in order. Raises BadRecord."""
    begun, ended = utc_of_naive(fields.get(start)), utc_of_naive(fields.get(end))
    if begun is None or ended is None:
        raise fields.bad(f"{start} or {end} is no instant")
    fields.ordered(begun, ended)
    return begun, ended


def offset_of(fields: Fields, local: str, gmt: str) -> int | None:
    """Return minutes east of UTC from a wall clock and the instant beside it."""
    return offset_between(utc_of_naive(fields.get(local)), utc_of_naive(fields.get(gmt)))


def offset_at_home(payload: Mapping[str, Any], at: datetime, stream: str) -> int:
    """Return minutes east of UTC in the zone stored with a record. Raises BadRecord for an unknown zone."""
    name = payload.get("zone")
    zone = time_zone(name if isinstance(name, str) else "UTC")
    if zone is None:
        raise fields_of(payload, stream).bad("zone is no known time zone")
    return offset_in(zone, at)


def mark(row: Mapping[str, Any]) -> str:
    """Return a short fingerprint of a row's content."""
    return hashlib.blake2b(_text(row).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def versions(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row under its fingerprint, as records of files hold it.

    All versions of a row are kept, so that the order of the files makes no difference.
    """
    return {mark(row): dict(row)}


def settled(rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the version of a row to use: the one that reaches furthest in time.

    Equal versions are decided by the order of their texts, so that the files' order makes no difference.
    """
    found = [row for row in rows.values() if isinstance(row, Mapping)]
    return max(found, key=lambda row: ([_text(row.get(field)) for field in GROWS], _text(row)), default={})


def _text(value: Any) -> str:
    """Return JSON text whose order is that of its whole numbers. Missing values come first."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:020d}"
    if isinstance(value, list):
        return f"{len(value):020d}" + json.dumps(value, sort_keys=True)
    return json.dumps(value, sort_keys=True)


def workout_key(start: float | None, row: Mapping[str, Any]) -> str:
    """Return the key of a workout, which is the same in every kind of file.

    It is the start in whole seconds, else a fingerprint of the content. Garmin Connect takes an activity's
    ``startTimeGMT`` from the FIT session's ``start_time``, to the second.
    """
    return f"?{mark(row)}" if start is None else str(int(start))


def settled_fields(record_payload: Mapping[str, Any], stream: str) -> Fields:
    """Return the fields of the version to use, of a record from files that keeps all versions."""
    return fields_of(settled(mapping(record_payload.get("rows"))), stream)
