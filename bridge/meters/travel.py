"""Journeys across time zones: which days they unsettle.

After a flight sleep's length recovers in about two days and its timing in up to fifteen, later eastward (Oura and
National University of Singapore, 1.5 million nights). So regularity says nothing for a day per zone crossed, heart
rate and its variability are judged more loosely for three days, and those nights make nobody's normal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import date
from itertools import pairwise

FAR = 180  # minutes of offset; less is a change to summer time or a neighbouring zone
LOOSE_DAYS = 3
LOOSER = 1.5  # times the spread on those days
MOST_FROZEN = 10  # days


class Journeys:
    """Days on which a person woke at least three hours of clock away from the night before."""

    def __init__(self, offsets: Mapping[date, int]) -> None:
        """``offsets``: minutes east of UTC on waking, by day."""
        days = sorted(offsets)
        crossed = {day: abs(offsets[day] - offsets[before]) for before, day in pairwise(days)}
        self._hours = {day: minutes / 60 for day, minutes in crossed.items() if minutes >= FAR}
        self._days = sorted(self._hours)

    def loose(self, day: date) -> bool:
        """Whether heart rate and variability of this day are still off."""
        last = self._last(day)
        return last is not None and (day - last).days < LOOSE_DAYS

    def frozen(self, day: date) -> bool:
        """Whether bedtimes of this day still say more of the journey than of the person."""
        last = self._last(day)
        return last is not None and (day - last).days < min(self._hours[last], MOST_FROZEN)

    def _last(self, day: date) -> date | None:
        found = bisect_right(self._days, day)
        return self._days[found - 1] if found else None
