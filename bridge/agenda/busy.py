"""What is occupied and what is free: overlapping entries count once, free and declined ones not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from bridge.agenda.examples import DAY, entry, hour, planned  # noqa: F401 - for the worked examples
from bridge.agenda.stretches import Stretch, clipped, length, merged, share
from bridge.types import Event, Label, Occurrence, Response

Labelled = Sequence[tuple[Occurrence, Label]]

NO_TIME = frozenset({"birthday", "workingLocation", "task"})  # kinds that say something about a day, and occupy none
WHOLE = timedelta(hours=2)  # free blocks from two hours on are not fragments (Multitudes, Worklytics)


def takes_time(event: Event) -> bool:
    """Whether an entry occupies its stretch: not free, declined or cancelled, not all-day, no birthday, place of work
    or task.

    An all-day entry says what day it is, not that every minute of it is taken.

    >>> [takes_time(entry(9, 10, **of).event) for of in ({}, {"busy": False}, {"kind": "task"})]
    [True, False, False]
    >>> takes_time(entry(9, 10, response=Response.DECLINED).event)
    False
    """
    off = event.cancelled or event.response is Response.DECLINED
    return event.busy and not off and not event.all_day and event.kind not in NO_TIME


def occupied(occurrences: Iterable[Occurrence]) -> list[Stretch]:
    """The stretches that entries take, overlaps merged, ascending.

    >>> [(s.hour, e.hour) for s, e in occupied([entry(9, 10), entry(9.5, 11), entry(12, 13, busy=False)])]
    [(9, 11)]
    """
    return merged((o.start, o.end) for o in occurrences if takes_time(o.event))


def busy_union(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """What is occupied of [start, end).

    >>> [(s.hour, e.hour) for s, e in busy_union([entry(9, 10), entry(9.5, 11)], hour(10), DAY[1])]
    [(10, 11)]
    """
    return clipped(occupied(o for o in occurrences if o.start < end and o.end > start), start, end)


def density(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> float:
    """The occupied share of [start, end), 0..1; 0 for an empty stretch.

    >>> density([entry(6, 9), entry(7, 12)], *DAY)
    0.25
    """
    return share(busy_union(occurrences, start, end), start, end)


def gaps(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """The free stretches of [start, end), ascending.

    >>> [(s.hour, e.hour) for s, e in gaps([entry(9, 10), entry(12, 13)], hour(9), hour(14))]
    [(10, 12), (13, 14)]
    """
    free: list[Stretch] = []
    at = start
    for begun, over in busy_union(occurrences, start, end):
        if at < begun:
            free.append((at, begun))
        at = over
    return [*free, (at, end)] if at < end else free


def free_blocks(occurrences: Iterable[Occurrence], start: datetime, end: datetime, *, minutes: float) -> list[Stretch]:
    """The free stretches of [start, end) that are so many minutes long, ascending.

    >>> day = [entry(9, 10), entry(10.25, 12)]
    >>> [(s.hour, e.hour) for s, e in free_blocks(day, hour(9), hour(14), minutes=30)]
    [(12, 14)]
    """
    return [(s, e) for s, e in gaps(occurrences, start, end) if e - s >= timedelta(minutes=minutes)]


def next_free(labelled: Labelled, after: datetime, minutes: float, until: datetime) -> datetime | None:
    """The first instant from ``after`` on with so many free minutes before ``until``; None: there is none.

    >>> day = [planned(9, 10, "ADMIN_WORK"), planned(10.25, 12, "ADMIN_WORK")]
    >>> next_free(day, hour(9), 30, DAY[1]).hour, next_free(day, hour(9), 30, hour(12))
    (12, None)
    """
    free = free_blocks((occurrence for occurrence, _ in labelled), after, until, minutes=minutes)
    return free[0][0] if free else None


def fragmentation(busy: Sequence[Stretch], start: datetime, end: datetime) -> float:
    """The share of the free time of [start, end) that lies in pieces of less than two hours between two entries, 0..1.

    ``busy`` is disjoint and ascending, as ``busy_union`` gives it.

    >>> fragmentation(busy_union([entry(9, 10), entry(11, 12)], hour(9), hour(15)), hour(9), hour(15))
    0.25
    """
    taken = clipped(busy, start, end)
    free = end - start - length(taken)
    between = ((one[1], other[0]) for one, other in pairwise(taken))
    pieces = length((s, e) for s, e in between if e - s < WHOLE)
    return pieces / free if free else 0.0
