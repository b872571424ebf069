"""Read a date's row of the table that Oura's page *Trends* lets a person download.

The columns have been renamed twice. Times of a night end in their offset, lengths are in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from bridge.domain.metrics import Metric
from bridge.domain.types import EpisodeKind, Item
from connectors.payload import SECONDS, Fields

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

    A row without times of the night yields no night. A day with 0 steps and no activity, spent without the ring, yields
    no activity. Raises BadRecord for an unreadable date or time.
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
