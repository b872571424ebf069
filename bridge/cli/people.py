"""``bridge user`` and ``bridge connect``: people and their consents."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.errors import SetupError

if TYPE_CHECKING:
    from bridge.app import Bridge
    from bridge.ports import User

users = typer.Typer(help="Add and list the people this installation serves.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(users, name="user")
    app.command()(connect)
    app.command()(disconnect)
    app.command()(export)
    app.command()(forget)


@users.command()
def add(
    name: Annotated[str, typer.Argument(help="Letters, digits, dot, dash, underscore.")],
    zone: Annotated[str | None, typer.Option(help="IANA time zone they live in; default: this machine's.")] = None,
    json: options.Json = False,
) -> None:
    """Add a person. Nothing else has to be set up before."""
    from bridge import app

    with app.open_bridge() as bridge:
        user = bridge.store.add_user(name, zone or local_zone(), now=app.now())
    body = {"name": user.name, "zone": user.zones[-1].zone}
    show.result(body, f"{user.name} lives in {body['zone']}. Next: bridge connect SOURCE --user {user.name}", json=json)


@users.command("list")
def list_users(json: options.Json = False) -> None:
    """List everybody."""
    from bridge import app

    with app.open_bridge() as bridge:
        rows = [{"name": u.name, "zone": u.zones[-1].zone} for u in bridge.store.users()]
    show.table(rows, ("name", "zone"), json=json)


@users.command()
def zone(
    name: Annotated[str, typer.Argument()],
    zone: Annotated[str, typer.Argument(help="IANA time zone, e.g. Europe/Lisbon.")],
    since: Annotated[
        str | None, typer.Option(help="From this instant on (ISO 8601 with offset); default: now.")
    ] = None,
) -> None:
    """Say that a person now lives in another zone; the past keeps the old one."""
    from bridge import app

    at = options.instant(since) if since else app.now()
    with app.open_bridge() as bridge:
        user = bridge.store.user(name)
        bridge.store.set_zone(user.id, zone, since=at)
    typer.echo(f"{name} lives in {zone} from {since or 'now'} on.")


def connect(
    source: Annotated[str, typer.Argument(help="A source (see: bridge sources).")],
    user: options.User,
    folder: Annotated[
        Path | None, typer.Option(help="Instead of an account: import what is new in this folder at every sync.")
    ] = None,
    push: Annotated[
        bool, typer.Option("--push", help="Instead of an account: give a token for what an app on the phone sends.")
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address to open; paste the redirected one back.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option("--write", help="Also let advice you accept be written there, on its own calendar."),
    ] = False,
) -> None:
    """Obtain a person's consent at a source, connect a folder that its files appear in, or let an app send them."""
    from bridge import app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        if push + write + (folder is not None) > 1:
            raise SetupError("an account, a folder or an app: of --write, --folder and --push, take one")
        if push:
            allow_push(bridge, person, source)
            return
        if folder is None:
            _say_what_is_asked(source, write=write)
            app.connect(bridge, person, source, Terminal(headless=no_browser), write=write)
        else:
            app.connect_folder(bridge, person, source, folder)
    typer.echo(f"{source} is connected. Next: bridge sync --user {user}")


def _say_what_is_asked(source: str, *, write: bool) -> None:
    """What the person is about to agree to."""
    from bridge import registry

    spec = registry.spec(source)
    what = ", ".join(sorted(str(kind).replace("_", " ") for kind in spec.delivers))
    also = ", and write advice you accept, on a calendar of its own there" if write and spec.writes else ""
    typer.echo(
        f"{spec.title} is asked to let this machine read: {what}{also}. What is read stays on this machine, unless you "
        "have switched on notifications, a language model or an assistant.",
        err=True,
    )


def allow_push(bridge: Bridge, person: User, source: str) -> None:
    """Show a new token, once."""
    from bridge.push.inbox import grant
    from bridge.push.server import PATH

    token = grant(bridge, person, source)
    typer.echo(f"Token (it is not kept and not shown again; the one before has ended): {token}")
    typer.echo(f"In the app: POST to {PATH}{source} with the header  Authorization: Bearer TOKEN")
    typer.echo("Next: bridge serve-push")


def disconnect(source: Annotated[str, typer.Argument()], user: options.User) -> None:
    """Revoke a consent and delete everything that came through it."""
    from bridge import app

    with app.open_bridge() as bridge:
        confirmed = app.disconnect(bridge, bridge.store.user(user), source)
    typer.echo(f"{source} is disconnected and its data deleted." + ("" if confirmed else " Revoke it there as well."))


def export(
    user: options.User,
    to: Annotated[Path | None, typer.Option(help="An empty or new folder; default: NAME-export here.")] = None,
    kind: Annotated[str, typer.Option("--format", help="json, csv or parquet.")] = "json",
    json: options.Json = False,
) -> None:
    """Write everything a person has (but their consents) into a folder; bridge import reads it back in."""
    from bridge import app, archive

    folder = to or Path(f"{user}-export")
    with app.open_bridge() as bridge:
        counts = archive.write(bridge.store.dump(bridge.store.user(user).id), folder, kind)
    if json:
        show.document({"folder": str(folder), "format": kind, "tables": counts})
        return
    show.table([{"table": name, "rows": rows} for name, rows in counts.items()], ("table", "rows"))
    typer.echo(f"Written to {folder}. It is private: keep it where only you can read it.")


def forget(
    user: options.User,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; scripts are never asked.")] = False,
    json: options.Json = False,
) -> None:
    """Revoke a person's consents and delete everything about them, for good."""
    from bridge import app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        if not yes and sys.stdin.isatty():
            typer.confirm(f"Delete everything about {user}? It cannot be undone", abort=True, err=True)
        unconfirmed = app.forget(bridge, person)
    left = f" Revoke it there as well: {', '.join(unconfirmed)}." if unconfirmed else ""
    show.result(
        {"user": user, "forgotten": True, "not_confirmed": unconfirmed}, f"{user} is forgotten.{left}", json=json
    )


class Terminal:
    """The person at this terminal."""

    def __init__(self, *, headless: bool) -> None:
        self._headless = headless

    def open(self, url: str) -> None:
        typer.echo(f"Open this address to give your consent:\n{url}", err=True)
        if not self._headless:
            webbrowser.open(url)

    def paste(self) -> str | None:
        if not self._headless or not sys.stdin.isatty():
            return None
        pasted: str = typer.prompt("The address you were redirected to", err=True)
        return pasted

    def ask(self, question: str) -> str | None:
        if sys.stdin.isatty():
            typed: str = typer.prompt(question, hide_input=True, err=True)
            return typed.strip() or None
        return sys.stdin.readline().strip() or None


def local_zone() -> str:
    """This machine's IANA zone, UTC where it has none."""
    target = Path("/etc/localtime").resolve().as_posix()
    _, found, name = target.partition("zoneinfo/")
    return name if found else "UTC"
