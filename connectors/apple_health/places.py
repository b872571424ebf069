"""Where the person was when: what the phone wrote beside sleeps and workouts, and the wall clocks of heart beats."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from connectors.apple_health.units import offset_at

if TYPE_CHECKING:
    import numpy as np

DAY, QUARTER = 86_400, 900
REACH = 4 * DAY  # seconds from a piece of evidence beyond which a person is taken to be at home
HOME = ""  # in place of a zone
OFTEN = 1800  # seconds within which the same place need not be seen again


class Places:
    """The zone at every moment. The nearest evidence tells, if it is near; halfway between two the person moved.

    A place whose clock is that of home is home: beats tell an offset only, and a phone may name any city of a zone.
    Home is where the person lived then: ``homes`` are zones from an instant on (Unix seconds), ascending, the first
    also for everything before.
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
        """The zone the person lived in."""
        return self._homes[bisect_right(self._moved, at)]

    def saw(self, at: float, place: str) -> None:
        """The person was there at that moment: a zone, or a fixed offset by its name."""
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._names)
            self._names.append(place)
        if not (number == self._latest[1] and 0 <= at - self._latest[0] < OFTEN):
            self._evidence.extend((at, number))
            self._latest = at, number

    def settle(self) -> None:
        """Nothing more will be seen."""
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
        """From then on the person is somewhere else, if the clock there, when it was ``seen``, is another."""
        current = self._places[-1]
        if place != current and (seen is None or self._offset(seen, place) != self._offset(seen, current)):
            self._since.append(since)
            self._places.append(place)

    def _offset(self, at: float, place: str) -> int:
        return offset_at(at, place or self.home(at))

    def place(self, at: float) -> str:
        return self._places[bisect_right(self._since, at) - 1] or self.home(at)

    def offset(self, at: float) -> int:
        """Minutes east of UTC."""
        return offset_at(at, self.place(at))

    def offsets(self, at: np.ndarray) -> np.ndarray:
        """Seconds east of UTC of many instants that lie near each other."""
        import numpy as np

        if not len(at):
            return np.zeros(0)
        since, offsets = self._steps(int(at.min() // DAY) * DAY, int(at.max() // DAY + 1) * DAY)
        found: np.ndarray = offsets[np.searchsorted(since, at, side="right") - 1]
        return found

    def _steps(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """From when each offset holds; all change at quarters of an hour, or where the person moved."""
        import numpy as np

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
        """When a zone's clock changes between two moments of one day, if it does."""
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
