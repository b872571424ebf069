"""Say lengths of time, distances from the usual, and levels in words."""

from __future__ import annotations

from bridge.domain.facts import Fact, fact, length
from bridge.domain.languages import Text, say
from bridge.domain.types import Reading
from bridge.meters.baseline import CALIBRATED, Baseline

SHORTFALL_MIN_HOURS = 1 / 4  # less is within the error of a watch


def hours(span: float) -> Text:
    """Return a number of hours as text in hours and minutes.

    >>> hours(6.17), hours(0.5), hours(8)
    ('6 h 10 min', '30 min', '8 h')
    """
    whole, minutes = divmod(round(span * 60), 60)
    if not whole:
        return say("{minutes} min", minutes=minutes)
    return say("{hours} h {minutes} min", hours=whole, minutes=minutes) if minutes else say("{hours} h", hours=whole)


def told_need(hours: float) -> float:
    """Return the minutes that are told as a need of sleep, to five."""
    return 5.0 * round(12 * hours)


def slept(asleep: float, need: float, z: float, *, own: bool = True) -> Fact:
    """Return a fact about a night's length in comparison with the sleep need, both in hours.

    The kind of fact also tells if ``z`` speaks against the length, and if the need is most people's (``own`` is False).

    >>> slept(6.17, 7.5, -1).kind, slept(7, 7.5, 0.4).kind, slept(8, 7.5, -0.4).kind
    ('slept_short', 'slept_short_well', 'slept_enough_badly')
    """
    short = told_need(need) / 60 - asleep
    if short > SHORTFALL_MIN_HOURS:
        kind = "slept_short_well" if z > 0 else "slept_short"
    else:
        kind = "slept_enough_badly" if z < 0 else "slept_enough"
    return fact(kind if own else OF_MOST_PEOPLE[kind], length=length(60 * asleep), short=length(60 * max(short, 0.0)))


def relative(value: float, centre: float, normal: Baseline) -> Fact:
    """Return a fact that ``value`` is so many per cent above or below ``centre``, as a whole number.

    It names the user's usual, or most people's if ``normal`` has fewer than ``CALIBRATED`` values.

    >>> relative(44, 50, Baseline(n=30, centre=50, spread=5))
    Fact(kind='below_usual', values={'off': 12, 'unit': '%'}, weight=0.0, title=None)
    """
    off = round(100 * (value / centre - 1)) if centre else 0
    return _side(off, "%", normal)


def absolute(value: float, centre: float, unit: str, normal: Baseline) -> Fact:
    """Return a fact that ``value`` is so many whole ``unit`` above or below ``centre``.

    It names the user's usual, or most people's if ``normal`` has fewer than ``CALIBRATED`` values.

    >>> absolute(57, 53.2, "bpm", Baseline(n=2, centre=53.2, spread=2)).kind
    'above_most'
    """
    return _side(round(value - centre), unit, normal)


def _side(off: int, unit: str, normal: Baseline) -> Fact:
    side = 0 if off == 0 else 1 if off > 0 else 2
    return fact((YOURS if normal.n >= CALIBRATED else OF_MOST)[side], off=abs(off), unit=unit)


YOURS = ("about_usual", "above_usual", "below_usual")
OF_MOST = ("about_most", "above_most", "below_most")


NORMAL = 0.70  # of every meter
SHOWN_DIGITS = 3  # of a level: per cent with one digit
USUAL, LITTLE, CLEAR = 0.03, 0.12, 0.25  # distances from the normal; our choice


OF_MOST_PEOPLE = {
    "slept_short_well": "slept_short_well_most",
    "slept_short": "slept_short_most",
    "slept_enough_badly": "slept_enough_badly_most",
    "slept_enough": "slept_enough_most",
}


def usual_reach(sd: float) -> float:
    """Return how far from 0.70 a level still counts as usual, which is half its standard deviation, at least 0.03.

    >>> usual_reach(0.22), usual_reach(0.02)
    (0.11, 0.03)
    """
    return max(USUAL, sd / 2)


def steps_from_usual(level: float, sd: float) -> int:
    """Return how far a level is from the usual 0.70, from -3 (far below) to 3 (far above). 0 is usual.

    Steps 1 and 2 end at a distance of 0.12 and 0.25.

    >>> [steps_from_usual(level, 0.1) for level in (0.3, 0.5, 0.62, 0.71, 0.85)]
    [-3, -2, -1, 0, 2]
    """
    off = abs(level - NORMAL)
    if off <= usual_reach(sd):
        return 0
    steps = 1 if off <= LITTLE else 2 if off <= CLEAR else 3
    return -steps if level < NORMAL else steps


LEVEL_WORDS = (  # beside the meter's name, where room is scarce
    say("far below"),
    say("below"),
    say("a bit below"),
    say("as usual"),
    say("a bit above"),
    say("above"),
    say("far above"),
)
LEVEL_TEXTS = (
    say("far below your usual"),
    say("below your usual"),
    say("a little below your usual"),
    say("about your usual"),
    say("a little above your usual"),
    say("above your usual"),
    say("far above your usual"),
)
HARDLY = {
    -1: (say("hardly below"), say("hardly below your usual")),
    1: (say("hardly above"), say("hardly above your usual")),
}
DEPARTS = frozenset({"less_than_usual", "more_than_usual"})


def level_words(level: float, sd: float) -> Text:
    """Return words for how far a level is from the usual, given the level's standard deviation.

    >>> level_words(0.71, 0.1), level_words(0.62, 0.1), level_words(0.85, 0.1), level_words(0.3, 0.1)
    ('as usual', 'a bit below', 'above', 'far below')
    """
    return LEVEL_WORDS[3 + steps_from_usual(level, sd)]


def reading_words(reading: Reading) -> tuple[Text, Text]:
    """Return short and long words for a reading's level, which agree with the reasons that are shown.

    A usual level with a reason "less than usual" is called "hardly below", and with "more than usual" "hardly above".
    """
    steps = steps_from_usual(reading.level, reading.sd)
    side = 1 if round(reading.level, SHOWN_DIGITS) > NORMAL else -1
    if steps == 0 and any(one.share * side > 0 and departs(one.fact) for one in reading.because):
        return HARDLY[side]
    return LEVEL_WORDS[3 + steps], LEVEL_TEXTS[3 + steps]


def departs(told: Fact) -> bool:
    """Return True if a fact, or a part of it, says that an amount is more or less than usual."""
    return any(part.kind in DEPARTS for part in told.parts())
