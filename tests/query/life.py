"""A life of three weeks that can be read at a glance, and an installation that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from bridge.installation import Bridge, open_bridge
from bridge.query.answer import answer
from bridge.query.answered import Answer
from bridge.query.parse import Words, query_of
from bridge.query.rows import load_tables
from tests.query.wearer import NOW, land

BERLIN = ZoneInfo("Europe/Berlin")
FIRST = date(2025, 12, 22)  # a Monday
DAYS, DAY = 21, timedelta(days=1)
BEDS = ("22:30", "23:30", "00:30", "01:15", "23:00", "00:00", "12:30")  # by weekday of waking; the last by day
WAKES = ("06:30", "07:00", "07:30", "09:15", "12:30", "08:00", "18:30")
# Day number -> (sport as told, begin, minutes, distance, ascent).
WORKOUTS: dict[int, Sequence[tuple[str, str, int, float, float | None]]] = {
    0: [("Run", "07:00", 30, 5_000, 40)],
    1: [("running", "18:00", 60, 10_000, 120), ("HKWorkoutActivityTypeYoga", "20:00", 45, 0, None)],
    5: [("Outdoor Bike", "09:00", 90, 30_000, 300)],
    9: [("Ride", "23:30", 60, 20_000, 10)],
    13: [("Kiting", "10:00", 120, 8_000, None)],
}


def steps(n: int) -> float:
    """Steps of a day number: 1,000 more each day."""
    return 1_000.0 * (n + 1)


def at(day: date, clock: str) -> datetime:
    """An instant by the clock in Berlin."""
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=BERLIN).astimezone(UTC)


def life() -> Iterator[Item]:
    """Steps on each day but the fourth, nights with deep sleep of 60 to 80 minutes, some workouts and sessions."""
    for clock, minutes in (("08:00", 10.0), ("20:00", 20.0)):
        start, key = at(FIRST, clock), f"mindful/{clock}"
        yield Sample(key=key, metric=Metric.MINDFUL, start=start, day=FIRST, value=minutes)
    for clock, rate, count, high in (("08:00", 60.0, 1, None), ("20:00", 80.0, 3, 95.0)):
        start, key = at(FIRST, clock), f"heart_rate/{clock}"
        yield Sample(key=key, metric=Metric.HEART_RATE, start=start, day=FIRST, value=rate, count=count, high=high)
    for n in range(DAYS):
        day = FIRST + timedelta(days=n)
        if n != 3:
            yield Sample(key=f"steps/{n}", metric=Metric.STEPS, start=at(day, "00:00"), day=day, value=steps(n))
        bed, wake = BEDS[n % 7], WAKES[n % 7]
        evening = day - timedelta(days=1) if bed > "20:00" else day
        start, end = at(evening, bed), at(day, wake)
        values = {Metric.ASLEEP: (end - start) / timedelta(minutes=1) - 30, Metric.DEEP_SLEEP: 60.0 + n}
        yield episode(f"night/{n}", EpisodeKind.SLEEP, start, end, values)
        for begin in WORKOUTS.get(n, ()):
            sport, clock, minutes, distance, ascent = begin
            told = {Metric.DISTANCE: distance, Metric.ASCENT: ascent}
            figures = {metric: value for metric, value in told.items() if value is not None}
            start = at(day, clock)
            yield episode(
                f"workout/{n}/{clock}", EpisodeKind.WORKOUT, start, start + timedelta(minutes=minutes), figures, sport
            )


def episode(
    key: str, kind: EpisodeKind, start: datetime, end: datetime, values: dict[Metric, float], label: str | None = None
) -> Episode:
    """A night or workout on the day of its end or begin."""
    day = (end if kind is EpisodeKind.SLEEP else start).astimezone(BERLIN).date()
    return Episode(key=key, kind=kind, start=start, end=end, offset=60, day=day, values=values, label=label)


@pytest.fixture
def lived(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bridge, User]]:
    """An installation that holds this life."""
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with ExitStack() as stack:
        bridge = stack.enter_context(open_bridge())
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=900))
        land(bridge.store, user, list(life()))
        yield bridge, bridge.person("ana", at=NOW)


def ask(lived: tuple[Bridge, User], what: str, *where: str, **words: str | int) -> Answer:
    """The answer to a question."""
    query = query_of(Words(what=what, where=where, **words))
    return answer(query, load_tables(*lived, query, now=NOW))
