"""Meetings, their density, and pauses between meetings.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from bridge.calendar.busy import NO_TIME, NONE, Stretch, merged, occupied, share, takes_time
from bridge.domain.types import Event, Occurrence

NO_MEETING = NO_TIME | {"focusTime", "outOfOffice", "fromGmail"}
TIGHT = timedelta(minutes=10)  # a pause of 10 minutes undoes the strain of meetings in a row (Microsoft 2021, n = 14)


def is_meeting(event: Event) -> bool:
    """Return True for a busy entry with other guests, with another organiser, or with a conference call.

    Focus times, absences and entries made from e-mails are no meetings.

    >>> [is_meeting(entry(9, 10, **of).event) for of in ({"others": 2}, {"conference": True}, {})]
    [True, True, False]
    """
    together = event.others > 0 or not event.organised_by_me or event.conference
    return together and takes_time(event) and event.kind not in NO_MEETING


def met(occurrences: Iterable[Occurrence]) -> list[Stretch]:
    """Return the stretches that meetings take, ascending, with overlaps merged.

    >>> [(s.hour, e.hour) for s, e in met([entry(9, 11, others=1), entry(10, 12, others=1), entry(14, 15)])]
    [(9, 12)]
    """
    return merged((o.start, o.end) for o in occurrences if is_meeting(o.event))


def meeting_density(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> float:
    """Return the share of [start, end) that meetings take, 0 to 1. Overlapping meetings count once.

    >>> meeting_density([entry(6, 9, others=1), entry(8, 12, others=3), entry(13, 18)], *DAY)
    0.25
    """
    return share(met(occurrences), start, end)


def tight_starts(occurrences: Iterable[Occurrence]) -> list[datetime]:
    """Return the starts of meetings that begin less than 10 minutes after all earlier meetings have ended, ascending.

    A meeting that begins before another has ended does not count.

    >>> [at.hour for at in tight_starts([entry(9, 10, others=1), entry(10, 11, others=1), entry(12, 13, others=1)])]
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
    """Return how many meetings begin in [start, end), each less than 10 minutes after all earlier meetings ended.

    >>> back_to_back([entry(9, 10, others=1), entry(10.1, 11, others=1), entry(11, 12, others=1)], *DAY)
    2
    """
    return sum(start <= at < end for at in tight_starts(occurrences))


def short_gaps(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """Return the pauses of less than 10 minutes between busy entries, those that end in [start, end).

    Entries that touch or overlap have no pause between them.

    >>> day = [entry(9, 10), entry(10.1, 11), entry(11, 12), entry(12.5, 13)]
    >>> [(f"{s:%H:%M}", f"{e:%H:%M}") for s, e in short_gaps(day, *DAY)]
    [('10:00', '10:06')]
    """
    busy = occupied(occurrences)
    pauses = ((before[1], after[0]) for before, after in pairwise(busy))
    return [(s, e) for s, e in pauses if e - s < TIGHT and start <= e < end]
