"""Run ``bridge calendar list``, ``use``, ``ignore`` and ``mark``: which calendars and entries are a user's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.advice.whose import Marked

Name = Annotated[str, typer.Argument(help="A calendar's name (see: bridge calendar list).", show_default=False)]
COLUMNS = ("name", "source", "used", "entries", "titles")


def register(app: typer.Typer) -> None:
    app.command(name="list")(list_calendars)
    app.command()(use)
    app.command()(ignore)
    app.command()(mark)


def list_calendars(user: options.User, json: options.Json = False) -> None:
    """List your calendars, with those that are left out, and what stands in each within half a year."""
    from bridge import installation
    from bridge.advice.whose import calendars

    with installation.open_bridge() as bridge:
        found = calendars(bridge.store, bridge.store.people.user(user), now=installation.now())
    _print(found, json=json)


def use(name: Name, user: options.User, json: options.Json = False) -> None:
    """Let a calendar's entries count again."""
    _use(name, user, used=True, json=json)


def ignore(name: Name, user: options.User, json: options.Json = False) -> None:
    """Leave a calendar out: none of its entries is yours. To undo it: bridge calendar use NAME"""
    _use(name, user, used=False, json=json)


def _use(name: str, user: str, *, used: bool, json: bool) -> None:
    from bridge.advice import whose

    with options.opened(user, flights=False) as (bridge, person, now):
        found = whose.use(bridge.store, person, name, used=used, now=now)
    _print(found, json=json)


def _print(found: Any, *, json: bool) -> None:
    from bridge.documents.calendar import calendar_use_document

    rows = [calendar_use_document(one) for one in found]
    if json:
        show.document(rows)
    elif rows:
        show.table([{**row, "titles": ", ".join(row["titles"])} for row in rows], COLUMNS)
    else:
        typer.echo("No calendar is connected yet; see: bridge sources")


def mark(
    user: options.User,
    event: Annotated[
        str | None,
        typer.Argument(
            help="An entry's title, or its key in bridge calendar --json. Without it, show what you said and what "
            "the bridge asks."
        ),
    ] = None,
    whose: Annotated[
        str | None, typer.Argument(help="mine (which takes a mark back), not-mine, or no-time for a reminder.")
    ] = None,
    series: Annotated[bool, typer.Option("--series", help="All entries of its series.")] = False,
    like: Annotated[
        bool,
        typer.Option("--like", help="All entries like it: of the same person's name in the title, or the same words."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Say whose an entry is. What is not yours makes no busy time, and no plan or meter knows it."""
    from bridge.advice import whose as owning
    from bridge.calendar.ownership import Whose
    from bridge.documents.calendar import mark_document, marks_document

    if event is not None and (whose or "").lower() not in set(Whose):
        raise SetupError(f'say mine, not-mine or no-time: bridge calendar mark "{event}" not-mine --user {user}')
    with options.opened(user, flights=False) as (bridge, person, now):
        if event is None or whose is None:
            known = owning.marks(bridge.store, person)
            body = marks_document(known, owning.doubts(bridge.store, person, now=now))
            _print_marks(body, user) if not json else show.document(body)
            return
        said = Whose(whose.lower())
        done = owning.mark(bridge.store, person, event, said, now=now, series=series, like=like)
    kept = done.mark or owning.taken_back(done)
    show.result({**mark_document(kept), "changes": done.changes}, _said(done, user, like=like), json=json)


def _said(done: Marked, user: str, *, like: bool) -> str:
    from bridge.calendar.owners import spelt

    title = done.event.title if done.event.title and not done.event.private else "It"
    if done.mark is None:
        return f"{title}: yours again. {done.changes} entries of the next 60 days changed."
    held = "this entry"
    if done.mark.like:
        held = f"all entries of {spelt(done.mark.name, title)}" if done.mark.name else "all entries of these words"
    elif done.mark.series:
        held = "its series" + (", because others of this title may be anybody's" if like else "")
    undo = f'bridge calendar mark "{done.mark.key}" mine --user {user}'
    return f"{title}: {done.whose}, for {held}; {done.changes} of the next 60 days changed. To undo it: {undo}"


def _print_marks(body: Any, user: str) -> None:
    if body["marks"]:
        show.table(body["marks"], ("title", "whose", "since", "series", "like", "name", "event"))
    else:
        typer.echo("You said nothing of single entries yet.")
    for one in body["asked"]:
        command = f'bridge calendar mark "{one["title"]}" not-mine --like --user {user}'
        typer.echo(f"{one['title']}: whose is it? If not yours: {command}")
