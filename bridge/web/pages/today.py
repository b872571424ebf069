"""Serve today's page with the meters, the day's slots, and the recommendation to accept, ignore or move."""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.advice import feedback, modes, recommend, requests, rescheduling, trial, wishing
from bridge.advice.observation import newest_if_old, reasons_of_old
from bridge.day.body import ModeKind
from bridge.day.known import is_blank
from bridge.documents.inputs import parse_action, parse_answer, parse_meter, parse_score
from bridge.documents.text import slot_name
from bridge.domain.facts import Fact
from bridge.domain.languages import shown
from bridge.domain.records import MUST_DO, FullRecommendation, Recommendation, Silence, Snapshot
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import INSTANT, moment_at, slot_start
from bridge.domain.titles import advice_title
from bridge.domain.trials import Trial
from bridge.ingest import checkins
from bridge.web import ahead, day, timeline
from bridge.web.arrivals import kept_coming, together
from bridge.web.as_of import AsOf, as_of
from bridge.web.jobs import DONE
from bridge.web.pages import different, ownership
from bridge.web.pages.factors import Noted, chips_of, just_noted
from bridge.web.pages.wishes import NO_WISH
from bridge.web.render import page
from bridge.web.said import Back, check_in_card, key_of
from bridge.web.state import Visit, Visitor, is_seen
from bridge.web.today_cache import Today
from rhythm_env.interface import ActionType, Answer

router = APIRouter()
Text = Annotated[str, Form(max_length=1000)]
Number = Annotated[int, Path(ge=1, le=2**53)]


@router.get("/")
def today(
    request: Request,
    visit: Visitor,
    came: Annotated[str, Query(max_length=1000)] = "",
    marked: Annotated[str, Query(max_length=1000)] = "",
    noted: Noted = "",
) -> HTMLResponse:
    """Show today's page, with the slot's recommendation if it was made before and still holds.

    ``came`` are ids of jobs (imports and syncs) that just ended, joined by commas. ``marked`` is the key of an entry
    whose owner was just said, and ``noted`` tells what became of a note. The page has news about each.
    """
    store = visit.bridge.store
    with store.view():
        current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
        then = as_of(visit)
        opening = visit.app.today_cache.opening(visit.bridge, visit.user, current)
        kinds = {one.kind for one in opening}
        refused = recommendation = store.recommendations.of_slot(visit.user.id, current.moment)
        reasons = wishing.refusals(store, visit.user)
        if recommendation is not None and (
            recommendation.id in reasons or not recommend.stands(store, visit.user, recommendation, visit.now)
        ):
            recommendation = None
        shown: dict[str, Any] = {
            "title": day.title(visit),
            **_opening(opening),
            "asks_ill": then is None and _asks_ill(visit, kinds),
            **_meters(current, then),
            "advice": None if recommendation is None else _recommendation(visit, recommendation, opening),
            "next": None if recommendation is None else _next(visit, current.known),
            "questions": day.questions(visit),
            "backup": day.backup(visit),
            "household": bool(store.shares.received(visit.user.id)),
            "checkin": check_in_card(visit, None),
            "chips": chips_of(visit),
            "trials": [_of_today(one, arm, visit) for one, arm in trial.running(store, visit.user, now=visit.now)],
            "job": (ended := _ended(visit, came)),
            "keeping": kept_coming(visit) if ended else [],
            "different": different.card(visit),
            "wish": NO_WISH,
            "just_noted": just_noted(visit, noted),
            "follows": None,
            "refused": None if refused is None else {"id": refused.id, "why": _why(refused, reasons)},
            "refusals": _refusals(visit, recommendation),
            "week_name": "",
            "choices": ahead.choices(visit),
            "due": [] if then is not None and then.all_old else day.due(visit, current.known, opening),
            "marked": ownership.just_marked(visit, marked),
        }
    if recommendation is not None and recommendation.shown_at is None and is_seen(request, visit):
        store.recommendations.mark_shown(recommendation.id, now=visit.now)
    return page("today.html", visit, path="/", calendar=current.calendar, back="/", **shown)


def _opening(opening: Sequence[Fact]) -> dict[str, Any]:
    kinds = {one.kind for one in opening}
    not_in = bool(kinds & {"nights_not_in", "nights_not_brought"})
    return {"opening": for_person(opening), "not_in": not_in, "says_ill": "said_ill" in kinds}


def _meters(current: Today, then: AsOf | None) -> dict[str, Any]:
    meters = day.meters(current.readings, current.before) if then is None else day.meters(then.readings)
    return {"meters": meters, "as_of": then}


def _asks_ill(visit: Visit, opening: Set[str]) -> bool:
    """Return True if the data suggest an illness that the user neither stated nor was asked about."""
    asked = modes.was_asked(visit.bridge.store, visit.user, ModeKind.ILL, now=visit.now)
    return "rest_first" in opening and "said_ill" not in opening and not asked


def _of_today(one: Trial, arm: bool, visit: Visit) -> dict[str, Any]:
    said = one.kept.get(visit.today)
    return {"id": one.id, "text": one.text, "today": arm, "said": said}


def _ended(visit: Visit, names: str) -> dict[str, Any] | None:
    found = [visit.app.jobs.find(visit.user.id, name) for name in dict.fromkeys(names.split(","))]
    rows = [row for job in found if job is not None and job.state == DONE for row in job.result or ()]
    return {"result": together(rows)} if rows else None


@router.get("/advice")
def show_recommendation(request: Request, visit: Visitor) -> Response:
    """Show the slot's recommendation, which is made if there is none yet, or why there is none."""
    found = requests.recommend(visit.bridge, visit.user, now=visit.now, seen=is_seen(request, visit))
    if isinstance(found, FullRecommendation) and found.id in wishing.refusals(visit.bridge.store, visit.user):
        found = requests.following(visit.bridge, visit.user, found.id, now=visit.now)
    return _recommendation_part(visit, found) if day.is_part(request) else RedirectResponse("/", 303)


@router.post("/advice/{number}/undo")
def undo(
    request: Request, visit: Visitor, number: Number, back: Annotated[Literal["/", "/history", "/week"], Form()] = "/"
) -> Response:
    """Take an answer back, and show the recommendation again. Raises SetupError once its day is over."""
    rescheduling.take_back(visit.bridge, visit.user, number, now=visit.now)
    if not day.is_part(request):
        return RedirectResponse(back, 303)
    return _recommendation_part(visit, requests.recommend(visit.bridge, visit.user, now=visit.now))


@router.post("/advice/{number}")
def answer(request: Request, visit: Visitor, number: Number, answer: Text, to: Text = "") -> Response:
    """Record the answer to a recommendation, or its outcome. ``to`` is its new slot as ``week/timestep``.

    Raises SetupError for an unknown word or slot.
    """
    given = parse_answer(answer)
    moved = ahead.chosen(visit, to) if given is Answer.RESCHEDULE else None
    known = None if moved is None else visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
    bridge, user = visit.bridge, visit.user
    found = rescheduling.answer(bridge, user, number, given, now=visit.now, moved_to=moved, known=known)
    return _recommendation_part(visit, found) if day.is_part(request) else RedirectResponse("/", 303)


@router.post("/advice/{number}/because")
def because(request: Request, visit: Visitor, number: Number, why: Text, confirmed: Text = "") -> Response:
    """Save why a recommendation is refused. Show what follows from that and the next idea, or why there is none.

    A reason for all later days is first shown, with other times of today. ``confirmed`` is then "yes" for all days,
    "today" for today alone, or "no", which shows the refused recommendation again.
    """
    reason = wishing.parse_because(why, visit.user)
    given = feedback.own(visit.bridge.store, visit.user, number)
    rule = wishing.lasting(given, visit.user, reason)
    if rule is not None and confirmed == "no":
        return _recommendation_part(visit, given) if day.is_part(request) else RedirectResponse("/", 303)
    if rule is not None and confirmed not in ("yes", "today"):
        is_part, put_off = day.is_part(request), f"/advice/{number}"
        known = visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
        is_late = reason is wishing.Because.WRONG_TIME
        free = rescheduling.gaps_today(visit.bridge, visit.user, given, now=visit.now, known=known) if is_late else []
        sure = {"action": f"{put_off}/because", "why": str(reason), "told": shown(rule.told), "is_part": is_part}
        sure |= {"put_off": put_off, "offers": timeline.offers(visit, free)}
        return page("today/sure.html" if is_part else "sure.html", visit, path="/", sure=sure)
    only_today = confirmed == "today"
    follows = wishing.refuse(visit.bridge.store, visit.user, number, reason, now=visit.now, only_today=only_today)
    if not day.is_part(request):
        return RedirectResponse("/", 303)
    found = requests.following(visit.bridge, visit.user, number, now=visit.now)
    is_told = reason is not wishing.Because.SOMETHING_ELSE or isinstance(found, FullRecommendation)
    return _recommendation_part(visit, found, follows=shown(follows) if is_told else None)


def _recommendation_part(
    visit: Visit, found: FullRecommendation | Silence, *, follows: str | None = None
) -> HTMLResponse:
    if isinstance(found, Silence):
        return _plan_again(_silence_part(visit, found, follows))
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
    opening = visit.app.today_cache.opening(visit.bridge, visit.user, current)
    advice, after = _recommendation(visit, found, opening), _next(visit, current.known)
    refusals = _refusals(visit, found)
    answer = page("today/advice.html", visit, advice=advice, next=after, follows=follows, refusals=refusals)
    return _plan_again(answer)


def _silence_part(visit: Visit, found: Silence, follows: str | None) -> HTMLResponse:
    known = _known(visit)
    old = newest_if_old(visit.bridge.store, visit.user, known)
    after = requests.next_entry(visit.bridge, visit.user, visit.now, known.agenda)
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
    above = {one.kind for one in visit.app.today_cache.opening(visit.bridge, visit.user, current)}
    reasons, after = _once(sorted(found.facts, key=lambda one: one.kind in above), after)
    return page(
        "today/silence.html",
        visit,
        refusals=_refusals(visit, None),
        follows=follows,
        reasons=list(map(shown, for_person(reasons))),
        must_do=bool(reasons) and reasons[0].kind in MUST_DO,
        rests=bool(above & {"rest_first", "take_it_easier"}),
        slot_name=slot_name(found.moment),
        old=None if old is None else shown(for_person(reasons_of_old(old, visit.user))[0]),
        blank=is_blank(known),
        next=None if after is None else shown(told(after)),
        due=_due_today(visit, known),
    )


def _once(facts: Sequence[Fact], after: Fact | None) -> tuple[Sequence[Fact], Fact | None]:
    """Return the reasons why nothing is recommended and the day's next entry, without stating the same entry twice."""
    if not facts or after is None:
        return facts, after
    same = facts[0].values.get("time") == after.values["time"]
    if facts[0].kind == "nothing_needed" or (same and facts[0].kind in ("entry_next", "begins_soon")):
        return facts[1:], after
    return facts, None if same else after


def _due_today(visit: Visit, known: Snapshot) -> list[str]:
    today = visit.today
    due = {
        str(task.key) for task in known.tasks if task.completed is None and task.due is not None and task.due <= today
    }
    if not due:
        return []
    plan = visit.app.plan_cache.plan(visit.bridge, visit.user, None, now=visit.now, seen=False)
    ahead = [block for block in plan.blocks if block.task in due and block.title and block.start >= visit.now]
    return [f"{one.title}: {visit.local(one.start):%H:%M}" for one in ahead]


def _known(visit: Visit) -> Snapshot:
    return visit.app.today_cache.snapshot(visit.bridge, visit.user, visit.now)


def _next(visit: Visit, known: Snapshot) -> str | None:
    found = requests.next_entry(visit.bridge, visit.user, visit.now, known.agenda)
    return None if found is None else shown(told(found))


def _plan_again(answer: HTMLResponse) -> HTMLResponse:
    answer.headers["HX-Trigger"] = "advised"
    return answer


def _recommendation(visit: Visit, found: FullRecommendation, opening: Sequence[Fact]) -> dict[str, Any]:
    tasks = visit.app.today_cache.today(visit.bridge, visit.user, visit.now).known.tasks
    return day.recommendation(visit, found, opening) | {
        "ahead": ahead.choices(visit, next((t for t in tasks if t.completed is None and t.title == found.what), None)),
        "why": _why(found, wishing.refusals(visit.bridge.store, visit.user)),
    }


def _refusals(visit: Visit, besides: Recommendation | None) -> list[dict[str, Any]]:
    """Return the refused recommendations of this slot with the user's reasons, except ``besides``."""
    store, user, moment = visit.bridge.store, visit.user, moment_at(visit.now, visit.user.zones)
    reasons = wishing.refusals(store, user)
    found = store.recommendations.between(user.id, since=slot_start(moment, user.zones), until=visit.now + INSTANT)
    return [
        {
            "id": one.id,
            "what": day.titled(one.what) or shown(advice_title(one.action, one.kind)),
            "said": shown(reasons[one.id]) if one.id in reasons else day.answered(one),
        }
        for one in found
        if one.answer is Answer.IGNORE and one.moment == moment and (besides is None or one.id != besides.id)
    ]


def _why(found: Recommendation | None, said: Container[int]) -> list[tuple[str, str]]:
    is_refused = found is not None and found.answer is Answer.IGNORE and found.id not in said
    return [(str(key), shown(text)) for key, text in wishing.BECAUSE_WORDS.items()] if is_refused else []


@router.post("/checkin")
def check_in(request: Request, visit: Visitor, score: Text, about: Text = "") -> Response:
    """Store a check-in with a score of 1 to 5, for life as a whole or for the meter ``about``.

    Raises SetupError for another score or meter.
    """
    name = visit.user.name
    meter = parse_meter(about, name) if about else None
    said = checkins.CheckIn(at=visit.now, score=parse_score(score, name), about=meter)
    checkins.record_check_in(visit.bridge.store, visit.user, said, now=visit.now)
    return _checked_in(visit, said) if day.is_part(request) else RedirectResponse("/#checkin", 303)


@router.post("/checkin/back")
def take_back(request: Request, visit: Visitor, said: Text, back: Back = "/#checkin") -> Response:
    """Delete one of the user's check-ins, if it still exists, and lead to ``back``."""
    for one in checkins.recent(visit.bridge.store, visit.user, since=date.min):
        if key_of(one) == said:
            checkins.forget(visit.bridge.store, visit.user, one, now=visit.now)
    return _checked_in(visit, None) if day.is_part(request) else RedirectResponse(back, 303)


def _checked_in(visit: Visit, said: checkins.CheckIn | None) -> HTMLResponse:
    after = replace(visit, now=visit.now + INSTANT)
    current = visit.app.today_cache.today(visit.bridge, visit.user, after.now)
    opening = visit.app.today_cache.opening(visit.bridge, visit.user, current)
    body = {"checkin": check_in_card(visit, said), **_opening(opening), **_meters(current, as_of(after))}
    answer = _plan_again(page("today/checked_in.html", visit, **body))
    answer.headers["HX-Trigger"] += ", checkedin"
    return answer


@router.get("/events")
def entries(request: Request, visit: Visitor) -> HTMLResponse:
    """Show the day's entries with the action that each counts as, so that the user can correct it."""
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now)
    return page("today/slot_list.html" if day.is_part(request) else "events.html", visit, **_slots(current, visit))


def _slots(current: Today, visit: Visit) -> dict[str, Any]:
    shown = {"path": "/", "calendar": current.calendar, "actions": tuple(ActionType), "week_name": ""}
    return {"slots": day.slots(current, visit), **shown}


@router.post("/events")
def label(request: Request, visit: Visitor, event: Text, action: Text) -> Response:
    """Store the user's correction of an event's action, which also holds for its series and for similar titles."""
    fixed = requests.fix(visit.bridge, visit.user, event, parse_action(action), now=visit.now)
    if not day.is_part(request):
        return RedirectResponse("/", 303)
    current = visit.app.today_cache.today(visit.bridge, visit.user, visit.now + INSTANT)
    part = page("today/slots.html", visit, fixed=fixed.holds_for, **_slots(current, visit))
    return _plan_again(part)
