"""Run ``bridge note``, which keeps what a user notes, and ``bridge factors``, which tells what it goes with."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.query.effects import Effect

DAYS_LISTED = 14


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(note)
    app.command()(factors)


def note(
    user: options.User,
    text: Annotated[
        str | None,
        typer.Argument(help='What to note, with its amount, such as "alcohol 2". Without it, list the last 14 days.'),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(help="The instant that it is about (ISO 8601 with offset). Default: now.", metavar="INSTANT"),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Delete the newest note.")] = False,
    json: options.Json = False,
) -> None:
    """Note something that may matter, such as "alcohol 2". Notes stay here: no assistant or message tells them."""
    from bridge.documents.factors import note_document
    from bridge.domain.slots import local_time
    from bridge.ingest import notes

    if (text is None and at is not None) or (text is not None and undo):
        raise SetupError(f'--at goes with a text, and --undo without: bridge note --user {user} "late coffee"')
    with options.opened(user) as (bridge, person, now):
        if undo:
            said, outcome = notes.forget_last(bridge.store, person, now=now), "deleted"
        elif text is not None:
            said = notes.note_of(text, options.instant(at), user) if at else notes.said_note(text, person, now=now)
            outcome = notes.record_note(bridge.store, person, said, now=now)
        else:
            since = local_time(now, person.zones).date() - timedelta(days=DAYS_LISTED - 1)
            found = [note_document(one, person.zones) for one in notes.recent(bridge.store, person, since=since)]
            if json:
                show.document(found)
            else:
                show.table(found, ("at", "name", "amount"))
            return
    body = {**note_document(said, person.zones), "outcome": outcome}
    show.result(body, f"{said.name} {said.amount:g}: {outcome}.", json=json)


def factors(user: options.User, json: options.Json = False) -> None:
    """Print what notes, late meetings, travel and others go with: the next night, heart and meters. Not its cause."""
    from bridge.documents.factors import effect_document
    from bridge.query.factors import factors as found_of

    with options.opened(user) as (bridge, person, now):
        found = found_of(bridge, person, now=now)
    if json:
        show.document([effect_document(one) for one in found])
    elif not found:
        show.say(f'Nothing is noted yet. Note what may matter: bridge note --user {user} "alcohol 2"')
    else:
        show.table([_row(one) for one in found], ("after days with", "next day", "difference", "days with", "known"))
        show.say(f"Differences go along with a factor; a trial shows what it does: bridge trial --user {user}")


def _row(one: Effect) -> dict[str, str | None]:
    difference = None
    if one.effect is not None and one.interval is not None:
        low, high = one.interval
        difference = f"{one.effect:+.3g} {one.unit} ({low:+.3g} to {high:+.3g})"
    left = f"; about {one.days_left} more days with it" if one.days_left else "; smaller than matters"
    return {
        "after days with": one.factor,
        "next day": one.on,
        "difference": difference,
        "days with": f"{one.n_with} of {one.n_with + one.n_without}",
        "known": one.verdict + (left if one.verdict == "not known" else ""),
    }
