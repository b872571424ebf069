"""``bridge key``: the key that seals the consents."""

from __future__ import annotations

import typer

from bridge.cli import options, show

keys = typer.Typer(help="Rotate the key that seals the consents.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(keys, name="key")


@keys.command()
def rotate(json: options.Json = False) -> None:
    """Seal every consent with a new key and drop the old one; run it again if it was interrupted."""
    from bridge import app, keyplace, rotation

    with app.open_bridge() as bridge:
        done = rotation.rotate(bridge.store, keyplace.place_of(bridge.settings.key, bridge.settings.folder))
        lost = [
            f"bridge connect {connection.source} --user {user.name}"
            for user in bridge.store.users()
            for connection in bridge.store.connections(user.id)
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
    """Print a fresh key, for a BRIDGE_KEY of your own."""
    from bridge import keyplace

    typer.echo(keyplace.new_key())
