"""Run ``bridge mcp``, which serves AI assistants and sets the tools that they may use."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

Tools = Annotated[list[str], typer.Argument(help="Tools by name (see: bridge mcp consent).", show_default=False)]

mcp = typer.Typer(help="Serve assistants (Model Context Protocol over stdio), or choose the tools they may use.")


def register(app: typer.Typer) -> None:
    mcp.callback(invoke_without_command=True)(serve)
    mcp.command()(allow)
    mcp.command()(refuse)
    mcp.command()(consent)
    app.add_typer(mcp, name="mcp")


def serve(
    context: typer.Context,
    user: options.OptionalUser = None,
) -> None:
    """Serve a user's tools to the assistant that started this command."""
    if context.invoked_subcommand is not None:
        return
    user = user or options.only_user()
    from bridge import installation

    try:
        from bridge.mcp.server import AssistantServer
    except ModuleNotFoundError:
        raise SetupError("assistants need a library that is not installed: pip install 'rhythm-bridge[mcp]'") from None
    with installation.open_bridge() as bridge:
        bridge.store.people.user(user)
        AssistantServer(bridge, user).run("stdio")


def allow(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Allow assistants to use tools, from their next question on. `titles` lets them read the names of events."""
    from bridge import installation
    from bridge.mcp import consent

    with installation.open_bridge() as bridge:
        person = bridge.store.people.user(user)
        given = consent.allow(bridge.store, person, tools, now=installation.now())
    undo = f"bridge mcp refuse {' '.join(given)} --user {user}"
    show.result({"user": user, "allowed": given}, f"Allowed: {', '.join(given)}. To end it: {undo}", json=json)


def refuse(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Forbid assistants to use tools, from now on."""
    from bridge import installation
    from bridge.mcp import consent

    with installation.open_bridge() as bridge:
        ended = consent.refuse(bridge.store, bridge.store.people.user(user), tools)
    text = f"Ended: {', '.join(ended)}." if ended else "None of them was allowed."
    show.result({"user": user, "refused": ended}, text, json=json)


def consent(user: options.User, json: options.Json = False) -> None:
    """List every tool, whether it changes data, and since when assistants may use it."""
    from bridge import installation
    from bridge.mcp.consent import consent_rows

    with installation.open_bridge() as bridge:
        rows = consent_rows(bridge.store, bridge.store.people.user(user))
    show.table(rows, ("tool", "allowed", "since", "writes", "what"), json=json)
