"""Make wishes of a clause about the night: a bedtime, the earliest one, and the time of getting up."""

from __future__ import annotations

from dataclasses import replace
from datetime import time
from typing import Any

from bridge.wishes.hours import ANY_DAY, LATE, NOON, NotUnderstood
from bridge.wishes.lexicon import EVENING, MORNINGS, NIGHT, PARTS, WEEK, Kind
from bridge.wishes.said import Said
from bridge.wishes.slots import Part
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
EARLY = 4  # the hour to which one goes to bed
SHORTEST, LONGEST = 4, 12  # hours of a night
LATE_PARTS = (EVENING, NIGHT, PARTS["early_evening"], PARTS["late_evening"])
LATEST_UP = 17  # the hour before which a night ends


def of_night(part: Part) -> tuple[Said, ...]:
    """Return the wishes of a clause about the night. Raises NotUnderstood if it is about anything else."""
    bed = K.BED in part.flags
    if part.actions or part.beside:
        raise NotUnderstood  # "no tv in bed"
    if part.has(K.LASTS):
        return (_long(part),)
    if len(part.spans) != 1 or (part.counts and not part.flags.get(K.PER) == len(WEEK)) or part.has(K.MOST, K.LEAST):
        raise NotUnderstood
    if part.has(K.NUMBER, K.TIMES) or part.nots > 1:
        raise NotUnderstood
    if any(one not in (LATE_PARTS if bed else MORNINGS) for one in part.parts):
        raise NotUnderstood  # "in the morning at eleven in bed"
    days = frozenset() if part.days == ANY_DAY else part.days
    return tuple(replace(one, days=days) for one in _at_times(part, bed=bed))


def _long(part: Part) -> Said:
    """Return the wish for the length of each night: "at least eight hours in bed"."""
    (side, minutes, beyond), *more = part.flags[K.LASTS]
    if side is None and part.has(K.LEAST):
        side = part.flags.pop(K.LEAST)  # "eight hours of sleep at least"
    of_some = part.days or part.spans or part.nots or not part.has(K.BED) or set(part.parts) - {NIGHT, EVENING}
    rest = part.flags.keys() - {K.BED, K.LASTS, K.EVERY, K.PER, K.BEST}
    if of_some or more or beyond or rest or side not in (None, K.LEAST) or part.flags.get(K.PER, 7) != 7:
        raise NotUnderstood
    return Said(kind="asleep", number=minutes)


def _at_times(part: Part, *, bed: bool) -> tuple[Said, ...]:
    relation, clock, end = part.spans[0]
    if end is not None:
        small = clock[0] < EARLY and clock[0] < end[0] <= NOON  # "sleep from one to nine"
        if part.nots or not bed or not (clock[2] or end[2] or clock[0] >= LATE or small):
            raise NotUnderstood
        by_day = not clock[2] and end[2] and NOON <= end[0] < EVENING[0].hour and clock[0] < NOON
        bed_at = time(clock[0], clock[1]) if by_day else _at_night(clock)  # after a shift at night
        up_at = _at_dawn(end)
        if not SHORTEST <= (up_at.hour - bed_at.hour) % 24 <= LONGEST:
            raise NotUnderstood  # "in bed between ten and eleven"
        return Said(kind="bed", at=bed_at), Said(kind="up", at=up_at)
    if not bed:
        if relation is K.EARLIEST or (part.nots and relation in (K.BEFORE, K.LATEST)):
            return (Said(kind="rest", at=_at_dawn(clock)),)  # "don't wake me before eight", "not up by seven"
        if part.nots or relation not in (K.AT, K.LATEST, K.BEFORE, K.TO):
            raise NotUnderstood
        return (Said(kind="up", at=_at_dawn(clock), bound=relation in (K.LATEST, K.BEFORE)),)
    if relation is K.TO and not clock[2] and clock[0] in range(4, 10) and not part.days:
        raise NotUnderstood  # "sleep until eight", but "on Saturdays"
    if relation is K.TO and (clock[2] or part.days) and clock[0] in range(4, LATEST_UP):
        return (Said(kind="up", at=_at_dawn(clock)),)  # "let me sleep till 2 pm"
    early = (
        relation is K.EARLIEST
        or (part.nots and relation in (K.BEFORE, K.TO))
        or (relation is K.AFTER and part.has(K.ONLY))
    )
    if not early and (relation in (K.BEFORE, K.TO, K.AT) if part.nots else relation is K.AFTER):
        raise NotUnderstood
    return (Said(kind="earliest" if early else "bed", at=_at_night(clock)),)


def _at_night(clock: Any) -> time:
    hour, minute, known = clock
    if not known and 7 <= hour < 12:
        hour += 12
    if not (hour >= 18 or hour % 12 <= 4 or (known and hour < 12)):
        raise NotUnderstood
    return time(0 if hour == 12 and not known else hour % 24, minute)


def _at_dawn(clock: Any) -> time:
    hour, minute, known = clock
    if not known and not 3 <= hour <= 12:
        raise NotUnderstood
    return time(hour % 24, minute)


def night_back(part: Part) -> Said:
    if part.times or part.counts or part.has(K.AGAIN):
        raise NotUnderstood
    both = part.has(K.BED) and part.has(K.UP)
    return Said(kind="night" if both else "bed" if part.has(K.BED) else "up")
