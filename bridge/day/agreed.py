"""Find the suggestions that a person accepted, put off or refused, and the times that they agreed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from bridge.calendar.busy import Stretch, clipped
from bridge.day.person import Person
from bridge.domain.records import SAID, Deed, Recommendation
from bridge.domain.slots import ZoneHistory, moment_at, slot_bounds
from bridge.domain.types import Task
from rhythm_env.interface import ActionType, Answer

NOT_NOW = timedelta(hours=1)  # after a refused time; our choice


def is_agreed(advice: Recommendation, zones: ZoneHistory) -> bool:
    """Return True if the person accepted a recommendation, or put it off to the slot of its start.

    An accepted recommendation that was closed before its start does not count, for example because the person fell ill.
    """
    if advice.answer is Answer.RESCHEDULE and advice.start is not None:
        return moment_at(advice.start, zones) == advice.moved_to
    gone = advice.closed_at is not None and advice.start is not None and advice.closed_at < advice.start
    return advice.answer is Answer.ACCEPT and not gone


def promised(person: Person) -> list[Stretch]:
    """Return the times of suggestions that the person agreed to and that are not done."""
    return [
        (one.start, one.end)
        for one in person.advised
        if one.kind == "suggested" and one.start and one.end and is_agreed(one, person.known.zones)
        if one.outcome is not Deed.DONE
    ]


def agreed_over(person: Person) -> Mapping[str, Recommendation]:
    """Return name -> the suggestion of today that the person agreed to and whose time is over, done or not."""
    today = person.date_of(person.now)
    over = (one for one in person.advised if one.kind == "suggested" and is_agreed(one, person.known.zones))
    found = {one.what: one for one in over if one.what and one.end is not None and one.end <= person.now}
    return {name: one for name, one in found.items() if one.start and person.date_of(one.start) == today}


def said_done(advised: Iterable[Recommendation], action: ActionType) -> list[tuple[Stretch, str]]:
    """Return the times, with the names, of suggestions of an action that the person says to have done."""
    told = (one for one in advised if one.outcome is Deed.DONE and one.evidence == SAID and one.action is action)
    mine = (one for one in told if one.kind == "suggested")
    return [((one.start, one.end), one.what or "") for one in mine if one.start and one.end]


def _new_times(person: Person) -> Iterator[tuple[Recommendation, Stretch]]:
    """Yield (suggestion that the user put off, its new time, or only its new slot)."""
    zones = person.known.zones
    for one in person.advised:
        if one.kind == "suggested" and one.answer is Answer.RESCHEDULE and one.moved_to is not None:
            timed = is_agreed(one, zones) and one.start is not None and one.end is not None
            yield one, (one.start, one.end) if timed else slot_bounds(one.moved_to, zones)  # type: ignore[misc]


def moved_tasks(person: Person) -> list[tuple[Task, Stretch]]:
    """Return the open tasks that the person moved, with their new times, if free and with the same due date."""
    due = [task for task in person.known.tasks if task.completed is None and task.title and task.due is not None]
    placed = [(one, person.places[str(one.key)]) for one in due if str(one.key) in person.places]
    chosen = [(one, (start, end)) for one, (start, end, due_then) in placed if due_then == one.due]
    return [(one, place) for one, place in chosen if place[1] > person.now and not clipped(person.attended, *place)]


def put_off(person: Person) -> Mapping[str, datetime]:
    """Return name -> new time of suggestions put off to a time that is not over. Until then they get no other place."""
    times = {one.what: start for one, (start, end) in _new_times(person) if one.what and end > person.now}
    return times | {task.title: start for task, (start, _) in moved_tasks(person) if task.title}


def open_again(person: Person) -> frozenset[str]:
    """Return the names of suggestions that were put off to a time that is over, but not done then, and of errands not
    done at their time, which close.
    """
    over = [one for one, (_, end) in _new_times(person) if end <= person.now and one.outcome is not Deed.DONE]
    closing = {errand.task.title for errand in person.errands.values()}
    missed = (one for one in person.advised if one.what in closing and one.answer is None)
    over += [one for one in missed if one.end is not None and one.end <= person.now]
    return frozenset(one.what for one in over if one.what) - put_off(person).keys()


def refused_slots(person: Person, name: str | None, *, by: datetime | None = None) -> list[Stretch]:
    """Return the slots for which something of this name was suggested and refused.

    Of a slot in which it must be done, ``by`` then, the refusal holds for an hour after the suggested time.
    """
    zones, found = person.known.zones, list[Stretch]()
    for one in (one for one in person.advised if one.answer is Answer.IGNORE and one.what == name and name):
        start = one.start or one.created_at
        low, high = slot_bounds(moment_at(start, zones), zones)
        found.append((low, min(high, (one.end or start) + NOT_NOW) if by is not None and by <= high else high))
    return found


def rests_until(person: Person, action: ActionType) -> datetime | None:
    """Return the time to which an action without a task was put off, or None."""
    tasks = {task.title for task in person.known.tasks}
    times = [
        start
        for one, (start, end) in _new_times(person)
        if one.action is action and one.what not in tasks and end > person.now
    ]
    return max(times, default=None)
