"""Run ``bridge query``, which answers a typed question over what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from bridge.query.answer import Answer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(query)


def query(
    what: Annotated[
        str,
        typer.Argument(
            help="A metric (steps, asleep, resting_hr, ...), two as deep_sleep/asleep, a meter, nights, workouts, "
            "entries, or a figure of these, such as workouts.minutes."
        ),
    ],
    user: options.User,
    of: Annotated[
        str | None,
        typer.Option(
            help="mean, median, sum, min, max, std, count, first, last, share (of the rows for which --where holds) "
            "or trend (change a week). Default: mean, or count for what is counted."
        ),
    ] = None,
    since: Annotated[str | None, typer.Option(help="The first date, such as 2026-10-01. Default: all.")] = None,
    until: Annotated[str | None, typer.Option(help="The last date, included. Default: all.")] = None,
    first: Annotated[int | None, typer.Option(help="Only so many of the earliest rows.")] = None,
    last: Annotated[int | None, typer.Option(help="Only so many of the latest rows.")] = None,
    by: Annotated[str | None, typer.Option(help="day, week, month, weekday, sport or action.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help='A condition "FIELD OP VALUE" that must hold, such as "steps > 8000", "weekday = 6" or '
            '"workout.sport = running". May be repeated.'
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="A second metric (rank correlation by day), or a condition (the difference that it makes)."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Answer a question over what is stored: a metric, a span, conditions, a grouping and an aggregate."""
    from bridge import installation
    from bridge.documents.query import answer_document
    from bridge.query.answer import answer
    from bridge.query.parse import Words, query_of
    from bridge.query.rows import load_tables

    words = Words(
        what=what, of=of, since=since, until=until, first=first, last=last, by=by, where=where or (), against=against
    )
    asked = query_of(words)
    with installation.open_bridge() as bridge:
        now = installation.now()
        found = answer(asked, load_tables(bridge, bridge.person(user, at=now), asked, now=now))
    if json:
        show.document(answer_document(found))
    else:
        _print(found)


def _print(found: Answer) -> None:
    if found.value is None:
        typer.echo(found.reason)
        return
    at = "" if found.at is None else f" on {found.at}"
    between = "" if found.interval is None else f" ({found.interval[0]:.3g} to {found.interval[1]:.3g})"
    typer.echo(f"{_number(found.value)} {found.unit}{at}{between}, from {found.n} values")
    rows = [
        {"": one.key, found.unit: None if one.value is None else _number(one.value), "n": one.n} for one in found.groups
    ]
    if rows:
        show.table(rows, ("", found.unit, "n"))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"
