"""What lies within a day: the calendar's load, pauses and focus, and values measured every few minutes.

Only what had begun by the moment of reading counts, and only up to that moment.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate, pairwise

from bridge.agenda import (
    FOCUS_BLOCK,
    Labelled,
    Stretch,
    clipped,
    focus_blocks,
    is_meeting,
    merged,
    takes_time,
    tight_starts,
)
from bridge.types import Episode, Sample
from rhythm_env.interface import ActionType

SIX_HOURS = timedelta(hours=6)  # the length of a slot
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
PAUSE = timedelta(minutes=5)  # the shortest pause that counts (Albulescu 2022: micro-breaks)
WHOLE = timedelta(hours=2)  # free blocks from two hours on are not fragments (Multitudes, Worklytics)
TIGHT_COST = 0.15  # load of a meeting without a pause before it
REST = frozenset({ActionType.ME_TIME, ActionType.EXERCISE, ActionType.MEDITATE, ActionType.SLEEP})
ONE_VALUE = timedelta(minutes=3)  # what an instant of Garmin's stress stands for
AFTER_WORKOUT = timedelta(minutes=30)  # stress right after sport is the sport


class Calendar:
    """A person's agenda over [since, at]. ``exists`` tells an empty day from a calendar nobody connected."""

    def __init__(self, agenda: Labelled, since: datetime, at: datetime) -> None:
        begun = [(o, label) for o, label in agenda if o.start <= at]
        self._begin = min((o.start for o, _ in begun), default=None)
        self.entries = sorted((one for one in begun if one[0].end >= since), key=lambda one: one[0].start)
        self._starts = [o.start for o, _ in self.entries]
        occurrences = [o for o, _ in self.entries]
        self._busy = merged((o.start, o.end) for o in occurrences if takes_time(o.event))
        self._meetings = merged((o.start, o.end) for o in occurrences if is_meeting(o.event))
        self._tight = tight_starts(occurrences)
        self._focus = focus_blocks(self.entries)
        efforts = ((o.start, o.end) for o, label in self.entries if takes_time(o.event) and label.action not in REST)
        self._efforts = merged(efforts, bridging=PAUSE)
        self._loads: dict[datetime, float] = {}
        self._focused: dict[datetime, float] = {}

    def exists(self, at: datetime) -> bool:
        return self._begin is not None and self._begin <= at

    def reaches_back(self, to: datetime) -> bool:
        """Whether the calendar was already in use at ``to``."""
        return self._begin is not None and self._begin <= to

    def load(self, at: datetime) -> float:
        """Booked share of the six hours up to ``at`` by meetings, + 0.15 for each that followed without a pause."""
        if at not in self._loads:
            self._loads[at] = _share(self._meetings, at - SIX_HOURS, at) + TIGHT_COST * self.tight(at)
        return self._loads[at]

    def tight(self, at: datetime) -> int:
        """How many meetings of the six hours up to ``at`` began less than 10 minutes after the one before."""
        return bisect_right(self._tight, at) - bisect_left(self._tight, at - SIX_HOURS)

    def booked(self, at: datetime) -> float:
        """The occupied share of the six hours up to ``at``."""
        return _share(self._busy, at - SIX_HOURS, at)

    def fragmented(self, at: datetime) -> float:
        """The share of those six hours' free time that lies in pieces of less than two hours between two entries."""
        busy = clipped(self._busy, at - SIX_HOURS, at)
        free = SIX_HOURS - sum((end - start for start, end in busy), timedelta(0))
        between = (b[0] - a[1] for a, b in pairwise(busy))
        pieces = sum((gap for gap in between if gap < WHOLE), timedelta(0))
        return pieces / free if free else 0.0

    def unbroken(self, at: datetime, since: datetime) -> float | None:
        """Minutes without a pause of five at ``at``: 0 during one; None before the first entry since ``since``."""
        today = clipped(self._efforts, since, at)
        if not today:
            return None
        start, end = today[-1]
        return (at - start) / MINUTE if at - end < PAUSE else 0.0

    def focus(self, since: datetime, at: datetime) -> float:
        """Minutes of [since, at) in blocks of at least 25 minutes planned for deep work or learning."""
        return sum((e - s) / MINUTE for s, e in clipped(self._focus, since, at) if e - s >= FOCUS_BLOCK)

    def focus_of_day(self, at: datetime) -> float:
        """Minutes of focus in the 24 hours up to ``at``."""
        if at not in self._focused:
            self._focused[at] = self.focus(at - DAY, at)
        return self._focused[at]

    def started(self, since: datetime, at: datetime) -> Labelled:
        """Entries that began in [since, at]."""
        return self.entries[bisect_left(self._starts, since) : bisect_right(self._starts, at)]


class Intraday:
    """Values of one source every few minutes, with the mean of any stretch in logarithmic time."""

    def __init__(self, samples: Sequence[Sample], workouts: Sequence[Episode]) -> None:
        ends = sorted(w.end for w in workouts)
        kept = [_timed(s) for s in samples if not ends or not _just_after(ends, s.end or s.start)]
        kept.sort()
        self._known = [known for known, _, _ in kept]
        self._minutes = list(accumulate([minutes for _, minutes, _ in kept], initial=0.0))
        self._sums = list(accumulate([minutes * value for _, minutes, value in kept], initial=0.0))
        self._means: dict[datetime, tuple[float, float] | None] = {}

    def mean(self, at: datetime) -> tuple[float, float] | None:
        """(mean, minutes measured) of the values known in the six hours up to ``at``; None when there are none."""
        if at not in self._means:
            first, last = bisect_right(self._known, at - SIX_HOURS), bisect_right(self._known, at)
            minutes = self._minutes[last] - self._minutes[first]
            self._means[at] = ((self._sums[last] - self._sums[first]) / minutes, minutes) if last > first else None
        return self._means[at]


def _share(stretches: Sequence[Stretch], start: datetime, end: datetime) -> float:
    return sum((e - s for s, e in clipped(stretches, start, end)), timedelta(0)) / (end - start)


def _timed(sample: Sample) -> tuple[datetime, float, float]:
    """(known from, minutes, value)."""
    start, end = sample.start, sample.end
    if end is None or end <= start:
        return start, ONE_VALUE / MINUTE, sample.value
    return end, (end - start) / MINUTE, sample.value


def _just_after(ends: Sequence[datetime], at: datetime) -> bool:
    last = bisect_right(ends, at) - 1
    return last >= 0 and at - ends[last] < AFTER_WORKOUT
