"""The answer to a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bridge.domain.languages import Text
from bridge.query.model import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figure of the rows with the same key. ``unit`` is its own, or None for that of the answer."""

    key: str
    value: float | None
    n: int
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The figure of a query, with the number of rows that it rests on (``n``).

    ``at`` is the date of a lowest, highest, first or last value. ``value`` is None where ``reason`` says why.
    """

    query: Query
    value: float | None
    unit: str
    n: int
    at: date | None = None
    groups: tuple[Group, ...] = ()
    interval: tuple[float, float] | None = None
    reason: Text | None = None
    also: tuple[Answer, ...] = ()  # to the other questions that were asked at once
    translated_by: str | None = None  # the language model that read the query in a plain question
