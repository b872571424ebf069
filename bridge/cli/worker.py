"""``bridge worker`` and ``bridge migrate``: past one machine."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options, show


def register(app: typer.Typer) -> None:
    app.command()(worker)
    app.command()(migrate)


def worker(
    concurrency: Annotated[int, typer.Option(help="Jobs at once.", min=1, max=200)] = 10,
) -> None:
    """Do the daemon's work together with any number of workers, on one PostgreSQL store; SIGTERM stops it cleanly."""
    from bridge import app, log
    from bridge.jobs import work

    log.configure(verbose=True)
    with app.open_bridge() as bridge:
        work(bridge, concurrency=concurrency)


def migrate(
    to: Annotated[str, typer.Option("--to", help="postgresql://... or sqlite:///..., empty or not yet there.")],
    json: options.Json = False,
) -> None:
    """Copy everything into another database, all or nothing, and compare every row of both."""
    from bridge import app
    from bridge.moving import migrate as move

    with app.open_bridge() as bridge, show.Progress() as progress:
        moved = move(bridge, to, progress=progress.steps)
    rows = [{"table": m.table, "rows": m.rows, "verified": m.verified} for m in moved]
    if json:
        total = sum(m.rows for m in moved)
        show.document({"tables": rows, "rows": total, "verified": all(m.verified for m in moved)})
        return
    show.table(rows, ("table", "rows", "verified"))
    typer.echo("everything is there; from now on: export BRIDGE_DATABASE=ADDRESS, with the address you gave")
