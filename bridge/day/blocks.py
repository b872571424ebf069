"""The blocks that a day holds before anything is suggested: entries, what stands, tasks at their place, and nights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from bridge.calendar.busy import Stretch, clipped, is_open_hours, is_reminder, merged, takes_time
from bridge.calendar.days import part_on
from bridge.calendar.flights import is_by_land, is_journey, journey, with_ways
from bridge.calendar.kinds import may_be_for, title_of, words
from bridge.day.agreed import is_agreed, moved_tasks
from bridge.day.bedtime import leaving, of_bedtime, of_short, of_waking, over_entries
from bridge.day.grid import DAY, MINUTE, Grid, without
from bridge.day.person import PERIOD, Person
from bridge.day.recovery import at_risk, leaving_for
from bridge.day.rules import taken_back
from bridge.day.sleep import LEAST_SLEEP, Rests, begun, other_zone, rounded_up
from bridge.day.terms import due_weight
from bridge.day.view import MOST, OF_A_TASK, View, due_tasks, of_due, of_task, stands
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Deed
from bridge.domain.slots import zone_at
from bridge.domain.types import Label, Occurrence, Task
from bridge.domain.zones import place_of
from rhythm_env.interface import ActionType

WIND_DOWN, WIND_DOWN_MIN, WIND_DOWN_BACK = timedelta(minutes=45), timedelta(minutes=15), timedelta(minutes=90)
WAY_HOME = timedelta(minutes=15)  # from an entry to the time to wind down


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


def fixed_blocks(person: Person, day: date, *, held: frozenset[str] = frozenset()) -> list[Block]:
    """Return the calendar entries of a date as blocks. Deep work ahead names a due task that is not in ``held``."""
    zones = person.known.zones
    due = [t for t in due_tasks(person, day, seen=day) if person.action_of(t) is ActionType.DEEP_WORK]
    due = [t for t in due if t.title not in held]
    lunch = Grid(person=person, date=day).no_lunch
    return [
        _entry(person, occurrence, label, due, lunch)
        for occurrence, label in person.entries
        if part_on(occurrence.start, occurrence.end, day, zones) and stands(occurrence.event)
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
    told += at_risk(person, occurrence)
    if (woke := person.missed.get(occurrence.key)) is not None:
        told.append(fact("slept_until", time=person.local(woke)))
    focus = label.action is ActionType.DEEP_WORK and takes_time(occurrence.event) and occurrence.end > person.now
    focus = focus and not told  # what the way to a flight takes
    meant = [task for task in due if may_be_for(occurrence, task)] if focus else []
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
    """Yield facts about an entry: when to leave for it, local times of arrival, and entries that collide with it."""
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
    """Yield the suggestions already made for a date that still hold. One that has begun holds only if agreed to."""
    open_tasks = {task.title: str(task.key) for task in reversed(person.known.tasks) if task.completed is None}
    for advice in person.advised:
        if advice.start is None or advice.end is None or advice.kind != "suggested":
            continue
        agreed, begun = is_agreed(advice, person.known.zones), advice.start < person.now
        refused = advice.answer is not None and not agreed
        early = advice.outcome_at is not None and advice.outcome_at < advice.start
        over = (advice.outcome is Deed.DONE and (early or advice.end > person.now)) or (begun and not agreed)
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
    """Return the tasks that keep their times: those the person moved, and today those begun or about to begin.

    The latter go where the person now states otherwise.
    """
    found: list[Block] = []
    moved = [(task, place, True) for task, place in moved_tasks(person) if person.date_of(place[0]) == day]
    for task, (start, end), was_moved in [*moved, *_begun_tasks(person, day)]:
        taken = merged([*person.attended, *((one.start, one.end) for one in (*given, *found))])
        if not clipped(taken, start, end):
            candidate = of_task(task, person)
            told = of_due(candidate, Grid(person=person, date=day), start).weighed(round(due_weight(candidate, day), 2))
            facts = (fact("moved"), told) if was_moved else (told,)
            block = Block(start=start, end=end, kind="task", action=candidate.action, title=task.title, facts=facts)
            found.append(replace(block, task=str(task.key)))
    return found


def _begun_tasks(person: Person, day: date) -> Iterator[tuple[Task, Stretch, bool]]:
    for task in due_tasks(person, day) if day == person.date_of(person.now) else ():
        start, end, _ = person.places.get(str(task.key), (person.now, person.now, None))
        is_begun = start < person.now + OF_A_TASK.notice * MINUTE and person.now < end <= start + MOST * MINUTE
        view = View(grid=Grid(person=person, date=day))
        if is_begun and taken_back(of_task(task, person), view, (start, end)) is None:
            yield task, (start, end), False


def night_blocks(person: Person, day: date, taken: Sequence[Block]) -> Iterator[Block]:
    """Yield what lies ahead of the sleep that ends on ``day``, of the time to wind down, and of the next sleep."""
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
        before = [*_wind_down(person, ends, taken)] if ends > day else []
        yield from before
        yield Block(
            start=bed,
            end=wake,
            kind="sleep",
            action=ActionType.SLEEP,
            facts=(of_waking(person, ends), *(() if before else of_short(person, ends)), *over_entries(person, ends)),
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
