"""Compute figures of the last hours from calendar, measurements and tasks.

Only entries and samples that began by the time of reading count, up to that time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate, zip_longest
from math import exp
from operator import itemgetter

from bridge.calendar.busy import Labelled, Stretch, clipped, length, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.meetings import met, tight_starts
from bridge.calendar.plans import COMPANY, REST, effort_of, efforts, focus_blocks, long_enough, unbroken
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Episode, Event, Label, Occurrence, Sample, Task
from bridge.meters.habit import Amount, Amounts, pieces

SIX_HOURS = timedelta(hours=6)  # the length of a slot
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TIGHT_HOURS = 1.0  # extra load of a meeting without a pause before it
MAX_ENTRIES_A_DAY = 2  # of company (Luo 2022)
CROWD_MIN_OTHERS = 8
ONE_VALUE, QUARTER = (
    timedelta(minutes=3),
    timedelta(minutes=15),
)  # intervals of Garmin's stress in Connect, and of its means
AFTER_WORKOUT = timedelta(minutes=30)  # in which exercise, not strain, raises the stress value

Timed = tuple[datetime, float, float]  # known from, minutes, value
NO_PRESSURE = 746.0  # slack from which exp(-slack) is exactly 0
WEEK_AHEAD = timedelta(days=8)  # the rest of a week matters whatever the slack

# End of the due day, place in the list, task, hours of effort, and the divisor of its slack.
Open = tuple[datetime, int, Task, float, float]
FIRST, SECOND = itemgetter(0), itemgetter(1)


class Calendar:
    """A user's calendar entries within [since, at], with their load, focus and company."""

    def __init__(self, entries: Labelled, since: datetime, at: datetime, recorded: Sequence[Stretch] = ()) -> None:
        begun = [(o, label) for o, label in entries if o.start <= at]
        self._begin = min((o.start for o, _ in begun), default=None)
        self.entries = sorted((one for one in begun if one[0].end >= since), key=lambda one: one[0].start)
        self._together = [entry for entry in self.entries if _is_company(*entry)]
        self._together_starts = [o.start for o, _ in self._together]
        self._focus = long_enough(merged([*focus_blocks(self.entries), *recorded]))
        self._efforts = efforts(self.entries)
        self._busy = merged((o.start, o.end) for o, label in self.entries if _is_hard(o, label))
        self.load = Amounts(self._loads(), self._begin)
        self.focused = Amounts(*self._focused(recorded))
        self.company = Amounts(_company(self.entries, at), self._begin)
        self.together = Amounts(_together(self._together), self._begin)
        self._of_day: dict[datetime, float] = {}

    def _loads(self) -> list[Amount]:
        occurrences = [o for o, _ in self.entries]
        tight = [(start, TIGHT_HOURS) for start in tight_starts(occurrences)]
        return [*pieces(self._busy), *pieces(met(occurrences)), *tight]

    def _focused(self, recorded: Sequence[Stretch]) -> tuple[list[Amount], datetime | None]:
        if recorded:
            return [(end, (end - start) / HOUR) for start, end in recorded], min(start for start, _ in recorded)
        return pieces(self._focus), self._begin

    def busy(self, since: datetime, at: datetime) -> float:
        """Return the hours of [since, at) that entries take, without those of rest and company."""
        return length(clipped(self._busy, since, at)) / HOUR

    def unbroken(self, at: datetime, since: datetime) -> float | None:
        """Return the minutes of work without a pause up to ``at``, counted from ``since`` at the earliest.

        Returns 0 in a pause, and None without work since ``since``.
        """
        return unbroken(self._efforts, since, at)

    def focus(self, since: datetime, at: datetime) -> float:
        """Return the minutes of [since, at) in blocks of focus. Blocks too short within that time do not count."""
        return length(long_enough(clipped(self._focus, since, at))) / MINUTE

    def focus_of_day(self, at: datetime) -> float:
        if at not in self._of_day:
            self._of_day[at] = self.focus(at - DAY, at)
        return self._of_day[at]

    def company_hours(self, since: datetime, at: datetime) -> float:
        """Return the hours of [since, at) that entries of company take. Overlapping entries count once."""
        return length(clipped(merged((o.start, o.end) for o, _ in self._together), since, at)) / HOUR

    def in_company(self, since: datetime, at: datetime) -> Labelled:
        """Return the (occurrence, label) pairs with family or friends that begin in [since, at], by start."""
        return self._together[bisect_left(self._together_starts, since) : bisect_right(self._together_starts, at)]


def closeness(event: Event) -> float:
    """Return the weight of an entry as company, which is 1 in person, and less in a call or with many others."""
    if event.others > CROWD_MIN_OTHERS:
        return 0.3
    return 0.6 if event.conference else 1.0


def _company(entries: Labelled, at: datetime) -> list[Amount]:
    over = [(o.end, closeness(o.event)) for o, label in entries if _is_company(o, label) and o.end <= at]
    found: list[Amount] = []
    best: dict[int, list[float]] = {}
    for end, close in sorted(over):
        before = best.get(end.toordinal(), [])
        kept = best[end.toordinal()] = sorted([*before, close])[-MAX_ENTRIES_A_DAY:]
        found.append((end, sum(kept) - sum(before)))
    return found


def _together(entries: Labelled) -> list[Amount]:
    closest: list[Stretch] = []
    found: list[Amount] = []
    for weight in sorted({closeness(o.event) for o, _ in entries}, reverse=True):
        alike = merged((o.start, o.end) for o, _ in entries if closeness(o.event) == weight)
        found += [(end, weight * hours) for end, hours in pieces(_outside(alike, closest))]
        closest = merged([*closest, *alike])
    return found


def _outside(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of disjoint stretches that lie outside ``taken``, which is disjoint and ascending."""
    found: list[Stretch] = []
    for start, end in stretches:
        for begun, over in clipped(taken, start, end):
            found += [(start, begun)] if start < begun else []
            start = over
        found += [(start, end)] if start < end else []
    return found


def _is_company(occurrence: Occurrence, label: Label) -> bool:
    return label.action in COMPANY and takes_time(occurrence.event)


def _is_hard(occurrence: Occurrence, label: Label) -> bool:
    return takes_time(occurrence.event) and label.action not in REST | COMPANY


class Intraday:
    """The frequent values of a series (source and device), for means over six hours.

    Values during the first minutes after a workout are left out.
    """

    def __init__(self, samples: Sequence[Sample], workouts: Sequence[Episode]) -> None:
        ends = sorted(w.end for w in workouts)
        each = _each(samples)
        kept = [_timed(s, each) for s in samples if not ends or not _just_after(ends, s.end or s.start)]
        kept = _once(sorted(kept))
        self._known = [known for known, _, _ in kept]
        self._minutes = list(accumulate([minutes for _, minutes, _ in kept], initial=0.0))
        self._sums = list(accumulate([minutes * value for _, minutes, value in kept], initial=0.0))
        self._means: dict[datetime, tuple[float, float] | None] = {}

    def mean(self, at: datetime) -> tuple[float, float] | None:
        """Return (mean, minutes) of the six hours up to ``at``, weighed by minutes, or None without values."""
        if at not in self._means:
            first, last = bisect_right(self._known, at - SIX_HOURS), bisect_right(self._known, at)
            minutes = self._minutes[last] - self._minutes[first]
            self._means[at] = ((self._sums[last] - self._sums[first]) / minutes, minutes) if last > first else None
        return self._means[at]


def _once(kept: Sequence[Timed]) -> list[Timed]:
    return [one for one, after in zip_longest(kept, kept[1:]) if after is None or one[0] != after[0]]


def _each(samples: Sequence[Sample]) -> float:
    """Return the minutes that one value stands for, 1 in a watch's own files and 3 from Garmin Connect."""
    most = max((sample.count or 0 for sample in samples), default=0)
    return 1.0 if most > QUARTER / ONE_VALUE else ONE_VALUE / MINUTE


def _timed(sample: Sample, each: float) -> Timed:
    start, end = sample.start, sample.end
    if end is None or end <= start:
        return start, ONE_VALUE / MINUTE, sample.value
    minutes = (end - start) / MINUTE
    return end, minutes if sample.count is None else min(sample.count * each, minutes), sample.value


def _just_after(ends: Sequence[datetime], at: datetime) -> bool:
    last = bisect_right(ends, at) - 1
    return last >= 0 and at - ends[last] < AFTER_WORKOUT


class Tasks:
    """A user's tasks, by the end of their due days and by completion. Results are in the order of the given tasks."""

    def __init__(self, tasks: Sequence[Task], zones: ZoneHistory) -> None:
        self._tasks, self._zones = tasks, zones
        self._last: tuple[datetime | None, list[Open]] = None, []

    @cached_property
    def _done(self) -> list[tuple[datetime, int]]:
        return sorted((one.completed, place) for place, one in enumerate(self._tasks) if one.completed is not None)

    @cached_property
    def _dated(self) -> list[Open]:
        due = [(one.due, place, one, effort_of(one)) for place, one in enumerate(self._tasks) if one.due is not None]
        ends = [(midnight(day + DAY, self._zones), place, one, h, max(h, 1.0)) for day, place, one, h in due]
        return sorted(ends, key=FIRST)

    @cached_property
    def _begin(self) -> datetime:
        """The first completion, or the first time that a due task pressed.

        Before it, the list may not have been kept.
        """
        return min([at for at, _ in self._done[:1]] + [end - DAY - effort * HOUR for end, *_, effort, _ in self._dated])

    @cached_property
    def _ahead(self) -> timedelta:
        return max([WEEK_AHEAD, *((effort + NO_PRESSURE * least) * HOUR for *_, effort, least in self._dated)])

    def done(self, since: datetime, until: datetime) -> list[datetime]:
        first, last = bisect_left(self._done, since, key=FIRST), bisect_right(self._done, until, key=FIRST)
        return [completed for completed, _ in sorted(self._done[first:last], key=SECOND)]

    def open(self, at: datetime) -> list[Open]:
        """Return the open tasks with a due date at ``at``, without those due so late that they do not press."""
        last, found = self._last
        if last != at:
            near = self._dated[: bisect_right(self._dated, at + self._ahead, key=FIRST)]
            found = [one for one in near if one[2].completed is None or one[2].completed > at]
            found.sort(key=SECOND)
            self._last = at, found
        return found

    def pressure(self, at: datetime) -> float | None:
        """Return the ``bridge.calendar.deadline_pressure`` of the tasks at ``at``, to which an overdue task adds 1.

        Returns None if no task, open or done, has a due date, and before the first sign that the list was kept.
        """
        if not self._dated or at < self._begin:
            return None
        found = [
            exp(-max(((end - at) / HOUR - effort) / least, 0.0)) if end > at else 1.0
            for end, _, _, effort, least in self.open(at)
        ]
        return sum(found, 0.0)
