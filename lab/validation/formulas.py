"""Three readiness formulas of open-source projects, written from their descriptions, to compare the meters with.

A and B are mostly heart-rate variability, C is half sleep. None was compared by its authors with what people say. All
use the night that ended before the report and the days before it, as the meters do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import log
from statistics import fmean, stdev

from lab.validation.cohort import Day

Figure = Callable[[Day], float | None]
POINTS = ((-3.0, 0.0), (-2.0, 40.0), (0.0, 70.0), (2.0, 100.0))  # B: z -> score, straight lines between
UNKNOWN = 50.0  # C: what it scores anything missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The day to score and the days before it, in order."""

    today: Day
    before: Sequence[Day]

    def values(self, figure: Figure, length: int) -> list[float]:
        """Return the known values of a figure on the ``length`` days before today."""
        first = date.fromordinal(self.today.date.toordinal() - length)
        found = (figure(day) for day in self.before if day.date >= first)
        return [value for value in found if value is not None]

    def z(self, figure: Figure, length: int) -> float | None:
        """Return today's deviation from the mean of the ``length`` days before, in standard deviations.

        The result is None without a value today or with fewer than two days before.
        """
        value, before = figure(self.today), self.values(figure, length)
        if value is None or len(before) < 2:
            return None
        spread = stdev(before)
        return (value - fmean(before)) / spread if spread else 0.0


def hrv(day: Day) -> float | None:
    """Return heart-rate variability in ms, as RMSSD or else as SDNN."""
    return day.values.get("hrv_rmssd_ms", day.values.get("hrv_sdnn_ms"))


def ln_hrv(day: Day) -> float | None:
    value = hrv(day)
    return None if value is None else log(value)


def slow_heart(day: Day) -> float | None:
    """Return the negative resting heart rate, so that more is better."""
    value = day.values.get("resting_hr_bpm")
    return None if value is None else -value


def slept(day: Day) -> float | None:
    return day.slept


def efficiency(day: Day) -> float | None:
    in_bed = day.values.get("in_bed_min")
    return 60 * day.slept / in_bed if day.slept is not None and in_bed else None


def formula_a(window: Window) -> float | None:
    """Return 50 + 25 z, with z of HRV (0.6), resting heart rate (0.2) and hours asleep (0.2) against 30 days before.

    After ma3u/healthgraph-agent, which says nothing about missing parts. Here the other weights are scaled up.
    """
    parts = ((0.6, window.z(hrv, 30)), (0.2, window.z(slow_heart, 30)), (0.2, window.z(slept, 30)))
    z = _weighted(parts)
    return None if z is None else 50 + 25 * z


def formula_b(window: Window) -> float | None:
    """Return the weighted mean of scores (0 to 100), each from a z against 14 days before.

    The weights are 0.40 ln HRV, 0.25 resting heart rate, 0.20 sleep efficiency and 0.10 hours asleep. After
    ferdiebotden-ai/WellnessApp. The weights of missing parts, always that of respiration, are shared by the others.
    """
    figures = ((0.40, ln_hrv), (0.25, slow_heart), (0.20, efficiency), (0.10, slept))
    scored = ((weight, window.z(figure, 14)) for weight, figure in figures)
    return _weighted([(weight, None if z is None else _between(z)) for weight, z in scored])


def formula_c(window: Window) -> float | None:
    """Return the sum of 0.25 HRV status, 0.25 sleep, 0.15 resting heart rate, 0.10 sleep debt, and 0.25 times 50.

    After stacksjs/ts-health, whose other parts are not available here. It uses steps and the same bounds for all
    people, and a missing part counts 50.
    """
    fixed = UNKNOWN * (0.15 + 0.10)  # a vendor's readiness and an activity score
    return (
        fixed
        + 0.25 * _hrv_status(window)
        + 0.25 * _night(window.today)
        + 0.15 * _heart(window.today)
        + 0.10 * _debt(window)
    )


FORMULAS: Mapping[str, Callable[[Window], float | None]] = {
    "formula A": formula_a,
    "formula B": formula_b,
    "formula C": formula_c,
}


def _weighted(parts: Sequence[tuple[float, float | None]]) -> float | None:
    known = [(weight, value) for weight, value in parts if value is not None]
    return sum(w * v for w, v in known) / sum(w for w, _ in known) if known else None


def _between(z: float) -> float:
    for (left, low), (right, high) in pairwise(POINTS):
        if z < right:
            return low + max(z - left, 0.0) * (high - low) / (right - left)
    return POINTS[-1][1]


def _at_least(value: float, steps: Sequence[tuple[float, float]], otherwise: float) -> float:
    """Return the points of the first of ``steps`` (bound, points) whose bound is reached, else ``otherwise``."""
    return next((points for bound, points in steps if value >= bound), otherwise)


def _hrv_status(window: Window) -> float:
    """Return points for the ratio of the last three HRV values to those before, or if these are few, for the mean."""
    today = hrv(window.today)
    values = [*window.values(hrv, 14), *([] if today is None else [today])]
    if not values:
        return UNKNOWN
    if len(values) < 7:
        return _at_least(fmean(values), ((60, 90), (40, 70), (25, 50)), 30)
    ratio = fmean(values[-3:]) / fmean(values[:-3])
    return _at_least(ratio, ((1.05, 95), (0.95, 80), (0.85, 60), (0.75, 40)), 25)


def _night(day: Day) -> float:
    if day.slept is None:
        return UNKNOWN
    quality, deep = efficiency(day), day.values.get("deep_min", 0.0) / (60 * day.slept)
    points = _at_least(day.slept, ((7.5, 20), (7, 15), (6, 5)), -15)
    points += 0 if quality is None else _at_least(100 * quality, ((90, 20), (85, 15), (80, 5)), -10)
    return 50 + points + _at_least(deep, ((0.20, 10), (0.15, 5)), -5)


def _heart(day: Day) -> float:
    slow = slow_heart(day)
    return UNKNOWN if slow is None else _at_least(slow, ((-50, 95), (-55, 85), (-60, 75), (-65, 65), (-70, 55)), 40)


def _debt(window: Window) -> float:
    """Return points for the mean shortfall from eight hours over the last seven nights, UNKNOWN below three nights."""
    nights = [*window.values(slept, 6), *([] if window.today.slept is None else [window.today.slept])]
    if len(nights) < 3:
        return UNKNOWN
    minutes = 60 * fmean(max(8 - night, 0.0) for night in nights)
    return _at_least(-minutes, ((-15, 95), (-30, 80), (-60, 60), (-90, 40)), 25)
