"""Learn working hours by weekday, and free days, from the calendar and the tasks that were done.

A day counts as worked with an hour of deep work or meetings, or with two hours of any work. From Monday to Friday it
also does with three tasks done over 2 to 12 hours. A weekday is a workday when at least a third of its weeks were
worked. For that, a single entry of work in office hours is enough. Recent weeks count more, and the published share
counts as most of a week. A span reaches from the 15th percentile of begins to the 85th of ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import median_low

from bridge.calendar.busy import merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.meetings import is_meeting
from bridge.domain.records import Snapshot
from bridge.domain.types import Event, Label, Occurrence
from bridge.planning.clock import DAY, MINUTE, WEEKEND, clock, quantile, weight
from bridge.planning.free_days import is_free_day
from bridge.planning.published import OFFICE, WORKS_ON_WEEKEND, WORKS_ON_WORKDAY
from rhythm_env.interface import ActionType

Span = tuple[float, float]  # minutes after midnight of the date of the begin
Week = tuple[tuple[Span, ...], ...]

OFFICE_WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
DEEP_MINUTES, ANY_MINUTES = 60.0, 120.0  # of a day that counts as worked
TASKS, TASK_HOURS = 3, (2.0, 12.0)  # done on a day that counts as worked, and the hours from the first to the last
LONGEST = timedelta(hours=16)  # a longer entry, such as being on call, tells no working hours
LONG_PAUSE = timedelta(hours=3)  # a longer pause divides a day into two spans
EVIDENCE_DAYS = 3  # worked days from which the user's own hours count
SHARE = 1 / 3  # of a weekday's weeks
PRIOR_WEEKS = 0.75  # weeks that the published share is worth
EARLIEST, LATEST = 0.15, 0.85  # quantiles of begins and ends
FILLED = 0.7  # of the usual spans; a calendar that fills less of them has gaps
# Minutes of a day; less within office hours shows that the user works, but not for how long. The second is for a
# calendar with gaps.
SHORT, SHORT_SPARSE = 150.0, 360.0
AROUND_OFFICE = 60.0  # minutes around office hours that count as within
LEARNING_SLACK = 60.0  # minutes around the working hours in which learning is work
BACK = 60  # days
GRID = 5.0  # minutes to which a span is rounded


def office_week() -> Week:
    """Return the working hours that are used until a user's own are known, 9:00 to 17:00 from Monday to Friday.

    There is an entry per weekday from Monday on, with spans in minutes after midnight.
    """
    return tuple(() if weekday in WEEKEND else (OFFICE,) for weekday in range(7))


def working_week(known: Snapshot) -> tuple[Week, bool]:
    """Return (week, is_own): the usual spans of work by weekday, and True if they are the user's own.

    They are the user's own from three worked days on. Before that they are office hours.
    """
    entries = [one for one in known.agenda if _counts(one[0], known.at)]
    work = [(o, label) for o, label in entries if _is_work(o.event, label)]
    free = _free(known)
    met = _met_at_work(known, work)
    week = _week(known, _worked(known, work, free), free, met)
    learnt = [(o, label) for o, label in entries if label.action is ActionType.LEARN and _inside(o, week, known)]
    days = _worked(known, work + learnt, free)
    return _week(known, days, free, met), len(days) >= EVIDENCE_DAYS


def _met_at_work(known: Snapshot, work: Sequence[tuple[Occurrence, Label]]) -> frozenset[date]:
    """Return the dates from Monday to Friday on which an entry of work, however short, begins about office hours."""
    low, high = OFFICE[0] - AROUND_OFFICE, OFFICE[1] + AROUND_OFFICE
    begins = [clock(o.start, known.zones) for o, _ in work]
    return frozenset(day for day, minutes in begins if day.weekday() not in WEEKEND and low <= minutes <= high)


def _free(known: Snapshot) -> frozenset[date]:
    today, _ = clock(known.at, known.zones)
    back = (today - ago * DAY for ago in range(BACK + 1))
    return frozenset(day for day in back if is_free_day(known, day))


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


def _worked(known: Snapshot, work: Sequence[tuple[Occurrence, Label]], free: frozenset[date]) -> dict[date, list[Span]]:
    """Return date -> spans of work for each worked day, in minutes after midnight, without free days.

    A pause of three hours or more divides spans.
    """
    found: dict[date, list[Span]] = {}
    for start, end in merged(((o.start, o.end) for o, _ in work), bridging=LONG_PAUSE):
        day, begin = clock(start, known.zones)
        found.setdefault(day, []).append((begin, begin + (end - start) / MINUTE))
    minutes = _minutes(known, work)
    of_tasks = _of_tasks(known)
    counted = {day: spans for day, spans in found.items() if _enough(*minutes[day])}
    return {day: spans for day, spans in sorted({**of_tasks, **counted}.items()) if day not in free}


def _minutes(known: Snapshot, work: Sequence[tuple[Occurrence, Label]]) -> dict[date, tuple[float, float]]:
    """Return date -> (minutes of deep work or meetings, minutes of any work).

    Work after midnight belongs to the date on which its span begins.
    """
    found: dict[date, tuple[float, float]] = {}
    for start, end in merged(((o.start, o.end) for o, _ in work), bridging=LONG_PAUSE):
        day, _ = clock(start, known.zones)
        inside = [(o, label) for o, label in work if start <= o.start < end]
        deep = _length(o for o, label in inside if label.action is not ActionType.ADMIN_WORK or is_meeting(o.event))
        some, all_ = found.get(day, (0.0, 0.0))
        found[day] = (some + deep, all_ + _length(o for o, _ in inside))
    return found


def _length(occurrences: Iterable[Occurrence]) -> float:
    return sum((end - start) / MINUTE for start, end in merged((o.start, o.end) for o in occurrences))


def _enough(deep: float, whole: float) -> bool:
    return deep >= DEEP_MINUTES or whole >= ANY_MINUTES


def _of_tasks(known: Snapshot) -> dict[date, list[Span]]:
    """Return date -> the span from the first to the last task done, for days from Monday to Friday.

    A day needs three tasks, done over 2 to 12 hours.
    """
    done: dict[date, list[float]] = {}
    for task in known.tasks:
        if task.completed is not None and known.at - BACK * DAY <= task.completed <= known.at:
            day, minutes = clock(task.completed, known.zones)
            done.setdefault(day, []).append(minutes)
    low, high = (60 * hours for hours in TASK_HOURS)
    return {
        day: [(min(of), max(of))]
        for day, of in done.items()
        if day.weekday() not in WEEKEND and len(of) >= TASKS and low <= max(of) - min(of) <= high
    }


def _week(known: Snapshot, days: Mapping[date, Sequence[Span]], free: frozenset[date], met: frozenset[date]) -> Week:
    """Return the usual spans of work by weekday, from the spans of worked ``days``.

    Dates in ``met`` show that the user worked, and not for how long. Dates in ``free`` do not count. With fewer than
    three worked days, return office hours.
    """
    if len(days) < EVIDENCE_DAYS:
        return office_week()
    shares = _shares(known, days.keys() | met, free)
    usual = _spans(_of_part(days, 0))
    gaps = _has_gaps(_of_part(days, 0), usual)
    return tuple(
        () if shares[weekday] < SHARE else _of_weekday(weekday, days, usual if gaps else ()) for weekday in range(7)
    )


def _of_weekday(weekday: int, days: Mapping[date, Sequence[Span]], usual: Sequence[Span]) -> tuple[Span, ...]:
    """Return the usual spans of a weekday, learnt from the worked ``days``.

    If the calendar has gaps, ``usual`` holds the usual spans from Monday to Friday. These weekdays then cover them at
    least. Otherwise ``usual`` is empty.
    """
    own = _spans(_own(days, weekday))
    if weekday in WEEKEND:
        return own
    return _with_office_hours((_hull([*own, *usual]),) if usual else own, sparse=bool(usual))


def _has_gaps(days: Sequence[Sequence[Span]], usual: Sequence[Span]) -> bool:
    """Return True if the worked days fill less than 70 % of the usual spans. A calendar of meetings alone does so."""
    filled = sum(_minutes_of(spans) for spans in days)
    return filled < FILLED * len(days) * _minutes_of(usual)


def _shares(known: Snapshot, days: Collection[date], free: frozenset[date]) -> list[float]:
    """Return the share of weeks worked on one of ``days``, from 0 to 1, by weekday.

    The published share counts as most of a week, and recent weeks count more. Free days do not count.
    """
    today, _ = clock(known.at, known.zones)
    worked = [PRIOR_WEEKS * (WORKS_ON_WEEKEND if d in WEEKEND else WORKS_ON_WORKDAY) for d in range(7)]
    seen = [PRIOR_WEEKS] * 7
    day = _first(known, days)
    while day < today:
        if day not in free:
            trust = weight(midnight(day, known.zones), known.at)
            seen[day.weekday()] += trust
            worked[day.weekday()] += trust if day in days else 0.0
        day += DAY
    return [done / of for done, of in zip(worked, seen, strict=True)]


def _first(known: Snapshot, days: Collection[date]) -> date:
    """Return the earliest date on which the calendar was in use, or the user worked on one of ``days``.

    A date more than 60 days ago becomes that of 60 days ago.
    """
    begun = [clock(o.start, known.zones)[0] for o, _ in known.agenda if _counts(o, known.at)]
    return max(min([*begun, *days]), clock(known.at - BACK * DAY, known.zones)[0])


def _own(days: Mapping[date, Sequence[Span]], weekday: int) -> list[Sequence[Span]]:
    """Return the spans of each worked day of a weekday.

    With fewer than three such days, return those of all days from Monday to Friday, or of the weekend.
    """
    same = [spans for day, spans in days.items() if day.weekday() == weekday]
    return same if len(same) >= EVIDENCE_DAYS else _of_part(days, weekday)


def _of_part(days: Mapping[date, Sequence[Span]], weekday: int) -> list[Sequence[Span]]:
    """Return the spans of each worked day of the same part of the week as ``weekday``.

    The parts are Monday to Friday and the weekend. Without a worked day in it, return those of all worked days.
    """
    part = [spans for day, spans in days.items() if (day.weekday() in WEEKEND) == (weekday in WEEKEND)]
    return part or list(days.values())


def _spans(days: Sequence[Sequence[Span]]) -> tuple[Span, ...]:
    """Return the usual spans of worked days. Their number is the median number of spans a day."""
    number = median_low([len(spans) for spans in days])
    like = [spans for spans in days if len(spans) == number] if number > 1 else [[_hull(spans)] for spans in days]
    found: list[Span] = []
    for at in range(number):
        start = quantile([spans[at][0] for spans in like], EARLIEST) // GRID * GRID
        end = -(-quantile([spans[at][1] for spans in like], LATEST) // GRID) * GRID
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return tuple(found)


def _hull(spans: Sequence[Span]) -> Span:
    return min(start for start, _ in spans), max(end for _, end in spans)


def _minutes_of(spans: Sequence[Span]) -> float:
    return sum(end - start for start, end in spans)


def _with_office_hours(spans: tuple[Span, ...], *, sparse: bool) -> tuple[Span, ...]:
    """Return ``spans``, widened to office hours if short and within these. A calendar may not show all work.

    Short is below 2.5 hours, or below 6 hours for a ``sparse`` calendar.
    """
    (low, high), (start, end) = OFFICE, _hull(spans)
    within = low - AROUND_OFFICE <= start and end <= high + AROUND_OFFICE
    if within and _minutes_of(spans) < (SHORT_SPARSE if sparse else SHORT):
        return ((min(low, start), max(high, end)),)
    return spans
