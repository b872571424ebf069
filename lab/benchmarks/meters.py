"""Measure the meters over a year, an observation, and the memory for ten years.

Run ``python -m lab.benchmarks.meters``. The made-up person has nights from a band and six calendar entries a day.
Stress is the mean of each slot, and in a second run a value per quarter of an hour. The bound is the time in which
Python reads every value once.
"""

from __future__ import annotations

import random
import tracemalloc
from datetime import UTC, date, datetime, timedelta
from functools import partial

from bridge import registry
from bridge.advice.observation import observe
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneSpan, moment_at, slot_start
from bridge.domain.types import Episode, EpisodeKind, Event, Label, Occurrence, Sample
from bridge.meters import read_slots
from lab.benchmarks.figures import best
from rhythm_env.interface import ActionType

ZONES = (ZoneSpan(since=datetime(2000, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
LAST = date(2026, 11, 20)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
LOOK_BACK = 81  # days before the first reading that it rests on
SOURCE = "garmin"
SLOTS, QUARTERS = 4, 96  # of a day


def life(days: int, *, last: date = LAST, seed: int = 1, a_day: int = SLOTS) -> Snapshot:
    """Return ``days`` days of a made-up person until the evening of ``last``, with ``a_day`` values of stress each."""
    rng = random.Random(f"{seed}/{last}")
    dates = [last - k * DAY for k in range(days)]
    return Snapshot(
        at=_at(last, 19),
        zones=ZONES,
        samples=[(SOURCE, sample) for day in dates for sample in _samples(day, rng, a_day)],
        episodes=[(SOURCE, _night(day, rng)) for day in dates],
        agenda=[entry for day in reversed(dates) for entry in _entries(day, rng)],
        rmssd_errors=registry.rmssd_errors(),
    )


def _at(day: date, hour: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + hour * HOUR


def _night(day: date, rng: random.Random) -> Episode:
    asleep = rng.gauss(430, 50)
    values = {Metric.ASLEEP: asleep, Metric.DEEP_SLEEP: 0.17 * asleep, Metric.SLEEP_SCORE: rng.uniform(60, 95)}
    return Episode(
        key=f"night/{day}",
        kind=EpisodeKind.SLEEP,
        start=_at(day, -2),
        end=_at(day, 6),
        offset=60,
        day=day,
        values=values,
    )


def _samples(day: date, rng: random.Random, a_day: int) -> list[Sample]:
    nightly = {
        Metric.HRV_RMSSD: rng.gauss(45, 6),
        Metric.RESTING_HR: rng.gauss(55, 2),
        Metric.STEPS: rng.gauss(8000, 900),
    }
    found = [
        Sample(key=f"{metric}/{day}", metric=metric, start=_at(day, -2), end=_at(day, 6), day=day, value=value)
        for metric, value in nightly.items()
    ]
    every = 24 / a_day
    stretches = (_at(day, n * every) for n in range(a_day))
    return found + [
        Sample(
            key=f"stress/{at}",
            metric=Metric.STRESS,
            start=at,
            end=at + every * HOUR,
            day=day,
            value=rng.uniform(10, 70),
        )
        for at in stretches
    ]


def _entries(day: date, rng: random.Random) -> list[tuple[Occurrence, Label]]:
    found = []
    for hour in sorted(rng.sample(range(7, 21), 6)):
        event = Event(key=f"{day}/{hour}", calendar="c", start=_at(day, hour), end=_at(day, hour + 1), others=hour % 3)
        label = Label(action=rng.choice(list(ActionType)), confidence=1.0, by="made-up@1", why="made up")
        found.append((Occurrence(key=event.key, event=event, start=_at(day, hour), end=_at(day, hour + 1)), label))
    return found


def starts(known: Snapshot, days: int) -> list[datetime]:
    """Return the starts of the slots of the last ``days`` days."""
    now = moment_at(known.at, ZONES)
    return [slot_start(now.shifted(-back), ZONES) for back in range(4 * days - 1, -1, -1)]


def look_at(known: Snapshot) -> float:
    """Return the sum of all values, as the bound that the meters' time is compared with."""
    total = sum(sample.value for _, sample in known.samples)
    total += sum(sum(episode.values.values()) for _, episode in known.episodes)
    return total + sum((o.end - o.start) / HOUR for o, _ in known.agenda)


def peak(years: int) -> float:
    """Return the peak memory in MiB while ``years`` years of meters are computed a quarter of a year at a time."""
    tracemalloc.start()
    for quarter in range(4 * years):
        last = LAST - 91 * quarter * DAY
        known = life(91 + LOOK_BACK, last=last)
        read_slots(known, starts(known, 91))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def main() -> None:
    for a_day, name in ((SLOTS, "stress by slot"), (QUARTERS, "by quarter of an hour")):
        year = life(365 + LOOK_BACK, a_day=a_day)
        slots = starts(year, 365)
        bound = best(partial(look_at, year))
        took = best(partial(read_slots, year, slots))
        print(
            f"{name}: a year, {len(slots)} slots, five meters {took:6.3f} s, {took / bound:6.1f} times one look at it"
        )
        took = best(partial(observe, year))
        print(f"{name}: one observation on it {1000 * took:8.1f} ms, {took / bound:6.1f} times the same")
    one, ten = peak(1), peak(10)
    print(f"memory at the most, one and ten years: {one:6.1f} and {ten:.1f} MiB, {ten / one:5.2f} times")


if __name__ == "__main__":
    main()
