"""Make wishes of the slots of a clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from bridge.domain.wish_terms import common
from bridge.wishes.amounts import ANY, LIGHT, fewer, suggestions, weight
from bridge.wishes.clocks import with_halves
from bridge.wishes.hours import ANY_DAY, NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, FORENOON, MORNING, WEEK, WORK, Kind, OneOf
from bridge.wishes.nights import night_back, of_night
from bridge.wishes.said import Said
from bridge.wishes.slots import HEADS, LIMITS, Part, is_general, times_between
from bridge.wishes.wanting import (
    HELD,
    LEADING,
    VERBAL,
    at_most,
    detailed,
    kinds_of,
    not_wanted,
    nothing_else,
    on_days,
    wanted,
)
from bridge.wishes.working import KEPT, free, goes_beside, of_work, open_again
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
TIMES = (K.DAY, K.PART, K.SPAN)
ELSE = 1  # of "only": nothing but
SLEEPERS = {K.BED, K.UP}
GOAL = 1  # of a rule
NAMED = {"goal", "best", "most", "shortest", "longest"}
WHOLE = {"minutes_daily", "times_daily", "before_bed"}  # of an action, whatever kind of it is named
ONE_TIME = {1: 60, 7: 180}  # minutes of a week and of a day that can be one time
AFTERWARDS = 1  # of "then"
OFTEN = frozenset({K.PER, K.TIMES, K.NUMBER, K.WEEKLY})
SLEEPERS_BACK = ("bed", "up")  # without a time
BACK = frozenset({K.BACK, K.AGAIN, K.RULE, K.NOT, K.ANYTIME})
TAKEN_BACK = dict.fromkeys(
    ("allow", "forget", "usual", "night", "drop", "any", "open"), BACK | set(HEADS) | LIMITS | OFTEN
)
BARS = frozenset({K.NOT, K.ONLY, K.BUT, K.FINISH, K.START, K.FREE, K.SUGGESTION, K.EVERY, K.PER, K.FINE, K.ANYTIME})
ACCOUNTED: Mapping[str, frozenset[Kind]] = {  # kind of a wish -> what was said that it stands for
    **TAKEN_BACK,
    "clear": BACK | {K.CLEAR},
    "drop": TAKEN_BACK["drop"] | {K.DROP},
    "fewer": frozenset({K.FEWER}),
    "spare": frozenset({K.SPARE, K.NUMBER}),
    "weight": frozenset({K.WEIGHT, K.OVER}),
    "never": frozenset({K.NOT, K.AGAIN, K.SUGGESTION}),
    "without": frozenset({K.NOT, K.AGAIN, K.SUGGESTION, K.ONLY, K.BUT, K.PER, K.ANYTIME, K.FINE}),
    "hours": BARS,
    "days": BARS,
    "barred": BARS,
    "best": OFTEN | {K.EVERY, K.ONLY, K.FREE, K.FINE, K.BUT, K.ENOUGH},
    "goal": OFTEN | {K.EVERY, K.LEAST},
    "most": OFTEN | {K.MOST, K.ENOUGH, K.NOT},
    **dict.fromkeys(("suggestions", "few"), OFTEN | {K.SUGGESTION, K.MOST, K.ENOUGH, K.ONLY, K.FINE, K.NOT}),
    "minutes_daily": frozenset({K.LASTS, K.PER, K.MOST, K.ENOUGH, K.NOT, K.ONLY, K.EVERY}),
    "times_daily": OFTEN | {K.MOST, K.ENOUGH, K.NOT},
    "before_bed": frozenset({K.TO_BED, K.NOT, K.EVERY, K.SUGGESTION}),
    **dict.fromkeys(("shortest", "longest"), OFTEN | {K.LASTS, K.EVERY, K.NOT, K.LEAST, K.MOST, K.ENOUGH}),
    "apart": OFTEN | {K.APART, K.LEAST, K.NOT},
    "asleep": frozenset({K.LASTS, K.BED, K.EVERY, K.PER, K.LEAST, K.UP}),
    **dict.fromkeys(("bed", "up"), frozenset({K.BED, K.UP, K.EVERY, K.PER, K.BUT})),
    **dict.fromkeys(("earliest", "rest"), frozenset({K.BED, K.UP, K.EVERY, K.PER, K.NOT, K.ONLY})),
}


def said_of(part: Part) -> tuple[Said, ...]:
    """Return the wishes of a clause. Raises NotUnderstood also for a word that none of them accounts for."""
    if part.flags.keys() & (SLEEPERS | {K.FINISH}) and not part.counts:
        part.flags.pop(K.ENOUGH, None)  # "bed at one will do"
    flags, nots = frozenset(part.flags), part.nots
    found = _said(part)
    kinds = {one.kind if one.at or one.kind not in SLEEPERS_BACK else "night" for one in found}
    used = LIGHT.union(*(ACCOUNTED[kind] for kind in kinds), {K.ONLY} if kinds >= {"bed", "up"} else ())
    if flags - used or (nots and K.NOT not in used) or (part.details and not part.actions):
        raise NotUnderstood  # "half a run", "in bed by eleven, not"
    return found


def _said(part: Part) -> tuple[Said, ...]:
    if (
        part.loose
        or part.has(K.MINUTES)
        or part.words
        or (part.nots and part.flags.get(K.THEN) == AFTERWARDS)
        or (part.has(K.LEAST) and part.spans and not part.counts)  # "at least till eleven" bars nothing after it
        or (part.has(K.RULE) and not part.has(K.BACK, K.AGAIN, K.DROP, K.CLEAR))
    ):
        raise NotUnderstood  # "I no longer want the limit on tv"
    if part.has(K.CLEAR) and (part.actions or part.times or part.counts):
        raise NotUnderstood  # "forget all my wishes without my wife"
    if part.has(K.CLEAR, K.FEWER, K.SPARE):
        return (Said(kind="clear") if part.has(K.CLEAR) else fewer(part),)
    if part.has(K.BACK, K.AGAIN, K.DROP):
        return _taken_back(part)
    if part.meters:
        return (weight(part),)
    if part.nots or part.flags.keys() & (HEADS | {K.ONLY}):
        part.parts = [MORNING if one == FORENOON else one for one in part.parts]
    if part.has(K.BUT):
        found = _but_on_days(part)
    else:
        found = of_night(part) if part.flags.keys() & SLEEPERS else _of_actions(part)
    of = ", ".join(sorted(_kinds(part)))
    found = tuple(replace(one, of=of) if one.kind in WHOLE else one for one in found)
    return tuple(_of_kinds(one, part) if one.kind in NAMED and not one.names else one for one in found)


def _of_kinds(one: Said, part: Part) -> Said:
    """Return a wish with the kind that it names; beside two kinds, "errands and bills", it is of the whole action."""
    listed = (K.ACTION, K.AND, K.ACTION) in zip(part.kinds, part.kinds[1:], part.kinds[2:], strict=False)
    several = kinds_of(part, ANY) if listed and one.kind == "best" else frozenset()
    order = [LEADING.sub("", kind.name) for kind in part.named if isinstance(kind, OneOf)]
    of = ", ".join(dict.fromkeys(order)) if len(several) > 1 else one.of
    return replace(one, names=_kinds(part), of=of)


def _kinds(part: Part) -> frozenset[str]:
    names = {LEADING.sub("", one.name) for one in part.named if isinstance(one, OneOf)}
    if len(part.actions) != 1 or len(names) > 1 or not ((all(names) and names) or part.details):
        return frozenset()
    return detailed(frozenset(filter(None, names)), part)


def _of_actions(part: Part) -> tuple[Said, ...]:
    if (part.has(K.SUGGESTION) or not part.has_head) and not part.has(K.TO_BED):
        return _of_suggestions(part)
    if part.has(K.FREE) and (found := _of_free(part)):
        return found
    if (part.flags.get(K.START) == 1 or (part.has(K.START) and part.nots)) and part.actions not in (frozenset(), WORK):
        del part.flags[K.START]  # "begin sport at nine", "sport should not start before nine"
    if part.has(K.FINISH, K.START):
        return of_work(part)
    if part.has(K.WEIGHT, K.OVER, K.MINUTES) or not part.actions:
        raise NotUnderstood
    if part.has(K.TO_BED):
        return _before_bed(part)
    if part.has(K.APART):
        return _apart(part)
    if part.has(K.LASTS):
        return _lasting(part)
    if part.has(K.ANYTIME):
        return _at_any_time(part)
    return _limits(part)


def _of_free(part: Part) -> tuple[Said, ...]:
    named = bool(part.actions - WORK)
    if (
        part.flags[K.FREE] == KEPT
        and named
        and part.parts + part.spans
        and (len(part.named) == 1 or part.actions <= COMPANY)
    ):
        return nothing_else(part)  # "keep Thursday evenings free for choir"
    if part.flags[K.FREE] and named:
        return ()
    if part.flags[K.FREE] and not part.actions:
        with_halves(part)
    return free(part)


def _but_on_days(part: Part) -> tuple[Said, ...]:
    """Return the wishes of "never tv except on Fridays", "no work after six except on Mondays" or "daily except"."""
    days = part.flags.pop(K.BUT)
    if part.flags.get(K.PER) == len(WEEK) or (part.has(K.EVERY) and not part.days):
        return _daily_but(part, days)
    ends = part.has(K.FINISH) and all(end is None for *_, end in part.spans)
    if (ends or part.flags.keys() & {*SLEEPERS, K.FREE}) and not (part.days or part.nots):
        part.days = ANY_DAY - days  # "in bed by ten except on Fridays", "free evenings apart from Thursdays"
        return of_night(part) if part.flags.keys() & SLEEPERS else _of_actions(part)
    if part.nots and part.flags.keys() == {K.NOT, K.SUGGESTION} and not part.actions:
        part.flags, part.actions = {K.NOT: None}, ALL  # "no suggestions in the evening except on Fridays"
    if (
        (part.days > days or (part.days and not part.days & days))
        and part.actions
        and not part.flags.keys() & (LIMITS | {K.ANYTIME})
    ):
        part.days -= days
        return _limits(part)  # "no tv on weekdays except Wednesdays"
    if not part.actions or part.days or part.flags.keys() - {K.NOT, K.EVERY, K.BEST, K.FINE, K.ANYTIME, K.LASTS}:
        raise NotUnderstood
    if part.nots and part.times:
        part.days = ANY_DAY - days
    elif part.nots and not part.counts:
        part.nots, part.days, part.flags = 0, days, {K.ONLY: None}
    elif part.times and not (part.nots or part.counts):
        part.days = ANY_DAY - days  # "deep work from nine to twelve except on Fridays"
        return _of_actions(part)
    elif part.has(K.ANYTIME) and not (part.nots or part.times):
        part.nots, part.days, part.flags = 1, days, {K.NOT: None}
    else:
        raise NotUnderstood
    return _limits(part)


def _daily_but(part: Part, days: frozenset[int]) -> tuple[Said, ...]:
    """Return the wishes of "a run every day except Sundays": six times a week, and not on Sundays."""
    lasts = part.flags.pop(K.LASTS, [])
    if any(side is K.MOST for side, *_ in lasts):
        raise NotUnderstood  # "at most an hour of tv every day except Fridays" bounds each day
    alone = replace(part, flags={K.LASTS: lasts}, days=frozenset(), parts=[], spans=[])
    long = _lasting(alone) if lasts else ()
    if part.flags.keys() - {K.PER, K.EVERY, K.BEST, K.FINE} or part.nots or part.days or not part.actions:
        raise NotUnderstood
    goal = Said(kind="goal", actions=part.actions, number=len(WEEK) - len(days))
    of_week = () if part.actions == WORK else (goal,)
    part.flags, part.days, part.nots = ({}, ANY_DAY - days, 0) if part.times else ({K.NOT: None}, days, 1)
    return (*long, *of_week, *_limits(part))


def _lasting(part: Part) -> tuple[Said, ...]:
    """Return the wishes of a clause with the duration of an action, such as "an hour of painting on Sundays"."""
    if _is_of_all_day(part, part.flags[K.LASTS]):
        return (Said(kind="minutes_daily", actions=part.actions, number=part.flags[K.LASTS][0][1]),)
    told, found = part.flags.pop(K.LASTS), []
    beside = next((kind for kind in (K.LEAST, K.MOST, K.ENOUGH) if kind in part.flags and not part.counts), None)
    if beside is not None and len(told) == 1 and told[0][0] is None:
        del part.flags[beside]  # "two-hour blocks minimum"
        told = [(beside if beside is K.LEAST else K.MOST, *told[0][1:])]
    of_kind = part.has(K.ONLY) and kinds_of(part)  # "cycling only at the weekend, then two hours"
    if part.actions in (WORK, ALL) or len(part.actions) > 1 or of_kind or _is_of_a_day(part, told):
        raise NotUnderstood
    if part.flags.get(K.PER) == 1 and not part.has(K.NUMBER):
        part.flags.setdefault(K.TIMES, 1)  # "an hour of painting in the week"
    for side, minutes, beyond in told:
        if beyond and not part.nots:
            raise NotUnderstood  # "longer than an hour"
        part.nots -= beyond
        sides = {K.LEAST: ("shortest",), K.MOST: ("longest",)}.get(side, ("shortest", "longest"))
        found += [Said(kind=kind, actions=part.actions, number=minutes) for kind in sides]
    if not part.nots:
        part.flags.pop(K.NOT, None)
    elif not (part.times or part.counts) or any(side is None for side, *_ in told):
        raise NotUnderstood  # "no 20 minutes of sport", "no sport for two hours after lunch"
    rest = part.times or part.counts or part.has(K.ONLY)
    if _bounds_days(part, found):
        return tuple(replace(one, when=on_days(part.days)) for one in found)
    return (*found, *(_limits(part) if rest else ()))


def _bounds_days(part: Part, lengths: Sequence[Said]) -> bool:
    """Return True for "at most an hour of tv on weekdays", but not for "run on Sundays, an hour"."""
    order = [kind for kind in part.kinds if kind in (K.LASTS, K.DAY)]
    first = order[:1] == [K.LASTS] or (K.LASTS in order and part.actions == {A.BINGE_WATCH})
    alone = not (part.parts or part.spans or part.counts or part.nots or part.has(K.ONLY))
    return bool(part.days) and first and alone and all(length.kind == "longest" for length in lengths)


def _apart(part: Part) -> tuple[Said, ...]:
    """Return the wishes of a clause with a number of free days between two times of an action."""
    days = part.flags.pop(K.APART)
    if len(part.actions) != 1 or part.nots or part.flags.keys() & (LIMITS - {K.LEAST, K.MOST}):
        raise NotUnderstood
    rest = part.times or part.counts or part.has(K.LASTS)
    if part.has(K.TIMES) and not part.has(K.PER, K.WEEKLY):
        part.flags[K.PER] = 1
    if not (part.counts or is_general(part)):
        raise NotUnderstood  # "two days between leg days" is not of all sport
    apart = () if part.has(K.LEAST) else (Said(kind="apart", actions=part.actions, number=days),)
    return (*(_of_actions(part) if rest else ()), *apart)  # "at least every third day" may be oftener


def _is_of_all_day(part: Part, told: Sequence[Any]) -> bool:
    """Return True for a bound of a day's sum: "no more than an hour of tv a day"."""
    (side, _, beyond), *more = told
    if side is None and beyond and part.nots == 1:
        part.nots, side = 0, K.MOST  # "not more than"
    most = side is K.MOST or (side is None and part.has(K.MOST, K.ENOUGH))
    daily = part.flags.get(K.PER) == len(WEEK) and not part.has(K.TIMES, K.NUMBER, K.LEAST)
    alone = len(part.actions) == 1 and not (part.times or part.nots or more)
    return most and daily and alone


def _before_bed(part: Part) -> tuple[Said, ...]:
    """Return the wish of "no screens two hours before bed", and of "sport three hours before bed at the latest"."""
    minutes = part.flags[K.TO_BED]
    if not part.nots or part.times or part.counts or part.flags.keys() & LIMITS or part.actions == {A.SLEEP}:
        raise NotUnderstood
    return (Said(kind="before_bed", actions=part.actions, number=minutes),)


def _is_of_a_day(part: Part, told: Sequence[Any]) -> bool:
    if not part.has(K.PER) or part.has(K.TIMES, K.NUMBER):
        return False
    bounded = part.nots or part.flags.keys() & (LIMITS - {K.LEAST}) or any(side is K.MOST for side, *_ in told)
    return bool(bounded) or len(told) > 1 or told[0][1] > ONE_TIME[part.flags[K.PER]]


def _at_any_time(part: Part) -> tuple[Said, ...]:
    del part.flags[K.ANYTIME]
    if part.flags.keys() - {K.NUMBER, K.TIMES, K.PER, K.WEEKLY, K.LEAST} or part.times:
        raise NotUnderstood
    return _limits(part) if part.counts else (Said(kind="any", actions=part.actions),)


def _of_suggestions(part: Part) -> tuple[Said, ...]:
    if all(value >= ALL for _, value in part.beside if isinstance(value, frozenset)) and part.nots and part.times:
        part.beside = []  # "a quiet Sunday without any suggestions"
    if (part.nots or part.has(K.ONLY)) and part.times and not (part.counts or part.actions):
        part.actions = ALL  # "don't bother me before nine", "suggestions on weekdays only"
        return _limits(part)
    if part.nots and part.actions and not part.counts and not part.flags.keys() & LIMITS:
        del part.flags[K.SUGGESTION]
        part.flags[K.NOT] = "never" if part.actions == WORK else part.flags[K.NOT]
        return _limits(part)  # "no suggestions to learn", "not a single suggestion to binge before six"
    return (suggestions(part),)


def _taken_back(part: Part) -> tuple[Said, ...]:
    if part.nots and not part.has(K.RULE, K.BACK, K.DROP):
        del part.flags[K.AGAIN]
        return said_of(part)  # "never suggest it again"
    if (part.has(K.SUGGESTION, K.MOST, K.ENOUGH) or part.flags.get(K.PER) == len(WEEK)) and not part.actions:
        return (Said(kind="usual"),)
    again = part.has(K.AGAIN)
    if part.flags.keys() & SLEEPERS and not part.actions:
        return (night_back(part),)
    actions = part.actions or (WORK if part.flags.keys() & {K.FREE, K.FINISH, K.START} else frozenset())
    if K.FREE in part.flags and not (part.actions or part.times or part.counts):
        return (Said(kind="open", actions=WORK, days=ANY_DAY),)
    if not actions or part.nots > 1 or (part.nots and not part.has(K.RULE)):
        raise NotUnderstood
    if part.counts or part.has(K.MOST, K.LEAST, K.ENOUGH, K.DROP) or part.flags.get(K.RULE) == GOAL:
        if part.times or again or part.nots or actions == WORK:
            raise NotUnderstood
        return (Said(kind="drop", actions=actions),)
    _check_back(part)
    if part.times and (again or part.has(K.RULE)):
        return (open_again(part, actions),)
    if part.times or not (again or part.has(K.RULE)):
        raise NotUnderstood
    return (Said(kind="allow" if again and not part.has(K.BACK) else "forget", actions=actions),)


def _check_back(part: Part) -> None:
    between = list(zip(part.kinds, part.kinds[1:], strict=False))
    of_a_veto = part.kinds[-1] is K.RULE and K.ACTION in part.kinds
    if ((K.BACK, K.NOT) in between and not of_a_veto) or (K.NOT, K.BACK) in between:
        raise NotUnderstood  # "don't forget my rule", but "undo my no-tv rule"


def _limits(part: Part) -> tuple[Said, ...]:
    in_part = goes_beside(part)
    timed = [one[0] for one in zip(part.kinds, part.kinds[1:], strict=False) if one[0] is K.ACTION and one[1] in TIMES]
    different = {(one, getattr(one, "name", "")) for one in part.named}
    if (len(timed) > 1 and not part.nots) or (len(different) > 1 and times_between(part, K.ACTION)):
        raise NotUnderstood  # "weights in the morning running in the evening", "tv only on Fridays and Sundays friends"
    joined = sum(kind in (K.AND, K.OR, K.COMMA) for kind in part.kinds) + part.nots
    apart = len(part.actions) > 1 or (part.nots and any(isinstance(one, OneOf) for one in part.named))
    if apart and len(different) > joined + (not part.nots):
        raise NotUnderstood  # "no calls to my mother", "yoga yes, gym no"
    several = len(part.actions) > 1 and part.actions not in (WORK, ALL)
    if (
        several
        and not (part.actions <= COMPANY and K.AND in part.kinds and part.times and not part.nots | part.counts)
        and (part.nots or part.counts or part.times)
        and (K.AND in part.kinds or not (part.nots or part.has(K.ONLY)) or part.counts)
    ):
        raise NotUnderstood  # "sport and tv on Mondays": both, or one of them?
    if part.actions == ALL and not part.nots and [span[0] for span in part.spans] == [K.EARLIEST]:
        part.nots, part.spans = 1, [(K.BEFORE, *part.spans[0][1:])]  # "plan things from ten at the earliest"
    part.parts = [one for one in part.parts if not any(common([one], [o]) == (o,) != (one,) for o in part.parts)]
    with_halves(part)
    if part.flags.get(K.MOST) == 1:  # "not more than twice", and "more than twice is too much"
        if not part.nots:
            raise NotUnderstood
        part.nots = 0
    if part.has(K.MOST, K.ENOUGH):
        return at_most(part)
    last_said = part.kinds[-2:] == [K.ONLY, K.ACTION] and (part.parts or part.spans) and part.flags[K.ONLY] != VERBAL
    if last_said or ((K.ONLY, K.ACTION) in pairwise(part.kinds) and part.flags.get(K.ONLY) in (ELSE, HELD)):
        return nothing_else(part)  # "on Friday evenings only family", and not "family only"
    if part.nots:
        return not_wanted(part, general=is_general(part) and not in_part)
    return wanted(part)
