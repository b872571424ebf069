"""The made-up person's days and nights, which all exports of a life share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

UNWORN = 0.05  # share of days on which the watch stays in its charger
CHARGING = (20 * 60, 21 * 60 + 30)  # minutes after midnight, on most days


@dataclass(frozen=True, slots=True)
class Night:
    """A night in bed from ``start`` to ``end`` in Unix seconds. ``worn`` is True if the watch was on."""

    start: int
    end: int
    zone: str
    worn: bool


@dataclass(frozen=True)
class Life:
    """A life at ``home`` (an IANA zone), whose events depend only on ``seed`` and the date."""

    seed: int
    home: str
    travels: bool = True
    other: bool = True  # another maker's app is in use, in some months
    pause: int = 1  # how many times longer than usual between two measurements of what is measured all day
    itinerary: Itinerary = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "itinerary", Itinerary(self.seed, self.home, self.travels))

    @lru_cache(maxsize=256)  # noqa: B019 - a life is short, and few are led
    def day(self, day: date) -> Day:
        return self.itinerary.day(day)

    @lru_cache(maxsize=256)  # noqa: B019
    def night(self, waking: date) -> Night:
        """Return the night that ends on a date."""
        rng = dice(self.seed, "night", waking)
        zone = self.day(waking).morning
        late = 40 if waking.weekday() >= 5 else 0
        start = instant(waking, -45 + late + rng.gauss(0, 35), zone)
        end = instant(waking, 415 + late + rng.gauss(0, 30), zone)
        return Night(start, end, zone, worn=rng.random() > 0.1)

    def bedtime(self, day: Day) -> int:
        return self.night(day.date + timedelta(days=1)).start

    def has_other(self, day: date) -> bool:
        return self.other and dice(self.seed, "other", day.toordinal() // BLOCK).random() < 0.5

    @lru_cache(maxsize=256)  # noqa: B019
    def _off(self, day: Day) -> tuple[int, int]:
        rng = dice(self.seed, "worn", day.text)
        if rng.random() < UNWORN:
            return day.start - 7200, day.end + 7200
        shift = rng.randint(-60, 30)
        return tuple(instant(day.date, minutes + shift, day.evening) for minutes in CHARGING)  # type: ignore[return-value]

    def worn(self, day: Day, at: int) -> bool:
        off, on = self._off(day)
        return not off <= at <= on

    def idle(self, day: Day) -> bool:
        """Return True if the watch was in its charger all day."""
        off, on = self._off(day)
        return on - off > 86_400 / 2


PLACES = ("America/New_York", "Asia/Tokyo", "America/Los_Angeles", "Asia/Kolkata", "Europe/London", "Europe/Berlin")
BLOCK = 30  # days; a journey begins and ends within one, so that two exports of one life agree on it
LEAST_SHARED = 12 * 3600  # seconds for which it must be the same date here and there


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A civil date as lived by the person, ``start`` to ``end`` in Unix seconds, which journeys lengthen or shorten."""

    date: date
    start: int
    end: int
    morning: str  # the IANA zone the person woke in
    evening: str  # and the one they went to bed in
    switch: int  # Unix seconds from which the evening's zone is valid

    @property
    def text(self) -> str:
        return self.date.isoformat()

    @property
    def travels(self) -> bool:
        return self.morning != self.evening

    def zone(self, at: int) -> str:
        return self.morning if at < self.switch else self.evening


def dice(seed: int, *about: object) -> random.Random:
    """Return a random generator seeded by ``seed`` and ``about``, so that it is equal in every export of a life."""
    return random.Random("/".join(map(str, (seed, *about))))


def instant(day: date, minutes: float, zone: str) -> int:
    """Return Unix seconds of a local time, given in minutes after midnight, which may be negative or over 1,440."""
    whole, left = divmod(round(minutes * 60), 86_400)
    wall = datetime.combine(day + timedelta(days=whole), time(), ZoneInfo(zone)) + timedelta(seconds=left)
    return int(wall.timestamp())


@lru_cache(maxsize=65_536)
def _offset(quarter: int, zone: str) -> int:
    moved = datetime.fromtimestamp(quarter * 900, UTC).astimezone(ZoneInfo(zone)).utcoffset()
    return int((moved or timedelta(0)).total_seconds())


def offset(at: int, zone: str) -> int:
    """Return a zone's offset from UTC in seconds, positive to the east, at an instant in Unix seconds."""
    return _offset(at // 900, zone)


@dataclass(frozen=True, slots=True)
class Itinerary:
    """A person's zone by date. In about every second BLOCK of days the person spends some days away from ``home``."""

    seed: int
    home: str
    travels: bool = True

    def days(self, first: date, count: int) -> Iterator[Day]:
        for number in range(count):
            yield self.day(first + timedelta(days=number))

    def day(self, day: date) -> Day:
        morning, evening = self._asleep_in(day), self._asleep_in(day + timedelta(days=1))
        start, end = instant(day, 0, morning), instant(day + timedelta(days=1), 0, evening)
        low, high = _shared(day, morning, evening)
        switch = (low + high) // 2 if morning != evening else start
        return Day(date=day, start=start, end=end, morning=morning, evening=evening, switch=switch)

    def _asleep_in(self, waking: date) -> str:
        if not self.travels:
            return self.home
        block, into = divmod(waking.toordinal(), BLOCK)
        rng = dice(self.seed, "journey", block)
        if rng.random() < 0.5:
            return self.home
        leaves, nights, place = rng.randint(3, 12), rng.randint(2, 12), rng.choice(PLACES)
        low, high = _shared(waking, self.home, place)
        return place if leaves < into <= leaves + nights and high - low >= LEAST_SHARED else self.home


def _shared(day: date, one: str, other: str) -> tuple[int, int]:
    """Return the Unix seconds between which it is the date ``day`` in both zones."""
    following = day + timedelta(days=1)
    low = max(instant(day, 0, one), instant(day, 0, other))
    return low, min(instant(following, 0, one), instant(following, 0, other))
