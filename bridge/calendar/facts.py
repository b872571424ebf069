"""Measure slots (quarters of a day) by a calendar and a task list.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import exp

from bridge.calendar.busy import Labelled, Stretch, busy_union, clipped, fragmentation, free_blocks, length, share
from bridge.calendar.expansion import midnight
from bridge.calendar.meetings import back_to_back, meeting_density, short_gaps
from bridge.calendar.plans import effort_of, efforts, focus_blocks, long_enough, planned_shares, social_events, unbroken
from bridge.domain.slots import MINUTE, Moment, ZoneHistory, moment_of, slot_bounds
from bridge.domain.types import Task
from rhythm_env.interface import STEPS_PER_WEEK, ActionType, Slot

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def still_open(tasks: Iterable[Task], at: datetime, zones: ZoneHistory) -> Iterator[tuple[Task, datetime]]:
    """Yield (task, end of its due day) for each task with a due date that is not done at ``at``.

    The day ends at midnight on the user's clock. Overdue tasks are included.

    >>> [end.day for _, end in still_open([task(20), task(19, completed=hour(9))], hour(10), LONDON)]
    [21]
    """
    for task in tasks:
        if task.due is not None and (task.completed is None or task.completed > at):
            yield task, midnight(task.due + DAY, zones)


def deadline_pressure(tasks: Iterable[Task], at: datetime, zones: ZoneHistory) -> float | None:
    """Return the sum of exp(-slack) over open tasks with a due date at ``at``, or None if no task has a due date.

    Slack is (hours left - effort) / effort, at least 0, with a divisor of at least an hour. A task that cannot wait
    adds 1. The formula is this project's own proposal.

    >>> round(deadline_pressure([task(20), task(22)], hour(22), LONDON), 3)  # two hours left, and two days
    0.368
    >>> deadline_pressure([task(19), task(20, completed=hour(9))], hour(10), LONDON)  # one is overdue, one is done
    1.0
    """
    dated = [task for task in tasks if task.due is not None]
    if not dated:
        return None
    return sum((exp(-slack(one, (end - at) / HOUR)) for one, end in still_open(dated, at, zones)), 0.0)


def slack(one: Task, hours_left: float) -> float:
    """Return (hours left - effort) / effort of a task, at least 0, with a divisor of at least an hour.

    >>> slack(task(20, effort=3.0), 6.0), slack(task(20, effort=0.5), 6.0), slack(task(20, effort=3.0), 2.0)
    (1.0, 5.5, 0.0)
    """
    effort = effort_of(one)
    return max((hours_left - effort) / max(effort, 1.0), 0.0)


FREE_BLOCK_MINUTES = 30.0  # shortest free stretch that is reported


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFacts:
    """Facts of a slot, which is a quarter of a day. Shares (0 to 1) refer to its length, usually six hours.

    - ``busy``, ``meetings``, ``planned``: shares taken by entries, by meetings, and by entries of each action.
    - ``back_to_back``: number of meetings that begin less than 10 minutes after the earlier meetings ended.
    - ``short_gaps``: number of pauses under 10 minutes between busy entries.
    - ``fragmentation``: share of the free time in gaps under two hours.
    - ``unbroken``: minutes of work without a pause up to the slot's end. None if nothing was planned since morning.
    - ``free``: the slot's first free block of at least 30 minutes. None if it has no such block.
    - ``social``: number of entries with family or friends that ended in the seven days up to the slot's end.
    - ``pressure``: ``deadline_pressure`` at the slot's beginning. None when no task has a due day.
    """

    moment: Moment
    start: datetime
    end: datetime
    busy: float
    meetings: float
    back_to_back: int
    short_gaps: int
    focus: tuple[Stretch, ...]  # the slot's part of blocks of at least 25 minutes
    fragmentation: float
    unbroken: float | None
    free: Stretch | None  # the first free block of at least 30 minutes
    planned: dict[ActionType, float]
    social: int
    pressure: float | None

    @property
    def focus_minutes(self) -> float:
        return length(self.focus) / MINUTE


def slot_facts(labelled: Labelled, tasks: Sequence[Task], moment: Moment, zones: ZoneHistory) -> SlotFacts:
    """Return the measures of a slot. ``labelled`` holds the user's entries from a week before the slot on.

    >>> day = [planned(9, 10.5, "ADMIN_WORK", others=3), planned(10.5, 11, "DEEP_WORK")]
    >>> friday = Moment(week=date(2026, 11, 16), day=4, slot=Slot.MORNING)
    >>> facts = slot_facts(day, [task(20)], friday, LONDON)
    >>> facts.meetings, facts.focus_minutes, facts.free[0].hour
    (0.25, 30.0, 6)
    """
    start, end = slot_bounds(moment, zones)
    near = [one for one in labelled if one[0].start < end and one[0].end > start]
    occurrences = [occurrence for occurrence, _ in labelled]
    busy = busy_union(occurrences, start, end)
    free = free_blocks((occurrence for occurrence, _ in near), start, end, minutes=FREE_BLOCK_MINUTES)
    morning = slot_bounds(Moment(week=moment.week, day=moment.day, slot=Slot.MORNING), zones)[0]
    return SlotFacts(
        moment=moment,
        start=start,
        end=end,
        busy=share(busy, start, end),
        meetings=meeting_density(occurrences, start, end),
        back_to_back=back_to_back(occurrences, start, end),
        short_gaps=len(short_gaps(occurrences, start, end)),
        focus=tuple(clipped(long_enough(focus_blocks(labelled)), start, end)),
        fragmentation=fragmentation(busy, start, end),
        unbroken=unbroken(efforts(labelled), morning, end),
        free=free[0] if free else None,
        planned=planned_shares(near, start, end),
        social=len(social_events(labelled, end)),
        pressure=deadline_pressure(tasks, start, zones),
    )


def week_facts(labelled: Labelled, tasks: Sequence[Task], week: date, zones: ZoneHistory) -> list[SlotFacts]:
    """Return the measures of the slots of the week that begins on the Monday ``week``, in order of time.

    ``labelled`` holds the user's entries from a week before on.

    >>> week = week_facts([planned(9, 12, "LEARN")], [], date(2026, 11, 16), LONDON)
    >>> len(week), [slot.moment.timestep for slot in week if slot.busy]
    (28, [16])
    """
    return [slot_facts(labelled, tasks, moment_of(week, step), zones) for step in range(STEPS_PER_WEEK)]
