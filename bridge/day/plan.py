"""The plan of a date as a value: entries, suggestions, tasks before their deadlines, winding down, and sleep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from bridge.calendar.busy import Stretch, clipped, is_open_hours, is_reminder, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import is_by_land, is_journey, journey, with_ways
from bridge.calendar.kinds import title_of, words
from bridge.calendar.plans import COMPANY
from bridge.day.agreed import is_agreed, moved_tasks
from bridge.day.bedtime import leaving, of_bedtime, of_waking, over_entries
from bridge.day.choice import Judged, Propensities, judged, option_at
from bridge.day.grid import BESIDE, CELL, DAY, EVENING, HOUR, MINUTE, Grid, without
from bridge.day.masks import AGAIN, LEISURE, SHORT_TASK, before, urgency
from bridge.day.person import PERIOD, Person, is_blank
from bridge.day.recovery import at_risk, leaving_for
from bridge.day.rules import APART, PAUSE
from bridge.day.sleep import LEAST_SLEEP, Rests, begun, other_zone, rounded_up
from bridge.day.solver import Place, solve
from bridge.day.terms import due_weight
from bridge.day.unmet import night_unmet, unmet
from bridge.day.view import (
    DUE_DAYS,
    MOST,
    OF_A_TASK,
    RESTS,
    Candidate,
    Said,
    View,
    candidates,
    due_tasks,
    may_be_for,
    of_due,
    of_task,
    said_of,
    stands,
)
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Deed
from bridge.domain.slots import Moment, ZoneSpan, moment_at, slot_bounds, zone_at
from bridge.domain.types import Label, Occurrence, Reading, Task
from bridge.domain.zones import place_of
from bridge.meters.outlook import Expected
from rhythm_env.interface import ActionType, Meter, Slot

WIND_DOWN, WIND_DOWN_MIN, WIND_DOWN_BACK = timedelta(minutes=45), timedelta(minutes=15), timedelta(minutes=90)
WAY_HOME = timedelta(minutes=15)  # from an entry to the time to wind down
AHEAD_MAX = 7  # days ahead for whose plans the days before are planned as well
TASKS_MOST, URGENT_MOST, LONG_DAY, LONG_DAY_MOST = 2, 3, 6 * 60.0, 1  # tasks in a day; minutes of a long one
HALF_HOUR, STARTS_MAX = 6, 8  # cells between two starts that are tried, and how many of a free stretch
HARD = frozenset({ActionType.DEEP_WORK, ActionType.LEARN})
REST_AFTER_SPORT = timedelta(minutes=45)
PRESSING = (8.0, 4.0, 0.0, 0.0)  # by urgency, so that no leisure takes the day of a task that cannot wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a day's plan. ``kind`` is entry, suggested, task, wind_down or sleep.

    ``recommendation_id`` is None for a preview. ``task`` is the key of the open task that it names. ``own_title`` is
    that of an entry, private or not, for the person's own pages alone.
    """

    start: datetime
    end: datetime
    kind: str
    action: ActionType | None = None
    title: str | None = None
    own_title: str | None = None
    facts: tuple[Fact, ...] = ()
    recommendation_id: int | None = None
    all_day: bool = False
    flight: bool = False
    task: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """The plan of a date, with ``blocks`` in order of time, and the day's working hours in ``work``.

    ``wake`` is on the date and ``bedtime`` at its end, both None if nothing is known. ``unmet`` says which wishes have
    no place on it. ``outlook`` is that of tomorrow alone. ``moves`` are the stays in time zones where the clock changes
    on the day, the first that of its begin.
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
        """The blocks in order of time, all-day blocks first, and the stays in new zones before what follows them."""
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
    """The days of a person as they are planned, each once: a day ahead counts what the days before it hold.

    ``ask`` gives what the policy adds to each action that the guard allows in a slot.
    """

    person: Person
    ask: Propensities
    readings: Mapping[Meter, Reading] = field(default_factory=dict)
    planned: dict[date, tuple[Block, ...]] = field(default_factory=dict)  # placed blocks by date, once planned
    silent: bool = False  # a lot leaves the current slot without advice
    _fixed: dict[date, list[Block]] = field(default_factory=dict)

    def blocks(self, day: date) -> tuple[Block, ...]:
        """Return the blocks of a date in order of time. Of a person who is not known, only what the calendar fixes."""
        blocks = [*self.fixed(day)]
        if not is_blank(self.person.known):
            blocks += self.placed(day)
            blocks += night_blocks(self.person, day, blocks)
        return tuple(sorted(blocks, key=lambda one: (one.start, one.end)))

    def placed(self, day: date) -> tuple[Block, ...]:
        """Return the suggestions and tasks of a date, after those of the days from today until it."""
        if day not in self.planned:
            self.planned[day] = tuple(self._of_day(day, [one for k in self._before(day) for one in self.placed(k)]))
        return self.planned[day]

    def fixed(self, day: date) -> list[Block]:
        """Return what the calendar fixes on a date. An entry names no task that a day before it holds."""
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
        placed = [_said(one) for one in self.placed(day)]
        return (*night_unmet(self.person, day), *unmet(self._view(day, before), placed))

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
    """Return the names that suggestions and tasks have, and the tasks that entries are for."""
    own = {one.title for one in blocks if one.title and (one.kind in ("suggested", "task") or one.recommendation_id)}
    facts = [told for one in blocks for told in one.facts if told.kind == "for_task"]
    return frozenset(own | {told.title.reveal() for told in facts if told.title})


def _solved(view: View, week: Week, named: frozenset[str], given: Sequence[Block]) -> Iterator[Block]:
    grid, person = view.grid, view.person
    if not grid.size:
        return
    found = [judged(one, view, view.now, grid.size) for one in candidates(person, grid, said=named)]
    found = [one for one in found if one.refusal is None]
    adds: dict[Moment, Mapping[ActionType, float]] = {}
    for moment, is_current in _slots_left(view, week.silent):
        fitting = _actions_in(_best_now(found, view, moment) if is_current else found, view, moment)
        adds[moment] = week.ask(moment, fitting)
    places = [place for number, one in enumerate(found) for place in _places(number, one, view, adds)]
    made = sum(one.kind == "suggested" and one.moment.date == grid.date for one in person.advised)
    most = {"suggested": max(view.wishes.suggestions - made, 0), "task": _tasks_most(view, found, given)}
    ahead = (one for one in given if one.kind == "suggested" and one.start > person.now)
    first = min(ahead, key=lambda one: one.start, default=None)
    places = places if first is None else _not_before(first, places, found, view)
    firm = [place for place in places if not found[place.choice].thin[place.start]]
    if firm or view.holds_any:
        places = firm
    else:
        most["suggested"] = min(most["suggested"], 1)
    chosen = solve(places, most, lambda one, other: _apart(one, other, found, grid))
    for place in chosen:
        yield _block(found[place.choice], place, view)


def _not_before(first: Block, places: Sequence[Place], found: Sequence[Judged], view: View) -> list[Place]:
    """Leave out what would come before the advice of now, but tasks of today that are more urgent or fit then alone.

    What was answered is no advice of now: tasks of today may come before it.
    """
    day, person = view.grid.date, view.person
    is_open = any(one.id == first.recommendation_id and one.answer is None for one in person.advised)
    as_urgent = is_open and any(str(t.key) == first.task and urgency(t.due, day) == 0 for t in person.known.tasks)
    later = {one.choice for one in places if view.grid.at(one.start) >= first.start}
    of_today = {n for n, one in enumerate(found) if urgency(one.candidate.due, day) == 0}
    free = of_today - later if as_urgent else of_today
    return [one for one in places if one.choice in free or view.grid.at(one.start) >= first.start]


def _best_now(found: Sequence[Judged], view: View, moment: Moment) -> list[Judged]:
    """Return what is not advised in the current slot yet, and has its best place of the day in it."""
    tried, (low, high) = {one.action for one in view.person.advised if one.moment == moment}, _cells(view, moment)
    return [one for one in found if one.candidate.action not in tried and low <= int(np.argmax(one.value)) < high]


def _slots_left(view: View, silent: bool) -> Iterator[tuple[Moment, bool]]:
    """Yield the day's slots that are not over, each with True for the current one, unless a lot keeps that silent."""
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
    """Return "task" for a task that is due within two days, which gets its place beside the suggestions."""
    near = candidate.due is not None and candidate.due <= person.date_of(person.now) + DUE_DAYS * DAY
    return "task" if near else "suggested"


def _places(number: int, one: Judged, view: View, adds: Mapping[Moment, Mapping[ActionType, float]]) -> Iterator[Place]:
    """Yield the places that are worth trying: in each free stretch of a slot the best, half hours, and the last."""
    kind = kind_of(one.candidate, view.person)
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
                value += PRESSING[urgency(one.candidate.due, view.grid.date)] if value > 0 else 0.0
                yield Place(choice=number, kind=kind, start=start, end=end, value=value, group=group)


def _tasks_most(view: View, found: Sequence[Judged], given: Sequence[Block]) -> int:
    urgent = any(one.candidate.due == view.grid.date for one in found)
    evening, company = view.grid.since(EVENING), (o.start for action in COMPANY for o in view.planned(action))
    urgent = urgent and not any(evening <= start < view.grid.bed for start in company)  # the evening is theirs
    most = LONG_DAY_MOST if float(view.grid.strained[-1]) >= LONG_DAY else TASKS_MOST
    taken = sum(one.task is not None or one.action not in RESTS for one in given)
    return max((URGENT_MOST if urgent else most) - taken, 0)


def _apart(one: Place, other: Place, found: Sequence[Judged], grid: Grid) -> bool:
    """Return True if two places can stand beside each other: in order, far enough apart, and not the same again."""
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
    if hard and alike and earlier.action is ActionType.ADMIN_WORK and float(grid.strained[-1]) >= LONG_DAY:
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
    return earlier.action is None or earlier.action is not after.action or gap >= AGAIN[earlier.action] * HOUR


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


# What is fixed --------------------------------------------------------------------------------------------------------


def fixed_blocks(person: Person, day: date, *, held: frozenset[str] = frozenset()) -> list[Block]:
    """Return the entries of a date as blocks. An entry of deep work ahead names a due task that is not ``held``."""
    start, end = (midnight(day + k * DAY, person.known.zones) for k in (0, 1))
    due = [t for t in due_tasks(person, day) if person.action_of(t) is ActionType.DEEP_WORK]
    due = [t for t in due if t.title not in held]
    lunch = Grid(person=person, date=day).no_lunch
    return [
        _entry(person, occurrence, label, due, lunch)
        for occurrence, label in person.entries
        if occurrence.start < end and (occurrence.end > start or occurrence.start == start) and stands(occurrence.event)
    ]


def _entry(
    person: Person, occurrence: Occurrence, label: Label, due: list[Task], lunch: tuple[Occurrence, Fact] | None
) -> Block:
    title, told = title_of(occurrence), list(_around(person, occurrence))
    if is_reminder(occurrence.event):
        told.append(fact("reminder"))
    if lunch is not None and lunch[0] == occurrence:
        told.append(lunch[1])
    if is_open_hours(occurrence.event):
        told.append(fact("open_hours", start=person.local(occurrence.start), end=person.local(occurrence.end)))
    risk = at_risk(person)
    if risk and risk[-1].values["time"] == person.local(occurrence.start).isoformat():
        told += risk
    if (woke := person.missed.get(occurrence.key)) is not None:
        told.append(fact("slept_until", time=person.local(woke)))
    focus = label.action is ActionType.DEEP_WORK and takes_time(occurrence.event) and occurrence.end > person.now
    focus = focus and not told  # what the way to a flight takes
    meant = [task for task in due if may_be_for(title, task)] if focus else []
    if meant:
        task = max(meant, key=lambda one: len(words(one.title) & words(title)))
        due.remove(task)
        told.append(fact("for_task", title=task.title))
    return Block(
        start=occurrence.start,
        end=occurrence.end,
        kind="entry",
        action=label.action,
        title=title,
        own_title=occurrence.event.title,
        all_day=occurrence.event.all_day,
        flight=is_journey(occurrence),
        facts=tuple(told),
    )


def _around(person: Person, occurrence: Occurrence) -> Iterator[Fact]:
    """Yield when to leave for a journey or race, when it arrives on both clocks, or the entry that is in the way."""
    by_land = is_by_land(occurrence)
    if by_land or is_journey(occurrence):
        if occurrence.end > person.now and journey(occurrence)[0] > person.now:
            yield fact("leave_by_then" if by_land else "leave_by", time=person.local(journey(occurrence)[0]))
        home, there = (zone_at(at, person.known.zones) for at in (occurrence.start, occurrence.end))
        ends: dict[str, Any] = {"here": occurrence.end.astimezone(home), "there": occurrence.end.astimezone(there)}
        if ends["here"].utcoffset() != ends["there"].utcoffset():
            yield fact("landing_clocks", home=place_of(home.key), away=place_of(there.key), **ends)
    yield from leaving_for(person, occurrence)
    if any(occurrence in person.slept_over(person.date_of(occurrence.end) + k * DAY) for k in (0, 1)):
        zone = other_zone(occurrence, person.zones)
        yield fact("in_the_night") if zone is None else fact("in_the_night_zone", place=place_of(zone))
    if occurrence.event.all_day or is_journey(occurrence):
        return
    short = occurrence.end - occurrence.start < PERIOD and occurrence.end > person.now and takes_time(occurrence.event)
    before = (o for o, _ in person.entries if short and takes_time(o.event) and o.start <= occurrence.start)
    named = (o for o in before if o.end - o.start < PERIOD and o.event.title != occurrence.event.title)
    for other in (*person.flights, *person.trips, *named):
        low, high = with_ways(other)
        if other != occurrence and occurrence.start < high and occurrence.end > low:
            kind = "beside_flight" if is_journey(other) else "beside_trip" if is_by_land(other) else "beside_entry"
            yield fact(kind, time=person.local(other.start), title=title_of(other) if kind == "beside_entry" else None)
            return


def given_blocks(person: Person, day: date) -> Iterator[Block]:
    """Yield the suggestions already made for a date that still stand. One that has begun stands if it was agreed to."""
    open_tasks = {task.title: str(task.key) for task in reversed(person.known.tasks) if task.completed is None}
    for advice in person.advised:
        if advice.start is None or advice.end is None or advice.kind != "suggested":
            continue
        agreed, begun = is_agreed(advice, person.known.zones), advice.start < person.now
        refused = advice.answer is not None and not agreed
        over = (advice.outcome is Deed.DONE and not begun) or (begun and not agreed)
        taken = clipped(person.attended, advice.start, advice.end)
        if person.date_of(advice.start) == day and not refused and not over and not taken:
            yield Block(
                start=advice.start,
                end=advice.end,
                kind="entry" if begun else "suggested",
                action=advice.action,
                title=advice.what,
                facts=advice.facts,
                recommendation_id=advice.id,
                task=open_tasks.get(advice.what) if advice.what else None,
            )


def kept_tasks(person: Person, day: date, given: Sequence[Block]) -> list[Block]:
    """Return the tasks that stay at their place: what the person moved, and today what has begun or is about to, if it
    is free.
    """
    found: list[Block] = []
    moved = [(task, place, True) for task, place in moved_tasks(person) if person.date_of(place[0]) == day]
    for task, (start, end), was_moved in [*moved, *_begun_tasks(person, day)]:
        taken = merged([*person.attended, *((one.start, one.end) for one in (*given, *found))])
        if not clipped(taken, start, end):
            candidate = of_task(task, person)
            told = of_due(candidate, Grid(person=person, date=day)).weighed(round(due_weight(candidate, day), 2))
            facts = (fact("moved"), told) if was_moved else (told,)
            block = Block(start=start, end=end, kind="task", action=candidate.action, title=task.title, facts=facts)
            found.append(replace(block, task=str(task.key)))
    return found


def _begun_tasks(person: Person, day: date) -> Iterator[tuple[Task, Stretch, bool]]:
    for task in due_tasks(person, day) if day == person.date_of(person.now) else ():
        start, end, _ = person.places.get(str(task.key), (person.now, person.now, None))
        if start < person.now + OF_A_TASK.notice * MINUTE and person.now < end <= start + MOST * MINUTE:
            yield task, (start, end), False


def night_blocks(person: Person, day: date, taken: Sequence[Block]) -> Iterator[Block]:
    """Yield the sleep that ends on ``day``, the time to wind down, and the sleep after it, as far as they are ahead."""
    over = person.sleep(day)[1]
    for ends in (day, day + DAY):
        bed, wake = person.sleep(ends)
        bed = max(bed, over) if ends > day else bed  # a night moved by the calendar may touch the next
        if person.night(ends).rests is not Rests.SLEPT and bed < person.now < wake:
            told = begun(bed, wake, person.now)
            known = max(bed, person.usual_sleep(ends)[0], person.arrived or bed)  # nobody knows of an early one
            bed = told if told > bed else min(known, wake - LEAST_SLEEP)
        on_board = any(o.start <= bed and wake <= o.end for o in person.flights)
        if wake <= person.now or on_board or wake - bed < LEAST_SLEEP:
            continue
        if ends > day:
            yield from _wind_down(person, ends, taken)
        yield Block(
            start=bed,
            end=wake,
            kind="sleep",
            action=ActionType.SLEEP,
            facts=(of_waking(person, ends), *over_entries(person, ends)),
        )


def _wind_down(person: Person, ends: date, taken: Sequence[Block]) -> Iterator[Block]:
    bed = person.sleep(ends)[0]
    low = max(bed - WIND_DOWN_BACK, rounded_up(person.now), person.sleep(ends - DAY)[1])
    said = [(one.start, one.end) for one in taken if not one.all_day]
    home = [*((start, end + WAY_HOME) for start, end in person.attended), *person.journeys]
    free = without([(low, bed)], [*home, *said]) if low < bed else []
    if free and free[-1][1] - free[-1][0] >= WIND_DOWN_MIN:
        start, told = max(free[-1][0], free[-1][1] - WIND_DOWN), (of_bedtime(person, ends), *leaving(person, ends))
        yield Block(start=start, end=free[-1][1], kind="wind_down", facts=told)
