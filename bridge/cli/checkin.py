"""Run ``bridge checkin``, which records how a user feels and lists the last check-ins."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.slots import ZoneHistory
    from rhythm_env.interface import Meter

DAYS_LISTED = 14
NEGATIVE_NUMBERS_ALLOWED = {"ignore_unknown_options": True}  # -1 is a wrong score, not an unknown option
DONE = {"new": "noted", "updated": "corrected", "unchanged": "as noted before"}


def register(app: typer.Typer) -> None:
    app.command(context_settings=NEGATIVE_NUMBERS_ALLOWED)(checkin)


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
    json: options.Json = False,
) -> None:
    """Record how you are, as a whole or by meter. A second check-in of the same minute and meter corrects the first."""
    from bridge.documents.inputs import parse_meter, parse_score

    about = parse_meter(meter, user) if meter is not None else None
    if score is not None:
        _say(user, parse_score(score, user), about, at, json=json)
    elif at is not None:
        raise SetupError(f"--at goes with a score: bridge checkin SCORE --at {at} --user {user}")
    else:
        _list(user, about, json=json)


def _say(user: str, score: float, about: Meter | None, at: str | None, *, json: bool) -> None:
    from bridge.documents.meters import checkin_document
    from bridge.ingest import checkins

    with options.opened(user) as (bridge, person, now):
        said = checkins.CheckIn(at=options.instant(at) if at else now, score=score, about=about)
        outcome = checkins.record_check_in(bridge.store, person, said, now=now)
    body = checkin_document(said, person.zones)
    text = f"{_name(about)} {score:g} ({_local(said.at, person.zones):%a %H:%M}): {DONE[outcome]}."
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
