"""Run ``bridge connect`` and ``disconnect``, which obtain a user's consent at a source and end it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

WIDTH = 78


@options.command()
def connect(
    source: Annotated[str, typer.Argument(help="The source to connect (see: bridge sources).")],
    user: options.User,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Instead of an account: import the new files of this folder, which must exist, at every sync."
        ),
    ] = None,
    push: Annotated[
        bool,
        typer.Option(
            "--push",
            help="Instead of an account: make and print a token with which an app on the phone sends data, e.g. for "
            "health_auto_export. An earlier token stops working.",
        ),
    ] = False,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser",
            help="Open no browser. The address of the consent page is printed, and a terminal asks for the address "
            "that it redirects to.",
        ),
    ] = False,
    add: Annotated[
        bool,
        typer.Option(
            "--add",
            help="For ics: keep the addresses that are connected, and add another, up to 20. Without --add, the new "
            "consent replaces the first.",
        ),
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="Another source of the same vendor that the same consent connects, e.g. google_tasks with "
            "google_calendar. May be repeated."
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Also ask for permission to write accepted recommendations into a calendar of their own at the "
            "source, e.g. google_calendar. A later consent without this option ends the permission.",
        ),
    ] = False,
    url: Annotated[
        str | None,
        typer.Option(
            help="The address of the user's server, e.g. for caldav and home_assistant, or of the calendar for ics. "
            "Default: the source's setting, else it is asked for."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="The login name at the server; for home_assistant the phone as its sensors are called, e.g. "
            "pixel_8. Default: the source's setting. A terminal asks for the password or token; scripts send "
            "it as a line on standard input."
        ),
    ] = None,
    ca: Annotated[
        str | None,
        typer.Option(
            help="For a server of your own, at caldav and ics: a file with its certificate, or with that of the "
            "authority that signed it (PEM). It is trusted for this address alone."
        ),
    ] = None,
) -> None:
    """Obtain a user's consent at a source, connect a folder of its files, or let a phone app send its data."""
    from bridge.ingest import connecting

    with options.opened(user, flights=False) as (bridge, person, _):
        if push + write + (folder is not None) > 1:
            raise SetupError("--write, --folder and --push exclude each other; give at most one of them")
        if push:
            _grant_push(bridge, person, source)
            return
        if folder is None:
            _say_what_is_asked(source, write=write)
            browser, typed = Terminal(headless=no_browser), {"url": url, "name": name, "ca": ca}
            wanted = connecting.NewConsent(
                source=source, write=write, also=also or (), given=typed, by_operator=True, add=add
            )
            connecting.connect(bridge, person, wanted, browser)
        else:
            connecting.connect_folder(bridge, person, source, folder)
    typer.echo(f"{source} is connected. Next: bridge sync --user {user}")


def _say_what_is_asked(source: str, *, write: bool) -> None:
    from textwrap import fill

    from bridge import registry

    spec = registry.spec(source)
    what = ", ".join(sorted(str(kind).replace("_", " ") for kind in spec.delivers))
    also = ", and write advice you accept, on a calendar of its own there" if write and spec.writes else ""
    told = (
        f"{spec.title} is asked to let this machine read: {what}{also}. What is read stays on this machine, unless you "
        "have switched on notifications, a language model or an assistant."
    )
    typer.echo(fill(told, WIDTH), err=True)


def _grant_push(bridge: Bridge, user: User, source: str) -> None:
    """Make and print a push token, which replaces an earlier one. Raises SetupError if the source takes no pushes."""
    from bridge.ingest.pushes import PUSH_PATH, grant

    token = grant(bridge, user, source)
    typer.echo(f"Token (it is not kept and not shown again; the one before has ended): {token}")
    typer.echo(f"In the app: POST to {PUSH_PATH}{source} with the header  Authorization: Bearer TOKEN")
    typer.echo("Next: bridge serve-push")


@options.command()
def disconnect(
    source: Annotated[
        str, typer.Argument(help="The source to disconnect, which must be connected (see: bridge status --user NAME).")
    ],
    user: options.User,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the data that came from there. Without --keep they are deleted.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask for confirmation. Without a terminal this option is needed.")
    ] = False,
) -> None:
    """Revoke the consent at a source and delete the data that came from there, or keep the data (--keep)."""
    from bridge.ingest import connecting

    with options.opened(user, flights=False) as (bridge, person, _):
        connecting.connections_of(bridge, person, source)
        if not yes:
            rows = sum(bridge.store.reading.counts(person.id).get(source, {}).values())
            _ask_to_disconnect(source, user, rows, keep=keep)
        confirmed = connecting.disconnect(bridge, person, source, keep=keep)
    done = f"{source} is disconnected and its data {'kept' if keep else 'deleted'}."
    typer.echo(done + ("" if confirmed else " Revoke it there as well."))


def _ask_to_disconnect(source: str, user: str, rows: int, *, keep: bool) -> None:
    """Ask for confirmation, and end the command if the answer is no. Raises SetupError without a terminal."""
    if not sys.stdin.isatty():
        again = f"bridge disconnect {source} --user {user}"
        ways = f"{again} --keep --yes" if keep else f"{again} --yes, or keep its data: {again} --keep --yes"
        raise SetupError(
            f"nothing was disconnected, because there is no terminal to ask for confirmation; to go on: {ways}"
        )
    data = f"keep its {rows:,} rows" if keep else f"delete its {rows:,} rows for good (--keep keeps them)"
    typer.confirm(f"Disconnect {source}, revoke its consent and {data}?", abort=True, err=True)


class Terminal:
    """The terminal at which a user gives consent to a source. With ``headless`` no browser is opened."""

    def __init__(self, *, headless: bool) -> None:
        self._headless = headless

    def open(self, url: str, code: str | None = None) -> None:
        """Print the address of a consent page and the code to type there, and open it in a browser unless headless."""
        import webbrowser

        if code is None:
            typer.echo(f"Open this address to give your consent:\n{url}", err=True)
        else:
            typer.echo(f"Open this address and type the code {code} to give your consent:\n{url}", err=True)
        if not self._headless:
            webbrowser.open(url)

    def paste(self) -> str | None:
        """Return the address that the source redirected to, asked for at the terminal, if headless.

        Returns None otherwise, or without a terminal.
        """
        if not self._headless or not sys.stdin.isatty():
            return None
        pasted: str = typer.prompt("The address you were redirected to", err=True)
        return pasted

    def ask(self, question: str) -> str | None:
        """Return the answer to ``question``, typed at the terminal without being shown, or a line of standard input.

        Returns None if it is empty.
        """
        if sys.stdin.isatty():
            typed: str = typer.prompt(question, hide_input=True, err=True)
            return typed.strip() or None
        typer.echo(question, err=True)
        return sys.stdin.readline().strip() or None
