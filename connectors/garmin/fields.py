"""Reading Garmin's fields: every one may be absent, null or of another kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.errors import BadRecord
from bridge.measured import finite
from bridge.metrics import Metric

STAGES = {
    Metric.LIGHT_SLEEP: "lightSleepSeconds",
    Metric.DEEP_SLEEP: "deepSleepSeconds",
    Metric.REM_SLEEP: "remSleepSeconds",
    Metric.AWAKE: "awakeSleepSeconds",
}
WHOLE_DAY = timedelta(hours=22, minutes=45)  # the shortest: clocks put forward, and the last minutes not yet sent
NO_NIGHT = {"unconfirmed", "off_wrist"}  # no stages, and often nobody slept
LONGEST = 365 * 86400  # seconds; anything longer is no duration


def number(payload: Mapping[str, Any], field: str) -> float | None:
    """A finite number; None for anything else."""
    return finite(payload.get(field))


def seconds(payload: Mapping[str, Any], field: str) -> float | None:
    """A duration in seconds, as minutes."""
    value = number(payload, field)
    return value / 60 if value is not None and 0 <= value <= LONGEST else None


def unconfirmed(night: Mapping[str, Any]) -> bool:
    """Whether a sleep is one that the watch guessed or was not worn in; the export has the words in capitals."""
    return str(night.get("sleepWindowConfirmationType")).lower() in NO_NIGHT


def is_over(row: Mapping[str, Any], length: timedelta) -> bool:
    """Whether a day was, by its length or by its wall clock, which a journey east has put forward."""
    began, ended = instant(row.get("wellnessStartTimeLocal")), instant(row.get("wellnessEndTimeLocal"))
    return max(length, ended - began if began and ended else length) >= WHOLE_DAY


def inner(payload: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found = payload.get(field)
    return found if isinstance(found, Mapping) else {}


def listed(payload: Mapping[str, Any], field: str) -> Sequence[Any]:
    found = payload.get(field)
    return found if isinstance(found, list) else []


def day_of(payload: Mapping[str, Any], field: str, what: str) -> date:
    """A calendar date. Raises BadRecord."""
    try:
        found = date.fromisoformat(str(payload.get(field))[:10])
    except ValueError:
        found = None
    if found is None or not 1990 <= found.year < 2200:
        raise BadRecord(f"garmin/{what}: {field} is no date")
    return found


def instant(value: Any) -> datetime | None:
    """UTC from Unix milliseconds or from text like ``2025-06-13T22:00:00.0``, which is UTC without saying so."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value).replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            at = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return at if 1990 <= at.year < 2200 else None


def span(payload: Mapping[str, Any], start: str, end: str, what: str) -> tuple[datetime, datetime]:
    """Two instants in order. Raises BadRecord."""
    begun, ended = instant(payload.get(start)), instant(payload.get(end))
    if begun is None or ended is None:
        raise BadRecord(f"garmin/{what}: {start} or {end} is no instant")
    if ended < begun or ended - begun > timedelta(days=3):
        raise BadRecord(f"garmin/{what}: it ends before it starts, or days later")
    return begun, ended


def offset_between(local: Any, gmt: Any) -> int | None:
    """Minutes east of UTC, from a wall clock that is written as if it were UTC and the instant itself."""
    wall, at = instant(local), instant(gmt)
    if wall is None or at is None:
        return None
    minutes = round((wall - at) / timedelta(minutes=1))
    return minutes if abs(minutes) <= 15 * 60 else None


def offset_in(zone: str, at: datetime) -> int:
    """Minutes east of UTC where the person lives."""
    moved = at.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)
    return int(moved / timedelta(minutes=1))
