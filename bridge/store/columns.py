"""Convert dataclasses to database rows and back, by the types of their fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar, get_origin

import sqlalchemy as sa

from bridge.domain import languages
from bridge.domain.facts import Fact, fact, prose
from bridge.domain.slots import Moment, moment_of
from bridge.store.tables import hints_of, names_of

SAID_BEFORE = "you said so"  # the evidence of a user's own word, as releases kept it that stored texts
Record = TypeVar("Record")


def facts_json(facts: Iterable[Fact]) -> str:
    """Return facts (reasons for advice, as data) as JSON text for a column."""
    return _json([one.to_json() for one in facts])


def fact_of(body: Any) -> Fact:
    """Return a fact (a reason for advice, as data) from its JSON value, which may be text of an earlier release."""
    if isinstance(body, dict) and "kind" in body:
        return Fact.from_json(body)
    return fact("said") if body == SAID_BEFORE else prose(languages.packed(languages.text_of(body)) or "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


Forms = tuple[Callable[[Any], Any], Callable[[Any], Any]]  # what reads a column's value, and what writes a field's
FACT_FORMS: Mapping[Any, Forms] = {
    tuple[Fact, ...]: (lambda kept: tuple(map(fact_of, json.loads(kept))), facts_json),
    Mapping[str, Fact]: (
        lambda kept: {name: fact_of(body) for name, body in json.loads(kept).items()},
        lambda facts: _json({name: one.to_json() for name, one in facts.items()}),
    ),
}
FORMS: Mapping[Any, Forms] = {  # of JSON text, by the types of fields; any other field stands as it is
    **FACT_FORMS,
    Mapping[str, float]: (json.loads, _json),
    Mapping[str, Any]: (json.loads, _json),
    tuple[float, float, float]: (lambda kept: tuple(json.loads(kept)), _json),
}
PLAIN: Forms = (lambda kept: kept, lambda value: value)


def _forms(hint: Any) -> Forms:
    return (hint, str) if isinstance(hint, type) and issubclass(hint, StrEnum) else FORMS.get(hint, PLAIN)


def values_of(record: Any) -> dict[str, Any]:
    """Return column -> value of a dataclass. A slot (``Moment``) takes two columns, and facts are JSON text."""
    values: dict[str, Any] = {}
    for field, hint in hints_of(type(record)).items():
        value = getattr(record, field)
        if hint is Moment:
            values |= zip(names_of(field), (None, None) if value is None else (value.week, value.timestep), strict=True)
        else:
            values[names_of(field)[0]] = None if value is None else _forms(hint)[1](value)
    return values


def reading(record: type[Record], table: sa.Table) -> tuple[sa.Select[Any], Callable[[Sequence[Any]], Record]]:
    """Return (query for the columns of a dataclass, function that makes the dataclass from a result row).

    A null gives the field's default.
    """
    columns, plan, slots = list[sa.Column[Any]](), list[tuple[str, int, Any]](), list[tuple[str, int]]()
    for field, hint in hints_of(record).items():
        if hint is Moment:
            slots.append((field, len(columns)))
        else:
            plan.append((field, len(columns), None if _forms(hint) is PLAIN else _forms(hint)[0]))
        columns += [table.c[name] for name in names_of(field)]

    def read(row: Sequence[Any]) -> Record:
        values = {
            field: value if form is None else form(value)
            for field, place, form in plan
            if (value := row[place]) is not None
        }
        values |= {field: moment_of(week, row[at + 1]) for field, at in slots if (week := row[at]) is not None}
        return record(**values)

    return sa.select(*columns), read


def json_columns(record: type) -> dict[str, type]:
    """Return column -> list or dict, for the columns of a dataclass that are stored as JSON."""
    kept = {names_of(field)[0]: get_origin(hint) for field, hint in hints_of(record).items() if hint in FORMS}
    return {name: list if kind is tuple else dict for name, kind in kept.items()}


def facts_anew(record: type, row: Mapping[str, Any]) -> dict[str, str]:
    """Return column -> facts (reasons for advice) as JSON in the current format, for a row of an older release."""
    forms = {names_of(field)[0]: FACT_FORMS.get(hint) for field, hint in hints_of(record).items()}
    return {name: form[1](form[0](row[name])) for name, form in forms.items() if form and row[name] is not None}
