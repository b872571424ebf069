"""Serve the page of factors, which are what the user noted, and how the day after differs."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import AwareDatetime

from bridge.advice.week import is_known
from bridge.domain import noted as noted_names
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, number, say, shown, told
from bridge.ingest import notes
from bridge.query import exposures
from bridge.query.effects import Effect
from bridge.query.factors import factors as found_of
from bridge.web.phrases import kind_name, unit_name
from bridge.web.render import page
from bridge.web.result_cache import data_version
from bridge.web.said import Back, key_of, row
from bridge.web.state import Visit, Visitor

router = APIRouter()
Noted = Annotated[str, Query(max_length=20)]
CHIPS_MAX, NOTES_MAX = 12, 20
JUST = timedelta(minutes=2)  # for so long a page says that something was noted
# The answer after a note, by what became of it.
JUST_NOTED = {
    "updated": say("Noted: {answer}. Within a minute, the last amount counts."),
    "unchanged": say("Noted: {answer}. It was noted in this minute before, and counts once."),
}
CLASSES = {
    "late meetings": say("late meetings"),
    "evenings with others": say("evenings with others"),
    "travel": say("travel"),
    "late workouts": say("late workouts"),
    "mindfulness": say("mindfulness"),
}
METER_UNIT = "level"
VERDICTS = {"more": say("more"), "less": say("less")}


@router.get("/factors")
def factors(visit: Visitor, noted: Noted = "") -> HTMLResponse:
    """Show the effects of all factors, and buttons to note one. ``noted`` tells what became of a note just made."""
    return _shown(visit, noted=noted)


@router.post("/factors")
def note(
    visit: Visitor,
    text: Annotated[str, Form(max_length=80)],
    back: Back = "/factors#said",
    day: Annotated[date | Literal[""], Form()] = "",
    seen: Annotated[AwareDatetime | None, Form()] = None,
) -> Response:
    """Store a note and lead to ``back``, or to the page of its day if that is not today. Other texts get 400.

    ``seen`` is when the form was shown.
    """
    try:
        said = notes.said_note(text, visit.user, now=visit.now, day=day or None)
        noted = notes.record_note(visit.bridge.store, visit.user, said, now=visit.now, seen=seen)
    except SetupError as error:
        return _shown(visit, wrong=told(error), typed=text)
    of_day = visit.local(said.at).date()
    here = _with(back, noted)
    return RedirectResponse(here if visit.now - said.at <= JUST else f"/day?date={of_day}#said", 303)


@router.post("/factors/back")
def take_back(
    visit: Visitor,
    said: Annotated[str, Form(max_length=200)],
    back: Back = "/factors#said",
) -> Response:
    """Delete a note shown on the page, and lead to ``back``. A note that is already deleted is ignored."""
    for one in notes.recent(visit.bridge.store, visit.user):
        if key_of(one) == said:
            notes.forget(visit.bridge.store, visit.user, one, now=visit.now)
    return RedirectResponse(_with(back, "deleted"), 303)


def _with(back: str, noted: str) -> str:
    path, _hash, part = back.partition("#")
    return f"{path}{'&' if '?' in path else '?'}noted={noted}{_hash}{part}"


def just_noted(visit: Visit, noted: str) -> dict[str, str] | None:
    if noted == "deleted":
        return {"key": "", "told": _("Taken back.")}
    lately = notes.recent(visit.bridge.store, visit.user, since=visit.local(visit.now - JUST).date())
    newest = next(iter(lately), None)
    if newest is None or visit.now - newest.at > JUST:
        return None
    one, day = row(visit, newest), visit.local(newest.at).date()
    told_ = _(JUST_NOTED.get(noted, "Noted: {answer}."), answer=one["what"])
    same = [other.amount for other in lately if other.name == newest.name and visit.local(other.at).date() == day]
    if len(same) > 1:
        told_ += " " + _("That makes {amount} on this day.", amount=number(sum(same), ".3g"))
    return {**one, "told": told_}


def chips_of(visit: Visit) -> list[str]:
    """Return the names on the buttons for new notes, which are the user's earlier notes, then common ones."""
    store, user, version = visit.bridge.store, visit.user, data_version(visit.bridge, visit.user, visit.now)
    names = visit.app.results.get(user, "chips", version, lambda: exposures.names(store, user))
    return noted_names.chips([name for name in names if name not in exposures.CLASSES])[:CHIPS_MAX]


def _shown(visit: Visit, *, noted: str = "", wrong: str | None = None, typed: str = "") -> HTMLResponse:
    version = data_version(visit.bridge, visit.user, visit.now)
    rows = visit.app.results.get(visit.user, "factors", version, lambda: _rows(visit), wait=False)
    known = [row for row in rows if row["verdict"]]
    others = [row for row in rows if not row["verdict"]]
    status = 200 if wrong is None else 400
    return page(
        "factors.html",
        visit,
        status=status,
        path="/factors",
        chips=chips_of(visit),
        today=visit.today.isoformat(),
        seen=visit.now.isoformat(),
        known=known,
        others=others,
        wrong=wrong,
        typed=typed,
        calendar=is_known(visit.bridge.store, visit.user, ()),
        noted=[row(visit, one) for one in notes.recent(visit.bridge.store, visit.user)[:NOTES_MAX]],
        back="/factors#said",
        just_noted=None if wrong else just_noted(visit, noted),
    )


def _rows(visit: Visit) -> list[dict[str, Any]]:
    return [_row(one) for one in found_of(visit.bridge, visit.user, now=visit.now)]


def _difference(value: float, one: Effect) -> str:
    digits = 2 if one.unit == METER_UNIT else 0 if abs(one.effect or 0) >= 10 else 1
    return number(value, f"+,.{digits}f").replace("-", "−")


def _row(one: Effect) -> dict[str, Any]:
    name, unit = CLASSES.get(one.factor), "" if one.unit == METER_UNIT else unit_name(one.unit)
    return {
        "factor": noted_names.called(one.factor) if name is None else shown(name),
        "on": kind_name(one.on),
        "effect": None if one.effect is None else f"{_difference(one.effect, one)} {unit}".strip(),
        "interval": one.interval and [_difference(end, one) for end in one.interval],
        "days": one.n_with,
        "left": one.days_left,
        "verdict": shown(VERDICTS[one.verdict]) if one.verdict in VERDICTS else None,
    }
