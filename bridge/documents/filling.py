"""Fill a JSON document from a record whose fields have the same names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any, TypeVar, cast

Document = TypeVar("Document")


def filled(document: type[Document], record: object, **more: Any) -> Document:
    """Return a document: each key's value in ``more``, else the record's of that name, in ISO 8601 where it is a time.

    >>> from bridge.documents.meters import StateDocument
    >>> from rhythm_env.interface import MeterState
    >>> filled(StateDocument, MeterState(level=0.7, sd=0.2, coverage=0.5), coverage=1.0)
    {'level': 0.7, 'sd': 0.2, 'coverage': 1.0}
    """
    keys = document.__annotations__
    return cast("Document", {key: more[key] if key in more else _plain(getattr(record, key)) for key in keys})


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return dict(value) if isinstance(value, Mapping) else value
