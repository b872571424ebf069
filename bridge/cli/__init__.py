"""The command line. A command reads its options, calls one function and prints the result.

Exit codes: 0 done, 1 done in part, 2 something must be set up first, 3 a user must log in again. With ``--json``
standard output is exactly one JSON document; progress goes to standard error.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from io import TextIOWrapper

import typer

from bridge.cli import (
    advice,
    calendar,
    checkin,
    classify,
    connect,
    data,
    demo,
    effect,
    maintenance,
    mcp,
    meters,
    notify,
    recordings,
    servers,
    status,
    trace,
    users,
)
from bridge.domain.errors import BridgeError, NeedsLogin, SetupError

COMMANDS_GROUP = "rhythm_bridge.commands"  # entry points that add commands, as the laboratory's do

app = typer.Typer(
    name="bridge",
    help="Connect a life-management model to a real life: sync a watch and a calendar, read five meters, get advice.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def private(context: typer.Context) -> None:
    """Let only the owner read the files (0600) and folders (0700) that a command writes."""
    before = os.umask(0o077)
    context.call_on_close(lambda: os.umask(before))


for group in (
    users,
    connect,
    data,
    status,
    demo,
    effect,
    meters,
    checkin,
    calendar,
    classify,
    advice,
    notify,
    trace,
    servers,
    mcp,
    maintenance,
    recordings,
):
    group.register(app)
for command in sorted(entry_points(group=COMMANDS_GROUP), key=lambda entry: entry.name):
    command.load()(app)


def main() -> None:
    """Run a command. An error of ours becomes a sentence and an exit code, never a traceback.

    Letters that the terminal's encoding lacks become question marks.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        app()
    except BridgeError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(exit_code(error))


def exit_code(error: BridgeError) -> int:
    """Return the exit code of an error."""
    match error:
        case NeedsLogin():
            return 3
        case SetupError():
            return 2
        case _:
            return 1
