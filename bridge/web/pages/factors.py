"""Serve the page of factors: what was noted, and what the next day goes with."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.domain.errors import SetupError
from bridge.domain.languages import date_text, number, say, shown, told
from bridge.ingest import notes
from bridge.query import exposures
from bridge.query.effects import Effect
from bridge.query.factors import factors as found_of
from bridge.web.day import local
from bridge.web.kinds import kind_name, unit_name
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from bridge.web.today_cache import data_version

router = APIRouter()
CHIPS_MAX, NOTES_MAX = 12, 20
JUST = timedelta(minutes=2)  # for so long a page says that something was noted
FIRST_CHIPS = (say("alcohol"), say("late coffee"), say("late meal"))
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
def factors(visit: Visitor) -> HTMLResponse:
    """Show the effects of all factors, and chips to note one."""
    return _shown(visit)


@router.post("/factors")
def note(
    visit: Visitor,
    text: Annotated[str, Form(max_length=80)],
    back: Annotated[Literal["/", "/factors"], Form()] = "/factors",
    day: Annotated[date | Literal[""], Form()] = "",
) -> Response:
    """Note something of now, or of a day, and go ``back``, or to the day. What is no note gets 400 with the reason."""
    try:
        said = notes.said_note(text, visit.user, now=visit.now, day=day or None)
        notes.record_note(visit.bridge.store, visit.user, said, now=visit.now)
    except SetupError as error:
        return _shown(visit, wrong=told(error))
    of_day = local(visit, said.at).date()
    return RedirectResponse(back if of_day == local(visit, visit.now).date() else f"/day?date={of_day}", 303)


@router.post("/factors/back")
def take_back(
    visit: Visitor,
    note: Annotated[str, Form(max_length=200)],
    back: Annotated[Literal["/", "/factors"], Form()] = "/factors",
) -> Response:
    """Delete one of the notes that the page shows, and go ``back``. What is gone already is left as it is."""
    for one in notes.recent(visit.bridge.store, visit.user):
        if _key(one) == note:
            notes.forget(visit.bridge.store, visit.user, one, now=visit.now)
    return RedirectResponse(back, 303)


def just_noted(visit: Visit) -> dict[str, str] | None:
    """Return the note of the last minutes for the template, or None."""
    newest = next(iter(notes.recent(visit.bridge.store, visit.user, since=local(visit, visit.now - JUST).date())), None)
    return None if newest is None or visit.now - newest.at > JUST else _noted(visit, newest)


def noted_on(visit: Visit, day: date) -> list[dict[str, str]]:
    """Return what was noted of a day for the template."""
    found = notes.recent(visit.bridge.store, visit.user, since=day)
    return [_noted(visit, one) for one in found if local(visit, one.at).date() == day]


def _key(one: notes.Note) -> str:
    return f"{one.at.isoformat()} {one.name}"


def _noted(visit: Visit, one: notes.Note) -> dict[str, str]:
    what = one.name if one.amount == 1 else f"{one.name} {number(one.amount, '.3g')}"
    return {"key": _key(one), "what": what, "at": date_text(local(visit, one.at), "%a %-d %b, %H:%M")}


def chips_of(visit: Visit) -> list[str]:
    """Return what the user noted before, and what people often note, as texts of buttons."""
    store, user, version = visit.bridge.store, visit.user, data_version(visit.bridge, visit.user, visit.now)
    names = visit.app.results.get(user, "chips", version, lambda: exposures.names(store, user))
    noted = [name for name in names if name not in exposures.CLASSES]
    return [*noted, *(shown(one) for one in FIRST_CHIPS if shown(one) not in noted)][:CHIPS_MAX]


def _shown(visit: Visit, *, wrong: str | None = None) -> HTMLResponse:
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
        today=local(visit, visit.now).date().isoformat(),
        known=known,
        others=others,
        wrong=wrong,
        noted=[_noted(visit, one) for one in notes.recent(visit.bridge.store, visit.user)[:NOTES_MAX]],
        just_noted=None if wrong else just_noted(visit),
    )


def _rows(visit: Visit) -> list[dict[str, Any]]:
    return [_row(one) for one in found_of(visit.bridge, visit.user, now=visit.now)]


def _difference(value: float, one: Effect) -> str:
    """Return a difference with as many digits as tell something: two of a meter, none from ten on."""
    digits = 2 if one.unit == METER_UNIT else 0 if abs(one.effect or 0) >= 10 else 1
    return number(value, f"+,.{digits}f").replace("-", "−")


def _row(one: Effect) -> dict[str, Any]:
    name, unit = CLASSES.get(one.factor), "" if one.unit == METER_UNIT else unit_name(one.unit)
    return {
        "factor": one.factor if name is None else shown(name),
        "on": kind_name(one.on),
        "effect": None if one.effect is None else f"{_difference(one.effect, one)} {unit}".strip(),
        "interval": one.interval and [_difference(end, one) for end in one.interval],
        "days": one.n_with,
        "left": one.days_left,
        "verdict": shown(VERDICTS[one.verdict]) if one.verdict in VERDICTS else None,
    }
