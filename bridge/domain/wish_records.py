"""Read and write wishes as JSON values, as the store keeps them and the API shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.occasions import Occasion, occasion_of, plain_occasion, whole
from bridge.domain.wishes import (
    NEXT,
    SPANS_MAX,
    SUGGESTIONS_DEFAULT,
    Barred,
    Best,
    Hours,
    Lasts,
    NightWish,
    Spare,
    Wishes,
    checked,
)
from rhythm_env.interface import ActionType, Meter

KEYS = {  # of wishes
    *("never", "hours", "days", "best", "barred", "night", "most"),
    *("goals", "weights", "lengths", "apart", "suggestions", "since", "terms", "named", "unnamed", "spare", "kinds"),
}
NIGHT_DAYS = ("bed_days", "up_days", "late_days", "other_days", "rest_days")


def plain(wishes: Wishes) -> dict[str, Any]:
    """Return wishes as JSON values, in the order of the enumerations. ``wishes_of`` reads them back."""
    since = {str(action): wishes.since[action].isoformat() for action in ActionType if action in wishes.since}
    return {
        "never": [str(action) for action in ActionType if action in wishes.never],
        "hours": {str(a): _clocks(wishes.hours[a]) for a in ActionType if a in wishes.hours},
        **({"days": {str(a): sorted(wishes.days[a]) for a in ActionType if a in wishes.days}} if wishes.days else {}),
        **({"best": {str(a): _best(wishes.best[a]) for a in ActionType if a in wishes.best}} if wishes.best else {}),
        **({"barred": _barred(wishes)} if wishes.barred else {}),
        **({"night": night} if (night := _night(wishes.night)) else {}),
        **({"most": {str(a): wishes.most[a] for a in ActionType if a in wishes.most}} if wishes.most else {}),
        **({"lengths": _lengths(wishes)} if wishes.lengths else {}),
        **({"apart": {str(a): wishes.apart[a] for a in ActionType if a in wishes.apart}} if wishes.apart else {}),
        "goals": {str(action): wishes.goals[action] for action in ActionType if action in wishes.goals},
        "weights": {str(meter): float(wishes.weights[meter]) for meter in Meter if meter in wishes.weights},
        "suggestions": wishes.suggestions,
        **({"named": {str(a): wishes.named[a] for a in ActionType if a in wishes.named}} if wishes.named else {}),
        **({"unnamed": {str(a): sorted(names) for a, names in wishes.unnamed.items()}} if wishes.unnamed else {}),
        **({"spare": {"times": spare.times, "hours": _clocks(spare.hours)}} if (spare := wishes.spare) else {}),
        **({"kinds": {name: plain(one) for name, one in wishes.kinds.items()}} if wishes.kinds else {}),
        **({"terms": _terms(wishes)} if wishes.terms else {}),
        **({"since": since} if since else {}),
    }


def wishes_of(body: object) -> Wishes:
    """Return wishes from the JSON values of ``plain``, with defaults. Raises SetupError for any other value."""
    if not isinstance(body, Mapping) or body.keys() - KEYS:
        raise SetupError(
            f"wishes must be an object with never, hours, goals, weights and suggestions; see: {NEXT} --json"
        )
    try:
        found = Wishes(
            never=frozenset(ActionType(action) for action in _list(body.get("never", []))),
            hours={ActionType(a): _spans(spans) for a, spans in _object(body.get("hours", {}))},
            days={ActionType(a): frozenset(map(whole, _list(days))) for a, days in _object(body.get("days") or {})},
            best={ActionType(a): _best_of(best) for a, best in _object(body.get("best") or {})},
            barred={ActionType(a): _barred_of(several) for a, several in _object(body.get("barred") or {})},
            night=_night_of(body.get("night") or {}),
            most={ActionType(a): whole(most) for a, most in _object(body.get("most") or {})},
            lengths={ActionType(a): _lasts_of(lasts) for a, lasts in _object(body.get("lengths") or {})},
            apart={ActionType(a): whole(days) for a, days in _object(body.get("apart") or {})},
            goals={ActionType(a): whole(goal) for a, goal in _object(body.get("goals", {}))},
            weights={Meter(m): _number(weight) for m, weight in _object(body.get("weights", {}))},
            suggestions=whole(body.get("suggestions", SUGGESTIONS_DEFAULT)),
            since={ActionType(a): _instant(at) for a, at in _object(body.get("since", {}))},
            named={ActionType(a): _name(name) for a, name in _object(body.get("named") or {})},
            unnamed={ActionType(a): frozenset(map(_name, _list(n))) for a, n in _object(body.get("unnamed") or {})},
            spare=None if body.get("spare") is None else _spare_of(body["spare"]),
            kinds={_name(name): wishes_of(one) for name, one in _object(body.get("kinds") or {})},
            terms=dict(map(_term_of, _list(body.get("terms") or []))),
        )
    except (TypeError, ValueError):
        raise SetupError(f"these wishes cannot be read; write them in the form of: {NEXT} --json") from None
    return checked(_by_kind(found))


def _by_kind(wishes: Wishes) -> Wishes:
    """Return wishes of an older form, where a name was of the best times too, with these as those of a kind."""
    old = {
        action: name for action, name in wishes.named.items() if action not in wishes.goals and action in wishes.best
    }
    kinds = {name: Wishes(best={action: wishes.best[action]}) for action, name in old.items()}
    best = {action: one for action, one in wishes.best.items() if action not in old}
    named = {action: name for action, name in wishes.named.items() if action not in old}
    return replace(wishes, best=best, named=named, kinds={**wishes.kinds, **kinds}) if old else wishes


def _spare_of(value: object) -> Spare:
    found = dict(_object(value))
    return Spare(times=whole(found.pop("times")), hours=_spans(found.pop("hours", [])), **found)


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a name is needed")
    return value


def _terms(wishes: Wishes) -> list[dict[str, Any]]:
    return [{"when": plain_occasion(when), "wishes": plain(one)} for when, one in wishes.terms.items()]


def _term_of(value: object) -> tuple[Occasion, Wishes]:
    found = dict(_object(value))
    if found.keys() != {"when", "wishes"}:
        raise ValueError("an occasion and its wishes are needed")
    return occasion_of(found["when"]), wishes_of(found["wishes"])


def _clock(at: time) -> str:
    return at.isoformat("minutes" if (at.second, at.microsecond) == (0, 0) else "auto")


def _clocks(spans: Sequence[Hours]) -> list[list[str]]:
    return [[_clock(at) for at in span] for span in spans]


def _best(best: Best) -> dict[str, Any]:
    return {"days": sorted(best.days), "hours": _clocks(best.hours)}


def _lengths(wishes: Wishes) -> dict[str, dict[str, int]]:
    given = {a: wishes.lengths[a] for a in ActionType if a in wishes.lengths}
    minutes = {str(a): {"least": one.least, "most": one.most} for a, one in given.items()}
    return {a: {name: value for name, value in one.items() if value is not None} for a, one in minutes.items()}


def _lasts_of(value: object) -> Lasts:
    found = {name: whole(minutes) for name, minutes in _object(value)}
    if not found:
        raise ValueError("a number of minutes is needed")
    return Lasts(**found)


def _barred(wishes: Wishes) -> dict[str, list[dict[str, Any]]]:
    times = {a: wishes.barred[a] for a in ActionType if a in wishes.barred}
    return {str(a): [{"days": sorted(one.days), "hours": _clocks(one.hours)} for one in times[a]] for a in times}


def _barred_of(several: object) -> tuple[Barred, ...]:
    found = tuple(map(_best_of, _list(several)))
    if not 1 <= len(found) <= SPANS_MAX or not all(one.days and one.hours for one in found):
        raise ValueError("hours of days are needed")
    return tuple(Barred(days=one.days, hours=one.hours) for one in found)


def _night(night: NightWish) -> dict[str, Any]:
    times = {name: getattr(night, name) for name in ("bed", "earliest", "up", "late", "other", "rest")}
    days = {name: getattr(night, name) for name in NIGHT_DAYS}
    said = {name: _clock(at) for name, at in times.items() if at is not None}
    minutes = {} if night.minutes is None else {"minutes": night.minutes}
    return {**said, **minutes, **{name: sorted(on) for name, on in days.items() if on}}


def _night_of(value: object) -> NightWish:
    found = dict(_object(value))
    days: dict[str, Any] = {name: frozenset(map(whole, _list(found.pop(name, [])))) for name in NIGHT_DAYS}
    if not frozenset().union(*days.values()) <= frozenset(range(7)):
        raise ValueError("a weekday is 0 to 6")
    minutes = None if (long := found.pop("minutes", None)) is None else whole(long)
    times: dict[str, Any] = {name: time.fromisoformat(at) for name, at in found.items()}
    return NightWish(minutes=minutes, **times, **days)


def _best_of(value: object) -> Best:
    found = dict(_object(value))
    days = frozenset(map(whole, _list(found.get("days", []))))
    if not days <= frozenset(range(7)):
        raise ValueError("a weekday is 0 to 6")
    return Best(days=days, hours=_spans(found.get("hours", [])))


def _spans(spans: object) -> tuple[Hours, ...]:
    return tuple((time.fromisoformat(begin), time.fromisoformat(end)) for begin, end in map(_list, _list(spans)))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return value


def _object(value: object) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise TypeError("an object is needed")
    return list(value.items())


def _instant(value: object) -> datetime:
    at = datetime.fromisoformat(value) if isinstance(value, str) else None
    if at is None or at.tzinfo is None:
        raise ValueError("an instant with a time zone is needed")
    return at


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a number is needed")
    return float(value)
