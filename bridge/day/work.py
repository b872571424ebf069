"""Learn working hours by weekday, and free days, from the calendar and the tasks that were done."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from statistics import median, median_low

from bridge.calendar.busy import clipped, length, merged, takes_time
from bridge.calendar.days import LONGEST
from bridge.calendar.kinds import DAY_OFF, PUBLIC, PUBLIC_DAY
from bridge.calendar.meetings import is_meeting
from bridge.day.typical import DAY, HALF_LIFE, MAD_TO_SD, MINUTE, WEEKEND, clock, instant, midmean, ordinary, sure
from bridge.domain.records import Snapshot
from bridge.domain.types import Event, Label, Occurrence, Response
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

Span = tuple[float, float]  # minutes after midnight of the date of the begin
Week = tuple[tuple[Span, ...], ...]
Work = Sequence[tuple[Occurrence, Label]]

# 83 % of employed people work on an average weekday and 34 % on an average day of the weekend (ATUS 2012, table 4).
WORKS_ON_WORKDAY, WORKS_ON_WEEKEND = 0.83, 0.34
# Eight hours on a weekday worked (ATUS 2012, table 4). The begin at nine is our choice, as are the figures below.
OFFICE = (540.0, 1020.0)
OFFICE_WEEK: Week = ((OFFICE,),) * 5 + ((), ())
NO_HOURS: Week = ((),) * 7  # of shifts
LEAST_SHIFT, SHIFTS = 360.0, 150.0  # minutes of a shift, and of the spread of their begins, from which none is usual
OFFICE_WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
DEEP_MINUTES, ANY_MINUTES = 60.0, 120.0  # of a day that counts as worked
TASKS, TASK_HOURS = 3, (2.0, 12.0)  # done on a day that counts as worked, and the hours from the first to the last
LONG_PAUSE = timedelta(hours=3)  # a longer pause divides a day into two spans
EVIDENCE_DAYS, OUTSIDE, WEEK = 3, 2, 7 * DAY  # worked days from which own hours count, two outside of any week
SHARE = 1 / 3  # of a weekday's weeks
PRIOR_WEEKS = 0.75  # weeks that the published share is worth
EDGE = 1.04  # spreads before the usual begin and after the usual end: 15 % of days reach farther
NIGHT, SHIFT = 300.0, 240.0  # minutes after midnight; what begins before it is work only in a shift of this length
FILLED = 0.7  # of the usual spans; a calendar that fills less of them has gaps
# Minutes of a day; less within office hours shows that the user works, but not for how long. The second is for a
# calendar with gaps.
SHORT, SHORT_SPARSE = 150.0, 360.0
AROUND_OFFICE = 60.0  # minutes around office hours that count as within
LEARNING_SLACK = 60.0  # minutes around the working hours in which learning is work
BACK, AHEAD = 60, 21  # days
GRID = 5.0  # minutes to which a span is rounded
AWAY = timedelta(hours=4)  # of office hours out of office, from which a day is free


def said_week(week: Week, wishes: Wishes) -> Week | None:
    """Return the working hours of a person who wishes all work on some of Monday to Friday alone, or None.

    The hours are the wished ones, or else those of ``week``, or of its other days, or published ones.
    """
    deep, admin = ActionType.DEEP_WORK, ActionType.ADMIN_WORK
    said, wished = wishes.days.get(deep), wishes.hours.get(deep)
    if not said or wishes.days.get(admin) != said or said & {*WEEKEND}:
        return None
    wished = wished if wishes.hours.get(admin) == wished else None
    own = tuple(sorted((_minute(begin), _minute(end)) for begin, end in wished or () if begin < end))
    usual = next((spans for spans in week if spans), (OFFICE,))
    return tuple((own or week[day] or usual) if day in said else () for day in range(7))


def _minute(clock_time: time) -> float:
    return clock_time.hour * 60.0 + clock_time.minute


def working_week(known: Snapshot) -> Week | None:
    """Return the usual working hours by weekday from Monday. None before three worked days in different weeks."""
    entries = [one for one in known.agenda if _counts(one[0], known.at)]
    work = [(o, label) for o, label in entries if _is_work(o.event, label)]
    free = free_days(known)
    met = _met_at_work(known, work)
    begun = min([o.start for o, _ in entries], default=known.at)
    week = _week(known, _worked(known, work, free), free, met, begun)
    usual = week or OFFICE_WEEK
    learnt = [(o, label) for o, label in entries if label.action is ActionType.LEARN and _inside(o, usual, known)]
    return _week(known, _worked(known, work + learnt, free), free, met, begun) if learnt else week


def _met_at_work(known: Snapshot, work: Work) -> frozenset[date]:
    low, high = OFFICE[0] - AROUND_OFFICE, OFFICE[1] + AROUND_OFFICE
    begins = [clock(o.start, known.zones) for o, _ in work]
    return frozenset(day for day, minutes in begins if day.weekday() not in WEEKEND and low <= minutes <= high)


def _counts(occurrence: Occurrence, at: datetime) -> bool:
    event = occurrence.event
    length = occurrence.end - occurrence.start
    advised = event.kind.startswith("advice:")
    return occurrence.end <= at and takes_time(event) and timedelta(0) < length <= LONGEST and not advised


def _is_work(event: Event, label: Label) -> bool:
    meeting = label.action is None and is_meeting(event)
    return label.action in OFFICE_WORK or event.kind == "focusTime" or meeting


def _inside(occurrence: Occurrence, week: Week, known: Snapshot) -> bool:
    day, start = clock(occurrence.start, known.zones)
    end = start + (occurrence.end - occurrence.start) / MINUTE
    spans = week[day.weekday()]
    return any(low - LEARNING_SLACK <= start and end <= high + LEARNING_SLACK for low, high in spans)


@dataclass(frozen=True, slots=True)
class _Worked:
    """A worked day: its working times in minutes after midnight, and the probability that they are work."""

    spans: tuple[Span, ...]
    trust: float


def _worked(known: Snapshot, work: Work, free: frozenset[date]) -> dict[date, _Worked]:
    """Return date -> working times, for dates before today. A pause of three hours or more divides them."""
    found: dict[date, list[tuple[Span, tuple[float, float, float]]]] = {}
    today, _ = clock(known.at, known.zones)
    work = sorted(work, key=lambda one: one[0].start)
    starts = [o.start for o, _ in work]
    for start, end in merged([(o.start, o.end) for o, _ in work], bridging=LONG_PAUSE):
        day, begin = clock(start, known.zones)
        over = begin + (end - start) / MINUTE
        if day == today or day in free or (begin < NIGHT and over - begin < SHIFT):
            continue
        inside = work[bisect_left(starts, start) : bisect_left(starts, end)]
        deep = [(o, la) for o, la in inside if la.action is not ActionType.ADMIN_WORK or is_meeting(o.event)]
        whole, minutes = _minutes(inside)
        deep_minutes = minutes if len(deep) == len(inside) else _minutes(deep)[1]
        found.setdefault(day, []).append(((begin, over), (deep_minutes, minutes, whole)))
    days = {day: one for day, one in _of_tasks(known).items() if day != today and day not in free}
    for day, parts in found.items():
        deep_minutes, minutes, whole = (sum(of) for of in zip(*(minutes for _, minutes in parts), strict=True))
        if deep_minutes >= DEEP_MINUTES or minutes >= ANY_MINUTES:
            days[day] = _Worked(tuple(span for span, _ in parts), min(minutes / whole, 1.0))
    kept = ordinary(sorted(days), [_hull(days[day].spans) for day in sorted(days)])
    return {day: days[day] for day, keep in zip(sorted(days), kept, strict=True) if keep}


def _minutes(work: Work) -> tuple[float, float]:
    whole = sum([(end - start) / MINUTE for start, end in merged([(o.start, o.end) for o, _ in work])])
    chances = sum([1.0 if label.action is None else sure(label) for _, label in work])
    return whole, whole * chances / len(work) if work else 0.0


def _of_tasks(known: Snapshot) -> dict[date, _Worked]:
    done: dict[date, list[float]] = {}
    for task in known.tasks:
        if task.completed is not None and known.at - BACK * DAY <= task.completed <= known.at:
            day, minutes = clock(task.completed, known.zones)
            done.setdefault(day, []).append(minutes)
    low, high = (60 * hours for hours in TASK_HOURS)
    return {
        day: _Worked(((min(of), max(of)),), 1.0)
        for day, of in done.items()
        if day.weekday() not in WEEKEND and len(of) >= TASKS and low <= max(of) - min(of) <= high
    }


def _week(
    known: Snapshot, days: Mapping[date, _Worked], free: frozenset[date], met: frozenset[date], begun: datetime
) -> Week | None:
    whole = sum(one.trust for one in days.values())
    weeks = (sum(one.trust for day, one in days.items() if first <= day < first + WEEK) for first in days)
    if whole < EVIDENCE_DAYS - 0.5 or whole - max(weeks, default=0.0) < OUTSIDE - 0.5:
        return NO_HOURS if _by_shifts(days) else None
    trusts = {**dict.fromkeys(met, 1.0), **{day: one.trust for day, one in days.items()}}
    shares = _shares(trusts, free, known, begun)
    weekdays, sd = _of_part(days, 0), _spread(days)
    usual = _spans(weekdays, known, sd)
    filled = sum(_minutes_of(one.spans) for one in weekdays.values())
    gaps = filled < FILLED * len(weekdays) * _minutes_of(usual)  # as in a calendar of meetings alone
    worked = (weekday if shares[weekday] >= SHARE else None for weekday in range(7))
    spans = [() if d is None else _of_weekday(d, _own(days, d, known, sd), usual if gaps else ()) for d in worked]
    return tuple(() if of and _hull(of)[1] - _hull(of)[0] > LONGEST / MINUTE else of for of in spans)  # of shifts


def _by_shifts(days: Mapping[date, _Worked]) -> bool:
    """Return True if days of a shift each begin at hours that differ too much for any to be usual."""
    begins = [start for day in days.values() for start, end in day.spans if end - start >= LEAST_SHIFT]
    middle = median(begins or [0.0])
    return len(begins) >= EVIDENCE_DAYS and MAD_TO_SD * median(abs(begin - middle) for begin in begins) >= SHIFTS


def _own(days: Mapping[date, _Worked], weekday: int, known: Snapshot, spread: float) -> tuple[Span, ...]:
    same = {day: one for day, one in days.items() if day.weekday() == weekday}
    return _spans(same if len(same) >= EVIDENCE_DAYS else _of_part(days, weekday), known, spread)


def _of_weekday(weekday: int, own: tuple[Span, ...], usual: Sequence[Span]) -> tuple[Span, ...]:
    if weekday in WEEKEND:
        return own
    spans = (_hull([*own, *usual]),) if usual else own
    (low, high), (start, end) = OFFICE, _hull(spans)
    within = low - AROUND_OFFICE <= start and end <= high + AROUND_OFFICE
    short = _minutes_of(spans) < (SHORT_SPARSE if usual else SHORT)
    return ((min(low, start), max(high, end)),) if within and short else spans


def _shares(days: Mapping[date, float], free: frozenset[date], known: Snapshot, begun: datetime) -> list[float]:
    today, _ = clock(known.at, known.zones)
    worked = [PRIOR_WEEKS * (WORKS_ON_WEEKEND if d in WEEKEND else WORKS_ON_WORKDAY) for d in range(7)]
    seen = [PRIOR_WEEKS] * 7
    first = min([clock(begun, known.zones)[0], *days])
    day = max(first, clock(known.at - BACK * DAY, known.zones)[0])
    while day < today:
        if day not in free:
            trust = 0.5 ** ((today - day) / HALF_LIFE)
            seen[day.weekday()] += trust
            worked[day.weekday()] += trust * days.get(day, 0.0)
        day += DAY
    return [done / of for done, of in zip(worked, seen, strict=True)]


def _of_part(days: Mapping[date, _Worked], weekday: int) -> Mapping[date, _Worked]:
    part = {day: one for day, one in days.items() if (day.weekday() in WEEKEND) == (weekday in WEEKEND)}
    return part or days


def _spans(days: Mapping[date, _Worked], known: Snapshot, spread: float) -> tuple[Span, ...]:
    number = median_low([len(one.spans) for one in days.values()])
    like = {day: one for day, one in days.items() if number == 1 or len(one.spans) == number}
    today = known.at.date()
    weeks = Counter((day - day.weekday() * DAY) for day in like)
    weights = [
        one.trust * 0.5 ** ((today - day) / HALF_LIFE) / weeks[day - day.weekday() * DAY] for day, one in like.items()
    ]
    rows = [one.spans if number > 1 else (_hull(one.spans),) for one in like.values()]
    found: list[Span] = []
    for at in range(number):
        begins, ends = ([spans[at][side] for spans in rows] for side in (0, 1))
        start = max(midmean(begins, weights) - EDGE * spread, min(begins)) // GRID * GRID
        end = -(-min(midmean(ends, weights) + EDGE * spread, max(ends)) // GRID) * GRID
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return tuple(found)


def _spread(days: Mapping[date, _Worked]) -> float:
    far: list[float] = []
    for weekday in range(7):
        hulls = [_hull(one.spans) for day, one in days.items() if day.weekday() == weekday]
        for edges in zip(*hulls, strict=True):
            middle = median(edges)
            far += [abs(edge - middle) for edge in edges if len(edges) > 1]
    return MAD_TO_SD * median(far or [0.0])


def _hull(spans: Sequence[Span]) -> Span:
    return min(spans)[0], max([end for _, end in spans])


def _minutes_of(spans: Sequence[Span]) -> float:
    return sum(end - start for start, end in spans)


def free_days(known: Snapshot) -> frozenset[date]:
    """Return the local dates, past and coming, that the calendar says are free of work.

    Calendars of holidays also name days like Mother's Day, so a holiday with planned work does not count.
    """
    return _days_off(known)[0]


def public_holidays(known: Snapshot) -> frozenset[date]:
    """Return those of the free dates that are free for everybody, and not by a journey or leave of one's own."""
    return _days_off(known)[1]


def _days_off(known: Snapshot) -> tuple[frozenset[date], frozenset[date]]:
    return known.once("days off", lambda: _read_days_off(known))


def _read_days_off(known: Snapshot) -> tuple[frozenset[date], frozenset[date]]:
    today, _ = clock(known.at, known.zones)
    low, high = today - (BACK + 1) * DAY, today + AHEAD * DAY
    free: set[date] = set()
    public: set[date] = set()
    named: set[date] = set()
    for occurrence, label in known.agenda:
        event = occurrence.event
        if event.cancelled or event.response is Response.DECLINED:
            continue
        if event.first_day is not None:
            days = {*_dates(occurrence, known, low, high)}
            is_off = _is_off(occurrence, label)
            free |= days if is_off else set()
            public |= days if is_off and PUBLIC_DAY.search((event.title or "")[:200]) else set()
            named |= days if PUBLIC.search(event.calendar) else set()
        elif event.kind == "outOfOffice":
            free.update(day for day in _dates(occurrence, known, low, high) if _is_away(occurrence, day, known))
    if named:
        timed = (o.start for o, label in known.agenda if not o.event.all_day and label.action in OFFICE_WORK)
        named.difference_update({clock(start, known.zones)[0] for start in timed})
    return frozenset(free | named), frozenset(public | named)


def _dates(occurrence: Occurrence, known: Snapshot, low: date, high: date) -> Iterable[date]:
    first = max(clock(occurrence.start, known.zones)[0], low)
    last = min(clock(occurrence.end - MINUTE, known.zones)[0], high)
    return (first + k * DAY for k in range((last - first).days + 1))


def _is_off(occurrence: Occurrence, label: Label) -> bool:
    """Return True if an all-day entry says that the day is off, by its kind or title, or is a journey."""
    event = occurrence.event
    if event.kind in ("birthday", "workingLocation", "task"):
        return False
    days = (occurrence.end - occurrence.start) / DAY
    journey = label.action is ActionType.ME_TIME and days > 1.5 and event.busy
    return journey or event.kind == "outOfOffice" or (event.title is not None and bool(DAY_OFF.search(event.title)))


def _is_away(occurrence: Occurrence, day: date, known: Snapshot) -> bool:
    start, end = (instant(day, minutes, known.zones) for minutes in OFFICE)
    return length(clipped([(occurrence.start, occurrence.end)], start, end)) >= AWAY
