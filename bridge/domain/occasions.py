"""Describe the days on which a wish holds, such as "until Friday", "in December" and "every other week"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

LAST = -1  # of the weekdays of a month
MONTHS, NTHS, WEEKS_MAX = frozenset(range(1, 13)), frozenset({LAST, 1, 2, 3, 4, 5}), 8
WEEKDAYS = frozenset(range(7))
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The days on which a wish holds, which are ``days`` of the week in ``months`` from ``since`` to ``until``.

    ``every`` n takes each n-th week from the Monday ``first``, ``nth`` the first to fifth or last (-1) such weekday of
    a month. Empty fields set no limit. Raises ValueError for values out of range or without any limit.
    """

    since: date | None = None
    until: date | None = None
    months: frozenset[int] = frozenset()
    every: int = 1
    first: date | None = None
    nth: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        weeks = self.every == 1 if self.first is None else 1 < self.every <= WEEKS_MAX and not self.first.weekday()
        ordered = self.since is None or self.until is None or self.since <= self.until
        if not (weeks and ordered and self.months < MONTHS and self.nth <= NTHS and self.days < WEEKDAYS) or not (
            self.since or self.until or self.months or self.first or self.nth or self.days
        ):
            raise ValueError("no days")

    def holds(self, day: date) -> bool:
        if (self.since is not None and day < self.since) or (self.until is not None and day > self.until):
            return False
        if self.days and day.weekday() not in self.days:
            return False
        if self.first is not None and (day - self.first) // WEEK % self.every:
            return False
        last = (day + WEEK).month != day.month
        counted = (day.day - 1) // WEEK.days + 1 in self.nth or (last and LAST in self.nth)
        return (not self.months or day.month in self.months) and (not self.nth or counted)
