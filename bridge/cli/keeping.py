"""``bridge tidy``, ``backup``, ``restore``: a store that is small, and safe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bridge.cli import options, show


def register(app: typer.Typer) -> None:
    app.command()(tidy)
    app.command()(backup)
    app.command()(restore)


def tidy(json: options.Json = False) -> None:
    """Drop raw records older than BRIDGE_KEEP_RAW days (90), and give their space back; what they mean stays."""
    from bridge import app, housekeeping

    with app.open_bridge() as bridge:
        gone = housekeeping.tidy(bridge, now=app.now())
    body = {"raw": gone.raw, "sync_runs": gone.runs, "notices": gone.notices}
    show.result(body, f"{gone.raw} raw records and {gone.runs} outcomes of syncs went.", json=json)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write; an earlier backup there is replaced.")],
    json: options.Json = False,
) -> None:
    """Write the whole store, as of one moment, into one file; everything goes on meanwhile."""
    from bridge import app

    with app.open_bridge() as bridge, show.Progress() as progress:
        bridge.store.keeping.backup(path, progress.steps)
        people = len(bridge.store.users())
    body = {"path": str(path), "bytes": path.stat().st_size, "people": people}
    kept = "Consents in it are sealed: keep the key as well, elsewhere (see: bridge doctor)."
    show.result(body, f"{body['bytes']} bytes of {people} people in {path}. {kept}", json=json)


def restore(
    path: Annotated[Path, typer.Argument(help="A file that bridge backup wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete everybody who is in the store before.")] = False,
    json: options.Json = False,
) -> None:
    """Put a backup into an empty store, of either kind of database."""
    from bridge import app, housekeeping

    with app.open_bridge() as bridge, show.Progress() as progress:
        housekeeping.restore(bridge, path, replace=replace, progress=progress.steps, now=app.now())
        people = len(bridge.store.users())
    body = {"path": str(path), "people": people}
    show.result(body, f"{people} people are back. See how they are: bridge doctor", json=json)
