"""Keep what a person wishes of a day's sum: so many minutes or times of an action, or suggestions, at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bridge.calendar.busy import Stretch, merged
from bridge.day.grid import MINUTE, Cells
from bridge.day.leisure import wished_spans
from bridge.day.view import Candidate, View
from rhythm_env.interface import ActionType

Sums = Iterable[tuple[ActionType | None, int]]  # the action and the minutes of each


def has_limit(action: ActionType | None, view: View) -> bool:
    return action in view.wishes.minutes_daily or action in view.wishes.times_daily


def minutes_left(action: ActionType | None, view: View) -> int | None:
    """Return how many minutes of an action the day may still hold, or None without such a wish."""
    most = None if action is None else view.wishes.minutes_daily.get(action)
    if most is None:
        return None
    return most - sum((end - start) // MINUTE for start, end in _held(action, view))


def times_left(action: ActionType | None, view: View) -> int | None:
    """Return how many more times of an action the day may hold, or None without such a wish."""
    most = None if action is None else view.wishes.times_daily.get(action)
    return None if most is None else most - len(_held(action, view))


def has_place(candidate: Candidate, view: View) -> bool:
    """Return True if the wished sum of the day leaves a time of an action, or is not limited."""
    minutes, times = minutes_left(candidate.action, view), times_left(candidate.action, view)
    return (minutes is None or minutes >= _least(candidate, minutes, view)) and (times is None or times > 0)


def cut(candidate: Candidate, view: View) -> Candidate:
    """Return a candidate that is no longer than the wished sum of the day leaves."""
    left = minutes_left(candidate.action, view)
    if left is None or left >= candidate.wanted:
        return candidate
    wanted = max(left // 5 * 5, 5)
    return replace(candidate, wanted=wanted, least=min(candidate.least, wanted))


def within(chosen: Sums, view: View) -> bool:
    """Return True if several suggestions of one plan together keep the wished sums of the day."""
    minutes: dict[ActionType | None, int] = {}
    times: dict[ActionType | None, int] = {}
    for action, long in chosen:
        minutes[action], times[action] = minutes.get(action, 0) + long, times.get(action, 0) + 1
    for action in filter(lambda one: has_limit(one, view), minutes):
        most, often = minutes_left(action, view), times_left(action, view)
        if (most is not None and minutes[action] > most) or (often is not None and times[action] > often):
            return False
    return True


def has_few(candidate: Candidate, view: View) -> Cells | bool:
    """Return False for the steps of hours that hold all suggestions wished in them. Tasks count, but are not barred."""
    full = [span for span, left in _few_left(view) if left <= 0]
    return ~view.grid.inside(full) if full and candidate.task is None else True


def keeps_few(starts: Sequence[datetime], view: View) -> bool:
    """Return True if new suggestions of one plan keep the numbers wished in some hours."""
    return all(sum(low <= at < high for at in starts) <= max(left, 0) for (low, high), left in _few_left(view))


def _few_left(view: View) -> Iterator[tuple[Stretch, int]]:
    for few in view.wishes.few:
        for low, high in wished_spans((few.hours,), view):
            yield (low, high), few.most - sum(low <= one.start < high for one in view.said)


def _least(candidate: Candidate, left: int, view: View) -> int:
    """Return the least minutes worth a suggestion: of the action, or all that is wished where that is less."""
    whole = candidate.action is not None and left == view.wishes.minutes_daily.get(candidate.action)
    return min(5 if whole else candidate.length.least, candidate.least)


def _held(action: ActionType | None, view: View) -> list[Stretch]:
    """Return the times of an action on the waking day: done, planned or suggested, each once."""
    low, high = view.grid.wake, view.grid.bed
    found = [(o.start, o.end) for o in view.planned(action)]
    found += [(one.start, one.end) for one in view.said if one.action is action]
    if action is ActionType.EXERCISE:
        found += [(workout.start, workout.end) for workout in view.person.workouts(view.grid.date)]
    return merged([one for one in found if low <= one[0] < high], bridging=timedelta(0))
