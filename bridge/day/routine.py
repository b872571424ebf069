"""Learn a user's routine: bedtime, wake time, working hours, and the usual times of each action.

Clock times are minutes after midnight of a local date. A bedtime before midnight is negative.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from operator import attrgetter
from statistics import median, median_low

from bridge.calendar.busy import NO_TIME, clipped, length, merged, takes_time
from bridge.calendar.flights import is_journey
from bridge.calendar.kinds import SURE
from bridge.calendar.plans import COMPANY
from bridge.day.sleep import PRIOR_NIGHTS, TO_BED, Rests, UsualNight, nights_and_odd
from bridge.day.typical import DAY, MINUTE, MINUTES_OF_DAY, clock, instant, sure
from bridge.day.work import OFFICE_WEEK, Span, Week, working_week
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Episode, EpisodeKind, Occurrence, Response, Sample
from bridge.domain.wishes import NightWish
from bridge.meters.overlaps import ended_whole
from rhythm_env.interface import ActionType

WEEKS = 6  # of a weekday's last days
TIMES, NEARLY = 2, 0.5  # of those days that make a start usual; and what unsure labels may lack of it
RECENT = 3  # of the entries with a name that tell its usual start; our choice
SETTLED_TIMES, SETTLED_WEEKS = 4, 3  # of doing something that make it usual; our choice
BESIDE_WORK, SHIFT = 60.0, 240.0  # minutes between work and sleep; of work that moves a night which is not known
EARLIEST_WEEK = 7 * DAY  # with less data a week is assumed, so that a single time is once a week
AROUND = 60.0  # minutes by which a usual start varies
SLACK = timedelta(minutes=30)  # between the calendar's time and the measured time of the same thing
LONGEST, LONGEST_TRIP = timedelta(hours=16), timedelta(days=14)
LEAST_WISHED, NOON = timedelta(hours=4), 12  # of a night that a wish may leave; hour from which a bedtime is of the eve
LONGEST_WISHED = timedelta(hours=12)  # "up by 15:00", which is said of sleep by day, makes no night of 15 hours
LIKELY = 0.5  # trust in a label from which an all-day entry counts as the last time
LONGEST_NAP = timedelta(hours=2)  # a longer sleep in the calendar is a night
NAME_LENGTH = 60
NUMBER = re.compile(r"( ?\([^()]*\)|[ #:.,-]+\d+)$")  # or brackets at the end of a title
SIGNS = re.compile(r"^[^\w(]+|[^\w)!?+.]+$")  # around it
NO_SPORT = frozenset({"activity", "workout", "other", "generic", "unknown", "exercise", "sport"})  # a watch's own guess
GUESSED = 0.5  # trust in a workout without the name of a sport
LUNCH, LUNCH_MAX = (690, 840), timedelta(minutes=75)  # minutes after midnight in which a short entry is a meal
SLEPT_OVER = 0.5  # share of an entry; these figures are our choice
BESIDE, COMES_IN = timedelta(hours=1), timedelta(hours=3)  # of an entry of sport: its workout; until that is known
SHOWN_LEAST, SHOWN_SHARE = 2, 0.5  # of the entries of sport, from which a watch would have shown another
RECORDED_LEAST, LATELY = 12, timedelta(days=28)  # workouts, three a week, of who wears the watch for sport
UP_BEFORE, LATE = timedelta(minutes=20), timedelta(minutes=10)  # sport, at the least; after a begin that is slept over
LATE_FOR = timedelta(hours=4)  # the longest entry that one does not come late to


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """The usual way in which a user does an action: times a week, median minutes, and ``starts`` by weekday.

    ``starts`` are minutes after midnight. ``names`` are the user's own words. ``last_sport`` may be empty. ``lasts``
    are the last times by name, ``times`` how many are known.
    """

    per_week: float
    minutes: float
    starts: Mapping[int, float] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    last: datetime | None = None
    last_sport: str = ""
    lasts: Mapping[str, datetime] = field(default_factory=dict)
    settled: bool = False
    times: float = TIMES

    def without(self, weekday: int) -> Habit:
        """Return the habit with no usual time on a weekday."""
        starts, names = dict(self.starts), dict(self.names)
        starts.pop(weekday, None)
        names.pop(weekday, None)
        return replace(self, starts=starts, names=names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deed:
    """A time of an action, from the calendar or ``measured``. ``trust`` is the probability that it happened."""

    start: datetime
    end: datetime
    measured: bool
    action: ActionType
    day: date
    minute: float  # of the start by the user's clock
    name: str
    trust: float = 1.0


_in_order = attrgetter(*(one.name for one in fields(_Deed)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """A user's routine by weekday, with 0 for Monday. Times are in minutes, beyond 1440 on the next date.

    ``nights`` are by the weekday of waking. ``until`` is set if they are old: the day of the last one.
    Unless ``work_known``, working hours are published figures.
    """

    nights: tuple[UsualNight, ...]
    work: Week
    work_known: bool = False
    habits: Mapping[ActionType, Habit] = field(default_factory=dict)
    odd: frozenset[date] = frozenset()  # dates of recorded nights that say nothing of others
    until: date | None = None

    @property
    def told_habits(self) -> Mapping[ActionType, Habit]:
        """The habits without what was done once."""
        return {action: one for action, one in self.habits.items() if one.times >= TIMES - NEARLY}

    def sleep_ending_on(self, day: date, zones: ZoneHistory) -> tuple[datetime, datetime]:
        """Return (bedtime, wake time) of the usual main sleep that ends on a local date, in UTC.

        It has its length even where a move to another zone leaves out all of its hours.
        """
        return ending_on(day, self.nights[day.weekday()], zones)

    def work_on(self, day: date, zones: ZoneHistory) -> list[tuple[datetime, datetime]]:
        """Return the usual working spans that begin on a local date, as (start, end) in UTC, ascending."""
        spans = [(instant(day, start, zones), instant(day, end, zones)) for start, end in self.work[day.weekday()]]
        return [(start, end) for start, end in spans if start < end]


def ending_on(day: date, night: UsualNight, zones: ZoneHistory) -> tuple[datetime, datetime]:
    """Return (bedtime, wake time) of a usual night that ends on a date, by the clock of that date."""
    bed, wake = instant(day, night.bed, zones), instant(day, night.wake, zones)
    return bed, wake if bed < wake else bed + (night.wake - night.bed) * MINUTE


def wished_sleep(
    usual: tuple[datetime, datetime], wish: NightWish, day: date, zones: ZoneHistory
) -> tuple[datetime, datetime]:
    """Return the (bedtime, wake time) of the sleep that ends on a date, changed from the usual as wished."""
    bed, wake = usual
    bed = bed if wish.bed is None else in_the_night(wish.bed, day, zones)
    bed = bed if wish.earliest is None else max(bed, in_the_night(wish.earliest, day, zones))
    by = wake if wish.up is None else _at(wish.up, day, zones)
    wake = wake if by - bed > max(LONGEST_WISHED, wake - bed) else by
    wake = wake if wish.rest is None else max(wake, _at(wish.rest, day, zones))
    missing = (
        timedelta(0) if wish.minutes is None else max(timedelta(minutes=wish.minutes) - (wake - bed), timedelta(0))
    )
    if wish.earliest is None:
        bed -= missing
    elif wish.up is None:
        wake += missing
    return bed, max(wake, bed + LEAST_WISHED) if wish != NightWish() else wake


def not_against(
    night: tuple[datetime, datetime], moved: str | None, wish: NightWish, day: date, zones: ZoneHistory
) -> tuple[tuple[datetime, datetime], str | None]:
    """Return a night that the calendar moved, moved back as far as a wish demands, and what moved it.

    An entry that ends by the wished bedtime does not move it. A wish that leaves too little of the night is ignored.
    """
    bed, wake = night
    by = bed if wish.bed is None else in_the_night(wish.bed, day, zones)
    if moved == "late_entry" and by < bed <= by + TO_BED:
        bed, moved = by, None
    late = bed if wish.earliest is None else max(bed, in_the_night(wish.earliest, day, zones))
    bed = late if wake - late >= LEAST_WISHED else bed
    up = wake if wish.up is None else min(wake, _at(wish.up, day, zones))
    return (bed, up if up - bed >= LEAST_WISHED else wake), moved


def _at(clock_time: time, day: date, zones: ZoneHistory) -> datetime:
    return instant(day, clock_time.hour * 60 + clock_time.minute, zones)


def in_the_night(clock_time: time, day: date, zones: ZoneHistory) -> datetime:
    return _at(clock_time, day - DAY if clock_time.hour >= NOON else day, zones)


def learn_routine(known: Snapshot) -> Routine:
    """Return a user's routine, learnt from ``known``, and without data that of published figures."""
    return known.once("routine", lambda: _learnt(known))


def _learnt(known: Snapshot) -> Routine:
    week, (nights, odd) = working_week(known), nights_and_odd(known)
    if week is not None and nights[0].nights < PRIOR_NIGHTS:
        nights = tuple(_beside_work(night, week[day - 1], week[day]) for day, night in enumerate(nights))
    own = habits(known, week or ())
    return Routine(nights=nights, work=week or OFFICE_WEEK, work_known=week is not None, odd=odd, habits=own)


def _beside_work(night: UsualNight, eve: Sequence[Span], day: Sequence[Span]) -> UsualNight:
    """Return a night of the same length, moved to leave an hour between it and the work shifts before and after it."""
    length = night.wake - night.bed
    around = (*((start - MINUTES_OF_DAY, end - MINUTES_OF_DAY) for start, end in eve), *day)
    for start, end in (one for one in around if one[1] - one[0] >= SHIFT):
        if start < night.bed < end or night.bed <= start < night.wake:
            bed = end + BESIDE_WORK if start < night.bed else start - BESIDE_WORK - length
            night = replace(night, bed=bed, wake=bed + length, rests=Rests.CALENDAR)
    return night


def habits(known: Snapshot, work: Week = ()) -> dict[ActionType, Habit]:
    """Return each action's habit. Company within the working hours ``work`` counts as work and not as a habit."""
    since = known.at - WEEKS * EARLIEST_WEEK
    found = sorted(
        [deed for deed in _deeds(known, work) if since <= deed.start and deed.end <= known.at], key=_in_order
    )
    if not found:
        return {}
    begun = min([found[0].start, *(o.start for o, _ in known.agenda[:1]), *[one.start for _, one in known.episodes]])
    weeks = (known.at - max(begun, since)) / EARLIEST_WEEK
    by_action = {action: _once([one for one in found if one.action is action]) for action in ActionType}
    whole = _whole_days(known)
    return {action: _habit(deeds, max(weeks, 1.0), whole.get(action)) for action, deeds in by_action.items() if deeds}


def _whole_days(known: Snapshot) -> dict[ActionType, datetime]:
    found: dict[ActionType, datetime] = {}
    for one, label in known.agenda:
        event = one.event
        if event.first_day is None or event.cancelled or event.response is Response.DECLINED or event.kind in NO_TIME:
            continue
        short = one.start <= known.at and one.end - one.start <= LONGEST_TRIP
        if short and label.action is not None and sure(label) >= LIKELY:
            end = min(one.end, known.at)
            found[label.action] = max(end, found.get(label.action, end))
    return found


def _habit(deeds: Sequence[_Deed], weeks: float, whole_day: datetime | None) -> Habit:
    usual = {weekday: _usual([deed for deed in deeds if deed.day.weekday() == weekday]) for weekday in range(7)}
    latest, times = max(deeds, key=attrgetter("end")), _times(deeds)
    named = {weekday: _name(of) for weekday, of in usual.items()}
    return Habit(
        per_week=times / weeks,
        minutes=median([(deed.end - deed.start) / MINUTE for deed in deeds]),
        starts={weekday: _start(of, named[weekday]) for weekday, of in usual.items() if of},
        names={weekday: name for weekday, name in named.items() if name},
        last=max(latest.end, whole_day or latest.end),
        lasts={deed.name: deed.end for deed in sorted(deeds, key=attrgetter("end")) if deed.name},
        last_sport=latest.name if latest.measured and (whole_day is None or whole_day <= latest.end) else "",
        times=times,
        settled=times >= SETTLED_TIMES - NEARLY
        and len({deed.day.isocalendar()[:2] for deed in deeds}) >= SETTLED_WEEKS,
    )


def _times(deeds: Iterable[_Deed]) -> float:
    return sum([deed.trust for deed in deeds])


def _usual(deeds: Sequence[_Deed]) -> list[_Deed]:
    """Return an action's times in the two hours of the day that have most of them, or none if few or uncertain."""
    best, most = list[_Deed](), 0
    for first in sorted(deeds, key=attrgetter("minute")):
        near = [deed for deed in deeds if first.minute <= deed.minute <= first.minute + 2 * AROUND]
        dates = len({one.day for one in near})
        best, most = (near, dates) if dates > most else (best, most)
    return best if most >= TIMES and _times(best) >= TIMES - NEARLY else []


def _start(deeds: Sequence[_Deed], name: str) -> float:
    """Return the usual start of near times: that of one of the latest entries with their name, if there are any."""
    own = [deed for deed in deeds if not deed.measured and deed.name.casefold() == name.casefold()] if name else []
    latest = sorted(own, key=attrgetter("start"))[-RECENT:]
    return median_low([one.minute for one in latest]) if latest else median([deed.minute for deed in deeds])


def _name(deeds: Sequence[_Deed]) -> str:
    spelt = Counter([deed.name for deed in deeds if deed.name])
    words = Counter([deed.name.casefold() for deed in deeds if deed.name])
    word, count = min(words.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    if count < TIMES:
        return ""
    return min((-count, name) for name, count in spelt.items() if name.casefold() == word)[1]


def _once(deeds: Sequence[_Deed]) -> list[_Deed]:
    """Return an action's times in order. An entry of the calendar counts before its recording."""
    kept: list[_Deed] = []
    for deed in sorted(deeds, key=attrgetter("measured")):
        slack = SLACK if deed.measured else timedelta(0)
        low, high = deed.start - slack, deed.end + slack
        if not [other for other in kept if low < other.end and other.start < high]:
            kept.append(deed)
    return sorted(kept, key=_in_order)


def _deeds(known: Snapshot, work: Week) -> Iterator[_Deed]:
    yield from _in_calendar(known, work)
    for _, episode in ended_whole(known):
        if episode.kind is not EpisodeKind.SLEEP and episode.start < episode.end:
            nap = episode.kind is EpisodeKind.NAP
            action, name = (ActionType.SLEEP, "") if nap else (ActionType.EXERCISE, sport_name(episode.label or ""))
            deed = _measured(known, episode, episode.end, action, name)
            yield replace(deed, trust=GUESSED) if episode.label and not (nap or name) else deed
    for _, sample in known.samples:
        if sample.metric is Metric.MINDFUL and sample.end is not None and sample.start < sample.end:
            yield _measured(known, sample, sample.end, ActionType.MEDITATE)


def _measured(known: Snapshot, row: Episode | Sample, end: datetime, action: ActionType, name: str = "") -> _Deed:
    day, minute = clock(row.start, known.zones, row.offset)
    return _Deed(start=row.start, end=end, measured=True, action=action, day=day, minute=minute, name=name)


def _in_calendar(known: Snapshot, work: Week) -> Iterator[_Deed]:
    """Yield an action's times from calendar entries, without missed or very long ones, meals, and colleagues."""
    words, since, unseen = dict[str, str](), known.at - WEEKS * EARLIEST_WEEK, missed(known)
    for occurrence, label in known.agenda:
        if not since <= occurrence.start or occurrence.end > known.at or occurrence.key in unseen:
            continue
        event, length = occurrence.event, occurrence.end - occurrence.start
        longest = LONGEST_NAP if label.action is ActionType.SLEEP else LONGEST
        if label.action is None or not timedelta(0) < length <= longest:
            continue
        if takes_time(event) and not event.kind.startswith("advice:"):
            day, minute = clock(occurrence.start, known.zones)
            if label.action is ActionType.ME_TIME and LUNCH[0] <= minute < LUNCH[1] and length <= LUNCH_MAX:
                continue
            if label.action in COMPANY and event.others and _at_work(work, day.weekday(), minute, length):
                continue
            title = "" if event.private or event.title is None else event.title
            name = words[title] if title in words else words.setdefault(title, name_of(title))
            yield _Deed(
                start=occurrence.start,
                end=occurrence.end,
                measured=False,
                action=label.action,
                day=day,
                minute=minute,
                name=name,
                trust=sure(label),
            )


def _at_work(work: Week, weekday: int, minute: float, length: timedelta) -> bool:
    spans = work[weekday] if work else ()
    return bool(spans) and minute < spans[-1][1] and minute + length / MINUTE > spans[0][0]


def name_of(title: str) -> str:
    """Return a title of at most 60 characters without a number or brackets at its end and signs around it.

    >>> name_of("  Yoga   #12"), name_of("Yoga (week 3)"), name_of("🏃 Run!"), name_of("(Run)"), name_of("1:1")
    ('Yoga', 'Yoga', 'Run!', '(Run)', '1:1')
    """
    plain = " ".join(title[: 4 * NAME_LENGTH].split())
    bare = SIGNS.sub("", NUMBER.sub("", plain))
    return (plain if not bare or bare.isdigit() else bare)[:NAME_LENGTH]


def sport_name(label: str) -> str:
    """Return a vendor's name of a sport in lower case and separate words.

    >>> sport_name("HKWorkoutActivityTypeRunning"), sport_name("strength_training"), sport_name("Activity")
    ('running', 'strength training', '')
    """
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label.removeprefix("HKWorkoutActivityType"))
    name = re.sub(r"[\W_]+", " ", plain).strip().lower()[:NAME_LENGTH]
    return "" if name in NO_SPORT else name


# What the watch contradicts -------------------------------------------------------------------------------------------


def missed(known: Snapshot) -> Mapping[str, datetime | None]:
    """Return key -> waking time (None: not slept through) of the past entries that the watch shows as missed."""
    return known.once("missed entries", lambda: dict(_missed(known)))


def _missed(known: Snapshot) -> Iterator[tuple[str, datetime | None]]:
    recorded = [one for _, one in ended_whole(known)]
    asleep = merged((one.start, one.end) for one in recorded if one.kind is EpisodeKind.SLEEP)
    ends = [end for _, end in asleep]
    active = merged((one.start - BESIDE, one.end + BESIDE) for one in recorded if one.kind is EpisodeKind.WORKOUT)
    sport: list[Occurrence] = []
    for one, label in known.agenda if asleep else ():
        if not one.start < min(one.end, known.at) or label.action is ActionType.SLEEP or one.event.all_day:
            continue
        is_sport = label.action is ActionType.EXERCISE and label.confidence >= SURE
        low, high = one.start - (UP_BEFORE if is_sport else timedelta(0)), one.start + LATE
        at = bisect_right(ends, low)
        woke = ends[at] if at < len(ends) and asleep[at][0] < one.start else None
        late = woke is not None and (is_sport or (woke >= high and one.end - one.start <= LATE_FOR))
        inside = clipped(asleep, one.start, one.end)
        over = inside and length(inside) > SLEPT_OVER * (one.end - one.start)
        trained = late and is_sport and clipped(active, one.start, one.end)
        if over or (late and not trained and not is_journey(one)):
            yield one.key, woke
        elif is_sport and one.end + COMES_IN <= known.at:
            sport.append(one)
    unseen = [one for one in sport if not clipped(active, one.start, one.end)]
    shown, walked = len(sport) - len(unseen), _walked(known) if unseen else frozenset[date]()
    lately = sum(one.kind is EpisodeKind.WORKOUT and one.end > known.at - LATELY for one in recorded)
    tells = shown >= max(SHOWN_LEAST, SHOWN_SHARE * len(sport))
    tells = tells or (len(sport) <= SHOWN_LEAST and lately >= RECORDED_LEAST)  # too few entries to tell by
    for one in unseen:  # a night within the day before it says that the watch was worn
        if tells and clipped(asleep, one.start - DAY, one.start) and clock(one.start, known.zones)[0] not in walked:
            yield one.key, None


def _walked(known: Snapshot) -> frozenset[date]:
    """Return the dates with more steps than usual. Sport on them may have been done without a recorded workout."""
    steps = [(one.day, one.value) for _, one in known.samples if one.metric is Metric.STEPS]
    usual = median([count for _, count in steps]) if steps else 0.0
    return frozenset(day for day, count in steps if count > usual)
