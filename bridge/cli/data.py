"""``bridge sync``, ``import``, ``rebuild``: getting data in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from bridge.intake import Imported
    from bridge.types import Outcome

COLUMNS = ("source", "connection", "outcome", "new", "updated", "unchanged", "deleted", "set_aside")
IMPORTED = (
    *("source", "outcome", "new", "updated", "unchanged", "deleted", "set_aside", "samples", "episodes", "events"),
    "seconds",
)


def register(app: typer.Typer) -> None:
    app.command()(sync)
    app.command("import")(import_path)
    app.command()(rebuild)
    app.command()(daemon)


def sync(user: options.User, source: options.Source = None, json: options.Json = False) -> None:
    """Fetch what is new from every connected source (or one)."""
    from bridge import app

    with app.open_bridge() as bridge, show.Progress() as progress:
        outcomes = app.sync_user(bridge, bridge.store.user(user), source, at=app.now(), watch=progress.watch)
    report(outcomes, user, json=json)


def import_path(
    path: Annotated[Path, typer.Argument(help="An export a person downloaded: a zip, a folder or a file.")],
    user: options.User,
    keep_all: Annotated[
        bool, typer.Option("--keep-all", help="Keep every single measurement, not only what days and nights need.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Import an export, or a folder of them; what each file is, is recognised by its content."""
    from bridge import app

    settings = {"keep_all": "yes"} if keep_all else {}
    with app.open_bridge() as bridge, show.Progress(sizes=True) as progress:
        person = bridge.store.user(user)
        imported = app.import_path(bridge, person, path, at=app.now(), settings=settings, on_bytes=progress.steps)
    outcomes = [*imported.outcomes, *no_source(imported)]
    report(outcomes, user, json=json, columns=IMPORTED)


def no_source(imported: Imported) -> list[Outcome]:
    """A row for what no source could take."""
    from bridge.types import Outcome

    failed = tuple((file.path, file.reason) for file in imported.unreadable)
    rows = []
    if failed:
        because = f"{len(failed)} files could not be opened"
        rows.append(Outcome(source="-", connection="-", outcome="failed", skipped_because=because, failed_files=failed))
    if imported.unknown:
        because = f"{len(imported.unknown)} files belong to no source (see: bridge sources)"
        rows.append(
            Outcome(
                source="-",
                connection="-",
                outcome="unknown",
                files=len(imported.unknown),
                skipped_because=because,
            )
        )
    return rows


def report(outcomes: list[Outcome], user: str, *, json: bool, columns: Sequence[str] = COLUMNS) -> None:
    """Print outcomes and leave with the code that says whether a person must act."""
    show.table([row(outcome) for outcome in outcomes], columns, json=json)
    for outcome in outcomes:
        explain(outcome, user, told=json)
    if any(o.outcome == "needs_login" for o in outcomes):
        raise typer.Exit(3)
    if any(o.outcome not in ("ok", "unknown") for o in outcomes):
        raise typer.Exit(1)


def explain(outcome: Outcome, user: str, *, told: bool) -> None:
    """Say below the table why something was set aside or failed; with ``told`` the JSON has said most of it."""
    if not told:
        for reason in outcome.reasons:
            typer.echo(f"set aside, {reason}")
        if outcome.skipped_because:
            typer.echo(f"{outcome.source}: {outcome.skipped_because}")
    for file, reason in outcome.failed_files:
        typer.echo(f"{show.printable(file)}: {reason}", err=True)
    if outcome.outcome == "needs_login":
        typer.echo(f"log in again: bridge connect {outcome.source} --user {user}", err=True)


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
        "set_aside_by": {what: dict(why) for what, why in outcome.set_aside_by.items()},
        "reasons": list(outcome.reasons),
        "skipped_because": outcome.skipped_because,
        "retry_at": outcome.retry_at.isoformat() if outcome.retry_at else None,
        "streams": dict(outcome.streams),
        "files": outcome.files,
        **{f"{kind}s": outcome.items.get(kind, 0) for kind in ("sample", "episode", "event", "task")},
        "truncated": outcome.truncated,
        "seconds": outcome.seconds,
        "failed_files": [{"file": file, "reason": reason} for file, reason in outcome.failed_files],
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


def daemon(
    every: Annotated[int, typer.Option(help="Seconds between two looks at what is due.", min=1)] = 60,
    once: Annotated[bool, typer.Option("--once", help="Look once and leave, for cron and systemd timers.")] = False,
    health: Annotated[
        str | None, typer.Option(help="Answer /health and /metrics here, on this machine only.", metavar="HOST:PORT")
    ] = None,
) -> None:
    """Keep everybody in step: sync what is due, advise at every slot; SIGTERM stops it cleanly."""
    from bridge import app, log
    from bridge.daemon import Daemon
    from bridge.daemon.process import run

    log.configure(verbose=True)
    with app.open_bridge() as bridge:
        if once:
            Daemon(bridge=bridge).tick()
        else:
            run(bridge, every=every, health=health)
