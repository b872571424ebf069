"""Run ``bridge effect``, which estimates how much advice, and each action, changes later outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

A_DAY = 3  # decisions


def register(app: typer.Typer) -> None:
    app.command()(effect)


def effect(
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="The user over whom to estimate. Give either this or --all.")
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Estimate over all users together, instead of over --user.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Estimate how advice, and each advised action, changes the next check-in, night and day.

    For actions, how often they are accepted is estimated too. Give --user or --all.
    """
    from bridge import installation
    from bridge.advice.effect import effects

    if (user is None) is not everybody:
        raise SetupError("name either a person or all: bridge effect --user NAME, or bridge effect --all")
    with installation.open_bridge() as bridge:
        people = bridge.store.people.users() if user is None else [bridge.store.people.user(user)]
        body = {"user": user, **effects(bridge.store, people, now=installation.now())}
    if json:
        show.document(body)
    else:
        _tell(body)


def _tell(body: dict[str, Any]) -> None:
    typer.echo(f"{body['decisions']} decisions of {body['people']} people, {body['lots']} lots between advice and none")
    outcomes = {outcome: one for outcome, one in body["advice"].items() if isinstance(one, dict)}
    advice, actions = _known(outcomes), [_known(of, action) for action, of in body["actions"].items()]
    if advice:
        show.table(advice, tuple(advice[0]))
        typer.echo("Advice against no advice, in slots drawn by lot; in brackets the 95 % interval.")
    else:
        typer.echo(f"Advice against no advice is not known yet: {_more(outcomes.values())}.")
    if rows := [row for of in actions for row in of]:
        show.table(rows, tuple(rows[0]))
        typer.echo("Each action against other advice that might have been given; in brackets the 95 % interval.")
    else:
        found = [one for of in body["actions"].values() for one in of.values()]
        typer.echo(f"Not known yet: {_more(found)}.")


def _known(found: dict[str, Any], action: str = "ADVICE") -> list[dict[str, str]]:
    """Return a table row for each outcome with a known effect. ``found`` maps an outcome to its estimate.

    ``action`` is the row's first cell, by default ADVICE for advice of any kind.
    """
    return [
        {"action": action, "on": outcome.replace("_", " "), "effect": _said(one)}
        for outcome, one in found.items()
        if one["effect"] is not None
    ]


def _said(found: dict[str, Any]) -> str:
    low, high = found["ci95"]
    told = "" if low > 0 or high < 0 else " (may be nothing)"
    return f"{found['effect']:+.2f} [{low:+.2f}, {high:+.2f}] {found['scale']}{told}"


def _more(found: Iterable[dict[str, Any]]) -> str:
    """Return in words how many more days, of three decisions each, the nearest of the estimates needs, at least 1."""
    least = min(one["missing"] for one in found)
    return f"about {max(-(-least // A_DAY), 1)} more days"
