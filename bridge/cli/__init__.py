"""The command line: every command parses, calls one function and prints.

Exit codes: 0 done, 1 partly, 2 something must be set up first, 3 log in again. With ``--json`` standard output is
exactly one JSON document; progress goes to standard error.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from bridge.cli import (
    advice,
    calendar,
    care,
    checkin,
    classify,
    data,
    evaluation,
    fleet,
    keeping,
    key,
    live,
    llm,
    mcp,
    meters,
    notify,
    people,
    personalise,
    push,
    recordings,
    service,
    simulation,
    tokens,
    trace,
    training,
    validation,
    web,
    worker,
)
from bridge.errors import BridgeError, NeedsLogin, SetupError

app = typer.Typer(
    name="bridge",
    help="Connect a life-management model to a real life: sync a watch and a calendar, read five meters, get advice.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (
    people,
    tokens,
    data,
    push,
    checkin,
    meters,
    advice,
    notify,
    calendar,
    classify,
    care,
    trace,
    fleet,
    worker,
    key,
    keeping,
    service,
    recordings,
    simulation,
    live,
    evaluation,
    personalise,
    training,
    llm,
    validation,
    mcp,
    web,
):
    group.register(app)


def main() -> None:
    """Run a command; an error of ours is one sentence and an exit code, never a traceback.

    What the terminal's encoding has no letter for is a question mark.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        app()
    except BridgeError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(exit_code(error))


def exit_code(error: BridgeError) -> int:
    match error:
        case NeedsLogin():
            return 3
        case SetupError():
            return 2
        case _:
            return 1
