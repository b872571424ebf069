"""Short sentences for the reasons of a reading, without any event title."""

from __future__ import annotations

from bridge.meters.baseline import CALIBRATED, Baseline

SHORTFALL_MIN_HOURS = 1 / 4  # less is within the error of a watch


def hours(length: float) -> str:
    """Write a length in hours for people.

    >>> hours(6.17), hours(0.5), hours(8)
    ('6 h 10 min', '30 min', '8 h')
    """
    whole, minutes = divmod(round(length * 60), 60)
    parts = [f"{whole} h"] * (whole > 0) + [f"{minutes} min"] * (minutes > 0 or whole == 0)
    return " ".join(parts)


def slept(asleep: float, need: float, z: float) -> str:
    """Write the length of a night compared with the sleep need, both in hours.

    If the sign of the night's score ``z`` says the opposite, the text adds so.

    >>> slept(6.17, 7.5, -1), slept(7, 7.5, 0.4)
    ('slept 6 h 10 min, 1 h 20 min below your need', 'slept 7 h, 30 min below your need, and still a good night')
    >>> slept(8, 7.5, -0.4)
    'slept 8 h, as much as you need, and yet no restful night'
    """
    short = need - asleep
    if short > SHORTFALL_MIN_HOURS:
        compared, against = f"{hours(short)} below your need", ", and still a good night" if z > 0 else ""
    else:
        compared, against = "as much as you need", ", and yet no restful night" if z < 0 else ""
    return f"slept {hours(asleep)}, {compared}{against}"


def plural(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> plural(1, "task"), plural(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def relative(value: float, centre: float, normal: Baseline) -> str:
    """Write in per cent how far a value is from ``centre``. ``normal`` tells whose normal that is.

    >>> relative(44, 50, Baseline(n=30, centre=50, spread=5))
    '12 % below your usual'
    """
    off = round(100 * (value / centre - 1)) if centre else 0
    return _side(off, "%", normal)


def absolute(value: float, centre: float, unit: str, normal: Baseline) -> str:
    """Write in ``unit`` how far a value is from ``centre``. ``normal`` tells whose normal that is.

    >>> absolute(57, 53.2, "bpm", Baseline(n=2, centre=53.2, spread=2))
    '4 bpm above what is usual for most people'
    """
    return _side(round(value - centre), unit, normal)


def _side(off: int, unit: str, normal: Baseline) -> str:
    """Write a distance with what it refers to: the user's own normal from four values on, else that of most people."""
    whose = "your usual" if normal.n >= CALIBRATED else "what is usual for most people"
    if off == 0:
        return f"about {whose}"
    return f"{abs(off)} {unit} {'above' if off > 0 else 'below'} {whose}"
