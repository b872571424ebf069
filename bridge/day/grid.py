"""A waking day in cells of five minutes: what is busy, at work, eaten, travelled and rested in each of them.

The lengths are our choice where no source is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bridge.calendar.busy import Stretch, clipped, length, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import TO_THE_AIRPORT, is_by_land, is_journey, journey, moves
from bridge.calendar.kinds import hold, is_meal, title_of
from bridge.calendar.meetings import is_meeting
from bridge.calendar.plans import COMPANY
from bridge.day.known import Entry
from bridge.day.person import Person
from bridge.day.sleep import is_night, rounded_up
from bridge.day.typical import instant
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Label, Occurrence
from rhythm_env.interface import ActionType

Cells = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Starts = NDArray[np.intp]

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CELL = 5 * MINUTE
CELLS_MAX = 36 * 12  # of a waking day, whatever the clocks say
EVENING, NIGHT_WORK = 17 * HOUR, 18 * HOUR  # after midnight: an entry, or one of work, that begins later fills it
EVENING_ENTRY = 45 * MINUTE  # least length of an entry that fills an evening
EVENING_LEFT = 4 * HOUR  # before bedtime: an entry that ends earlier leaves an evening
LUNCHES, LUNCH = (750, 720, 780, 690, 810, 840, 870), 30 * MINUTE  # begins after midnight; the first free one counts
DINNERS, DINNER = (1140, 1110, 1170, 1080, 1200, 1230, 1050), 40 * MINUTE
LUNCH_UNTIL, LUNCH_LEAST, SHIFT_LEAST = 14 * HOUR, 20 * MINUTE, 4 * HOUR  # a lunch; an entry that has its own pauses
LATE_LUNCH, MEAL_WITHIN = 14.5 * HOUR, 1.5 * HOUR  # after midnight; ahead, in which what is easy to end gives way
NO_MEAL, MEAL_LEFT = 9 * HOUR, 45 * MINUTE  # of entries without a gap, in which food is spoken of; left of them then
LUNCH_FROM, DINNER_FROM, DINNER_UNTIL = 11 * HOUR, 17 * HOUR, 22 * HOUR
FASTS_UNTIL = 10 * HOUR + 30 * MINUTE  # for those who get up later, breakfast is lunch
PAUSE_AT_MOST = 30 * MINUTE  # between entries that count as one stretch
# Stretches without a pause: least length, and what they need before and after.
DEMANDS = ((6 * HOUR, HOUR, 90 * MINUTE), (3 * HOUR, 15 * MINUTE, 30 * MINUTE))
WAY_TO_WORK, WAY_FROM_WORK = 45 * MINUTE, 30 * MINUTE
FAMILY_PAUSE, FAMILY_FROM, FAMILY_MORNING = 3 * HOUR, 14 * HOUR, 9 * HOUR
BESIDE, TRAVEL, WAY = 5 * MINUTE, 30 * MINUTE, 15 * MINUTE  # kept free around an entry; at a place; on the way out
LONG, BREATH, OUTING = 45 * MINUTE, 10 * MINUTE, 30 * MINUTE
HARD_WEEK = 45  # hours of work in the calendar within six days, after which a free day is one
OFFICE_WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
EASY = frozenset(ActionType) - OFFICE_WORK - {ActionType.LEARN, ActionType.SOCIALIZE}


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The waking day of ``date``: cell 0 begins at waking, rounded up to five minutes, and the last ends by bedtime.

    ``tight`` cuts ways and pauses short, for what is due today and has no other place.
    """

    person: Person
    date: date
    tight: bool = False

    @cached_property
    def wake(self) -> datetime:
        return self.person.sleep(self.date)[1]

    @cached_property
    def bed(self) -> datetime:
        return self.person.sleep(self.date + DAY)[0]

    @cached_property
    def begin(self) -> datetime:
        return rounded_up(self.wake)

    @cached_property
    def size(self) -> int:
        return min(max((self.bed - self.begin) // CELL, 0), CELLS_MAX)

    @cached_property
    def midnight(self) -> datetime:
        """The instant from which hours count so that they are those of the clock: twelve hours before noon.

        It is midnight, unless the clock changes in the morning.
        """
        return instant(self.date, 12 * 60.0, self.person.known.zones) - 12 * HOUR

    @cached_property
    def end_of_date(self) -> datetime:
        return midnight(self.date + DAY, self.person.known.zones)

    def since(self, after_midnight: timedelta) -> datetime:
        return self.midnight + after_midnight

    def at(self, cell: int) -> datetime:
        return self.begin + cell * CELL

    def up(self, at: datetime) -> int:
        """Return the index of the first five minutes from an instant on: 0 before the day, ``size`` after it."""
        return min(max(-((self.begin - at) // CELL), 0), self.size)

    def down(self, at: datetime) -> int:
        """Return the number of the five minutes that hold an instant: 0 before the day, ``size`` after it."""
        return min(max((at - self.begin) // CELL, 0), self.size)

    def touched(self, stretches: Iterable[Stretch]) -> Cells:
        """Return, for each five minutes of the day, True if any part of it lies in one of the times."""
        found = np.zeros(self.size, dtype=bool)
        for low, high in stretches:
            if low < high:
                found[self.down(low) : self.up(high)] = True
        return found

    def inside(self, stretches: Iterable[Stretch]) -> Cells:
        """Return, for each five minutes of the day, True if it lies wholly in one of the times."""
        found = np.zeros(self.size, dtype=bool)
        for low, high in stretches:
            if low < high:
                found[self.up(low) : self.down(high)] = True
        return found

    @cached_property
    def minutes(self) -> Numbers:
        """The minute after midnight at which each five minutes begin."""
        return np.arange(self.size, dtype=np.float64) * 5 + (self.begin - self.midnight) / MINUTE

    @cached_property
    def work(self) -> list[Stretch]:
        return self.person.work(self.date)

    @cached_property
    def entries(self) -> list[Entry]:
        """The timed, busy entries between waking and bedtime, nights excepted."""
        return [
            (o, label)
            for o, label in self.person.entries
            if takes_time(o.event) and o.start < self.bed and o.end > self.wake and not is_night(o, label)
        ]

    @cached_property
    def busy(self) -> Cells:
        """True for each five minutes of what cannot be moved, such as entries, and of the way home from work."""
        home = () if self.person.body.ill else self.work  # who is ill is not on the way from it
        return self.fixed | self.touched((end, end + WAY_FROM_WORK) for _, end in home)

    @cached_property
    def fixed(self) -> Cells:
        """True for each five minutes of entries and rests. A task due today may use the way home from work."""
        return self.entered | self.touched(self.rests)

    @cached_property
    def entered(self) -> Cells:
        """True for each five minutes of entries, of the way before and the pause after them, and of journeys."""
        return self.touched([*(self.margins(o, label) for o, label in self.entries), *self.journeys])

    def margins(self, occurrence: Occurrence, label: Label) -> Stretch:
        """Return the time of an entry with the way before it and a pause after it."""
        if is_by_land(occurrence):
            return journey(occurrence)
        length, place = occurrence.end - occurrence.start, TRAVEL if occurrence.event.located else BESIDE
        outing = length >= OUTING and not clipped(self.work, occurrence.start, occurrence.end)
        leaves = outing or (length >= LONG and label.action is ActionType.LEARN)
        after = max(place, TRAVEL if leaves else BREATH if length >= LONG else BESIDE)
        before, most = max(place, WAY if outing else BESIDE), WAY if self.tight else DAY
        return occurrence.start - min(before, most), occurrence.end + min(after, most)

    @cached_property
    def rests(self) -> list[Stretch]:
        """Return the time that entries and work need before and after them: ways, food and pauses."""
        found: list[Stretch] = []
        near, most = clipped(self.person.attended, self.wake - DAY, self.bed + DAY), TRAVEL if self.tight else DAY
        for start, end in merged(near, bridging=PAUSE_AT_MOST):
            need = next((demand for demand in DEMANDS if end - start >= demand[0]), None)
            if need is not None:
                found += [(start - min(need[1], most), start), (end, end + min(need[2], most))]
        for start, _ in () if self.person.body.ill else self.work:  # who is ill is not on the way to it
            found.append((start - min(WAY_TO_WORK, most), start))
        return merged(found)

    @cached_property
    def journeys(self) -> list[Stretch]:
        """The flights with the ways to and from the airport. A flight after waking blocks the rest of the day."""
        return merged(
            (start, end if start + TO_THE_AIRPORT < self.wake else max(end, self.bed))
            for start, end in self.person.journeys
            if start < self.bed and end > self.wake
        )

    @cached_property
    def new_zones(self) -> Sequence[ZoneSpan]:
        """The stays in another zone that begin on the day, or did in the 24 hours before it."""
        return moves(self.person.known.zones, self.wake - DAY, self.bed)

    @cached_property
    def with_family(self) -> list[Stretch]:
        """Times kept free for the family: pauses between entries with the family, and the time before an early one."""
        mine = [o for o, label in self.entries if label.action is ActionType.FAMILY_TIME]
        found = [
            (one.end, other.start)
            for one, other in pairwise(mine)
            if one.start >= self.since(FAMILY_FROM) and timedelta(0) < other.start - one.end <= FAMILY_PAUSE
        ]
        if mine and self.wake < mine[0].start < self.since(FAMILY_MORNING):
            found.append((self.wake, mine[0].start))
        return merged(found)

    @cached_property
    def meals(self) -> list[Stretch]:
        """The entries for lunch and dinner, or else free hours assumed for the meals, which can be moved."""
        early = self.wake <= self.since(FASTS_UNTIL)
        lunch = self._meal(LUNCHES, LUNCH, LUNCH_FROM, EVENING) if early else None
        dinner = self._meal(DINNERS, DINNER, DINNER_FROM, DINNER_UNTIL)
        return merged(meal for meal in (lunch, dinner) if meal is not None)

    def _meal(self, begins: Sequence[int], length: timedelta, low: timedelta, high: timedelta) -> Stretch | None:
        for occurrence, _ in self.entries:
            if is_meal(occurrence) and self.since(low) <= occurrence.start < self.since(high):
                return occurrence.start, occurrence.end
        starts = (self.since(minutes * MINUTE) for minutes in begins)
        free = (one for one in starts if not clipped(self.person.attended, one, one + length))
        start = next((one for one in free if self.wake < one < self.bed), None)
        return None if start is None else (start, start + length)

    @cached_property
    def no_lunch(self) -> tuple[Occurrence, Fact] | None:
        """The entry that is easiest to shorten, and the fact that there is no time for lunch. None if there is."""
        low, high = self.since(LUNCH_FROM), self.since(LUNCH_UNTIL)
        mine = [(o, label) for o, label in self.entries if o.start < high and low < o.end]
        row = next((one for one in self.rows if one[0] <= low and high <= one[1]), None)
        fed = any(self._feeds(*one) for one in mine) or clipped(self.journeys, low, high)
        able = [one for one in mine if _can_end(one[0], self.person.now)]
        noon = self.since(LUNCHES[0] * MINUTE)
        gives = min(able, key=lambda one: (hold(*one), abs(one[0].end - LUNCH_LEAST - noon)), default=None)
        if row is None or fed or gives is None:
            return None
        return gives[0], self._gap("no_lunch", row, gives)

    @cached_property
    def rows(self) -> list[Stretch]:
        """Entries one after another without a gap long enough to eat, each such series as a list."""
        return merged(self.person.attended, bridging=LUNCH_LEAST)

    def no_meal(self, at: datetime) -> Fact | None:
        """Return the fact that entries of nine hours around an instant leave no gap to eat; else None."""
        row = next((one for one in self.rows if one[0] <= at < one[1] and one[1] - one[0] >= NO_MEAL), None)
        inside = [(o, label) for o, label in self.entries if row and row[0] <= o.start < row[1]]
        if row is None or any(self._feeds(*one) for one in inside):
            return None
        able = [one for one in inside if _can_end(one[0], at) and one[0].end <= row[1] - MEAL_LEFT]
        gives = min(able, key=lambda one: (one[0].end > at + MEAL_WITHIN, hold(*one), one[0].end), default=None)
        return None if gives is None else self._gap("no_meal_gap", row, gives)

    def _feeds(self, occurrence: Occurrence, label: Label) -> bool:
        """Return True for a meal, for what has pauses of its own, and for company outside of work."""
        company = label.action in COMPANY and not clipped(self.work, occurrence.start, occurrence.end)
        return company or is_meal(occurrence) or occurrence.end - occurrence.start >= SHIFT_LEAST

    def _gap(self, kind: str, row: Stretch, gives: Entry) -> Fact:
        start, end, time = (self.person.local(at) for at in (*row, gives[0].start))
        if hold(*gives) < 2:
            return fact(kind, start=start, end=end, time=time, title=title_of(gives[0]))
        late = kind == "no_lunch" and row[1] <= self.since(LATE_LUNCH)
        if late or row[0] > self.person.now:
            return fact("lunch_after" if late else "eat_along", start=start, end=end)
        pauses = without([(max(row[0], self.person.now), row[1])], self.person.attended)
        longest = max(pauses, key=lambda one: one[1] - one[0], default=None)
        if longest is None or longest[1] - longest[0] < CELL:
            return fact("eat_during", start=start, end=end)
        return fact("eat_in_pause", start=start, end=end, time=self.person.local(longest[0]))

    @cached_property
    def strains(self) -> list[tuple[Occurrence, Label]]:
        """The tiring entries of the day, which are all except rest, sport, family, and company after work."""
        return [
            (o, label)
            for o, label in self.entries
            if label.action not in EASY
            and not (label.action is ActionType.SOCIALIZE and not clipped(self.work, o.start, o.end))
        ]

    @cached_property
    def strained(self) -> Numbers:
        """Minutes of tiring entries before each cell begins, and after the last one (size + 1,)."""
        busy = self.touched((o.start, o.end) for o, _ in self.strains)
        return np.concatenate([[0.0], np.cumsum(busy * 5.0)])

    @cached_property
    def load(self) -> float:
        """The minutes of tiring entries of the day, up to a shift by night that begins in its evening."""
        by_night = (o.start for o, _ in self.strains if o.end - o.start >= SHIFT_LEAST and o.end > self.end_of_date)
        begins = min((start for start in by_night if start >= self.since(NIGHT_WORK)), default=self.bed)
        return float(self.strained[self.down(begins)])

    @cached_property
    def strained_lately(self) -> Cells:
        """True for each start (size,) up to three hours after a tiring entry."""
        return self.inside((o.end - CELL, o.end + 3 * HOUR) for o, _ in self.strains)

    def strain_kinds(self) -> tuple[str, ...]:
        """Return the kinds of the day's tiring entries, the longest in total first, without those below 15 %."""
        times = Counter[str]()
        for o, label in self.strains:
            kind = "meetings" if is_meeting(o.event) else "study" if label.action is ActionType.LEARN else "work"
            kind = "travel" if is_by_land(o) or is_journey(o) else kind
            times[kind] += round((o.end - o.start) / MINUTE)
        told = [kind for kind, minutes in times.most_common() if minutes >= 0.15 * times.total()]
        return tuple(told) or ("work",)

    def worked(self, days: int, ahead: int = 0) -> float:
        """Return the hours of work entries from ``days`` before the date to ``ahead`` days after it."""
        low, high = (self.midnight + k * DAY for k in (-days, ahead))
        work = ((o, label) for o, label in self.person.entries if takes_time(o.event) and label.action in OFFICE_WORK)
        return length(clipped(merged((o.start, o.end) for o, _ in work), low, high)) / HOUR

    @cached_property
    def spent_from(self) -> datetime:
        """The beginning of the first entry that fills the evening, or bedtime if none does."""
        found = [
            o.start
            for o, label in self.entries
            if o.start >= self.since(NIGHT_WORK if label.action in OFFICE_WORK else EVENING)
            and o.end - o.start >= EVENING_ENTRY
            and o.end >= self.bed - EVENING_LEFT
        ]
        return min([self.bed, *found])

    def off_work(self, low: datetime, high: datetime) -> list[Stretch]:
        return without([(low, high)], self.work) if low < high else []


def _can_end(occurrence: Occurrence, at: datetime) -> bool:
    """Return True if an entry lies ahead and is still useful when cut by 20 minutes."""
    return occurrence.end - LUNCH_LEAST > max(at, occurrence.start)


def run(cells: Cells) -> Starts:
    """Return, for each position, how many values in a row are True from there on.

    >>> run(np.array([True, True, False, True])).tolist()
    [2, 1, 0, 1]
    """
    places = np.where(cells, cells.size, np.arange(cells.size))
    ends: Starts = np.minimum.accumulate(places[::-1])[::-1]
    return ends - np.arange(cells.size)


def without(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of ``stretches`` (disjoint, ascending times) that none of ``taken`` covers."""
    left: list[Stretch] = []
    for low, high in stretches:
        at = low
        for start, end in clipped(merged(taken), low, high):
            if at < start:
                left.append((at, start))
            at = end
        if at < high:
            left.append((at, high))
    return left


def grid_of(person: Person, at: datetime) -> Grid:
    """Return the waking day of an instant. A sleep's first half belongs to the day before it."""
    day = person.date_of(at)
    bed, wake = person.sleep(day)
    before = at < bed or (at < wake and at < bed + (wake - bed) / 2)
    return Grid(person=person, date=day - DAY if before else day)
