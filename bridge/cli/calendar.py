"""``bridge calendar``: a week as 28 slots, with what every event is, how that was found, and the facts that follow."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from bridge.cli import options, show
from bridge.errors import SetupError
from rhythm_env.interface import ActionType, ZoneHistory, zone_at

if TYPE_CHECKING:
    from bridge.agenda import SlotFacts, Stretch
    from bridge.ports import Recommendation
    from bridge.types import Event, Label, Occurrence
    from bridge.week import Week, WeekSlot

MINUTE = timedelta(minutes=1)


class BareWeek(TyperCommand):
    """Takes ``--week`` without a value for the present week."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        kept = [
            one
            for one, following in zip(args, [*args[1:], "-"], strict=True)
            if one != "--week" or not following.startswith("-")
        ]
        return super().parse_args(ctx, kept)


def register(app: typer.Typer) -> None:
    app.command(cls=BareWeek)(calendar)


def calendar(
    user: options.User,
    week: Annotated[
        str | None, typer.Option(help="2026-W47, or a date in it; default: this week.", metavar="WEEK|DATE")
    ] = None,
    ics: Annotated[Path | None, typer.Option(help="Write the week into this iCalendar file as well.")] = None,
    json: options.Json = False,
) -> None:
    """Print a week in its 28 slots: events, what each of them is and how that was found, and what follows from them."""
    from bridge import app
    from bridge import week as weeks

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        monday = weeks.monday_of(week, now, person.zones)
        found = weeks.look(bridge.store, person, bridge.classifier, monday, at=now)
    if ics is not None:
        _write(ics, found)
    if json:
        show.document({"user": user, **document(found)})
    else:
        from bridge.cli.week_table import draw

        draw(user, found)


def _write(path: Path, week: Week) -> None:
    from bridge.cli.ics import lines

    try:
        path.write_bytes(lines(week))
    except OSError as error:
        raise SetupError(f"{path} cannot be written ({error.strerror}); give another --ics FILE") from None
    typer.echo(f"written: {path}", err=True)


def document(week: Week) -> dict[str, Any]:
    """A week as ``--json`` prints it. Instants are on the person's clock; shares are of the slot's length.

    Without a calendar what would rest on it is null: an unknown week is not an empty one.
    """
    year, number, _ = week.monday.isocalendar()
    start, end = week.bounds
    return {
        "week": f"{year}-W{number:02}",
        "start": _local(start, week.zones),
        "end": _local(end, week.zones),
        "zone": zone_at(start, week.zones).key,
        "at": _local(week.at, week.zones),
        "calendar": week.calendar,
        "facts": totals(week),
        "slots": [_slot(slot, week) for slot in week.slots],
    }


def totals(week: Week) -> dict[str, Any]:
    """The facts of the whole week; deadlines press as of now."""
    from bridge import agenda

    start, end = week.bounds
    occurrences = [occurrence for occurrence, _ in week.entries]
    known: dict[str, Any] = {
        "busy": agenda.density(occurrences, start, end),
        "meeting_density": agenda.meeting_density(occurrences, start, end),
        "back_to_back": agenda.back_to_back(occurrences, start, end),
        "short_gaps": len(agenda.short_gaps(occurrences, start, end)),
        "focus_minutes": agenda.focus_minutes(week.entries, start, end),
        "social_events_7d": len(agenda.social_events(week.entries, end)),
    }
    return _if_known(known, week) | {"deadline_pressure": week.pressure}


def _slot(slot: WeekSlot, week: Week) -> dict[str, Any]:
    facts, moment = slot.facts, slot.facts.moment
    shares = {str(action): facts.planned.get(action, 0.0) for action in ActionType}
    return {
        "timestep": moment.timestep,
        "day": moment.day,
        "slot": int(moment.slot),
        "date": moment.date.isoformat(),
        "start": _local(facts.start, week.zones),
        "end": _local(facts.end, week.zones),
        "hours": (facts.end - facts.start) / timedelta(hours=1),
        **_if_known({"busy": facts.busy, "planned": shares}, week),
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
        "focus_blocks": [_span(block, zones) for block in facts.focus],
        "fragmentation": facts.fragmentation,
        "minutes_since_break": facts.unbroken,
        "next_free": None if facts.free is None else _span(facts.free, zones),
        "social_events_7d": facts.social,
    }


def _event(occurrence: Occurrence, label: Label, facts: SlotFacts, zones: ZoneHistory) -> dict[str, Any]:
    """``minutes`` are those that lie in the slot; ``event`` is the key ``bridge classify --fix`` takes."""
    from bridge.agenda import is_meeting, takes_time

    event = occurrence.event
    within = min(occurrence.end, facts.end) - max(occurrence.start, facts.start)
    return {
        "event": event.key,
        **_span((occurrence.start, occurrence.end), zones),
        "minutes": max(within / MINUTE, 0.0),
        "all_day": event.all_day,
        "title": title_of(event),
        "busy": takes_time(event),
        "meeting": is_meeting(event),
        "action": str(label.action) if label.action else None,
        "probability": label.confidence,
        "runner_up": str(label.runner_up) if label.runner_up else None,
        "by": label.by,
        "why": label.why,
    }


def title_of(event: Event) -> str:
    """A title that can be written."""
    return show.writable(event.title or "(untitled)")


def _advice(advice: Recommendation, slot: WeekSlot) -> dict[str, Any]:
    from bridge.week import is_moved

    return {
        "id": advice.id,
        "action": str(advice.action),
        "answer": str(advice.answer) if advice.answer else None,
        "moved_here": is_moved(advice, slot.facts.moment),
        "policy": advice.policy,
    }


def _span(stretch: Stretch, zones: ZoneHistory) -> dict[str, str]:
    return {"start": _local(stretch[0], zones), "end": _local(stretch[1], zones)}


def _local(at: datetime, zones: ZoneHistory) -> str:
    return at.astimezone(zone_at(at, zones)).isoformat()
