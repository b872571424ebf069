"""Run ``bridge mcp``, which serves AI assistants and sets the tools that they may use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from bridge.installation import Bridge
    from bridge.mcp.server import AssistantServer

Tools = Annotated[
    list[str], typer.Argument(help="Names of tools, one or more (see: bridge mcp consent).", show_default=False)
]

mcp = typer.Typer(
    help="Serve assistants over stdio (Model Context Protocol), or choose the tools they may use here and at /mcp."
)
options.commands.add_typer(mcp, name="mcp")


@mcp.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    user: options.OptionalUser = None,
) -> None:
    """Serve a user's tools to the assistant that started this command."""
    if context.invoked_subcommand is not None:
        return
    user = user or options.only_user()
    from bridge import installation

    with installation.open_bridge() as bridge:
        bridge.store.people.user(user)
        _server(bridge, user).run("stdio")


def _server(bridge: Bridge, user: str) -> AssistantServer:
    from bridge import origin

    try:
        from bridge.mcp.server import AssistantServer
    except ModuleNotFoundError:
        raise origin.lacking("mcp") from None
    return AssistantServer(bridge, user)


def over_http(bridge: Bridge) -> Callable[[str], ASGIApp]:
    """Return a function that maps a user's name to an ASGI application with the user's tools, each made once.

    Raises SetupError if the library of the protocol is not installed.
    """
    return cache(lambda user: _server(bridge, user).answer)


@mcp.command()
def allow(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Allow assistants to use tools, from their next question on. `titles` lets them read the names of events."""
    from bridge.auth import assistants

    with options.opened(user, flights=False) as (bridge, person, now):
        given = assistants.allow(bridge.store, person, tools, now=now)
    undo = f"bridge mcp refuse {' '.join(given)} --user {user}"
    show.result({"user": user, "allowed": given}, f"Allowed: {', '.join(given)}. To end it: {undo}", json=json)


@mcp.command()
def refuse(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Forbid assistants to use tools, from now on. Tools that were not allowed are skipped."""
    from bridge import installation
    from bridge.auth import assistants

    with installation.open_bridge() as bridge:
        ended = assistants.refuse(bridge.store, bridge.store.people.user(user), tools)
    text = f"Ended: {', '.join(ended)}." if ended else "None of them was allowed."
    show.result({"user": user, "refused": ended}, text, json=json)


@mcp.command()
def consent(user: options.User, json: options.Json = False) -> None:
    """List every tool, whether it changes data, and since when assistants may use it."""
    from bridge import installation
    from bridge.auth.assistants import consent_rows

    with installation.open_bridge() as bridge:
        rows = consent_rows(bridge.store, bridge.store.people.user(user))
    show.table(rows, ("tool", "allowed", "since", "writes", "what"), json=json)
