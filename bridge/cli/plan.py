"""Run ``bridge plan``, the day as a timeline."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.planning.day_plan import Block, DayPlan

ADDED = ("suggested", "task", "wind_down")  # kinds of blocks that a calendar does not hold already
KINDS = {"entry": "", "keep": "keep", "suggested": "try", "task": "task", "wind_down": "wind down", "sleep": "sleep"}


def register(app: typer.Typer) -> None:
    app.command()(plan)


def plan(
    user: options.User,
    day: Annotated[
        str | None, typer.Option("--date", help="A date, such as 2026-11-20. Default: today.", metavar="DATE")
    ] = None,
    ics: Annotated[Path | None, typer.Option(help="Write the plan into this iCalendar file as well.")] = None,
    json: options.Json = False,
) -> None:
    """Plan a day: entries, what to keep, suggestions, tasks before their deadlines, winding down, and sleep.

    Suggestions later than this slot are a preview. They may change with the day.
    """
    from bridge import installation
    from bridge.advice.day_plan import plan_day
    from bridge.documents.plan import plan_document

    wanted = _date(day)
    with installation.open_bridge() as bridge:
        person = bridge.store.people.user(user)
        now = installation.now()
        found = plan_day(bridge, person, wanted, now=now)
    if ics is not None:
        _write(ics, found, now)
    if json:
        show.document(plan_document(found, person.zones))
        return
    _print(found, person)
    if ics is not None:
        typer.echo(f"Written to {ics}.")


def _print(found: DayPlan, user: User) -> None:
    """Print the plan as a table, and what was taken back."""
    from bridge.documents.plan import clock

    rows = [
        {
            "from": "all day" if block.all_day else clock(block.start, user.zones),
            "to": "" if block.all_day else clock(block.end, user.zones),
            "": KINDS[block.kind],
            "action": "" if block.action is None else str(block.action),
            "title": block.title or "",
            "because": "; ".join(block.reasons[:2]),
        }
        for block in found.blocks
    ]
    typer.echo(f"{found.date:%A} {found.date.day} {found.date:%B %Y}")
    if not rows:
        typer.echo(f"Nothing is known of this day yet. Begin: bridge import FILE --user {user.name}")
        return
    show.table(rows, ("from", "to", "", "action", "title", "because"))
    for change in found.changes:
        typer.echo(f"Changed: {change}.")


def _date(text: str | None) -> date | None:
    """Return a date. Raises SetupError for any other text."""
    from bridge.advice.week import YEARS

    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.year not in YEARS:
        raise SetupError(f"{text!r} is no date; write it like 2026-11-20: bridge plan --user NAME --date 2026-11-20")
    return day


def _write(path: Path, found: DayPlan, now: datetime) -> None:
    """Write the plan. Raises SetupError where the file cannot be written."""
    from bridge.ingest.files import make_private

    try:
        make_private(path)
        path.write_bytes(to_icalendar(found, now))
    except OSError as error:
        raise SetupError(f"{path} cannot be written ({error.strerror}); give another --ics FILE") from None


def to_icalendar(found: DayPlan, now: datetime) -> bytes:
    """Return what the plan adds to the calendar: suggestions, tasks and the time to wind down, as free entries."""
    from icalendar import Calendar, Event

    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//plan//EN")
    body.add("version", "2.0")
    for block in found.blocks:
        if block.kind in ADDED:
            entry = Event()
            entry.add("uid", f"{found.date}-{block.kind}-{block.start:%H%M}@rhythm-bridge")
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
    """Return a block's action, or its kind, in words."""
    return (block.kind if block.action is None else str(block.action)).replace("_", " ").capitalize()
