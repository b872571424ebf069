"""``bridge mcp``: a door for assistants, and which of its tools a person has allowed."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.errors import SetupError

Tools = Annotated[list[str], typer.Argument(help="Tools by name (see: bridge mcp consent).", show_default=False)]

mcp = typer.Typer(help="Serve assistants (Model Context Protocol over stdio), or say what they may do.")


def register(app: typer.Typer) -> None:
    mcp.callback(invoke_without_command=True)(serve)
    mcp.command()(allow)
    mcp.command()(refuse)
    mcp.command()(consent)
    app.add_typer(mcp, name="mcp")


def serve(
    context: typer.Context,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose data.", show_default=False)] = None,
) -> None:
    """Serve one person's tools to the assistant that started this command."""
    if context.invoked_subcommand is not None:
        return
    if user is None:
        raise SetupError("for whom? write: bridge mcp --user NAME")
    from bridge import app
    from bridge.assistant import server

    with app.open_bridge() as bridge:
        bridge.store.user(user)
        server.serve(bridge, user)


def allow(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Let assistants use tools, from their next question on. ``titles`` lets them read what events are called."""
    from bridge import app
    from bridge.assistant import consent

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        given = consent.allow(bridge.store, person, tools, now=app.now())
    undo = f"bridge mcp refuse {' '.join(given)} --user {user}"
    show.result({"user": user, "allowed": given}, f"Allowed: {', '.join(given)}. To end it: {undo}", json=json)


def refuse(tools: Tools, user: options.User, json: options.Json = False) -> None:
    """Let assistants use tools no longer; it holds at once."""
    from bridge import app
    from bridge.assistant import consent

    with app.open_bridge() as bridge:
        ended = consent.refuse(bridge.store, bridge.store.user(user), tools)
    text = f"Ended: {', '.join(ended)}." if ended else "None of them was allowed."
    show.result({"user": user, "refused": ended}, text, json=json)


def consent(user: options.User, json: options.Json = False) -> None:
    """List every tool, whether it writes, and since when it is allowed."""
    from bridge import app
    from bridge.assistant.consent import NAMES
    from bridge.assistant.tools import TITLES, TOOLS

    with app.open_bridge() as bridge:
        allowed = bridge.store.choices.allowed(bridge.store.user(user).id)
    rows = [
        {
            "tool": name,
            "allowed": name in allowed,
            "since": allowed[name].isoformat(timespec="seconds") if name in allowed else None,
            "writes": name in TOOLS and TOOLS[name].writes,
            "what": "What events are called, in calendar and trends" if name == TITLES else TOOLS[name].title,
        }
        for name in NAMES
    ]
    show.table(rows, ("tool", "allowed", "since", "writes", "what"), json=json)
