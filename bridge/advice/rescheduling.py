"""Find good other times for a recommendation or task, and move it there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from bridge.advice import feedback, recommend
from bridge.advice.choosing import look_at
from bridge.calendar.busy import Stretch, clipped, merged
from bridge.day import choice
from bridge.day.agreed import moved_tasks
from bridge.day.choice import Option
from bridge.day.grid import DAY, MINUTE, grid_of, without
from bridge.day.leisure import wished
from bridge.day.person import Person
from bridge.day.sleep import rounded_up
from bridge.day.view import Candidate, View, of_task, said_of
from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from bridge.domain.languages import _, say
from bridge.domain.records import Deed, Feedback, FullRecommendation, Recommendation, Snapshot, User
from bridge.domain.slots import Moment, ZoneHistory, local_time, moment_at, slot_bounds
from bridge.domain.types import Task
from rhythm_env.interface import ActionType, Answer

if TYPE_CHECKING:
    from bridge.installation import Bridge

OF_THE_HOUR = frozenset(  # kinds of facts that hold for a suggestion's own time alone
    {"long_free", "free_in_work", "tiring_then", "usually_done", "usually_later", "done_before"}
    | {"free_until", "free_rest", "free_evening", "work_over", "load_then"}  # of earlier versions
)
HINTS = {  # of a slot to which the user may move a task, as in _hint
    "after_due": say("{slot}: after it is due"),
    "asleep": say("{slot}: in the planned sleep"),
}


def gaps(
    bridge: Bridge, user: User, advice: Recommendation, *, now: datetime, known: Snapshot | None = None
) -> list[Option]:
    """Return a few good times in later slots, ascending. ``known``, the user's data at ``now``, is loaded if None."""
    if not feedback.may_move(advice):
        return []
    person = _person(bridge, user, advice, now, known)
    task = recommend.task_named(person, advice.what)
    return choice.gaps(person, advice.action, task, after=_suggested_at(advice, user, now))


def gaps_today(
    bridge: Bridge, user: User, advice: Recommendation, *, now: datetime, known: Snapshot | None = None
) -> list[Option]:
    """Return a few good other times of today for a recommendation, at most one in each remaining slot.

    ``known``, the user's data at ``now``, is loaded if None.
    """
    if not feedback.may_move(advice):
        return []
    person = _person(bridge, user, advice, now, known)
    task = recommend.task_named(person, advice.what)
    return choice.gaps_today(person, advice.action, task, after=_suggested_at(advice, user, now))


def offered(bridge: Bridge, user: User, advice: Recommendation, *, now: datetime) -> list[Option] | None:
    """Return a few good times if the user put the recommendation off without naming a slot, else None."""
    untimed = advice.answer is Answer.RESCHEDULE and advice.moved_to is None
    return gaps(bridge, user, advice, now=now) if untimed else None


def answer(
    bridge: Bridge,
    user: User,
    number: int,
    given: Answer | Deed,
    *,
    now: datetime,
    moved_to: Moment | None,
    known: Snapshot | None = None,
) -> FullRecommendation:
    """Store what is ``given`` for the recommendation ``number``, an answer or whether it was done, and return it.

    If the user moved it to the slot ``moved_to``, it gets its best time there. ``known`` is loaded if None. Raises
    SetupError if the answer is not possible or no longer.
    """
    if isinstance(given, Deed):
        if moved_to is not None:
            raise feedback.no_slot(user)
        return feedback.say(bridge.store, user, number, given, now=now)
    heard = Feedback(answer=given, moved_to=moved_to)
    found = feedback.give_feedback(bridge.store, user, number, heard, now=now)
    if moved_to is None:
        return found
    person = _person(bridge, user, found, now, known)
    task, after = recommend.task_named(person, found.what), _suggested_at(found, user, now)
    option = choice.gap_in(person, found.action, task, moved_to, after=after)
    place = _place_of(person, task, moved_to) if option is None and task is not None else None  # after its due date
    if option is not None:
        place = option.start, option.end
    if place is not None:
        told = found.facts if found.start == place[0] else after_a_move(found.facts)
        bridge.store.recommendations.retime(found.id, *place, told)
    return feedback.own(bridge.store, user, number)


def take_back(bridge: Bridge, user: User, number: int, *, now: datetime) -> None:
    """Delete the answer to a recommendation. If it was moved, it gets the best time in its own slot again, if any.

    Raises SetupError once the recommendation's day is over.
    """
    feedback.take_back(bridge.store, user, number, now=now)
    found = feedback.own(bridge.store, user, number)
    if found.start is None or not feedback.may_move(found) or moment_at(found.start, user.zones) == found.moment:
        return
    span = now, found.expires_at
    option = None
    if found.expires_at > now:
        option = look_at(_person(bridge, user, found, now, None), span).found.get(found.action)
    if option is None or (option.kind, option.what) != (found.kind, found.what):
        feedback.withdraw(bridge.store, found, now=now)
    else:
        bridge.store.recommendations.retime(found.id, option.start, option.end, option.facts)


def move_task(bridge: Bridge, user: User, key: str, to: Moment, *, known: Snapshot) -> None:
    """Move an open task to its best time in the slot ``to``. Suggestions of it that are not over are withdrawn.

    Raises SetupError if no time in the slot is free, or if the task is done or unknown.
    """
    person, task = _person_with(bridge, user, key, known)
    standing = [one for one in person.advised if one.what == task.title and _stands(one, person)]
    person = replace(person, advised=[one for one in person.advised if one not in standing])
    place = _place_of(person, task, to)
    if place is None:
        raise SetupError(_("this task does not fit into that slot; choose another slot"))
    for one in standing:
        feedback.withdraw(bridge.store, one, now=known.at)
    bridge.store.task_notes.move(user.id, task, place, now=known.at)


def _stands(advice: Recommendation, person: Person) -> bool:
    ends = [advice.end, slot_bounds(advice.moved_to, person.known.zones)[1] if advice.moved_to else None]
    is_open = advice.kind == "suggested" and advice.answer is not Answer.IGNORE and advice.outcome is not Deed.DONE
    return is_open and any(end is not None and end > person.now for end in ends)


def fitting(bridge: Bridge, user: User, key: str, slots: Iterable[Moment], *, known: Snapshot) -> dict[Moment, str]:
    """Return the slots into which an open task can be moved, each with a key of ``HINTS`` or "".

    Raises SetupError if the task is done or unknown.
    """
    person, task = _person_with(bridge, user, key, known)
    places = ((slot, _place_of(person, task, slot)) for slot in slots)
    return {slot: _hint(person, task, place) for slot, place in places if place is not None}


def _person_with(bridge: Bridge, user: User, key: str, known: Snapshot) -> tuple[Person, Task]:
    task = next((one for one in known.tasks if str(one.key) == key and one.completed is None), None)
    if task is None:
        raise SetupError(_("this task is done, deleted or not yours; open the page again to see the open tasks"))
    return recommend.person_of(bridge, user, known), task


def _place_of(person: Person, task: Task, slot: Moment) -> Stretch | None:
    action = person.task_actions.get(task.key, ActionType.ADMIN_WORK)
    held = [place for one, place in moved_tasks(person) if one.key != task.key]
    held += [(one.start, one.end) for one in said_of(person) if one.what != task.title]
    for one in (task, replace(task, due=slot.date, due_at=None)):
        option = choice.gap_in(person, action, one, slot, after=person.now)
        if option is not None and not clipped(merged(held), option.start, option.end):
            return option.start, option.end
    return _free_place(person, of_task(task, person), slot, held)


def _free_place(person: Person, task: Candidate, slot: Moment, held: Sequence[Stretch]) -> Stretch | None:
    low, high = slot_bounds(slot, person.known.zones)
    nights = _nights(person, slot.date)
    for kept_free in ([*nights, *_not_wished(person, task, low)], nights, []):
        for length in (task.wanted * MINUTE, task.least * MINUTE):
            free = without([(max(low, person.now), high + length)], [*person.attended, *held, *kept_free])
            starts = ((rounded_up(start), end) for start, end in free)
            start = next((at for at, end in starts if at < high and at + length <= end), None)
            if start is not None:
                return start, start + length
    return None


def _not_wished(person: Person, task: Candidate, at: datetime) -> list[Stretch]:
    """Return the times of the day around an instant that the person's wishes keep free of a task."""
    view = View(grid=grid_of(person, at))
    allowed = wished(task, view)
    if isinstance(allowed, bool):
        return [] if allowed else [(view.grid.begin, view.grid.bed)]
    return [(view.grid.at(n), view.grid.at(n + 1)) for n, free in enumerate(allowed) if not free]


def _hint(person: Person, task: Task, place: Stretch) -> str:
    day = person.date_of(place[0])
    if is_after_due(task, place, person.now, person.known.zones):
        return "after_due"
    return "asleep" if clipped(merged(_nights(person, day)), *place) else ""


def is_after_due(task: Task, place: Stretch, now: datetime, zones: ZoneHistory) -> bool:
    """Return True if a place ends after the due time of a task, or begins after its due date, and ``now`` is before."""
    if task.due_at is not None:
        return now < task.due_at < place[1]
    return task.due is not None and local_time(now, zones).date() <= task.due < local_time(place[0], zones).date()


def _nights(person: Person, day: date) -> list[Stretch]:
    return [person.sleep(day), person.sleep(day + DAY)]


def after_a_move(given: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts of a moved suggestion, which are the move itself and the earlier facts still true."""
    return fact("moved"), *(one for one in given if one.kind not in OF_THE_HOUR and one.kind != "moved")


def _suggested_at(advice: Recommendation, user: User, now: datetime) -> datetime:
    start = advice.start
    return start if start is not None and start > now and moment_at(start, user.zones) == advice.moment else now


def _person(bridge: Bridge, user: User, advice: Recommendation, now: datetime, known: Snapshot | None) -> Person:
    found = recommend.load_person(bridge, user, now=now) if known is None else recommend.person_of(bridge, user, known)
    return replace(found, advised=[one for one in found.advised if one.id != advice.id])
