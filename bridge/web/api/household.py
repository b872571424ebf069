"""Serve what users share: whose the entries of calendars are, and the meters that others may see, as JSON."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from bridge.advice import whose
from bridge.calendar import ownership
from bridge.calendar.ownership import Whose
from bridge.documents.calendar import (
    CalendarUseDocument,
    MarkDocument,
    MarksDocument,
    calendar_use_document,
    mark_document,
    marks_document,
)
from bridge.documents.household import HouseholdDocument, household_document
from bridge.web.api.day import Body
from bridge.web.state import Visitor

router = APIRouter()


class Use(Body):
    name: str = Field(min_length=1, max_length=1000, description="A calendar's name (see `/calendars`).")
    used: bool = Field(description="false: none of its entries is the user's.")


class Mark(Body):
    event: str = Field(min_length=1, max_length=1000, description="An entry's key (see `/calendar`) or title.")
    whose: Whose = Field(description="mine takes a mark back; no-time is for a reminder.")
    series: bool = Field(False, description="All entries of its series.")
    like: bool = Field(False, description="All of the same name in the title, or of the same words.")


@router.get("/calendars", tags=["day"])
def calendars(visit: Visitor) -> list[CalendarUseDocument]:
    """Return the user's calendars, with those that are left out."""
    return [
        calendar_use_document(calendar) for calendar in whose.calendars(visit.bridge.store, visit.user, now=visit.now)
    ]


@router.post("/calendars", tags=["day"])
def use(visit: Visitor, body: Use) -> list[CalendarUseDocument]:
    """Leave a calendar out, or let its entries count again, and return all calendars. An unknown name gets 400."""
    found = whose.use(visit.bridge.store, visit.user, body.name, used=body.used, now=visit.now)
    return [calendar_use_document(one) for one in found]


@router.get("/marks", tags=["day"])
def marks(visit: Visitor) -> MarksDocument:
    """Return whose the user said calendar entries are, and the entries of which the bridge asks that."""
    store, user = visit.bridge.store, visit.user
    return marks_document(whose.marks(store, user), whose.doubts(store, user, now=visit.now))


@router.post("/marks", tags=["day"])
def mark(visit: Visitor, body: Mark) -> MarkDocument:
    """Say whose a calendar entry is, and return what the bridge then keeps about it. An entry that is not there within
    60 days gets 400.
    """
    store, user = visit.bridge.store, visit.user
    wanted = ownership.Mark(key=body.event, whose=body.whose, series=body.series, like=body.like)
    done = whose.mark(store, user, wanted, now=visit.now)
    return mark_document(done.mark or whose.taken_back(done))


@router.get("/household", tags=["household"])
def household(visit: Visitor) -> HouseholdDocument:
    """Return the meters that the user shares, and those that other users share with the user, with levels in words."""
    return household_document(visit.bridge, visit.user, visit.readings_of)
