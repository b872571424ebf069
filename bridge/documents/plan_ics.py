"""Write blocks of a plan as an iCalendar file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.planning.day_plan import Block

ADDED = ("suggested", "task", "wind_down")  # kinds of blocks that a calendar does not hold already


def to_icalendar(blocks: Iterable[Block], now: datetime) -> bytes:
    """Return blocks of a plan as the content of an iCalendar file, written at ``now``.

    Its entries count as free time, not as busy. A block's entry keeps its UID as long as kind and start stay.
    """
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
        entry.add("description", "; ".join(block.reasons))
        entry.add("transp", "TRANSPARENT")
        body.add_component(entry)
    written: bytes = body.to_ical()
    return written


def name_of(block: Block) -> str:
    """Return a block's action in words, e.g. "Deep work", or its kind if it has no action."""
    return (block.kind if block.action is None else str(block.action)).replace("_", " ").capitalize()
