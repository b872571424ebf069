"""Choose for a span of time: the options that fit, how good they are and why, and the facts against the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np

from bridge.calendar.busy import Stretch, clipped, takes_time
from bridge.day.agreed import open_again
from bridge.day.bedtime import WAKINGS, leaves, of_bedtime, of_waking, over_entries
from bridge.day.body import Condition
from bridge.day.grid import DAY, HOUR, MINUTE, Cells, Numbers, Starts, grid_of
from bridge.day.leisure import is_wanted
from bridge.day.masks import BEFORE_BED, ONE_REST, SHORT_TASK, before, urgency
from bridge.day.person import Person
from bridge.day.recovery import at_risk, easier
from bridge.day.rules import NO_GAP, OF_DEEDS, TIRING, fit, short_night, taken_back
from bridge.day.sleep import LEAST_SLEEP, other_zone, rounded_up
from bridge.day.sums import cut
from bridge.day.terms import facts, of_load, reasons, recounted, values, weights
from bridge.day.unmet import outside
from bridge.day.view import (
    DUE_DAYS,
    RESTS,
    Candidate,
    View,
    candidates,
    is_owed,
    of_action,
    of_due,
    of_either,
    said_of,
    taken_at,
)
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import Moment, moment_at, slot_bounds
from bridge.domain.types import Reading, Task
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Decision, Meter

CLEARLY = 0.1  # log-odds by which a choice is clearly worse
GAPS_AHEAD, GAPS_AT_MOST, GAPS_MAX = timedelta(hours=48), timedelta(days=6), 3  # times to which advice is put off
NOT_AT_ONCE = timedelta(hours=1)
SOON, SOON_TASK = timedelta(hours=3), timedelta(minutes=90)  # within which a rest, and what has days, begins
BEGINS = timedelta(minutes=15)  # in which an entry is about to begin
SOON_WORK = timedelta(hours=2)  # within which a task is said that an entry comes before
UNWELL = frozenset({"bedtime_unwell", "bedtime_unwell_before"})  # bedtimes whose sign is named beside them
EARLY_LEAST, EARLY_TOLD = timedelta(minutes=35), timedelta(hours=6)  # before the usual bedtime; before bedtime
FREE_EACH = 48  # cells of free time for each suggestion after the first; our choice
OF_TASK = frozenset({"offices_closed", "no_calls", "shops_closed", "deadline_over"})  # refusals of a task by its words
DEEP_NIGHT = 3 * HOUR  # after midnight, when who does not sleep is awake for the night
NEAR_BED = timedelta(hours=2)  # before bedtime: earlier it is said only where nothing else comes before it

Propensities = Callable[[Moment, Sequence[ActionType]], Mapping[ActionType, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An action at a time, ``suggested`` or ``sleep``. ``value`` is its sum of terms without the policy's."""

    action: ActionType
    kind: str
    start: datetime
    end: datetime
    what: str | None = None
    task: Task | None = None
    value: float = 0.0
    facts: tuple[Fact, ...] = ()
    thin: bool = False
    wished: bool = False  # at the hours that are wished of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An action or task with its length and its value for each start, in steps of five minutes. -inf is not possible.

    At ``thin`` starts, no reason is strong enough by itself.
    """

    candidate: Candidate
    lengths: Starts = field(default_factory=lambda: np.full(0, 0))
    value: Numbers = field(default_factory=lambda: np.full(0, -np.inf))
    added: Mapping[str, Numbers | float] = field(default_factory=dict)
    thin: Cells = field(default_factory=lambda: np.full(0, False))
    refusal: Fact | None = None

    def wished_at(self, start: int) -> bool:
        """Return True if a start lies in hours that the person wishes for the action."""
        added = self.added.get("wished_hours", 0.0)
        return isinstance(added, np.ndarray) and bool(added[start] > 0)


def judged(candidate: Candidate, view: View, first: int, last: int, *, asked: bool = False) -> Judged:
    """Return the possible starts of an action or task between two steps. Without a reason there are none."""
    candidate = cut(candidate, view)
    cells = fit(candidate, view, first, last, asked=asked)
    if isinstance(cells, Fact):
        return Judged(candidate=candidate, refusal=cells)
    added = values(candidate, view, cells)
    told = reasons(candidate, view, added) >= weights()["grounds"]
    value = np.where(cells > 0, sum(added.values(), np.full(view.grid.size, weights()["worth"])), -np.inf)
    if not asked:
        value = np.where(told[0], value, -np.inf)
    why = None if np.isfinite(value).any() else fact("no_grounds")
    return Judged(candidate=candidate, lengths=cells, value=value, added=added, thin=~told[1], refusal=why)


def option_at(one: Judged, view: View, start: int) -> Option:
    """Return an action or task at a start as an option, with the reasons that speak for it."""
    grid, candidate = view.grid, one.candidate
    told = facts(candidate, view, start, one.added) or (fact("answer_teaches"),)
    minutes, not_then = 5 * int(one.lengths[start]), outside(candidate, view, grid.at(start))
    told = told if not_then is None else (*told[:1], not_then, *told[1:])
    if candidate.action is ActionType.SLEEP:
        told = (*told, _of_nap(view, grid.at(start), minutes))
    elif candidate.task is not None and minutes < candidate.least:
        told = (*told, fact("begin_with", minutes=minutes))
    elif candidate.task is not None and minutes > SHORT_TASK and float(grid.strained[start]) >= TIRING:
        counsel = () if is_owed(candidate.task) else (fact("begin_or_move"),)
        told = (*told, of_load(candidate, view, start), *counsel)
    if candidate.action is ActionType.EXERCISE:
        told = (*told, *easier(view.person, grid.date))
    return Option(
        action=candidate.action or ActionType.ADMIN_WORK,
        kind="suggested",
        start=grid.at(start),
        end=grid.at(start) + minutes * MINUTE,
        what=candidate.task.title if candidate.task is not None else _usual_name(one, view, start),
        task=candidate.task,
        value=float(one.value[start]),
        facts=told,
        thin=bool(one.thin[start]),
        wished=one.wished_at(start),
    )


def _of_nap(view: View, at: datetime, minutes: int) -> Fact:
    """Return what a nap comes before: the coming night, or an entry through it."""
    person, deep = view.person, view.grid.end_of_date + DEEP_NIGHT
    mine = ((o, label) for o, label in person.entries if takes_time(o.event) and o.key not in person.left_out)
    awake = [o.start for o, label in mine if at < o.start < deep < o.end and label.action is not ActionType.SLEEP]
    return fact("nap_awake", minutes=minutes, time=person.local(awake[0])) if awake else fact("nap", minutes=minutes)


def _usual_name(one: Judged, view: View, start: int) -> str | None:
    """Return the user's own name for the action, as wished or as usual at this hour, or None."""
    added, habit = one.added["usual_hour"], view.habit(one.candidate.action)
    at_hour = isinstance(added, np.ndarray) and added[start] > 0
    wanted = any(np.max(one.added.get(term, 0.0)) > 0 for term in ("goal", "wanted_then"))
    wished = view.wishes.named.get(one.candidate.action) if wanted and one.candidate.action else None
    return wished or (None if habit is None or not at_hour else habit.names.get(view.grid.date.weekday()))


def options(view: View, span: Stretch) -> tuple[dict[ActionType, Option], dict[ActionType, Fact]]:
    """Return (action -> best option that begins in the span, action -> reason against it).

    An action is in one of the two.

    During a flight, an entry or the planned sleep, the only option is sleep, and only in the first half of the
    night.
    """
    night = None if ActionType.SLEEP in view.wishes.never else sleep_option(view.person, span)
    found: dict[ActionType, Option] = {}
    held: dict[ActionType, Fact] = {}
    taken = taken_at(view, span[0])
    if taken is not None:
        if night is not None and taken.kind.startswith("asleep") and span[0] >= view.grid.bed:
            found[ActionType.SLEEP] = night
        return found, {action: taken for action in ActionType if action not in found}
    first, last = view.grid.up(span[0]), view.grid.up(span[1])
    given, most = _given(view.person, span[0]), view.wishes.suggestions
    enough = fact("enough_today", given=given, most=most) if given >= most else None
    names = frozenset(one.what for one in view.said if one.what is not None) - open_again(view.person)
    tasks: list[Judged] = []
    for candidate in candidates(view.person, view.grid, said=names):
        if candidate.action is None:
            continue
        soon = min(last, view.grid.up(span[0] + _ahead(candidate, view, span[0])) + 1)
        one = judged(candidate, view, first, soon)
        tasks += _later(one, view, (first, soon, last))
        if one.refusal is not None or enough is not None:
            why = _until(one.refusal, view, soon) or enough or fact("nothing_fits")
            held.setdefault(candidate.action, _of_task(why, candidate, view))
            continue
        if candidate.due is not None and candidate.due <= view.grid.date + DUE_DAYS * DAY:
            tasks.append(one)
        option = option_at(one, view, int(np.argmax(one.value)))
        if candidate.action not in found or _first(option, view) > _first(found[candidate.action], view):
            found[candidate.action] = option
    _put_first(found, held, tasks, view)
    of_day = sum(task.candidate.due == view.grid.date for task in tasks)
    full = bool(tasks) and not room(view, of_day, int(of_day < len(tasks)), given)  # surely one of other days at most
    found = _with_room(found, held, full, view)
    first_of_all = not found and not clipped(view.entries, span[0], view.grid.bed)
    if night is not None and (first_of_all or night.start <= span[0] + NEAR_BED):
        found[ActionType.SLEEP] = night
    _wait_for_entry(found, held, view)
    return found, {action: why for action, why in held.items() if action not in found}


def _with_room(
    found: Mapping[ActionType, Option], held: dict[ActionType, Fact], full: bool, view: View
) -> dict[ActionType, Option]:
    """Return the options without those of thin reasons beside others, and on a day full of tasks with these alone."""
    out = {action: fact("day_full") for action, one in found.items() if full and one.task is None}
    if view.holds_any or not all(one.thin for action, one in found.items() if action not in out):
        out |= {action: fact("no_grounds") for action, one in found.items() if one.thin and action not in out}
    held |= out
    return {action: one for action, one in found.items() if action not in out}


def _wait_for_entry(found: dict[ActionType, Option], held: dict[ActionType, Fact], view: View) -> None:
    soon = view.entry_within(BEGINS)
    for action, one in list(found.items()):
        if soon is not None and one.kind == "suggested" and one.start >= soon.start:
            held[action] = fact("entry_next", time=view.person.local(soon.start))
            del found[action]


def _later(one: Judged, view: View, cells: tuple[int, int, int]) -> list[Judged]:
    """Return a task, due today or overdue, that only fits later today, so that it may be suggested early."""
    first, soon, last = cells
    if one.refusal is None or soon >= last or urgency(one.candidate.due, view.grid.date) > 0:
        return []
    later = judged(one.candidate, view, first, last)
    return [later] if later.refusal is None else []


def _ahead(candidate: Candidate, view: View, at: datetime) -> timedelta:
    """Return how far ahead of its start a candidate may be suggested. Work is suggested only shortly before."""
    if candidate.task is None:
        return SOON if candidate.action in RESTS else DAY
    if urgency(candidate.due, view.grid.date) > 1:
        return SOON_TASK
    following = next((start for start, _ in view.entries if start >= at), None)
    return DAY if following is None else max(SOON_WORK, following - at)


def _of_task(why: Fact, candidate: Candidate, view: View) -> Fact:
    """Return a refusal, with the task's name if it holds for this task and not for others of its action."""
    if candidate.task is None or why.kind not in OF_TASK:
        return why
    return fact("task_waits", title=candidate.task.title, due=of_due(candidate, view.grid), reason=why)


def _until(why: Fact | None, view: View, last: int) -> Fact | None:
    """Return a refusal, limited to the examined part of the day if it says that no gap is long enough."""
    if why is None or NO_GAP.get(why.kind, why.kind) == why.kind or last >= view.grid.size:
        return why
    return fact(NO_GAP[why.kind], minutes=why.values["minutes"], time=view.person.local(view.grid.at(last)))


def _put_first(
    found: dict[ActionType, Option], held: dict[ActionType, Fact], tasks: Sequence[Judged], view: View
) -> None:
    """Remove options that collide with a more urgent task, and note why in ``held``."""
    today, refused = view.grid.date, {one.what for one in view.person.advised if one.answer is not None}
    near = [(one.task.due, one) for one in found.values() if one.task is not None and one.task.due is not None]
    fitting = [_earliest(one, view) for one in tasks]
    for action, one in ((action, one) for action, one in list(found.items()) if not one.wished):
        own = urgency(None if one.task is None else one.task.due, today)
        due = [task for day, task in near if before(day, action if one.task is None else None, today)]
        first = min(due, key=lambda task: task.start, default=None)
        title = first.what if first is not None and one not in due and one.end > first.start else None
        for task, start, end, placed in fitting:
            if task.task is None or task.task.title in refused:
                continue
            if urgency(task.due, today) < own:
                first_of_tasks = one.task is not None and start < one.end
                title = title or (task.task.title if end <= one.start or first_of_tasks else None)
            elif own == urgency(task.due, today) == 0:
                late = one.task is not None and one.task.due is not None and one.task.due < today
                long = one.end - one.start > SHORT_TASK * MINUTE
                before_late = late and long and start < one.end and task.due == today
                title = title or (task.task.title if placed <= one.start or before_late else None)
        if title is not None:
            held[action] = fact("due_first", title=title)
            del found[action]


def _first(one: Option, view: View) -> tuple[int, float, float]:
    urgent = urgency(None if one.task is None else one.task.due, view.grid.date)
    return -urgent, 0.0 if urgent else view.grid.down(one.start) * -1.0, one.value


def _earliest(one: Judged, view: View) -> tuple[Candidate, datetime, datetime, datetime]:
    """Return (candidate, start and end of the earliest possible time, end of the best time)."""
    start, best = view.grid.at(int(np.argmax(np.isfinite(one.value)))), int(np.argmax(one.value))
    return one.candidate, start, start + one.candidate.least * MINUTE, view.grid.at(best + int(one.lengths[best]))


def _given(person: Person, at: datetime) -> int:
    moment = moment_at(at, person.known.zones)
    made = [one for one in person.advised if one.kind == "suggested" and one.moment.date == moment.date]
    return sum(one.moment != moment or one.answer is not None or one.closed_at is not None for one in made)


def room(view: View, of_day: int, other: int, made: int, ahead: int = 0) -> int:
    """Return how many suggestions have room beside tasks, those due ``of_day`` and others: one and one per four hours.

    Of those ``made``, some are ``ahead``. Tasks of the day take no hours of others. What is wished for the day, and
    rest after a bad night, always have room within the person's own number.
    """
    grid, left = view.grid, max(view.wishes.suggestions - made, 0)
    free = ~(grid.busy | grid.inside(grid.work))[view.now :]
    rest = view.person.body.state is not Condition.WELL or short_night(view) is not None
    wanted = rest + sum(is_wanted(action, view) for action in ActionType)
    hours = 1 + int(np.count_nonzero(free)) // FREE_EACH - other - ahead
    return max(min(hours, left - of_day - other), min(wanted, left))


def sleep_option(person: Person, span: Stretch, *, agreed: bool = False) -> Option | None:
    """Return the night's sleep as an option, if the span begins during it or at most 90 minutes before it.

    A bedtime clearly earlier than usual, or one ``agreed`` to, is offered from six hours before. Entries exclude it.
    """
    day = grid_of(person, span[0]).date
    for ends in (day, day + DAY):
        bed, wake = person.sleep(ends)
        start = max(rounded_up(span[0]), bed)
        if span[0] < bed - EARLY_TOLD or start > wake - LEAST_SLEEP:
            continue
        moved = person.night(ends).moved not in (None, "varies", "flight")
        early = (moved and person.usual_sleep(ends)[0] - bed >= EARLY_LEAST) or leaves(person, ends) is not None
        beside = any(o.end > start and other_zone(o, person.zones) is None for o in person.slept_over(ends))
        if beside or (span[0] < bed - BEFORE_BED and not (early or agreed)):
            continue
        bedtime, up = of_bedtime(person, ends), of_waking(person, ends)
        why = (
            bedtime,
            *(person.body.facts[:1] if bedtime.kind in UNWELL else ()),
            *((up,) if early or up.kind not in WAKINGS else ()),
            *over_entries(person, ends),
        )
        risk = at_risk(person) if wake > person.now else ()
        told = tuple(one.weighed(weights()["bedtime"]) for one in (*why, *risk))
        value = weights()["worth"] + weights()["bedtime"]
        return Option(action=ActionType.SLEEP, kind="sleep", start=start, end=wake, value=value, facts=told)
    return None


def needed(option: Option, view: View) -> bool:
    """Return True for a task due by today, and for rest after a short night or while the body is not well.

    Today's page names these at its top, so a random choice must not leave them out.
    """
    body = view.person.body.state is not Condition.WELL or short_night(view) is not None
    due = option.task is not None and option.task.due is not None and option.task.due <= view.grid.date
    return due or (body and option.action in ONE_REST and option.kind == "suggested")


def policy_term(decision: Decision) -> dict[ActionType, float]:
    """Return action -> log-odds that the policy adds: its scores minus their mean, else by its probabilities."""
    given = weights()
    scores, most = decision.scores, given["policy_most"]
    if not scores or len(set(scores.values())) < 2:
        return {action: given["named"] * share for action, share in decision.probabilities.items()}
    mean = sum(scores.values()) / len(scores)
    return {action: min(max(given["policy"] * (one - mean), -most), most) for action, one in scores.items()}


def weighed(decision: Decision, found: Mapping[ActionType, Option]) -> Decision:
    """Return the decision, in which clearly worse actions give their probability to the best one."""
    if not decision.scores and sum(share > 0 for share in decision.probabilities.values()) > 1:
        return decision
    term = policy_term(decision)
    known = [action for action in decision.probabilities if action in found]
    worth = {action: found[action].value + term.get(action, 0.0) for action in known}
    best = max(worth, key=lambda action: worth[action], default=decision.action)
    moved = {action for action, value in worth.items() if value <= worth[best] - CLEARLY}
    if not moved:
        return decision
    shares = {action: 0.0 if action in moved else share for action, share in decision.probabilities.items()}
    shares[best] += sum(decision.probabilities[action] for action in moved)
    return replace(decision, action=best if decision.action in moved else decision.action, probabilities=shares)


# Later ----------------------------------------------------------------------------------------------------------------


def gaps(person: Person, action: ActionType, task: Task | None, *, after: datetime) -> list[Option]:
    """Return up to three options for an action in later slots before its deadline, if possible also tomorrow."""
    zones, found = person.known.zones, list[Option]()
    moment = moment_at(person.now, zones).shifted(1)
    while slot_bounds(moment, zones)[0] < person.now + (GAPS_AHEAD if len(found) >= GAPS_MAX else GAPS_AT_MOST):
        option = gap_in(person, action, task, moment, after=after)
        if option is not None and all(option.start >= one.end for one in found):
            found.append(option)
        moment = moment.shifted(1)
    tomorrow = person.date_of(person.now) + DAY
    best = sorted(found, key=lambda one: -one.value)[: 2 * GAPS_MAX]
    chosen = sorted(best, key=lambda one: one.start)[:GAPS_MAX]
    of_tomorrow = [one for one in found if person.date_of(one.start) == tomorrow]
    if of_tomorrow and not any(one in chosen for one in of_tomorrow):
        chosen[-1:] = of_tomorrow[:1]
    return sorted(chosen, key=lambda one: one.start)


def gaps_today(person: Person, action: ActionType, task: Task | None, *, after: datetime) -> list[Option]:
    """Return the best option for an action in each part of today that is not over, ascending: three at most."""
    now = moment_at(person.now, person.known.zones)
    slots = (now.shifted(steps) for steps in range(SLOTS_PER_DAY - now.slot))
    found = (gap_in(person, action, task, slot, after=after) for slot in slots)
    return [one for one in found if one is not None][:GAPS_MAX]


def gap_in(person: Person, action: ActionType, task: Task | None, moment: Moment, *, after: datetime) -> Option | None:
    """Return the best time in a slot for an action or task, an hour or more after ``after``, or None without any."""
    low, high = slot_bounds(moment, person.known.zones)
    span = max(low, after + NOT_AT_ONCE), high
    if span[0] >= span[1]:
        return None
    view = View(grid=grid_of(person, span[0]), said=said_of(person))
    return place(view, action, task, span, asked=True)[0]


def place(
    view: View, action: ActionType, task: Task | None, span: Stretch, *, asked: bool = False
) -> tuple[Option | None, Fact | None]:
    """Return (option, None) if an action still fits into a span, else (None, the reason against it)."""
    candidate = of_either(action, task, view.person)
    one = judged(candidate, view, view.grid.up(span[0]), view.grid.up(span[1]), asked=asked)
    if one.refusal is not None:
        return None, one.refusal
    return option_at(one, view, int(np.argmax(one.value))), None


def refused(view: View, action: ActionType, task: Task | None, span: Stretch) -> Fact | None:
    """Return why an earlier suggestion no longer suits the person's mode, body or wishes, or None."""
    return taken_back(of_either(action, task, view.person), view, span)


def retold(view: View, action: ActionType, span: Stretch, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return an earlier suggestion's reasons with what was done until now, or none if this leaves no reason for it."""
    candidate = of_action(action, view.person)
    if taken_back(candidate, view, span, rules=OF_DEEDS) is not None:
        return ()
    return recounted(candidate, view, view.grid.up(span[0]), told)


def look(person: Person, at: datetime, readings: Mapping[Meter, Reading] | None = None) -> View:
    """Return the view of the waking day that holds an instant, with the suggestions made in other slots."""
    moment = moment_at(at, person.known.zones)
    others = [one for one in person.advised if one.moment != moment]
    return View(grid=grid_of(person, at), readings=readings or {}, said=said_of(replace(person, advised=others)))
