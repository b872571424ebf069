"""Add what a person said in plain words to their wishes, and say it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time
from typing import TypeVar

from bridge.domain.wishes import Hours, Wishes, checked
from rhythm_env.interface import ActionType, Meter

DAY_MINUTES = 24 * 60
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A wish that was understood. ``kind`` is never, allow, hours, any, days, goal, drop, weight, suggestions or clear.

    ``narrows`` says that hours and days are what an earlier wish leaves of them, and do not replace it.
    """

    kind: str
    actions: frozenset[ActionType] = frozenset()
    hours: tuple[Hours, ...] = ()
    days: frozenset[int] = frozenset()
    number: float = 0
    meter: Meter | None = None
    narrows: bool = False


def applied(wishes: Wishes, said: Sequence[Said]) -> Wishes:
    """Return wishes with what was said. The newest counts: a goal allows again, a veto drops the goal.

    Raises SetupError for wishes that ``checked`` refuses, such as hours of which nothing is left.
    """
    for one in said:
        wishes = _applied(wishes, one)
    return checked(wishes)


def _applied(wishes: Wishes, one: Said) -> Wishes:
    match one.kind:
        case "clear":
            return Wishes()
        case "suggestions":
            return replace(wishes, suggestions=int(one.number))
        case "weight" if one.meter is not None:
            return replace(wishes, weights={**wishes.weights, one.meter: one.number})
        case "never":
            return replace(wishes, never=wishes.never | one.actions, goals=_without(wishes.goals, one))
        case "allow":
            return replace(wishes, never=wishes.never - one.actions)
        case "any":
            return replace(wishes, hours=_without(wishes.hours, one), days=_without(wishes.days, one))
        case "drop":
            return replace(wishes, goals=_without(wishes.goals, one))
    return _limited(wishes if one.narrows else replace(wishes, never=wishes.never - one.actions), one)


def _limited(wishes: Wishes, one: Said) -> Wishes:
    """Return wishes with a goal, with days or with hours."""
    if one.kind == "goal":
        return replace(wishes, goals={**wishes.goals, **dict.fromkeys(one.actions, int(one.number))})
    old_days, old_hours = (wishes.days, wishes.hours) if one.narrows else ({}, {})
    if one.kind == "days":
        return replace(wishes, days={**wishes.days, **{a: one.days & old_days.get(a, one.days) for a in one.actions}})
    hours = {action: common(one.hours, old_hours.get(action, one.hours)) for action in one.actions}
    return replace(wishes, hours={**wishes.hours, **hours})


def _without(given: Mapping[ActionType, T], one: Said) -> dict[ActionType, T]:
    return {action: value for action, value in given.items() if action not in one.actions}


def common(first: Sequence[Hours], second: Sequence[Hours]) -> tuple[Hours, ...]:
    """Return the hours that two lists of hours have in common, ascending."""
    minutes = _minutes(first) & _minutes(second)
    if len(minutes) in (0, DAY_MINUTES):
        return () if not minutes else tuple(first)
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
