"""A line with its band as SVG paths, for charts that do not zoom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 600, 150
GAP = timedelta(days=14)  # without a value, after which a line is broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """``line`` and ``band`` are path data in a box of 600 by 150, in which 1 is at the top; ``at`` places days."""

    line: str
    band: str
    at: dict[date, float]


def curve(days: Sequence[date], means: Sequence[float], sds: Sequence[float | None]) -> Curve:
    """Ascending days, values 0..1, and their standard deviations where they are known."""
    span = max((days[-1] - days[0]).days, 1) if days else 1
    at = {day: round(WIDTH * (day - days[0]).days / span, 1) for day in days}
    line = [
        f"{'M' if number == 0 or day - days[number - 1] > GAP else 'L'}{at[day]} {_down(mean)}"
        for number, (day, mean) in enumerate(zip(days, means, strict=True))
    ]
    return Curve(line="".join(line), band="".join(_bands(days, means, sds, at)), at=at)


def _bands(
    days: Sequence[date], means: Sequence[float], sds: Sequence[float | None], at: dict[date, float]
) -> list[str]:
    """A closed shape per stretch of days whose uncertainty is known."""
    stretches: list[list[tuple[float, float, float]]] = [[]]
    for number, (day, mean, sd) in enumerate(zip(days, means, sds, strict=True)):
        if sd is None or (number and day - days[number - 1] > GAP):
            stretches.append([])
        if sd is not None:
            stretches[-1].append((at[day], _down(min(mean + sd, 1)), _down(max(mean - sd, 0))))
    return [
        f"M{'L'.join(f'{x} {high}' for x, high, _ in one)}L{'L'.join(f'{x} {low}' for x, _, low in reversed(one))}Z"
        for one in stretches
        if len(one) > 1
    ]


def _down(value: float) -> float:
    return round(HEIGHT * (1 - value), 1)
