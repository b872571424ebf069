"""Find typical times of a user by weighted medians and midmeans, and leave out odd days."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import compress

from bridge.domain.slots import ZoneHistory, first_shown, zone_at
from bridge.domain.types import Label

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MINUTES_OF_DAY = 1440.0
WEEKEND = (5, 6)
HALF_LIFE = timedelta(days=42)  # of an observation's weight; our choice
MAD_TO_SD = 1.4826
# Minutes, and spreads, beyond which a day is unlike others, and beyond which its week is; our choice.
FAR, FAR_SPREADS = 60.0, 2.5
FAR_WEEK, FAR_SPREADS_WEEK = 30.0, 1.5
ODD_LEAST, ODD_MOST = 3, 10  # unlike days in an odd stretch, and dates that it spans; what lasts longer is a new life
NEW_WEEKS = 2  # of a new life, from which those before it say nothing
ALIKE, HEARD = 45.0, 0.1  # minutes of a day like a new life's; the share of days before it that is none; our choice
GAP = 2  # dates from one unlike day to the next of the same stretch
AROUND = 3  # dates on either side of a day that make its week
LIFE = 10  # days outside of odd stretches that must be known; and days on either side that a stretch differs from
OWN = 4  # days of a weekday, or of a kind of day, from which its own median counts
LEAST_SPREAD = 20.0
SURE = 0.8  # confidence of a label that is as good as certain; our choice


def clock(at: datetime, zones: ZoneHistory, offset: int | None = None) -> tuple[date, float]:
    """Return (local date, minutes since midnight) of an instant, in the user's zone without ``offset`` (minutes)."""
    if offset is None:
        local = at.astimezone(zone_at(at, zones)).replace(tzinfo=None)
    else:
        local = at.astimezone(UTC).replace(tzinfo=None) + timedelta(minutes=offset)
    return local.date(), (local - datetime.combine(local.date(), time())) / MINUTE


def instant(day: date, minutes: float, zones: ZoneHistory) -> datetime:
    """Return the UTC instant at ``minutes`` after the local midnight of ``day``, also below 0 or above 1440."""
    return first_shown(datetime.combine(day, time()) + timedelta(minutes=round(minutes)), zones)


def weight(then: datetime, now: datetime) -> float:
    """Return the weight of an observation of ``then``: 1 from ``now`` on, and half as much for every 42 days of age."""
    return float(0.5 ** (max(now - then, timedelta(0)) / HALF_LIFE))


def sure(label: Label) -> float:
    """Return the probability at which a label counts: 1 from 0.8 on, otherwise its confidence."""
    return 1.0 if label.confidence >= SURE else label.confidence


def median(values: Sequence[float], weights: Sequence[float] = ()) -> float:
    """Return the weighted median, linear between the middles of the values' weights. It is 0.0 without values.

    >>> median([1, 5, 9]), median([1, 5]), median([1, 5], [3, 1])
    (5, 3.0, 2.0)
    """
    if not weights:
        ranked, middle = sorted(values), len(values) // 2
        return 0.0 if not ranked else ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2
    half, reached = sum(weights) / 2, 0.0
    before: tuple[float, float] | None = None  # middle of a value's weight, and the value
    for value, own in sorted(zip(values, weights, strict=True)):
        at = reached + own / 2
        if at >= half:
            low, least = before or (at, value)
            return value if at <= low else least + (value - least) * (half - low) / (at - low)
        before, reached = (at, value), reached + own
    return before[1] if before else 0.0


def midmean(values: Sequence[float], weights: Sequence[float] = ()) -> float:
    """Return the weighted mean of the middle half of the values, 0.0 without values.

    It resists odd values like a median, and changes less when ordinary values are added.

    >>> midmean([1, 5, 9, 5]), midmean([1, 5, 900]), midmean([4, 8]), midmean([4, 6, 8, 8], [3, 1, 1, 1])
    (5.0, 5.0, 6.0, 5.5)
    """
    own = weights or [1.0] * len(values)
    whole = sum(own)
    cut = max([whole / 4, *own])
    if 2 * cut >= 0.99 * whole:
        return median(values, own)
    reached = found = 0.0
    for value, share in sorted(zip(values, own, strict=True)):
        found += value * max(min(reached + share, whole - cut) - max(reached, cut), 0.0)
        reached += share
    return found / (whole - 2 * cut)


def ordinary(days: Sequence[date], figures: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each day, in ascending order, False if it belongs to a stretch of odd days.

    ``figures`` holds two times of each day in minutes. Days far from their weekday's median are odd if there are three
    within ten dates. Days before a lasting change are odd too, once the new times have lasted two weeks.
    """
    kept = [True] * len(days)
    if len(days) < LIFE + ODD_LEAST:
        return kept
    columns = [_left(days, column) for column in zip(*figures, strict=True)]
    unlike: set[int] = set()
    limits: list[float] = []
    for left in columns:
        spread = max(MAD_TO_SD * median([abs(one) for one in left]), LEAST_SPREAD)
        far, limit = max(FAR, FAR_SPREADS * spread), max(FAR_WEEK, FAR_SPREADS_WEEK * spread)
        unlike |= {at for at, one in enumerate(left) if abs(one) > far}
        unlike |= {at for at, one in enumerate(_weeks(days, left)) if abs(one) > limit}
        limits.append(limit)
    for low, high in _runs(days, sorted(unlike)):
        beside = (*range(max(low - LIFE, 0), low), *range(high, min(high + LIFE, len(days))))
        far_off = (
            abs(median(left[low:high]) - median([left[at] for at in beside])) > limit
            for left, limit in zip(columns, limits, strict=True)
        )
        if any(far_off):
            kept[low:high] = [False] * (high - low)
    if sum(kept) < LIFE:
        kept = [True] * len(days)
    begun = _last_before(
        [day for day, keep in zip(days, kept, strict=True) if keep], [[*compress(left, kept)] for left in columns]
    )
    return [keep and day > begun for day, keep in zip(days, kept, strict=True)]


def _last_before(days: Sequence[date], columns: Sequence[Sequence[float]]) -> date:
    """Return the last date before the user's usual times changed for good, or the earliest date if they did not."""
    for weeks in range(NEW_WEEKS, (days[-1] - days[0]).days // 7):
        last = days[-1] - timedelta(weeks=weeks)
        since, before = bisect_right(days, last), bisect_right(days, last - timedelta(weeks=3))
        if min(len(days) - since, since - before) < LIFE:
            continue
        far = [left for left in columns if _far_apart(left[since:], left[before:since])]
        if far and all(_unheard(left[since:], left[:since]) for left in far):
            return last
    return date.min


def _unheard(new: Sequence[float], old: Sequence[float]) -> bool:
    """Return True if hardly any earlier day was like the new ones, unlike shifts that come again and again."""
    usual = median(new)
    return sum(abs(one - usual) <= ALIKE for one in old) < HEARD * len(old)


def _far_apart(new: Sequence[float], old: Sequence[float]) -> bool:
    usual = median(new)
    spread = max(MAD_TO_SD * median([abs(one - usual) for one in new]), LEAST_SPREAD)
    return abs(usual - median(old)) > max(FAR, FAR_SPREADS * spread)


def _left(days: Sequence[date], figures: Sequence[float]) -> list[float]:
    weekdays = [day.weekday() for day in days]
    everyday = median(figures)
    usual = [everyday] * 7
    for groups in ((range(5), range(5, 7)), [(weekday,) for weekday in range(7)]):
        for group in groups:
            own = [one for weekday, one in zip(weekdays, figures, strict=True) if weekday in group]
            if len(own) >= OWN:
                middle = median(own)
                for weekday in group:
                    usual[weekday] = middle
    return [one - usual[weekday] for weekday, one in zip(weekdays, figures, strict=True)]


def _weeks(days: Sequence[date], left: Sequence[float]) -> list[float]:
    numbers = [day.toordinal() for day in days]
    found: list[float] = []
    low = high = 0
    for number in numbers:
        while numbers[low] < number - AROUND:
            low += 1
        while high < len(numbers) and numbers[high] <= number + AROUND:
            high += 1
        found.append(median(left[low:high]))
    return found


def _runs(days: Sequence[date], unlike: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[list[int]] = []
    for row in unlike:
        if runs and (days[row] - days[runs[-1][-1]]).days <= GAP:
            runs[-1].append(row)
        else:
            runs.append([row])
    return [
        (run[0], run[-1] + 1)
        for run in runs
        if len(run) >= ODD_LEAST and (days[run[-1]] - days[run[0]]).days < ODD_MOST
    ]
