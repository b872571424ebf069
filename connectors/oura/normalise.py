"""Turn Oura's raw records into samples and episodes. Names and units: Oura's API v2 (OpenAPI 1.28).

A date's row of the table that Oura's page *Trends* lets a person download is read too. Its columns have been renamed
twice. Times of a night end in their offset, lengths are in seconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import utc
from connectors.oura import DAILY, NIGHT, SLEEP, SPEC, WORKOUT
from connectors.oura.files import TRENDS
from connectors.payload import SECONDS, Fields, Table, mapping, quarter_hours_in, words

NO_SLEEP = ("rest", "deleted")  # lying still, and what the person has taken back
NAPS = ("sleep", "late_nap")
EPISODE_OF_TYPE = {"long_sleep": EpisodeKind.SLEEP} | dict.fromkeys(NAPS, EpisodeKind.NAP) | dict.fromkeys(NO_SLEEP)
MINDFUL = frozenset({"breathing", "meditation", "relaxation"})


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    """Return the samples and episodes of a raw record. Raises BadRecord, which names the unreadable field, never its
    value.
    """
    return list(_items(record.stream, record.key, Fields.of(SPEC.name, record)))


def _items(stream: str, key: str, fields: Fields) -> Iterator[Item]:
    if stream == "sleep":
        yield from _sleep(key, fields)
    elif stream in DAILY:
        yield from _daily(key, fields, DAILY[stream])
    elif stream == "heartrate":  # dated in UTC: the local day follows from where the person lives
        readings = _saved(fields) if fields.get("rates") else fields.readings("data", at="timestamp", value="bpm")
        yield from quarter_hours_in(fields.zone("zone"), Metric.HEART_RATE, readings)
    elif stream == TRENDS:
        yield from items(key, fields)
    elif stream == "workout":
        yield from _workout(key, fields)
    elif stream == "session":
        yield from _session(key, fields)
    else:
        raise fields.bad("not a stream of oura")


def _saved(fields: Fields) -> Iterator[tuple[datetime, float]]:
    """Yield (instant, rate) of a day's heart rates from files, which are kept by their times.

    A heart rate without a readable time or number is left out.
    """
    for told, rate in sorted(mapping(fields.get("rates")).items()):
        at, bpm = utc(told), finite(rate)
        if at is not None and bpm is not None:
            yield at, bpm


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    kind = fields.choice("type", EPISODE_OF_TYPE)
    if kind is not None:
        night = fields.stretch("bedtime_start", "bedtime_end", day="day")
        yield night.episode(kind, key, fields.measured(SLEEP))
        yield from night.samples(key, fields.measured(NIGHT) if kind is EpisodeKind.SLEEP else {})


def _daily(key: str, fields: Fields, table: Table) -> Iterator[Item]:
    """Yield the scores and totals of a day as samples, from the fields in ``table``.

    A day with 0 steps and no active energy yields nothing, because the ring was not worn. Oura always states the date,
    but not always when the day began.
    """
    values = fields.measured(table)
    if values.get(Metric.STEPS) != 0 or values.get(Metric.ACTIVE_ENERGY):  # a ring in a drawer counts 0: no measurement
        yield from fields.civil_day("day", "timestamp").samples(key, values)


def _workout(key: str, fields: Fields) -> Iterator[Item]:
    lasted = fields.stretch("start_datetime", "end_datetime", by_end=False)
    yield lasted.episode(EpisodeKind.WORKOUT, key, fields.measured(WORKOUT), label=words(fields.get("activity")))


def _session(key: str, fields: Fields) -> Iterator[Item]:
    if words(fields.get("type")) in MINDFUL:
        lasted = fields.stretch("start_datetime", "end_datetime", by_end=False)
        yield from lasted.samples(key, {Metric.MINDFUL: lasted.minutes})


ONE = Fraction(1)
Columns = Mapping[Metric, tuple[tuple[str, ...], Fraction]]  # metric -> names of its column, factor
NIGHT_COLUMNS: Columns = {
    Metric.ASLEEP: (("total sleep duration", "total sleep time"), SECONDS),
    Metric.IN_BED: (("total bedtime", "total bedtime duration", "time in bed"), SECONDS),
    Metric.AWAKE: (("awake time", "awake duration"), SECONDS),
    Metric.LIGHT_SLEEP: (("light sleep duration", "light sleep time"), SECONDS),
    Metric.DEEP_SLEEP: (("deep sleep duration", "deep sleep time"), SECONDS),
    Metric.REM_SLEEP: (("rem sleep duration", "rem sleep time"), SECONDS),
    Metric.SLEEP_EFFICIENCY: (("sleep efficiency",), ONE),
}
BODY: Columns = {
    Metric.HRV_RMSSD: (("average hrv",), ONE),
    Metric.RESTING_HR: (("lowest resting heart rate",), ONE),
    Metric.RESPIRATORY_RATE: (("respiratory rate",), ONE),
}
SCORES: Columns = {
    Metric.SLEEP_SCORE: (("sleep score",), ONE),
    Metric.RECOVERY_SCORE: (("readiness score",), ONE),
    Metric.SKIN_TEMPERATURE_DELTA: (("temperature deviation (°c)", "temperature deviation"), ONE),
}
ACTIVITY_COLUMNS: Columns = {
    Metric.STEPS: (("steps",), ONE),
    Metric.ACTIVE_ENERGY: (("activity burn",), ONE),
    Metric.TOTAL_ENERGY: (("total burn",), ONE),
}


def items(key: str, fields: Fields) -> Iterator[Item]:
    """Yield the night, the scores and the day's activity of a row as an episode and samples.

    A row without times of the night yields no night. A day with neither steps nor active energy, spent without the
    ring, yields no activity. Raises BadRecord for an unreadable date or time.
    """
    if fields.get("bedtime start") is not None and fields.get("bedtime end") is not None:
        night = fields.stretch("bedtime start", "bedtime end")
        yield night.episode(EpisodeKind.SLEEP, key, _measured(fields, NIGHT_COLUMNS))
        yield from night.samples(key, _measured(fields, BODY))
    day = fields.civil_day("date", "")
    yield from day.samples(f"{key}/scores", _measured(fields, SCORES))
    activity = _measured(fields, ACTIVITY_COLUMNS)
    if activity.get(Metric.STEPS) or activity.get(Metric.ACTIVE_ENERGY):
        yield from day.samples(f"{key}/activity", activity)


def _measured(fields: Fields, columns: Columns) -> dict[Metric, float | None]:
    return {
        metric: next((value for name in names if (value := fields.number(name, factor)) is not None), None)
        for metric, (names, factor) in columns.items()
    }
