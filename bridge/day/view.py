"""A look at a day: the grid, the meters, and what is said already, for rules and terms to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bridge.calendar.busy import Stretch, is_open_hours, merged, takes_time
from bridge.calendar.plans import COMPANY
from bridge.day.grid import DAY, Grid, is_meal, run
from bridge.day.person import Person
from bridge.day.sleep import is_night
from bridge.domain.records import AdviceRecord
from bridge.domain.slots import ZoneHistory, moment_at, zone_at
from bridge.domain.types import Event, Label, Occurrence, Reading
from rhythm_env.interface import ActionType, Answer, Meter

SURE = 0.5  # confidence of a label from which an entry counts as its action
WEEK = timedelta(days=7)
MARKED_FREE = timedelta(hours=4)  # the longest entry marked as free that still keeps its time
ATTENDED = COMPANY | {ActionType.EXERCISE, ActionType.LEARN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A suggestion that the day holds already, made or foreseen. ``what`` names its task or activity."""

    action: ActionType | None
    start: datetime
    end: datetime
    what: str | None = None
    foreseen: bool = False


@dataclass(frozen=True, kw_only=True)
class View:
    """A day of a person as it is judged. ``said`` are the suggestions of this day and of the days around it."""

    grid: Grid
    readings: Mapping[Meter, Reading] = field(default_factory=dict)
    said: Sequence[Said] = ()

    @property
    def person(self) -> Person:
        return self.grid.person

    @cached_property
    def is_today(self) -> bool:
        return self.grid.date == self.person.date_of(self.person.now)

    @cached_property
    def now(self) -> int:
        """The first cell that begins now or later."""
        return self.grid.up(self.person.now)

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """Cells in a row without an entry or anything said, from each cell on, until bedtime."""
        said = [(one.start, one.end) for one in self.said]
        return run(~(self.grid.busy | self.grid.touched(said)))

    @cached_property
    def near(self) -> list[Said]:
        """The suggestions that are made and touch the day."""
        return [one for one in self.said if one.end > self.grid.wake - DAY / 2 and one.start < self.grid.bed + DAY / 2]

    @cached_property
    def entries(self) -> list[Stretch]:
        """The timed entries that a plan shows, those marked as free among them, merged."""
        shown = (o for o, _ in self.person.entries if not o.event.all_day and stands(o.event))
        return merged((o.start, o.end) for o in shown)

    @cached_property
    def attended_beside(self) -> list[Stretch]:
        """The timed entries that are marked as free, though somebody is there: short ones, and what one attends."""
        beside = ((o, label) for o, label in self.person.entries if not takes_time(o.event) and is_there(o, label))
        return [self.grid.margins(o, label) for o, label in beside]

    def all_day(self, action: ActionType | None) -> bool:
        """Return True if an all-day entry of the date is surely of an action."""
        begin, end = self.grid.midnight, self.grid.end_of_date
        return any(
            o.event.all_day and o.start < end and o.end > begin and stands(o.event)
            for o, label in self.person.entries
            if label.action is action and label.confidence >= SURE
        )

    def planned(self, action: ActionType | None) -> list[Occurrence]:
        """Return the entries of an action within eight days of now, by labels that are sure."""
        return self._by_action.get(action, [])

    @cached_property
    def _by_action(self) -> dict[ActionType | None, list[Occurrence]]:
        found: dict[ActionType | None, list[Occurrence]] = {}
        for occurrence, label in self.person.entries:
            alone = label.action is ActionType.ME_TIME and is_meal(occurrence)
            timed = not occurrence.event.all_day and stands(occurrence.event)
            if label.confidence >= SURE and timed and not alone:
                found.setdefault(label.action, []).append(occurrence)
        return found

    def times(self, action: ActionType, until: datetime) -> set[date]:
        """Return the dates within the seven days up to ``until`` that have an action done, planned or foreseen."""
        day = self.person.date_of(until)
        found = {self.person.date_of(o.start) for o in self.planned(action) if o.end <= until}
        found |= {self.person.date_of(one.start) for one in self.said if one.foreseen and one.action is action}
        if action is ActionType.EXERCISE:
            found |= {one for k in range(WEEK.days) if self.person.workouts(one := day - k * DAY)}
        return {one for one in found if day - WEEK < one <= day}


def stands(event: Event) -> bool:
    """Return True for what belongs in the plan: not cancelled or declined, nor a mark of a place or a task."""
    if takes_time(event):
        return True
    return not event.cancelled and event.response != "declined" and event.kind not in ("workingLocation", "task")


def is_there(occurrence: Occurrence, label: Label) -> bool:
    """Return True if the person is at a timed entry: it is busy, or marked as free though somebody attends it."""
    event, length = occurrence.event, occurrence.end - occurrence.start
    if event.all_day or not stands(event) or is_night(occurrence, label) or is_open_hours(event):
        return False
    attends = label.action in ATTENDED and label.confidence >= SURE
    return takes_time(event) or length <= MARKED_FREE or attends


def said_of(person: Person) -> list[Said]:
    """Return the suggestions made for the person that hold or may still: not refused, nor put off without a time."""
    return [
        Said(action=one.action, start=one.start, end=one.end, what=one.what)
        for one in person.advised
        if one.kind == "suggested" and one.start and one.end
        if one.answer is None or is_agreed(one, person.known.zones)
    ]


def is_agreed(advice: AdviceRecord, zones: ZoneHistory) -> bool:
    """Return True if the person accepted a recommendation, or put it off to the slot of its start.

    One that was accepted and closed before its start was taken back, because the person fell ill for example.
    """
    if advice.answer is Answer.RESCHEDULE and advice.start is not None:
        return moment_at(advice.start, zones) == advice.moved_to
    gone = advice.closed_at is not None and advice.start is not None and advice.closed_at < advice.start
    return advice.answer is Answer.ACCEPT and not gone


def promised(person: Person) -> list[Stretch]:
    """Return the times of suggestions that the person agreed to."""
    return [
        (one.start, one.end)
        for one in person.advised
        if one.kind == "suggested" and one.start and one.end and is_agreed(one, person.known.zones)
    ]


def suggested_on(person: Person, at: datetime) -> int:
    """Return how many suggestions were made for the local day of ``at``, but for one that is open in its slot."""
    moment = moment_at(at, person.known.zones)
    return sum(
        one.kind == "suggested"
        and one.moment.date == moment.date
        and (one.moment != moment or one.answer is not None or one.closed_at is not None)
        for one in person.advised
    )


def local(view: View, at: datetime) -> datetime:
    """Return an instant on the person's clock."""
    return at.astimezone(zone_at(at, view.person.known.zones))
