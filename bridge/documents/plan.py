"""JSON documents of the plan of a date, and blocks of a plan as an iCalendar file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from typing_extensions import TypedDict

from bridge.calendar.days import LASTING
from bridge.calendar.expansion import midnight
from bridge.day.blocks import Block
from bridge.day.plan import DayPlan
from bridge.documents.facts import FactDocument, fact_documents
from bridge.documents.filling import filled
from bridge.domain.languages import Text, date_text, say
from bridge.domain.rendering import Audience, for_person, reasons
from bridge.domain.slots import ZoneHistory, ZoneSpan, local_end, local_time, zone_at
from bridge.domain.titles import advice_title
from bridge.domain.zones import place_of
from bridge.meters.outlook import Expected

OUTLOOK_DIGITS = 3


class RoutineOfDayDocument(TypedDict):
    """The expected wake time on the date and bedtime at its end, as ``HH:MM``, both null if unknown.

    ``work`` holds the working hours as pairs of begin and end.
    """

    bedtime: str | None
    wake: str | None
    work: list[list[str]]


class BlockDocument(TypedDict):
    """A part of the plan, whose ``kind`` is entry, suggested, task, wind_down or sleep.

    ``action`` and ``title`` are null if it has none. ``recommendation_id`` is null except for a suggestion that was
    made, which a preview was not. An all-day entry reaches from midnight to midnight.
    """

    start: str
    end: str
    kind: str
    action: str | None
    title: str | None
    reasons: list[str]
    facts: list[FactDocument]
    recommendation_id: int | None


class ExpectedDocument(TypedDict):
    """A meter's expected level at an instant, from 0 to 1.

    ``low`` and ``high`` are a standard deviation below and above the level, within 0 and 1. ``days`` is the number of
    past days from which the level comes.
    """

    at: str
    meter: str
    level: float
    low: float
    high: float
    days: int
    because: list[str]


class PlanDocument(TypedDict):
    """The plan of a date with its parts in order of time.

    ``changes`` say which suggestions were taken back and why, and ``unmet`` which wishes have no place on the date.
    ``outlook`` holds the expected levels of the meters. It is empty for other dates than tomorrow, and in an illness.
    """

    date: str
    zone: str
    routine: RoutineOfDayDocument
    blocks: list[BlockDocument]
    changes: list[str]
    unmet: list[str]
    outlook: list[ExpectedDocument]


def plan_document(plan: DayPlan, zones: ZoneHistory, audience: Audience = Audience.PERSON) -> PlanDocument:
    """Return the plan of a date as a JSON document for its readers (``audience``), with times in the user's zone."""
    return {
        "date": plan.date.isoformat(),
        "zone": plan.zone,
        "routine": {
            "bedtime": None if plan.bedtime is None else clock(plan.bedtime, zones),
            "wake": None if plan.wake is None else clock(plan.wake, zones),
            "work": [[clock(start, zones), clock(end, zones)] for start, end in plan.work],
        },
        "blocks": [_block(block, zones, audience) for block in plan.blocks],
        "changes": [str(change) for change in reasons(plan.changes, audience)],
        "unmet": [str(reason) for reason in reasons(plan.unmet, audience)],
        "outlook": [_expected(one, zones) for one in plan.outlook],
    }


def _expected(one: Expected, zones: ZoneHistory) -> ExpectedDocument:
    levels = {name: round(getattr(one, name), OUTLOOK_DIGITS) for name in ("level", "low", "high")}
    return filled(ExpectedDocument, one, at=local_time(one.at, zones).isoformat(), **levels)


def _block(block: Block, zones: ZoneHistory, audience: Audience) -> BlockDocument:
    return filled(
        BlockDocument,
        block,
        start=local_time(block.start, zones).isoformat(),
        end=local_time(block.end, zones).isoformat(),
        title=block.title if audience.reads_titles else None,
        reasons=reasons(block.facts, audience),
        facts=fact_documents(block.facts, audience),
    )


def ends(block: Block, day: date, zones: ZoneHistory) -> tuple[str, str]:
    """Return (start, end) of a block as HH:MM in the user's zone at that time. ``day`` is the plan's date.

    If the block lasts a day or more, both have a weekday, and else a start on an earlier date has one. Such a start is
    in the zone of the day's beginning.
    """
    began = block.start.astimezone(zone_at(max(block.start, midnight(day, zones)), zones))
    over = local_end(began, block.end, zones, lands=block.flight)
    lasts = block.end - block.start >= LASTING
    return _named(began, named=lasts or began.date() < day), _named(over, named=lasts)


def _named(at: datetime, *, named: bool) -> str:
    return date_text(at, "%a %H:%M") if named else f"{at:%H:%M}"


def clock(at: datetime, zones: ZoneHistory) -> str:
    return f"{local_time(at, zones):%H:%M}"


def moved(plan: DayPlan, stay: ZoneSpan, zones: ZoneHistory) -> Text:
    """Return which clock the times of a plan are by from a stay on, with the flight that changes it."""
    is_change, place = stay in zones, place_of(stay.zone)
    change = stay if is_change else next(move for move in plan.moves if move in zones)
    flight = next((block for block in plan.blocks if block.flight and block.end == change.since), None)
    if flight is None:
        cause = say("{place} time from here on: your time zone changes", place=place)
        return cause if is_change else say("{place} time from here on, until your time zone changes", place=place)
    title = flight.title or flight.own_title or say("a flight")
    if is_change:
        return say("{place} time from here on, after {title}", place=place, title=title)
    return say("{place} time from here on, until {title}", place=place, title=title)


ADDED = ("suggested", "task", "wind_down")  # kinds of blocks that a calendar does not hold already


def to_icalendar(blocks: Iterable[Block], now: datetime) -> bytes:
    """Return blocks of a plan as an iCalendar file, written at ``now``. Its entries do not mark the time as busy."""
    from icalendar import Calendar, Event

    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//plan//EN")
    body.add("version", "2.0")
    for block in blocks:
        entry = Event()
        entry.add("uid", f"{block.start:%Y-%m-%d}-{block.kind}-{block.start:%H%M}@rhythm-bridge")
        entry.add("dtstamp", now)
        entry.add("dtstart", block.start)
        entry.add("dtend", block.end)
        entry.add("summary", block.title or name_of(block))
        entry.add("description", "; ".join(for_person(block.facts)))
        entry.add("transp", "TRANSPARENT")
        body.add_component(entry)
    written: bytes = body.to_ical()
    return written


def name_of(block: Block) -> str:
    """Return a block's action in English words, such as "Focused work", or its kind if it has no action."""
    if block.action is None:
        return block.kind.replace("_", " ").capitalize()
    return str(advice_title(block.action, block.kind))
