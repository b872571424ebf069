"""Learn a user's routine: bedtime and wake time, working hours, and when each action usually happens.

Clock times are minutes after midnight of a local date. A bedtime before midnight is negative, so that a sleep belongs
to the date on which it ends. 23:00 of the evening before is -60.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneHistory
from bridge.planning.bedtimes import PRIOR_NIGHTS, Night, usual_nights
from bridge.planning.clock import MINUTES_OF_DAY, instant
from bridge.planning.habits import Habit, habits
from bridge.planning.working_hours import Span, working_week
from rhythm_env.interface import ActionType

__all__ = ["Habit", "Night", "Routine", "learn_routine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """A user's routine by weekday, with 0 for Monday.

    ``nights`` has seven entries, by the weekday of waking. ``work`` has seven entries, each a tuple of spans in minutes
    after midnight. An end beyond 1440 is on the next date. ``work_known`` is False if ``work`` is published figures
    only. ``habits`` maps an action to its habit, for actions that the data show.
    """

    nights: tuple[Night, ...]
    work: tuple[tuple[Span, ...], ...]
    work_known: bool = False
    habits: Mapping[ActionType, Habit] = field(default_factory=dict)

    def sleep_ending_on(self, day: date, zones: ZoneHistory) -> tuple[datetime, datetime]:
        """Return (bedtime, wake time) of the usual main sleep that ends on a local date, in UTC."""
        night = self.nights[day.weekday()]
        bed, wake = instant(day, night.bed, zones), instant(day, night.wake, zones)
        return bed, max(bed, wake)

    def work_on(self, day: date, zones: ZoneHistory) -> list[tuple[datetime, datetime]]:
        """Return the usual working spans that begin on a local date, as (start, end) in UTC, ascending."""
        spans = [(instant(day, start, zones), instant(day, end, zones)) for start, end in self.work[day.weekday()]]
        return [(start, end) for start, end in spans if start < end]


BESIDE_WORK = 60.0  # minutes between work and sleep


def learn_routine(known: Snapshot) -> Routine:
    """Return a user's routine, learnt from the snapshot ``known``. Without data it is that of published figures.

    With fewer than 2.5 own nights, nights that overlap the user's own working hours are moved before or after them.
    """
    work, work_known = working_week(known)
    nights = usual_nights(known)
    if work_known and nights[0].nights < PRIOR_NIGHTS:
        nights = tuple(_beside_work(night, _around_night(work, day)) for day, night in enumerate(nights))
    return Routine(nights=nights, work=work, work_known=work_known, habits=habits(known, work if work_known else ()))


def _around_night(work: tuple[tuple[Span, ...], ...], weekday: int) -> list[Span]:
    """Return the working spans of a weekday and of the day before, in minutes after the weekday's midnight.

    Spans that begin on the day before have a negative start.
    """
    before = [(start - MINUTES_OF_DAY, end - MINUTES_OF_DAY) for start, end in work[weekday - 1]]
    return [*before, *work[weekday]]


def _beside_work(night: Night, spans: list[Span]) -> Night:
    """Return a night moved away from working spans that overlap it, to an hour from work, with its length kept.

    If bedtime is in a span, the night moves after the span. If a span begins in the night, the night moves before it.
    """
    length = night.wake - night.bed
    for start, end in spans:
        if start < night.bed < end:
            night = replace(night, bed=end + BESIDE_WORK, wake=end + BESIDE_WORK + length)
        elif night.bed <= start < night.wake:
            night = replace(night, bed=start - BESIDE_WORK - length, wake=start - BESIDE_WORK)
    return night
