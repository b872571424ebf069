"""``bridge sync``, ``import``, ``rebuild``: getting data in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.types import Outcome

COLUMNS = ("source", "connection", "outcome", "new", "updated", "unchanged", "deleted", "set_aside", "why")


def register(app: typer.Typer) -> None:
    app.command()(sync)
    app.command("import")(import_path)
    app.command()(rebuild)


def sync(user: options.User, source: options.Source = None, json: options.Json = False) -> None:
    """Fetch what is new from every connected source (or one)."""
    from bridge import app

    with app.open_bridge() as bridge, show.Progress() as progress:
        outcomes = app.sync_user(bridge, bridge.store.user(user), source, at=app.now(), watch=progress.watch)
    report(outcomes, user, json=json)


def import_path(
    path: Annotated[Path, typer.Argument(help="An export a person downloaded: a zip, a folder or a file.")],
    user: options.User,
    json: options.Json = False,
) -> None:
    """Import an export; what it is, is recognised by its content."""
    from bridge import app

    with app.open_bridge() as bridge, show.Progress() as progress:
        person = bridge.store.user(user)
        outcome = app.import_file(bridge, person, path, at=app.now(), on_page=progress.watch(path.name))
    report([outcome], user, json=json)


def report(outcomes: list[Outcome], user: str, *, json: bool) -> None:
    """Print outcomes and leave with the code that says whether a person must act."""
    show.table([row(outcome) for outcome in outcomes], COLUMNS, json=json)
    for outcome in outcomes:
        if outcome.outcome == "needs_login":
            typer.echo(f"log in again: bridge connect {outcome.source} --user {user}", err=True)
    if any(o.outcome == "needs_login" for o in outcomes):
        raise typer.Exit(3)
    if any(o.outcome != "ok" for o in outcomes):
        raise typer.Exit(1)


def row(outcome: Outcome) -> dict[str, object]:
    """An outcome as ``--json`` prints it."""
    return {
        "source": outcome.source,
        "connection": outcome.connection,
        "outcome": outcome.outcome,
        "new": outcome.new,
        "updated": outcome.updated,
        "unchanged": outcome.unchanged,
        "deleted": outcome.deleted,
        "set_aside": outcome.set_aside,
        "reasons": list(outcome.reasons),
        "skipped_because": outcome.skipped_because,
        "retry_at": outcome.retry_at.isoformat() if outcome.retry_at else None,
        "streams": dict(outcome.streams),
        "why": outcome.skipped_because or "; ".join(outcome.reasons),
    }


def rebuild(user: options.User, source: options.Source = None, json: options.Json = False) -> None:
    """Derive every row again from the kept raw records, without the network."""
    from bridge import app

    with app.open_bridge() as bridge, show.Progress() as progress:
        person = bridge.store.user(user)
        landings = app.rebuild(bridge, person, source, progress=progress.steps("rebuild"))
    rows = [
        {"source": name, "records": len(done), "set_aside": sum(landing.set_aside is not None for landing in done)}
        for name, done in landings.items()
    ]
    show.table(rows, ("source", "records", "set_aside"), json=json)
