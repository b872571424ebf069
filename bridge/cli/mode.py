"""Run ``bridge mode``, which says that these days are different, until when, and takes it back."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(mode)


def mode(
    user: options.User,
    kind: Annotated[
        str | None,
        typer.Argument(
            help="ill, away, holiday, odd (just different) or normal, which ends it. Without it, show the mode."
        ),
    ] = None,
    begin: Annotated[
        str | None, typer.Option("--from", help="The first day, such as 2026-12-01 or monday. Without it: today.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="The last day, such as 2026-12-04. Without it: 3 days if ill, else a week.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Say that these days are different, or that days to come will be. It begins and ends by itself, and your routine
    learns nothing from its days. "normal" ends it; without one, or with --from, it takes back what is planned.
    """
    from bridge.advice import modes
    from bridge.advice.recommend import load_person
    from bridge.documents.inputs import parse_day
    from bridge.documents.planning import mode_document
    from bridge.domain.slots import local_time

    if kind is None and (until is not None or begin is not None):
        option = f"--from {begin}" if until is None else f"--until {until}"
        raise SetupError(
            f"{option[:7].rstrip()} goes with a mode that begins: bridge mode holiday {option} --user {user}"
        )
    with options.opened(user) as (bridge, person, now):
        one = load_person(bridge.store, person, bridge.classifier, now=now, proxies=bridge.proxies)
        if kind is not None:
            today = local_time(now, person.zones).date()
            first, last = (None if day is None else parse_day(day, today) for day in (begin, until))
            modes.change_mode(bridge.store, person, modes.parse_mode(kind, person), last, person=one, begin=first)
        body = mode_document(modes.stand(bridge.store, person, one))
    planned = body.get("planned", [])
    lines = [body["mode"] if body["until"] is None else f"{body['mode']} until {body['until']:%A} {body['until']}"]
    lines += [
        f"{one['mode']} from {one['since']:%A} {one['since']} until {one['until']:%A} {one['until']} "
        f"(to take it back: bridge mode normal --from {one['since']} --until {one['until']} --user {user})"
        for one in planned
    ]
    lines += [f"{'; '.join(ask['because'])} If so: bridge mode {ask['mode']} --user {user}" for ask in body["noticed"]]
    show.result(body, "\n".join(map(str, lines)), json=json)
