"""Run ``bridge calendar``: print a week in 28 slots or as iCalendar (RFC 5545), and mark whose each entry is."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.advice.week import Week
    from bridge.advice.whose import Marked
    from bridge.domain.records import Recommendation
    from bridge.domain.slots import Moment
    from bridge.domain.types import Label, Occurrence

Name = Annotated[str, typer.Argument(help="A calendar's name (see: bridge calendar list).", show_default=False)]
COLUMNS = ("name", "source", "used", "entries", "titles")


class BareWeek(TyperGroup):
    """A command group that takes ``--week`` without a value as the current week."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        kept = [
            argument
            for argument, following in pairwise([*args, "-"])
            if argument != "--week" or not following.startswith("-")
        ]
        return super().parse_args(ctx, kept)


calendars = typer.Typer(
    cls=BareWeek, help="Print a week in 28 slots (four a day), or say which calendars count and whose an entry is."
)
options.commands.add_typer(calendars, name="calendar")


@calendars.callback(invoke_without_command=True)
def calendar(
    context: typer.Context,
    user: options.OptionalUser = None,
    week: Annotated[
        str | None,
        typer.Option(
            help="A week such as 2026-W47, or a date in it such as 2026-11-20. Default: this week.", metavar="WEEK|DATE"
        ),
    ] = None,
    ics: Annotated[
        Path | None,
        typer.Option(
            help="Also write the week's events, with their actions, and the accepted or moved advice into this "
            "iCalendar file (.ics). An old file is replaced."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Print a week in 28 slots (four a day), with the action of each event and why, and the facts of each slot."""
    if context.invoked_subcommand is not None:
        return
    user = user or options.only_user()
    from bridge.advice import week as weeks
    from bridge.documents.calendar import week_document

    with options.opened(user) as (bridge, person, now):
        monday = weeks.monday_of(week, now, person.zones)
        found = weeks.load_week(bridge, person, monday, at=now)
    if ics is not None:
        _write(ics, found)
    if json:
        show.document({"user": user, **week_document(found)})
    else:
        from bridge.cli.week_table import draw

        draw(user, found)


def _write(path: Path, week: Week) -> None:
    from bridge.ingest.files import make_private

    try:
        make_private(path)
        path.write_bytes(to_icalendar(week))
    except OSError as error:
        raise SetupError(f"{path} cannot be written ({error.strerror}); give another --ics FILE") from None
    typer.echo(f"written: {path}", err=True)


def to_icalendar(week: Week) -> bytes:
    """Return a week as an iCalendar file. An event in several slots is written once."""
    from icalendar import Calendar

    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//week//EN")
    body.add("version", "2.0")
    shown = {(o.event.calendar, o.key): (o, label) for slot in week.slots for o, label in slot.entries}
    for occurrence, label in shown.values():
        body.add_component(_entry(occurrence, label, week))
    for advice, moment in _taken(week):
        body.add_component(_advice(advice, moment, week))
    written: bytes = body.to_ical()
    return written


def _entry(occurrence: Occurrence, label: Label, week: Week) -> Any:
    from bridge.documents.text import title_of
    from bridge.domain.slots import local_time

    event = occurrence.event
    entry = _new_entry(f"{event.calendar}/{occurrence.key}", title_of(event), week)
    if event.all_day:
        for name, at in (("dtstart", occurrence.start), ("dtend", occurrence.end)):
            entry.add(name, local_time(at, week.zones).date())
    else:
        entry.add("dtstart", occurrence.start)
        if occurrence.end > occurrence.start:  # an end must be later (3.6.1); without one the entry is an instant
            entry.add("dtend", occurrence.end)
    entry.add("transp", "OPAQUE" if event.busy else "TRANSPARENT")
    entry.add("class", "PRIVATE" if event.private else "PUBLIC")
    if label.action is not None:
        entry.add("categories", [str(label.action)])
    entry.add("x-rhythm-probability", f"{label.confidence:.3f}")
    entry.add("x-rhythm-by", label.by)
    entry.add("x-rhythm-why", label.why)
    return entry


def _taken(week: Week) -> Iterator[tuple[Recommendation, Moment]]:
    from rhythm_env.interface import Answer

    for slot in week.slots:
        moment = slot.facts.moment
        for advice in slot.advice:
            accepted = advice.answer is Answer.ACCEPT and advice.moment == moment
            if accepted or (advice.answer is Answer.RESCHEDULE and advice.moved_to == moment):
                yield advice, moment


def _advice(advice: Recommendation, moment: Moment, week: Week) -> Any:
    from bridge.domain.slots import slot_bounds

    entry = _new_entry(f"advice/{advice.id}", f"{advice.action} (advised)", week)
    for name, at in zip(("dtstart", "dtend"), slot_bounds(moment, week.zones), strict=True):
        entry.add(name, at)
    entry.add("transp", "TRANSPARENT")
    entry.add("categories", [str(advice.action), "ADVICE"])
    entry.add("x-rhythm-advice", str(advice.answer))
    entry.add("x-rhythm-by", advice.policy)
    return entry


def _new_entry(key: str, title: str, week: Week) -> Any:
    from hashlib import blake2b

    from icalendar import Event

    entry = Event()
    # The key is hashed, because a calendar's name may be an e-mail address.
    entry.add("uid", f"{blake2b(key.encode(), digest_size=16).hexdigest()}@rhythm-bridge")
    entry.add("dtstamp", week.at)
    entry.add("summary", title)
    return entry


@calendars.command(name="list")
def list_calendars(user: options.User, json: options.Json = False) -> None:
    """List your calendars, ignored ones included, with the entries of each within half a year."""
    from bridge import installation
    from bridge.advice import whose

    with installation.open_bridge() as bridge:
        found = whose.calendars(bridge.store, bridge.store.people.user(user), now=installation.now())
    _print(found, json=json)


@calendars.command()
def use(name: Name, user: options.User, json: options.Json = False) -> None:
    """Let a calendar's entries count again."""
    _use(name, user, used=True, json=json)


@calendars.command()
def ignore(name: Name, user: options.User, json: options.Json = False) -> None:
    """Ignore a calendar: none of its entries counts as yours. To undo it: bridge calendar use NAME"""
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


@calendars.command()
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
        str | None,
        typer.Argument(
            help="mine (which also takes an earlier mark back), not-mine, or no-time (yours, but it takes no time, "
            "such as a reminder)."
        ),
    ] = None,
    series: Annotated[bool, typer.Option("--series", help="Mark all entries of its series.")] = False,
    like: Annotated[
        bool,
        typer.Option(
            "--like", help="Mark all entries with the same person's name in the title, or with the same words."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Say whose an entry is. An entry that is not yours takes no time, and plans and meters ignore it."""
    from bridge.advice import whose as owning
    from bridge.calendar.ownership import Mark, Whose
    from bridge.documents.calendar import mark_document, marks_document

    if event is not None and (whose or "").lower() not in set(Whose):
        raise SetupError(
            f"{whose or 'nothing'} does not say whose the entry is; write mine, not-mine or no-time (yours, but it "
            f'takes no time): bridge calendar mark "{event}" not-mine --user {user}'
        )
    with options.opened(user, flights=False) as (bridge, person, now):
        if event is None or whose is None:
            known = owning.marks(bridge.store, person)
            body = marks_document(known, owning.doubts(bridge.store, person, now=now))
            _print_marks(body, user) if not json else show.document(body)
            return
        wanted = Mark(key=event, whose=Whose(whose.lower()), series=series, like=like)
        done = owning.mark(bridge.store, person, wanted, now=now)
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
