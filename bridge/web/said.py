"""Prepare a user's check-ins and notes for the page, to be shown and taken back."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import Form

from bridge.domain.languages import _, date_text, number
from bridge.domain.noted import called
from bridge.domain.slots import zone_at
from bridge.ingest import checkins, notes
from bridge.ingest.checkins import CheckIn
from bridge.ingest.notes import Note
from bridge.web import phrases
from bridge.web.state import Visit
from rhythm_env.interface import Meter

A_DAY, LATELY = timedelta(days=1), timedelta(days=13)
# The page that a form goes back to, with the part that was changed, near which the keyboard then goes on.
Back = Annotated[str, Form(max_length=40, pattern=r"^/(factors|history|day\?date=\d{4}-\d\d-\d\d)?(#[a-z]+)?$")]


def said_on(visit: Visit, day: date) -> list[dict[str, str]]:
    """Return the user's check-ins and notes of a day for the template, newest first."""
    # Who has moved since then said it on another date.
    return [row(visit, one) for one in _said(visit, day - A_DAY) if visit.local(one.at).date() == day]


def said_lately(visit: Visit) -> list[dict[str, str]]:
    """Return the user's check-ins and notes of the last two weeks for the template, newest first."""
    return [row(visit, one) for one in _said(visit, visit.today - LATELY)]


def _said(visit: Visit, since: date) -> list[Note | CheckIn]:
    store, user = visit.bridge.store, visit.user
    said: list[Note | CheckIn] = [*notes.recent(store, user, since=since), *checkins.recent(store, user, since=since)]
    return sorted(said, key=lambda one: one.at, reverse=True)


def row(visit: Visit, one: Note | CheckIn) -> dict[str, str]:
    at = date_text(visit.local(one.at), "%a %-d %b, %H:%M")
    if isinstance(one, CheckIn):
        return {"action": "/checkin/back", "key": key_of(one), "what": _told(one), "at": at}
    what = called(one.name) if one.amount == 1 else f"{called(one.name)} {number(one.amount, '.3g')}"
    return {"action": "/factors/back", "key": key_of(one), "what": what, "at": at}


def key_of(one: Note | CheckIn) -> str:
    """Return the key of a check-in or note in forms, which is its instant and its subject."""
    return f"{one.at.isoformat()} {(one.about or 'all') if isinstance(one, CheckIn) else one.name}"


def _told(one: CheckIn) -> str:
    if one.about is None:
        return _("{score} for life as a whole", score=f"{one.score:g}")
    return _("{score} for {meter}", score=f"{one.score:g}", meter=phrases.meter_word(one.about))


def check_in_card(visit: Visit, said: CheckIn | None) -> dict[str, Any]:
    """Return the values of the card that asks for a check-in. ``said`` is the check-in just made, or None."""
    since = visit.today
    of_day = sorted(checkins.recent(visit.bridge.store, visit.user, since=since), key=lambda one: one.at, reverse=True)
    found = said or next(iter(of_day), None)
    newest = {one.about: one for one in reversed(of_day) if found is not None and one.about is not found.about}
    last = None if found is None else _score(visit, found)
    about = "" if last is None else last["about"]
    earlier = [_score(visit, one) for one in reversed(newest.values())]
    shown = {"said": said is not None, "last": last, "earlier": earlier, "about": about}
    return {**shown, "meters": tuple(Meter), "faces": phrases.FACES}


def _score(visit: Visit, one: CheckIn) -> dict[str, str]:
    about = "" if one.about is None else str(one.about)
    at = f"{one.at.astimezone(zone_at(visit.now, visit.user.zones)):%H:%M}"  # beside the clock of now
    return {"score": f"{one.score:g}", "at": at, "about": about, "key": key_of(one), "what": _told(one)}
