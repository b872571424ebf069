"""Say why an action that a person wishes on a day, or at some hours of it, is not suggested there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime

from bridge.calendar.kinds import title_of
from bridge.day.agreed import put_off
from bridge.day.grid import HOUR, MINUTE, run
from bridge.day.leisure import hours_of, is_wanted, off, told_hours
from bridge.day.opening import NAMED, in_order
from bridge.day.person import Person
from bridge.day.routine import in_the_night
from bridge.day.rules import APART, NO_GAP, PAUSE, fit, in_hours
from bridge.day.typical import DAY
from bridge.day.view import Candidate, Said, View, of_action, of_task
from bridge.domain.facts import Fact, fact
from bridge.domain.types import Task
from bridge.domain.wish_terms import night_on
from rhythm_env.interface import ActionType, Answer

ON_THE_PLAN = {
    "planned_later",
    "planned_that_day",
    "race_day",
    "trained",
}  # kinds of a refusal by what the day shows anyway
SAID = {"not_today", "put_off_until", "vetoed", "mode_away", "mode_holiday"}  # by what the person has said


def outside(candidate: Candidate, view: View, start: datetime) -> Fact | None:
    """Return why a start lies outside of the hours wished for the action, or None if it does not."""
    spans = hours_of(candidate, view)
    if not spans or any(low <= start < high for low, high in spans) or not is_wanted(candidate.action, view):
        return None
    return fact("outside_wished", why=_why(candidate, view, ()), **told_hours(candidate, view))


def unmet(view: View, placed: Sequence[Said]) -> Iterator[Fact]:
    """Yield why a wished action is not among the ``placed`` ones, unless the person knows the reason already."""
    person, day = view.person, view.grid.date
    heard = {one.action for one in person.advised if one.moment.date == day and one.answer is Answer.IGNORE}
    known = heard | {one.action for one in placed}
    for action in (one for one in ActionType if view.wishes.suggestions and is_wanted(one, view) and one not in known):
        why = _missing(of_action(action, person), view, placed)
        if why is not None and why.kind not in ON_THE_PLAN | SAID:
            yield fact("wish_unmet", action=str(action), why=why, title=view.wishes.named.get(action))


def tasks_unmet(view: View, held: Collection[str], placed: Sequence[Said]) -> Iterator[Fact]:
    """Yield why tasks that are due by the day are not among those that it holds, one fact for each reason.

    ``placed`` are the suggestions and tasks of the day.
    """
    person, day = view.person, view.grid.date
    named: set[str | None] = {*held, *(one.what for one in view.said if one.end > person.now)}
    mine = (one for one in person.known.tasks if one.completed is None and one.title and one.due is not None)
    due = [one for one in mine if one.due == day or (view.is_today and one.due is not None and one.due < day)]
    reasons: dict[Fact, list[str]] = {}
    for task in (one for one in in_order(due, day) if one.title not in named):
        reasons.setdefault(_why_not(task, view, placed), []).append(task.title or "")
    for why, titles in reasons.items():
        names = list(dict.fromkeys(titles))
        yield fact("task_unmet", why=why, title=", ".join([*names[:NAMED], *["…"][: len(names) > NAMED]]))


def _why_not(task: Task, view: View, placed: Sequence[Said]) -> Fact:
    moved = put_off(view.person).get(task.title or "")
    if moved is not None:
        return fact("put_off_until", time=view.person.local(moved))
    candidate = of_task(task, view.person)
    found = fit(candidate, view, view.now if view.is_today else 0, view.grid.size)
    if isinstance(found, Fact):
        return found
    left = run(~view.grid.touched((one.start - PAUSE, one.end + PAUSE) for one in placed)) * 5 >= candidate.least
    if not (left & (found > 0)).any():
        return fact("others_first")
    due = {one.title: one.due for one in view.person.known.tasks if one.completed is None}
    of_other_days = any(due.get(one.what, view.grid.date) != view.grid.date for one in placed if one.what)
    return fact("day_off_enough" if of_other_days and off(view, view.grid.date) else "enough_planned")


def night_unmet(person: Person, day: date) -> Iterator[Fact]:
    """Yield the fact that a wished bedtime cannot be kept, because entries fill that night."""
    for ends in (day, day + DAY):
        wish = night_on(person.wishes, ends)
        if wish != person.night_wish(ends) and wish.bed is not None:
            bed = in_the_night(wish.bed, ends, person.zones)
            if person.date_of(bed) == day:
                yield fact("night_unmet", time=person.local(bed))


def _missing(candidate: Candidate, view: View, placed: Sequence[Said]) -> Fact | None:
    """Return why a wished action has no place, or None if another day will do or its hours are over."""
    action, spans = candidate.action, hours_of(candidate, view)
    if not spans:
        found = in_hours(candidate, view)
        kinds = ("outside_hours", "sport_rests_ill") if _is_due(action, view) else ("outside_hours",)
        return found if isinstance(found, Fact) and found.kind in kinds else None
    only = action in view.wishes.hours
    over = view.is_today and spans[-1][1] - candidate.least * MINUTE < view.person.now
    return _why(candidate, view, placed) if only or (_is_due(action, view) and not over) else None


def _is_due(action: ActionType | None, view: View) -> bool:
    goal, left = None if action is None else view.wishes.goals.get(action), 7 - view.grid.date.weekday()
    return goal is None or action is None or goal - view.times_held(action) >= left


def _why(candidate: Candidate, view: View, placed: Sequence[Said]) -> Fact:
    """Return why the wished hours cannot be used: sleep, an entry, a rule, or another suggestion."""
    grid, person, least = view.grid, view.person, candidate.least * MINUTE
    low, high = hours_of(candidate, view)[0]
    if view.is_today and high - least < person.now:
        return fact("hours_over", **told_hours(candidate, view))
    if high - least < grid.begin:
        return fact("sleeps_until", time=person.local(grid.wake))
    if low + least > grid.bed:
        return fact("sleeps_from", time=person.local(grid.bed))
    refusal = in_hours(candidate, view)
    if isinstance(refusal, Fact):
        return _taken(candidate, view) or refusal if refusal.kind in NO_GAP else refusal
    near = [one for one in placed if one.start < high + APART and one.end > low - APART]
    return fact("suggestion_at", time=person.local(near[0].start)) if near else fact("no_suggestion_then")


def _taken(candidate: Candidate, view: View) -> Fact | None:
    """Return the fact of the entry that takes most of the wished hours, else of the sleep in them, or None."""
    grid, person = view.grid, view.person
    low, high = hours_of(candidate, view)[0]
    around = [(grid.margins(o, label), o) for o, label in grid.entries]
    shares = [(min(end, high + HOUR / 4) - max(start, low), o) for (start, end), o in around]
    share, entry = max(shares, key=lambda one: one[0], default=(0 * HOUR, None))
    if entry is None or share <= 0 * HOUR:
        return fact("sleeps_until", time=person.local(grid.wake)) if low < grid.wake else None
    return fact("hours_taken", title=title_of(entry), time=person.local(entry.start), **told_hours(candidate, view))
