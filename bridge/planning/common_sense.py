"""Common sense about the ten actions: when each of them can be suggested, for how long, and why not otherwise.

The hours and lengths are our choice where no source is named. A user's wishes come first, then the calendar, then the
routine, then this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from types import MappingProxyType

from bridge import calendar
from bridge.calendar import COMPANY, Stretch
from bridge.domain.slots import moment_at
from bridge.domain.types import Label, Occurrence
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
UNFED = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN, ActionType.EXERCISE})  # over no meal
REST_AFTER_SPORT = timedelta(minutes=40)  # to wash and to get away
END_BEFORE_BED = timedelta(minutes=45)  # for anything but quiet
EVENING = OFFICE_END = timedelta(hours=17)
WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
AFTERNOON = timedelta(hours=13)
REPEATS_MAX = 3  # of the last seven days on which one kind of slot may get the same action
WEEKLY_MAX = 4  # days of the last seven on which the same action may be suggested at all
WEEK = timedelta(days=7)
LEAST_REST = timedelta(minutes=30)  # of sleep that is still worth suggesting
KEEP = frozenset(ActionType) - {ActionType.ADMIN_WORK, ActionType.BINGE_WATCH}  # entries that are worth keeping
KEEP_LENGTHS = (timedelta(minutes=5), timedelta(hours=12))  # of an entry that is an activity of a day
MEAL_MAX = timedelta(minutes=75)
SURE = 0.5  # confidence in an entry's label from which its action counts as planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An action at a time. ``kind`` is suggested, keep or sleep, and ``what`` names the entry or usual activity."""

    action: ActionType
    kind: str
    start: datetime
    end: datetime
    what: str | None = None
    usual: bool = False  # at the hour at which the user usually does it
    until: datetime | None = None  # end of the free gap


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
    """How an action is suggested: lengths in minutes, notice in minutes, hours until it may be suggested again,
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


def options(situation: Situation, span: Stretch) -> tuple[dict[ActionType, Option], dict[ActionType, str]]:
    """Return the actions that make sense in a span of time, each at its place, and the reasons against all others.

    A suggestion starts within the span. It may end later, as long as its gap and its window allow.
    """
    day = day_of(situation, span[0])
    found: dict[ActionType, Option] = {}
    held: dict[ActionType, str] = {}
    for action in ActionType:
        option = _option(day, action, span)
        if isinstance(option, Option):
            found[action] = option
        else:
            held[action] = option
    return found, held


def _option(day: Day, action: ActionType, span: Stretch) -> Option | str:
    """Return the place of an action in a span, or the reason against it."""
    wishes = day.situation.wishes
    if action in wishes.never:
        return "you asked never to be advised it"
    planned = planned_entry(day.situation, action, span)
    if planned is not None:
        return _kept(action, planned)
    if action is ActionType.SLEEP and (night := _night(day, span)) is not None:
        return night
    why = _against(day, action, span)
    return _placed(day, action, span) if why is None else why


def _kept(action: ActionType, occurrence: Occurrence) -> Option:
    title = None if occurrence.event.private else occurrence.event.title
    return Option(action=action, kind="keep", start=occurrence.start, end=occurrence.end, what=title)


def planned_entry(situation: Situation, action: ActionType, span: Stretch) -> Occurrence | None:
    """Return the first entry of an action worth keeping that starts or goes on in a span, or None."""
    if action not in KEEP:
        return None
    for occurrence, label in situation.entries:
        if not is_own(situation, occurrence, label):
            continue
        inside = occurrence.start < span[1] and occurrence.end > span[0] + 15 * MINUTE
        if inside and label.action is action:
            return occurrence
    return None


def is_own(situation: Situation, occurrence: Occurrence, label: Label) -> bool:
    """Tell if an entry is something of one's own that is worth keeping: no meeting at work, and no meal."""
    if label.action not in KEEP or label.confidence < SURE or not calendar.takes_time(occurrence.event):
        return False
    if not KEEP_LENGTHS[0] <= occurrence.end - occurrence.start <= KEEP_LENGTHS[1]:
        return False
    if label.action in COMPANY:
        at_work = calendar.clipped(
            situation.work(situation.date_of(occurrence.start)), occurrence.start, occurrence.end
        )
        return not (at_work and occurrence.event.others)
    return not (label.action is ActionType.ME_TIME and is_meal(situation, occurrence))


def is_meal(situation: Situation, occurrence: Occurrence) -> bool:
    """Tell if a short entry is at lunchtime."""
    midnight = calendar.midnight(situation.date_of(occurrence.start), situation.known.zones)
    at_noon = midnight + LUNCH[0] <= occurrence.start < midnight + LUNCH[1]
    return at_noon and occurrence.end - occurrence.start <= MEAL_MAX


def _night(day: Day, span: Stretch) -> Option | None:
    """Return the night's sleep if the span begins during it, or at most 90 minutes before it."""
    for date_ in (day.date, day.date + A_DAY):
        bed, wake = day.situation.sleep(date_)
        start = max(rounded_up(span[0]), bed)
        free = not calendar.clipped(day.situation.attended, start, wake)
        if bed - BEFORE_BED <= span[0] < wake - LEAST_REST and start < wake - LEAST_REST and free:
            return Option(action=ActionType.SLEEP, kind="sleep", start=start, end=wake)
    return None


def _against(day: Day, action: ActionType, span: Stretch) -> str | None:
    """Return the reason against suggesting an action in a span, apart from gaps, or None."""
    return (
        _planned_later(day, action, span)
        or _done_lately(day.situation, action, span[0])
        or _said_too_often(day.situation, action, span[0])
    )


def _planned_later(day: Day, action: ActionType, span: Stretch) -> str | None:
    """Return that the action is planned later on the same day."""
    later = planned_entry(day.situation, action, (span[1], day.bed))
    return None if later is None else f"it is planned at {day.situation.clock(later.start)}"


def _done_lately(situation: Situation, action: ActionType, at: datetime) -> str | None:
    """Return that the action was done, or suggested, too short a time ago."""
    since = at - RULES[action].again * HOUR
    if any(since < o.end <= at and _is(o, label, action) for o, label in situation.entries):
        return "you had it a few hours ago"
    if action is ActionType.EXERCISE and (
        done := [e for e in situation.workouts(situation.date_of(at)) if e.end > since]
    ):
        return f"you trained at {situation.clock(done[-1].start)}"
    if any(
        since < one.created_at < at
        and one.action is action
        and one.kind != "keep"
        and moment_at(one.created_at, situation.known.zones) != moment_at(at, situation.known.zones)
        for one in situation.advised
    ):
        return "it was suggested a few hours ago"
    if any(
        action is said and since < end and start < at + RULES[action].again * HOUR
        for said, start, end in situation.previewed
    ):
        return "it is suggested at another hour of the day"
    return None


def _is(occurrence: Occurrence, label: Label, action: ActionType) -> bool:
    return label.action is action and label.confidence >= SURE and calendar.takes_time(occurrence.event)


def _said_too_often(situation: Situation, action: ActionType, at: datetime) -> str | None:
    """Return that the action came too often in the last seven days, unless it is routine or a goal."""
    day = situation.date_of(at)
    habit = situation.routine.habits.get(action)
    if action in situation.wishes.goals or (habit is not None and day.weekday() in habit.starts):
        return None
    slot = moment_at(at, situation.known.zones).slot
    recent = [
        one.moment
        for one in situation.advised
        if one.action is action and one.kind == "suggested" and at - one.created_at < WEEK and one.moment.date != day
    ]
    if len({moment.date for moment in recent}) >= WEEKLY_MAX:
        return f"it was suggested {WEEKLY_MAX} times this week"
    same = {moment.date for moment in recent if moment.slot is slot}
    return f"{slot.name.lower()}s had it {REPEATS_MAX} times this week" if len(same) >= REPEATS_MAX else None


def _placed(day: Day, action: ActionType, span: Stretch) -> Option | str:
    """Return the place of a suggestion in a free gap, or the reason why there is none."""
    rule, situation = RULES[action], day.situation
    late = day.bed if action in (ActionType.MEDITATE, ActionType.SLEEP) else day.bed - END_BEFORE_BED
    windows = calendar.clipped(calendar.merged(w for w in rule.windows(day, action) if w[0] < w[1]), day.wake, late)
    if not calendar.clipped(windows, *span):
        return rule.otherwise
    if action in situation.wishes.hours:
        windows = _common(windows, _wished(day, action))
        if not calendar.clipped(windows, *span):
            return "it is outside the hours that you set"
    least, usual = _lengths(day, action)
    start_at = rounded_up(
        max(span[0], situation.now + (rule.notice * MINUTE if span[0] <= situation.now else 0 * MINUTE))
    )
    busy = [*situation.busy, *day.meals] if action in UNFED else situation.busy
    places = [
        (rounded_up(low), high)
        for window in calendar.clipped(windows, start_at, span[1] + 6 * HOUR)
        for low, high in _with_time_after(without([window], busy), window[1], rule.after * MINUTE)
    ]
    fitting = [(low, high) for low, high in places if low < span[1] and high - low >= least]
    if not fitting:
        return f"there is no free gap of {least // MINUTE} minutes"
    return _best(day, action, fitting, usual, span)


def _with_time_after(gaps: Sequence[Stretch], until: datetime, after: timedelta) -> list[Stretch]:
    """Return gaps without the time that is needed before the next entry. ``until`` is the end of the window."""
    return [(low, high if high == until else high - after) for low, high in gaps]


def _lengths(day: Day, action: ActionType) -> tuple[timedelta, timedelta]:
    """Return the least length by the rule, and the usual length.

    The usual length is the user's own within the bounds of the rule, where it is known.
    """
    rule, habit = RULES[action], day.situation.routine.habits.get(action)
    own = rule.usual if habit is None else round(habit.minutes / 5) * 5
    usual = min(max(own, rule.least), rule.most)
    return rule.least * MINUTE, usual * MINUTE


def _wished(day: Day, action: ActionType) -> list[Stretch]:
    """Return the hours of the date, and of the night after it, that the user set for an action."""
    found: list[Stretch] = []
    for begin, end in day.situation.wishes.hours[action]:
        low = day.midnight + begin.hour * HOUR + begin.minute * MINUTE
        high = day.midnight + end.hour * HOUR + end.minute * MINUTE
        found.append((low, high if high > low else high + A_DAY))
    return calendar.merged(found)


def _common(some: Sequence[Stretch], others: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts that two lists of disjoint stretches share."""
    return [part for low, high in some for part in calendar.clipped(others, low, high)]


def _best(day: Day, action: ActionType, places: Sequence[Stretch], usual: timedelta, span: Stretch) -> Option:
    """Return the place at the user's usual hour, else the first that is long enough, else the longest."""
    habit = day.situation.routine.habits.get(action)
    hour = None if habit is None else habit.starts.get(day.date.weekday())
    own = None if hour is None else rounded_up(day.midnight + hour * MINUTE)
    name = None if habit is None or own is None else habit.names.get(day.date.weekday())
    for low, high in places:
        if own is not None and low <= own < span[1] and own + usual <= high:
            return Option(
                action=action, kind="suggested", start=own, end=own + usual, what=name, usual=True, until=high
            )
    low, high = next((p for p in places if p[1] - p[0] >= usual), max(places, key=lambda p: p[1] - p[0]))
    end = min(low + usual, high)
    length = (end - low) // (5 * MINUTE) * (5 * MINUTE)
    return Option(action=action, kind="suggested", start=low, end=low + length, until=high)


def rounded_up(at: datetime) -> datetime:
    """Round up to the next five minutes."""
    over = timedelta(minutes=at.minute % 5, seconds=at.second, microseconds=at.microsecond)
    return at + (5 * MINUTE - over if over else over)
