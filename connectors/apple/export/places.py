"""Find the user's zone over time, from zones stated with sleeps and workouts and from wall clocks of heart beats."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from connectors.apple.export.units import offset_at

DAY, QUARTER = 86_400, 900
REACH = 4 * DAY  # seconds from a piece of evidence, beyond which the user counts as at home
HOME = ""  # stands for the zone of residence
REPEATED_SECONDS = 1800  # seconds within which repeated evidence of a place is dropped


class Places:
    """The zone in which the user was at every instant, by the evidence nearest in time, else the zone lived in.

    Between two places, the move is assumed halfway in time. ``homes`` are (Unix second from which, zone).
    """

    def __init__(self, homes: Sequence[tuple[float, str]]) -> None:
        self._moved, self._homes = [since for since, _ in homes[1:]], [zone for _, zone in homes]
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._evidence = array("d")  # at, number of the place, at, number ...
        self._latest = 0.0, -1
        self._since: list[float] = [float("-inf")]
        self._places: list[str] = [HOME]

    def home(self, at: float) -> str:
        """Return the zone that the user lived in at a Unix second."""
        return self._homes[bisect_right(self._moved, at)]

    def saw(self, at: float, place: str) -> None:
        """Add evidence that the user was at ``place``, a zone or an offset like ``+05:30``, at Unix second ``at``."""
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._names)
            self._names.append(place)
        if not (number == self._latest[1] and 0 <= at - self._latest[0] < REPEATED_SECONDS):
            self._evidence.extend((at, number))
            self._latest = at, number

    def seen(self) -> int:
        """Return the number of entries in the evidence so far, to be passed to ``seen_since``."""
        self._latest = 0.0, -1
        return len(self._evidence)

    def seen_since(self, known: int) -> list[tuple[float, str]]:
        """Return the evidence, as (Unix second, place), that was added since ``seen`` returned ``known``."""
        some = self._evidence[known:]
        self._latest = 0.0, -1
        return [(at, self._names[int(number)]) for at, number in zip(some[::2], some[1::2], strict=True)]

    def between(self, first: float, last: float) -> list[tuple[float, int, str]]:
        """Return (Unix second, minutes east of UTC, place) for ``first``, for each move after it, and for ``last``."""
        moves = sorted(at for at in (*self._since, *self._moved) if first < at <= last)
        return [(at, self.offset(at), self.place(at)) for at in (first, *moves, last)]

    def settle(self) -> None:
        """Compute the user's moves between zones. This is called once, after all evidence was added."""
        before = float("-inf")
        for at, number in sorted(zip(self._evidence[::2], self._evidence[1::2], strict=True)):
            if at - before > 2 * REACH:
                self._move(before + REACH, HOME)
                before = at - 2 * REACH
            self._move((before + at) / 2, self._like_home(at, self._names[int(number)]), seen=at)
            before = at
        self._move(before + REACH, HOME)

    def _like_home(self, at: float, place: str) -> str:
        return HOME if offset_at(at, place) == offset_at(at, self.home(at)) else place

    def _move(self, since: float, place: str, *, seen: float | None = None) -> None:
        current = self._places[-1]
        if place != current and (seen is None or self._offset(seen, place) != self._offset(seen, current)):
            self._since.append(since)
            self._places.append(place)

    def _offset(self, at: float, place: str) -> int:
        return offset_at(at, place or self.home(at))

    def place(self, at: float) -> str:
        return self._places[bisect_right(self._since, at) - 1] or self.home(at)

    def offset(self, at: float) -> int:
        """Return the minutes east of UTC at an instant in Unix seconds."""
        return offset_at(at, self.place(at))

    def offsets(self, at: np.ndarray) -> np.ndarray:
        """Return the seconds east of UTC for an array of Unix seconds, which should lie close together."""
        if not len(at):
            return np.zeros(0)
        since, offsets = self._steps(int(at.min() // DAY) * DAY, int(at.max() // DAY + 1) * DAY)
        found: np.ndarray = offsets[np.searchsorted(since, at, side="right") - 1]
        return found

    def _steps(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes of offset between two Unix seconds, as (Unix seconds, seconds east of UTC from then)."""
        moves = [at for at in (*self._since, *self._moved) if first < at < last]
        edges = sorted({*range(first, last + 1, DAY), *moves})
        since, offsets = [float(first)], [self.offset(first)]
        for low, high in pairwise(edges):
            for at in (low, *self._change(low, high)):
                if self.offset(at) != offsets[-1]:
                    since.append(float(at))
                    offsets.append(self.offset(at))
        return np.array(since), np.array(offsets) * 60.0

    def _change(self, low: float, high: float) -> list[float]:
        """Return a list with the Unix second of the change of offset from ``low`` to ``high``, [] without a change."""
        low_quarter, high_quarter = int(low // QUARTER), int((high - 1) // QUARTER)
        before = self.offset(low)
        if self.offset(high_quarter * QUARTER) == before or high_quarter <= low_quarter:
            return []
        while high_quarter - low_quarter > 1:
            middle = (low_quarter + high_quarter) // 2
            if self.offset(max(middle * QUARTER, low)) == before:
                low_quarter = middle
            else:
                high_quarter = middle
        return [float(high_quarter * QUARTER)]
