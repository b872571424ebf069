"""``bridge service``: the files that run the daemon as a service."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(service)


def service(kind: Annotated[str, typer.Argument(help="systemd or container.")]) -> None:
    """Print the unit for systemd, or the Containerfile, that runs the daemon."""
    from bridge.service import FILES, text

    if kind not in FILES:
        raise SetupError(f"there is no {kind}; write: bridge service {' or '.join(FILES)}")
    typer.echo(text(kind), nl=False)
