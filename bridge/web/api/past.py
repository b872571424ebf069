"""Serve trends over weeks, weekly reviews, and the history of recommendations and of the model's belief, as JSON."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from bridge.advice import outcomes
from bridge.advice.belief_history import beliefs
from bridge.advice.review import load_review, review_week
from bridge.advice.week import monday_of
from bridge.documents.recommendations import BeliefDocument, PastRecommendationDocument, belief_document, past_document
from bridge.documents.review import ReviewDocument, review_document
from bridge.documents.trends import TrendsDocument
from bridge.domain.slots import INSTANT
from bridge.web.as_of import trends_shown
from bridge.web.result_cache import advice_version, effects_version
from bridge.web.state import Visitor

router = APIRouter(tags=["past"])
Weeks = Annotated[int, Query(ge=1, le=52)]
MINUTE_SECONDS = 60  # for which a list of what is still ahead holds
CONFIRMED_FRESH_SECONDS = 900  # what ends in between is looked at with the next data, or after that


# Documented, and not checked again on the way out: a year of it is long.
BELIEF: dict[int | str, dict[str, Any]] = {200: {"model": BeliefDocument}}


@router.get("/trends", responses={200: {"model": TrendsDocument}}, response_class=Response)
def trends(visit: Visitor, weeks: Weeks = 12, until: date | None = None) -> Response:
    """Return meters, their inputs, planned hours and happenings, day by day over the last ``weeks``.

    ``until`` is the last day of them, by default today. The header ``X-Fresh`` is ``no`` if newer data came, and the
    document is being computed again. Otherwise it is ``yes``.
    """
    found = trends_shown(visit, weeks, until)
    return Response(found.text, media_type="application/json", headers={"X-Fresh": "yes" if found.fresh else "no"})


@router.get("/review")
def review(visit: Visitor, week: Annotated[str | None, Query(max_length=20)] = None) -> ReviewDocument:
    """Return a week's recommendations with what became of them.

    ``week`` is 2026-W47 or a date in it, by default the week of yesterday.
    """
    bridge, user, now = visit.bridge, visit.user, visit.now
    monday = review_week(now, user) if week is None else monday_of(week, now, user.zones)
    found = load_review(bridge, user, monday, now=now)
    return review_document(found, user)


@router.get("/history")
def history(visit: Visitor, days: Annotated[int, Query(ge=1, le=366)] = 14) -> list[PastRecommendationDocument]:
    """Return the recommendations of the last ``days``, newest first, each with its answer and its outcome."""
    bridge, user, now = visit.bridge, visit.user, visit.now
    version, results = effects_version(bridge, user, now), visit.app.results

    def listed() -> list[PastRecommendationDocument]:
        confirmed = partial(outcomes.confirm, bridge, user, now=now)
        results.get(user, "confirmed", (version, now.timestamp() // CONFIRMED_FRESH_SECONDS), confirmed)
        found = outcomes.advised(bridge.store, user, since=now - timedelta(days=days), until=now + INSTANT)
        return [past_document(one, user, now=now) for one in reversed(found)]

    return results.get(user, f"history of {days} days", (version, now.timestamp() // MINUTE_SECONDS), listed)


@router.get("/belief", responses=BELIEF, response_class=JSONResponse)
def belief(visit: Visitor) -> Response:
    """Return the model's belief about the user, for each day of the last year with a recommendation.

    The eight answers that moved it most, and all resets, are returned too.
    """
    version = advice_version(visit.bridge, visit.user, visit.now)

    def computed() -> JSONResponse:
        return JSONResponse(belief_document(beliefs(visit.bridge.store, visit.user, now=visit.now)))

    body: bytes = visit.app.results.get(visit.user, "belief as JSON", version, lambda: bytes(computed().body))
    return Response(body, media_type="application/json")


@router.post("/belief/reset", responses=BELIEF, response_class=JSONResponse)
def reset(visit: Visitor) -> Response:
    """Let the model ignore all answers given so far, from the next recommendation on, and return the belief.

    Nothing is deleted.
    """
    visit.bridge.store.lessons.add_reset(visit.user.id, now=visit.now)
    return belief(visit)


@router.post("/belief/restore", responses=BELIEF, response_class=JSONResponse)
def restore(visit: Visitor) -> Response:
    """Undo the newest reset, so that the answers before it count again, and return the belief.

    Without a reset nothing changes.
    """
    visit.bridge.store.lessons.withdraw_reset(visit.user.id, now=visit.now)
    return belief(visit)
