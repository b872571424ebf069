"""A user's week as 28 slots, each with its calendar entries, labels, recommendations and calendar facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge import registry
from bridge.advice.labels import labelled
from bridge.calendar.expansion import midnight
from bridge.calendar.facts import SlotFacts, deadline_pressure, week_facts
from bridge.day.outcomes import with_task
from bridge.domain.errors import SetupError
from bridge.domain.records import Recommendation, User
from bridge.domain.slots import Moment, ZoneHistory, moment_of, slot_start, today_at
from bridge.domain.types import Label, Occurrence, Task

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store

A_WEEK = timedelta(days=7)
YEARS = range(1970, 2200)  # accepted in dates

Entry = tuple[Occurrence, Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekSlot:
    """A slot with the entries that overlap it, the all-day entries of its date, and its recommendations."""

    facts: SlotFacts
    entries: tuple[Entry, ...]
    advice: tuple[Recommendation, ...]  # made for this slot, or rescheduled to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """A week of a user with labelled entries and open tasks, as known at ``at``.

    ``calendar`` is False if no calendar was ever read, so that the week is not free but unknown.
    """

    monday: date
    at: datetime
    zones: ZoneHistory
    calendar: bool
    entries: Sequence[Entry]
    slots: tuple[WeekSlot, ...]
    pressure: float | None  # deadline pressure at ``at``
    tasks: tuple[Task, ...] = ()

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        return self.slots[0].facts.start, self.slots[-1].facts.end


def monday_of(text: str | None, now: datetime, zones: ZoneHistory) -> date:
    """Return the Monday of a week such as ``2026-W47``, of the week of a date, or of this week for None.

    Raises SetupError for any other text.
    """
    if text is None:
        return today_at(now, zones) - timedelta(days=today_at(now, zones).weekday())
    try:
        day = date.fromisoformat(text.strip().upper())
    except ValueError:
        day = date.min
    if day.year not in YEARS:
        raise SetupError(
            f"{text!r} is not a week from 1970 to 2199; write it like 2026-W47, or a date in it like 2026-11-20"
        )
    return day - timedelta(days=day.weekday())


def load_week(bridge: Bridge, user: User, monday: date, *, at: datetime) -> Week:
    """Return the week that begins on ``monday``, with entries and tasks as known at ``at``."""
    start, end = (slot_start(moment_of(day, 0), user.zones) for day in (monday, monday + A_WEEK))
    entries = labelled(bridge, user, start - A_WEEK, end, at=at)
    tasks = [task for _, task in bridge.store.reading.tasks(user.id, at=at)]
    given = bridge.store.recommendations.between(user.id, since=start - A_WEEK, until=end)
    advice = [one for one in given if with_task(one, tasks) is one]  # a task that is done is over
    facts = week_facts(entries, tasks, monday, user.zones)
    return Week(
        monday=monday,
        at=at,
        zones=user.zones,
        calendar=is_known(bridge.store, user, entries),
        entries=entries,
        slots=tuple(slot_of(fact, entries, advice, user.zones) for fact in facts),
        pressure=deadline_pressure(tasks, at, user.zones),
        tasks=tuple(sorted((one for one in tasks if _is_open(one)), key=lambda one: (one.due or date.max, one.key))),
    )


def _is_open(task: Task) -> bool:
    return task.completed is None and bool(task.title)


def is_known(store: Store, user: User, entries: Sequence[Entry]) -> bool:
    """Return True if there are ``entries`` or a calendar was read, so that a time without entries is free."""
    read = (one.source for one in store.connections.of_user(user.id) if one.last_success is not None)
    installed = registry.names("connectors")
    return bool(entries) or any(s in installed and "events" in registry.spec(s).delivers for s in read)


def slot_of(
    facts: SlotFacts, entries: Sequence[Entry], advice: Sequence[Recommendation], zones: ZoneHistory
) -> WeekSlot:
    """Return a slot with the entries that overlap it and the recommendations made for it or moved to it."""
    return WeekSlot(
        facts=facts,
        entries=tuple(entry for entry in entries if _stands_in(entry[0], facts, zones)),
        advice=of_moment(advice, facts.moment),
    )


def of_moment(advice: Sequence[Recommendation], moment: Moment) -> tuple[Recommendation, ...]:
    return tuple(one for one in advice if moment in (one.moment, one.moved_to))


def _stands_in(occurrence: Occurrence, facts: SlotFacts, zones: ZoneHistory) -> bool:
    start, end = facts.start, facts.end
    if occurrence.event.all_day:
        start, end = (midnight(facts.moment.date + timedelta(days=k), zones) for k in (0, 1))
    return occurrence.start < end and (occurrence.end > start or occurrence.start == occurrence.end == start)


def is_moved(advice: Recommendation, to: Moment) -> bool:
    """Return True if the user rescheduled the recommendation from another slot to the slot ``to``."""
    return advice.moved_to == to and advice.moment != to
