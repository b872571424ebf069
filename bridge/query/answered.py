"""The answer to a query: its figure, and the figures of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bridge.domain.languages import Text
from bridge.query.model import By, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figure of one group of rows. ``unit`` is None where the group has the unit of the answer."""

    key: str
    value: float | None
    n: int
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a query: its figure ``value``, computed from ``n`` rows, or None with the ``reason`` why there is
    none.

    ``at`` is the date of a lowest, highest, first or last value. ``untold`` says why a value of 0 may only mean that
    data are missing. ``ahead`` is True if the whole span lies in the future.
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
    verdict: Text | None = None  # yes or no, where a plain question asks whether a figure changes
    meant: Text | None = None  # by better, in that question
    ahead: bool = False
    days: tuple[date, date] | None = None  # the first and last of the entry of several days that ``at`` is of
    clock: str | None = None  # at which the first or last entry or workout began
    title: str | None = None  # of the first or last entry, where it may be shown

    @property
    def column(self) -> str:
        """Return the unit of the groups, or for a list of rows the unit of those that have one, such as minutes."""
        units = (group.unit for group in self.groups if group.unit and self.query.by is By.ROW)
        return next(units, self.unit)

    def in_column(self, group: Group) -> float | None:
        """Return a group's figure, or None if it has another unit than the column, as an entry of a whole day."""
        alien = self.query.by is By.ROW and (group.unit or self.unit) != self.column
        return None if alien else group.value
