"""Run ``bridge plan``, the day as a timeline."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.domain.slots import ZoneSpan
    from bridge.planning.day_plan import Block, DayPlan

KIND_WORDS = {
    "entry": "",
    "keep": "keep",
    "suggested": "try",
    "task": "task",
    "wind_down": "wind down",
    "sleep": "sleep",
}


def register(app: typer.Typer) -> None:
    app.command()(plan)


def plan(
    user: options.User,
    day: Annotated[
        str | None, typer.Option("--date", help="The day to plan, such as 2026-11-20. Default: today.", metavar="DATE")
    ] = None,
    ics: Annotated[
        Path | None,
        typer.Option(
            help="Also write suggestions, tasks and winding down into this iCalendar file (.ics). An old file is "
            "replaced."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Plan a day: entries, what to keep, suggestions, tasks before their deadlines, winding down, and sleep.

    Suggestions for later than this slot are a preview, and may change during the day.
    """
    from bridge import installation
    from bridge.advice.day_plan import plan_day
    from bridge.documents.inputs import parse_day
    from bridge.documents.plan import plan_document

    wanted = None if day is None else parse_day(day)
    with installation.open_bridge() as bridge:
        now = installation.now()
        person = bridge.person(user, at=now)
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
    """Print the plan as a table, and below it the suggestions that were withdrawn and the outlook of tomorrow."""
    rows = [_row(one, user) for one in found.rows]
    typer.echo(f"{found.date:%A} {found.date.day} {found.date:%B %Y}")
    if not rows:
        typer.echo(f"Nothing is known of this day yet. Begin: bridge import FILE --user {user.name}")
        return
    show.table(rows, ("from", "to", "", "action", "title", "because"))
    for change in found.changes:
        typer.echo(f"Changed: {change}.")
    _print_outlook(found, user)


def _row(one: Block | ZoneSpan, user: User) -> dict[str, str]:
    """Return a row of the table: a block, or a line that the times below it are of another zone."""
    from bridge.documents.plan import clock, ends, place
    from bridge.domain.slots import ZoneSpan

    if isinstance(one, ZoneSpan):
        return {"from": clock(one.since, user.zones), "title": f"{place(one)} time from here on"}
    return {
        "from": "all day" if one.all_day else clock(one.start, user.zones),
        "to": "" if one.all_day else ends(one, user.zones),
        "": KIND_WORDS[one.kind],
        "action": "" if one.action is None else str(one.action),
        "title": one.title or "",
        "because": "; ".join(one.reasons[:2]),
    }


def _print_outlook(found: DayPlan, user: User) -> None:
    """Print a row per meter with its expected levels at each time, and a line per change of a level by the calendar.

    Nothing is printed for a plan without expected levels.
    """
    from bridge.documents.plan import clock

    if not found.outlook:
        return
    times = list(dict.fromkeys(clock(one.at, user.zones) for one in found.outlook))
    rows: dict[str, dict[str, str]] = {}
    for one in found.outlook:
        row = rows.setdefault(str(one.meter), {"expected": str(one.meter).lower()})
        row[clock(one.at, user.zones)] = f"{one.level:.2f} ± {one.sd:.2f}"
    typer.echo("")
    show.table([dict.fromkeys(times, "") | row for row in rows.values()], ("expected", *times))
    for one in found.outlook:
        for reason in one.because[1:]:
            typer.echo(f"  {str(one.meter).lower()} {clock(one.at, user.zones)}: {reason}")
    typer.echo("0.70 is your normal. From like days of four weeks and the calendar; ± is one standard deviation.")


def _write(path: Path, found: DayPlan, now: datetime) -> None:
    """Write suggestions, tasks and the time to wind down of a plan into an iCalendar file. An old file is replaced.

    ``now`` is the entries' time stamp. Raises SetupError if the file cannot be written.
    """
    from bridge.documents.plan_ics import ADDED, to_icalendar
    from bridge.ingest.files import make_private

    added = (block for block in found.blocks if block.kind in ADDED)
    try:
        make_private(path)
        path.write_bytes(to_icalendar(added, now))
    except OSError as error:
        raise SetupError(f"{path} cannot be written ({error.strerror}); give another --ics FILE") from None
