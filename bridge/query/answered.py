"""The answer to a query: its figure, and the figures of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bridge.domain.languages import Text
from bridge.query.model import By, Query


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
    ``untold`` says why a value of 0 tells nothing. ``ahead`` is True where the whole span is still to come.
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
    read_as: Text | None = None  # how a plain question was read: by which language model, or with which slips mended
    untold: Text | None = None
    ahead: bool = False
    days: tuple[date, date] | None = None  # the first and last of the entry of several days that ``at`` is of

    @property
    def column(self) -> str:
        """Return the unit of the groups. Row by row it is the unit of the rows that have one, such as minutes."""
        units = (one.unit for one in self.groups if one.unit and self.query.by is By.ROW)
        return next(units, self.unit)

    def in_column(self, group: Group) -> float | None:
        """Return a group's figure, or None where it has none in the unit of the others, as an entry of a whole day."""
        alien = self.query.by is By.ROW and (group.unit or self.unit) != self.column
        return None if alien else group.value
