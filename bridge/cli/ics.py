"""A week as an iCalendar file (RFC 5545): its entries with what each of them is, and the advice that was taken."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from bridge.cli.calendar import title_of
from rhythm_env.interface import Answer, Moment, slot_bounds, zone_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.ports import Recommendation
    from bridge.types import Label, Occurrence
    from bridge.week import Week


def lines(week: Week) -> bytes:
    """The file. Every occurrence is an entry of its own; an entry that several slots show stands there once.

    Categories hold the action; ``X-RHYTHM-PROBABILITY``, ``-BY`` and ``-WHY`` say how it was found. Advice that was
    accepted, or moved to a slot of this week, is a free entry of the length of its slot with ``X-RHYTHM-ADVICE``.
    """
    from icalendar import Calendar

    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//week//EN")
    body.add("version", "2.0")
    shown = {(o.event.calendar, o.key): (o, label) for slot in week.slots for o, label in slot.entries}
    for occurrence, label in shown.values():
        body.add_component(_entry(occurrence, label, week))
    for advice, moment in _taken(week):
        body.add_component(_advice(advice, moment, week))
    found: bytes = body.to_ical()
    return found


def _entry(occurrence: Occurrence, label: Label, week: Week) -> Any:
    event = occurrence.event
    written = _new(f"{event.calendar}/{occurrence.key}", title_of(event), week)
    if event.all_day:
        for name, at in (("dtstart", occurrence.start), ("dtend", occurrence.end)):
            written.add(name, at.astimezone(zone_at(at, week.zones)).date())
    else:
        _put_times(written, occurrence)
    written.add("transp", "OPAQUE" if event.busy else "TRANSPARENT")
    written.add("class", "PRIVATE" if event.private else "PUBLIC")
    if label.action is not None:
        written.add("categories", [str(label.action)])
    written.add("x-rhythm-probability", f"{label.confidence:.3f}")
    written.add("x-rhythm-by", label.by)
    written.add("x-rhythm-why", label.why)
    return written


def _put_times(written: Any, occurrence: Occurrence) -> None:
    written.add("dtstart", occurrence.start)
    if occurrence.end > occurrence.start:  # an end must be later (3.6.1); without one it is an instant
        written.add("dtend", occurrence.end)


def _taken(week: Week) -> Iterator[tuple[Recommendation, Moment]]:
    """Accepted advice in its slot, and advice that was moved, in the slot it was moved to."""
    for slot in week.slots:
        moment = slot.facts.moment
        for advice in slot.advice:
            accepted = advice.answer is Answer.ACCEPT and advice.moment == moment
            if accepted or (advice.answer is Answer.RESCHEDULE and advice.moved_to == moment):
                yield advice, moment


def _advice(advice: Recommendation, moment: Moment, week: Week) -> Any:
    written = _new(f"advice/{advice.id}", f"{advice.action} (advised)", week)
    for name, at in zip(("dtstart", "dtend"), slot_bounds(moment, week.zones), strict=True):
        written.add(name, at)
    written.add("transp", "TRANSPARENT")
    written.add("categories", [str(advice.action), "ADVICE"])
    written.add("x-rhythm-advice", str(advice.answer))
    written.add("x-rhythm-by", advice.policy)
    return written


def _new(key: str, title: str, week: Week) -> Any:
    from icalendar import Event

    written = Event()
    # A hash: a calendar's name may be an address, and no key may tell whose it is.
    written.add("uid", f"{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}@rhythm-bridge")
    written.add("dtstamp", week.at)
    written.add("summary", title)
    return written
