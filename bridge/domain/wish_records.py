"""Convert wishes to JSON values and back, for the store and the API.

The conversion follows the type hints, so that a new field of ``Wishes`` needs no code here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from datetime import date, datetime, time
from enum import StrEnum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from bridge.domain.errors import SetupError
from bridge.domain.occasions import WEEKDAYS, Occasion
from bridge.domain.wishes import NEXT, SPANS_MAX, Barred, Best, Lasts, NightWish, Spare, Wishes, checked

ALWAYS: Mapping[type, Collection[str]] = {  # fields that are written although they have their default
    Wishes: {"never", "hours", "goals", "weights", "suggestions"},
    Best: {"days", "hours"},
    Spare: {"hours"},
}


def plain(record: Wishes | Occasion) -> dict[str, Any]:
    """Return wishes, or an occasion, as JSON values.

    Fields with default values are omitted, except those in ``ALWAYS``.
    """
    return _plain_record(record)


def _plain_record(record: Any) -> dict[str, Any]:
    values = {field: getattr(record, field.name) for field in fields(record)}
    always = ALWAYS.get(type(record), ())
    return {one.name: _plain(v) for one, v in values.items() if one.name in always or v != _default(one)}


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _plain(value: Any) -> Any:
    match value:
        case Mapping() if any(isinstance(key, Occasion) for key in value):
            return [{"when": plain(when), "wishes": plain(wishes)} for when, wishes in value.items()]
        case Mapping():
            return {str(key): _plain(value[key]) for key in _ordered(value)}
        case frozenset():
            return [_plain(one) for one in _ordered(value)]
        case tuple():
            return [_plain(one) for one in value]
        case time():
            return value.isoformat("minutes" if (value.second, value.microsecond) == (0, 0) else "auto")
        case date():
            return value.isoformat()
        case StrEnum():
            return str(value)
        case _:
            return _plain_record(value) if is_dataclass(value) else value


def _ordered(keys: Mapping[Any, Any] | frozenset[Any]) -> Collection[Any]:
    kind = type(next(iter(keys), None))
    if issubclass(kind, StrEnum):
        return [key for key in kind if key in keys]
    return sorted(keys) if isinstance(keys, frozenset) else keys


def wishes_of(body: object) -> Wishes:
    """Return wishes from JSON values as ``plain`` writes them. Missing fields get their default.

    Raises SetupError for unknown fields or unreadable values.
    """
    if not isinstance(body, Mapping) or body.keys() - _readers(Wishes).keys():
        raise SetupError(
            "wishes must be an object with never, hours, goals, weights and suggestions, and with no other "
            f"field; see an example: {NEXT} --json"
        )
    try:
        return _read(Wishes, body)  # type: ignore[no-any-return]
    except (KeyError, TypeError, ValueError):  # the first for an unknown field
        raise SetupError(
            f"a field or value of these wishes is unknown; write them as this command prints them: {NEXT} --json"
        ) from None


def _read(kind: type, body: object) -> Any:
    readers, always = _readers(kind), ALWAYS.get(kind, ())
    given = [
        (name, value) for name, value in _object(body) if value is not None or name not in readers or name in always
    ]
    found: Any = kind(**{name: readers[name](value) for name, value in given})
    if kind in (Best, Barred, NightWish):
        named = (getattr(found, name) for name in readers if name.endswith("days"))
        if not all(days <= WEEKDAYS for days in named):
            raise ValueError("a weekday is 0 to 6")
    if kind is Lasts and found == Lasts():
        raise ValueError("a number of minutes is needed")
    return _checked(found) if kind is Wishes else found


def _checked(wishes: Wishes) -> Wishes:
    for several in wishes.barred.values():
        if not 1 <= len(several) <= SPANS_MAX or not all(one.days and one.hours for one in several):
            raise ValueError("hours of days are needed")
    return checked(_by_kind(wishes))


def _by_kind(wishes: Wishes) -> Wishes:
    old = {
        action: name for action, name in wishes.named.items() if action not in wishes.goals and action in wishes.best
    }
    kinds = {name: Wishes(best={action: wishes.best[action]}) for action, name in old.items()}
    best = {action: one for action, one in wishes.best.items() if action not in old}
    named = {action: name for action, name in wishes.named.items() if action not in old}
    return replace(wishes, best=best, named=named, kinds={**wishes.kinds, **kinds}) if old else wishes


Reader = Callable[[Any], Any]


@cache
def _readers(kind: type) -> dict[str, Reader]:
    return {name: _reader(hint) for name, hint in get_type_hints(kind).items()}


@cache
def _reader(hint: Any) -> Reader:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return _reader(next(one for one in inner if one is not NoneType))
    if origin is Mapping and inner[0] is Occasion:
        return lambda value: dict(map(_term, _list(value)))
    if origin is Mapping:
        key_of, value_of = map(_reader, inner)
        return lambda value: {key_of(key): value_of(one) for key, one in _object(value)}
    if origin is tuple and inner[-1] is not Ellipsis:
        parts = tuple(map(_reader, inner))
        return lambda value: tuple(read(part) for read, part in zip(parts, _list(value), strict=True))
    if origin in (tuple, frozenset):
        each = _reader(inner[0])
        return lambda value: origin(map(each, _list(value)))
    return READERS.get(hint) or (partial(_read, hint) if isinstance(hint, type) and is_dataclass(hint) else hint)


def _term(value: object) -> tuple[Occasion, Wishes]:
    found = dict(_object(value))
    if found.keys() != {"when", "wishes"}:
        raise ValueError("an occasion and its wishes are needed")
    return _read(Occasion, found["when"]), _read(Wishes, found["wishes"])


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return value


def _object(value: object) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise TypeError("an object is needed")
    return list(value.items())


def _instant(value: str) -> datetime:
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError("an instant with a time zone is needed")
    return at


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is needed")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a number is needed")
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a whole number is needed")
    return value


READERS: Mapping[Any, Reader] = {
    str: _text,
    int: _whole,
    float: _number,
    time: time.fromisoformat,
    date: date.fromisoformat,
    datetime: _instant,
}
