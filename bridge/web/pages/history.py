"""Serve the page of past recommendations: what was suggested, what was answered, and what the data show of it."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from bridge.advice.feedback import may_change
from bridge.day.outcomes import over_at
from bridge.documents.watch import event_line
from bridge.domain.languages import _, date_text, shown
from bridge.domain.records import Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.titles import SLOT_TITLES, advice_title
from bridge.web.day import OUTCOME_LABELS, answered, mark_seen
from bridge.web.phrases import capital, with_source_titles
from bridge.web.render import page
from bridge.web.said import said_lately
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import Answer

router = APIRouter()
PAGE_ROWS = 28
Before = Annotated[int | None, Query(ge=1, le=2**53)]


@router.get("/history")
def history(request: Request, visit: Visitor, before: Before = None) -> HTMLResponse:
    """Show 28 of the user's recommendations, the newest first.

    With ``before``, the id of a recommendation, it shows those with a lower id.
    """
    if before is None:
        mark_seen(request, visit)
    found = visit.bridge.store.recommendations.newest(visit.user.id, before=before, limit=PAGE_ROWS + 1)
    shown, more = found[:PAGE_ROWS], len(found) > PAGE_ROWS
    days = [(day, [_row(visit, one) for one in ones]) for day, ones in groupby(shown, lambda one: one.moment.date)]
    return page(
        "history.html",
        visit,
        path="/history",
        days=[(date_text(day, "%A, %-d %B %Y"), rows) for day, rows in days],
        earlier=shown[-1].id if more else None,
        is_newest=before is None,
        switches=_switches(visit) if before is None else [],
        noted=said_lately(visit) if before is None else [],
        back="/history#said",
    )


def _switches(visit: Visit) -> list[str]:
    found = visit.bridge.store.people.preferences(visit.user.id).switches
    return [shown(event_line(one, visit.user)) for one in reversed(found)]


def _row(visit: Visit, one: Recommendation) -> dict[str, Any]:
    return {
        "title": shown(advice_title(one.action, one.kind)),
        "given": one,
        "slot": shown(SLOT_TITLES[one.moment.slot]),
        "hours": _hours(visit, one),
        "answered": capital(answered(one)),
        "answered_at": None if one.answered_at is None else date_text(visit.local(one.answered_at), "%a %H:%M"),
        "undo": one.id if _may_undo(visit, one) else None,
        "seen": _seen(one, is_over=over_at(one, visit.user.zones) <= visit.now),
        "evidence": with_source_titles(", ".join(map(shown, for_person(one.evidence)))),
    }


def _may_undo(visit: Visit, one: Recommendation) -> bool:
    return one.answer in (Answer.ACCEPT, Answer.IGNORE) and may_change(one, visit.user, visit.now)


def _hours(visit: Visit, one: Recommendation) -> str | None:
    if one.start is None or one.end is None:
        return None
    return _("{start:%H:%M} to {end:%H:%M}", start=visit.local(one.start), end=visit.local(one.end))


def _seen(one: Recommendation, *, is_over: bool) -> str:
    if one.outcome is not None:
        return capital(shown(OUTCOME_LABELS[one.outcome]))
    if one.answer is Answer.IGNORE:
        return _("Not looked for")
    if one.shown_at is None and one.answer is None:
        return _("You did not see it")
    return _("Not known") if is_over else _("Still ahead")
