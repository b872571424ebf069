"""Turn the data points of Google Health into episodes and samples, with the names and units of ``health.v4``."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from bridge.domain.metrics import Metric
from bridge.domain.slots import MINUTE
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.google.health import DAILY, EXERCISE, SLEEP, SPEC, STAGES, SUMS
from connectors.instants import YEARS, local_date, midnight
from connectors.payload import Fields, mapping, rows, words
from connectors.stretches import Stretch

DIFFERENCE = "dailySleepTemperatureDerivations.baselineTemperatureCelsius"


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    return list(_items(record.stream, record.key, Fields.of(SPEC.name, record)))


def _items(stream: str, key: str, fields: Fields) -> Iterator[Item]:
    if stream == "sleep":
        yield _sleep(key, fields)
    elif stream == "exercise":
        yield _exercise(key, fields)
    elif stream == "readings":
        yield from _reading(key, fields)
    elif stream in DAILY:
        yield from _daily(stream, fields)
    elif stream in SUMS:
        yield from _sum(stream, fields)
    else:
        raise fields.bad("not a stream of google_health")


def _sleep(key: str, fields: Fields) -> Item:
    told = fields.inner("sleep.metadata")
    lasted = fields.stretch("sleep.interval.startTime", "sleep.interval.endTime", offset="sleep.interval.endUtcOffset")
    nap = told.get("nap") if isinstance(told.get("nap"), bool) else not told.get("mainSleep") and lasted.is_nap
    kind = EpisodeKind.NAP if nap else EpisodeKind.SLEEP
    return lasted.episode(kind, key, {} if told.get("processed") is False else _minutes(fields, lasted))


def _minutes(fields: Fields, lasted: Stretch) -> dict[Metric, float | None]:
    stages = _summed(fields) or _counted(fields)
    values: dict[Metric, float | None] = {
        metric: stages.get(name) for name, metric in STAGES.items() if any(stages.get(stage) for stage in STAGES)
    }
    asleep = [stages[name] for name in (*STAGES, "ASLEEP") if name in stages]
    counted = {Metric.ASLEEP: sum(asleep) if asleep else None, Metric.AWAKE: stages.get("AWAKE")}
    told = fields.measured(SLEEP, written=True)
    return values | {Metric.IN_BED: lasted.minutes} | counted | {m: v for m, v in told.items() if v is not None}


def _summed(fields: Fields) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in rows(fields.get("sleep.summary.stagesSummary")):
        stage = Fields(mapping(row), fields.name)
        name, minutes = words(stage.get("type")), stage.number("minutes", written=True)
        if name is not None and minutes is not None:
            found[name] = minutes
    return found


def _counted(fields: Fields) -> dict[str, float]:
    """Return Google's name of a stage -> minutes, summed over the sleep's segments."""
    found: dict[str, float] = defaultdict(float)
    for row in rows(fields.get("sleep.stages")):
        stage = Fields(mapping(row), fields.name)
        start, end = stage.instant("startTime"), stage.instant("endTime")
        stage.ordered(start, end)
        found[str(stage.get("type"))] += (end - start) / MINUTE
    return dict(found)


def _exercise(key: str, fields: Fields) -> Item:
    lasted = fields.stretch(
        "exercise.interval.startTime",
        "exercise.interval.endTime",
        offset="exercise.interval.startUtcOffset",
    ).on_start()
    sport = words(fields.get("exercise.exerciseType"))
    label = None if sport is None else sport.replace("_", " ").lower()
    return lasted.episode(EpisodeKind.WORKOUT, key, fields.measured(EXERCISE, written=True), label=label)


def _reading(key: str, fields: Fields) -> Iterator[Item]:
    told = fields.inner("heartRateVariability")
    at, offset = told.instant("sampleTime.physicalTime"), told.offset("sampleTime.utcOffset")
    taken = Stretch(start=at, end=None, offset=offset, day=local_date(at, offset))
    yield from taken.samples(key, {Metric.HRV_SDNN: told.number("standardDeviationMilliseconds")})


def _daily(stream: str, fields: Fields) -> Iterator[Item]:
    values = fields.measured(DAILY[stream], written=True)
    where = next(iter(DAILY[stream].values()))
    day = _date(fields, f"{str(where).partition('.')[0]}.date")
    if stream == "temperature":
        values[Metric.SKIN_TEMPERATURE_DELTA] = _difference(values[Metric.SKIN_TEMPERATURE], fields.number(DIFFERENCE))
    yield from Stretch(start=midnight(day), end=None, offset=None, day=day).samples(str(day), values)


def _difference(value: float | None, normal: float | None) -> float | None:
    return None if value is None or normal is None else value - normal


def _sum(stream: str, fields: Fields) -> Iterator[Item]:
    day = _date(fields, "civilStartTime.date")
    values = {metric: value or None for metric, value in fields.measured(SUMS[stream], written=True).items()}
    if stream == "zone_minutes" and any(values.values()):  # of a zone without minutes nothing is said
        values = {metric: value or 0.0 for metric, value in values.items()}
        values[Metric.ZONE_MINUTES] = sum(value or 0.0 for value in values.values())
    yield from Stretch(start=midnight(day), end=None, offset=None, day=day).samples(str(day), values)


def _date(fields: Fields, path: str) -> date:
    told: Mapping[str, Any] = mapping(fields.get(path))
    try:
        found = date(told["year"], told["month"], told["day"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise fields.bad(f"{path} is not a date") from None
    if found.year not in YEARS:
        raise fields.bad(f"{path} is not a date")
    return found
