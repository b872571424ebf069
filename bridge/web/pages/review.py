"""Serve the page that looks back at a week, and the history of recommendations with their answers and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from bridge.advice import feedback, review_figures, review_words
from bridge.advice.effect import known_effects
from bridge.advice.feedback import may_change
from bridge.advice.review import load_review, review_week
from bridge.advice.review_figures import Figure
from bridge.advice.review_summary import summary
from bridge.advice.review_words import KnownEffect, Review
from bridge.advice.week import monday_of
from bridge.day.outcomes import over_at
from bridge.documents.inputs import parse_answer
from bridge.documents.review import week_name
from bridge.documents.watch import event_line
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, capital, date_text, shown
from bridge.domain.records import Deed, Recommendation
from bridge.domain.slots import moment_of, slot_start
from bridge.domain.sport_names import subject
from bridge.domain.titles import SLOT_TITLES, advice_title
from bridge.web import day
from bridge.web.day import OUTCOME_LABELS, answered, clocks, mark_seen
from bridge.web.phrases import evidence_text
from bridge.web.render import page
from bridge.web.result_cache import effects_version
from bridge.web.said import said_lately
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType, Answer

router = APIRouter()
A_WEEK = timedelta(weeks=1)
Week = Annotated[str | None, Query(max_length=20)]

PAGE_ROWS = 28
Before = Annotated[int | None, Query(ge=1, le=2**53)]


@router.get("/review")
def review(visit: Visitor, week: Week = None) -> HTMLResponse:
    """Show a week, by default that of yesterday, and the past recommendations that the page asks about."""
    newest = review_week(visit.now, visit.user)
    monday = newest if week is None else monday_of(week, visit.now, visit.user.zones)
    found = _load(visit, monday)
    return page(
        "review.html",
        visit,
        path="/review",
        week=week_name(monday),
        first=date_text(monday, "%-d %b"),
        last=date_text(monday + A_WEEK - timedelta(days=1), "%-d %b %Y"),
        earlier=week_name(monday - A_WEEK),
        later=week_name(monday + A_WEEK) if monday + A_WEEK <= visit.now.date() else None,
        advised_line=shown(review_words.advised_line(found)),
        summary=list(map(shown, summary(found))),
        figures=[_figure(figure) for figure in review_figures.figures(found)],
        effects=list(map(shown, review_words.effect_lines(found))),
        ideas=list(map(shown, found.ideas[1:])),
        rows=[_row(one, found) for one in found.advised],
        questions=day.questions(visit),
        back="/review",
    )


def _row(one: Recommendation, found: Review) -> dict[str, Any]:
    return day.past_advice(one) | ({"outcome": _("still ahead")} if one.id in found.ahead else {})


def _figure(one: Figure) -> dict[str, Any]:
    return {
        "name": shown(one.name),
        "value": shown(one.value),
        "usual": None if one.usual is None else shown(one.usual),
        "percent": None if one.share is None else round(100 * one.share, 1),
        "usual_percent": None if one.usual_share is None else round(100 * one.usual_share, 1),
    }


def _load(visit: Visit, monday: date) -> Review:
    bridge, user = visit.bridge, visit.user
    start = slot_start(moment_of(monday, 0), user.zones)
    given = bridge.store.recommendations.between(user.id, since=start, until=start + A_WEEK)
    advice = tuple((one.id, one.answer, one.moved_to, one.outcome, one.evidence) for one in given)
    version = effects_version(bridge, user, visit.now), monday, advice, bridge.store.people.wishes(user.id)

    def computed() -> Review:
        return load_review(
            bridge,
            user,
            monday,
            now=visit.now,
            effects_of=lambda actions: _effects(visit, actions),
        )

    return visit.app.results.get(user, "review", version, computed)


def _effects(visit: Visit, actions: Sequence[ActionType]) -> Sequence[KnownEffect]:
    version = effects_version(visit.bridge, visit.user, visit.now), tuple(actions)

    def computed() -> Sequence[KnownEffect]:
        return tuple(known_effects(visit.bridge.store, visit.user, actions, now=visit.now))

    return visit.app.results.get(visit.user, "effects", version, computed)


@router.post("/did/{number}")
def did(
    visit: Visitor,
    number: Annotated[int, Path(ge=1, le=2**53)],
    answer: Annotated[str, Form(max_length=20)],
    back: Annotated[str, Form(max_length=20)] = "/",
) -> RedirectResponse:
    """Save what the user says became of a recommendation (done, partly or not_done), and lead to ``back``.

    Raises SetupError for any other word.
    """
    deed = parse_answer(answer)
    if not isinstance(deed, Deed):
        raise SetupError(_("this answer is unknown; open the page again and choose done, partly or not_done"))
    feedback.say(visit.bridge.store, visit.user, number, deed, now=visit.now)
    return RedirectResponse("/review" if back == "/review" else "/", 303)


@router.get("/history")
def history(request: Request, visit: Visitor, before: Before = None) -> HTMLResponse:
    """Show some of the user's recommendations, newest first, with ``before`` (an id) those with lower ids."""
    if before is None:
        mark_seen(request, visit)
    found = visit.bridge.store.recommendations.newest(visit.user.id, before=before, limit=PAGE_ROWS + 1)
    shown, more = found[:PAGE_ROWS], len(found) > PAGE_ROWS
    days = [
        (day, [_history_row(visit, one) for one in ones]) for day, ones in groupby(shown, lambda one: one.moment.date)
    ]
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


def _history_row(visit: Visit, one: Recommendation) -> dict[str, Any]:
    return {
        "title": shown(advice_title(one.action, one.kind)),
        "given": one,
        "what": one.what and shown(subject(one.what)),
        "slot": shown(SLOT_TITLES[one.moment.slot]),
        "hours": _hours(visit, one),
        "answered": capital(answered(one)),
        "withdrawn": None if one.superseded_at is None else date_text(visit.local(one.superseded_at), "%a %H:%M"),
        "answered_at": None if one.answered_at is None else date_text(visit.local(one.answered_at), "%a %H:%M"),
        "undo": one.id if _may_undo(visit, one) else None,
        "seen": _seen(one, over=over_at(one, visit.user.zones), now=visit.now),
        "evidence": evidence_text(one.evidence),
    }


def _may_undo(visit: Visit, one: Recommendation) -> bool:
    return one.answer in (Answer.ACCEPT, Answer.IGNORE) and may_change(one, visit.user, visit.now)


def _hours(visit: Visit, one: Recommendation) -> str | None:
    return None if one.start is None or one.end is None else clocks(visit, one.start, one)


def _seen(one: Recommendation, *, over: datetime, now: datetime) -> str:
    if one.outcome is not None:
        return capital(shown(OUTCOME_LABELS[one.outcome]))
    if one.answer is Answer.IGNORE or one.superseded_at is not None:
        return _("Not looked for")
    if one.shown_at is None and one.answer is None:
        return _("You did not see it")
    if over <= now:
        return _("Not known")
    is_past = one.moved_to is None and one.end is not None and one.end <= now
    return capital(_("not known yet")) if is_past else _("Still ahead")
