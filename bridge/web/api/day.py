"""Serve today, meters, recommendations and feedback, check-ins and the calendar as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bridge.advice import requests, rescheduling, wishing
from bridge.advice import week as weeks
from bridge.advice.feedback import own
from bridge.advice.wishing import Because
from bridge.documents.calendar import week_document
from bridge.documents.inputs import parse_answer, parse_score, parse_slot
from bridge.documents.meters import MetersDocument, checkin_document, load_meters, meter_document, meters_document
from bridge.documents.planning import offer_documents
from bridge.documents.recommendations import advice_document, recommendation_document
from bridge.documents.text import title_of
from bridge.domain.errors import SetupError
from bridge.domain.rendering import told
from bridge.domain.slots import zone_at
from bridge.ingest import checkins as checkin
from bridge.web import day
from bridge.web.result_cache import data_version
from bridge.web.state import Visit, Visitor
from bridge.web.weeks import cached_week
from rhythm_env.interface import ActionType, Meter

router = APIRouter(tags=["day"])
Document = Mapping[str, Any]
Number = Annotated[int, Path(ge=1, le=2**53)]
CHECKIN_MAX_AGE = timedelta(days=366)


class Body(BaseModel):
    """The body of a request. An unknown field is an error, because ignoring it would hide a mistake."""

    model_config = ConfigDict(extra="forbid")


class Feedback(Body):
    answer: Literal["accept", "ignore", "reschedule", "done", "partly", "not_done"]
    to: str | None = Field(None, max_length=40, description='For "reschedule": when instead, e.g. "Thu evening".')
    because: Because | None = Field(None, description='For "ignore": why.')


class CheckIn(Body):
    score: float = Field(ge=1, le=5, description="1 (bad) to 5 (good), halves included.")
    about: Meter | None = Field(None, description="A meter; null: life as a whole.")
    at: AwareDatetime | None = Field(None, description="The moment described, within the last year; null: now.")


class Correction(Body):
    event: str = Field(min_length=1, max_length=1000, description="An event's key (see `/calendar`) or title.")
    action: ActionType | None = Field(description="What it is; null: no activity.")


@router.get("/me")
def me(visit: Visitor) -> Document:
    """Return the name of the token's user, the user's time zone, and the present time."""
    return {"user": visit.user.name, "zone": zone_at(visit.now, visit.user.zones).key, "now": visit.now.isoformat()}


@router.get("/today")
def today(visit: Visitor) -> Document:
    """Return the five meters, the four quarters of today with their events, and the present recommendation if one was
    made.
    """
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
    found = visit.bridge.store.recommendations.of_slot(visit.user.id, current.moment)
    return {
        "at": visit.now.isoformat(),
        "slot": current.moment.slot.name,
        "timestep": current.moment.timestep,
        "calendar": current.calendar,
        "meters": {str(meter): meter_document(reading) for meter, reading in current.readings.items()},
        "slots": day.slots(current, visit),
        "recommendation": None if found is None else recommendation_document(found, visit.user.zones),
    }


@router.get("/meters")
def meters(visit: Visitor, days: Annotated[int, Query(ge=1, le=366)] = 7) -> Document:
    """Return the levels of Vitality, Cognition, Progress, Serenity and Connection now, and at every 6, 12, 18 and 0
    o'clock of the last ``days``.

    Null means that nothing was known.
    """
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
    version = data_version(visit.bridge, visit.user, visit.now), current.moment

    def computed() -> MetersDocument:
        return meters_document(load_meters(visit.bridge, visit.user, visit.now, days))

    found = visit.app.results.get(visit.user, f"meters of {days} days", version, computed)
    now = {str(meter): meter_document(reading) for meter, reading in current.readings.items()}
    return {**found, "at": visit.now.isoformat(), "meters": now}


@router.get("/recommendation")
def recommendation(visit: Visitor) -> Document:
    """Return the recommendation for the present quarter of the day, or the reasons why there is none.

    The first request makes it. Later requests return the same, unless data, corrections or wishes have changed. This
    does not mark it as seen. It counts as seen once a page shows it, the user answers it, or a program reports it as
    shown.
    """
    found = requests.recommend(visit.bridge, visit.user, now=visit.now, seen=False)
    withheld = requests.withheld(visit.bridge, visit.user, found)
    held = {str(action): told(why) for action, why in withheld.items()}
    return {**advice_document(found, visit.user.zones), "withheld": held}


@router.post("/recommendation/{number}/shown")
def shown(visit: Visitor, number: Number) -> Document:
    """Record that the user has seen a recommendation, and return it.

    It is then no longer sent as a notification. If the user gives no answer, the model learns from what the data show.
    A number that is none of the user's recommendations gets 400.
    """
    found = own(visit.bridge.store, visit.user, number)
    visit.bridge.store.recommendations.mark_shown(found.id, now=visit.now)
    return recommendation_document(found)


@router.post("/recommendation/{number}/feedback")
def feedback(visit: Visitor, number: Number, body: Feedback) -> Document:
    """Record the answer to a recommendation, or what became of it.

    Until its day is over, a new answer replaces the earlier answer. Later a different answer gets 400. "reschedule"
    without ``to`` also returns ``offers``: up to three good times, each with the slot to send as ``to``. "ignore" with
    ``because`` also returns ``follows``, a sentence of what is changed. A number that is none of the user's
    recommendations gets 400.
    """
    if body.because is not None and body.answer != "ignore":
        raise SetupError("only `ignore` takes `because`; leave it out, or send the answer ignore")
    moved = None if body.to is None else parse_slot(body.to, visit.now, visit.user.zones)
    given = parse_answer(body.answer)
    found = rescheduling.answer(visit.bridge, visit.user, number, given, now=visit.now, moved_to=moved)
    free = rescheduling.offered(visit.bridge, visit.user, found, now=visit.now)
    told: dict[str, Any] = {} if free is None else {"offers": offer_documents(free, visit.user.zones, now=visit.now)}
    if body.because is not None:
        told["follows"] = wishing.refuse(visit.bridge.store, visit.user, number, body.because, now=visit.now)
    return {**recommendation_document(found), **told}


@router.get("/checkins")
def checkins(visit: Visitor, days: Annotated[int, Query(ge=1, le=366)] = 14) -> list[Document]:
    """Return the user's check-ins of the last ``days``, today included, newest first."""
    since = (visit.local(visit.now) - timedelta(days=days - 1)).date()
    found = checkin.recent(visit.bridge.store, visit.user, since=since)
    return [checkin_document(said, visit.user.zones) for said in found]


@router.post("/checkins")
def say(visit: Visitor, body: CheckIn) -> Document:
    """Store a check-in, and return it with its outcome: new, updated or unchanged.

    A second check-in of the same minute and meter corrects the first. A time in the future, or over a year ago, gets
    400.
    """
    score = parse_score(f"{body.score:g}", visit.user.name)
    said = checkin.CheckIn(at=_moment(visit, body), score=score, about=body.about)
    outcome = checkin.record_check_in(visit.bridge.store, visit.user, said, now=visit.now)
    return {**checkin_document(said, visit.user.zones), "outcome": outcome}


@router.post("/checkins/undo")
def undo(visit: Visitor) -> Document:
    """Delete the newest check-in, and return it with the outcome "deleted". Without check-ins it gets 400."""
    said = checkin.forget_last(visit.bridge.store, visit.user, now=visit.now)
    return {**checkin_document(said, visit.user.zones), "outcome": "deleted"}


def _moment(visit: Visit, body: CheckIn) -> datetime:
    if body.at is None:
        return visit.now
    try:
        at = body.at.astimezone(UTC)
    except OverflowError:  # the year 1 or 9999, moved out of the calendar by its zone
        at = visit.now - 2 * CHECKIN_MAX_AGE
    if visit.now - at > CHECKIN_MAX_AGE:
        raise SetupError("`at` is more than a year ago; give a later time, or leave `at` out for a check-in about now")
    return at


@router.get("/calendar")
def calendar(visit: Visitor, week: Annotated[str | None, Query(max_length=20)] = None) -> Document:
    """Return a week as 28 slots (four a day) with events, their activities, and figures such as minutes of focus.

    ``week`` is 2026-W47 or a date in it, by default the current week.
    """
    monday = weeks.monday_of(week, visit.now, visit.user.zones)
    found = cached_week(visit, monday)
    shown = visit.app.results.get(visit.user, "calendar", (found,), lambda: week_document(found))
    at = visit.local(visit.now)
    return {"user": visit.user.name, **shown, "at": at.isoformat()}


@router.post("/labels")
def label(visit: Visitor, body: Correction) -> Document:
    """Correct the activity of an event. The correction also holds for its series and for similar titles.

    ``holds_for`` in the answer says for which events it holds.
    """
    action = body.action
    fixed = requests.fix(visit.bridge, visit.user, body.event, action, now=visit.now)
    return {
        "event": fixed.event.key,
        "title": title_of(fixed.event),
        "action": action and str(action),
        "holds_for": fixed.holds_for,
    }
