"""Find wishes of an action that cannot both be kept. A bar counts before a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.domain.wish_terms import common
from bridge.domain.wishes import Wishes
from bridge.wishes.said import DAYS, Said, applied, standing

Conflict = tuple[Said, Said]  # the wish that counts, and the one that it leaves no place


def conflicts(before: Wishes, said: Sequence[Said]) -> tuple[Conflict, ...]:
    """Return the conflicts that new wishes cause, without those that existed before."""
    known = _found(before)
    return tuple(one for one in _found(applied(before, said)) if one not in known)


def _found(wishes: Wishes) -> list[Conflict]:
    alone = [replace(one, actions=frozenset({a})) for one in standing(wishes) for a in sorted(one.actions)]
    pairs = ((one, other) for one in alone for other in alone)
    return [(one, other) for one, other in pairs if one.actions == other.actions and _leaves_none(one, other)]


def _leaves_none(counts: Said, asks: Said) -> bool:
    """Return True if a bar leaves less than another wish asks for: too few days, or none of the hours or days."""
    if counts.when not in (None, asks.when) or counts.names not in (frozenset(), asks.names):
        return False
    match counts.kind, asks.kind:
        case "never", "best" | "goal" | "shortest" | "longest" | "apart":
            return True
        case "days", "goal":
            return len(counts.days) < asks.number <= DAYS
        case "days", "best":
            return bool(asks.days - counts.days)
        case "hours", "best":
            return bool(asks.hours) and not common(asks.hours, counts.hours)
        case "barred", "best":
            days = counts.days & (asks.days or counts.days)
            return bool(days and asks.hours) and common(asks.hours, counts.hours) == common(asks.hours, asks.hours)
    return False
