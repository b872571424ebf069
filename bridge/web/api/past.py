"""What was: trends over weeks, and what the model believed of a person."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from bridge.belief import beliefs, document
from bridge.trends.kept import kept
from bridge.web.site import Visitor

router = APIRouter(tags=["past"])
Weeks = Annotated[int, Query(ge=1, le=52)]
DAYS = 7


class MeterTrend(BaseModel):
    """A value per day; null where nothing was known. ``validated``: against people's own reports."""

    validated: bool
    level: list[float | None]
    sd: list[float | None]
    coverage: list[float]


class InputTrend(BaseModel):
    metric: str
    unit: str
    source: str
    meters: list[str]
    values: list[float | None]


class Happened(BaseModel):
    day: date
    kind: str
    title: str | None
    hours: float | None
    private: bool


class TrendsBody(BaseModel):
    """Columns with a value for each of ``days``. ``at``: when it was computed."""

    at: str
    zone: str
    map: str
    normal: float
    days: list[date]
    meters: dict[str, MeterTrend]
    inputs: list[InputTrend]
    planned_hours: dict[str, list[float]]
    happenings: list[Happened]


class Dimension(BaseModel):
    """A value per day of ``days``; ``sd`` is null where the policy did not state it."""

    low: str
    high: str
    mean: list[float]
    sd: list[float | None]


class Moved(BaseModel):
    at: str
    action: str
    answer: str
    change: dict[str, float]
    text: str


class ResetBody(BaseModel):
    made_at: str
    taken_back_at: str | None


class BeliefBody(BaseModel):
    days: list[date]
    dimensions: dict[str, Dimension]
    policies: list[str]
    moved_by: list[Moved]
    answers: int
    resets: list[ResetBody]


# Documented, and not checked again on the way out: a year of it is long.
BELIEF: dict[int | str, dict[str, Any]] = {200: {"model": BeliefBody}}


@router.get("/trends", responses={200: {"model": TrendsBody}}, response_class=Response)
def trends(visit: Visitor, weeks: Weeks = 12) -> Response:
    """Meters, their inputs, planned hours and what happened, day by day over the last weeks."""
    found = kept(visit.bridge, visit.user, at=visit.now, days=DAYS * weeks, wait=False)
    return Response(found.text, media_type="application/json", headers={"X-Fresh": "yes" if found.fresh else "no"})


@router.get("/belief", responses=BELIEF, response_class=JSONResponse)
def belief(visit: Visitor) -> JSONResponse:
    """What was believed on each day of the last year, which answers moved it, and when it began anew."""
    return JSONResponse(document(beliefs(visit.bridge.store, visit.user, now=visit.now)))


@router.post("/belief/reset", responses=BELIEF, response_class=JSONResponse)
def reset(visit: Visitor) -> JSONResponse:
    """From the next advice on let no answer given so far count; nothing is deleted."""
    visit.bridge.store.choices.reset(visit.user.id, now=visit.now)
    return belief(visit)


@router.post("/belief/restore", responses=BELIEF, response_class=JSONResponse)
def restore(visit: Visitor) -> JSONResponse:
    """Take the newest reset back: the answers count again."""
    visit.bridge.store.choices.take_back_reset(visit.user.id, now=visit.now)
    return belief(visit)
