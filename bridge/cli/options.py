"""Options that several commands share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from bridge.errors import SetupError

User = Annotated[str, typer.Option("--user", "-u", help="Whose data.", show_default=False)]
Source = Annotated[str | None, typer.Option("--source", "-s", help="Only this source (see: bridge sources).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
At = Annotated[
    str | None, typer.Option("--at", help="As it was known at this instant (ISO 8601 with offset).", metavar="INSTANT")
]

EXAMPLE = "2026-11-20T10:05:00+01:00"
EARLIEST, LATEST = 1000, 9000  # years: what is read lies some way before and after an instant

LARGEST = 2**53  # no row has a larger number


def instant(text: str) -> datetime:
    """An aware instant from the command line. Raises SetupError for a naive or unreadable one, or one out of reach."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise SetupError(f"{text!r} is not an instant; write it like {EXAMPLE}") from None
    if at.tzinfo is None:
        raise SetupError(f"{text!r} has no offset; write it like {EXAMPLE}")
    if not EARLIEST <= at.year < LATEST:
        raise SetupError(f"{text!r} is out of reach; write it like {EXAMPLE}")
    return at.astimezone(UTC)
