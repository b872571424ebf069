"""``bridge web``: the page people use."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(web)


def web(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65_535)] = 8080,
) -> None:
    """Serve the page: today, connections, and the JSON door, on this machine."""
    from bridge import app
    from bridge.web.serving import serve

    with app.open_bridge() as bridge:
        serve(bridge, host, port)
