"""Make wishes of a clause about work and days off, and check its counts and the words next to an action."""

from __future__ import annotations

from typing import Any

from bridge.domain.wishes import GOAL_MAX, Hours
from bridge.wishes.hours import ANY_DAY, MIDNIGHT, NotUnderstood, span_not, span_of, sure
from bridge.wishes.lexicon import ALL, ONE_THING, WORK, Kind
from bridge.wishes.said import Said
from bridge.wishes.slots import LIMITS, Part, times_between
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
PERSONAL = frozenset({A.EXERCISE, A.SOCIALIZE, A.FAMILY_TIME})  # which one does with somebody
OFF, KEPT = 0, 2  # free: oneself of work, and as is asked for
WORKDAYS_MIN = 3  # days that are all days of work: "I work on Mondays" is no wish


def free(part: Part) -> tuple[Said, ...]:
    """Return the wish for days off, or for hours without any suggestion."""
    apart = times_between(part, K.ACTION, K.FREE) > 1
    if part.actions not in (frozenset(), WORK) or part.counts or part.nots > 1 or apart:
        raise NotUnderstood  # "I work Saturdays and have Tuesdays off"
    if part.nots and (part.flags.keys() & LIMITS or part.actions):
        raise NotUnderstood  # "in the holidays no work on Sundays"
    ends = bool(part.spans) and all(end is not None for _, _, end in part.spans)
    if part.flags[K.FREE] and not part.actions and (ends or (part.parts and not part.spans)):
        if part.nots or part.flags.keys() & LIMITS:
            raise NotUnderstood
        return kept_free(part)  # "keep Friday evening free", "keep twelve to one free"
    if (
        part.flags[K.FREE] == KEPT
        and part.days
        and not (part.actions or part.parts or part.spans or part.nots or part.counts)
    ):
        return (Said(kind="days", actions=ALL, days=ANY_DAY - part.days, narrows=True),)  # "keep Sundays free"
    if part.flags[K.FREE] == OFF and part.days and len(part.parts) == 1 and not part.spans:
        return (
            Said(kind="barred", actions=WORK, days=part.days, hours=tuple(part.parts)),
        )  # "I'm off on Friday mornings"
    if part.parts or not part.days or (part.flags[K.FREE] and not (part.spans or part.actions)):
        raise NotUnderstood
    if not part.spans:
        return (Said(kind="days", actions=WORK, days=ANY_DAY - part.days, narrows=True),)
    if len(part.spans) != 1 or part.spans[0][0] not in (K.AFTER, K.EARLIEST):
        raise NotUnderstood
    low, high = span_not((K.AFTER, *part.spans[0][1:]), WORK)
    return (Said(kind="barred", actions=WORK, days=part.days, hours=((high, low),)),)


def kept_free(part: Part) -> tuple[Said, ...]:
    hours = (*part.parts, *(span_of(span, ALL) for span in part.spans))
    if part.days not in (frozenset(), ANY_DAY):
        return (Said(kind="barred", actions=ALL, days=part.days, hours=hours),)
    return tuple(Said(kind="hours", actions=ALL, hours=(hour[::-1],), narrows=True) for hour in hours)


def of_work(part: Part) -> tuple[Said, ...]:
    ends = K.FINISH in part.flags
    if (
        len(part.spans) != 1
        or part.parts
        or part.actions not in (frozenset(), WORK)
        or (part.spans[0][2] is not None and ends)
    ):
        raise NotUnderstood
    named = part.flags.get(K.FINISH) or part.flags.get(K.START)  # "begin at nine": what?
    if named and not part.actions:
        raise NotUnderstood
    if part.flags.keys() & {K.MOST, K.LEAST, K.NUMBER, K.TIMES} or (K.START in part.flags and ends) or part.nots > 1:
        raise NotUnderstood
    relation, clock, end = part.spans[0]
    if end is not None and not (ends or part.nots):
        hours = span_of(part.spans[0], WORK)
        return (Said(kind="hours", actions=WORK, hours=(hours,), narrows=True), *_on_workdays(part))
    if ends and relation is K.AFTER and part.kinds.index(K.SPAN) < part.kinds.index(K.FINISH):
        relation = K.AT  # "from four on it is over"
    wrong = (K.EARLIEST, K.AFTER) if ends else (K.LATEST, K.BEFORE, K.TO)
    if (relation in wrong) != bool(part.nots and relation in wrong):
        raise NotUnderstood
    if part.nots and relation not in wrong:
        raise NotUnderstood
    at = sure(clock, range(1, 10) if ends else range(0), range(3, 12) if not ends else range(0))
    left, rest = ((MIDNIGHT, at), (at, MIDNIGHT)) if ends else ((at, MIDNIGHT), (MIDNIGHT, at))
    if part.days and part.days != ANY_DAY:
        return (Said(kind="barred", actions=WORK, days=part.days, hours=(rest,)),)
    return (Said(kind="hours", actions=WORK, hours=(left,), narrows=True),)


def _on_workdays(part: Part) -> tuple[Said, ...]:
    """Return the wish for the days on which one works from nine to five."""
    if part.days in (frozenset(), ANY_DAY):
        return ()
    if len(part.days) < WORKDAYS_MIN:
        raise NotUnderstood
    return (Said(kind="days", actions=WORK, days=part.days, narrows=True),)


def often(part: Part) -> int:
    flags = dict(part.flags)
    if flags.get(K.NUMBER) == len(part.days) and not flags.keys() & {K.TIMES, K.PER, K.WEEKLY, K.LEAST}:
        del flags[K.NUMBER]  # "one run on Sunday"
    if flags.get(K.NUMBER) == 1 and not flags.keys() & {K.TIMES, K.PER, K.WEEKLY, K.LEAST, K.MOST, K.ONLY}:
        del flags[K.NUMBER]  # "one series in the evening"
    counted = flags.keys() & {K.NUMBER, K.TIMES, K.PER, K.WEEKLY}
    if not counted:
        return 0
    per = flags.get(K.PER, flags.get(K.WEEKLY))
    count = flags.get(K.TIMES) if flags.get(K.TIMES) is not None else flags.get(K.NUMBER)
    if (
        not isinstance(per, int)
        or counted >= {K.PER, K.WEEKLY}
        or (flags.get(K.TIMES) is not None and K.NUMBER in flags)
    ):
        raise NotUnderstood
    if count is None and flags.get(K.PER) == 1:
        raise NotUnderstood
    times = per * (1 if count is None else int(str(count)))
    if not 1 <= times <= GOAL_MAX:
        raise NotUnderstood
    return times


def goes_beside(part: Part) -> bool:
    """Return True if a word beside an action names a kind of it. Raises NotUnderstood for a word that does not fit."""
    kinds = {kind for kind, _ in part.beside}
    for kind, value in part.beside:
        goes = PERSONAL if kind is K.NAME else value
        if not part.actions or not isinstance(goes, frozenset) or not part.actions <= goes:
            raise NotUnderstood
    if kinds & {K.NAME, K.DETAIL} and (K.NOT in part.flags or len(part.actions) > 1):  # "no tv in bed" is not "no tv"
        raise NotUnderstood
    return bool(kinds) and not part.actions <= ONE_THING


def open_again(part: Part, actions: frozenset[ActionType]) -> Said:
    if part.has(K.BACK) and part.has(K.ONLY):
        return Said(kind="forget", actions=actions)  # "forget what I said about tv only after eight"
    if part.days and (part.spans or part.parts):
        raise NotUnderstood
    hours = tuple(_opened(span, actions) for span in part.spans) + tuple(part.parts)
    return Said(kind="open", actions=actions, days=part.days, hours=hours)


def _opened(span: Any, actions: frozenset[ActionType]) -> Hours:
    relation, clock, end = span
    if end is not None or relation not in (K.BEFORE, K.AFTER):
        raise NotUnderstood
    low, high = span_not((relation, clock, end), actions)
    return high, low
