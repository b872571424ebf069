"""Read a part of the day, as "in the afternoon" or "at night", as that of frequent readings such as heart rates."""

from __future__ import annotations

import re
from dataclasses import replace

from bridge.domain.phrases import WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.condition_texts import NIGHT, amount
from bridge.query.model import IN_NIGHTS, PACKED, VERSUS
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood

MORNING = ("06:00", "12:00")  # our choice: mornings begin then, as the night is before
LAST_HOUR = 23
OTHERS = (w.WORKOUTS, w.SPORT, w.ACTIVITY, w.ENTRIES, w.ACTION, w.FACTOR, w.BED, w.UP, w.COMPARED)
NIGHT_NAMED = re.compile(
    r"(?<!\w)(?:(?:last|yesterday|WEEKDAY) nights?|(?:the )?night before(?: last)?"
    r"|(?:letzter?|vergangener?|voriger?|gestern) nacht"
    r"|(?:in )?der nacht (?:vom|von|zu|zum|auf)|nacht (?:davor|zuvor)|WEEKDAYnacht)(?!\w)".replace(
        "WEEKDAY", f"(?:{'|'.join(WEEKDAYS.values()).replace(' ', '|')})"
    )
)

THIS_MORNING = re.compile(r"(?<!\w)(?:this morning|heute? (?:früh|morgen))(?!\w)")


def part_of_day(bag: Bag) -> str:
    """Return what follows the name of a metric of readings for a part of the day, or an empty text, and take its
    tokens. Raises NotUnderstood for times that make no single part.
    """
    metrics = {of for kind, of in bag.tokens if kind == w.METRIC}
    if len(metrics) != 1 or not metrics <= PACKED or bag.sees(*OTHERS) or not bag.sees(w.CLOCK, w.AT_NIGHT):
        return ""
    clocks, night = [amount(one) for one in bag.take(w.CLOCK)], bag.has(w.AT_NIGHT)
    if [sign for sign, _ in clocks] == ["="] and bag.single and not night:
        clocks = _hour_from(str(clocks[0][1]))  # "at 3 pm yesterday"
    begins, ends = ([at for sign, at in clocks if sign[0] == one] for one in "><")
    sure = len(begins) <= 1 >= len(ends) and len(begins) + len(ends) == len(clocks) and not (night and clocks)
    if not sure or bag.sees(w.WHEN, w.CLOCKED, w.BECOMES, w.RISEN) or (w.OF, "trend") in bag.tokens:
        raise NotUnderstood  # two parts, or a change within the day
    if night:
        return IN_NIGHTS
    begin, end = next(iter(begins), None), next(iter(ends), None)
    if end == MORNING[1] and begin is None:
        begin = MORNING[0]
    if "00:00" in (begin, end) or (begin and end and begin >= end):
        raise NotUnderstood
    return (f" from {begin}" if begin else "") + (f" before {end}" if end else "")


def _hour_from(clock: str) -> list[tuple[str, str]]:
    """Return the begin and the end of the hour from a clock time on. Raises NotUnderstood for that before midnight."""
    hour, minute = map(int, clock.split(":"))
    if not 0 < hour < LAST_HOUR:
        raise NotUnderstood
    return [(">=", clock), ("<", f"{hour + 1:02}:{minute:02}")]


def of_time_named(read: Words, text: str, spans: int) -> Words:
    """Return a query of readings as that of the nights or the morning that its text names by dates, as "last night".

    Raises NotUnderstood if only one of two ``spans`` is a night.
    """
    nights, morning = NIGHT_NAMED.findall(text), THIS_MORNING.search(text)
    other = read.what not in PACKED or read.where or (read.against and ".." not in read.against)
    if other or not (nights or morning):
        return read
    if len(nights) + bool(morning) != max(spans, 1) or (nights and morning):
        raise NotUnderstood
    return replace(read, what=read.what + (IN_NIGHTS if nights else " from {} before {}".format(*MORNING)))


def check_nightly(read: Words) -> None:
    """Raise NotUnderstood if readings of nights have a condition on the day, which may be that before or after."""
    told = [*read.where, *(read.against or "").split(VERSUS)]
    if any(one and not re.match(rf"before\.|weekday|night\.|(?:{'|'.join(NIGHT)}) |[\d.-]*$", one) for one in told):
        raise NotUnderstood
