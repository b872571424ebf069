"""Trends over weeks and the history of the model's belief as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from bridge.advice.belief_history import beliefs
from bridge.documents.recommendations import BeliefDocument, belief_document
from bridge.documents.trends import TrendsDocument
from bridge.documents.trends_cache import load_trends
from bridge.web.state import Visitor

router = APIRouter(tags=["past"])
Weeks = Annotated[int, Query(ge=1, le=52)]
DAYS_PER_WEEK = 7


# Documented, and not checked again on the way out: a year of it is long.
BELIEF: dict[int | str, dict[str, Any]] = {200: {"model": BeliefDocument}}


@router.get("/trends", responses={200: {"model": TrendsDocument}}, response_class=Response)
def trends(visit: Visitor, weeks: Weeks = 12) -> Response:
    """Meters, their inputs, planned hours and happenings, day by day over the last weeks."""
    found = load_trends(visit.bridge, visit.user, at=visit.now, days=DAYS_PER_WEEK * weeks, wait=False)
    return Response(found.text, media_type="application/json", headers={"X-Fresh": "yes" if found.fresh else "no"})


@router.get("/belief", responses=BELIEF, response_class=JSONResponse)
def belief(visit: Visitor) -> JSONResponse:
    """The belief on each day of the last year, the answers that moved it, and its resets."""
    return JSONResponse(belief_document(beliefs(visit.bridge.store, visit.user, now=visit.now)))


@router.post("/belief/reset", responses=BELIEF, response_class=JSONResponse)
def reset(visit: Visitor) -> JSONResponse:
    """Ignore all answers given so far, from the next recommendation on. Nothing is deleted."""
    visit.bridge.store.recommendations.add_reset(visit.user.id, now=visit.now)
    return belief(visit)


@router.post("/belief/restore", responses=BELIEF, response_class=JSONResponse)
def restore(visit: Visitor) -> JSONResponse:
    """Take the newest reset back, so that the answers count again."""
    visit.bridge.store.recommendations.withdraw_reset(visit.user.id, now=visit.now)
    return belief(visit)
