"""A person's own experiment, which compares days drawn at random for trying something with the other days."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby

TEXT_MAX = 200  # characters
WEEKS = range(2, 27)
CHANCE = 0.5  # with which each day is drawn to be with the change
DAY, WEEK = timedelta(days=1), 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A person's trial of something for ``weeks`` weeks from ``start``. ``seed`` determines the random choice of days.

    ``kept`` maps a date to True if the person followed the draw on it. ``stopped`` is the first date that no longer
    counts.
    """

    id: int
    text: str
    outcome: str
    start: date
    weeks: int
    seed: str
    kept: Mapping[date, bool] = field(default_factory=dict)
    stopped: date | None = None

    @property
    def end(self) -> date:
        """The first date after the trial."""
        return min(self.start + self.weeks * WEEK * DAY, self.stopped or date.max)

    def arms(self) -> dict[date, bool]:
        """Return date -> True if the person should try it on that date, for the dates before ``end``."""
        drawn = draw(self.seed, self.weeks)
        found = {self.start + number * DAY: arm for number, arm in enumerate(drawn)}
        return {day: arm for day, arm in found.items() if day < self.end}

    def blocks(self) -> Iterator[list[date]]:
        """Yield groups of dates drawn together, which are the same weekday of two successive weeks.

        If the number of weeks is odd, the last groups hold the weekday of three weeks.
        """
        days = sorted(self.arms(), key=lambda day: (*_block((day - self.start) // DAY, self.weeks), day))
        for _, block in groupby(days, key=lambda day: _block((day - self.start) // DAY, self.weeks)):
            yield list(block)


def draw(seed: str, weeks: int) -> list[bool]:
    """Return a bool for each day of a trial, True for the days on which the person should do what the trial tests.

    Of each weekday in two successive weeks, one day is True. Of the last three weeks of an odd number, one or two are.

    >>> days = draw("0f", 4)
    >>> sum(days), all(days[day] != days[day + 7] for day in range(7))
    (14, True)
    """
    rng = random.Random(seed)
    arms = [False] * (weeks * WEEK)
    numbers = sorted(range(len(arms)), key=lambda number: _block(number, weeks))
    for _, of in groupby(numbers, key=lambda number: _block(number, weeks)):
        block = list(of)
        odd, arm = rng.choice(block), rng.random() < CHANCE
        for number in block:
            arms[number] = arm is (number == odd)
    return arms


def _block(number: int, weeks: int) -> tuple[int, int]:
    return min(number // WEEK // 2, weeks // 2 - 1), number % WEEK
