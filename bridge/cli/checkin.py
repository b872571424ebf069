"""Run ``bridge checkin``, ``bridge note``, and ``bridge factors``, which shows how days differ after a note."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.slots import ZoneHistory
    from bridge.query.effects import Effect
    from rhythm_env.interface import Meter

DAYS_LISTED = 14
NEGATIVE_NUMBERS_ALLOWED = {"ignore_unknown_options": True}  # -1 is a wrong score, not an unknown option
DONE = {"new": "noted", "updated": "corrected", "unchanged": "as noted before", "deleted": "deleted"}


@options.command(context_settings=NEGATIVE_NUMBERS_ALLOWED)
def checkin(
    user: options.User,
    score: Annotated[
        str | None,
        typer.Argument(
            help="From 1 (bad) to 5 (good), halves included. Without a score, list the check-ins of the last 14 days."
        ),
    ] = None,
    meter: Annotated[
        str | None,
        typer.Option(
            help="The meter that the score is about: vitality, cognition, progress, serenity or connection. "
            "Default: life as a whole, or without a score all check-ins."
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="The instant that the score is about (ISO 8601 with offset). It needs a score. Default: now.",
            metavar="INSTANT",
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Delete the newest check-in.")] = False,
    json: options.Json = False,
) -> None:
    """Record how you are, as a whole or by meter. A second check-in of the same minute and meter corrects the first."""
    from bridge.documents.inputs import parse_meter, parse_score

    about = parse_meter(meter, user) if meter is not None else None
    if undo and not score == meter == at:
        raise SetupError(
            "--undo cannot be combined with a score or other options; leave them out: bridge checkin --undo --user "
            f"{user}"
        )
    if undo:
        _say(user, None, None, None, json=json)
    elif score is not None:
        _say(user, parse_score(score, user), about, at, json=json)
    elif at is not None:
        raise SetupError(f"--at needs a score: bridge checkin SCORE --at {at} --user {user}")
    else:
        _list(user, about, json=json)


def _say(user: str, score: float | None, about: Meter | None, at: str | None, *, json: bool) -> None:
    from bridge.documents.meters import checkin_document
    from bridge.ingest import checkins

    with options.opened(user) as (bridge, person, now):
        if score is None:
            said, outcome = checkins.forget_last(bridge.store, person, now=now), "deleted"
        else:
            said = checkins.CheckIn(at=options.instant(at) if at else now, score=score, about=about)
            outcome = checkins.record_check_in(bridge.store, person, said, now=now)
    body = checkin_document(said, person.zones)
    text = f"{_name(said.about)} {said.score:g} ({_local(said.at, person.zones):%a %H:%M}): {DONE[outcome]}."
    show.result({**body, "outcome": outcome}, text, json=json)


def _list(user: str, about: Meter | None, *, json: bool) -> None:
    from bridge.documents.meters import checkin_document
    from bridge.ingest import checkins

    with options.opened(user, flights=False) as (bridge, person, now):
        since = (_local(now, person.zones) - timedelta(days=DAYS_LISTED - 1)).date()
        found = checkins.recent(bridge.store, person, since=since)
    shown = [said for said in found if about in (None, said.about)]
    if json:
        show.document([checkin_document(said, person.zones) for said in shown])
        return
    rows = [
        {"when": f"{_local(s.at, person.zones):%a %d %b %H:%M}", "about": _name(s.about), "score": f"{s.score:g}"}
        for s in shown
    ]
    show.table(rows, ("when", "about", "score"))


def _name(about: Meter | None) -> str:
    return "all" if about is None else about.lower()


def _local(at: datetime, zones: ZoneHistory) -> datetime:
    from bridge.domain.slots import local_time

    return local_time(at, zones)


@options.command()
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
    """Note something that may matter, such as "alcohol 2". Assistants and messages never contain notes."""
    from bridge.documents.query import note_document
    from bridge.domain.slots import today_at
    from bridge.ingest import notes

    if (text is None and at is not None) or (text is not None and undo):
        raise SetupError(
            f'--at goes with a text, and --undo without one; write: bridge note --user {user} "late coffee", or: '
            f"bridge note --undo --user {user}"
        )
    with options.opened(user) as (bridge, person, now):
        if undo:
            said, outcome = notes.forget_last(bridge.store, person, now=now), "deleted"
        elif text is not None:
            said = notes.note_of(text, options.instant(at), user) if at else notes.said_note(text, person, now=now)
            outcome = notes.record_note(bridge.store, person, said, now=now)
        else:
            since = today_at(now, person.zones) - timedelta(days=DAYS_LISTED - 1)
            found = [note_document(one, person.zones) for one in notes.recent(bridge.store, person, since=since)]
            if json:
                show.document(found)
            else:
                show.table(found, ("at", "name", "amount"))
            return
    body = {**note_document(said, person.zones), "outcome": outcome}
    local = _local(said.at, person.zones)
    days_ago = (today_at(now, person.zones) - local.date()).days
    on = {0: "today", 1: "yesterday"}.get(days_ago, f"{local:%a %d %b}")
    told = f"{DONE[outcome]}: {said.name} {said.amount:g}, {on} {local:%H:%M}"
    show.result(body, told if said.timed else f"{told}, as no clock time was said", json=json)


@options.command()
def factors(user: options.User, json: options.Json = False) -> None:
    """Print how nights, heart and meters differ after what you note, late meetings or travel. This proves no cause."""
    from bridge.documents.query import effect_document
    from bridge.query.factors import factors as found_of

    with options.opened(user) as (bridge, person, now):
        found = found_of(bridge, person, now=now)
    if json:
        show.document([effect_document(one) for one in found])
    elif not found:
        show.say(f'Nothing is noted yet. Note what may matter: bridge note --user {user} "alcohol 2"')
    else:
        show.table(
            [_effect_row(one) for one in found], ("after days with", "next day", "difference", "days with", "known")
        )
        show.say(f"Differences go along with a factor; a trial shows what it does: bridge trial --user {user}")


def _effect_row(one: Effect) -> dict[str, str | None]:
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
