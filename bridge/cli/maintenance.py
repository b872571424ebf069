"""Run ``bridge tidy``, ``backup``, ``backups``, ``restore``, ``migrate``, ``views`` and ``key``, on the whole store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from bridge.config import Settings

keys = typer.Typer(help="Rotate the key that seals the consents.", no_args_is_help=True)
options.commands.add_typer(keys, name="key")


@options.command()
def tidy(json: options.Json = False) -> None:
    """Delete old raw records, sync outcomes, webhook notices and uploads, and free their disk space.

    A record is old after BRIDGE_KEEP_RAW days (default: 90) without a change, and an upload after a day. Samples,
    episodes, events and tasks are kept. Raw records are also kept if they are set aside, or if later records are read
    with them. Each connection keeps its last outcome. The daemon does the same once a day.
    """
    from bridge import installation
    from bridge.daemon import housekeeping

    with installation.open_bridge() as bridge:
        gone = housekeeping.tidy(bridge, now=installation.now())
    body = {"raw": gone.raw, "sync_runs": gone.runs, "notices": gone.notices}
    told = f"{gone.raw} raw records, {gone.runs} outcomes of syncs and {gone.notices} webhook notices"
    show.result(body, f"Deleted {told}.", json=json)


@options.command()
def backup(
    path: Annotated[
        Path,
        typer.Argument(
            help="The file to write, in a folder that exists. A file that is already there is replaced. If its name "
            "ends with .age, the backup is encrypted."
        ),
    ],
    json: options.Json = False,
) -> None:
    """Write the whole store, as of this moment, into a file. Syncs may go on meanwhile."""
    from bridge import installation
    from bridge.daemon import backups
    from bridge.documents.text import counted_people

    with installation.open_bridge() as bridge, show.Progress() as progress:
        if path.suffix == ".age":
            backups.write_encrypted(bridge, path, progress.steps)
        else:
            bridge.store.maintenance.backup(path, progress.steps)
        people = len(bridge.store.people.users())
    body = {"path": str(path), "bytes": path.stat().st_size, "people": people}
    keys = _keys_of(bridge.settings, encrypted=path.suffix == ".age")
    kept = f" For a new machine, keep elsewhere as well: {' and '.join(keys)}" if keys else ""
    show.result(body, f"{body['bytes']} bytes of {counted_people(people)} in {path}.{kept}", json=json)


def _keys_of(settings: Settings, *, encrypted: bool) -> list[str]:
    """Return the files or the setting with keys that a new machine needs besides a backup."""
    from bridge.auth import backup_key, key_storage

    files = [settings.folder / key_storage.KEY_FILE, *([settings.folder / backup_key.KEY_FILE] if encrypted else ())]
    return [*(["the value of BRIDGE_KEY"] if settings.key else ()), *(str(file) for file in files if file.exists())]


@options.command(name="backups")
def list_backups(json: options.Json = False) -> None:
    """List the backups that the bridge made by itself, in its folder and its bucket. The newest comes first."""
    from bridge import installation
    from bridge.documents.diagnostics import backups_document

    with installation.open_bridge() as bridge:
        body = backups_document(bridge)
    if json:
        show.document(body)
    elif body["backups"]:
        show.table(body["backups"], ("name", "place", "made_at", "bytes"))
    else:
        typer.echo("No backups are made by themselves yet. Name a place for them: BRIDGE_BACKUPS")


@options.command()
def restore(
    path: Annotated[
        Path,
        typer.Argument(
            help="A file that bridge backup wrote, or a name that bridge backups lists, in the folder or bucket of "
            "BRIDGE_BACKUPS."
        ),
    ],
    replace: Annotated[
        bool,
        typer.Option("--replace", help="First delete all users and data of the store, which must otherwise be empty."),
    ] = False,
    identity: Annotated[
        Path | None,
        typer.Option(help="The age identity file that opens an encrypted backup. Default: this installation's."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Restore a backup into an empty store, on SQLite or PostgreSQL, decrypting it if it is encrypted.

    Stop the daemon and all workers before. With --replace, a damaged database is kept under another name.
    """
    from bridge import config, installation
    from bridge.daemon import backups, housekeeping
    from bridge.documents.text import counted_people
    from bridge.store import maintenance

    if replace and (aside := maintenance.set_damaged_aside(config.load().database, installation.now())):
        show.say(f"the damaged database is kept as {aside}", err=True)
    with installation.open_bridge() as bridge, show.Progress() as progress:
        with backups.fetched(bridge, path) as file, backups.readable(bridge, file, identity) as plain:
            housekeeping.restore(bridge, plain, replace=replace, progress=progress.steps, now=installation.now())
        people = len(bridge.store.people.users())
    body = {"path": str(path), "people": people}
    show.result(body, f"The data of {counted_people(people)} are back. See if all is well: bridge doctor", json=json)


@options.command()
def migrate(
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="The address of the database to copy to. A PostgreSQL database (postgresql://USER@HOST/NAME) must "
            "exist and hold no data. An SQLite file (sqlite:////FOLDER/FILE) is made if it is missing, else it "
            "must hold no data.",
        ),
    ],
    json: options.Json = False,
) -> None:
    """Copy the store into another database, all or nothing, and compare every row of both.

    The store stays as it is, and is still used until BRIDGE_DATABASE names the copy. Stop the daemon first.
    """
    from bridge import installation
    from bridge.daemon import housekeeping

    with installation.open_bridge() as bridge, show.Progress() as progress:
        moved = housekeeping.migrate(bridge, to, progress=progress.steps)
    rows = [{"table": m.table, "rows": m.rows, "verified": m.verified} for m in moved]
    if json:
        total = sum(m.rows for m in moved)
        show.document({"tables": rows, "rows": total, "verified": all(m.verified for m in moved)})
        return
    show.table(rows, ("table", "rows", "verified"))
    typer.echo("everything is there; from now on: export BRIDGE_DATABASE=ADDRESS, with the address you gave")


@options.command()
def views(
    drop: Annotated[bool, typer.Option("--drop", help="Drop the views instead.")] = False,
    json: options.Json = False,
) -> None:
    """Make read-only views in the database for programs such as Grafana. They hold no titles and no secrets."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        if drop:
            bridge.store.maintenance.drop_views()
        names = [] if drop else bridge.store.maintenance.make_views()
    show.result({"views": names}, f"made: {', '.join(names)}" if names else "The views are gone.", json=json)


@keys.command()
def rotate(json: options.Json = False) -> None:
    """Seal every consent with a new key and drop the old key. After an interruption, run the command again.

    If BRIDGE_KEY holds the key, first put a new key and a comma before it (see: bridge key new).
    """
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
