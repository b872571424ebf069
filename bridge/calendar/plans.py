"""Measures of a planned calendar, such as shares of actions, focus, work without a pause, and company.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from bridge.calendar.busy import NONE, Labelled, Stretch, clipped, length, merged, takes_time
from bridge.domain.types import Label, Occurrence, Task
from rhythm_env.interface import ActionType

FOCUS = frozenset({ActionType.DEEP_WORK, ActionType.LEARN})
FOCUS_BLOCK = timedelta(minutes=25)  # shorter stretches do not count as focus
REST = frozenset({ActionType.ME_TIME, ActionType.EXERCISE, ActionType.MEDITATE, ActionType.SLEEP})
PAUSE_MIN = timedelta(minutes=5)  # the shortest pause that counts (Albulescu 2022: micro-breaks)
DEFAULT_EFFORT = 1.0  # hours, for a task without an estimate
COMPANY = frozenset({ActionType.FAMILY_TIME, ActionType.SOCIALIZE})
A_WEEK = timedelta(days=7)
MINUTE = timedelta(minutes=1)


def planned_shares(labelled: Labelled, start: datetime, end: datetime) -> dict[ActionType, float]:
    """Return action -> share of [start, end) that busy entries take for it. Actions without a share are left out.

    Overlapping entries of different actions split their time evenly, so that the shares sum to at most 1.

    >>> planned_shares([planned(9, 12, "EXERCISE"), planned(10, 12, "ADMIN_WORK")], hour(9), hour(13))
    {<ActionType.ADMIN_WORK: 'ADMIN_WORK'>: 0.25, <ActionType.EXERCISE: 'EXERCISE'>: 0.5}
    """
    claims: list[tuple[datetime, datetime, ActionType]] = []
    for occurrence, label in labelled:
        if occurrence.start >= end or occurrence.end <= start or label.action is None:
            continue
        low, high = max(occurrence.start, start), min(occurrence.end, end)
        if low < high and takes_time(occurrence.event):
            claims.append((low, high, label.action))
    edges = sorted({edge for low, high, _ in claims for edge in (low, high)})
    seconds: dict[ActionType, float] = {}
    for begun, over in pairwise(edges):
        actions = {action for low, high, action in claims if low <= begun and over <= high}
        for action in actions:
            seconds[action] = seconds.get(action, 0.0) + (over - begun).total_seconds() / len(actions)
    whole = (end - start).total_seconds()
    return {action: min(seconds[action] / whole, 1.0) for action in ActionType if action in seconds}


def focus_blocks(labelled: Labelled) -> list[Stretch]:
    """Return the stretches of busy entries for deep work or learning, ascending, joined if they touch or overlap.

    >>> day = [planned(9, 10, "DEEP_WORK"), planned(10, 11, "LEARN"), planned(11, 12, "ME_TIME")]
    >>> [(s.hour, e.hour) for s, e in focus_blocks(day)]
    [(9, 11)]
    """
    return merged((o.start, o.end) for o, label in labelled if label.action in FOCUS and takes_time(o.event))


def focus_minutes(labelled: Labelled, start: datetime, end: datetime) -> float:
    """Return the minutes of [start, end) planned for deep work or learning, in blocks of at least 25 minutes.

    A block counts with its part in [start, end), even if that part is shorter.

    >>> focus_minutes([planned(9, 10, "DEEP_WORK"), planned(14, 14.25, "LEARN")], *DAY)
    60.0
    """
    return length(clipped(long_enough(focus_blocks(labelled)), start, end)) / MINUTE


def long_enough(blocks: Iterable[Stretch]) -> list[Stretch]:
    """Return the blocks of 25 minutes or more, which count as focus.

    >>> len(long_enough([(hour(9), hour(9.25)), (hour(10), hour(11))]))
    1
    """
    return [(start, end) for start, end in blocks if end - start >= FOCUS_BLOCK]


def effort_of(one: Task) -> float:
    """Return the hours that a task is estimated to take, or 1 hour without an estimate.

    >>> effort_of(task(20, effort=3.0)), effort_of(task(20))
    (3.0, 1.0)
    """
    return DEFAULT_EFFORT if one.effort is None else one.effort


def efforts(labelled: Labelled) -> list[Stretch]:
    """Return the stretches of busy entries that are no rest, ascending, joined across pauses under five minutes.

    Rest is time for oneself, exercise, meditation and sleep.

    >>> day = [planned(9, 10, "ADMIN_WORK"), planned(10.05, 11, "LEARN"), planned(11, 12, "EXERCISE")]
    >>> [(s.hour, e.hour) for s, e in efforts(day)]
    [(9, 11)]
    """
    busy = ((o.start, o.end) for o, label in labelled if takes_time(o.event) and label.action not in REST)
    return merged(busy, bridging=PAUSE_MIN)


def unbroken(stretches: Sequence[Stretch], since: datetime, at: datetime) -> float | None:
    """Return the minutes of work without a pause up to ``at``, counted from ``since`` at the earliest.

    ``stretches`` are the times of work. Returns 0 if the last work ended five minutes before ``at`` or earlier. Returns
    None if no work was planned between ``since`` and ``at``.

    >>> day = efforts([planned(9, 10, "ADMIN_WORK"), planned(10.05, 11, "LEARN")])
    >>> [unbroken(day, hour(6), hour(at)) for at in (8, 10.5, 11.5)]
    [None, 90.0, 0.0]
    """
    begun = clipped(stretches, since, at)
    if not begun:
        return None
    start, end = begun[-1]
    return (at - start) / MINUTE if at - end < PAUSE_MIN else 0.0


def social_events(labelled: Labelled, at: datetime) -> list[tuple[Occurrence, Label]]:
    """Return the busy entries labelled family time or socialising that ended in the seven days up to ``at``.

    >>> week = [planned(-60, -58, "SOCIALIZE"), planned(18, 20, "FAMILY_TIME"), planned(20, 23, "SOCIALIZE")]
    >>> [o.start.day for o, _ in social_events(week, hour(21))]
    [17, 20]
    """
    return [
        (occurrence, label)
        for occurrence, label in labelled
        if label.action in COMPANY and NONE <= at - occurrence.end <= A_WEEK and takes_time(occurrence.event)
    ]
