"""Compute figures of the last hours: the calendar's load, pauses and focus, and means of frequent measurements.

Only entries and samples that had begun by the instant of reading count, and only up to that instant.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate, zip_longest

from bridge.calendar.busy import Labelled, clipped, fragmentation, length, occupied, share
from bridge.calendar.meetings import met, tight_starts
from bridge.calendar.plans import efforts, focus_blocks, long_enough, unbroken
from bridge.domain.types import Episode, Sample

SIX_HOURS = timedelta(hours=6)  # the length of a slot
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
TIGHT_COST = 0.15  # extra load of a meeting without a pause before it
ONE_VALUE, QUARTER = (
    timedelta(minutes=3),
    timedelta(minutes=15),
)  # intervals of Garmin's stress in Connect, and of its means
AFTER_WORKOUT = timedelta(minutes=30)  # in which exercise, not strain, raises the stress value

Timed = tuple[datetime, float, float]  # known from, minutes, value


class Calendar:
    """A user's calendar entries from ``since`` to ``at``, from which load, pauses and focus are computed.

    ``exists`` tells a day without entries from a missing calendar.
    """

    def __init__(self, entries: Labelled, since: datetime, at: datetime) -> None:
        begun = [(o, label) for o, label in entries if o.start <= at]
        self._begin = min((o.start for o, _ in begun), default=None)
        self.entries = sorted((one for one in begun if one[0].end >= since), key=lambda one: one[0].start)
        self._starts = [o.start for o, _ in self.entries]
        occurrences = [o for o, _ in self.entries]
        self._busy = occupied(occurrences)
        self._meetings = met(occurrences)
        self._tight = tight_starts(occurrences)
        self._focus = focus_blocks(self.entries)
        self._efforts = efforts(self.entries)
        self._loads: dict[datetime, float] = {}
        self._focused: dict[datetime, float] = {}

    def exists(self, at: datetime) -> bool:
        return self._begin is not None and self._begin <= at

    def reaches_back(self, to: datetime) -> bool:
        """Return True if an entry had begun by ``to``, which shows that the calendar was already in use."""
        return self._begin is not None and self._begin <= to

    def load(self, at: datetime) -> float:
        """Return the share of the six hours up to ``at`` in meetings. Add 0.15 for each meeting without a pause before
        it.
        """
        if at not in self._loads:
            self._loads[at] = share(self._meetings, at - SIX_HOURS, at) + TIGHT_COST * self.tight(at)
        return self._loads[at]

    def tight(self, at: datetime) -> int:
        """Count the meetings of the six hours up to ``at`` that began less than 10 minutes after the meeting before."""
        return bisect_right(self._tight, at) - bisect_left(self._tight, at - SIX_HOURS)

    def booked(self, at: datetime) -> float:
        """Return the share (0 to 1) of the six hours up to ``at`` in which entries block the time."""
        return share(self._busy, at - SIX_HOURS, at)

    def fragmented(self, at: datetime) -> float:
        """Return the share (0 to 1) of the six hours' free time up to ``at`` that lies in short pieces.

        A short piece lies between two entries and lasts less than two hours.
        """
        return fragmentation(self._busy, at - SIX_HOURS, at)

    def unbroken(self, at: datetime, since: datetime) -> float | None:
        """Return the minutes of work up to ``at`` since the last pause of at least five minutes.

        Returns 0 during a pause, and None if nothing was planned from ``since`` on.
        """
        return unbroken(self._efforts, since, at)

    def focus(self, since: datetime, at: datetime) -> float:
        """Return the minutes between ``since`` and ``at`` planned for deep work or learning, in blocks of at least 25
        minutes.
        """
        return length(long_enough(clipped(self._focus, since, at))) / MINUTE

    def focus_of_day(self, at: datetime) -> float:
        """Return the minutes of ``focus`` in the 24 hours up to ``at``."""
        if at not in self._focused:
            self._focused[at] = self.focus(at - DAY, at)
        return self._focused[at]

    def started(self, since: datetime, at: datetime) -> Labelled:
        """Return (occurrence, label) of the calendar entries that began from ``since`` to ``at``, both included, by
        start.
        """
        return self.entries[bisect_left(self._starts, since) : bisect_right(self._starts, at)]


class Intraday:
    """The values of a series (source and device) every few minutes, for means over six hours.

    Values from the first 30 minutes after a workout are left out.
    """

    def __init__(self, samples: Sequence[Sample], workouts: Sequence[Episode]) -> None:
        ends = sorted(w.end for w in workouts)
        each = _each(samples)
        kept = [_timed(s, each) for s in samples if not ends or not _just_after(ends, s.end or s.start)]
        kept = _once(sorted(kept))
        self._known = [known for known, _, _ in kept]
        self._minutes = list(accumulate([minutes for _, minutes, _ in kept], initial=0.0))
        self._sums = list(accumulate([minutes * value for _, minutes, value in kept], initial=0.0))
        self._means: dict[datetime, tuple[float, float] | None] = {}

    def mean(self, at: datetime) -> tuple[float, float] | None:
        """Return (mean, minutes measured) of the values in the six hours up to ``at``, or None without values."""
        if at not in self._means:
            first, last = bisect_right(self._known, at - SIX_HOURS), bisect_right(self._known, at)
            minutes = self._minutes[last] - self._minutes[first]
            self._means[at] = ((self._sums[last] - self._sums[first]) / minutes, minutes) if last > first else None
        return self._means[at]


def _once(kept: Sequence[Timed]) -> list[Timed]:
    """Drop duplicates that arrived by two connections: of values known at the same instant, the longest measured is
    kept.
    """
    return [one for one, after in zip_longest(kept, kept[1:]) if after is None or one[0] != after[0]]


def _each(samples: Sequence[Sample]) -> float:
    """Return how many minutes each measured value stands for, 1 or 3.

    It is 1 if any quarter of an hour holds more than five values, as in a watch's own files. It is 3 otherwise, as in
    Garmin Connect.
    """
    most = max((sample.count or 0 for sample in samples), default=0)
    return 1.0 if most > QUARTER / ONE_VALUE else ONE_VALUE / MINUTE


def _timed(sample: Sample, each: float) -> Timed:
    """Return (known from, minutes measured, value) of a sample. For a mean, each value behind it counts ``each``
    minutes.
    """
    start, end = sample.start, sample.end
    if end is None or end <= start:
        return start, ONE_VALUE / MINUTE, sample.value
    minutes = (end - start) / MINUTE
    return end, minutes if sample.count is None else min(sample.count * each, minutes), sample.value


def _just_after(ends: Sequence[datetime], at: datetime) -> bool:
    last = bisect_right(ends, at) - 1
    return last >= 0 and at - ends[last] < AFTER_WORKOUT
