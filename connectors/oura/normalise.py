"""Turn Oura's raw records into samples and episodes. Names and units are those of Oura's API v2 (OpenAPI 1.28).

A night's times are written with their offset, and its lengths are in seconds.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import EpisodeKind, Item, RawRecord, Sample
from connectors.instants import local_date, utc, written_offset
from connectors.noted import note_name
from connectors.oura import DAILY, NIGHT, SLEEP, SPEC, WORKOUT
from connectors.oura.shapes import TAG, TRENDS
from connectors.payload import Fields, Table, mapping, words
from connectors.stretches import quarter_hours_in

NO_SLEEP = ("rest", "deleted")  # lying still, and what the person has taken back
NAPS = ("sleep", "late_nap")
KINDS = {"long_sleep": EpisodeKind.SLEEP} | dict.fromkeys(NAPS, EpisodeKind.NAP) | dict.fromkeys(NO_SLEEP)
TAG_LEAD = re.compile(r"^(tag_)?(generic_|sleep_)?")
MINDFUL = frozenset({"breathing", "meditation", "relaxation"})


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    return list(_items(record.stream, record.key, Fields.of(SPEC.name, record)))


def _items(stream: str, key: str, fields: Fields) -> Iterator[Item]:
    if stream == "sleep":
        yield from _sleep(key, fields)
    elif stream in DAILY:
        yield from _daily(key, fields, DAILY[stream])
    elif stream == "heartrate":  # dated in UTC: the local day follows from where the person lives
        readings = _saved(fields) if fields.get("rates") else fields.readings("data", at="timestamp", value="bpm")
        yield from quarter_hours_in(fields.zone("zone"), Metric.HEART_RATE, readings)
    elif stream == "workout":
        yield from _workout(key, fields)
    elif stream == "session":
        yield from _session(key, fields)
    elif stream == TAG:
        yield from _tag(key, fields)
    else:
        raise fields.bad("not a stream of oura")


def _saved(fields: Fields) -> Iterator[tuple[datetime, float]]:
    for told, rate in sorted(mapping(fields.get("rates")).items()):
        at, bpm = utc(told), finite(rate)
        if at is not None and bpm is not None:
            yield at, bpm


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    if fields.get("type") is None and "type" in fields.payload:
        return
    told, key = _told(fields), words(fields.get("id")) or key
    kind = EpisodeKind.SLEEP if "type" not in fields.payload and fields.get(TRENDS) else told.choice("type", KINDS)
    if kind is not None:
        night = told.stretch("bedtime_start", "bedtime_end", day="day" if told.get("day") else None)
        yield night.episode(kind, key, told.measured(SLEEP))
        yield from night.samples(key, told.measured(NIGHT) if kind is EpisodeKind.SLEEP else {})


def _daily(key: str, fields: Fields, table: Table) -> Iterator[Item]:
    # A day with 0 steps and no active energy yields nothing, because the ring was not worn.
    told, key = _told(fields), words(fields.get("id")) or key
    values = told.measured(table)
    if values.get(Metric.STEPS) != 0 or values.get(Metric.ACTIVE_ENERGY):  # a ring in a drawer counts 0: no measurement
        yield from told.civil_day("day", "timestamp").samples(key, values)


def _told(fields: Fields) -> Fields:
    return Fields({**mapping(fields.get(TRENDS)), **fields.payload}, fields.name)


def _workout(key: str, fields: Fields) -> Iterator[Item]:
    lasted = fields.stretch("start_datetime", "end_datetime").on_start()
    yield lasted.episode(EpisodeKind.WORKOUT, key, fields.measured(WORKOUT), label=words(fields.get("activity")))


def _tag(key: str, fields: Fields) -> Iterator[Item]:
    code = words(fields.get("tag_type_code"))
    told = words(fields.get("custom_name")) if code in (None, "custom") else TAG_LEAD.sub("", code).replace("_", " ")
    name, at = note_name(told), fields.instant("start_time")
    if name is not None:
        offset = written_offset(str(fields.get("start_time"))[-6:])
        day = local_date(at, offset)
        yield Sample(key=f"{name}/{key}", metric=Metric.NOTED, start=at, offset=offset, day=day, value=1.0)


def _session(key: str, fields: Fields) -> Iterator[Item]:
    if words(fields.get("type")) in MINDFUL:
        lasted = fields.stretch("start_datetime", "end_datetime").on_start()
        yield from lasted.samples(key, {Metric.MINDFUL: lasted.minutes})
