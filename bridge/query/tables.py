"""The rows that a query rests on: days, nights, workouts, calendar entries and tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from bridge.domain.languages import Text
from bridge.domain.slots import ZoneHistory, ends_shown, local_time

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Row(NamedTuple):
    """A day, night, workout, entry or task with its figures. ``fields`` are those of the stored episode."""

    day: date
    values: Mapping[str, float] = NOTHING
    name: str | None = None  # the sport as the vendor calls it, or the action of an entry
    fields: Mapping[str, Any] = NOTHING
    zones: ZoneHistory = ()
    is_meeting: bool = False
    title: str | None = None  # of an entry or task, where titles may be shown
    entry: tuple[str, date, date] | None = None  # key, first and last day of an entry of several, of which this is one

    @property
    def start(self) -> float:
        """Return the local clock time of the start, in minutes after midnight."""
        return self._clock("start")

    @property
    def end(self) -> float:
        """Return the local clock time of the end, in minutes after midnight."""
        return self._clock("end")

    def _clock(self, name: str) -> float:
        local, offset = local_time(datetime.fromisoformat(self.fields[name]), self.zones), self.fields.get("offset")
        if offset is not None and local.utcoffset() != timedelta(minutes=offset):  # worn in another zone, perhaps
            start, end = (datetime.fromisoformat(self.fields[one]) for one in ("start", "end"))
            local = ends_shown(start, end, self.zones, offset)[name == "end"]
        return local.hour * 60 + local.minute


@dataclass(frozen=True, kw_only=True)
class Tables:
    """All rows that a query needs. ``values`` maps the name of a metric, meter or factor to its values by local day."""

    values: Mapping[str, Mapping[date, float]]
    untold: frozenset[str] = frozenset()  # metrics that no source of the person ever told
    nights: Mapping[date, Row] = field(default_factory=dict)
    workouts: Sequence[Row] = ()
    entries: Sequence[Row] = ()
    tasks: Sequence[Row] = ()
    reason: Text | None = None  # for which nothing is told
    unreached: Text | None = None  # the reason for which no workout or entry of the span can be known
    today: date | None = None
    days: tuple[date, date] | None = None  # from the first day told of to today, where it matters

    def by_day(self, name: str) -> Mapping[date, float]:
        """Return day -> the value of a metric, meter, factor or quotient of two metrics."""
        if name not in self.values and "/" in name:
            one, other = (self.values.get(part, {}) for part in name.split("/"))
            return {day: value / other[day] for day, value in one.items() if other.get(day)}
        return self.values.get(name, {})

    @cached_property
    def planned_on(self) -> Mapping[date, Sequence[Row]]:
        """Return local day -> the entries of it."""
        found: dict[date, list[Row]] = {}
        for row in self.entries:
            found.setdefault(row.day, []).append(row)
        return found
