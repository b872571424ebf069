"""Pure facts about a calendar: what is busy, free, planned, a meeting, or a block of focus.

In the examples ``_at(9, 10.5)`` is an entry from 9:00 to 10:30 of one day, and ``_DAY`` that day from 0 to 24.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from bridge.types import Event, Label, Occurrence, Response
from rhythm_env.interface import ActionType

Stretch = tuple[datetime, datetime]  # begin and end (exclusive)
Labelled = Sequence[tuple[Occurrence, Label]]

NO_TIME = frozenset({"birthday", "workingLocation", "task"})  # kinds that say something about a day, and occupy none
NO_MEETING = NO_TIME | {"focusTime", "outOfOffice", "fromGmail"}
FOCUS = frozenset({ActionType.DEEP_WORK, ActionType.LEARN})
FOCUS_BLOCK = timedelta(minutes=25)  # shorter stretches do not count as focus
TIGHT = timedelta(minutes=10)  # pauses from 10 minutes on undo the strain of meetings in a row (Microsoft 2021, n = 14)
NONE = timedelta(0)


def takes_time(event: Event) -> bool:
    """Whether an entry occupies its stretch: not free, not all-day, not a birthday, place of work or task.

    An all-day entry says what day it is, not that every minute of it is taken.

    >>> [takes_time(_at(9, 10, **of).event) for of in ({}, {"busy": False}, {"kind": "task"})]
    [True, False, False]
    """
    return event.busy and not event.all_day and event.kind not in NO_TIME


def is_meeting(event: Event) -> bool:
    """Whether other people are part of it: invited, inviting, or on the line; a call to a conference counts.

    >>> [is_meeting(_at(9, 10, **of).event) for of in ({"others": 2}, {"conference": True}, {}, {"kind": "focusTime"})]
    [True, True, False, False]
    """
    together = event.others > 0 or not event.organised_by_me or event.conference
    return together and takes_time(event) and event.kind not in NO_MEETING and event.response is not Response.DECLINED


def merged(stretches: Iterable[Stretch], *, bridging: timedelta = NONE) -> list[Stretch]:
    """Disjoint stretches in order; those that overlap, touch, or lie less than ``bridging`` apart become one.

    >>> spans = [(_at(a, b).start, _at(a, b).end) for a, b in ((9, 10), (9.5, 11), (11, 12), (13, 14))]
    >>> [(s.hour, e.hour) for s, e in merged(spans)]
    [(9, 12), (13, 14)]
    """
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and (start <= found[-1][1] or start - found[-1][1] < bridging):
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def clipped(stretches: Sequence[Stretch], start: datetime, end: datetime) -> list[Stretch]:
    """The parts of disjoint, ascending stretches that lie in [start, end).

    >>> [(s.hour, e.hour) for s, e in clipped([(_at(9, 11).start, _at(9, 11).end)], _at(10, 10).start, _DAY[1])]
    [(10, 11)]
    """
    first = max(bisect_left(stretches, (start, start)) - 1, 0)
    found: list[Stretch] = []
    for at in range(first, len(stretches)):
        begun, over = stretches[at]
        if begun >= end:
            break
        low, high = max(begun, start), min(over, end)
        if low < high:
            found.append((low, high))
    return found


def busy_union(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """The occupied stretches of [start, end), overlaps merged, ascending.

    >>> [(s.hour, e.hour) for s, e in busy_union([_at(9, 10), _at(9.5, 11), _at(12, 13, busy=False)], *_DAY)]
    [(9, 11)]
    """
    near = (o for o in occurrences if o.start < end and o.end > start)
    return clipped(merged((o.start, o.end) for o in near if takes_time(o.event)), start, end)


def density(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> float:
    """The occupied share of [start, end), 0..1; 0 for an empty stretch.

    >>> density([_at(6, 9), _at(7, 12)], *_DAY)
    0.25
    """
    return _total(busy_union(occurrences, start, end)) / (end - start) if start < end else 0.0


def gaps(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """The free stretches of [start, end), ascending.

    >>> [(s.hour, e.hour) for s, e in gaps([_at(9, 10), _at(12, 13)], _at(9, 9).start, _at(14, 14).start)]
    [(10, 12), (13, 14)]
    """
    free: list[Stretch] = []
    at = start
    for begun, over in busy_union(occurrences, start, end):
        if at < begun:
            free.append((at, begun))
        at = over
    return [*free, (at, end)] if at < end else free


def tight_starts(occurrences: Iterable[Occurrence]) -> list[datetime]:
    """The starts of meetings that begin less than 10 minutes after the one before ended, ascending.

    >>> [at.hour for at in tight_starts([_at(9, 10, others=1), _at(10, 11, others=1), _at(12, 13, others=1)])]
    [10]
    """
    meetings = sorted((o.start, o.end) for o in occurrences if is_meeting(o.event))
    found: list[datetime] = []
    over: datetime | None = None
    for start, end in meetings:
        if over is not None and NONE <= start - over < TIGHT:
            found.append(start)
        over = end if over is None else max(over, end)
    return found


def back_to_back(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> int:
    """How many meetings begin in [start, end) with less than 10 minutes since the one before.

    >>> back_to_back([_at(9, 10, others=1), _at(10.1, 11, others=1), _at(11, 12, others=1)], *_DAY)
    2
    """
    return sum(start <= at < end for at in tight_starts(occurrences))


def planned_shares(labelled: Labelled, start: datetime, end: datetime) -> dict[ActionType, float]:
    """The share of [start, end) planned for each action, in the order of the actions; all together at most 1.

    Time that entries of different actions claim at once is split evenly among them.

    >>> exercise, admin = (_at(9, 12), _as("EXERCISE")), (_at(10, 12), _as("ADMIN_WORK"))
    >>> planned_shares([exercise, admin], _at(9, 9).start, _at(13, 13).start)
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
    length = (end - start).total_seconds()
    return {action: min(seconds[action] / length, 1.0) for action in ActionType if action in seconds}


def next_free(labelled: Labelled, after: datetime, minutes: float, until: datetime) -> datetime | None:
    """The first instant from ``after`` on with so many free minutes before ``until``; None: there is none.

    >>> day = [(_at(9, 10), _as("ADMIN_WORK")), (_at(10.25, 12), _as("ADMIN_WORK"))]
    >>> next_free(day, _at(9, 9).start, 30, _DAY[1]).hour, next_free(day, _at(9, 9).start, 30, _at(12, 12).start)
    (12, None)
    """
    free = gaps((occurrence for occurrence, _ in labelled), after, until)
    return next((start for start, end in free if end - start >= timedelta(minutes=minutes)), None)


def focus_blocks(labelled: Labelled) -> list[Stretch]:
    """Stretches planned for deep work or learning, overlapping and touching ones merged, ascending.

    >>> day = [(_at(9, 10), _as("DEEP_WORK")), (_at(10, 11), _as("LEARN")), (_at(11, 12), _as("ME_TIME"))]
    >>> [(s.hour, e.hour) for s, e in focus_blocks(day)]
    [(9, 11)]
    """
    return merged((o.start, o.end) for o, label in labelled if label.action in FOCUS and takes_time(o.event))


def focus_minutes(labelled: Labelled, start: datetime, end: datetime) -> float:
    """Minutes of [start, end) in blocks of at least 25 minutes of deep work or learning.

    >>> focus_minutes([(_at(9, 10), _as("DEEP_WORK")), (_at(14, 14.25), _as("LEARN"))], *_DAY)
    60.0
    """
    blocks = clipped(focus_blocks(labelled), start, end)
    return sum((e - s for s, e in blocks if e - s >= FOCUS_BLOCK), NONE) / timedelta(minutes=1)


def _total(stretches: Iterable[Stretch]) -> timedelta:
    return sum((end - start for start, end in stretches), NONE)


_DAY = (datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 21, tzinfo=UTC))


def _at(start: float, end: float, **of: Any) -> Occurrence:
    event = Event(key=f"{start}", calendar="example", **of)
    hours = (_DAY[0] + timedelta(hours=h) for h in (start, end))
    return Occurrence(key=event.key, event=event, start=next(hours), end=next(hours))


def _as(action: str) -> Label:
    return Label(action=ActionType(action), confidence=1.0, by="example@1", why="an example")
