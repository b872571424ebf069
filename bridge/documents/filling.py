"""Fill a JSON document from a record whose fields have the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from inspect import get_annotations
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from typing_extensions import TypedDict, get_type_hints

from bridge.domain.facts import Fact
from bridge.domain.records import Told
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneHistory, local_time

Document = TypeVar("Document")


def of_record(record: type, *, or_none: bool = False) -> Callable[[type[Document]], type[Document]]:
    """Return a decorator that adds a key to a document for each field of ``record`` that has a description.

    Such a field's type is annotated with ``Told``. With ``or_none``, every value but a list may be null. Type checkers
    see only the document's own keys.
    """

    def of(document: type[Document]) -> type[Document]:
        hints = get_type_hints(record, include_extras=True)
        names = [name for kind in record.__mro__ for name in get_annotations(kind)]
        keys = {
            name: Annotated[_json_type(hints[name].__origin__, or_none=or_none), meaning]
            for name in names
            if (meaning := told_of(hints[name])) is not None
        }
        whole = TypedDict(document.__name__, keys | get_type_hints(document))  # type: ignore[misc]
        whole.__doc__, whole.__module__ = document.__doc__, document.__module__
        return cast("type[Document]", whole)

    return of


def told_of(hint: Any) -> Told | None:
    """Return the description in a field's type (``Told``), or None for a field that documents leave out."""
    return next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Told)), None)


def _json_type(hint: Any, *, or_none: bool) -> Any:
    if hint == tuple[Fact, ...]:
        return list[str]
    if get_origin(hint) is Mapping:
        return dict[str, get_args(hint)[1]]  # type: ignore[misc]
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    texts = (str if isinstance(kind, type) and issubclass(kind, StrEnum | date) else kind for kind in kinds)
    return Union[(*texts, *((None,) if or_none else ()))]


def filled(document: type[Document], record: object, zones: ZoneHistory | None = None, /, **more: Any) -> Document:
    """Return a document with the values in ``more``, and else with the record's fields of the same names.

    Times become ISO 8601, with ``zones`` in the user's zone and to the second.

    >>> from bridge.documents.meters import StateDocument
    >>> from rhythm_env.interface import MeterState
    >>> filled(StateDocument, MeterState(level=0.7, sd=0.2, coverage=0.5), coverage=1.0)
    {'level': 0.7, 'sd': 0.2, 'coverage': 1.0}
    """
    keys = document.__annotations__
    return cast("Document", {key: more[key] if key in more else _plain(getattr(record, key), zones) for key in keys})


def _plain(value: Any, zones: ZoneHistory | None) -> Any:
    if isinstance(value, datetime) and zones:
        return local_time(value, zones).isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple):
        return for_person(value) if isinstance(next(iter(value), None), Fact) else [_plain(one, zones) for one in value]
    return dict(value) if isinstance(value, Mapping) else value
