"""Samples and episodes as Observations of HL7 FHIR R5, in one Bundle.

Every Observation names the bridge's own metric. A LOINC code stands beside it where LOINC has that very quantity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Episode, EpisodeKind, Sample

LOINC, UCUM = "http://loinc.org", "http://unitsofmeasure.org"
CATEGORIES = "http://terminology.hl7.org/CodeSystem/observation-category"
OWN_SYSTEM = "urn:rhythm-bridge"
CODES = {
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
VITAL = {Metric.HEART_RATE, Metric.RESTING_HR, Metric.RESPIRATORY_RATE, Metric.SPO2}
UNITS = {"bpm": "/min", "1/min": "/min", "°C": "Cel", "count": "{count}"}  # where UCUM writes another unit
SCORE_UNIT = "{score}"  # of scales that a vendor has made up
EPISODES = {EpisodeKind.SLEEP: "Main sleep", EpisodeKind.NAP: "Nap", EpisodeKind.WORKOUT: "Workout"}
EXPORT_DIGITS = 6

Observation = dict[str, Any]


def observations(
    user: str, samples: Iterable[tuple[str, Sample]], episodes: Iterable[tuple[str, Episode]]
) -> Iterator[tuple[str, Observation]]:
    """Yield (name of the metric or kind of episode, Observation) of the (source, item) given, episodes first."""
    for source, episode in episodes:
        yield episode.kind.value, _of_episode(user, source, episode)
    for source, sample in samples:
        told = _told(user, source, sample, f"{sample.metric}/{sample.key}")
        code = {"code": _code(sample.metric), "valueQuantity": _quantity(sample.metric, sample.value)}
        yield sample.metric.value, told | {"category": _category(sample.metric)} | code


def entry(observation: Observation) -> dict[str, Any]:
    """Return an Observation of FHIR as an entry of a Bundle."""
    return {"fullUrl": f"urn:uuid:{observation['id']}", "resource": observation}


def _of_episode(user: str, source: str, episode: Episode) -> Observation:
    own = {"system": f"{OWN_SYSTEM}:episode", "code": episode.kind.value, "display": EPISODES[episode.kind]}
    told = _told(user, source, episode, episode.key)
    if episode.label:
        told["valueString"] = episode.label
    parts = [
        {"code": _code(metric), "valueQuantity": _quantity(metric, value)}
        for metric, value in sorted(episode.values.items())
    ]
    told |= {"category": _category(None), "code": {"coding": [own], "text": EPISODES[episode.kind]}}
    return told | ({"component": parts} if parts else {})


def _told(user: str, source: str, told: Sample | Episode, key: str) -> Observation:
    """Return the fields that all Observations share. The id is a digest, so that repeated exports use the same id."""
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
    """Return the codes of a metric: the LOINC code, if LOINC has one, then the bridge's own code."""
    own = {"system": f"{OWN_SYSTEM}:metric", "code": metric.value}
    known = CODES.get(metric)
    standard = [] if known is None else [{"system": LOINC, "code": known[0], "display": known[1]}]
    return {"coding": [*standard, own], "text": metric.value.replace("_", " ")}


def _category(metric: Metric | None) -> list[dict[str, Any]]:
    code = "vital-signs" if metric in VITAL else "activity"
    return [{"coding": [{"system": CATEGORIES, "code": code}]}]


def _quantity(metric: Metric, value: float) -> Mapping[str, Any]:
    unit = METRICS[metric].unit
    code = UNITS.get(unit, SCORE_UNIT if "-" in unit else unit)
    return {"value": round(value, EXPORT_DIGITS), "unit": unit, "system": UCUM, "code": code}


def _zone(offset: int | None) -> timezone:
    return timezone(timedelta(minutes=offset or 0))


def head(at: datetime) -> dict[str, Any]:
    """Return a FHIR Bundle without entries, made at the instant ``at``."""
    return {"resourceType": "Bundle", "type": "collection", "timestamp": at.isoformat(timespec="seconds")}
