"""Serve the plan of a day, the routine and the wishes as JSON."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from bridge.advice import modes, wishing
from bridge.advice.modes import routine_of
from bridge.day.body import Mode, ModeKind
from bridge.documents.inputs import parse_day
from bridge.documents.plan import PlanDocument, plan_document
from bridge.documents.planning import (
    ModeDocument,
    RoutineDocument,
    SaidDocument,
    WishesDocument,
    mode_document,
    routine_document,
    said_document,
    wishes_document,
)
from bridge.domain.occasions import WEEKS_MAX
from bridge.domain.wish_records import wishes_of
from bridge.domain.wishes import (
    APART_MAX,
    GOAL_MAX,
    MINUTES_MAX,
    MINUTES_MIN,
    NAME_MAX,
    NAMES_MAX,
    NIGHT_MAX,
    NIGHT_MIN,
    SPANS_MAX,
    SPARE_MAX,
    SUGGESTIONS_DEFAULT,
    SUGGESTIONS_MAX,
    TERMS_MAX,
    WEIGHT_MAX,
)
from bridge.web.api.day import Body
from bridge.web.state import Visitor
from rhythm_env.interface import ActionType, Meter

router = APIRouter(tags=["plan"])
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX)]
Weekday = Annotated[int, Field(ge=0, le=6)]
Span = Annotated[list[Clock], Field(min_length=2, max_length=2)]


class When(Body):
    """Weekdays (0 is Monday), and pairs of begin and end."""

    days: list[Weekday] = Field([], max_length=7)
    hours: list[Span] = Field([], max_length=SPANS_MAX)


class WishedNight(Body):
    bed: Clock | None = Field(None, description="In bed by.")
    earliest: Clock | None = Field(None, description="Not in bed before.")
    up: Clock | None = Field(None, description="Up by.")
    bed_days: list[Weekday] = Field([], max_length=7, description="The eves of bed and earliest; none: all.")
    up_days: list[Weekday] = Field([], max_length=7, description="The days of getting up; none: all.")
    late: Clock | None = Field(None, description="In bed by, on the eves of late_days.")
    late_days: list[Weekday] = Field([], max_length=7, description="The eves of late.")
    other: Clock | None = Field(None, description="Up by, on other_days.")
    other_days: list[Weekday] = Field([], max_length=7, description="The days of other.")
    rest: Clock | None = Field(None, description="Not up before.")
    rest_days: list[Weekday] = Field([], max_length=7, description="The days of rest; none: all.")
    minutes: int | None = Field(None, ge=NIGHT_MIN, le=NIGHT_MAX, description="At least so many minutes in bed.")


class WishedLength(Body):
    least: int | None = Field(None, ge=MINUTES_MIN, le=MINUTES_MAX, description="At least so many minutes.")
    most: int | None = Field(None, ge=MINUTES_MIN, le=MINUTES_MAX, description="At most so many minutes.")


class OccasionDays(Body):
    """The days on which a wish holds. At least one of the fields must be given."""

    since: date | None = Field(None, description="From this day on.")
    until: date | None = Field(None, description="Until this day.")
    months: list[Annotated[int, Field(ge=1, le=12)]] = Field([], max_length=11, description="In these months alone.")
    every: int = Field(1, ge=1, le=WEEKS_MAX, description="In one of so many weeks.")
    first: date | None = Field(None, description="A Monday of such a week.")
    nth: list[Annotated[int, Field(ge=-1, le=5)]] = Field([], max_length=5, description="Of the month; -1: the last.")
    days: list[Weekday] = Field([], max_length=6, description="On these weekdays alone.")


class SpareTime(Body):
    times: int = Field(ge=1, le=SPARE_MAX, description="So many days of a week.")
    hours: list[Span] = Field([], max_length=SPANS_MAX, description="Pairs of begin and end; none: the whole day.")


class WishedAtAll(Body):
    never: list[ActionType] = Field([], max_length=len(ActionType), description="Actions never to suggest.")
    hours: dict[ActionType, Annotated[list[Span], Field(min_length=1, max_length=SPANS_MAX)]] = Field(
        {}, description="Action: the only hours in which to suggest it."
    )
    days: dict[ActionType, Annotated[list[Weekday], Field(min_length=1, max_length=7)]] = Field(
        {}, description="Action: the only weekdays on which to suggest it (0 is Monday)."
    )
    best: dict[ActionType, When] = Field({}, description="Action: when it is wanted.")
    barred: dict[ActionType, Annotated[list[When], Field(min_length=1, max_length=SPANS_MAX)]] = Field(
        {}, description="Action: hours of some days in which it is not."
    )
    night: WishedNight | None = Field(None, description="The times of the night.")
    most: dict[ActionType, Annotated[int, Field(ge=1, le=GOAL_MAX)]] = Field(
        {}, description="Action: at most so many times a week."
    )
    lengths: dict[ActionType, WishedLength] = Field({}, description="Action: its minutes.")
    apart: dict[ActionType, Annotated[int, Field(ge=1, le=APART_MAX)]] = Field(
        {}, description="Action: the free days between two times."
    )
    named: dict[ActionType, Name] = Field({}, description="Action: the name of the kind of its goal.")
    unnamed: dict[ActionType, Annotated[list[Name], Field(max_length=NAMES_MAX)]] = Field(
        {}, description="Action: the names of its kinds that are not wanted."
    )
    spare: SpareTime | None = Field(None, description="What stays without suggestions on some days of a week.")
    goals: dict[ActionType, Annotated[int, Field(ge=1, le=GOAL_MAX)]] = Field({}, description="Action: times a week.")
    weights: dict[Meter, Annotated[float, Field(ge=0, le=WEIGHT_MAX)]] = Field({}, description="Meter: its weight.")
    suggestions: int = Field(SUGGESTIONS_DEFAULT, ge=0, le=SUGGESTIONS_MAX, description="At most so many a day.")


class Term(Body):
    when: OccasionDays
    wishes: WishedAtAll


class Wished(WishedAtAll):
    """All wishes of the user, in the form that ``GET /wishes`` returns. A field that is left out is set to its
    default.
    """

    user: str | None = Field(None, max_length=64, description="Not read: the wishes are the token's user's.")
    kinds: dict[Name, WishedAtAll] = Field({}, max_length=NAMES_MAX, description="What is wished of one kind, by name.")
    terms: list[Term] = Field([], max_length=TERMS_MAX, description="What is wished on some days beside all this.")


class Sentence(Body):
    text: str = Field(min_length=1, max_length=wishing.TEXT_MAX, description="A wish, in English or German.")
    confirmed: bool = Field(False, description="true: save it; false: only say what is understood.")


class NewMode(Body):
    mode: ModeKind = Field(description="normal ends a mode, and puts aside what is asked.")
    since: date | None = Field(None, description="The first day; null: today.")
    until: date | None = Field(None, description="The last day; null: three days if ill, else a week.")


@router.get("/plan")
def plan(
    visit: Visitor,
    date: Annotated[
        str | None, Query(max_length=20, description="2026-11-20, tomorrow or a weekday; default: today.")
    ] = None,
) -> PlanDocument:
    """Return the plan of a date: entries, suggestions, tasks, winding down and sleep, in order of time.

    A suggestion without a ``recommendation_id`` is a preview, which may change during the day.
    """
    wanted = None if date is None else parse_day(date, visit.today)
    return plan_document(
        visit.app.plan_cache.plan(visit.bridge, visit.user, wanted, now=visit.now, seen=False), visit.user.zones
    )


@router.get("/routine")
def routine(visit: Visitor) -> RoutineDocument:
    """Return the user's routine: sleep and working hours by weekday (0 is Monday), and habits."""
    known = visit.app.today_cache.snapshot(visit.bridge, visit.user, visit.now)
    return routine_document(visit.user.name, routine_of(visit.bridge.store, visit.user, known))


@router.get("/wishes")
def wishes(visit: Visitor) -> WishesDocument:
    """Return the user's wishes for the plan."""
    return wishes_document(visit.user.name, visit.bridge.store.people.wishes(visit.user.id))


@router.post("/wishes")
def wish(visit: Visitor, body: Wished) -> WishesDocument:
    """Replace all of the user's wishes, and return them. A field that is left out is set to its default."""
    found = wishes_of(body.model_dump(mode="json", exclude={"user"}, exclude_none=True))
    visit.bridge.store.people.save_wishes(visit.user.id, found, now=visit.now)
    return wishes_document(visit.user.name, found)


@router.post("/wishes/said")
def said(visit: Visitor, body: Sentence) -> SaidDocument:
    """Return what is understood of a wish in plain words, and save it if it is confirmed.

    A text that is not understood gets 400.
    """
    user = visit.user
    found = wishing.say_wish(visit.bridge.store, user, body.text, confirmed=body.confirmed, now=visit.now)
    return said_document(user.name, found)


@router.get("/mode")
def mode(visit: Visitor) -> ModeDocument:
    """Return the user's mode (such as ill), and the modes that the data suggest and about which the user is asked."""
    return mode_document(modes.stand(visit.bridge.store, visit.user, visit.person()))


@router.post("/mode")
def change_mode(visit: Visitor, body: NewMode) -> ModeDocument:
    """Say that these days are different, or normal, and return the mode. A last day that is over gets 400."""
    store, user, person = visit.bridge.store, visit.user, visit.person()
    modes.change_mode(store, user, Mode(kind=body.mode, since=body.since, until=body.until), person=person)
    return mode_document(modes.stand(store, user, person))
