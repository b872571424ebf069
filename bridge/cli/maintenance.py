"""Run ``bridge tidy``, ``backup``, ``restore``, ``migrate`` and ``key``, which keep the store small and safe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bridge.cli import options, show

keys = typer.Typer(help="Rotate the key that seals the consents.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.command()(tidy)
    app.command()(backup)
    app.command()(restore)
    app.command()(migrate)
    app.add_typer(keys, name="key")


def tidy(json: options.Json = False) -> None:
    """Delete old raw records, outcomes of syncs, webhook notices and uploads, and free their disk space.

    Old is unchanged for BRIDGE_KEEP_RAW days (90), and for uploads a day. Data derived from raw records stay. So do raw
    records that are set aside or that later records are read with, and each connection's last outcome. The daemon does
    the same once a day.
    """
    from bridge import installation
    from bridge.daemon import housekeeping

    with installation.open_bridge() as bridge:
        gone = housekeeping.tidy(bridge, now=installation.now())
    body = {"raw": gone.raw, "sync_runs": gone.runs, "notices": gone.notices}
    told = f"{gone.raw} raw records, {gone.runs} outcomes of syncs and {gone.notices} webhook notices"
    show.result(body, f"Deleted {told}.", json=json)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write; an earlier backup there is replaced.")],
    json: options.Json = False,
) -> None:
    """Write the whole store, as of this moment, into a file. Syncs go on meanwhile. A name in .age encrypts it."""
    from bridge import installation
    from bridge.daemon import backups

    with installation.open_bridge() as bridge, show.Progress() as progress:
        if path.suffix == ".age":
            backups.write_encrypted(bridge, path, progress.steps)
        else:
            bridge.store.maintenance.backup(path, progress.steps)
        people = len(bridge.store.people.users())
    body = {"path": str(path), "bytes": path.stat().st_size, "people": people}
    kept = "Consents in it are sealed: keep the key as well, elsewhere (see: bridge doctor)."
    show.result(body, f"{body['bytes']} bytes of {people} people in {path}. {kept}", json=json)


def restore(
    path: Annotated[Path, typer.Argument(help="A file that bridge backup wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="First delete all users and data of the store.")] = False,
    identity: Annotated[
        Path | None,
        typer.Option(help="The age identity file that opens an encrypted backup; default: this installation's."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Restore a backup into an empty store, on SQLite or PostgreSQL. An encrypted backup is opened first."""
    from bridge import installation
    from bridge.daemon import backups, housekeeping

    with installation.open_bridge() as bridge, show.Progress() as progress:
        with backups.readable(bridge, path, identity) as plain:
            housekeeping.restore(bridge, plain, replace=replace, progress=progress.steps, now=installation.now())
        people = len(bridge.store.people.users())
    body = {"path": str(path), "people": people}
    show.result(body, f"{people} people are back. See how they are: bridge doctor", json=json)


def migrate(
    to: Annotated[
        str,
        typer.Option(
            "--to", help="The database to copy to: postgresql://... or sqlite:///..., empty or not yet there."
        ),
    ],
    json: options.Json = False,
) -> None:
    """Copy the store into another database, all or nothing, and compare every row of both."""
    from bridge import installation
    from bridge.daemon import database_move

    with installation.open_bridge() as bridge, show.Progress() as progress:
        moved = database_move.migrate(bridge, to, progress=progress.steps)
    rows = [{"table": m.table, "rows": m.rows, "verified": m.verified} for m in moved]
    if json:
        total = sum(m.rows for m in moved)
        show.document({"tables": rows, "rows": total, "verified": all(m.verified for m in moved)})
        return
    show.table(rows, ("table", "rows", "verified"))
    typer.echo("everything is there; from now on: export BRIDGE_DATABASE=ADDRESS, with the address you gave")


@keys.command()
def rotate(json: options.Json = False) -> None:
    """Seal every consent with a new key and drop the old key. After an interruption, run it again."""
    from bridge import installation
    from bridge.auth import key_storage, vault

    with installation.open_bridge() as bridge:
        done = vault.rotate(bridge.store, key_storage.key_storage_of(bridge.settings.key, bridge.settings.folder))
        lost = [
            f"bridge connect {connection.source} --user {user.name}"
            for user in bridge.store.people.users()
            for connection in bridge.store.connections.of_user(user.id)
            if connection.id in done.unreadable
        ]
    text = f"{done.resealed} consents are sealed with the new key."
    text += "" if done.dropped else " Now take the old key out of BRIDGE_KEY."
    text += "".join(f"\nA consent that no key opens; log in again: {command}" for command in lost)
    show.result({"resealed": done.resealed, "old_key_dropped": done.dropped, "next": lost}, text, json=json)
    if lost:
        raise typer.Exit(1)


@keys.command()
def new() -> None:
    """Print a new random key. Put it and a comma before the old BRIDGE_KEY, then: bridge key rotate."""
    from bridge.auth import key_storage

    typer.echo(key_storage.new_key())
