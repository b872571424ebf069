"""What a calendar and a task list say of one slot, and of each of a week's 28."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bridge.agenda.busy import Labelled, busy_union, fragmentation, free_blocks
from bridge.agenda.deadlines import deadline_pressure
from bridge.agenda.examples import DAY, LONDON, planned, task  # noqa: F401 - for the worked examples
from bridge.agenda.meetings import back_to_back, meeting_density, short_gaps
from bridge.agenda.plans import (
    efforts,
    focus_blocks,
    long_enough,
    planned_shares,
    social_events,
    unbroken,
)
from bridge.agenda.stretches import Stretch, clipped, length, share
from bridge.types import Task
from rhythm_env.interface import STEPS_PER_WEEK, ActionType, Moment, Slot, ZoneHistory, moment_of, slot_bounds

ROOM = 30.0  # minutes from which a free stretch is worth naming
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFacts:
    """Facts of a slot. Shares are of its length, which a change of clocks or a journey makes other than six hours.

    ``unbroken`` is minutes without a pause at the slot's end, None where nothing was planned since the morning;
    ``social`` counts the entries in company that end in the seven days up to its end; ``pressure`` is that of the
    deadlines at its beginning, None where no task has a day.
    """

    moment: Moment
    start: datetime
    end: datetime
    busy: float
    meetings: float
    back_to_back: int
    short_gaps: int
    focus: tuple[Stretch, ...]  # what lies in it of blocks of at least 25 minutes
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
    """The facts of one slot; ``labelled`` reaches a week back from it.

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
    free = free_blocks((occurrence for occurrence, _ in near), start, end, minutes=ROOM)
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
    """The 28 slots of the week that begins on the Monday ``week``, from its first morning to its last night.

    >>> week = week_facts([planned(9, 12, "LEARN")], [], date(2026, 11, 16), LONDON)
    >>> len(week), [slot.moment.timestep for slot in week if slot.busy]
    (28, [16])
    """
    return [slot_facts(labelled, tasks, moment_of(week, step), zones) for step in range(STEPS_PER_WEEK)]
