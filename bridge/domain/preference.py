"""The order of sources, which decides whose values count if several sources record the same night, day or workout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

ESTABLISHED = 14  # earlier values from which the normal of a series can be relied on
PREFERRED_MAX = 20  # names that a user may put in order
Key = tuple[bool, int, bool, int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The order of sources that a user has ``chosen``, best first, followed by the ``usual`` order of all others.

    A name in ``chosen`` is SOURCE or SOURCE/DEVICE.
    """

    chosen: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()

    def place(self, series: str) -> int | None:
        """Return the place of a series (SOURCE or SOURCE/DEVICE) in the user's chosen order, from 0, else None."""
        return _standing(self.chosen, self.usual, series)[0]

    def rank(self, series: str) -> int:
        """Return the place of a series in the chosen order followed by the usual order, from 0.

        Sources in neither order share the last place.
        """
        return _standing(self.chosen, self.usual, series)[1]

    def key(self, series: str, earlier: int) -> Key:
        """Return the sort key of a series that has ``earlier`` values before the present value. The largest key wins.

        The user's chosen order decides first. In the usual order, a series with few earlier values comes after the
        others, so that a new device does not replace the old device at once.
        """
        place, rank = _standing(self.chosen, self.usual, series)
        return place is not None, -(place or 0), earlier >= ESTABLISHED, -rank, earlier, series

    def choice(self, series: str) -> tuple[bool, int]:
        """Return the sort key of a series in the user's chosen order, as (is chosen, -place). The largest key wins."""
        place = self.place(series)
        return place is not None, -(place or 0)


@lru_cache(maxsize=256)
def _standing(chosen: tuple[str, ...], usual: tuple[str, ...], series: str) -> tuple[int | None, int]:
    source = source_of(series)
    named = next((name for name in (series, source) if name in chosen), None)
    if named is not None:
        return chosen.index(named), chosen.index(named)
    return None, len(chosen) + (usual.index(source) if source in usual else len(usual))


def source_of(series: str) -> str:
    """Return the source of a series, which is called ``SOURCE`` or ``SOURCE/DEVICE``."""
    return series.partition("/")[0]
