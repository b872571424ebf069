"""Write a user's samples and episodes to a JSON file of HL7 FHIR R5 or IEEE 1752.1, entry by entry.

An Observation of FHIR has the bridge's code of a metric, and a LOINC code if LOINC has exactly that quantity. What IEEE
1752.1 does not model becomes a data point of Open mHealth.
Schemas: https://w3id.org/ieee/ieee-1752-schema and https://w3id.org/openmhealth/schemas/omh.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bridge.domain.errors import SetupError
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.ingest.archive import STANDARD_FORMATS
from bridge.ingest.files import new_folder

FILES = {kind: f"{kind}.json" for kind in STANDARD_FORMATS}

LOINC, UCUM = "http://loinc.org", "http://unitsofmeasure.org"
CATEGORIES = "http://terminology.hl7.org/CodeSystem/observation-category"
OWN_SYSTEM = "urn:rhythm-bridge"
LOINC_CODES = {
    Metric.STEPS: ("41950-7", "Number of steps in 24 hour Measured"),
    Metric.HEART_RATE: ("8867-4", "Heart rate"),
    Metric.RESTING_HR: ("40443-4", "Heart rate --resting"),
    Metric.RESPIRATORY_RATE: ("9279-1", "Respiratory rate"),
    Metric.SPO2: ("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"),
    Metric.HRV_SDNN: ("80404-7", "R-R interval.standard deviation (Heart rate variability)"),
    Metric.ACTIVE_ENERGY: ("41981-2", "Calories burned"),
    Metric.ASLEEP: ("93832-4", "Sleep duration"),
    Metric.IN_BED: ("103213-5", "Duration in bed"),
    Metric.LIGHT_SLEEP: ("93830-8", "Light sleep duration"),
    Metric.DEEP_SLEEP: ("93831-6", "Deep sleep duration"),
    Metric.REM_SLEEP: ("93829-0", "REM sleep duration"),
}
VITAL_SIGNS = {Metric.HEART_RATE, Metric.RESTING_HR, Metric.RESPIRATORY_RATE, Metric.SPO2}
UNITS = {"bpm": "/min", "1/min": "/min", "°C": "Cel", "count": "{count}"}  # where UCUM writes another unit
SCORE_UNIT = "{score}"  # of scales that a vendor has made up
EPISODE_NAMES = {EpisodeKind.SLEEP: "Main sleep", EpisodeKind.NAP: "Nap", EpisodeKind.WORKOUT: "Workout"}
EXPORT_DIGITS = 6

Observation = dict[str, Any]

IEEE, OMH = "ieee", "omh"
SCHEMA_VERSIONS = {
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
DAY = timedelta(days=1)

DataPoint = dict[str, Any]


def write(
    user: str,
    told: tuple[Sequence[tuple[str, Sample]], Sequence[tuple[str, Episode]]],
    folder: Path,
    kind: str,
    *,
    at: datetime,
) -> dict[str, int]:
    """Write a user's data to a file of the format ``kind`` in a new or empty folder. Return name -> number of entries.

    ``told`` is (samples, episodes), each item with its source. Raises SetupError for a folder that is not empty, and
    for a file that cannot be written.
    """
    again = f"bridge export --user NAME --to FOLDER --format {kind}"
    new_folder(folder, again)
    counts: Counter[str] = Counter()
    place = folder / FILES[kind]
    try:
        with place.open("x", encoding="utf-8") as file:
            place.chmod(0o600)
            if kind == "fhir":
                found = _counted(_observations(user, *told), counts)
                entries = _joined((_entry(one) for one in found), ',"entry":[', "]")
                file.write(json.dumps(_empty_bundle(at))[:-1])
                file.writelines(entries)
                file.write("}\n")
            else:
                found = _counted(_data_points(*told), counts)
                file.write("[")
                file.writelines(_joined(found, "", ""))
                file.write("]\n")
    except OSError as error:
        raise SetupError(
            f"the export in {folder} is incomplete ({error.strerror}); delete it, make room, then: {again}"
        ) from None
    return dict(sorted(counts.items()))


def _counted(found: Iterable[tuple[str, dict[str, Any]]], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for name, one in found:
        counts[name] += 1
        yield one


def _joined(found: Iterable[dict[str, Any]], before: str, after: str) -> Iterator[str]:
    some = False
    for one in found:
        yield f"{',' if some else before}\n{json.dumps(one, ensure_ascii=False)}"
        some = True
    if some:
        yield f"\n{after}"


def _observations(
    user: str, samples: Iterable[tuple[str, Sample]], episodes: Iterable[tuple[str, Episode]]
) -> Iterator[tuple[str, Observation]]:
    for source, episode in episodes:
        yield episode.kind.value, _of_episode(user, source, episode)
    for source, sample in samples:
        told = _told(user, source, sample, f"{sample.metric}/{sample.key}")
        code = {"code": _code(sample.metric), "valueQuantity": _quantity(sample.metric, sample.value)}
        yield sample.metric.value, told | {"category": _category(sample.metric)} | code


def _entry(observation: Observation) -> dict[str, Any]:
    return {"fullUrl": f"urn:uuid:{observation['id']}", "resource": observation}


def _of_episode(user: str, source: str, episode: Episode) -> Observation:
    own = {"system": f"{OWN_SYSTEM}:episode", "code": episode.kind.value, "display": EPISODE_NAMES[episode.kind]}
    told = _told(user, source, episode, episode.key)
    if episode.label:
        told["valueString"] = episode.label
    parts = [
        {"code": _code(metric), "valueQuantity": _quantity(metric, value)}
        for metric, value in sorted(episode.values.items())
    ]
    told |= {"category": _category(None), "code": {"coding": [own], "text": EPISODE_NAMES[episode.kind]}}
    return told | ({"component": parts} if parts else {})


def _told(user: str, source: str, told: Sample | Episode, key: str) -> Observation:
    """Return the fields that all Observations have. Repeated exports give an item the same id."""
    name = f"{user}/{source}/{key}/{told.start.isoformat()}"
    times = [at.astimezone(_zone(told.offset)).isoformat() for at in (told.start, told.end) if at is not None]
    when: dict[str, Any] = {"effectiveDateTime": times[0]}
    if len(times) == 2:
        when = {"effectivePeriod": {"start": times[0], "end": times[1]}}
    return {
        "resourceType": "Observation",
        "id": str(uuid5(NAMESPACE_URL, f"rhythm-bridge:{name}")),
        "status": "final",
        "subject": {"identifier": {"system": f"{OWN_SYSTEM}:user", "value": user}},
        "device": {"display": source if told.device is None else f"{source}/{told.device}"},
        **when,
    }


def _code(metric: Metric) -> dict[str, Any]:
    own = {"system": f"{OWN_SYSTEM}:metric", "code": metric.value}
    known = LOINC_CODES.get(metric)
    standard = [] if known is None else [{"system": LOINC, "code": known[0], "display": known[1]}]
    return {"coding": [*standard, own], "text": metric.value.replace("_", " ")}


def _category(metric: Metric | None) -> list[dict[str, Any]]:
    code = "vital-signs" if metric in VITAL_SIGNS else "activity"
    return [{"coding": [{"system": CATEGORIES, "code": code}]}]


def _quantity(metric: Metric, value: float) -> Mapping[str, Any]:
    unit = METRICS[metric].unit
    code = UNITS.get(unit, SCORE_UNIT if "-" in unit else unit)
    return {"value": round(value, EXPORT_DIGITS), "unit": unit, "system": UCUM, "code": code}


def _zone(offset: int | None) -> timezone:
    return timezone(timedelta(minutes=offset or 0))


def _empty_bundle(at: datetime) -> dict[str, Any]:
    return {"resourceType": "Bundle", "type": "collection", "timestamp": at.isoformat(timespec="seconds")}


def _data_points(
    samples: Iterable[tuple[str, Sample]], episodes: Iterable[tuple[str, Episode]]
) -> Iterator[tuple[str, DataPoint]]:
    days: dict[tuple[str, date], list[Sample]] = defaultdict(list)
    for source, episode in episodes:
        yield from _points_of_episode(source, episode)
    for source, sample in samples:
        if sample.metric in ACTIVITY_MEASURES:
            days[source, sample.day].append(sample)
        elif sample.metric in MEASURED:
            schema, name, unit, further = MEASURED[sample.metric]
            body = {name: _value(sample.value, unit), "effective_time_frame": _frame(sample), **further}
            yield schema, _point(schema, f"{source}/{sample.metric}/{sample.key}", sample, body, source)
    for (source, day), found in sorted(days.items()):
        yield "physical-activity", _point_of_day(source, day, found)


def _points_of_episode(source: str, episode: Episode) -> Iterator[tuple[str, DataPoint]]:
    """Yield (schema's name, data point) for an episode, and for a night's time in bed if known."""
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


def _point_of_day(source: str, day: date, found: list[Sample]) -> DataPoint:
    zone = _zone(found[0].offset)
    start = datetime.combine(day, time(), zone)
    frame = {"time_interval": {"start_date_time": start.isoformat(), "end_date_time": (start + DAY).isoformat()}}
    body: dict[str, Any] = {"activity_name": DAY_NAME, "effective_time_frame": frame}
    body |= {ACTIVITY_MEASURES[one.metric][0]: _value(one.value, ACTIVITY_MEASURES[one.metric][1]) for one in found}
    return _point("physical-activity", f"{source}/{day}", found[0], body, source)


def _point(schema: str, name: str, told: Sample | Episode, body: dict[str, Any], source: str) -> DataPoint:
    namespace, version = SCHEMA_VERSIONS[schema]
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
