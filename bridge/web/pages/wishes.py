"""Serve the page of wishes for the plan, with vetoes, hours, goals, weights of the meters, and suggestions a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from json import dumps, loads
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.advice import wishing
from bridge.documents.inputs import parse_spans
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, say, told
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wishes import GOAL_MAX, SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX, Hours, Wishes, checked
from bridge.web.day import is_part
from bridge.web.phrases import action_name, meter_name
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from bridge.wishes.said import Said, standing, without
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType, Meter

router = APIRouter()
WEIGHT_CHOICES = (
    ("0", say("not at all")),
    ("0.5", say("less")),
    ("1", say("as usual")),
    ("2", say("more")),
    ("3", say("much more")),
)
NO_WISH: dict[str, Any] = {"text": "", "wrong": None, "understood": None, "saved": False, "back": False}
BEFORE_MAX = 50_000  # characters of all wishes
Text = Annotated[str, Form(max_length=1000)]
FIELD_MAX = 200  # characters
Fields = Mapping[str, str]


async def fields(request: Request) -> Fields:
    """Return the fields of a form by name, each cut to a maximal length."""
    form = await request.form()
    return {name: str(value)[:FIELD_MAX] for name, value in form.items()}


@router.get("/wishes")
def wishes(visit: Visitor, saved: str = "") -> HTMLResponse:
    """Show the form of the user's wishes. With ``saved`` = ``yes``, the page says that they were saved."""
    found = visit.bridge.store.people.wishes(visit.user.id)
    return _shown(visit, _fields_of(found), saved=saved == "yes")


@router.post("/wishes")
def save(visit: Visitor, form: Annotated[Fields, Depends(fields)]) -> Response:
    """Replace the user's wishes by those of the form. An unreadable form is shown again with status 400."""
    try:
        found = _wishes(form)
    except SetupError as error:
        return _shown(visit, form, wrong=told(error), status=400)
    people = visit.bridge.store.people
    before = people.wishes(visit.user.id)
    of_form = {name: getattr(found, name) for name in ("never", "hours", "goals", "weights", "suggestions")}
    found = replace(before, **of_form)
    people.save_wishes(visit.user.id, found, now=visit.now)
    return RedirectResponse("/wishes?saved=yes", 303)


@router.post("/wishes/said")
def wish(request: Request, visit: Visitor, text: Text, confirmed: Text = "") -> Response:
    """Show what is understood of a wish, or save it if it is confirmed. Show examples if it is not understood."""
    found, status = NO_WISH | {"text": text}, 200
    before = plain(visit.bridge.store.people.wishes(visit.user.id))
    try:
        said = wishing.say_wish(visit.bridge.store, visit.user, text, confirmed=confirmed == "yes", now=visit.now)
    except SetupError as error:
        found |= {"wrong": told(error)}
        status = 200 if is_part(request) else 400  # htmx shows no part of a refusal
    else:
        found |= {"understood": str(said), "saved": confirmed == "yes", "before": dumps(before)}
    if is_part(request):
        return _told_on_today(visit, found)
    return _shown(visit, _fields_of(visit.bridge.store.people.wishes(visit.user.id)), wish=found, status=status)


@router.post("/wishes/undo")
def undo(request: Request, visit: Visitor, before: Annotated[str, Form(max_length=BEFORE_MAX)]) -> Response:
    """Restore the wishes in ``before``, in force before the last was saved. Raises SetupError for other content."""
    try:
        body = loads(before)
    except (ValueError, RecursionError):
        body = None
    visit.bridge.store.people.save_wishes(visit.user.id, wishes_of(body), now=visit.now)
    back = NO_WISH | {"back": True}
    return _told_on_today(visit, back) if is_part(request) else RedirectResponse("/wishes?saved=yes#said", 303)


def _told_on_today(visit: Visit, wish: Mapping[str, Any]) -> HTMLResponse:
    """Return the part of today's page that confirms a wish. If it is saved, the page loads its advice again."""
    part = page("today/wish.html", visit, path="/", wish=wish)
    if wish["saved"] or wish["back"]:
        part.headers["HX-Trigger"] = "advised, checkedin"
    return part


@router.post("/wishes/back")
def take_back(visit: Visitor, wish: Annotated[str, Form(max_length=1000)]) -> RedirectResponse:
    """Remove a wish. A wish that is already removed is ignored."""
    people = visit.bridge.store.people
    before = people.wishes(visit.user.id)
    after = before
    for one in standing(before):
        after = without(after, one) if _key(one) == wish else after
    people.save_wishes(visit.user.id, after, now=visit.now)
    return RedirectResponse("/wishes?saved=yes#said", 303)


def _key(one: Said) -> str:
    times = [*map(str, sorted(one.days)), *(f"{low:%H%M}-{high:%H%M}" for low, high in one.hours)]
    meter = [str(one.meter)] if one.meter else []
    when = [] if one.when is None else [dumps(plain(one.when))]
    return " ".join([one.kind, *sorted(one.actions), *meter, *(times if one.kind == "barred" else ()), *when])


def _shown(visit: Visit, form: Fields, *, status: int = 200, **said: Any) -> HTMLResponse:
    return page(
        "wishes.html",
        visit,
        status=status,
        path="/wishes",
        form=form,
        standing=[(_key(one), sentence((one,))) for one in standing(visit.bridge.store.people.wishes(visit.user.id))],
        actions=tuple(ActionType),
        meters=[_weight(meter, form) for meter in Meter],
        suggestions=[str(number) for number in range(SUGGESTIONS_MAX + 1)],
        goal_max=GOAL_MAX,
        **{"saved": False, "wrong": None, "wish": NO_WISH, **said},
    )


def _weight(meter: Meter, form: Fields) -> dict[str, Any]:
    chosen = form.get(f"weight_{meter}", "1")
    own = () if chosen in dict(WEIGHT_CHOICES) else ((chosen, chosen),)
    return {"name": str(meter), "chosen": chosen, "choices": (*WEIGHT_CHOICES, *own)}


def _fields_of(wishes: Wishes) -> Fields:
    said = plain(wishes)
    found = {f"never_{action}": "yes" for action in said["never"]}
    found |= {f"hours_{a}": ", ".join("-".join(span) for span in spans) for a, spans in said["hours"].items()}
    found |= {f"goal_{action}": str(goal) for action, goal in said["goals"].items()}
    found |= {f"weight_{meter}": f"{weight:g}" for meter, weight in said["weights"].items()}
    return {**found, "suggestions": str(wishes.suggestions)}


def _wishes(form: Fields) -> Wishes:
    goals = {a: _number(form.get(f"goal_{a}", ""), _("a goal")) for a in ActionType}
    weights = {meter: _float(form.get(f"weight_{meter}", "1"), meter) for meter in Meter}
    suggestions = _number(form.get("suggestions", ""), _("the number of suggestions"))
    most = SUGGESTIONS_DEFAULT if suggestions is None else suggestions
    return checked(
        Wishes(
            never=frozenset(action for action in ActionType if form.get(f"never_{action}")),
            hours={a: spans for a in ActionType if (spans := _hours(form.get(f"hours_{a}", ""), a))},
            goals={action: goal for action, goal in goals.items() if goal},
            weights={meter: weight for meter, weight in weights.items() if weight != 1},
            suggestions=most,
        )
    )


def _hours(text: str, action: ActionType) -> tuple[Hours, ...]:
    if not text.strip():
        return ()
    try:
        return parse_spans(text)
    except ValueError:
        raise SetupError(
            _(
                "{action}: {text} are not hours. Type begin and end with a minus between: 09:00-12:00. Type several "
                "with a comma: 09:00-12:00, 14:00-16:00",
                action=action_name(action),
                text=repr(text.strip()),
            )
        ) from None


def _number(text: str, what: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal() or len(text.strip()) > len(str(GOAL_MAX)) + 1:
        raise SetupError(_("{what} must be a whole number, such as 3, not {text}", what=what, text=repr(text)))
    return int(text)


def _float(text: str, meter: Meter) -> float:
    try:
        return float(text)
    except ValueError:
        said = _(
            "the weight of {meter} must be a number such as 1.5, not {text}", meter=meter_name(meter), text=repr(text)
        )
        raise SetupError(said) from None
