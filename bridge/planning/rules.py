"""Define the rules of the ten actions: the hours in which each makes sense, lengths and pauses.

The hours and lengths are our choice where no source is named. A function of a day and an action returns the stretches
of that day that allow the action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from bridge.calendar.busy import Stretch
from bridge.domain.facts import Fact, fact, length
from bridge.domain.types import Occurrence
from bridge.planning.situation import NAP_SHORT
from bridge.planning.waking_day import FREE_FROM, HOUR, MINUTE, OFFICE_WORK, TIRING, Day, without
from rhythm_env.interface import ActionType

BEFORE_BED = timedelta(minutes=90)  # from so long before the usual bedtime on, going to bed is suggested
NAP_FROM, NAP_UNTIL = timedelta(hours=13), timedelta(hours=15)  # after midnight; later naps delay the night's sleep
SPORT_UNTIL = timedelta(hours=21)  # after midnight, for its end
BEFORE_SHIFT, SHIFT = timedelta(hours=5), timedelta(hours=6)  # without sport; and its least length
DAY_SLEEP = timedelta(hours=12)  # after midnight; a sleep that ends later was in the daytime
REST_AFTER_SPORT = timedelta(minutes=45)  # to wash and to get away
OFFICE_END = timedelta(hours=17)
AFTER_DINNER = timedelta(hours=19)
RESTS = frozenset({ActionType.MEDITATE, ActionType.ME_TIME})
AFTERNOON = timedelta(hours=13)
ILL_COMPANY_UNTIL = timedelta(hours=20)  # after midnight
FIGHTING = fact("ill")


Windows = Callable[[Day, ActionType], list[Stretch]]  # the stretches of a day that allow an action


def _usual(day: Day, action: ActionType, around: timedelta) -> list[Stretch]:
    """Return the user's usual stretch of an action on this weekday, widened by ``around`` at both ends, in a list.

    The list is empty if no start is usual on this weekday.
    """
    habit = day.situation.routine.habits.get(action)
    start = None if habit is None else habit.starts.get(day.date.weekday())
    if habit is None or start is None:
        return []
    at = day.midnight + start * MINUTE
    return [(at - around, at + habit.minutes * MINUTE + around)]


def _work(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches that allow work: working hours, and the user's usual hours of this action.

    They end by 17:00, or by the end of the date's last entry of work if that is later.
    """
    shown = [
        o.end for o, label in day.situation.entries if label.action in OFFICE_WORK and day.wake < o.start < day.bed
    ]
    end = max([day.since(OFFICE_END), *shown])
    return [(low, min(high, end)) for low, high in (*day.work, *_usual(day, action, HOUR))]


def _learning(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches outside of work that allow learning.

    They lie between an hour after waking, on free days also 10:00, and 90 minutes before bedtime. The user's usual time
    of learning is added with an hour at both ends, even during work.
    """
    low, high = day.awake(HOUR, BEFORE_BED)
    low = low if day.work else max(low, day.since(FREE_FROM))
    return [*(day.off_work((low, high)) if low < high else []), *_usual(day, action, HOUR)]


def _exercise(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches outside of work that allow exercise, from an hour after waking.

    They end two hours before bedtime (Stutz 2019) and by 21:00. They keep out of a late shift and the five hours
    before. The user's usual time of exercise is added with an hour at both ends, without these limits. A user who is
    too tired (``_too_tired``) gets none.
    """
    if _too_tired(day) is not None:
        return []
    low, high = day.awake(HOUR, 2 * HOUR)
    shifts = [(o.start - BEFORE_SHIFT, o.end) for o, _ in day.entries if o.end - o.start >= SHIFT and _is_late(day, o)]
    free = without([(low, min(high, day.since(SPORT_UNTIL)))] if low < high else [], [*day.work, *shifts])
    return [*free, *_usual(day, action, HOUR)]


def _too_tired(day: Day) -> Fact | None:
    """Return why the user is too tired for exercise on a day, or None if nothing says so.

    The body is ill, tiring entries take 8.5 hours or more, or the day's sleep ended after 12:00. On today's date, a
    night that was an hour shorter than usual counts too.
    """
    if day.situation.body.ill:
        return FIGHTING
    short = day.situation.short_of_sleep if day.date == day.situation.date_of(day.situation.now) else None
    if short is not None and short >= NAP_SHORT:
        return fact("short_night", length=length(short / MINUTE))
    if day.wake > day.since(DAY_SLEEP):
        return fact("slept_until", time=day.situation.local(day.wake))
    strained = day.strained(day.bed)
    if strained < TIRING:
        return None
    return fact("tiring_day", length=length(strained / MINUTE))


def _is_late(day: Day, occurrence: Occurrence) -> bool:
    return occurrence.start >= day.since(OFFICE_END)


def _company(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches that allow company.

    The first begins after work, an hour after waking and at 10:00, whichever is latest. It ends 90 minutes before
    bedtime, which may lie before its begin, and then nothing fits. The user's usual time of the action outside of work
    is added with an hour at both ends. For a user who is ill, all end by 20:00.
    """
    low, high = day.awake(HOUR, BEFORE_BED)
    low = max(low, day.since(FREE_FROM))
    after = max((end for _, end in day.work), default=low)
    usual = [part for stretch in _usual(day, action, HOUR) for part in day.off_work(stretch)]
    found = [(max(low, after), high), *usual]
    if not day.situation.body.ill:
        return found
    return [(start, min(end, day.since(ILL_COMPANY_UNTIL))) for start, end in found]


def _own_time(day: Day, _action: ActionType) -> list[Stretch]:
    """Return the stretches outside of work that allow time for oneself.

    They lie between an hour after waking and an hour before bedtime.
    """
    return day.off_work(day.awake(HOUR, HOUR))


def _quiet(day: Day, _action: ActionType) -> list[Stretch]:
    """Return the stretch that allows meditation: from 30 minutes after waking until an hour before bedtime."""
    return [day.awake(timedelta(minutes=30), HOUR)]


def _screen(day: Day, _action: ActionType) -> list[Stretch]:
    """Return the stretch that allows watching series: after work, until an hour before bedtime.

    It begins at 19:00 or later on working days, and at 13:00 or later on free days. It also begins an hour or more
    after waking. Its end may lie before its begin, and then nothing fits.
    """
    low, high = day.awake(HOUR, HOUR)
    since = max((end for _, end in day.work), default=day.since(AFTERNOON))
    return [(max(low, since, day.since(AFTER_DINNER if day.work else AFTERNOON)), high)]


def _nap(day: Day, _action: ActionType) -> list[Stretch]:
    """Return the stretches that allow a nap: today from 13:00 to 15:00, after a night that was an hour too short.

    Too short is an hour less than usual. They begin four hours or more after waking. They lie outside of working hours,
    unless the user works at home.
    """
    short = day.situation.short_of_sleep
    if short is None or short < NAP_SHORT or day.date != day.situation.date_of(day.situation.now):
        return []
    low = max(day.since(NAP_FROM), day.wake + 4 * HOUR)
    return without([(low, day.since(NAP_UNTIL))], [] if day.at_home else day.work)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The limits on suggesting an action.

    ``usual``, ``least`` and ``most`` are lengths. ``notice`` is the least time from advice to start, and ``after`` is
    kept free after the action. All five are in minutes. ``again`` is how many hours must pass until the action may be
    suggested again. ``latest`` is the latest start, in hours after midnight. ``windows`` returns the stretches of a day
    that allow the action. ``otherwise`` is the reason against the action when no window is left, unless ``tired`` gives
    the reason of the day.
    """

    usual: int
    least: int
    most: int
    notice: int
    again: float
    after: int
    latest: float
    windows: Windows
    otherwise: Fact
    tired: Callable[[Day], Fact | None] | None = None

    def against(self, day: Day) -> Fact:
        """Return the reason against an action for which a day has no window."""
        return (None if self.tired is None else self.tired(day)) or self.otherwise


RULES: Mapping[ActionType, Rule] = MappingProxyType(
    {
        ActionType.DEEP_WORK: Rule(
            usual=90,
            least=45,
            most=120,
            notice=5,
            again=3,
            after=0,
            latest=20,
            windows=_work,
            otherwise=fact("no_working_time"),
        ),
        ActionType.ADMIN_WORK: Rule(
            usual=30,
            least=15,
            most=60,
            notice=5,
            again=4,
            after=0,
            latest=20,
            windows=_work,
            otherwise=fact("no_working_time"),
        ),
        ActionType.LEARN: Rule(
            usual=45,
            least=20,
            most=90,
            notice=5,
            again=10,
            after=0,
            latest=19.5,
            windows=_learning,
            otherwise=fact("late_or_work"),
        ),
        ActionType.SLEEP: Rule(
            usual=20,
            least=15,
            most=30,
            notice=5,
            again=20,
            after=0,
            latest=15,
            windows=_nap,
            otherwise=fact("bedtime_far"),
        ),
        ActionType.EXERCISE: Rule(
            usual=45,
            least=30,
            most=90,
            notice=30,
            again=16,
            after=45,
            latest=20,
            windows=_exercise,
            otherwise=fact("no_sport_now"),
            tired=_too_tired,
        ),
        ActionType.MEDITATE: Rule(
            usual=10,
            least=5,
            most=30,
            notice=5,
            again=11,
            after=5,
            latest=22,
            windows=_quiet,
            otherwise=fact("hours_of_sleep"),
        ),
        ActionType.FAMILY_TIME: Rule(
            usual=60,
            least=30,
            most=180,
            notice=30,
            again=10,
            after=0,
            latest=19.5,
            windows=_company,
            otherwise=fact("no_company_now"),
        ),
        ActionType.SOCIALIZE: Rule(
            usual=90,
            least=45,
            most=240,
            notice=120,
            again=20,
            after=20,
            latest=19,
            windows=_company,
            otherwise=fact("no_company_now"),
        ),
        ActionType.ME_TIME: Rule(
            usual=45,
            least=20,
            most=120,
            notice=5,
            again=8,
            after=0,
            latest=20,
            windows=_own_time,
            otherwise=fact("work_time"),
        ),
        ActionType.BINGE_WATCH: Rule(
            usual=60,
            least=45,
            most=120,
            notice=5,
            again=20,
            after=0,
            latest=21,
            windows=_screen,
            otherwise=fact("no_series_now"),
        ),
    }
)
