"""Select the wishes that hold on a certain day, from the general wishes and those that hold on some days only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import date, time, timedelta

from bridge.domain.wishes import SUGGESTIONS_DEFAULT, Hours, NightWish, Wishes
from rhythm_env.interface import ActionType

DAY, WEEK = timedelta(days=1), timedelta(days=7)
DAY_MINUTES = 24 * 60


def wished_on(wishes: Wishes, day: date) -> Wishes:
    """Return the wishes that hold on a day.

    Prohibitions for that day add to the general ones, other wishes replace them.
    """
    found = _at_all(wishes, day)
    found = _with_kinds(found, day.weekday()) if found.kinds else found
    return replace(found, terms={}) if wishes.terms else found


def goal_name(wishes: Wishes, action: ActionType, day: date) -> str:
    """Return the name of what the goal of an action is of on a day, which may be several with commas, or ""."""
    return _at_all(wishes, day).named.get(action, "") if wishes.goals or wishes.terms else ""


def _at_all(wishes: Wishes, day: date) -> Wishes:
    for term in (term for when, term in wishes.terms.items() if when.holds(day)):
        wishes = both(wishes, term)
    return wishes


def wished_once(wishes: Wishes, action: ActionType, day: date) -> bool:
    """Return True if an action is wished for this very date, and not for a weekday or so often a week."""
    for when, term in wishes.terms.items():
        if when.since is None or when.until is None or when.until - when.since >= WEEK or not when.holds(day):
            continue
        only = sum(when.holds(when.since + k * DAY) for k in range(WEEK.days)) == 1
        for one in (term, *term.kinds.values()):
            best = one.best.get(action)
            if (only and (best or action in one.goals)) or (best is not None and day.weekday() in best.days):
                return True
    return False


def _with_kinds(wishes: Wishes, weekday: int) -> Wishes:
    best, named = dict(wishes.best), dict(wishes.named)
    for name, kind in wishes.kinds.items():
        for action, one in kind.best.items():
            whole = best.get(action)
            if weekday in one.days or (not one.days and (whole is None or weekday not in whole.days)):
                hours = one.hours or (() if whole is None else whole.hours)
                best[action], named[action] = replace(one, hours=hours), name
    return replace(wishes, best=best, named=named)


def night_on(wishes: Wishes, ends: date) -> NightWish:
    """Return the wishes for the night that ends on a date. The bedtime is that of the day before."""
    eve, day = (wished_on(wishes, on).night for on in (ends - DAY, ends))
    if eve != day:
        eve = replace(eve, up=day.up, up_days=day.up_days, other=day.other, other_days=day.other_days)
        eve = replace(eve, rest=day.rest, rest_days=day.rest_days)
    return eve.on((ends - DAY).weekday())


def both(wishes: Wishes, term: Wishes) -> Wishes:
    """Return ``wishes`` changed by ``term``, wishes that hold on some days or for one kind of action only.

    Prohibitions of both add up. For other wishes, those of ``term`` win.
    """
    hours = {a: common(term.hours[a], wishes.hours.get(a, term.hours[a])) for a in term.hours}
    barred = {a: (*wishes.barred.get(a, ()), *several) for a, several in term.barred.items()}
    unnamed = {a: names | wishes.unnamed.get(a, names) for a, names in term.unnamed.items()}
    usual = term.suggestions == SUGGESTIONS_DEFAULT
    return replace(
        wishes,
        never=wishes.never | term.never,
        hours={**wishes.hours, **hours},
        days={**wishes.days, **{a: days & wishes.days.get(a, days) for a, days in term.days.items()}},
        best={**wishes.best, **term.best},
        barred={**wishes.barred, **barred},
        night=_night(wishes.night, term.night),
        most={**wishes.most, **term.most},
        goals={a: goal for a, goal in {**wishes.goals, **term.goals}.items() if a not in term.never},
        lengths={**wishes.lengths, **term.lengths},
        apart={**wishes.apart, **term.apart},
        minutes_daily={**wishes.minutes_daily, **term.minutes_daily},
        times_daily={**wishes.times_daily, **term.times_daily},
        before_bed={**wishes.before_bed, **term.before_bed},
        more={**wishes.more, **term.more},
        named={**wishes.named, **term.named},
        unnamed={**wishes.unnamed, **unnamed},
        kinds={**wishes.kinds, **{n: both(wishes.kinds.get(n, Wishes()), one) for n, one in term.kinds.items()}},
        spare=term.spare or wishes.spare,
        weights={**wishes.weights, **term.weights},
        suggestions=wishes.suggestions if usual else term.suggestions,
        few=(*(one for one in wishes.few if one.hours not in {new.hours for new in term.few}), *term.few),
    )


def _night(night: NightWish, term: NightWish) -> NightWish:
    said: dict[str, object] = {field.name: getattr(term, field.name) for field in fields(NightWish)}
    of_bed = {"bed", "earliest", "bed_days", "late", "late_days"} if term.bed or term.earliest else set()
    of_up = {"up", "up_days", "other", "other_days"} if term.up else set()
    of_up |= {"rest", "rest_days"} if term.rest else set()
    length = {"minutes"} if term.minutes is not None else set()
    changed: dict[str, object] = {name: said[name] for name in of_bed | of_up | length}
    return replace(night, **changed)  # type: ignore[arg-type]


# Hours of a day -------------------------------------------------------------------------------------------------------


def common(first: Sequence[Hours], second: Sequence[Hours]) -> tuple[Hours, ...]:
    """Return the spans of time that lie in both lists, ascending."""
    minutes = _minutes(first) & _minutes(second)
    return tuple(first) if len(minutes) == DAY_MINUTES else _spans_of(minutes)


def either(first: Sequence[Hours], second: Sequence[Hours]) -> tuple[Hours, ...]:
    """Return the spans of time in either list, ascending. An empty ``second`` returns ``first`` unchanged."""
    return _spans_of(_minutes(first) | _minutes(second)) if second else tuple(first)


def less(first: Sequence[Hours], second: Sequence[Hours]) -> tuple[Hours, ...]:
    """Return the spans of time of ``first`` that are not in ``second``, ascending."""
    return _spans_of(_minutes(first) - _minutes(second))


def is_within(at: time, hours: Sequence[Hours]) -> bool:
    return at.hour * 60 + at.minute in _minutes(hours)


def _spans_of(minutes: set[int]) -> tuple[Hours, ...]:
    if len(minutes) in (0, DAY_MINUTES):
        return ()
    begins = sorted(m for m in minutes if (m - 1) % DAY_MINUTES not in minutes)
    ends = [next(e for e in range(b + 1, b + DAY_MINUTES + 1) if e % DAY_MINUTES not in minutes) for b in begins]
    return tuple((_time(begin), _time(end)) for begin, end in zip(begins, ends, strict=True))


def _minutes(hours: Sequence[Hours]) -> set[int]:
    found: set[int] = set()
    for begin, end in hours:
        low, high = begin.hour * 60 + begin.minute, end.hour * 60 + end.minute
        found |= {minute % DAY_MINUTES for minute in range(low, high if high > low else high + DAY_MINUTES)}
    return found


def _time(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)
