"""The command line. A command reads its options, calls one function and prints the result.

Exit codes: 0 done, 1 done in part, 2 something must be set up first, 3 a user must log in again. With ``--json``
standard output is exactly one JSON document; progress goes to standard error.
"""

# ruff: noqa: E402
from __future__ import annotations

import gc

gc.set_threshold(
    100_000
)  # new objects between two collections, which take a tenth of the time that modules take to load

import atexit
import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from bridge import __version__
from bridge.cli import by_name, options, show
from bridge.domain.errors import BridgeError, Fault, NeedsLogin, SetupError, StoreFault

GROUPS = {  # titles of the help -> commands; commands of other packages follow
    "Begin": ("up", "demo", "user", "connect", "import", "sync", "status", "doctor"),
    "Every day": (
        "today",
        "plan",
        "recommend",
        "feedback",
        "checkin",
        "note",
        "meters",
        "calendar",
        "wish",
        "mode",
        "notify",
    ),
    "Looking back": (
        "history",
        "review",
        "days",
        "query",
        "ask",
        "factors",
        "explain",
        "effect",
        "trial",
        "watch",
        "routine",
        "trace",
        "observe",
    ),
    "Data": ("sources", "prefer", "share", "disconnect", "export", "forget", "rebuild", "classify", "personalise"),
    "Running it": ("web", "daemon", "worker", "service", "serve-push", "token", "mcp"),
    "Keeping it": (
        "backup",
        "backups",
        "restore",
        "migrate",
        "tidy",
        "key",
        "record",
        "replay",
        "diagnostics",
        "views",
    ),
}


MODULES = {  # of this package -> their commands
    "advice": ("observe", "today", "recommend", "feedback", "personalise"),
    "calendar": ("calendar",),
    "checkin": ("checkin", "note", "factors"),
    "classify": ("classify",),
    "connect": ("connect", "disconnect"),
    "data": ("sync", "import", "rebuild"),
    "maintenance": ("tidy", "backup", "backups", "restore", "migrate", "views", "key"),
    "mcp": ("mcp",),
    "meters": ("explain", "days", "meters"),
    "plan": ("plan", "routine", "wish"),
    "preferences": ("mode", "prefer", "share", "watch", "notify"),
    "query": ("query", "ask", "trace"),
    "recordings": ("record", "replay", "demo"),
    "review": ("review", "history", "effect", "trial"),
    "servers": ("up", "daemon", "worker", "web", "serve-push", "service"),
    "status": ("sources", "status", "doctor", "diagnostics"),
    "users": ("export", "forget", "user", "token"),
}


class ByName(by_name.ByName):
    """The command group of ``bridge``, with the product's commands and those that installed packages add."""

    found = by_name.Commands(options.commands, {f"{__name__}.{module}": names for module, names in MODULES.items()})
    groups = GROUPS


def print_version(wanted: bool) -> None:
    """Print the version and end the command, if ``--version`` was given."""
    if wanted:
        typer.echo(f"rhythm-bridge {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="bridge",
    cls=ByName,
    help="Connect a life-management model to a real life: sync a watch and a calendar, read five meters, get advice.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def private(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - the option's callback prints it
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=print_version)
    ] = False,
) -> None:
    """Set the umask for a command, so that only the owner can read the files and folders that it writes."""
    before = os.umask(0o077)
    context.call_on_close(lambda: os.umask(before))


def main() -> None:
    """Run the command in the program's arguments. A BridgeError ends the program with its exit code.

    OpenBLAS gets one thread, because its threads would only wait for each other on small matrices.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    atexit.register(gc.freeze)  # else the interpreter looks through all modules before it ends
    try:
        app()
    except BridgeError as error:
        show.say(f"error: {error}", err=True)
        if _is_of_damage(error):
            from bridge import config
            from bridge.daemon import backups

            show.say(backups.way_back(config.load()), err=True)
        sys.exit(exit_code(error))


def _is_of_damage(error: BridgeError) -> bool:
    if error.__cause__ is None and not isinstance(error, StoreFault):
        return False
    from bridge.store import faults

    return Fault.DAMAGED in (faults.kind_of(error), error.__cause__ and faults.kind_of(error.__cause__))


def exit_code(error: BridgeError) -> int:
    """Return the exit code of an error: 3 if a user must log in again, 2 if something must be set up, else 1."""
    match error:
        case NeedsLogin():
            return 3
        case SetupError():
            return 2
        case _:
            return 1
