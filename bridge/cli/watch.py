"""Run ``bridge watch``, which shows the watch over harm, and switches it or advice off and on."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

SWITCHES = ("on", "off", "advice-on", "advice-off")


def register(app: typer.Typer) -> None:
    app.command()(watch)


def watch(
    switch: Annotated[
        str | None,
        typer.Argument(
            help="on or off switches the watch, advice-on or advice-off all advice. Without it, show the watch.",
            metavar="on | off | advice-on | advice-off",
            show_default=False,
        ),
    ] = None,
    because: Annotated[
        str | None, typer.Option(help="The reason, for your history. It is needed to switch.", show_default=False)
    ] = None,
    user: options.OptionalUser = None,
    json: options.Json = False,
) -> None:
    """Show the watch over harm: it stops advice when levels or nights are lower after it than without it."""
    from bridge.advice import harm
    from bridge.documents import watch as told
    from bridge.domain.guard import ADVICE, WATCH

    if (switch is not None and switch not in SWITCHES) or (because is not None and switch is None):
        raise SetupError('write: bridge watch, or bridge watch on|off|advice-on|advice-off --because "..."')
    name = options.only_user() if user is None else user
    with options.opened(name) as (bridge, person, now):
        if switch is not None:
            what = ADVICE if switch.startswith("advice") else WATCH
            harm.switch(bridge.store, person, what, because or "", on=switch.endswith("on"), now=now)
        found = harm.watched(bridge.store, person, now=now)
        switches = bridge.store.people.preferences(person.id).switches
    lines = [told.watch_line(found, switches), told.finds_line(), *(told.event_line(one, person) for one in switches)]
    show.result(told.watch_document(found, switches), "\n".join(map(str, lines)), json=json)
