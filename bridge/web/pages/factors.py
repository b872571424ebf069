"""Serve the page of factors: what was noted, and what the next day goes with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.domain.errors import SetupError
from bridge.domain.languages import number, say, shown, told
from bridge.ingest import notes
from bridge.query import exposures
from bridge.query.effects import Effect
from bridge.query.factors import factors as found_of
from bridge.web.kinds import kind_name, unit_name
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from bridge.web.today_cache import data_version

router = APIRouter()
CHIPS_MAX = 12
FIRST_CHIPS = (say("alcohol"), say("late coffee"), say("late meal"))
CLASSES = {
    "late meetings": say("late meetings"),
    "evenings with others": say("evenings with others"),
    "travel": say("travel"),
    "late workouts": say("late workouts"),
    "mindfulness": say("mindfulness"),
}
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
) -> Response:
    """Note something now, and go ``back``. What is no note gets 400 with the reason."""
    try:
        said = notes.note_of(text, visit.now, visit.user.name)
        notes.record_note(visit.bridge.store, visit.user, said, now=visit.now)
    except SetupError as error:
        return _shown(visit, wrong=told(error))
    return RedirectResponse(back, 303)


def chips_of(visit: Visit) -> list[str]:
    """Return what the user noted before, and what people often note, as texts of buttons."""
    noted = [name for name in exposures.names(visit.bridge.store, visit.user) if name not in exposures.CLASSES]
    return [*noted, *(shown(one) for one in FIRST_CHIPS if shown(one) not in noted)][:CHIPS_MAX]


def _shown(visit: Visit, *, wrong: str | None = None) -> HTMLResponse:
    version = data_version(visit.bridge, visit.user, visit.now)
    rows = visit.app.results.get(visit.user, "factors", version, lambda: _rows(visit))
    known = [row for row in rows if row["verdict"]]
    others = [row for row in rows if not row["verdict"]]
    status = 200 if wrong is None else 400
    return page(
        "factors.html",
        visit,
        status=status,
        path="/factors",
        chips=chips_of(visit),
        known=known,
        others=others,
        wrong=wrong,
    )


def _rows(visit: Visit) -> list[dict[str, Any]]:
    return [_row(one) for one in found_of(visit.bridge, visit.user, now=visit.now)]


def _row(one: Effect) -> dict[str, Any]:
    name = CLASSES.get(one.factor)
    return {
        "factor": one.factor if name is None else shown(name),
        "on": kind_name(one.on),
        "effect": None if one.effect is None else f"{number(one.effect, '+.3g')} {unit_name(one.unit)}",
        "interval": one.interval and [number(end, "+.3g") for end in one.interval],
        "days": one.n_with,
        "left": one.days_left,
        "verdict": shown(VERDICTS[one.verdict]) if one.verdict in VERDICTS else None,
    }
