"""A user's tasks as of any instant: done, open, and their pressure. An index by time makes a year of slots fast."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import exp
from operator import itemgetter

from bridge.calendar.expansion import midnight
from bridge.calendar.plans import effort_of
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Task

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
NO_PRESSURE = 746.0  # slack from which exp(-slack) is exactly 0
WEEK_AHEAD = timedelta(days=8)  # the rest of a week matters whatever the slack

# End of the due day, place in the list, task, hours of effort, and the divisor of its slack.
Open = tuple[datetime, int, Task, float, float]
FIRST, SECOND = itemgetter(0), itemgetter(1)


class Tasks:
    """A user's tasks, indexed by the end of their due days and by completion.

    Results are in the order of the tasks given, so that sums do not depend on the index.
    """

    def __init__(self, tasks: Sequence[Task], zones: ZoneHistory) -> None:
        self._tasks, self._zones = tasks, zones
        self._last: tuple[datetime | None, list[Open]] = None, []

    @cached_property
    def _done(self) -> list[tuple[datetime, int]]:
        return sorted((one.completed, place) for place, one in enumerate(self._tasks) if one.completed is not None)

    @cached_property
    def _dated(self) -> list[Open]:
        due = [(one.due, place, one, effort_of(one)) for place, one in enumerate(self._tasks) if one.due is not None]
        ends = [(midnight(day + DAY, self._zones), place, one, h, max(h, 1.0)) for day, place, one, h in due]
        return sorted(ends, key=FIRST)

    @cached_property
    def _ahead(self) -> timedelta:
        return max([WEEK_AHEAD, *((effort + NO_PRESSURE * least) * HOUR for *_, effort, least in self._dated)])

    def done(self, since: datetime, until: datetime) -> list[datetime]:
        """Return the instants at which tasks were completed in [since, until], in the order of the tasks given."""
        first, last = bisect_left(self._done, since, key=FIRST), bisect_right(self._done, until, key=FIRST)
        return [completed for completed, _ in sorted(self._done[first:last], key=SECOND)]

    def open(self, at: datetime) -> list[Open]:
        """Return the tasks with a due day that are open at ``at``, without those due too late to press yet."""
        last, found = self._last
        if last != at:
            near = self._dated[: bisect_right(self._dated, at + self._ahead, key=FIRST)]
            found = [one for one in near if one[2].completed is None or one[2].completed > at]
            found.sort(key=SECOND)
            self._last = at, found
        return found

    def pressure(self, at: datetime) -> float | None:
        """Return how strongly deadlines press at ``at``, as ``bridge.calendar.deadline_pressure`` defines it.

        It is 0 or more, and each overdue task adds 1. Returns None if no task, open or done, has a due day.
        """
        if not self._dated:
            return None
        found = [
            exp(-max(((end - at) / HOUR - effort) / least, 0.0)) if end > at else 1.0
            for end, _, _, effort, least in self.open(at)
        ]
        return sum(found, 0.0)
