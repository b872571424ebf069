"""Write times of day as a clock and long minutes in hours."""

from __future__ import annotations

from bridge.query.model import CLOCK_UNIT

HOUR = 60


def rounded(value: float, unit: str) -> float:
    """Return a figure rounded as it is shown: minutes to a tenth."""
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
    return f"{'−' if value < 0 else ''}{minutes // HOUR} h {minutes % HOUR} min"
