"""Run ``bridge prefer``, which keeps the order of sources for nights, days and workouts that several of them show."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(prefer)


def prefer(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sources of nights, days or workouts in your order, the first preferred, e.g. oura garmin. "
            "SOURCE/DEVICE names a single device. They need not be connected.",
            metavar="[SOURCE]...",
            show_default=False,
        ),
    ] = None,
    user: options.OptionalUser = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Go back to the usual order. It cannot be combined with sources.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Say which source counts where several show the same night, day or workout. Without sources, show the order."""
    from bridge.advice.preference import choose
    from bridge.documents.preference import preference_document

    if sources and clear:
        raise SetupError(
            "--clear cannot be combined with sources; write: bridge prefer SOURCE..., or: bridge prefer --clear"
        )
    name = options.only_user() if user is None else user
    with options.opened(name, flights=False) as (bridge, person, now):
        if sources or clear:
            choose(bridge.store, person, sources or (), now=now)
        body = preference_document(bridge.store, person, now)
    if json:
        show.document(body)
        return
    if not body["order"]:
        typer.echo("no source of nights or workouts is connected; see: bridge sources")
        return
    show.table(body["order"], ("name", "because"))
    typer.echo(f"To change it: bridge prefer --user {name} SOURCE...")
