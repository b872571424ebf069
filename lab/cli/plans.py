"""Run ``bridge lab plans``, which counts where plans and recommendations break the rules of ``lab.plans.checks``."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from lab.plans.checks import Counts


NAME_MAX = 34  # characters of a calendar's name, so that a row fits 80 columns


def plans(
    people: Annotated[
        int, typer.Option(help="Number of generated people, each of a different kind.", min=0, max=1000)
    ] = 45,
    days: Annotated[int, typer.Option(help="Days of each generated person.", min=1, max=60)] = 24,
    calendar: Annotated[
        list[Path] | None,
        typer.Option(help="An iCalendar file (.ics) of a further person. May be repeated.", exists=True),
    ] = None,
    calendars: Annotated[
        Path | None,
        typer.Option(
            help="Folder with at least one .ics file, each of them a person's calendar.", exists=True, file_okay=False
        ),
    ] = None,
    weeks: Annotated[
        int, typer.Option(help="Number of weeks to look at in each calendar, spread over its years.", min=1, max=60)
    ] = 4,
    zone: Annotated[str, typer.Option(help="IANA time zone of people whose calendars name none.")] = "Europe/Berlin",
    cores: Annotated[int, typer.Option(help="Number of processes.", min=1, max=64)] = 1,
    json: options.Json = False,
) -> None:
    """Count broken rules of the plan over generated person-days and calendar files.

    With --calendars no people are generated. By the rules the plan puts nothing over an entry, no sleep long before
    bedtime, nothing forbidden and nothing into the past. Lengths are plausible, reasons agree with their sign, and
    there are no more suggestions than wished. The plan and the recommendation name the same action.
    """
    from concurrent.futures import ProcessPoolExecutor

    from lab.plans import checks, run

    files = [*(calendar or []), *(_of_folder(calendars) if calendars else [])]
    look = partial(run.of_calendar, zone=zone, weeks=weeks)
    with ExitStack() as stack:
        each = map if cores == 1 else stack.enter_context(ProcessPoolExecutor(cores)).map
        found: list[Counts] = list(each(partial(run.generated, days=days), range(0 if calendars else people)))
        found_in: list[Counts] = list(each(look, files))
    body = _document(checks.total([*found, *found_in]))
    rows = [_row(path, counts) for path, counts in zip(files, found_in, strict=True)]
    if json:
        show.document({**body, "calendars": rows})
        return
    if rows:
        show.table(rows, tuple(rows[0]))
    show.table([{"rule": name, "broken": number} for name, number in body["broken"].items()], ("rule", "broken"))
    show.table([{"advice": name, "times": number} for name, number in body["advice"].items()], ("advice", "times"))
    for example in body["examples"]:
        typer.echo(example)
    typer.echo(f"{body['days']} person-days, {body['looks']} looks, {body['repeated']} suggestions on over 3 of 7 days")


def _of_folder(folder: Path) -> list[Path]:
    """Return the .ics files of a folder, sorted by name. Raises SetupError if the folder holds none."""
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".ics")
    if not found:
        raise SetupError(f"{folder} holds no .ics file; name another: bridge lab plans --calendars FOLDER")
    return found


def _row(path: Path, counts: Counts) -> dict[str, Any]:
    """Return the table row of a calendar file, with dates, and numbers of checks, recommendations and broken rules."""
    return {
        "calendar": path.stem[:NAME_MAX],
        "from": min((day for _, day in counts.days), default=None),
        "to": max((day for _, day in counts.days), default=None),
        "looks": counts.looks,
        "advice": counts.looks - counts.advice["silence"] - counts.advice["silence by lot"],
        "broken": sum(counts.broken.values()),
    }


def _document(counts: Counts) -> dict[str, Any]:
    from lab.plans.checks import RULE_NAMES, actions_a_week, repeated

    return {
        "days": len(counts.days),
        "looks": counts.looks,
        "broken": {name: counts.broken[name] for name in RULE_NAMES},
        "advice": dict(counts.advice.most_common()),
        "repeated": repeated(counts),
        "actions_a_week": round(actions_a_week(counts), 2),
        "examples": counts.examples,
    }
