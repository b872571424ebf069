"""Today: how you are, what the day holds, and one recommendation to accept, ignore or put off."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge import advise, advising, checkin
from bridge.cli.advice import answer_of, name_of
from bridge.cli.checkin import meter_of, score_of
from bridge.cli.classify import action_of
from bridge.errors import SetupError
from bridge.ports import Recommendation
from bridge.web import day, words
from bridge.web.render import page
from bridge.web.site import Visit, Visitor, is_looking
from rhythm_env.interface import ActionType, Answer, Meter, Moment, moment_at

router = APIRouter()
Text = Annotated[str, Form(max_length=1000)]
Number = Annotated[int, Path(ge=1, le=2**53)]
AHEAD = 28  # slots that advice can be put off to


@router.get("/")
def today(request: Request, visit: Visitor) -> HTMLResponse:
    """The whole page. Advice that has to be thought about first is fetched by the page itself."""
    sight = visit.site.sights.today(visit.bridge, visit.user, visit.now)
    store = visit.bridge.store
    advice = store.open_recommendation(visit.user.id, sight.moment)
    if advice is not None and is_looking(request, visit):
        store.mark_shown(advice.id, now=visit.now)
    return page(
        "today.html",
        visit,
        path="/",
        title=day.title(visit),
        meters=day.meters(sight.readings),
        slots=day.slots(sight, visit),
        calendar=sight.calendar,
        advice=None if advice is None else _advice(visit, advice),
        checkin=_checkin(visit, None),
        actions=tuple(ActionType),
    )


@router.get("/advice")
def advice(request: Request, visit: Visitor) -> Response:
    """The slot's recommendation, thought about now if need be."""
    found = advising.recommend(visit.bridge, visit.user, now=visit.now, seen=is_looking(request, visit))
    return _part(visit, found) if _is_part(request) else RedirectResponse("/", 303)


@router.post("/advice/{number}")
def answer(request: Request, visit: Visitor, number: Number, answer: Text, to: Text = "") -> Response:
    """Accept, ignore, or put off; another answer replaces the one before."""
    given = answer_of(answer)
    moved = _slot(visit, to) if given is Answer.RESCHEDULE else None
    store = visit.bridge.store
    found = advise.give_feedback(store, visit.user, number, given, now=visit.now, moved_to=moved)
    return _part(visit, found) if _is_part(request) else RedirectResponse("/", 303)


def _part(visit: Visit, found: Recommendation) -> HTMLResponse:
    return page("today/advice.html", visit, advice=_advice(visit, found))


def _advice(visit: Visit, advice: Recommendation) -> dict[str, Any]:
    return day.advice(visit, advice) | {"ahead": [(_key(m), name_of(m)) for m in _ahead(visit)]}


def _ahead(visit: Visit) -> list[Moment]:
    current = moment_at(visit.now, visit.user.zones)
    return [current.shifted(steps) for steps in range(1, AHEAD)]


def _key(moment: Moment) -> str:
    return f"{moment.week}/{moment.timestep}"


def _slot(visit: Visit, key: str) -> Moment:
    """Raises SetupError for a slot that is over or farther than a week ahead."""
    found = next((moment for moment in _ahead(visit) if _key(moment) == key), None)
    if found is None:
        raise SetupError("choose one of the slots of the coming seven days")
    return found


@router.post("/checkin")
def say(request: Request, visit: Visitor, score: Text, about: Text = "") -> Response:
    """How you are, as a whole or by meter."""
    name = visit.user.name
    meter = meter_of(about, name) if about else None
    said = checkin.CheckIn(at=visit.now, score=score_of(score, name), about=meter)
    checkin.say(visit.bridge.store, visit.user, said, now=visit.now)
    if not _is_part(request):
        return RedirectResponse("/", 303)
    return page("today/checkin.html", visit, checkin=_checkin(visit, said))


def _checkin(visit: Visit, said: checkin.CheckIn | None) -> dict[str, Any]:
    """The form, and what was last said today."""
    since = day.local(visit, visit.now).date()
    found = said or next(iter(checkin.recent(visit.bridge.store, visit.user, since=since)), None)
    last = None if found is None else {"score": f"{found.score:g}", "at": f"{day.local(visit, found.at):%H:%M}"}
    about = "" if found is None or found.about is None else str(found.about)
    return {"said": said is not None, "last": last, "about": about, "meters": tuple(Meter), "faces": words.FACES}


@router.post("/events")
def label(request: Request, visit: Visitor, event: Text, action: Text) -> Response:
    """Say what an event is; it holds for its series and for titles like it."""
    fixed = advising.fix(visit.bridge, visit.user, event, action_of(action), now=visit.now)
    if not _is_part(request):
        return RedirectResponse("/", 303)
    sight = visit.site.sights.today(visit.bridge, visit.user, visit.now + timedelta(microseconds=1))
    return page(
        "today/slots.html",
        visit,
        slots=day.slots(sight, visit),
        calendar=sight.calendar,
        actions=tuple(ActionType),
        fixed=fixed.holds_for,
    )


def _is_part(request: Request) -> bool:
    """Whether htmx asks, which takes a part; without scripts a whole page has to follow."""
    return "hx-request" in request.headers
