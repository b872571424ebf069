"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain import records
    from bridge.installation import Bridge
    from rhythm_env.interface import Meter


def only_user() -> str:
    """Return the name of the only user, for a command without ``--user``. Raises SetupError for none or several."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        names = [user.name for user in bridge.store.people.users()]
    if not names:
        raise SetupError("there is no user yet; add a user: bridge user add NAME")
    if len(names) > 1:
        known = ", ".join(names[:NAMES_SHOWN]) + (" and more" if len(names) > NAMES_SHOWN else "")
        raise SetupError(f"there are several users ({known}); say whose data it is: --user NAME")
    return names[0]


commands = typer.Typer()  # the product's; each module of the command line adds its own
command = commands.command
NAMES_SHOWN = 5
WHOSE = "The user's name. It may be left out if there is only one user."
NamedUser = Annotated[
    str, typer.Option("--user", "-u", help="The user's name. It must always be given.", show_default=False)
]
User = Annotated[
    str,
    typer.Option(
        "--user",
        "-u",
        help=WHOSE,
        default_factory=only_user,
        show_default=False,
    ),
]
OptionalUser = Annotated[str | None, typer.Option("--user", "-u", help=WHOSE, show_default=False)]
Source = Annotated[
    str | None, typer.Option("--source", "-s", help="Only this source (see: bridge sources). Default: all sources.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON document, instead of tables or sentences.")
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        help="Show what was known at this instant (ISO 8601 with offset, e.g. 2026-11-20T10:05:00+01:00). "
        "Default: now.",
        metavar="INSTANT",
    ),
]

ROW_ID_MAX = 2**53  # the largest integer that JSON readers keep exactly
INSTANT_EXAMPLE = "2026-11-20T10:05:00+01:00"
INSTANT_YEAR_MIN, INSTANT_YEAR_MAX = 1000, 9000  # leave room for the time read before and after an instant


@contextmanager
def opened(
    user: str, at: str | None = None, *, flights: bool = True
) -> Iterator[tuple[Bridge, records.User, datetime]]:
    """Yield (the installation, a user, the instant ``at`` or now).

    With ``flights``, the user's zone follows flights in the calendar.
    """
    from bridge import installation

    with installation.open_bridge() as bridge:
        when = instant(at) if at else installation.now()
        yield bridge, bridge.person(user, at=when) if flights else bridge.store.people.user(user), when


def instant(text: str) -> datetime:
    """Return the instant of an ISO 8601 text with an offset, in UTC.

    Raises SetupError for an unreadable text, a missing offset, and a year before 1000 or after 8999.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise SetupError(f"{text!r} is not an instant; write it like {INSTANT_EXAMPLE}") from None
    if at.tzinfo is None:
        raise SetupError(f"{text!r} has no offset; write it like {INSTANT_EXAMPLE}")
    if not INSTANT_YEAR_MIN <= at.year < INSTANT_YEAR_MAX:
        raise SetupError(f"{text!r} is too far in the past or future; write it like {INSTANT_EXAMPLE}")
    return at.astimezone(UTC)


def meter(text: str) -> Meter:
    """Return a meter by its name in any case. Raises SetupError for any other text."""
    from rhythm_env.interface import Meter

    try:
        return Meter(text.upper())
    except ValueError:
        raise SetupError(f"{text!r} is not a meter; write one of {', '.join(m.lower() for m in Meter)}") from None
