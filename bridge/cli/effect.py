"""Run ``bridge effect``, which estimates how much a recommended action changes the hours after it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(effect)


def effect(
    user: Annotated[str | None, typer.Option(help="The user.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Estimate over all users together.")] = False,
    json: options.Json = False,
) -> None:
    """Estimate what recommending an action changes: how often it is done, the next check-in, the night and the day."""
    from bridge import installation
    from bridge.advice.effect import effects

    if (user is None) is not everybody:
        raise SetupError("name a person or take all: bridge effect --user NAME, or bridge effect --all")
    with installation.open_bridge() as bridge:
        people = bridge.store.people.users() if user is None else [bridge.store.people.user(user)]
        body = {"user": user, **effects(bridge.store, people, now=installation.now())}
    if json:
        show.document(body)
    else:
        _tell(body)


def _tell(body: dict[str, Any]) -> None:
    rows = [
        {"action": action, "on": outcome.replace("_", " "), "effect": _said(found)}
        for action, outcomes in body["actions"].items()
        for outcome, found in outcomes.items()
        if found["effect"] is not None
    ]
    typer.echo(f"{body['decisions']} decisions of {body['people']} people")
    if rows:
        show.table(rows, tuple(rows[0]))
        typer.echo("Against other advice that might have been given; in brackets the 95 % interval.")
    else:
        typer.echo(f"Not known yet: {_more(body)}.")


def _said(found: dict[str, Any]) -> str:
    low, high = found["ci95"]
    told = "" if low > 0 or high < 0 else " (may be nothing)"
    return f"{found['effect']:+.2f} [{low:+.2f}, {high:+.2f}] {found['scale']}{told}"


def _more(body: dict[str, Any]) -> str:
    """Say how many more days with answered recommendations the nearest estimate needs."""
    a_day = 3
    least = min(found["missing"] for of in body["actions"].values() for found in of.values())
    return f"about {max(-(-least // a_day), 1)} more days of advice, answered"
