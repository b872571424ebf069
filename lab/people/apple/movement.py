"""Rows of steps and distance of a watch, a phone and another app, and their total without double counting."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lab.people.apple.document import OTHER, PHONE, QUANTITY, WATCH, Sheet, Source
from lab.people.apple.life import Day, Life, dice

STRIDE = 0.72  # metres
KILOMETRE = {"km": 1000.0, "mi": 1609.344}  # metres
DOUBLES, LATE = 0.004, 0.02  # shares of rows that stand twice, and that come days later
WILD = 1_893_916_800  # 2030-01-06: a clock that ran wild; longer after any export
QUARTER = 900


@dataclass(frozen=True, slots=True)
class Walk:
    """Steps at an even pace from ``start`` to ``end`` (Unix seconds), with watch ``worn`` and phone ``carried``."""

    start: int
    end: int
    pace: float  # steps a second
    carried: bool
    worn: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """A source's count of steps from ``start`` to ``end`` (Unix seconds), which arrives ``late`` seconds later."""

    start: int
    end: int
    steps: int
    source: Source
    late: int = 0
    double: bool = False


def walks(life: Life, day: Day) -> list[Walk]:
    """Return the walks of a day between getting up and going to bed, at least four minutes apart."""
    rng = dice(life.seed, "walks", day.text)
    at, bed = life.night(day.date).end + 120, life.bedtime(day)
    found = []
    while (at := at + rng.randint(240, 4200)) < bed - 1800:
        end = at + int(min(rng.expovariate(1 / 420) + 40, 2400))
        if end >= bed - 90:
            break
        worn = life.worn(day, at) and life.worn(day, end)
        found.append(Walk(at, end, rng.uniform(0.7, 2.0), rng.random() < (0.7 if worn else 0.95), worn))
        at = end
    return found


def stretches(life: Life, day: Day) -> Iterator[Stretch]:
    """Yield a day's walks in the pieces that are recorded, first the watch's, then the phone's, then another app's."""
    rng = dice(life.seed, "steps", day.text)
    taken = walks(life, day)
    for walk in taken:
        if walk.worn:
            yield from _recorded(walk.start, walk.end, walk.pace, WATCH, rng)
    for walk in taken:
        if walk.carried:
            shift = rng.randint(-80, 80)
            yield from _recorded(walk.start + shift, walk.end + shift, walk.pace * rng.uniform(0.9, 1.05), PHONE, rng)
    if life.has_other(day.date):
        yield from _quarters(taken, rng)


def _recorded(start: int, end: int, pace: float, source: Source, rng: random.Random) -> Iterator[Stretch]:
    while start < end:
        stop = min(start + rng.randint(20, 600), end)
        late = rng.randint(90_000, 800_000) if rng.random() < LATE else 0
        yield Stretch(start, stop, max(round(pace * (stop - start)), 1), source, late, rng.random() < DOUBLES)
        start = stop


def _quarters(taken: Sequence[Walk], rng: random.Random) -> Iterator[Stretch]:
    steps: dict[int, float] = defaultdict(float)
    for walk in taken:
        for quarter in range(walk.start // QUARTER, walk.end // QUARTER + 1):
            begin = quarter * QUARTER
            steps[begin] += walk.pace * max(min(walk.end, begin + QUARTER) - max(walk.start, begin), 0)
    for begin, walked in sorted(steps.items()):
        if walked >= 1:
            yield Stretch(begin, begin + QUARTER, max(round(walked * rng.uniform(0.9, 1.1)), 1), OTHER)


def together(reported: Iterable[tuple[int, int, float, int]], midnights: Sequence[int]) -> dict[int, float]:
    """Return totals without double counting, by the midnight at which a day begins.

    ``reported`` holds (start, end, value, rank), with values spread evenly over start to end. At every moment only the
    source with the lowest rank counts. Times are Unix seconds, and ``midnights`` are the ascending bounds of days.
    """
    ordered = sorted(reported)
    edges = sorted({*midnights, *(edge for start, end, _, _ in ordered for edge in (start, end))})
    result: dict[int, float] = defaultdict(float)
    active: list[tuple[int, int, float, int]] = []
    waiting, since = iter([*ordered, None]), midnights[0]
    upcoming = next(waiting)
    for low, high in pairwise(edges):
        since = low if low in midnights else since
        while upcoming is not None and upcoming[0] <= low:
            active.append(upcoming)
            upcoming = next(waiting)
        active = [one for one in active if one[1] > low]
        if active:
            start, end, value, _ = min(active, key=lambda one: one[3])
            result[since] += value * (high - low) / (end - start)
    return result


def write_steps(sheet: Sheet, life: Life, days: Sequence[Day]) -> dict[str, float]:
    """Write the rows of steps and one row dated in the future, and return steps by date."""
    heads = {s.rank: s.head(QUANTITY + "StepCount", "count") for s in (WATCH, PHONE, OTHER)}
    truth = _written(sheet, life, days, heads, {})
    sheet.line(
        f'{heads[1]}creationDate="{sheet.stamp(sheet.exported - 60)}" startDate="{sheet.stamp(WILD)}" '
        f'endDate="{sheet.stamp(WILD + 60)}" value="77"/>\n',
        "Record",
    )
    return truth


def write_distance(sheet: Sheet, life: Life, days: Sequence[Day], unit: str) -> dict[str, float]:
    """Write the rows of distance in ``unit``, and return metres by date."""
    heads = {s.rank: s.head(QUANTITY + "DistanceWalkingRunning", unit) for s in (WATCH, PHONE)}
    return _written(sheet, life, days, heads, {"unit": KILOMETRE[unit]})


def _written(
    sheet: Sheet, life: Life, days: Sequence[Day], heads: Mapping[int, str], metres: Mapping[str, float]
) -> dict[str, float]:
    names, midnights = {day.start: day.text for day in days}, [*(day.start for day in days), days[-1].end]
    truth: dict[str, float] = defaultdict(float)
    unit = metres.get("unit")
    for number, day in enumerate(days):
        seen = []
        for stretch in stretches(life, day):
            head = heads.get(stretch.source.rank)
            value = stretch.steps if unit is None else stretch.steps * STRIDE / unit
            if head and sheet.row(head, stretch.start, stretch.end, value, late=stretch.late, double=stretch.double):
                seen.append((stretch.start, stretch.end, value * (unit or 1), stretch.source.rank))
        around = midnights[max(number - 1, 0) : number + 3]
        for midnight, value in together(seen, around).items():
            truth[names[midnight]] += value
    sheet.end_of_kind()
    return dict(truth)
