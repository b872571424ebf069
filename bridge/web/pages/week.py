"""Serve the page of a week as 28 slots with entries and recommendations, which can be moved to a coming slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from bridge.advice import modes, rescheduling
from bridge.advice.week import Week, WeekSlot, is_moved, monday_of
from bridge.day.outcomes import day_end
from bridge.day.person import ModeKind
from bridge.documents.calendar import describe_facts, today_event_document
from bridge.documents.review import week_name
from bridge.documents.text import slot_name
from bridge.domain.languages import WEEKDAYS, _, date_text, number, say, shown
from bridge.domain.records import AdviceRecord
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.domain.titles import SLOT_TITLES, advice_title
from bridge.web import ahead, expected
from bridge.web.day import SLOT_HEADINGS, answered, is_part, mark_seen
from bridge.web.pages.ownership import just_marked, owned
from bridge.web.render import page, part
from bridge.web.state import Visit, Visitor, is_seen
from bridge.web.weeks import cached_week
from rhythm_env.interface import Answer, Slot

router = APIRouter()
A_WEEK = timedelta(weeks=1)
MODE_WORDS = {
    ModeKind.ILL: say("ill"),
    ModeKind.AWAY: say("away"),
    ModeKind.HOLIDAY: say("on holiday"),
    ModeKind.ODD: say("a different day"),
}
DUE_MAX = 5  # tasks shown for a day
Named = Annotated[str, Form(max_length=20)]


@router.get("/week")
def week(
    request: Request,
    visit: Visitor,
    week: Annotated[str | None, Query(max_length=20)] = None,
    marked: Annotated[str, Query(max_length=1000)] = "",
    saved: Annotated[str, Query(max_length=20)] = "",
) -> HTMLResponse:
    """Show a week (2026-W47, or a date in it), by default the current one. ``marked`` is an entry's key just marked."""
    monday, current = monday_of(week, visit.now, visit.user.zones), moment_at(visit.now, visit.user.zones).week
    if monday == current:
        mark_seen(request, visit)
    found, owned_ = cached_week(visit, monday), owned(visit)
    return page(
        "week.html",
        visit,
        path="/week",
        name=week_name(monday),
        first=date_text(monday, "%d %b"),
        last=date_text(monday + A_WEEK - timedelta(days=1), "%d %b %Y"),
        earlier=week_name(monday - A_WEEK),
        later=week_name(monday + A_WEEK),
        is_current=monday == current,
        calendar=found.calendar,
        days=_drawn(visit, found, owned_),
        coming=bool(expected.coming_days(visit, monday)),
        week_name=week_name(monday),
        owned=owned_,
        marked=just_marked(visit, marked),
        calendars_saved=saved == "calendars",
    )


@router.get("/week/ahead")
def week_ahead(request: Request, visit: Visitor, week: Annotated[str, Query(max_length=20)]) -> Response:
    """Send the previews and tasks of a week's coming days, each for its slot on the page of the week.

    A browser that asks for a whole page is led to the page of the week.
    """
    monday = monday_of(week, visit.now, visit.user.zones)
    if not is_part(request):
        return RedirectResponse(f"/week?week={week_name(monday)}", 303)
    found = expected.expected(visit, monday, seen=is_seen(request, visit))
    drawn, today = cached_week(visit, monday), moment_at(visit.now, visit.user.zones).date
    dates = [slot.facts.moment.date for slot in drawn.slots[::4]]
    heads = {task["id"] for date_ in dates for task in _due(drawn, date_, today)["due"]}
    return page("week/ahead.html", visit, expected=found, placed=heads.intersection(one["due"] for one in found))


def _drawn(visit: Visit, week: Week, owned_: dict[str, Any]) -> Markup:
    """Return the days of a week for the template, made once for a slot and a session."""

    def made() -> Markup:
        shown: dict[str, Any] = {"days": _days(visit, week, owned_, said), "choices": ahead.choices(visit)}
        return part("week/days.html", visit, **shown, name=week_name(week.monday), week_name=week_name(week.monday))

    said = tuple(modes.spells(visit.bridge.store, visit.user))
    version = week, moment_at(visit.now, visit.user.zones), visit.csrf, said
    return visit.app.results.get(visit.user, "days of the week", version, made)


@router.post("/week/{number}")
def move(visit: Visitor, number: Annotated[int, Path(ge=1, le=2**53)], to: Named, week: Named = "") -> RedirectResponse:
    """Put a recommendation off to the slot ``to``, and show the week again from which it was moved.

    Raises SetupError for a slot out of reach, and for an answered recommendation whose day is over.
    """
    monday = monday_of(week or None, visit.now, visit.user.zones)
    moved = ahead.chosen(visit, to, since_now=False)
    known = visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
    rescheduling.answer(visit.bridge, visit.user, number, Answer.RESCHEDULE, now=visit.now, moved_to=moved, known=known)
    return RedirectResponse(f"/week?week={week_name(monday)}", 303)


def _days(visit: Visit, week: Week, owned_: dict[str, Any], said: Sequence[modes.Spell]) -> list[dict[str, Any]]:
    tones = {one["name"]: one["tone"] for one in owned_["calendars"]}
    now, open_slots = moment_at(visit.now, visit.user.zones), set(ahead.slots_ahead(visit))
    return [
        {
            "key": slots[0].facts.moment.date.isoformat(),
            "name": date_text(slots[0].facts.moment.date, "%A"),
            "date": date_text(slots[0].facts.moment.date, "%d %b"),
            "today": slots[0].facts.moment.date == now.date,
            "over": slots[-1].facts.moment < now,
            "mode": _mode(said, slots[0].facts.moment.date),
            **_due(week, slots[0].facts.moment.date, now.date),
            "slots": [_slot(visit, week, slot, tones, is_open=slot.facts.moment in open_slots) for slot in slots],
        }
        for slots in (week.slots[day : day + 4] for day in range(0, len(week.slots), 4))
    ]


def _mode(said: Sequence[modes.Spell], day: date) -> str | None:
    """Return the mode that the user said of a day, in a word. What was said last counts."""
    found = [ModeKind(kind) for kind, since, until in said if since <= day <= until]
    return shown(MODE_WORDS[found[-1]]) if found else None


def _due(week: Week, day: date, today: date) -> dict[str, Any]:
    due = [(one, one.due) for one in week.tasks if one.due is not None]
    found = [one for one, date_ in due if (max(date_, today) if day == today else date_) == day >= today]
    told = [
        {"id": expected.due_id(one.key), "title": one.title, "overdue": one.due is not None and one.due < today}
        for one in found[:DUE_MAX]
    ]
    return {"due": told, "more": max(len(found) - DUE_MAX, 0)}


def _beside(week: Week, slot: WeekSlot, tones: Mapping[str, int | None]) -> list[list[dict[str, Any]]]:
    """Return the entries of a slot, each in the slot in which it begins, and those that overlap in one list."""
    first, begins = slot.facts.moment.slot is Slot.MORNING, slot.facts is week.slots[0].facts
    groups: list[list[dict[str, Any]]] = []
    end = slot.facts.start
    for one, label in sorted(slot.entries, key=lambda pair: pair[0].start):
        if not first if one.event.all_day else one.start < slot.facts.start and not begins:
            continue
        shown_ = {**today_event_document(one, label, week.zones), "key": one.key, "tone": tones.get(one.event.calendar)}
        if groups and not one.event.all_day and one.start < end:
            groups[-1].append(shown_)
        else:
            groups.append([shown_])
        end = end if one.event.all_day else max(end, one.end)
    return groups


def _slot(
    visit: Visit, week: Week, slot: WeekSlot, tones: Mapping[str, int | None], *, is_open: bool
) -> dict[str, Any]:
    moment, now = slot.facts.moment, moment_at(visit.now, visit.user.zones)
    return {
        "id": expected.cell_id(moment.date, moment.slot),
        "name": shown(SLOT_TITLES[moment.slot]),
        "full": shown(say(SLOT_HEADINGS[moment.slot], weekday=WEEKDAYS[moment.day])),
        "key": ahead.key(moment) if is_open else None,
        "now": moment == now,
        "over": slot.facts.end <= visit.now,
        "busy": number(slot.facts.busy, ".0%") if week.calendar and round(100 * slot.facts.busy) else None,
        "facts": describe_facts(slot) if week.calendar else "",
        "events": _beside(week, slot, tones),
        "advice": [_advice(visit, one, slot) for one in slot.advice],
    }


def _advice(visit: Visit, one: AdviceRecord, slot: WeekSlot) -> dict[str, Any]:
    """Return a recommendation as a slot of the week shows it."""
    moment, here = slot.facts.moment, is_moved(one, slot.facts.moment)
    elsewhere = one.moved_to is not None and not here and one.moved_to != moment
    answer = answered(one) or None
    return {
        "id": one.id,
        "name": shown(advice_title(one.action, one.kind)),
        "what": one.what,
        "reasons": for_person(one.facts[: expected.REASONS_MAX]),
        "from": _clock(visit, one, slot),
        "state": _("put off from {slot}", slot=slot_name(one.moment)) if here else answer,
        "movable": not elsewhere and day_end(one, visit.user.zones) > visit.now and one.created_at <= visit.now,
    }


def _clock(visit: Visit, one: AdviceRecord, slot: WeekSlot) -> str | None:
    inside = one.start is not None and slot.facts.start <= one.start < slot.facts.end
    return expected.clock(visit, one.start) if inside and one.start is not None else None
