"""The product's meters, computed from what the product would have known of a cohort's person.

Rows become samples and episodes, these a ``Snapshot``, and ``read_at`` computes the meters at the time of each report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from bridge.domain.metrics import Metric
from bridge.domain.records import ProxyMap, Snapshot
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Episode, EpisodeKind, Reading, Sample
from bridge.meters import Past, read_at
from lab.validation.cohort import DAY, Day, Person
from rhythm_env.interface import Meter

SOURCE = "cohort"
CLOCK = (ZoneSpan(since=datetime(2000, 1, 1, tzinfo=UTC), zone="UTC"),)  # wall clock times are written as UTC
BLOCK = 14  # days read from one index of the past, which looks back far enough for the first of them
IN_BED = timedelta(hours=8)  # of a night without times, equal for all, so that none is off the usual
SPOTS = 3  # daytime readings the meters ask for before they take a day's SDNN; a table's figure is made of many
OF_THE_SLEEP = {
    "asleep_min": Metric.ASLEEP,
    "in_bed_min": Metric.IN_BED,
    "awake_min": Metric.AWAKE,
    "deep_min": Metric.DEEP_SLEEP,
    "light_min": Metric.LIGHT_SLEEP,
    "rem_min": Metric.REM_SLEEP,
    "vendor_sleep_score": Metric.SLEEP_SCORE,
}
OF_THE_NIGHT = {
    "hrv_rmssd_ms": Metric.HRV_RMSSD,
    "resting_hr_bpm": Metric.RESTING_HR,
    "stress_fitbit": Metric.STRESS_MANAGEMENT,
}
OF_THE_DAY = {"steps": Metric.STEPS, "stress_garmin": Metric.DAILY_STRESS}


def readings(person: Person, proxies: ProxyMap) -> list[Mapping[Meter, Reading]]:
    """Return the five meters at the time of each report of a person. ``proxies`` tells how to compute them."""
    found: list[Mapping[Meter, Reading]] = []
    samples, episodes = _known(person.days)
    for _, days in groupby(person.asked, key=lambda day: day.date.toordinal() // BLOCK):
        moments = [day.asked for day in days]
        past = Past(Snapshot(at=max(moments), zones=CLOCK, samples=samples, episodes=episodes, proxies=proxies))
        found += [read_at(past, moment) for moment in moments]
    return found


def _known(days: Sequence[Day]) -> tuple[list[tuple[str, Sample]], list[tuple[str, Episode]]]:
    samples = [(SOURCE, sample) for day in days for sample in _samples(day)]
    return samples, [(SOURCE, episode) for day in days for episode in nights(day)]


def nights(day: Day) -> Iterator[Episode]:
    """Yield the night that ended on a day in the product's form, if any of its values is known."""
    values = {metric: day.values[name] for name, metric in OF_THE_SLEEP.items() if name in day.values}
    if values:
        yield Episode(
            key=f"{day.date}", kind=EpisodeKind.SLEEP, start=_began(day), end=day.woke, day=day.date, values=values
        )


def _samples(day: Day) -> Iterator[Sample]:
    for name, metric in OF_THE_NIGHT.items():
        if name in day.values:
            yield _sample(day, metric, day.values[name], (_began(day), day.woke))
    for name, metric in OF_THE_DAY.items():
        if name in day.values:
            yield _sample(day, metric, day.values[name], (day.midnight, day.midnight + DAY))
    if "hrv_sdnn_ms" in day.values:
        for spot in range(SPOTS):
            yield _sample(day, Metric.HRV_SDNN, day.values["hrv_sdnn_ms"], (day.woke, day.woke), spot)


def _sample(day: Day, metric: Metric, value: float, when: tuple[datetime, datetime], spot: int = 0) -> Sample:
    start, end = when
    return Sample(key=f"{metric}/{day.date}/{spot}", metric=metric, start=start, end=end, day=day.date, value=value)


def _began(day: Day) -> datetime:
    return day.onset if day.onset is not None and day.wake is not None else day.woke - IN_BED
