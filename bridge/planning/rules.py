"""The waking day, and the rules of the ten actions: hours in which each makes sense, lengths and pauses.

The hours and lengths are our choice where no source is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from types import MappingProxyType

from bridge import calendar
from bridge.calendar import Stretch
from bridge.planning.situation import Situation
from rhythm_env.interface import ActionType

MINUTE, HOUR, A_DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BEFORE_BED = timedelta(minutes=90)  # from so long before the usual bedtime on, going to bed is suggested
NAP_FROM, NAP_UNTIL = timedelta(hours=11), timedelta(hours=15)  # after midnight; later naps delay the night's sleep
NAP_SHORT = timedelta(hours=1)  # a night so much shorter than usual calls for a nap
LUNCH = (timedelta(hours=11, minutes=30), timedelta(hours=14))  # hours of a working day for exercise
COMPANY_FROM = timedelta(hours=10)  # after midnight, on free days
MEALS = (  # after midnight
    (timedelta(hours=12, minutes=30), timedelta(hours=13)),
    (timedelta(hours=19), timedelta(hours=19, minutes=30)),
)
REST_AFTER_SPORT = timedelta(minutes=40)  # to wash and to get away
EVENING = OFFICE_END = timedelta(hours=17)
WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
AFTERNOON = timedelta(hours=13)


@dataclass(frozen=True, kw_only=True)
class Day:
    """The waking day that holds an instant, between two sleeps."""

    situation: Situation
    date: date

    @cached_property
    def wake(self) -> datetime:
        return self.situation.sleep(self.date)[1]

    @cached_property
    def bed(self) -> datetime:
        return self.situation.sleep(self.date + A_DAY)[0]

    @cached_property
    def midnight(self) -> datetime:
        return calendar.midnight(self.date, self.situation.known.zones)

    @cached_property
    def work(self) -> list[Stretch]:
        """The working spans of the day."""
        return self.situation.work(self.date)

    @property
    def meals(self) -> list[Stretch]:
        """The times of day that are left for lunch and dinner."""
        return [(self.since(begin), self.since(end)) for begin, end in MEALS]

    def awake(self, after: timedelta, before: timedelta) -> Stretch:
        """Return the waking hours, without ``after`` from waking on and ``before`` until bedtime."""
        return self.wake + after, self.bed - before

    def off_work(self, stretch: Stretch) -> list[Stretch]:
        """Return the parts of a stretch outside of working hours."""
        return without([stretch], self.work)

    def since(self, after_midnight: timedelta) -> datetime:
        """Return an hour of the date."""
        return self.midnight + after_midnight


def without(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return disjoint stretches without the parts that others take, ascending."""
    left: list[Stretch] = []
    for low, high in stretches:
        at = low
        for start, end in calendar.clipped(calendar.merged(taken), low, high):
            if at < start:
                left.append((at, start))
            at = end
        if at < high:
            left.append((at, high))
    return left


def day_of(situation: Situation, at: datetime) -> Day:
    """Return the waking day of an instant: the next one from the middle of a sleep on."""
    day = situation.date_of(at)
    bed, wake = situation.sleep(day)
    if at < bed or (at < wake and at < bed + (wake - bed) / 2):
        return Day(situation=situation, date=day - A_DAY)
    return Day(situation=situation, date=day)


Windows = Callable[[Day, ActionType], list[Stretch]]


def _usual(day: Day, action: ActionType, around: timedelta) -> list[Stretch]:
    """Return the time around the user's usual start of an action on this weekday."""
    habit = day.situation.routine.habits.get(action)
    start = None if habit is None else habit.starts.get(day.date.weekday())
    if habit is None or start is None:
        return []
    at = day.midnight + start * MINUTE
    return [(at - around, at + habit.minutes * MINUTE + around)]


def _work(day: Day, action: ActionType) -> list[Stretch]:
    """Allow work in working hours and where the user usually works, until the last entry of work on this date ends."""
    shown = [o.end for o, label in day.situation.entries if label.action in WORK and day.wake < o.start < day.bed]
    end = max([day.since(OFFICE_END), *shown])
    return [(low, min(high, end)) for low, high in (*day.work, *_usual(day, action, HOUR))]


def _learning(day: Day, action: ActionType) -> list[Stretch]:
    """Allow learning outside of working hours, and where the user usually learns."""
    return [*day.off_work(day.awake(HOUR, BEFORE_BED)), *_usual(day, action, HOUR)]


def _exercise(day: Day, action: ActionType) -> list[Stretch]:
    """Allow exercise outside of working hours and at lunch, and end it two hours before bed (Stutz 2019)."""
    low, high = day.awake(timedelta(minutes=20), 2 * HOUR)
    lunch = (max(day.since(LUNCH[0]), low), min(day.since(LUNCH[1]), high))
    return [*day.off_work((low, high)), *([lunch] if lunch[0] < lunch[1] else []), *_usual(day, action, HOUR)]


def _company(day: Day, action: ActionType) -> list[Stretch]:
    """Allow company outside of working hours: on working days after work, on free days from ten."""
    low, high = day.awake(HOUR, HOUR)
    low = max(low, day.since(COMPANY_FROM))
    after = max((end for _, end in day.work), default=low)
    usual = [part for stretch in _usual(day, action, HOUR) for part in day.off_work(stretch)]
    return [(max(low, after), high), *usual]


def _own_time(day: Day, _action: ActionType) -> list[Stretch]:
    """Allow time of one's own outside of working hours."""
    return day.off_work(day.awake(HOUR, timedelta(minutes=30)))


def _quiet(day: Day, _action: ActionType) -> list[Stretch]:
    """Allow meditation at any waking hour."""
    return [day.awake(timedelta(minutes=15), timedelta(minutes=10))]


def _screen(day: Day, _action: ActionType) -> list[Stretch]:
    """Allow series in the evening, on free days from the afternoon on, and not just before bed."""
    low, high = day.awake(HOUR, HOUR)
    since = max((end for _, end in day.work), default=day.since(AFTERNOON))
    return [(max(low, since, day.since(EVENING if day.work else AFTERNOON)), high)]


def _nap(day: Day, _action: ActionType) -> list[Stretch]:
    """Allow a nap before 15:00 after a clearly short night."""
    short = day.situation.short_of_sleep
    if short is None or short < NAP_SHORT or day.date != day.situation.date_of(day.situation.now):
        return []
    low = max(day.since(NAP_FROM), day.wake + 4 * HOUR)
    return without([(low, day.since(NAP_UNTIL))], day.work)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Limits of a suggestion: lengths and notice in minutes, hours until the action may be suggested again,
    and minutes kept free after it."""

    usual: int
    least: int
    most: int
    notice: int
    again: float
    after: int  # minutes kept free after it
    windows: Windows
    otherwise: str  # the reason when no window is left


RULES: Mapping[ActionType, Rule] = MappingProxyType(
    {
        ActionType.DEEP_WORK: Rule(
            usual=90, least=45, most=120, notice=5, again=3, after=0, windows=_work, otherwise="it is no working time"
        ),
        ActionType.ADMIN_WORK: Rule(
            usual=30, least=15, most=60, notice=5, again=4, after=0, windows=_work, otherwise="it is no working time"
        ),
        ActionType.LEARN: Rule(
            usual=45,
            least=20,
            most=90,
            notice=5,
            again=5,
            after=0,
            windows=_learning,
            otherwise="it is too late or work time",
        ),
        ActionType.SLEEP: Rule(
            usual=25, least=20, most=30, notice=5, again=20, after=0, windows=_nap, otherwise="bedtime is not near"
        ),
        ActionType.EXERCISE: Rule(
            usual=45,
            least=30,
            most=90,
            notice=15,
            again=16,
            after=20,
            windows=_exercise,
            otherwise="it is too near to bedtime",
        ),
        ActionType.MEDITATE: Rule(
            usual=10,
            least=5,
            most=30,
            notice=5,
            again=11,
            after=0,
            windows=_quiet,
            otherwise="these are hours of sleep",
        ),
        ActionType.FAMILY_TIME: Rule(
            usual=90,
            least=30,
            most=180,
            notice=15,
            again=10,
            after=0,
            windows=_company,
            otherwise="it is no time for company",
        ),
        ActionType.SOCIALIZE: Rule(
            usual=120,
            least=45,
            most=240,
            notice=60,
            again=20,
            after=20,
            windows=_company,
            otherwise="it is no time for company",
        ),
        ActionType.ME_TIME: Rule(
            usual=45, least=20, most=120, notice=5, again=8, after=0, windows=_own_time, otherwise="it is work time"
        ),
        ActionType.BINGE_WATCH: Rule(
            usual=90,
            least=45,
            most=120,
            notice=5,
            again=20,
            after=0,
            windows=_screen,
            otherwise="it is no time for series",
        ),
    }
)
