"""JSON documents of weeks as 28 slots, of the events of a day, and of the labels of titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from bridge.calendar.flights import is_journey
from bridge.documents.filling import filled
from bridge.documents.text import title_of, writable
from bridge.domain.languages import _, many
from bridge.domain.slots import MINUTE, local_end, local_time, zone_at
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from bridge.advice.week import Week, WeekSlot
    from bridge.advice.whose import CalendarUse, Doubt
    from bridge.calendar.busy import Stretch
    from bridge.calendar.facts import SlotFacts
    from bridge.calendar.ownership import Mark
    from bridge.domain.records import Recommendation
    from bridge.domain.slots import ZoneHistory
    from bridge.domain.types import Label, Occurrence


class LabelDocument(TypedDict):
    """A classifier's label of a title, the action (null for no activity) with its probability and reason (``why``).

    ``runner_up`` is the second most likely action or null, and ``by`` names the classifier.
    """

    title: str
    action: str | None
    probability: float
    runner_up: str | None
    by: str
    why: str


def label_document(title: str, label: Label) -> LabelDocument:
    return filled(LabelDocument, label, title=title, probability=label.confidence)


# "from" cannot be written as an attribute of a class
TodayEventDocument = TypedDict(
    "TodayEventDocument",
    {
        "event": str,
        "from": str,
        "to": str,
        "title": str,
        "action": str | None,
        "confidence": float,
        "by": str,
        "why": str,
    },
)


def today_event_document(occurrence: Occurrence, label: Label, zones: ZoneHistory) -> TodayEventDocument:
    """Return an event of a day with its label as a JSON document, with times as HH:MM on the user's clock."""
    start = local_time(occurrence.start, zones)
    end = local_end(start, occurrence.end, zones, lands=is_journey(occurrence))
    return {
        "event": occurrence.event.key,
        "from": "all day" if occurrence.event.all_day else f"{start:%H:%M}",
        "to": "" if occurrence.event.all_day else f"{end:%H:%M}",
        "title": title_of(occurrence.event),
        "action": str(label.action) if label.action else None,
        "confidence": round(label.confidence, 2),
        "by": label.by,
        "why": label.why,
    }


class StretchDocument(TypedDict):
    """The start and end of a time, in ISO 8601 in the user's time zone."""

    start: str
    end: str


class SlotEventDocument(StretchDocument, LabelDocument):
    """An event of a slot with its label.

    ``start`` and ``end`` are those of the whole event. ``minutes`` is the length of its part within the slot. ``event``
    is its key, to be used in corrections.
    """

    event: str
    minutes: float
    all_day: bool
    busy: bool
    meeting: bool


class SlotAdviceDocument(TypedDict):
    """A recommendation made for a slot, or moved to it.

    ``answer`` is null while the user has not answered. ``moved_here`` is true if the user moved it to this slot.
    """

    id: int
    action: str
    answer: str | None
    moved_here: bool
    policy: str


class SlotDocument(StretchDocument):
    """A slot (quarter of a day) of a week, with its events and recommendations.

    ``timestep`` counts the slots of the week from 0, ``day`` 0 is Monday, and ``slot`` 0 the morning. ``busy`` is the
    occupied share of the slot, and ``planned`` maps an action to its share. Both are null without a calendar.
    """

    timestep: int
    day: int
    slot: int
    date: str
    hours: float
    busy: float | None
    planned: dict[str, float] | None
    facts: dict[str, Any]
    events: list[SlotEventDocument]
    advice: list[SlotAdviceDocument]


class WeekDocument(StretchDocument):
    """A week of 28 slots as known ``at`` an instant. ``calendar`` is false if no calendar was ever read."""

    week: str
    zone: str
    at: str
    calendar: bool
    facts: dict[str, Any]
    slots: list[SlotDocument]


def week_document(week: Week) -> WeekDocument:
    """Return a week as a JSON document. Times are in the user's zone, and shares are of the slot's length.

    If no calendar was ever read, everything that depends on it is null instead of 0.
    """
    year, number, _ = week.monday.isocalendar()
    start, end = week.bounds
    return {
        "week": f"{year}-W{number:02}",
        "start": local_time(start, week.zones).isoformat(),
        "end": local_time(end, week.zones).isoformat(),
        "zone": zone_at(start, week.zones).key,
        "at": local_time(week.at, week.zones).isoformat(),
        "calendar": week.calendar,
        "facts": week_facts(week),
        "slots": [_slot(slot, week) for slot in week.slots],
    }


def week_facts(week: Week) -> dict[str, Any]:
    """Return figures of a whole week. Without a calendar all but the deadline pressure are null."""
    from bridge.calendar.busy import density
    from bridge.calendar.meetings import back_to_back, meeting_density, short_gaps
    from bridge.calendar.plans import focus_minutes, social_events

    start, end = week.bounds
    occurrences = [occurrence for occurrence, _ in week.entries]
    facts: dict[str, Any] = {
        "busy": density(occurrences, start, end),
        "meeting_density": meeting_density(occurrences, start, end),
        "back_to_back": back_to_back(occurrences, start, end),
        "short_gaps": len(short_gaps(occurrences, start, end)),
        "focus_minutes": focus_minutes(week.entries, start, end),
        "social_events_7d": len(social_events(week.entries, end)),
    }
    return _if_known(facts, week) | {"deadline_pressure": week.pressure}


def describe_facts(slot: WeekSlot) -> str:
    facts = slot.facts
    parts = (
        _("{minutes:.0f} min focus", minutes=facts.focus_minutes) if facts.focus else "",
        _("{count} in a row", count=facts.back_to_back) if facts.back_to_back else "",
        many("{count} short gap", "{count} short gaps", facts.short_gaps) if facts.short_gaps else "",
    )
    return ", ".join(part for part in parts if part)


class CalendarUseDocument(TypedDict):
    """A calendar of a source, with the number of its entries within half a year, and up to three titles.

    ``used`` is true if its entries count.
    """

    name: str
    source: str
    used: bool
    entries: int
    titles: list[str]


class MarkDocument(TypedDict):
    """The user's statement whose an entry is, with ``whose`` as ``mine``, ``not-mine`` or ``no-time``.

    ``event`` is the entry's key. With ``series`` it holds for the whole series, with ``like`` for all entries with the
    same ``name`` or words. ``since`` is its date, null for old statements and for one that was taken back.
    """

    event: str
    title: str | None
    whose: str
    series: bool
    like: bool
    name: str | None
    since: date | None


class DoubtDocument(TypedDict):
    """An entry that the bridge asks about, as to whose it is. ``entries`` counts those with equal ``name`` or words."""

    event: str
    title: str
    name: str | None
    entries: int


class MarksDocument(TypedDict):
    """The user's statements whose entries are, newest first, and the entries about which the bridge asks that."""

    marks: list[MarkDocument]
    asked: list[DoubtDocument]


def calendar_use_document(one: CalendarUse) -> CalendarUseDocument:
    titles = [writable(title) for title in one.titles]
    return {"name": one.name, "source": one.source, "used": one.used, "entries": one.entries, "titles": titles}


def marks_document(marks: Sequence[Mark], doubts: Sequence[Doubt]) -> MarksDocument:
    return {"marks": [mark_document(mark) for mark in reversed(marks)], "asked": [_doubt(doubt) for doubt in doubts]}


def mark_document(one: Mark) -> MarkDocument:
    title = None if one.title is None else writable(one.title)
    return filled(MarkDocument, one, event=one.key, title=title, since=one.said)


def _doubt(one: Doubt) -> DoubtDocument:
    return {"event": one.key, "title": writable(one.title), "name": one.name, "entries": one.entries}


def _slot(slot: WeekSlot, week: Week) -> SlotDocument:
    facts, moment = slot.facts, slot.facts.moment
    shares = {str(action): facts.planned.get(action, 0.0) for action in ActionType}
    return {
        "timestep": moment.timestep,
        "day": moment.day,
        "slot": int(moment.slot),
        "date": moment.date.isoformat(),
        "start": local_time(facts.start, week.zones).isoformat(),
        "end": local_time(facts.end, week.zones).isoformat(),
        "hours": (facts.end - facts.start) / timedelta(hours=1),
        "busy": facts.busy if week.calendar else None,
        "planned": shares if week.calendar else None,
        "facts": _if_known(_facts(facts, week.zones), week) | {"deadline_pressure": facts.pressure},
        "events": [_event(occurrence, label, facts, week.zones) for occurrence, label in slot.entries],
        "advice": [_advice(one, slot) for one in slot.advice],
    }


def _if_known(facts: Mapping[str, Any], week: Week) -> dict[str, Any]:
    return dict(facts) if week.calendar else dict.fromkeys(facts)


def _facts(facts: SlotFacts, zones: ZoneHistory) -> dict[str, Any]:
    return {
        "meeting_density": facts.meetings,
        "back_to_back": facts.back_to_back,
        "short_gaps": facts.short_gaps,
        "focus_minutes": facts.focus_minutes,
        "focus_blocks": [_stretch(block, zones) for block in facts.focus],
        "fragmentation": facts.fragmentation,
        "minutes_since_break": facts.unbroken,
        "next_free": None if facts.free is None else _stretch(facts.free, zones),
        "social_events_7d": facts.social,
    }


def _event(occurrence: Occurrence, label: Label, facts: SlotFacts, zones: ZoneHistory) -> SlotEventDocument:
    from bridge.calendar.busy import takes_time
    from bridge.calendar.meetings import is_meeting

    event = occurrence.event
    within = min(occurrence.end, facts.end) - max(occurrence.start, facts.start)
    return {
        "event": event.key,
        **_stretch((occurrence.start, occurrence.end), zones),
        "minutes": max(within / MINUTE, 0.0),
        "all_day": event.all_day,
        "title": title_of(event),
        "busy": takes_time(event),
        "meeting": is_meeting(event),
        **label_document(title_of(event), label),
    }


def _advice(advice: Recommendation, slot: WeekSlot) -> SlotAdviceDocument:
    from bridge.advice.week import is_moved

    return filled(SlotAdviceDocument, advice, moved_here=is_moved(advice, slot.facts.moment))


def _stretch(stretch: Stretch, zones: ZoneHistory) -> StretchDocument:
    return {"start": local_time(stretch[0], zones).isoformat(), "end": local_time(stretch[1], zones).isoformat()}
