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
    until: Annotated[
        str | None, typer.Option(help="The last day, such as 2026-12-04. Without it: 3 days if ill, else a week.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Say that these days are different. It ends by itself, and your routine learns nothing from its days."""
    from bridge import installation
    from bridge.advice import modes
    from bridge.advice.recommend import load_person
    from bridge.documents.inputs import parse_day
    from bridge.documents.planning import mode_document
    from bridge.domain.slots import zone_at

    if until is not None and kind is None:
        raise SetupError(f"--until goes with a mode that begins: bridge mode holiday --until {until} --user {user}")
    with installation.open_bridge() as bridge:
        now = installation.now()
        person = bridge.person(user, at=now)
        one = load_person(bridge.store, person, bridge.classifier, now=now, proxies=bridge.proxies)
        if kind is not None:
            last = None if until is None else parse_day(until, now.astimezone(zone_at(now, person.zones)).date())
            modes.change_mode(bridge.store, person, modes.parse_mode(kind, person), last, person=one)
        body = mode_document(modes.stand(bridge.store, person, one))
    lines = [body["mode"] if body["until"] is None else f"{body['mode']} until {body['until']:%A} {body['until']}"]
    lines += [f"{'; '.join(ask['because'])} If so: bridge mode {ask['mode']} --user {user}" for ask in body["noticed"]]
    show.result(body, "\n".join(map(str, lines)), json=json)
