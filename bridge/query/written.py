"""Write figures with their units: times of day as a clock, long minutes in hours."""

from __future__ import annotations

from bridge.domain.languages import say
from bridge.domain.metric_names import UNIT_NAMES
from bridge.query.model import CLOCK_UNIT

HOUR = 60
A_WEEK = " a week"
PLAIN_UNITS = frozenset(
    {"count", "tasks", "noted", "days", "nights", "workouts", "entries", "meetings", "level", "weeks", "months"}
    | {"correlation"}
)
PERCENT = 100.0


def rounded(value: float, unit: str) -> float:
    return round(value, 1) if unit.split()[0] == "min" else value


def as_time(value: float, unit: str) -> str | None:
    """Return a time of day like "23:10", or minutes like "7 h 12 min", or None for what is neither.

    >>> as_time(1390.4, "min after midnight"), as_time(431.7, "min"), as_time(12.5, "min")
    ('23:10', '7 h 12 min', None)
    """
    minutes = round(abs(value))
    if unit == CLOCK_UNIT:
        return f"{minutes // HOUR % 24:02}:{minutes % HOUR:02}"
    if unit != "min" or minutes < HOUR:
        return None
    return f"{'−' if value < 0 else ''}{minutes // HOUR} h" + (f" {minutes % HOUR} min" if minutes % HOUR else "")


def changed(value: float, unit: str) -> str:
    """Return the text of a difference with its unit. The difference of two scores is in points."""
    if unit == "level":
        return say("{value:+.2f}", value=value)
    return say("{value:.3g} points", value=value) if unit.startswith("vendor") else written(value, unit)


def written(value: float, unit: str) -> str:
    """Return the text of a value with its unit: a clock time as 23:10, and long minutes in hours."""
    if unit == "share":
        return say("{value:.3g} %", value=PERCENT * value)
    time, value = as_time(value, unit), rounded(value, unit)
    if unit.endswith(A_WEEK):
        return say("{value} a week", value=changed(value, unit.removesuffix(A_WEEK)))
    whole = abs(value) >= 1000 or value == int(value)
    number = say("{value:,.0f}", value=value) if whole else say("{value:.3g}", value=value)
    told = number if unit in PLAIN_UNITS else say("{value} {unit}", value=number, unit=UNIT_NAMES.get(unit, unit))
    return time or told
