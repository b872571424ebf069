"""Check the rows of an export before import, and convert their values for the tables.

A value that the store cannot have written raises one of the errors in ``UNREADABLE``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.records import FILE_STREAMS, SEND_STATES, FullRecommendation, levels_of
from bridge.domain.rendering import Audience, rendered
from bridge.domain.samples import set_apart
from bridge.domain.types import Event, Item, Sample, Task
from bridge.domain.wish_records import plain, wishes_of
from bridge.store import codec, rows, tables
from bridge.store.columns import facts_anew, json_columns
from bridge.store.people import check_zone
from bridge.store.preferences import preferences_of
from rhythm_env.interface import OBSERVATION_VERSION, ActionType, Belief, observation_from_json

YEARS = range(1900, 2200)  # as of the events of a calendar
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, SetupError)
DEPTH_MAX = 200  # of JSON, which is read again and again
OFFSET_MAX = 15 * 60  # minutes
TIMESTEPS = range(28)
KINDS = (None, "suggested", "keep", "sleep")  # of recommendations
TRUE, FALSE = (True, "True", "true", 1, "1"), (False, "False", "false", 0, "0")
PAYLOADS = {"payload": dict, "pieces": list}  # columns that are kept compressed
JSON_TEXTS: Mapping[str, Mapping[str, type]] = {  # table -> columns of JSON text, with their type
    "connections": {"not_permitted": list},
    "priors": {"body": dict},
    "recommendations": json_columns(FullRecommendation),
}
Row = dict[str, Any]
SomeItem = TypeVar("SomeItem", bound=Item)
HINTS = {kind: get_type_hints(kind) for kind in codec.KIND_OF_CLASS}


class Unfit(ValueError):
    """The error for a value of an export that the store cannot have written. Its text does not quote the value."""


def told(error: Exception) -> str:
    """Return the text of an error about a value that cannot be read, without the value unless it is a zone's name."""
    if isinstance(error, Unfit | SetupError):
        return str(error)
    return "no value, or one that refers to no row" if isinstance(error, KeyError) else "no readable value"


def value_of(column: sa.Column[Any], value: Any) -> Any:
    """Return a value for a column, converted from a JSON value or from the text of a CSV file.

    Raises one of ``UNREADABLE`` if it does not fit.
    """
    kind = column.type
    if isinstance(kind, tables.Instant):
        return _instant(text_of(value))
    if isinstance(kind, sa.Date):
        return _day(text_of(value))
    if isinstance(kind, sa.LargeBinary):
        packs = PAYLOADS.get(column.name)
        return bytes.fromhex(text_of(value)) if packs is None else codec.packed(parsed(text_of(value), packs))
    if isinstance(kind, sa.Boolean):
        return _boolean(value)
    if isinstance(kind, sa.Integer):
        return whole(value, 15 if isinstance(kind, sa.SmallInteger) else 63 if kind is tables.ID else 31)
    if isinstance(kind, sa.Float):
        return _finite(value)
    form = JSON_TEXTS.get(column.table.fullname, {}).get(column.name)
    if form is not None:
        parsed(text_of(value), form, finite=True)
    return text_of(value)


def text_of(value: Any) -> str:
    """Return a text unchanged. Raises Unfit for another type and for NUL, which PostgreSQL refuses."""
    if not isinstance(value, str) or "\0" in value:
        raise Unfit("no text")
    value.encode()  # a lone surrogate is a ValueError
    return value


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None or at.year not in YEARS:
        raise Unfit(f"no instant with a time zone in the years {YEARS[0]} to {YEARS[-1]}")
    return at.astimezone(UTC)


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if day.year not in YEARS:
        raise Unfit(f"no day in the years {YEARS[0]} to {YEARS[-1]}")
    return day


def _boolean(value: Any) -> bool:
    if value not in (*TRUE, *FALSE):
        raise Unfit("neither true nor false")
    return value in TRUE


def whole(value: Any, bits: int = 63) -> int:
    """Return a whole number of at most ``bits`` bits and a sign. Raises Unfit for any other value."""
    if isinstance(value, float) and value.is_integer():  # Parquet keeps a column with gaps so
        value = int(value)
    found = value if isinstance(value, int) else int(text_of(value))
    if isinstance(value, bool) or not -(2**bits) <= found < 2**bits:
        raise Unfit("no whole number of that size")
    return found


def _finite(value: Any) -> float:
    found = float(value if isinstance(value, int | float) else text_of(value))
    if isinstance(value, bool) or not math.isfinite(found):
        raise Unfit("no finite number")
    return found


def parsed(text: str, form: type, *, finite: bool = False) -> Any:
    """Return the value of a JSON text. Raises Unfit unless it has the type ``form`` and limited nesting.

    With ``finite``, NaN and infinity are refused as well.
    """
    try:
        found = json.loads(text, parse_constant=_refuse_constant if finite else None)
    except RecursionError:
        raise Unfit("JSON nested too deep") from None
    if not isinstance(found, form) or _depth(found) > DEPTH_MAX:
        raise Unfit("JSON of another form, or nested too deep")
    return found


def _refuse_constant(_name: str) -> None:
    raise Unfit("no finite number")


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level:
        depth += 1
        level = [inner for one in level for inner in _inside(one)]
    return depth


def _inside(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (one for one in inner if isinstance(one, dict | list))


def derived(table: sa.Table, values: Row) -> Row:
    """Check that the values of an exported row agree, and return column -> value for columns that exports omit.

    Raises ValueError, KeyError, TypeError or SetupError for a row that the store could not read later.
    """
    check = CHECKS.get(table.name)
    return {} if check is None else check(values)


def _zone(values: Row) -> Row:
    check_zone(values["zone"])
    return {}


def _item(kind: str) -> Callable[[Row], Row]:
    def check(values: Row) -> Row:
        item = item_of(kind, values["body"])
        if isinstance(item, Sample) or item.key != values["key"]:
            raise Unfit("another key in its body")
        return rows.columns(item)

    return check


def item_of(kind: str, body: str) -> Item:
    """Return an item from its JSON text, as ``decode`` does, after checking the type of every value."""
    parsed(body, dict, finite=True)
    return _checked(codec.decode(kind, body))


def _checked(item: SomeItem) -> SomeItem:
    if wrong := [name for name, hint in HINTS[type(item)].items() if not _fits(getattr(item, name), hint)]:
        raise Unfit(f"no readable {wrong[0]}")
    _check_truth(item)
    return item


def _check_truth(item: Item) -> None:
    if not isinstance(item, Event | Task) and not -OFFSET_MAX <= (item.offset or 0) <= OFFSET_MAX:
        raise Unfit("no offset of a clock")
    if why := set_apart([item])[1]:
        raise Unfit(f"a value that cannot be true: {why[0]}")


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(one, inner[0]) for one in value)
    if origin is not None:
        return isinstance(value, Mapping) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    if hint in (datetime, date):
        return type(value) is hint and value.year in YEARS
    return value is None if hint is NoneType else type(value) is hint


def _sample(values: Row) -> Row:
    if not (values["device"] is None or isinstance(values["device"], str)):
        raise Unfit("device: no text")
    _check_truth(Sample(**{name: values[name] for name in HINTS[Sample]}))
    return {}


def _revision(values: Row) -> Row:
    item_of(values["kind"], values["body"])
    return {}


def _correction(values: Row) -> Row:
    if values["action"] is not None:
        ActionType(values["action"])
    return {}


def _slot(values: Row, week: str = "week", timestep: str = "timestep") -> Row:
    if values[week] is None and values[timestep] is None:
        return {}
    if values[timestep] not in TIMESTEPS or values[week].weekday() != 0:
        raise Unfit("no slot of a week")
    return {}


def _recommendation(values: Row) -> Row:
    _slot(values)
    _slot(values, "moved_week", "moved_timestep")
    if values["kind"] not in KINDS:
        raise Unfit("no known kind")
    observation = json.loads(values["observation"])
    if observation.get("version") == OBSERVATION_VERSION:
        observation_from_json(observation)
    return {"levels": json.dumps(levels_of(observation)), **facts_anew(FullRecommendation, values)}


def check_recommendation(read: FullRecommendation) -> None:
    """Raise ValueError or TypeError for a recommendation with values of a wrong type."""
    numbers = (*read.belief.values(), *read.scores.values(), *read.probabilities.values(), *(read.belief_sd or ()))
    if not all(type(number) in (int, float) for number in numbers):
        raise Unfit("no finite number")
    for action in (*read.scores, *read.probabilities, *read.withheld):
        ActionType(action)
    Belief(**read.belief)
    for fact in (*read.facts, *read.evidence, *read.withheld.values()):
        if not all(type(part.weight) in (int, float) for part in fact.parts()):
            raise Unfit("no finite number")
        for audience in Audience:
            rendered(fact, audience)


def _notification(values: Row) -> Row:
    if values["state"] not in SEND_STATES:
        raise Unfit("no known state")
    return {}


def _prior(values: Row) -> Row:
    through = json.loads(values["body"]).get("through")
    if through is not None:
        _instant(text_of(through))
    return {}


def _cursor(values: Row) -> Row:
    if values["stream"] in FILE_STREAMS:
        parsed(values["cursor"], dict, finite=True)
    return {}


def _silence(values: Row) -> Row:
    if not 0 <= values["probability"] <= 1:
        raise Unfit("no probability")
    return _slot(values)


CHECKS: Mapping[str, Callable[[Row], Row]] = {
    "zones": _zone,
    "cursors": _cursor,
    "priors": _prior,
    "samples": _sample,
    **{f"{kind}s": _item(kind) for kind in ("episode", "event", "task")},
    "revisions": _revision,
    "corrections": _correction,
    "recommendations": _recommendation,
    "notifications": _notification,
    "silences": _silence,
    "wishes": lambda values: {"body": json.dumps(plain(wishes_of(parsed(values["body"], dict))))},
    "preferences": lambda values: {"body": preferences_of(values["body"]).body},
}
