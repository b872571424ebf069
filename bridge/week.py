"""A person's week as 28 slots: what stands in each, what it is, what was advised, and the facts that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bridge import advise, agenda, registry
from bridge.errors import SetupError
from bridge.ports import EventClassifier, Recommendation, Store, User
from bridge.types import Label, Occurrence
from rhythm_env.interface import Moment, ZoneHistory, moment_at, moment_of, slot_start

A_WEEK = timedelta(days=7)
YEARS = range(1970, 2200)  # that calendars are about

Entry = tuple[Occurrence, Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekSlot:
    """One slot: the entries that touch it, all-day ones of its day among them, and the advice for it."""

    facts: agenda.SlotFacts
    entries: tuple[Entry, ...]
    advice: tuple[Recommendation, ...]  # given for this slot, or moved to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """``calendar`` tells an empty week from a person whose calendar nobody knows; ``entries`` begin a week before."""

    monday: date
    at: datetime
    zones: ZoneHistory
    calendar: bool
    entries: Sequence[Entry]
    slots: tuple[WeekSlot, ...]
    pressure: float | None  # of the deadlines, at ``at``

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        return self.slots[0].facts.start, self.slots[-1].facts.end


def monday_of(text: str | None, now: datetime, zones: ZoneHistory) -> date:
    """The Monday of a week written ``2026-W47``, of the one that holds a date, or (None) of the present one.

    Raises SetupError for any other text.
    """
    if text is None:
        return moment_at(now, zones).week
    try:
        day = date.fromisoformat(text.strip().upper())
    except ValueError:
        day = date.min
    if day.year not in YEARS:
        raise SetupError(f"{text!r} is no week; write it like 2026-W47, or a date in it like 2026-11-20")
    return day - timedelta(days=day.weekday())


def look(store: Store, user: User, classifier: EventClassifier, monday: date, *, at: datetime) -> Week:
    """The week that begins on ``monday``, as it was known at ``at``."""
    start, end = (slot_start(moment_of(day, 0), user.zones) for day in (monday, monday + A_WEEK))
    entries = advise.labelled(store, user, classifier, start - A_WEEK, end, at=at)
    tasks = [task for _, task in store.tasks(user.id, at=at)]
    advice = store.recommendations(user.id, since=start - A_WEEK, until=end)
    facts = agenda.week_facts(entries, tasks, monday, user.zones)
    return Week(
        monday=monday,
        at=at,
        zones=user.zones,
        calendar=is_known(store, user, entries),
        entries=entries,
        slots=tuple(slot_of(one, entries, advice, user.zones) for one in facts),
        pressure=agenda.deadline_pressure(tasks, at, user.zones),
    )


def is_known(store: Store, user: User, entries: Sequence[Entry]) -> bool:
    """Whether there is a calendar that was read: one that is connected may still have anything in it."""
    read = (one.source for one in store.connections(user.id) if one.last_success is not None)
    return bool(entries) or any("events" in registry.spec(source).delivers for source in read)


def slot_of(
    facts: agenda.SlotFacts, entries: Sequence[Entry], advice: Sequence[Recommendation], zones: ZoneHistory
) -> WeekSlot:
    """What of a calendar and of some advice belongs to a slot."""
    return WeekSlot(
        facts=facts,
        entries=tuple(one for one in entries if _stands_in(one[0], facts, zones)),
        advice=tuple(one for one in advice if facts.moment in (one.moment, one.moved_to)),
    )


def _stands_in(occurrence: Occurrence, facts: agenda.SlotFacts, zones: ZoneHistory) -> bool:
    """An all-day entry belongs to the four slots of its dates, any other to the slots it touches."""
    start, end = facts.start, facts.end
    if occurrence.event.all_day:
        start, end = (agenda.midnight(facts.moment.date + timedelta(days=k), zones) for k in (0, 1))
    return occurrence.start < end and (occurrence.end > start or occurrence.start == occurrence.end == start)


def is_moved(advice: Recommendation, to: Moment) -> bool:
    """Whether the advice stands in ``to`` because the person moved it there."""
    return advice.moved_to == to and advice.moment != to
