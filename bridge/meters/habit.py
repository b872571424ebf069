"""Compare recent amounts of time, such as company, focus or busy hours, with the user's own habit.

Amounts of which the calendar shows too few are not compared, because the user may not write them down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import sqrt

from bridge.domain.facts import Fact, fact, length
from bridge.meters.baseline import clip

DAY = timedelta(days=1)
HABIT_DAYS = 28  # days before, whose same hours make the habit
LEAST_HISTORY = 14  # days of them since the first entry of the calendar
SPAN = timedelta(days=21)  # after which an amount counts no more
MAX_Z, USUAL_Z = 2.0, 0.5
USUAL_VARIATION, VARIATION_WORTH = 0.7, 5.0  # of the prior: spread as a share of the mean, and days it is worth
EVIDENCE_DAYS = 4.0  # days with entries that are trusted half
MICROSECOND, EPOCH = timedelta(microseconds=1), datetime(1970, 1, 1, tzinfo=UTC)
A_DAY, A_SPAN = DAY // MICROSECOND, SPAN // MICROSECOND
PIECE, PIECES_MAX = timedelta(minutes=30), 400  # parts of an entry that count at once, and the most of an entry

Amount = tuple[datetime, float]  # known from, size


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A recent amount compared with the user's habit, as the distance ``z`` in standard deviations.

    ``quality`` is the trust (0 to 1), which grows with the number of days with entries.
    """

    z: float
    quality: float

    @property
    def fact(self) -> Fact:
        """The fact that the amount is more than usual, less than usual, or about as usual.

        >>> Compared(z=-1.2, quality=0.5).fact.kind
        'less_than_usual'
        """
        if abs(self.z) < USUAL_Z:
            return fact("as_usual")
        return fact("more_than_usual" if self.z > 0 else "less_than_usual")

    def of_entries(self, kind: str, hours: float) -> Fact:
        """Return a fact of ``kind`` that compares ``hours`` of entries with habit, or one that says there were none."""
        if not hours:
            return fact("entries_lately", compared=self.fact)
        return fact(kind, length=length(60 * hours), compared=self.fact)


class Amounts:
    """Amounts of one kind of time, such as hours of focus, of which older ones count less in a sum."""

    def __init__(self, amounts: Iterable[Amount], begin: datetime | None) -> None:
        """Take amounts as (time from which known, size), in any order.

        ``begin`` is the time from which their source was in use, or None if never.
        """
        self._amounts = [(_microseconds(known), size) for known, size in sorted(amounts)]
        self._known = [known for known, _ in self._amounts]
        self._begin = None if begin is None else _microseconds(begin)
        self._sums: dict[int, list[float]] = {}
        self._left: dict[int, dict[int, float]] = {}
        self._rows: dict[tuple[int, int], tuple[int, list[float]]] = {}  # (half-life, time) -> first day and row
        self._days_at: dict[int, int] = {}

    def compared(
        self, at: datetime, *, least_days: int, half_life: timedelta, longest: timedelta, silence: timedelta = SPAN
    ) -> Compared | None:
        """Compare the sum at ``at``, in which amounts fade, with the sums at the same hour of up to 28 days before.

        Amounts halve per ``half_life``, more slowly (at most ``longest``) if few of these days have one. Returns None
        for fewer than ``least_days`` such days, no amount within ``silence``, or a source in use for less than 14 days.
        """
        now = _microseconds(at)
        days = self._days(now)
        if self._begin is None or days < least_days or self._is_silent(now, silence // MICROSECOND):
            return None
        half = max(half_life, min(longest, half_life * HABIT_DAYS / (2 * days))) // MICROSECOND
        count = min(max((now - self._begin) // A_DAY, 0), HABIT_DAYS)
        if count < LEAST_HISTORY:
            return None
        before = self._before(now, half, count)
        return Compared(z=against(self._left_at(now, half), before), quality=days / (days + EVIDENCE_DAYS))

    def _before(self, now: int, half_life: int, count: int) -> list[float]:
        today, time = divmod(now, A_DAY)
        first, row = self._rows.get((half_life, time), (today, []))
        if not first <= today - count <= first + len(row):
            first, row = today - count, []
        self._rows[half_life, time] = first, row
        row += [self._left_at(day * A_DAY + time, half_life) for day in range(first + len(row), today)]
        return row[today - count - first : today - first][::-1]

    def is_kept(self, at: datetime, least_days: int) -> bool:
        """Return True if at least ``least_days`` of the 28 days before ``at`` have an amount."""
        return self._days(_microseconds(at)) >= least_days

    def left(self, at: datetime, half_life: timedelta) -> float:
        """Return the sum at ``at`` of the last 21 days' amounts, each halved per ``half_life`` since it was known."""
        return self._left_at(_microseconds(at), half_life // MICROSECOND)

    def _left_at(self, at: int, half_life: int) -> float:
        known = self._left.setdefault(half_life, {})
        if at not in known:
            old = self._sum(at - A_SPAN, half_life) * 0.5 ** (A_SPAN / half_life)
            known[at] = max(self._sum(at, half_life) - old, 0.0)
        return known[at]

    def _sum(self, at: int, half_life: int) -> float:
        sums = self._sums.get(half_life)
        if sums is None:
            sums = self._sums[half_life] = _faded(self._amounts, half_life)
        last = self._count(at) - 1
        return sums[last] * 0.5 ** ((at - self._known[last]) / half_life) if last >= 0 else 0.0

    def _count(self, at: int) -> int:
        return bisect_right(self._known, at)

    def _is_silent(self, at: int, silence: int) -> bool:
        return self._count(at) == self._count(at - silence)

    def _days(self, at: int) -> int:
        found = self._days_at.get(at)
        if found is None:
            before = self._days_at.get(at - A_DAY)
            if before is None:
                found = sum(self._has(at - ago) for ago in range(0, HABIT_DAYS * A_DAY, A_DAY))
            else:
                found = before + self._has(at) - self._has(at - HABIT_DAYS * A_DAY)
            self._days_at[at] = found
        return found

    def _has(self, at: int) -> bool:
        return self._count(at) != self._count(at - A_DAY)


def _microseconds(at: datetime) -> int:
    return (at - EPOCH) // MICROSECOND


def against(now: float, before: Sequence[float]) -> float:
    """Return how far ``now`` is above the mean of ``before``, in standard deviations, within [-2, 2].

    The deviation is drawn towards 0.7 times the mean, with the weight of five values. If the mean is 0, the result is 2
    for ``now`` above 0, and otherwise 0.

    >>> [round(against(x, [2.0] * 20), 2) for x in (0, 2, 4)]
    [-2.0, 0.0, 2.0]
    >>> round(against(0, [0.0, 4.0] * 10), 2)
    -1.06
    """
    mean = sum(before) / len(before)
    if mean <= 0:
        return MAX_Z if now > 0 else 0.0
    apart = sum([(one - mean) ** 2 for one in before]) + VARIATION_WORTH * (USUAL_VARIATION * mean) ** 2
    return clip((now - mean) / sqrt(apart / (len(before) + VARIATION_WORTH)), -MAX_Z, MAX_Z)


def pieces(stretches: Iterable[tuple[datetime, datetime]]) -> list[Amount]:
    """Split stretches into parts of half an hour, longer ones for very long stretches.

    Return (end, hours) of each part.
    """
    found: list[Amount] = []
    for start, end in stretches:
        begun, longest = start, max(PIECE, (end - start) / PIECES_MAX)
        while begun < end:
            over = min(begun + longest, end)
            found.append((over, (over - begun) / timedelta(hours=1)))
            begun = over
    return found


def _faded(amounts: Sequence[tuple[int, float]], half_life: int) -> list[float]:
    sums = [size for _, size in amounts[:1]]
    for (before, _), (known, size) in pairwise(amounts):
        sums.append(sums[-1] * 0.5 ** ((known - before) / half_life) + size)
    return sums
