"""A user's routine: bedtime and wake time, working hours, and when each action usually happens.

Clock times are minutes after midnight of a local date. A bedtime before midnight is negative, so that the sleep which
ends on a date belongs to that date: 23:00 of the evening before is -60.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from bridge.domain.slots import ZoneHistory
from rhythm_env.interface import ActionType

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """The usual main sleep that ends on a day of the week, in minutes after midnight of that date.

    ``bed_sd`` and ``wake_sd`` are standard deviations of the next such night in minutes. ``nights`` is the number of
    the user's own nights behind the figures, where older nights count less.
    """

    bed: float
    wake: float
    bed_sd: float
    wake_sd: float
    nights: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """The usual way in which a user does an action.

    ``per_week`` is the mean number of times a week, and ``minutes`` the median length. ``starts`` maps a weekday (0 is
    Monday) to the usual start in minutes after midnight, for weekdays on which the action is usual. ``names`` maps a
    weekday to the user's own word for it, such as "run", where the data has one.
    """

    per_week: float
    minutes: float
    starts: Mapping[int, float] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """A user's routine by day of the week, with 0 for Monday.

    ``nights`` has seven entries, by the weekday of waking. ``work`` has seven entries, each a tuple of spans in minutes
    after midnight; an end beyond 1440 is on the next date. ``work_known`` is False where ``work`` rests on published
    figures alone. ``habits`` holds the actions with evidence.
    """

    nights: tuple[Night, ...]
    work: tuple[tuple[tuple[float, float], ...], ...]
    work_known: bool = False
    habits: Mapping[ActionType, Habit] = field(default_factory=dict)

    def sleep_ending_on(self, day: date, zones: ZoneHistory) -> tuple[datetime, datetime]:
        """Return usual bedtime and wake time of the main sleep that ends on a date, in UTC."""
        raise NotImplementedError

    def work_on(self, day: date, zones: ZoneHistory) -> list[tuple[datetime, datetime]]:
        """Return the usual working spans that begin on a date, in UTC, ascending."""
        raise NotImplementedError
