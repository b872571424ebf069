"""``bridge token`` and ``bridge user password``: how programs and people come in at the page."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.cli.people import users
from bridge.errors import SetupError

tokens = typer.Typer(help="Make, list and revoke tokens for programs that use the JSON door.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    users.command()(password)
    app.add_typer(tokens, name="token")


def password(
    name: Annotated[str, typer.Argument(help="Whose.")],
    remove: Annotated[bool, typer.Option("--remove", help="Go without one; then only this machine comes in.")] = False,
) -> None:
    """Set a person's password for the page; all their sessions end. Without a terminal it is read from a line."""
    from bridge import access, app

    with app.open_bridge() as bridge:
        user = bridge.store.user(name)
        access.set_password(bridge.store, user, None if remove else _asked(), now=app.now())
    typer.echo(f"{name} has {'no password now' if remove else 'a new password'}. Next: bridge web")


def _asked() -> str:
    if sys.stdin.isatty():
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    return sys.stdin.readline().rstrip("\r\n")


@tokens.command("new")
def new(
    user: options.User,
    name: Annotated[str, typer.Option(help="What it is for.")] = "a program",
    json: options.Json = False,
) -> None:
    """Make a token; it is shown once and kept nowhere."""
    from bridge import access, app

    with app.open_bridge() as bridge:
        made, token = access.new_token(bridge.store, bridge.store.user(user), name, now=app.now())
    text = f"Token {made.id}, shown once: {token}\nSend it with every request:  Authorization: Bearer TOKEN"
    show.result({"id": made.id, "name": name, "token": token}, text, json=json)


@tokens.command("list")
def list_tokens(user: options.User, json: options.Json = False) -> None:
    """List a person's tokens."""
    from bridge import app

    with app.open_bridge() as bridge:
        found = bridge.store.access.tokens(bridge.store.user(user).id)
    rows = [{"id": one.id, "name": one.name, "made_at": one.made_at.isoformat(timespec="minutes")} for one in found]
    show.table(rows, ("id", "name", "made_at"), json=json)


@tokens.command()
def revoke(
    number: Annotated[int, typer.Argument(help="See: bridge token list.", max=options.LARGEST)], user: options.User
) -> None:
    """End a token."""
    from bridge import app

    with app.open_bridge() as bridge:
        if not bridge.store.access.revoke_token(bridge.store.user(user).id, number):
            raise SetupError(f"{user} has no token {number}; see: bridge token list --user {user}")
    typer.echo(f"Token {number} has ended.")
