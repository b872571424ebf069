"""The order of sources in which one of them is taken where several show the same night, day or workout."""

from __future__ import annotations

from dataclasses import dataclass

ESTABLISHED = 14  # earlier values from which the normal of a series can be relied on
PREFERRED_MAX = 20  # names that a user may put in order
Key = tuple[bool, int, bool, int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A user's order of sources. ``chosen`` are the sources that the user named, and ``usual`` orders all others.

    A name in ``chosen`` is ``SOURCE``, which stands for all its devices, or ``SOURCE/DEVICE``.
    """

    chosen: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()

    def place(self, series: str) -> int | None:
        """Return the place of a series (source and device) among the chosen ones, from 0, or None if not chosen."""
        named = next((name for name in (series, source_of(series)) if name in self.chosen), None)
        return None if named is None else self.chosen.index(named)

    def rank(self, series: str) -> int:
        """Return the place of a series in the whole order, from 0. Sources without a place share the last one."""
        place, source = self.place(series), source_of(series)
        if place is not None:
            return place
        return len(self.chosen) + (self.usual.index(source) if source in self.usual else len(self.usual))

    def key(self, series: str, earlier: int) -> Key:
        """Return the sort key of a series that has so many ``earlier`` values. The series with the largest is taken.

        A chosen series comes first. Of the others, a series with a normal of its own comes before a new one. So a new
        device runs beside the old device for its first fourteen nights.
        """
        return *self.choice(series), earlier >= ESTABLISHED, -self.rank(series), earlier, series

    def choice(self, series: str) -> tuple[bool, int]:
        """Return the part of the sort key that rests on the user's choice alone."""
        place = self.place(series)
        return place is not None, 0 if place is None else -place


def source_of(series: str) -> str:
    """Return the source of a series, which is called ``SOURCE`` or ``SOURCE/DEVICE``."""
    return series.partition("/")[0]
