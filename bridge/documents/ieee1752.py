"""Samples and episodes as data points of IEEE 1752.1, and of Open mHealth for what that standard does not model.

Schemas: https://w3id.org/ieee/ieee-1752-schema and https://w3id.org/openmhealth/schemas/omh.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Sample

IEEE, OMH = "ieee", "omh"
VERSIONS = {
    "sleep-episode": (IEEE, "1.0"),
    "time-in-bed": (IEEE, "1.0"),
    "physical-activity": (IEEE, "1.0"),
    "heart-rate": (OMH, "2.0"),
    "respiratory-rate": (OMH, "2.0"),
    "oxygen-saturation": (OMH, "2.0"),
}
SLEEP_MINUTES = {  # metric -> field of a sleep episode
    Metric.ASLEEP: "total_sleep_time",
    Metric.LIGHT_SLEEP: "light_sleep_duration",
    Metric.DEEP_SLEEP: "deep_sleep_duration",
    Metric.REM_SLEEP: "rem_sleep_duration",
    Metric.AWAKE: "wake_after_sleep_onset",
}
ACTIVITY_MEASURES = {  # metric -> field of a physical activity, unit
    Metric.STEPS: ("base_movement_quantity", "steps"),
    Metric.DISTANCE: ("distance", "m"),
    Metric.ACTIVE_ENERGY: ("kcal_burned", "kcal"),
}
AVERAGE = {"descriptive_statistic": "average"}
AT_REST = {"temporal_relationship_to_physical_activity": "at rest"}
AT_FINGER = {"measurement_method": "pulse oximetry", "system": "peripheral capillary"}
MEASURED: Mapping[Metric, tuple[str, str, str, Mapping[str, str]]] = {  # metric -> schema, field, unit, further fields
    Metric.HEART_RATE: ("heart-rate", "heart_rate", "beats/min", AVERAGE),
    Metric.RESTING_HR: ("heart-rate", "heart_rate", "beats/min", AT_REST),
    Metric.RESPIRATORY_RATE: ("respiratory-rate", "respiratory_rate", "breaths/min", AVERAGE),
    Metric.SPO2: ("oxygen-saturation", "oxygen_saturation", "%", AVERAGE | AT_FINGER),
}
DAY_NAME, WORKOUT_NAME = "daily activity summary", "workout"
EXPORT_DIGITS = 6
DAY = timedelta(days=1)

DataPoint = dict[str, Any]


def data_points(
    samples: Iterable[tuple[str, Sample]], episodes: Iterable[tuple[str, Episode]]
) -> Iterator[tuple[str, DataPoint]]:
    """Yield (name of the schema, data point) for all that the standards model, the sums of days last."""
    days: dict[tuple[str, date], list[Sample]] = defaultdict(list)
    for source, episode in episodes:
        yield from _of_episode(source, episode)
    for source, sample in samples:
        if sample.metric in ACTIVITY_MEASURES:
            days[source, sample.day].append(sample)
        elif sample.metric in MEASURED:
            schema, name, unit, further = MEASURED[sample.metric]
            body = {name: _value(sample.value, unit), "effective_time_frame": _frame(sample), **further}
            yield schema, _point(schema, f"{source}/{sample.metric}/{sample.key}", sample, body, source)
    for (source, day), found in sorted(days.items()):
        yield "physical-activity", _of_day(source, day, found)


def _of_episode(source: str, episode: Episode) -> Iterator[tuple[str, DataPoint]]:
    """Yield (name of the schema, data point) of an episode. A night also gives its time in bed, if known."""
    frame = _interval(episode.start, episode.end, episode.offset)
    name = f"{source}/{episode.key}"
    if episode.kind is EpisodeKind.WORKOUT:
        body: dict[str, Any] = {"activity_name": episode.label or WORKOUT_NAME, "effective_time_frame": frame}
        values = dict(episode.values)
        if Metric.TOTAL_ENERGY in values:  # some vendors tell no other energy of a workout
            values.setdefault(Metric.ACTIVE_ENERGY, values[Metric.TOTAL_ENERGY])
        told = {metric: value for metric, value in values.items() if metric in ACTIVITY_MEASURES}
        body |= {
            ACTIVITY_MEASURES[metric][0]: _value(value, ACTIVITY_MEASURES[metric][1]) for metric, value in told.items()
        }
        yield "physical-activity", _point("physical-activity", name, episode, body, source)
        return
    main = {"is_main_sleep": episode.kind is EpisodeKind.SLEEP, "effective_time_frame": frame}
    minutes = {
        field: _value(episode.values[metric], "min")
        for metric, field in SLEEP_MINUTES.items()
        if metric in episode.values
    }
    efficiency = episode.values.get(Metric.SLEEP_EFFICIENCY)
    share = {} if efficiency is None else {"sleep_efficiency_percentage": _value(efficiency, "%")}
    yield "sleep-episode", _point("sleep-episode", name, episode, main | minutes | share, source)
    if Metric.IN_BED in episode.values:
        body = main | {"time_in_bed": _value(episode.values[Metric.IN_BED], "min")}
        yield "time-in-bed", _point("time-in-bed", f"{name}/in-bed", episode, body, source)


def _of_day(source: str, day: date, found: list[Sample]) -> DataPoint:
    zone = _zone(found[0].offset)
    start = datetime.combine(day, time(), zone)
    frame = {"time_interval": {"start_date_time": start.isoformat(), "end_date_time": (start + DAY).isoformat()}}
    body: dict[str, Any] = {"activity_name": DAY_NAME, "effective_time_frame": frame}
    body |= {ACTIVITY_MEASURES[one.metric][0]: _value(one.value, ACTIVITY_MEASURES[one.metric][1]) for one in found}
    return _point("physical-activity", f"{source}/{day}", found[0], body, source)


def _point(schema: str, name: str, told: Sample | Episode, body: dict[str, Any], source: str) -> DataPoint:
    namespace, version = VERSIONS[schema]
    made = (told.end or told.start).astimezone(_zone(told.offset))
    header = {
        "uuid": str(uuid5(NAMESPACE_URL, f"rhythm-bridge:{schema}/{name}/{told.start.isoformat()}")),
        "schema_id": {"namespace": namespace, "name": schema, "version": version},
        "source_creation_date_time": made.isoformat(),
        "modality": "sensed",
        "external_datasheets": [{"datasheet_type": "source", "datasheet_reference": f"urn:rhythm-bridge:{source}"}],
    }
    return {"header": header, "body": body}


def _value(value: float, unit: str) -> dict[str, Any]:
    return {"value": round(value, EXPORT_DIGITS), "unit": unit}


def _frame(sample: Sample) -> dict[str, Any]:
    if sample.end is None:
        return {"date_time": sample.start.astimezone(_zone(sample.offset)).isoformat()}
    return _interval(sample.start, sample.end, sample.offset)


def _interval(start: datetime, end: datetime, offset: int | None) -> dict[str, Any]:
    times = [at.astimezone(_zone(offset)).isoformat() for at in (start, end)]
    return {"time_interval": {"start_date_time": times[0], "end_date_time": times[1]}}


def _zone(offset: int | None) -> timezone:
    return timezone(timedelta(minutes=offset or 0))
