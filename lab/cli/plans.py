"""Run ``bridge lab plans``, which counts what a sensible friend would never suggest."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from lab.plans.checks import Counts


def plans(
    people: Annotated[
        int, typer.Option(help="Number of generated people, each of a different kind.", min=0, max=1000)
    ] = 45,
    days: Annotated[int, typer.Option(help="Days of each generated person.", min=1, max=60)] = 24,
    calendar: Annotated[
        list[Path] | None, typer.Option(help="An iCalendar file of one further person; may be repeated.", exists=True)
    ] = None,
    zone: Annotated[str, typer.Option(help="Time zone of the calendars.")] = "Europe/Berlin",
    cores: Annotated[int, typer.Option(help="Number of processes.", min=1, max=64)] = 1,
    json: options.Json = False,
) -> None:
    """Count how often plans break their rules, over days of generated people and over calendar files.

    The plan puts nothing over an entry, no sleep long before bedtime, nothing forbidden and nothing into the past.
    Lengths are plausible, reasons agree with their sign, and there are no more suggestions than wished.
    The plan and the recommendation name the same action.
    """
    from concurrent.futures import ProcessPoolExecutor

    from lab.plans import checks, run

    files = list(calendar or [])
    with ProcessPoolExecutor(cores) as pool:
        lives = pool.map(partial(run.generated, days=days), range(people))
        found: list[Counts] = [*lives, *pool.map(partial(run.of_calendar, zone=zone), files)]
    body = _document(checks.total(found))
    if json:
        show.document(body)
        return
    show.table([{"rule": name, "broken": number} for name, number in body["broken"].items()], ("rule", "broken"))
    show.table([{"advice": name, "times": number} for name, number in body["advice"].items()], ("advice", "times"))
    for example in body["examples"]:
        typer.echo(example)
    typer.echo(f"{body['days']} person-days, {body['looks']} looks, {body['repeated']} suggestions on over 3 of 7 days")


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
