"""Run ``bridge fleet``, which syncs many simulated people and measures speed, lag, memory and disk space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show

SHOWN = (
    *("users", "database", "workers", "syncs_per_s", "lag_p50_s", "lag_p95_s", "cpu_ms_per_first_sync"),
    *("cpu_ms_per_sync_nothing_new", "peak_mb", "lost", "doubled", "bytes_per_user_year"),
)
DEPLOYED = ("queued_p95_s", "cpu_ms_per_advice", "postgres_ms_per_sync_nothing_new", "postgres_ms_per_advice")
MANY = 200  # people from whom on one process is not enough


def register(app: typer.Typer) -> None:
    app.command()(fleet)


def fleet(
    users: Annotated[int, typer.Option("--users", help="Number of simulated people.", min=1, max=1_000_000)] = 20,
    days: Annotated[int, typer.Option("--days", help="Days of data per person.", min=1, max=30)] = 2,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            help="The address of an empty database, e.g. postgresql://USER@HOST/NAME, which keeps the data. The "
            "word postgresql starts a private PostgreSQL server, deleted afterwards. Default: a new SQLite "
            "file, deleted afterwards.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", help="Number of processes that sync. Default: 1, or 2 for more than 200 people.", min=1, max=64
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Jobs at once of a worker on PostgreSQL.", min=1, max=200)
    ] = 10,
    wait: Annotated[
        float, typer.Option("--wait", help="Seconds before a vendor answers, on PostgreSQL.", min=0.0, max=60.0)
    ] = 0.3,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            help="Put the figures as a row into the tables of this Markdown document, which must hold the lines <!-- "
            "fleet --> and <!-- /fleet -->, and estimate from them what more people need. The row of an earlier "
            "run with as many people and the same kind of database is replaced.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Connect many simulated people to WHOOP, Garmin and Google Calendar on loopback, and measure syncs of all.

    On PostgreSQL real workers (bridge worker) do everything, advice included. The exit code is 1 if records were lost
    or doubled, or syncs were missed.
    """
    from lab.fleet import deployed, load

    count = workers or (2 if users > MANY else 1)
    with show.Progress() as progress:
        if database is not None and database.startswith("postgres"):
            figures = deployed.run(
                users,
                days=days,
                database=database,
                workers=count,
                concurrency=concurrency,
                wait=wait,
                progress=progress.steps,
            )
        else:
            figures = load.fleet(users, days=days, database=database, workers=count, progress=progress.steps)
    if json:
        show.document(figures)
    else:
        _print(figures)
    if write is not None:
        from lab.cli.scale import keep

        keep(write, figures)
    if figures["lost"] or figures["doubled"] or figures["missed_syncs"]:
        raise typer.Exit(1)


def _print(figures: dict[str, Any]) -> None:
    show.table([figures], SHOWN[:6])
    show.table([figures], SHOWN[6:])
    if "first_wall" in figures:
        show.table([figures], DEPLOYED)
        show.table([{"first wall": figures["first_wall"]}], ("first wall",))
