"""``bridge checkin``: saying how it is, and reading what was said."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError
from rhythm_env.interface import Meter, ZoneHistory, zone_at

if TYPE_CHECKING:
    from bridge.checkin import CheckIn

BACK = 14  # days listed
LIKE_NUMBERS = {"ignore_unknown_options": True}  # -1 is a wrong score, not an unknown option
DONE = {"new": "noted", "updated": "corrected", "unchanged": "as noted before"}


def register(app: typer.Typer) -> None:
    app.command(context_settings=LIKE_NUMBERS)(checkin)


def checkin(
    user: options.User,
    score: Annotated[
        str | None, typer.Argument(help="1 (bad) to 5 (good), halves included; without it: what you said of late.")
    ] = None,
    meter: Annotated[
        str | None, typer.Option(help="What it is about, e.g. vitality; default: life as a whole.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="When it was so (ISO 8601 with offset); default: now.", metavar="INSTANT")
    ] = None,
    json: options.Json = False,
) -> None:
    """Say how you are, as a whole or by meter; said again within the minute, it corrects what you said."""
    about = meter_of(meter, user) if meter is not None else None
    if score is not None:
        _say(user, score_of(score, user), about, at, json=json)
    elif at is not None:
        raise SetupError(f"--at goes with a score: bridge checkin SCORE --at {at} --user {user}")
    else:
        _list(user, about, json=json)


def _say(user: str, score: float, about: Meter | None, at: str | None, *, json: bool) -> None:
    from bridge import app, checkin

    with app.open_bridge() as bridge:
        person, now = bridge.store.user(user), app.now()
        said = checkin.CheckIn(at=options.instant(at) if at else now, score=score, about=about)
        outcome = checkin.say(bridge.store, person, said, now=now)
    body = row(said, person.zones)
    text = f"{_name(about)} {score:g} ({_local(said.at, person.zones):%a %H:%M}): {DONE[outcome]}."
    show.result({**body, "outcome": outcome}, text, json=json)


def _list(user: str, about: Meter | None, *, json: bool) -> None:
    from bridge import app, checkin

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        since = (_local(app.now(), person.zones) - timedelta(days=BACK - 1)).date()
        found = checkin.recent(bridge.store, person, since=since)
    shown = [said for said in found if about in (None, said.about)]
    if json:
        show.document([row(said, person.zones) for said in shown])
        return
    rows = [
        {"when": f"{_local(s.at, person.zones):%a %d %b %H:%M}", "about": _name(s.about), "score": f"{s.score:g}"}
        for s in shown
    ]
    show.table(rows, ("when", "about", "score"))


def row(said: CheckIn, zones: ZoneHistory) -> dict[str, Any]:
    """An answer as ``--json`` prints it."""
    about = None if said.about is None else str(said.about)
    return {"at": _local(said.at, zones).isoformat(), "about": about, "score": said.score}


def score_of(text: str, user: str) -> float:
    """A whole or half number from 1 to 5. Raises SetupError for anything else."""
    try:
        score = float(text)
    except ValueError:
        score = 0.0
    if not 1 <= score <= 5 or score * 2 % 1:
        raise SetupError(
            f"{text!r} is no score; say 1 (bad) to 5 (good), halves included: bridge checkin 3.5 --user {user}"
        )
    return score


def meter_of(text: str, user: str) -> Meter:
    try:
        return Meter(text.upper())
    except ValueError:
        known = ", ".join(meter.lower() for meter in Meter)
        raise SetupError(
            f"there is no meter {text!r} (there are: {known}): bridge checkin 3 --user {user} --meter vitality"
        ) from None


def _name(about: Meter | None) -> str:
    return "all" if about is None else about.lower()


def _local(at: datetime, zones: ZoneHistory) -> datetime:
    return at.astimezone(zone_at(at, zones))
