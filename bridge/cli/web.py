"""``bridge web``: the page people use."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(web)


def web(
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine's need passwords.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65_535)] = 8080,
    name: Annotated[
        list[str] | None, typer.Option(help="A name others reach it by, e.g. through a proxy with TLS; repeatable.")
    ] = None,
) -> None:
    """Serve the page, its JSON door (/api/v1) and the addresses that apps and vendors send to."""
    from bridge import app
    from bridge.web.serving import serve

    with app.open_bridge() as bridge:
        serve(bridge, host, port, name or ())
