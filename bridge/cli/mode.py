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
    from bridge.day.person import ModeKind
    from bridge.documents.inputs import parse_day
    from bridge.domain.rendering import for_person
    from bridge.domain.slots import zone_at

    if kind is not None and kind.lower() not in set(ModeKind):
        raise SetupError(f"{kind!r} is no mode; say ill, away, holiday, odd or normal: bridge mode ill --user {user}")
    if until is not None and kind in (None, "normal"):
        raise SetupError(f"--until goes with a mode that begins: bridge mode holiday --until {until} --user {user}")
    with installation.open_bridge() as bridge:
        now = installation.now()
        person = bridge.person(user, at=now)
        today = now.astimezone(zone_at(now, person.zones)).date()
        last = None if until is None else parse_day(until, today)
        if last is not None and last < today:
            raise SetupError(f"{last} is over; name today or a later day: bridge mode {kind} --user {user}")
        if kind is not None:
            modes.say_mode(bridge.store, person, ModeKind(kind.lower()), last, now=now)
        one = load_person(bridge.store, person, bridge.classifier, now=now, proxies=bridge.proxies)
        asked = [{"mode": str(name), "because": for_person(facts)} for name, facts in modes.noticed(one)]
    body = {"mode": str(one.mode.kind), "since": one.mode.since, "until": one.mode.until, "noticed": asked}
    lines = [body["mode"] if one.mode.until is None else f"{one.mode.kind} until {one.mode.until:%A} {one.mode.until}"]
    lines += [f"{'; '.join(ask['because'])} If so: bridge mode {ask['mode']} --user {user}" for ask in asked]
    show.result(body, "\n".join(map(str, lines)), json=json)
