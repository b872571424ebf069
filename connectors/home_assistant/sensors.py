"""Find the health sensors of Home Assistant's phone apps, and the new readings among their states.

Source: home-assistant/android (commit 532638a) and home-assistant/iOS (commit d722d78).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.types import RawRecord
from connectors.instants import utc
from connectors.payload import mapping

STREAM = "sensor"
ENDINGS = {  # of an entity's name -> what it tells
    "daily_steps": "steps",
    "health_steps": "steps",
    "daily_distance": "distance",
    "walking_running_distance": "distance",
    "active_energy": "active_energy",
    "total_calories_burned": "total_energy",
    "resting_heart_rate": "resting_hr",
    "heart_rate_variability": "hrv",
    "sleep_duration": "sleep",
}
TOTAL_NAMES = frozenset({"steps", "distance", "active_energy", "total_energy"})  # sums since midnight
DAILY_NAMES = TOTAL_NAMES | {"resting_hr"}  # the last reading of a day counts
ENTITY_NAME = re.compile(rf"sensor\.(?P<phone>[a-z0-9_]{{1,200}}?)_(?P<ending>{'|'.join(ENDINGS)})(_\d{{1,3}})?")
NO_VALUE = frozenset({"unknown", "unavailable", "none", ""})  # states that say that there is no value
KEPT_ATTRIBUTES = (  # attributes; names of people and phones are among the others
    "unit_of_measurement",
    "device_class",
    "state_class",
    "date",
    "startTime",
    "endTime",
    "source",
    "sources",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """An entity of Home Assistant that tells about health, with its phone and the kind of its values."""

    entity: str
    phone: str
    kind: str


def sensor_of(entity: object) -> Sensor | None:
    """Return the sensor of an entity's name, or None for any other entity.

    >>> sensor_of("sensor.pixel_8_daily_steps_2")
    Sensor(entity='sensor.pixel_8_daily_steps_2', phone='pixel_8', kind='steps')
    """
    found = ENTITY_NAME.fullmatch(entity) if isinstance(entity, str) else None
    return None if found is None else Sensor(entity=found[0], phone=found["phone"], kind=ENDINGS[found["ending"]])


def is_of_an_app(state: Mapping[str, Any]) -> bool:
    """Return True for a state whose shape only the phone apps' health sensors have.

    Android's name where a reading comes from. The iPhone's steps have a name of their own.
    """
    told = mapping(state.get("attributes"))
    entity = str(state.get("entity_id"))
    return (sensor_of(entity) is not None and ("source" in told or "sources" in told)) or bool(
        re.fullmatch(r"sensor\.\w+_health_steps(_\d+)?", entity)
    )


def records(lists: Iterable[list[dict[str, Any]]], zone: ZoneInfo, start: datetime) -> tuple[RawRecord, ...]:
    """Return a raw record for each new reading in the states of several entities. ``zone`` tells the days."""
    found: dict[str, tuple[datetime | None, RawRecord]] = {}
    for rows in lists:
        for kind, at, row in _new_readings(rows, start):
            record = _record(kind, at, row, zone)
            held = found.get(record.key)
            if held is None or held[0] is None or (at is not None and at >= held[0]):
                found[record.key] = at, record
    return tuple(record for _, record in found.values())


def _new_readings(
    rows: Iterable[Mapping[str, Any]], start: datetime
) -> Iterator[tuple[str, datetime | None, Mapping[str, Any]]]:
    """Yield (kind of value, when it was measured, state) of each state of an entity that holds a new reading."""
    last: object = None
    for row in rows:
        sensor, told = sensor_of(row.get("entity_id")), mapping(row.get("attributes"))
        if sensor is None or not _is_value(row.get("state")) or _is_no_sum(sensor.kind, row):
            continue
        before, last = last, row.get("state")
        stamp = next((told[name] for name in ("startTime", "date", "endTime") if name in told), None)
        at = utc(row.get("last_changed") if stamp is None else stamp)
        if stamp is None and at is not None and (last == before or at <= start):
            continue
        yield sensor.kind, at, row


def _is_value(state: object) -> bool:
    return state is not None and not (isinstance(state, str) and state.strip().lower() in NO_VALUE)


def _is_no_sum(kind: str, row: Mapping[str, Any]) -> bool:
    return kind in TOTAL_NAMES and mapping(row.get("attributes")).get("sources") == []


def _record(kind: str, at: datetime | None, row: Mapping[str, Any], zone: ZoneInfo) -> RawRecord:
    told = mapping(row.get("attributes"))
    kept = {name: told[name] for name in KEPT_ATTRIBUTES if name in told}
    payload = {"state": row.get("state"), "at": at and at.isoformat(), "zone": zone.key, "attributes": kept}
    if at is None:
        return RawRecord(stream=STREAM, key=f"{kind}/?", payload=payload)
    key = _day(at, zone).isoformat() if kind in DAILY_NAMES else at.isoformat()
    return RawRecord(stream=STREAM, key=f"{kind}/{key}", payload=payload)


def _day(at: datetime, zone: ZoneInfo) -> date:
    return at.astimezone(zone).date()
