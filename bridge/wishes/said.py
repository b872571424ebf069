"""Add what a person said in plain words to their wishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import time
from typing import Any, TypeVar

from bridge.domain.occasions import Occasion
from bridge.domain.sports import is_kind
from bridge.domain.wish_terms import common, either, less
from bridge.domain.wishes import (
    NAME_MAX,
    SUGGESTIONS_DEFAULT,
    SUGGESTIONS_MAX,
    Barred,
    Best,
    Few,
    Hours,
    Lasts,
    NightWish,
    Spare,
    Wishes,
    checked,
)
from rhythm_env.interface import ActionType, Meter

DAYS = 7
BACK = frozenset({"clear", "allow", "any", "drop", "forget", "open", "night", "usual"})  # which take wishes back
# which may be wished of one kind of an action beside the whole of it
AMOUNTS = ("apart", "minutes_daily", "times_daily", "before_bed", "more")  # kinds that are fields of the wishes, too
OF_DAY = ("minutes_daily", "times_daily")
OF_KINDS = frozenset({"best", "most", "shortest", "longest", "hours", "barred"})
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One wish. The ``kind`` "forget" drops all wishes of an action, "fewer" asks for one suggestion less a day.

    Shortest, longest and asleep count minutes, apart counts free days, and spare the days of a week without
    suggestions. ``names`` are kinds of an action, such as yoga. ``narrows`` means that an earlier wish is limited, not
    replaced. ``at`` is a time of the night, or the begin that was said of hours. ``when`` are the days on which the
    wish holds, and ``of`` is the word for a kind, such as emails, of an action that is limited as a whole. A
    ``bound`` was said as one, and is said back: "at least twice", "up by six".
    """

    kind: str
    actions: frozenset[ActionType] = frozenset()
    hours: tuple[Hours, ...] = ()
    days: frozenset[int] = frozenset()
    number: float = 0
    meter: Meter | None = None
    at: time | None = None
    narrows: bool = False
    when: Occasion | None = None
    names: frozenset[str] = frozenset()
    of: str = ""
    bound: bool = field(default=False, compare=False)


def applied(wishes: Wishes, said: Sequence[Said]) -> Wishes:
    """Return wishes with new ones applied, of which the last one counts. Raises SetupError for impossible wishes."""
    for one in said:
        wishes = _of_wanted(_applied(wishes, one))
    return checked(wishes)


def _applied(wishes: Wishes, one: Said) -> Wishes:
    if one.when is not None:
        term = _of_wanted(_applied(wishes.terms.get(one.when, Wishes()), replace(one, when=None)))
        return replace(wishes, terms={**wishes.terms, one.when: term})
    if one.kind in OF_KINDS and one.names:
        return _of_kind(wishes, one)
    if one.kind in ("any", "drop", "forget", "open"):
        wishes = replace(wishes, kinds=_left({name: _applied(kind, one) for name, kind in wishes.kinds.items()}))
    if one.kind in ("allow", "forget", "open"):
        wishes = replace(wishes, terms=_left({when: _applied(term, one) for when, term in wishes.terms.items()}))
    return _applied_to_all(wishes, one)


def _applied_to_all(wishes: Wishes, one: Said) -> Wishes:
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
            return _at_any_time(wishes, one)
        case "drop":
            dropped: dict[str, Any] = {
                name: _without(getattr(wishes, name), one) for name in ("goals", "most", *OF_DAY)
            }
            return replace(wishes, **dropped)
        case "forget":
            left = replace(wishes, never=wishes.never - one.actions, goals=_without(wishes.goals, one))
            left = replace(left, lengths=_without(wishes.lengths, one), unnamed=_without(wishes.unnamed, one))
            amounts: dict[str, Any] = {name: _without(getattr(wishes, name), one) for name in AMOUNTS}
            left = replace(left, **amounts)
            return replace(_at_any_time(left, one), most=_without(wishes.most, one))
    return _applied_to_some(wishes, one)


def _applied_to_few(wishes: Wishes, one: Said) -> Wishes:
    match one.kind:
        case "rest":
            return replace(wishes, night=replace(wishes.night, rest=one.at, rest_days=one.days))
        case "fewer":
            return replace(wishes, suggestions=min(max(wishes.suggestions + int(one.number), 0), SUGGESTIONS_MAX))
        case "spare":
            return replace(wishes, spare=Spare(times=int(one.number), hours=one.hours))
        case "few":
            kept = (old for old in wishes.few if old.hours not in one.hours)
            return replace(wishes, few=(*kept, *(Few(hours=span, most=int(one.number)) for span in one.hours)))
        case "without":
            names = {a: wishes.unnamed.get(a, frozenset()) | one.names for a in one.actions}
            return replace(wishes, unnamed={**wishes.unnamed, **names})
    return _limited(wishes if one.narrows else replace(wishes, never=wishes.never - one.actions), one)


def _applied_to_some(wishes: Wishes, one: Said) -> Wishes:
    match one.kind:
        case "night":
            return replace(wishes, night=NightWish())
        case "usual":
            return replace(wishes, suggestions=SUGGESTIONS_DEFAULT, few=())
        case "open":
            return _opened(wishes, one)
        case "most":
            goals = {a: goal for a, goal in wishes.goals.items() if a not in one.actions or goal <= one.number}
            most = {**wishes.most, **dict.fromkeys(one.actions, int(one.number))}
            return replace(wishes, goals=goals, most=most)
        case kind if kind in AMOUNTS:
            given = {**getattr(wishes, kind), **dict.fromkeys(one.actions, int(one.number))}
            changed: dict[str, Any] = {kind: given}
            return replace(wishes, **changed)
        case "asleep":
            return replace(wishes, night=replace(wishes.night, minutes=int(one.number)))
        case "shortest" | "longest":
            return replace(wishes, lengths={**wishes.lengths, **{a: _lasting(wishes, a, one) for a in one.actions}})
        case "bed" | "earliest" | "up":
            night = _of_night(wishes.night, one)
            return replace(
                wishes,
                night=night if one.at or one.kind == "up" else replace(night, earliest=None, bed_days=frozenset()),
            )
        case "barred":
            new = Barred(days=one.days, hours=one.hours)
            more = {a: tuple(dict.fromkeys((*wishes.barred.get(a, ()), new))) for a in one.actions}
            return replace(wishes, barred={**wishes.barred, **more})
    return _applied_to_few(wishes, one)


def _of_kind(wishes: Wishes, one: Said) -> Wishes:
    """Return wishes with one for a kind of an action, under the name by which the kind was wished before."""
    new = ", ".join(sorted(one.names))[:NAME_MAX]
    name = next((old for old in wishes.kinds if is_kind(old, new)), new)
    return replace(wishes, kinds={**wishes.kinds, name: _applied(wishes.kinds.get(name, Wishes()), _whole(one))})


def _whole(one: Said) -> Said:
    return replace(one, names=frozenset())


def _left(among: Mapping[T, Wishes]) -> dict[T, Wishes]:
    return {key: one for key, one in among.items() if one != Wishes()}


def _lasting(wishes: Wishes, action: ActionType, one: Said) -> Lasts:
    """Return the bounds of an action's minutes with a new one. It removes the other bound if they contradict."""
    old, minutes = wishes.lengths.get(action, Lasts()), int(one.number)
    if one.kind == "shortest":
        return Lasts(least=minutes, most=old.most if old.most and old.most >= minutes else None)
    return Lasts(least=old.least if old.least and old.least <= minutes else None, most=minutes)


def _at_any_time(wishes: Wishes, one: Said) -> Wishes:
    hours, days = _without(wishes.hours, one), _without(wishes.days, one)
    best, barred = _without(wishes.best, one), _without(wishes.barred, one)
    return replace(wishes, hours=hours, days=days, best=best, barred=barred)


def _of_night(night: NightWish, one: Said) -> NightWish:
    if one.kind == "up" and one.at and night.up and one.days and not one.days >= night.up_days > frozenset():
        return replace(night, other=one.at, other_days=one.days)  # "up at seven, on weekends at nine"
    if one.kind == "up":
        return replace(night, up=one.at, up_days=one.days, other=None, other_days=frozenset())
    if (
        one.kind == "bed"
        and one.at is not None
        and night.bed
        and one.days
        and not one.days >= night.bed_days > frozenset()
    ):
        return replace(night, late=one.at, late_days=one.days)  # "on weekdays by ten, on Fridays by midnight"
    if one.kind == "bed":
        night = replace(night, late=None, late_days=frozenset())
    other = night.earliest if one.kind == "bed" else night.bed
    days = one.days if one.at is not None or other is None else night.bed_days
    bed, earliest = (one.at, night.earliest) if one.kind == "bed" else (night.bed, one.at)
    return replace(night, bed=bed, earliest=earliest, bed_days=days)


def _opened(wishes: Wishes, one: Said) -> Wishes:
    """Return wishes that allow actions again on some days, or at some hours of every day, and keep all others."""
    shut = wishes.never & one.actions
    days = {a: on | one.days if a in one.actions else on for a, on in wishes.days.items()}
    hours = {a: either(spans, one.hours) if a in one.actions else spans for a, spans in wishes.hours.items()}
    days |= dict.fromkeys(shut if one.days else (), one.days)
    hours |= dict.fromkeys(shut if one.hours else (), one.hours)
    barred = {
        action: tuple(left for times in several for left in _still_barred(times, one))
        if action in one.actions
        else several
        for action, several in wishes.barred.items()
    }
    return replace(
        wishes,
        never=wishes.never - one.actions,
        days={action: on for action, on in days.items() if len(on) < DAYS},
        hours={action: spans for action, spans in hours.items() if spans},
        barred={action: several for action, several in barred.items() if several},
    )


def _still_barred(times: Barred, one: Said) -> tuple[Barred, ...]:
    hours = less(times.hours, one.hours) if common(times.hours, one.hours) else times.hours
    left = replace(times, days=times.days - one.days, hours=hours)
    return (left,) if left.days and left.hours else ()


def _limited(wishes: Wishes, one: Said) -> Wishes:
    if one.kind == "goal":
        names = {action: ", ".join(sorted(one.names))[:NAME_MAX] for action in one.actions if one.names}
        goals = {**wishes.goals, **dict.fromkeys(one.actions, int(one.number))}
        most = {a: most for a, most in wishes.most.items() if a not in one.actions or most >= one.number}
        return replace(wishes, named={**_without(wishes.named, one), **names}, goals=goals, most=most)
    if one.kind == "best":
        best = Best(days=one.days, hours=one.hours)
        return replace(wishes, best={**wishes.best, **dict.fromkeys(one.actions, best)})
    old_days, old_hours = (wishes.days, wishes.hours) if one.narrows else ({}, {})
    if one.kind == "days":
        return replace(wishes, days={**wishes.days, **{a: one.days & old_days.get(a, one.days) for a in one.actions}})
    hours = {action: common(one.hours, old_hours.get(action, one.hours)) for action in one.actions}
    return replace(wishes, hours={**wishes.hours, **hours})


def _without(given: Mapping[ActionType, T], one: Said) -> dict[ActionType, T]:
    return {action: value for action, value in given.items() if action not in one.actions}


def standing(wishes: Wishes) -> tuple[Said, ...]:
    """Return stored wishes as a list of single ones, each for all actions with the same hours or days."""
    found = [Said(kind="never", actions=frozenset({action})) for action in ActionType if action in wishes.never]
    found += [Said(kind="days", actions=actions, days=days) for days, actions in _alike(wishes.days).items()]
    found += [Said(kind="hours", actions=actions, hours=hours) for hours, actions in _alike(wishes.hours).items()]
    best = [(frozenset({action}), wishes.best[action]) for action in ActionType if action in wishes.best]
    found += [Said(kind="best", actions=action, days=one.days, hours=one.hours) for action, one in best]
    named = {frozenset({action}): frozenset({name}) for action, name in wishes.named.items()}
    several: dict[Barred, frozenset[ActionType]] = {}
    for action in ActionType:
        for times in wishes.barred.get(action, ()):
            several[times] = several.get(times, frozenset()) | {action}
    found += [Said(kind="barred", actions=a, days=one.days, hours=one.hours) for one, a in several.items()]
    night = {one.name: getattr(wishes.night, one.name) for one in fields(NightWish)}
    found += [
        Said(kind=name, at=at, days=getattr(wishes.night, f"{name if name in ('up', 'rest') else 'bed'}_days"))
        for name, at in night.items()
        if isinstance(at, time) and name not in ("late", "other")
    ]
    if wishes.night.late is not None:
        found.append(Said(kind="bed", at=wishes.night.late, days=wishes.night.late_days))
    if wishes.night.other is not None:
        found.append(Said(kind="up", at=wishes.night.other, days=wishes.night.other_days))
    for kind, bound in (("shortest", "least"), ("longest", "most")):
        minutes = {action: getattr(lasts, bound) for action, lasts in wishes.lengths.items() if getattr(lasts, bound)}
        found += [Said(kind=kind, actions=actions, number=number) for number, actions in _alike(minutes).items()]
    for name in AMOUNTS:
        amounts: Mapping[ActionType, int] = getattr(wishes, name)
        found += [Said(kind=name, actions=actions, number=number) for number, actions in _alike(amounts).items()]
    if wishes.night.minutes is not None:
        found.append(Said(kind="asleep", number=wishes.night.minutes))
    found += [Said(kind="most", actions=actions, number=most) for most, actions in _alike(wishes.most).items()]
    goals = [(frozenset({action}), wishes.goals[action]) for action in ActionType if action in wishes.goals]
    found += [Said(kind="goal", actions=a, number=goal, names=named.get(a, frozenset())) for a, goal in goals]
    found += [Said(kind="weight", meter=meter, number=weight) for meter, weight in wishes.weights.items()]
    if wishes.suggestions != SUGGESTIONS_DEFAULT:
        found.append(Said(kind="suggestions", number=wishes.suggestions))
    found += [Said(kind="few", number=few.most, hours=(few.hours,)) for few in wishes.few]
    found += [Said(kind="without", actions=frozenset({a}), names=names) for a, names in wishes.unnamed.items()]
    if wishes.spare is not None:
        found.append(Said(kind="spare", number=wishes.spare.times, hours=wishes.spare.hours))
    found += [replace(one, names=frozenset({name})) for name, kind in wishes.kinds.items() for one in standing(kind)]
    found += [replace(one, when=when) for when, term in wishes.terms.items() for one in standing(term)]
    return tuple(found)


def replaced(wishes: Wishes, said: Sequence[Said]) -> tuple[Said, ...]:
    """Return the stored wishes that new ones replace, take back or cut, without those narrowed or all forgotten."""
    if any(one.kind == "clear" for one in said):
        return ()
    kept, narrowed = {*_single(applied(wishes, said))}, {one.kind for one in said if one.narrows}
    return tuple(one for one in _single(wishes) if one not in kept and one.kind not in narrowed)


def _single(wishes: Wishes) -> list[Said]:
    alone = ((one, frozenset({action})) for one in standing(wishes) for action in sorted(one.actions))
    return [*(replace(one, actions=of) for one, of in alone), *(one for one in standing(wishes) if not one.actions)]


def clashing(wishes: Wishes, one: Said) -> tuple[Said, ...]:
    """Return the stored wishes of which a new, narrowing one would leave no hours or days."""
    return tuple(
        old
        for old in standing(wishes)
        if one.narrows and old.kind == one.kind and old.when == one.when and old.actions & one.actions
        if old.names == one.names
        if not (common(old.hours, one.hours) if one.hours else old.days & one.days)
    )


def _alike(given: Mapping[ActionType, T]) -> dict[T, frozenset[ActionType]]:
    return {
        value: frozenset(action for action in given if given[action] == value)
        for value in (given[action] for action in ActionType if action in given)
    }


def without(wishes: Wishes, one: Said) -> Wishes:
    """Return wishes without a single one of them."""
    if one.when is not None:
        term = without(wishes.terms[one.when], replace(one, when=None))
        return replace(wishes, terms=_left({**wishes.terms, one.when: term}))
    if one.kind in OF_KINDS and one.names:
        (name,) = one.names
        return replace(wishes, kinds=_left({**wishes.kinds, name: without(wishes.kinds[name], _whole(one))}))
    return _without_this(wishes, one)


def _without_this(wishes: Wishes, one: Said) -> Wishes:
    match one.kind:
        case "never":
            return replace(wishes, never=wishes.never - one.actions)
        case "asleep":
            return replace(wishes, night=replace(wishes.night, minutes=None))
        case "spare":
            return replace(wishes, spare=None)
        case "few":
            return replace(wishes, few=tuple(few for few in wishes.few if few.hours not in one.hours))
        case kind if kind in ("days", "hours", "best", "goal", "most", "without", *AMOUNTS):
            name = {"goal": "goals", "without": "unnamed"}.get(one.kind, one.kind)
            changed: dict[str, Any] = {name: _without(getattr(wishes, name), one)}
            return _of_wanted(replace(wishes, **changed))
        case "weight":
            return replace(wishes, weights={m: weight for m, weight in wishes.weights.items() if m is not one.meter})
        case "shortest" | "longest":
            bound = {"least": None} if one.kind == "shortest" else {"most": None}
            left = {a: replace(lasts, **bound) if a in one.actions else lasts for a, lasts in wishes.lengths.items()}
            return replace(wishes, lengths={a: lasts for a, lasts in left.items() if lasts != Lasts()})
        case "bed" | "earliest" | "up" | "rest":
            return replace(wishes, night=_night_without(wishes.night, one))
        case "barred":
            barred = {
                action: tuple(times for times in several if (times.days, times.hours) != (one.days, one.hours))
                for action, several in wishes.barred.items()
            }
            return replace(wishes, barred={action: several for action, several in barred.items() if several})
    return replace(wishes, suggestions=SUGGESTIONS_DEFAULT)


def _of_wanted(wishes: Wishes) -> Wishes:
    return replace(wishes, named={a: name for a, name in wishes.named.items() if a in wishes.goals})


def _night_without(night: NightWish, one: Said) -> NightWish:
    none: frozenset[int] = frozenset()
    if one.kind == "rest":
        return replace(night, rest=None, rest_days=none)
    if one.kind == "bed" and night.late is not None:
        kept = night if one.days == night.late_days else replace(night, bed=night.late, bed_days=night.late_days)
        return replace(kept, late=None, late_days=none)
    if one.kind == "up" and night.other is not None:
        kept = night if one.days == night.other_days else replace(night, up=night.other, up_days=night.other_days)
        return replace(kept, other=None, other_days=none)
    return _of_night(night, replace(one, at=None, days=none))
