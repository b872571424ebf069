"""Run ``bridge share``, which lets another person of the installation see chosen meters."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(share)


def share(
    meters: Annotated[
        list[str] | None,
        typer.Argument(
            help="The meters to share, e.g. vitality serenity. They replace those shared with the person of --with "
            "before.",
            metavar="[METER]...",
            show_default=False,
        ),
    ] = None,
    user: options.OptionalUser = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--with", help="The user of this installation who may see them. It is needed with meters and with --stop."
        ),
    ] = None,
    stop: Annotated[
        bool,
        typer.Option(
            "--stop", help="Share nothing with the person of --with any more. It cannot be combined with meters."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Let another person here see chosen meters, in words alone. Without meters, show what is shared."""
    from bridge.auth import sharing
    from bridge.documents.household import household_document, read_now

    if (meters or stop) and other is None:
        raise SetupError("say with whom: bridge share vitality --with NAME")
    if other is not None and bool(meters) == stop:
        raise SetupError(
            "give either meters or --stop: bridge share vitality --with NAME, or: bridge share --stop --with NAME"
        )
    chosen = [options.meter(meter) for meter in meters or ()]
    name = options.only_user() if user is None else user
    with options.opened(name, flights=False) as (bridge, person, now):
        if other is not None and stop:
            sharing.withdraw(bridge.store, person, other, now=now)
        elif other is not None:
            sharing.share(bridge.store, person, other, chosen, now=now)
        body = household_document(bridge, person, read_now(bridge, now))
    if json:
        show.document(body)
        return
    for given in body["given"]:
        typer.echo(f"{given['name']} sees: {', '.join(given['meters']).lower()}")
    if not body["given"]:
        typer.echo(f"{name} shares nothing. To share: bridge share vitality --user {name} --with NAME")
    rows = [
        {"from": one["name"], **meter, "level": meter["level"] or "not known"}
        for one in body["received"]
        for meter in one["meters"]
    ]
    if rows:
        show.table(rows, ("from", "meter", "level", "coverage", "newest_hours"))
