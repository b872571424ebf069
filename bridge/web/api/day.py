"""Today, meters, advice and its answers, check-ins, the calendar and what its events are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bridge import advise, advising, checkin
from bridge import week as weeks
from bridge.cli import calendar as weeks_shown
from bridge.cli import checkin as said_shown
from bridge.cli import meters as meters_shown
from bridge.cli.advice import advice_row, answer_of, slot_of
from bridge.errors import SetupError
from bridge.web import day
from bridge.web.site import Visit, Visitor
from rhythm_env.interface import ActionType, Meter

router = APIRouter(tags=["day"])
Document = dict[str, Any]
Number = Annotated[int, Path(ge=1, le=2**53)]
LONG_AGO = timedelta(days=366)


class Body(BaseModel):
    """What is sent; a field that is not known is an error, not a wish that is ignored."""

    model_config = ConfigDict(extra="forbid")


class Feedback(Body):
    answer: Literal["accept", "ignore", "reschedule"]
    to: str | None = Field(None, max_length=40, description='For "reschedule": when instead, e.g. "Thu evening".')


class Said(Body):
    score: float = Field(ge=1, le=5, description="1 (bad) to 5 (good), halves included.")
    about: Meter | None = Field(None, description="A meter; null: life as a whole.")
    at: AwareDatetime | None = Field(None, description="When it was so, within the last year; null: now.")


class Correction(Body):
    event: str = Field(min_length=1, max_length=1000, description="An event's key (see `/calendar`) or title.")
    action: ActionType | None = Field(description="What it is; null: no activity.")


@router.get("/me")
def me(visit: Visitor) -> Document:
    """Whose data this is, and their time zone."""
    return {"user": visit.user.name, "zone": visit.user.zones[-1].zone, "now": visit.now.isoformat()}


@router.get("/today")
def today(visit: Visitor) -> Document:
    """The five meters, the day's four slots with their events, and the slot's recommendation if there is one yet."""
    sight = visit.site.sights.today(visit.bridge, visit.user, visit.now)
    found = visit.bridge.store.open_recommendation(visit.user.id, sight.moment)
    return {
        "at": visit.now.isoformat(),
        "slot": sight.moment.slot.name,
        "timestep": sight.moment.timestep,
        "calendar": sight.calendar,
        "meters": {str(meter): meters_shown.row(reading) for meter, reading in sight.readings.items()},
        "slots": day.slots(sight, visit),
        "recommendation": None if found is None else advice_row(found),
    }


@router.get("/meters")
def meters(visit: Visitor, days: Annotated[int, Query(ge=1, le=366)] = 7) -> Document:
    """The five meters now and at the start of every slot of the last days; null where nothing was known."""
    return meters_shown.document(meters_shown.look_of(visit.bridge, visit.user, visit.now, days))


@router.get("/recommendation")
def recommendation(visit: Visitor) -> Document:
    """The slot's one recommendation; asking again in the same slot returns the same one. It does not count as seen by
    the person until they see it on the page, answer it, or a program says so."""
    found = advising.recommend(visit.bridge, visit.user, now=visit.now, seen=False)
    held = {str(action): why for action, why in advising.withheld(visit.bridge, visit.user, found).items()}
    return {**advice_row(found), "withheld": held}


@router.post("/recommendation/{number}/shown")
def shown(visit: Visitor, number: Number) -> Document:
    """Say that the person has seen it: it is then not sent to them, and teaches the model if they let it pass."""
    found = advise.own(visit.bridge.store, visit.user, number)
    visit.bridge.store.mark_shown(found.id, now=visit.now)
    return advice_row(found)


@router.post("/recommendation/{number}/feedback")
def feedback(visit: Visitor, number: Number, body: Feedback) -> Document:
    """Answer a recommendation; another answer replaces the one before."""
    moved = None if body.to is None else slot_of(body.to, visit.now, visit.user.zones)
    store = visit.bridge.store
    given = answer_of(body.answer)
    found = advise.give_feedback(store, visit.user, number, given, now=visit.now, moved_to=moved)
    return advice_row(found)


@router.get("/checkins")
def checkins(visit: Visitor, days: Annotated[int, Query(ge=1, le=366)] = 14) -> list[Document]:
    """What the person said of themselves, newest first."""
    since = (day.local(visit, visit.now) - timedelta(days=days - 1)).date()
    found = checkin.recent(visit.bridge.store, visit.user, since=since)
    return [said_shown.row(said, visit.user.zones) for said in found]


@router.post("/checkins")
def say(visit: Visitor, body: Said) -> Document:
    """Say how you are; said again within the minute, it corrects what was said."""
    score = said_shown.score_of(f"{body.score:g}", visit.user.name)
    said = checkin.CheckIn(at=_moment(visit, body), score=score, about=body.about)
    outcome = checkin.say(visit.bridge.store, visit.user, said, now=visit.now)
    return {**said_shown.row(said, visit.user.zones), "outcome": outcome}


def _moment(visit: Visit, body: Said) -> datetime:
    if body.at is None:
        return visit.now
    try:
        at = body.at.astimezone(UTC)
    except OverflowError:  # the first or the last hours of the calendar, in a zone that has them earlier or later
        at = visit.now - 2 * LONG_AGO
    if visit.now - at > LONG_AGO:
        raise SetupError("a check-in is of the last year; leave `at` away for now")
    return at


@router.get("/calendar")
def calendar(visit: Visitor, week: Annotated[str | None, Query(max_length=20)] = None) -> Document:
    """A week (2026-W47, or a date in it) as 28 slots: events, what each is and why, and the facts that follow."""
    monday = weeks.monday_of(week, visit.now, visit.user.zones)
    found = weeks.look(visit.bridge.store, visit.user, visit.bridge.classifier, monday, at=visit.now)
    return {"user": visit.user.name, **weeks_shown.document(found)}


@router.post("/labels")
def label(visit: Visitor, body: Correction) -> Document:
    """Say what an event is; it holds for its series and for titles like it."""
    action = body.action
    fixed = advising.fix(visit.bridge, visit.user, body.event, action, now=visit.now)
    return {
        "event": fixed.event.key,
        "title": weeks_shown.title_of(fixed.event),
        "action": action and str(action),
        "holds_for": fixed.holds_for,
    }
