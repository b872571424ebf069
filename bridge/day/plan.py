"""The plan of a date as a value: entries, suggestions, tasks before their deadlines, winding down, and sleep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

import numpy as np

from bridge.calendar.busy import Stretch
from bridge.calendar.plans import COMPANY
from bridge.day.blocks import Block, fixed_blocks, given_blocks, kept_tasks, night_blocks
from bridge.day.choice import Judged, Propensities, judged, option_at, room
from bridge.day.grid import BESIDE, CELL, DAY, EVENING, HOUR, Grid
from bridge.day.known import is_blank
from bridge.day.leisure import off
from bridge.day.masks import LEISURE, SHORT_TASK, before, is_near, urgency
from bridge.day.person import Person
from bridge.day.rules import APART, PAUSE
from bridge.day.sums import keeps_few, within
from bridge.day.unmet import night_unmet, tasks_unmet, unmet
from bridge.day.view import DUE_DAYS, RESTS, Candidate, Said, View, candidates, said_of
from bridge.domain.facts import Fact
from bridge.domain.slots import Moment, ZoneSpan, moment_at, slot_bounds
from bridge.domain.types import Reading
from bridge.meters.outlook import Expected
from rhythm_env.interface import ActionType, Meter, Slot

AHEAD_MAX = 7  # days ahead for whose plans the days before are planned as well
TASKS_MOST, URGENT_MOST, LONG_DAY, LONG_DAY_MOST = 2, 3, 6 * 60.0, 1  # tasks in a day; minutes of a long one
HALF_HOUR, STARTS_MAX = 6, 8  # cells between two starts that are tried, and how many of a free stretch
NODES = 16_000  # steps of the search for the best plan
HARD = frozenset({ActionType.DEEP_WORK, ActionType.LEARN})
REST_AFTER_SPORT = timedelta(minutes=45)
PRESSING = (24.0, 6.0, 0.0, 4.0)  # of a task due that day, above two others, the next day, later, or before


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """The plan of a date, with ``blocks`` in order of time, and the day's working hours in ``work``.

    ``wake`` is on the date and ``bedtime`` at its end, both None if nothing is known. ``unmet`` says which wishes have
    no place on it, and that no levels are foretold in an illness. ``outlook`` is that of tomorrow alone. ``moves`` are
    the stays in time zones where the clock changes on the day, the first that of its begin.
    """

    date: date
    zone: str
    bedtime: datetime | None
    wake: datetime | None
    work: tuple[Stretch, ...]
    blocks: tuple[Block, ...]
    changes: tuple[Fact, ...] = ()
    unmet: tuple[Fact, ...] = ()
    outlook: tuple[Expected, ...] = ()
    moves: tuple[ZoneSpan, ...] = ()

    @property
    def rows(self) -> list[Block | ZoneSpan]:
        """The blocks in order of time, all-day blocks first. A stay in a new zone stands before the blocks in it."""
        blocks = sorted(self.blocks, key=lambda block: (not block.all_day, block.start, block.end))
        timed = [block for block in blocks if not block.all_day]
        found: list[Block | ZoneSpan] = [*blocks]
        for move in self.moves:
            following = next((block for block in timed if block.start >= move.since), None)
            if following is not None:
                found.insert(found.index(following), move)
        return found


@dataclass(frozen=True, kw_only=True)
class Week:
    """The plans of several days. Each day is planned once, after the days before it, whose suggestions count.

    ``ask`` returns the policy's term for each action that the guard allows in a slot.
    """

    person: Person
    ask: Propensities
    readings: Mapping[Meter, Reading] = field(default_factory=dict)
    planned: dict[date, tuple[Block, ...]] = field(default_factory=dict)  # placed blocks by date, once planned
    silent: bool = False  # a lot leaves the current slot without advice
    _fixed: dict[date, list[Block]] = field(default_factory=dict)

    def blocks(self, day: date) -> tuple[Block, ...]:
        """Return the blocks of a date in order of time. Without any data, only entries of the calendar are returned."""
        blocks = [*self.fixed(day)]
        if not is_blank(self.person.known):
            blocks += self.placed(day)
            blocks += night_blocks(self.person, day, blocks)
        return tuple(sorted(blocks, key=lambda one: (one.start, one.end)))

    def placed(self, day: date) -> tuple[Block, ...]:
        """Return the suggestions and tasks planned for a date. The days from today to that date are planned first."""
        if day not in self.planned:
            self.planned[day] = tuple(self._of_day(day, [one for k in self._before(day) for one in self.placed(k)]))
        return self.planned[day]

    def fixed(self, day: date) -> list[Block]:
        """Return the blocks of the calendar on a date. An entry names no task that is planned for an earlier day."""
        if day not in self._fixed:
            self._fixed[day] = fixed_blocks(self.person, day, held=self._names_before(day))
        return self._fixed[day]

    def _before(self, day: date) -> list[date]:
        today = self.person.date_of(self.person.now)
        days = 0 if is_blank(self.person.known) else (day - today).days
        return [today + k * DAY for k in range(days)] if days <= AHEAD_MAX else []

    def _names_before(self, day: date) -> frozenset[str]:
        return frozenset(name for one in self._before(day) for name in _names([*self.placed(one), *self.fixed(one)]))

    def unmet(self, day: date) -> tuple[Fact, ...]:
        """Return why what the person wishes on a date has no place on it."""
        if is_blank(self.person.known) or day < self.person.date_of(self.person.now):
            return ()
        before = [one for k in self._before(day) for one in self.placed(k)]
        placed, view = [_said(one) for one in self.placed(day)], self._view(day, before)
        held = self._names_before(day) | _names([*self.placed(day), *self.fixed(day)])
        return (*night_unmet(self.person, day), *tasks_unmet(view, held, placed), *unmet(view, placed))

    def _of_day(self, day: date, before: Sequence[Block]) -> Iterator[Block]:
        given = [*given_blocks(self.person, day)]
        kept = kept_tasks(self.person, day, given)
        given = [*given, *kept]
        named = self._names_before(day) | _names(given) | _names(self.fixed(day))
        yield from given
        if day >= self.person.date_of(self.person.now):
            yield from _solved(self._view(day, [*before, *kept]), self, named, given)

    def _view(self, day: date, ahead: Sequence[Block]) -> View:
        said = [_said(one) for one in ahead if one.recommendation_id is None]
        grid = Grid(person=self.person, date=day)
        return View(grid=grid, readings=self.readings, said=[*said, *said_of(self.person)])


def _said(one: Block) -> Said:
    return Said(action=one.action, start=one.start, end=one.end, what=one.title, foreseen=True)


def _names(blocks: Iterable[Block]) -> frozenset[str]:
    own = {
        block.title
        for block in blocks
        if block.title and (block.kind in ("suggested", "task") or block.recommendation_id)
    }
    facts = [told for block in blocks for told in block.facts if told.kind == "for_task"]
    return frozenset(own | {told.title.reveal() for told in facts if told.title})


def _solved(view: View, week: Week, named: frozenset[str], given: Sequence[Block]) -> Iterator[Block]:
    grid, person = view.grid, view.person
    if not grid.size:
        return
    found = [judged(candidate, view, view.now, grid.size) for candidate in candidates(person, grid, said=named)]
    found = [one for one in found if one.refusal is None]
    adds: dict[Moment, Mapping[ActionType, float]] = {}
    for moment, is_current in _slots_left(view, week.silent):
        fitting = _actions_in(_best_now(found, view, moment) if is_current else found, view, moment)
        adds[moment] = week.ask(moment, fitting)
    places = [place for number, one in enumerate(found) for place in _places(number, one, view, adds)]
    made = sum(one.kind == "suggested" and one.moment.date == grid.date for one in person.advised)
    ahead = [one for one in given if one.kind == "suggested" and one.start > person.now]
    tasks = min(_tasks_most(view, found, given), sum(kind_of(one.candidate, person) == "task" for one in found))
    due = {str(task.key) for task in person.known.tasks if task.due == grid.date}
    of_day = min(tasks, sum(one.candidate.due == grid.date for one in found))
    left = room(view, of_day, tasks - of_day, made, sum(one.task not in due for one in ahead))
    most = {"suggested": left, "task": tasks}
    first = min(ahead, key=lambda one: one.start, default=None)
    places = places if first is None else _not_before(first, places, found, view)
    firm = [place for place in places if not found[place.choice].thin[place.start]]
    if firm or view.holds_any:
        places = firm
    else:
        most["suggested"] = min(most["suggested"], 1)
    chosen = solve(
        places,
        most,
        lambda one, other: _apart(one, other, found, grid),
        lambda several: (
            within(((found[one.choice].candidate.action, 5 * (one.end - one.start)) for one in several), view)
            and keeps_few([grid.at(one.start) for one in several if one.kind == "suggested"], view)
        ),
    )
    for place in chosen:
        yield _block(found[place.choice], place, view)


def _not_before(first: Block, places: Sequence[Place], found: Sequence[Judged], view: View) -> list[Place]:
    """Drop the times before the current recommendation ``first``, except those of tasks due today."""
    day, person = view.grid.date, view.person
    is_open = any(one.id == first.recommendation_id and one.answer is None for one in person.advised)
    as_urgent = is_open and any(str(t.key) == first.task and urgency(t.due, day) == 0 for t in person.known.tasks)
    later = {place.choice for place in places if view.grid.at(place.start) >= first.start}
    of_today = {n for n, one in enumerate(found) if urgency(one.candidate.due, day) == 0}
    free = of_today - later if as_urgent else of_today
    return [place for place in places if place.choice in free or view.grid.at(place.start) >= first.start]


def _best_now(found: Sequence[Judged], view: View, moment: Moment) -> list[Judged]:
    tried, (low, high) = {one.action for one in view.person.advised if one.moment == moment}, _cells(view, moment)
    return [one for one in found if one.candidate.action not in tried and low <= int(np.argmax(one.value)) < high]


def _slots_left(view: View, silent: bool) -> Iterator[tuple[Moment, bool]]:
    day, current = view.grid.date, moment_at(view.person.now, view.person.known.zones)
    monday = day - day.weekday() * DAY
    slots = (Moment(week=monday, day=day.weekday(), slot=slot) for slot in (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING))
    yield from ((slot, slot == current) for slot in slots if slot > current or (slot == current and not silent))


def _cells(view: View, moment: Moment) -> tuple[int, int]:
    low, high = slot_bounds(moment, view.person.known.zones)
    return view.grid.up(low), view.grid.up(high)


def _actions_in(found: Sequence[Judged], view: View, moment: Moment) -> list[ActionType]:
    low, high = _cells(view, moment)
    fitting = {one.candidate.action for one in found if low < high and np.isfinite(one.value[low:high]).any()}
    return [action for action in ActionType if action in fitting]


def kind_of(candidate: Candidate, person: Person) -> str:
    """Return "task" for a task due within two days, which is placed in addition to suggestions, else "suggested"."""
    near = candidate.due is not None and candidate.due <= person.date_of(person.now) + DUE_DAYS * DAY
    return "task" if near else "suggested"


def _places(number: int, one: Judged, view: View, adds: Mapping[Moment, Mapping[ActionType, float]]) -> Iterator[Place]:
    """Yield the times to try for a suggestion: in each free time the best and last start, and every half hour."""
    kind, due = kind_of(one.candidate, view.person), one.candidate.due
    days = 2 if due is None else min(max((due - view.grid.date).days, -1), 2)
    action, spans = one.candidate.action, [(-1, (0, view.grid.size), 0.0)]
    if kind == "suggested" and action is not None:
        slots = [(group, moment, adds[moment].get(action)) for group, moment in enumerate(adds)]
        spans = [(group, _cells(view, moment), extra) for group, moment, extra in slots if extra is not None]
    for group, (low, high), extra in spans:
        starts = low + np.flatnonzero(np.isfinite(one.value[low:high]))
        for stretch in np.split(starts, np.flatnonzero(np.diff(starts) > 1) + 1) if starts.size else ():
            best = int(stretch[np.argmax(one.value[stretch])])
            others = sorted(map(int, stretch[::HALF_HOUR]), key=lambda start: -one.value[start])[:STARTS_MAX]
            for start in dict.fromkeys((best, *others, int(stretch[-1]))):
                end = start + int(one.lengths[start])
                value = float(one.value[start]) + extra
                value += PRESSING[days] if value > 0 else 0.0
                yield Place(choice=number, kind=kind, start=start, end=end, value=value, group=group)


def _tasks_most(view: View, found: Sequence[Judged], given: Sequence[Block]) -> int:
    due = {one.candidate.due for one in found if one.candidate.due is not None}
    near = any(is_near(one.candidate, view) for one in found)
    urgent = near and min(due) <= view.grid.date  # what is late takes no place of what is due by the next day
    evening, company = view.grid.since(EVENING), (o.start for action in COMPANY for o in view.planned(action))
    urgent = urgent and not any(evening <= start < view.grid.bed for start in company)  # the evening is theirs
    most = LONG_DAY_MOST if view.grid.load >= LONG_DAY else TASKS_MOST
    taken = sum(one.task is not None or one.action not in RESTS for one in given)
    of_day = sum(one.candidate.due == view.grid.date for one in found)
    most = max((URGENT_MOST if urgent else most) - taken, of_day)
    if view.grid.work or not off(view, view.grid.date):
        return most
    other = {str(task.key) for task in view.person.known.tasks if task.due != view.grid.date}
    return min(most, of_day + all(one.task not in other for one in given))  # a day off takes one of other days


def _apart(one: Place, other: Place, found: Sequence[Judged], grid: Grid) -> bool:
    """Return True if two suggestions may be in one plan: far enough apart, and the more urgent first."""
    day = grid.date
    first, last = (one, other) if one.start <= other.start else (other, one)
    earlier, after = found[first.choice].candidate, found[last.choice].candidate
    at_its_hours = found[first.choice].wished_at(first.start)
    waits = (
        after.due is not None
        and last.kind == "task"
        and not at_its_hours
        and urgency(earlier.due, day) > urgency(after.due, day)
    )
    if waits and after.due is not None and before(after.due, None if earlier.task else earlier.action, day):
        return False
    if after.due == day and earlier.due is not None and earlier.due < day and earlier.wanted > SHORT_TASK:
        return False  # of what is late and what is due today the latter comes first
    hard, alike = after.action in HARD, urgency(earlier.due, day) == urgency(after.due, day)
    if hard and alike and earlier.action is ActionType.ADMIN_WORK and grid.load >= LONG_DAY:
        return False  # after a day of meetings nothing hard comes last
    gap = (last.start - first.end) * CELL
    if "task" in (first.kind, last.kind):
        errands = earlier.action is after.action is ActionType.ADMIN_WORK
        rest = REST_AFTER_SPORT if earlier.action is ActionType.EXERCISE else PAUSE
        return gap >= (BESIDE if errands and first.kind == last.kind else rest)
    if first.group == last.group or gap < APART:
        return False
    if earlier.action in LEISURE and after.action in LEISURE:
        return False
    return earlier.action is None or earlier.action is not after.action or gap >= earlier.length.again * HOUR


def _block(one: Judged, place: Place, view: View) -> Block:
    option = option_at(one, view, place.start)
    return Block(
        start=option.start,
        end=option.end,
        kind=place.kind,
        action=one.candidate.action,
        title=option.what,
        facts=option.facts,
        task=None if option.task is None or option.task.key in view.person.errands else str(option.task.key),
    )


# The search for the best plan -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A time for the suggestion number ``choice``: steps of five minutes ``start`` to ``end``, slot ``group``."""

    choice: int
    kind: str
    start: int
    end: int
    value: float
    group: int = 0


Apart = Callable[[Place, Place], bool]  # two places can stand beside each other
Most = Mapping[str, int]
Within = Callable[[Sequence[Place]], bool]  # several places together keep the sums of the day


def solve(places: Sequence[Place], most: Most, apart: Apart, keeps: Within = lambda _: True) -> list[Place]:
    """Return the suggestions with times whose sum of values is largest, by start. ``most`` limits each kind,
    ``keeps`` all of them together.

    Branch and bound finds the exact answer, the best candidates first. After ``NODES`` steps it stops with its best.
    """
    by_choice: dict[int, list[Place]] = {}
    for one in sorted(places, key=lambda place: -place.value):
        if one.value > 0 and most.get(one.kind, 0) > 0:
            by_choice.setdefault(one.choice, []).append(one)
    choices = sorted(by_choice.values(), key=lambda of: -of[0].value)
    search = _Search(choices=choices, most=most, apart=apart, keeps=keeps, left=NODES)
    search.run(0, [], 0.0)
    return sorted(search.best, key=lambda one: one.start)


def total(chosen: Sequence[Place]) -> float:
    return sum(one.value for one in chosen)


def fits(one: Place, chosen: Sequence[Place], most: Most, apart: Apart) -> bool:
    """Return True if a suggestion at a time can be added to those chosen."""
    if sum(other.kind == one.kind for other in chosen) >= most.get(one.kind, 0):
        return False
    return all(other.choice != one.choice and apart(one, other) for other in chosen)


@dataclass(slots=True, kw_only=True)
class _Search:
    """A depth-first search for the best plan, which abandons plans that cannot become the best."""

    choices: Sequence[Sequence[Place]]
    most: Most
    apart: Apart
    keeps: Within
    left: int
    best: list[Place] = field(default_factory=list)

    def run(self, at: int, chosen: list[Place], value: float) -> None:
        """Try the candidates from ``at`` on in addition to those chosen."""
        if value > total(self.best) + 1e-9:
            self.best = list(chosen)
        if at == len(self.choices) or self.left <= 0 or value + self._bound(at, chosen) <= total(self.best) + 1e-9:
            return
        for one in self.choices[at]:
            self.left -= 1
            if fits(one, chosen, self.most, self.apart) and self.keeps([*chosen, one]):
                self.run(at + 1, [*chosen, one], value + one.value)
        self.run(at + 1, chosen, value)

    def _bound(self, at: int, chosen: Sequence[Place]) -> float:
        room = {kind: most - sum(one.kind == kind for one in chosen) for kind, most in self.most.items()}
        bound = 0.0
        for of in self.choices[at:]:
            if room[of[0].kind] > 0:
                room[of[0].kind] -= 1
                bound += of[0].value
        return bound
