"""Find the hours that a person wishes for an action, the hours reserved for it, and why they are not kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from typing import Any

from bridge.calendar.busy import Stretch, clipped, length, merged
from bridge.day.grid import DAY, HOUR, MINUTE, Cells
from bridge.day.view import Candidate, View
from bridge.domain.wish_terms import is_within
from bridge.domain.wishes import Hours, Spare
from rhythm_env.interface import ActionType

A = ActionType
NARROW = 3 * HOUR  # of a waking day, to which hours that are the only ones leave it, so that they are the person's word
GETTING_UP = 10 * MINUTE  # our choice
SPORT_BEFORE_BED = HOUR  # hard sport that ends later delays sleep (Stutz 2019)


def hours_of(candidate: Candidate, view: View) -> list[Stretch]:
    """Return the hours of a day that a person wishes for an action, or the few that are its only ones."""
    action, wishes, grid = candidate.action, view.wishes, view.grid
    if action is None or action is A.SLEEP or candidate.task is not None:
        return []
    best, only = wishes.best.get(action), wished_spans(wishes.hours.get(action, ()), view)
    if best is not None and best.hours and (not best.days or grid.date.weekday() in best.days):
        return wished_spans(best.hours, view)
    narrow = length(clipped(only, grid.begin, grid.bed)) <= NARROW
    return only if narrow and wishes.asks_for(action, grid.date.weekday()) else []


def told_hours(candidate: Candidate, view: View) -> dict[str, Any]:
    """Return begin and end of the wished hours for a fact, from waking on if they begin at midnight."""
    low, high = hours_of(candidate, view)[0]
    low = min(max(low, view.grid.begin), high) if low == view.grid.midnight else low
    return {"start": view.person.local(low), "end": view.person.local(high)}


def own_spans(candidate: Candidate, view: View) -> list[Stretch]:
    """Return what the night leaves of these hours. Guesses of good hours give way to it, unless the person is ill."""
    latest = view.grid.bed - (SPORT_BEFORE_BED if candidate.action is A.EXERCISE else 0 * HOUR)
    ill = view.is_today and view.person.body.ill
    return [] if ill else clipped(hours_of(candidate, view), view.grid.begin + GETTING_UP, latest)


def own_hours(candidate: Candidate, view: View) -> Cells | None:
    """Return the cells of ``own_spans``, or None without any."""
    spans = own_spans(candidate, view)
    return view.grid.inside(spans) if spans else None


def is_wanted(action: ActionType | None, view: View) -> bool:
    """Return True if an action has a goal that is not reached, or is wanted on the weekday, and is not done on it."""
    if action is None or not view.wishes.asks_for(action, view.grid.date.weekday()):
        return False
    until = view.person.now if view.is_today else view.grid.bed
    reached = view.times_this_week(action, until) >= view.wishes.goals.get(action, 7)
    return not reached and view.grid.date not in view.times(action, until)


WHOLE_DAY: Sequence[Hours] = ((time(0), time(0)),)


def wished(candidate: Candidate, view: View) -> Cells | bool:
    spare = None if candidate.action in (None, A.SLEEP) else view.wishes.spare
    if spare is None or not _is_spared(spare, view):
        return _wished(candidate, view)
    return _wished(candidate, view) & ~view.grid.touched(wished_spans(spare.hours or WHOLE_DAY, view))


def _is_spared(spare: Spare, view: View) -> bool:
    """Return True if a day must stay without suggestions, as too few days of its week are left for it."""
    today = view.grid.date
    monday, left = today - today.weekday() * DAY, 6 - today.weekday()
    given = [view.person.local(one.start) for one in view.said if one.action is not A.SLEEP]
    had = {at.date() for at in given if monday <= at.date() < today and is_within(at.time(), spare.hours or WHOLE_DAY)}
    return today.weekday() - len(had) + left < spare.times


def _wished(candidate: Candidate, view: View) -> Cells | bool:
    wishes, today = view.wishes, view.grid.date.weekday()
    if candidate.action is None or today not in wishes.days.get(candidate.action, range(7)):
        return candidate.action is None
    most = wishes.most.get(candidate.action) if candidate.task is None else None
    if most is not None and view.times_this_week(candidate.action, view.grid.bed) >= most:
        return False
    apart = wishes.apart.get(candidate.action, 0) if candidate.task is None else 0
    near = view.times(candidate.action, view.grid.bed + apart * DAY) if apart else set()
    if any(0 < abs((day - view.grid.date).days) <= apart for day in near):
        return False
    barred = [one.hours for one in wishes.barred.get(candidate.action, ()) if today in one.days]
    free = ~view.grid.touched(wished_spans([one for hours in barred for one in hours], view)) if barred else True
    if candidate.action not in wishes.hours:
        return free
    return view.grid.inside(wished_spans(wishes.hours[candidate.action], view)) & free


def wished_spans(hours: Sequence[Hours], view: View) -> list[Stretch]:
    """Return hours as stretches of a day."""
    found = []
    for begin, end in hours:
        low, high = (view.grid.midnight + one.hour * HOUR + one.minute * MINUTE for one in (begin, end))
        found.append((low, high if high > low else high + DAY))
    return merged(found)
