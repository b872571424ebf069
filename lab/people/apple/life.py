"""The made-up person's hidden life by day. All exports of a life agree as far as they reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from lab.people.apple.itinerary import BLOCK, Day, Itinerary, dice, instant

UNWORN = 0.05  # share of days on which the watch stays in its charger
CHARGING = (20 * 60, 21 * 60 + 30)  # minutes after midnight, on most days


@dataclass(frozen=True, slots=True)
class Night:
    """A night in bed from ``start`` to ``end``. ``worn`` means with the watch on."""

    start: int
    end: int
    zone: str
    worn: bool


@dataclass(frozen=True)
class Life:
    """A life at ``home``. Its events depend on ``seed`` and the date alone."""

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
        """The night that ends on a date."""
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
        """The watch was in its charger all day."""
        off, on = self._off(day)
        return on - off > 86_400 / 2
