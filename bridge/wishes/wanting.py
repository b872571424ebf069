"""Make wishes of a clause that says when an action is wanted, when it is not, and how often."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bridge.domain.occasions import Occasion
from bridge.domain.wishes import GOAL_MAX, Hours
from bridge.wishes.clocks import kept, left_by
from bridge.wishes.hours import ANY_DAY, NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, EVENING, WEEK, WORK, Kind, OneOf
from bridge.wishes.said import Said
from bridge.wishes.slots import DISLIKED, Part, is_general
from bridge.wishes.working import WORKDAYS_MIN, often
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
OF_LIFE = frozenset({A.FAMILY_TIME, A.SOCIALIZE, A.ADMIN_WORK, A.ME_TIME})
BY_KINDS = frozenset({A.EXERCISE, A.ME_TIME, A.LEARN})  # of which a suggestion may name a kind
WORKDAYS = frozenset(range(5))
NAPS = (11, 17)  # hours
LEADING = re.compile(  # words of a kind of action
    r"^(?:to |at |in |auf |in )?(?:my|our|the|an?|some|mein\w*|unser\w*|de[rnms]|die|das|ein\w*|ins|im|zum|zur) "
)
VERBAL = 2  # of "I can only"
HELD = 3  # of "only": the days are kept for it
WISHED = 2  # of "three times a week, more is not needed"


def nothing_else(part: Part) -> tuple[Said, ...]:
    """Read "nothing but family from five to seven" as a wish for family then, and a bar for all other actions."""
    several = len(part.named) != 1 and not part.actions <= COMPANY
    if part.nots or part.counts or several or not part.times or part.actions in (WORK, ALL):
        raise NotUnderstood
    hours = tuple(part.parts) + tuple(kept(span, part) for span in part.spans)
    best = Said(kind="best", actions=part.actions, days=part.days, hours=hours)
    if not hours and part.flags[K.ONLY] != HELD:
        raise NotUnderstood
    if not hours:
        return best, Said(kind="days", actions=ALL - part.actions, days=ANY_DAY - part.days, narrows=True)
    return best, held_for((best,))


def held_for(said: Sequence[Said], *, evening: bool = False) -> Said:
    """Return the bar of all other actions at the times of what is wished, or on the evening of it."""
    best = next((one for one in said if one.kind == "best"), None)
    if best is None or len({one.actions for one in said}) != 1:
        raise NotUnderstood
    if best.days and not (best.hours or evening) and best.actions <= COMPANY:
        return Said(kind="days", actions=ALL - best.actions, days=ANY_DAY - best.days, narrows=True)
    if not best.hours:
        raise NotUnderstood  # "runs on Sundays, nothing else": no other sport, or nothing on Sundays?
    if evening and best.hours[0][0] < EVENING[0]:
        raise NotUnderstood
    rest, days, hours = ALL - best.actions, best.days or ANY_DAY, (EVENING,) if evening else best.hours
    if days == ANY_DAY and len(hours) == 1:
        return Said(kind="hours", actions=rest, hours=(hours[0][::-1],), narrows=True)
    return Said(kind="barred", actions=rest, days=days, hours=hours)


def at_most(part: Part) -> tuple[Said, ...]:
    if part.has(K.ENOUGH) and part.days and not (part.counts or part.parts or part.spans or part.nots):
        best = Said(kind="best", actions=part.actions, days=part.days)
        return best, Said(kind="most", actions=part.actions, number=len(part.days))  # "swimming on Tuesdays will do"
    counted = part.kinds.index(K.PART) if K.PART in part.kinds else 0
    if counted and part.kinds[counted - 1] in (K.NUMBER, K.ACTION) and not (part.days or part.spans):
        part.parts = []  # "at most one evening of series a week"
    count = part.flags.get(K.TIMES, part.flags.get(K.NUMBER))
    count = part.flags.get(K.NUMBER) if count is None else count
    count = 1 if count is None and not part.has(K.TIMES) else count  # "at most a film a week"
    per = part.flags.get(K.PER, part.flags.get(K.WEEKLY, 1))
    if part.times or part.nots or not isinstance(count, int) or per not in (1, 7) or not 1 <= count <= GOAL_MAX:
        raise NotUnderstood
    if part.actions in (WORK, ALL) or part.has(K.LEAST, K.ONLY) or not part.has(K.TIMES, K.PER, K.WEEKLY):
        raise NotUnderstood
    if per != 1:
        return (Said(kind="times_daily", actions=part.actions, number=count),)  # "sport at most once a day"
    most = Said(kind="most", actions=part.actions, number=count)
    return (replace(most, kind="goal"), most) if part.flags.get(K.ENOUGH) == WISHED else (most,)


def on_days(days: frozenset[int]) -> Occasion | None:
    return Occasion(days=days) if days and days != ANY_DAY else None


def kinds_of(part: Part, among: frozenset[ActionType] = BY_KINDS) -> frozenset[str]:
    """Return the names of the kinds of an action in a part, such as "yoga", or none if it names the whole action."""
    names = {LEADING.sub("", one.name) for one in part.named if isinstance(one, OneOf)}
    named = part.actions <= among and not is_general(part) and all(names)
    return detailed(frozenset(names), part) if named else frozenset()


def detailed(names: frozenset[str], part: Part) -> frozenset[str]:
    """Return the name of a kind with what else tells it: "long runs", "tennis, Mark"."""
    if not part.details or len(names) > 1:
        return names
    first = K.DETAIL in part.kinds and K.ACTION not in part.kinds[: part.kinds.index(K.DETAIL)]
    joint = " " if K.DETAIL in part.kinds and not part.has(K.NAME) else ", "
    told = [*part.details, *names] if first else [*names, *part.details]
    return frozenset({joint.join(told)})


def not_wanted(part: Part, *, general: bool) -> tuple[Said, ...]:
    if (
        _is_hated(part)
        or part.nots > max(1, len(part.named) + len(part.beside))
        or part.counts
        or part.flags.keys() & {K.ONLY, K.LEAST, K.EVERY, K.FINE}
    ):
        raise NotUnderstood
    actions, days = part.actions, part.days
    if not part.times:
        forever = actions != WORK or part.flags.get(K.NOT) in ("never", "nie")
        if (names := kinds_of(part, BY_KINDS | WORK)) and not part.by_then and not part.beside:
            return (Said(kind="without", actions=actions, names=names),)  # "never football" is not "never sport"
        if not general or actions == ALL or part.by_then or not forever:
            raise NotUnderstood
        return (Said(kind="never", actions=actions),)
    if not (part.parts or part.spans):
        if names := kinds_of(part):
            return (Said(kind="without", actions=actions, names=names, when=on_days(days)),)
        return _each_kind(part, [Said(kind="days", actions=actions, days=ANY_DAY - days, narrows=True)])
    left = [(end, begin) for begin, end in part.parts] + [left_by(span, actions) for span in part.spans]
    found = [Said(kind="hours", actions=actions, hours=(one,), narrows=True) for one in left]
    if days and days != ANY_DAY:
        found = [Said(kind="barred", actions=actions, days=days, hours=((end, begin),)) for begin, end in left]
    return _each_kind(part, found)


def _each_kind(part: Part, said: Sequence[Said]) -> tuple[Said, ...]:
    kinds = [frozenset({name}) for name in sorted(kinds_of(part))] or [frozenset()]
    if part.actions in ({A.ADMIN_WORK}, COMPANY) and (whole := kinds_of(part, WORK | COMPANY)):
        return tuple(replace(one, of=", ".join(sorted(whole))) for one in said)
    return tuple(replace(one, names=kind) for one in said for kind in kinds)


def _is_hated(part: Part) -> bool:
    """Return True for "I hate working", which is no wish."""
    return part.actions == WORK and part.flags.get(K.NOT) in DISLIKED


def wanted(part: Part) -> tuple[Said, ...]:
    if part.flags.get(K.PER) == len(WEEK) and not part.has(K.NUMBER, K.TIMES, K.LEAST) and part.days:
        raise NotUnderstood
    actions, relations = part.actions, [span[0] for span in part.spans]
    firm = any(
        relation in (K.LATEST, K.EARLIEST) or (relation is K.TO and not part.has(K.BEST)) for relation in relations
    )
    only = part.has(K.ONLY) or firm or actions == WORK
    goal = _every(part, only=only) or _goal(part)
    _check_wanted(part, goal=bool(goal), only=only)
    hours = tuple(part.parts) + tuple(kept(span, part) for span in part.spans)
    if only and part.days and part.days != ANY_DAY and hours and _is_of_days(part, firm=firm):
        if (part.has(K.ONLY) or K.TO in relations) and not (
            actions == WORK and part.has(K.ONLY) and relations == [K.TO]
        ):
            raise NotUnderstood  # "on Fridays only after 8 pm": and on other days?
        return _on_those_days(part, hours)
    if only and part.days and kinds_of(part):
        return _on_no_other_day(part, hours)
    found = []
    if only and part.days:
        found.append(Said(kind="days", actions=actions, days=part.days))
    if only and hours:
        found += _each_kind(part, [Said(kind="hours", actions=actions, hours=hours, narrows=actions == WORK)])
    if not only and (part.days or hours):
        at = hours[0][0] if relations == [K.AT] and part.spans[0][2] is None else None
        found.append(Said(kind="best", actions=actions, days=part.days, hours=hours, at=at))
    if goal:
        found.append(Said(kind="goal", actions=actions, number=goal, bound=part.has(K.LEAST)))
    if not found or (actions == WORK and part.days and len(part.days) < WORKDAYS_MIN and not part.has(K.ONLY)):
        raise NotUnderstood
    return tuple(found)


def _on_no_other_day(part: Part, hours: tuple[Hours, ...]) -> tuple[Said, ...]:
    """Read "yoga only on Sundays", which leaves other sport free."""
    names = kinds_of(part)
    if part.counts or len(names) > 1 or (hours and part.spans):
        raise NotUnderstood
    best = Said(kind="best", actions=part.actions, days=part.days, hours=hours)
    only = [Said(kind="hours", actions=part.actions, hours=hours, names=names)] if hours else []
    rest = on_days(ANY_DAY - part.days)
    return best, *only, Said(kind="without", actions=part.actions, names=names, when=rest)


def _check_wanted(part: Part, *, goal: bool, only: bool) -> None:
    actions = part.actions
    verbal = part.flags.get(K.ONLY) == VERBAL or (actions == WORK and not part.spans) or actions == {A.BINGE_WATCH}
    work_days = actions == WORK and len(part.days) >= WORKDAYS_MIN
    if (
        (len(actions) > 1 and not only and not (actions <= COMPANY and not goal))
        or (COMPANY in part.named and not is_general(part))  # "phone calls only after two" leave a family dinner
        or (actions == ALL and not part.has(K.ONLY))
        or (actions == {A.SLEEP} and not part.has(K.BEST) and any(map(_is_of_night, part.spans)))
        or (goal and only)
        or (part.has(K.FINE) and not part.times)
        or (actions == WORK and part.has(K.BEST))
        or (part.parts and part.spans)
        or (len(part.spans) > 1 and any(end is None for _, _, end in part.spans) and not (only and _are_around(part)))
        or (part.days and not only and K.OR in part.kinds)
        or (part.times and part.kinds[-2:] == [K.ACTION, K.ONLY] and actions <= OF_LIFE and not part.by_then)
        or (
            part.times
            and not (work_days or verbal)
            and (K.ONLY, K.ACTION) in zip(part.kinds, part.kinds[1:], strict=False)
        )
    ):  # "only family on weekends": and nothing else?
        raise NotUnderstood


def _is_of_night(span: Any) -> bool:
    """Return True for an hour that may not be of a nap: "sleep at ten", but "a nap at 2 pm"."""
    relation, clock, _ = span
    at = clock[0] if clock[2] or clock[0] >= NAPS[0] else clock[0] + 12  # "a nap at two"
    return relation is K.AT and not NAPS[0] <= at <= NAPS[1] - (not clock[2])


def _are_around(part: Part) -> bool:
    """Return True for "before seven or after six", and for "at eleven and at four"."""
    relations = [span[0] for span in part.spans]
    around = relations in ([K.BEFORE, K.AFTER], [K.AFTER, K.BEFORE]) and (K.OR in part.kinds or K.AND in part.kinds)
    return around or set(relations) == {K.AT}


def _is_of_days(part: Part, *, firm: bool) -> bool:
    if part.actions == WORK and len(part.days) < WORKDAYS_MIN:
        return True  # "work only until noon on Fridays"
    if not part.has(K.ONLY):
        return firm
    times = [_place(part, kind) for kind in (K.SPAN, K.PART) if kind in part.kinds]
    return bool(times) and K.DAY in part.kinds and _place(part, K.DAY) < _place(part, K.ONLY) < min(times)


def _on_those_days(part: Part, hours: tuple[Hours, ...]) -> tuple[Said, ...]:
    if len(hours) != 1 or _goal(part) or part.actions == ALL:
        raise NotUnderstood
    return _each_kind(part, [Said(kind="barred", actions=part.actions, days=part.days, hours=(hours[0][::-1],))])


def _place(part: Part, kind: Kind) -> int:
    return part.kinds.index(kind) if kind in part.kinds else 0


def _every(part: Part, *, only: bool) -> int:
    """Return how often "every evening" and "every weekday" is a week."""
    if not part.has(K.EVERY) or not part.days:
        return len(WEEK) * part.has(K.EVERY)
    return len(WORKDAYS) if part.days == WORKDAYS and not (only or part.counts) else 0


def _goal(part: Part) -> int:
    if part.flags.get(K.NUMBER) == 1 and part.flags.get(K.TIMES) is not None:
        del part.flags[K.NUMBER]  # "once a week an evening with friends"
    number = part.flags.get(K.NUMBER, 1)  # "at least one run at the weekend"
    some = part.has(K.TIMES) or (part.days and number <= len(part.days))
    if part.has(K.LEAST) and (part.counts or part.days) and not part.has(K.PER, K.WEEKLY) and some:
        part.flags[K.PER] = 1
        part.flags.setdefault(K.NUMBER if not part.has(K.TIMES) else K.TIMES, 1)
    return often(part)
