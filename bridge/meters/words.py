"""Short sentences for the reasons of a reading; never an event's title."""

from __future__ import annotations

from bridge.meters.baseline import CALIBRATED, Baseline

NEEDED = 1 / 12  # less than five minutes short is no shortfall


def hours(length: float) -> str:
    """Hours as a person says them.

    >>> hours(6.17), hours(0.5), hours(8)
    ('6 h 10 min', '30 min', '8 h')
    """
    whole, minutes = divmod(round(length * 60), 60)
    parts = [f"{whole} h"] * (whole > 0) + [f"{minutes} min"] * (minutes > 0 or whole == 0)
    return " ".join(parts)


def slept(asleep: float, need: float) -> str:
    """A night in hours against the need.

    >>> slept(6.17, 7.5)
    'slept 6 h 10 min, 1 h 20 min below your need'
    """
    short = need - asleep
    return f"slept {hours(asleep)}, " + (f"{hours(short)} below your need" if short > NEEDED else "as much as you need")


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "task"), plural(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def relative(value: float, centre: float, normal: Baseline) -> str:
    """A value in per cent of the person's normal.

    >>> relative(44, 50, Baseline(n=30, centre=50, spread=5))
    '12 % below your usual'
    """
    off = round(100 * (value / centre - 1)) if centre else 0
    return _side(off, "%", normal)


def absolute(value: float, centre: float, unit: str, normal: Baseline) -> str:
    """A value's distance from the person's normal in its unit.

    >>> absolute(57, 53.2, "bpm", Baseline(n=2, centre=53.2, spread=2))
    '4 bpm above what is usual for most people'
    """
    return _side(round(value - centre), unit, normal)


def _side(off: int, unit: str, normal: Baseline) -> str:
    """Whose normal it is: the person's own once there are four values."""
    whose = "your usual" if normal.n >= CALIBRATED else "what is usual for most people"
    if off == 0:
        return f"about {whose}"
    return f"{abs(off)} {unit} {'above' if off > 0 else 'below'} {whose}"
