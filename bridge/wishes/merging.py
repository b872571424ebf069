"""Make the wishes of a text's clauses, merge those of the same kind and action, and find those that conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.domain.sports import is_kind
from bridge.domain.wish_terms import common
from bridge.domain.wishes import SUGGESTIONS_DEFAULT, Wishes
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import WEEK, Kind
from bridge.wishes.meaning import said_of
from bridge.wishes.said import DAYS, Said, applied, standing
from bridge.wishes.slots import Part
from bridge.wishes.wanting import on_days

K = Kind
WINDOW_MAX = 12  # hours of the day with a begin and an end
LENGTHS = ("shortest", "longest")
Conflict = tuple[Said, Said]  # the wish that counts, and the one that it leaves no place


def said_on_days(clause: Part, clauses: Sequence[Part]) -> tuple[Said, ...]:
    """Return the wishes of a clause. A duration may hold only on the clause's days, as in "an hour on Sundays"."""
    beside = [one for one in clauses if one is not clause and one.actions == clause.actions and one.has(K.LASTS)]
    when, said = on_days(clause.days), said_of(clause)
    differ = clause.has(K.LASTS) and beside and all(one.days for one in beside)
    return tuple(replace(one, when=when) if differ and one.kind in LENGTHS else one for one in said)


def of_week(said: Sequence[Said]) -> tuple[Said, ...]:
    """Return "five on weekdays, else two" as five suggestions on all days, except on the other days."""
    counts = [one for one in said if one.kind == "suggestions" and one.when is not None]
    days = [day for one in counts if one.when is not None for day in one.when.days]
    base = max(
        counts,
        key=lambda one: (one.number == SUGGESTIONS_DEFAULT, len(one.when.days if one.when else ())),
        default=None,
    )
    if sorted(days) == sorted(WEEK) and base is not None:
        said = [replace(base, when=None), *(one for one in said if one is not base)]
    if len(days) > len(set(days)) or any(
        one.when is not None and one.number == SUGGESTIONS_DEFAULT for one in said if one.kind == "suggestions"
    ):
        raise NotUnderstood
    return tuple(said)


def _goes_on(one: Said, other: Said) -> bool:
    of_kind = one.kind == "without" and one.names == other.names and one.when is not None and other.when is not None
    of_best = one.kind == "best" and len(one.names) == len(other.names) and all(map(is_kind, one.names, other.names))
    of_hours = one.kind == "hours" and one.narrows != other.narrows and one.names == other.names
    return of_best or of_kind or of_hours or (one.kind == "days" and one.narrows and other.narrows)


def _in_both(one: Said, other: Said) -> Said:
    """Return "only in the evening, but not after nine" as one window."""
    hours = common(one.hours, other.hours)
    if len(hours) != 1 or not 0 < (hours[0][1].hour - hours[0][0].hour) % 24 <= WINDOW_MAX:
        raise NotUnderstood  # "sport only after five, but not after eight"
    return replace(one, hours=hours, narrows=False)


def alike(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Return wishes with those of the same kind and action merged."""
    found: list[Said] = []
    for one in said:
        others = ((i, o) for i, o in enumerate(found) if o.kind == one.kind and o.actions == one.actions)
        same = next((i for i, o in others if _goes_on(one, o)), None)
        one = one if same is None else replace(one, names=found[same].names or one.names)
        if same is None:
            found.append(one)
        elif one.kind == "without":
            found[same] = replace(
                one, when=on_days(frozenset().union(*(o.when.days for o in (one, found[same]) if o.when)))
            )
        elif one.kind == "days":
            found[same] = replace(one, days=one.days & found[same].days)
        elif one.kind == "hours":
            found[same] = _in_both(one, found[same])
        elif not (found[same].days and one.days) and not (found[same].hours and one.hours):
            found[same] = replace(one, days=one.days | found[same].days, hours=one.hours or found[same].hours)
        elif one.days and found[same].hours and one.hours and not found[same].days:
            raise NotUnderstood  # "tv after eight, on Fridays after nine"
        elif found[same].hours and one.hours and common(found[same].hours, one.hours):
            found[same] = replace(one, days=found[same].days or one.days)
        elif bool(found[same].days) == bool(one.days) and found[same].hours == one.hours:
            found[same] = replace(one, days=one.days | found[same].days)
        else:
            found.append(one)
    return tuple(dict.fromkeys(found))


def conflicts(before: Wishes, said: Sequence[Said]) -> tuple[Conflict, ...]:
    """Return the conflicts that new wishes cause, without those that existed before. A bar counts before a request."""
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
