"""Serve the page of a week as 28 slots with entries and recommendations, which can be moved to a coming slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from bridge.advice import feedback, modes, rescheduling
from bridge.advice.rescheduling import HINTS
from bridge.advice.week import Week, WeekSlot, is_moved, monday_of
from bridge.calendar.busy import takes_time
from bridge.calendar.days import LASTING
from bridge.day.body import ModeKind
from bridge.documents.calendar import describe_facts, today_event_document
from bridge.documents.review import week_name
from bridge.documents.text import slot_name
from bridge.domain.errors import SetupError
from bridge.domain.languages import WEEKDAYS, _, date_text, number, say, shown, told
from bridge.domain.records import Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneHistory, local_time, moment_at
from bridge.domain.titles import SLOT_TITLES, advice_title
from bridge.web import ahead, weeks
from bridge.web.day import SLOT_HEADINGS, answered, is_part, mark_seen, titled
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
DUE_MAX, DUE_MORE = 5, 50  # tasks shown for a day, and behind "more"
Named = Annotated[str, Form(max_length=20)]
Key = Annotated[str, Form(max_length=2000)]


class Shown(BaseModel):
    """The week to show, and what was just done there.

    ``marked`` is the key of an entry whose owner was said, ``moved`` that of a task that was moved.
    """

    week: Annotated[str | None, Field(max_length=20)] = None
    marked: Annotated[str, Field(max_length=1000)] = ""
    saved: Annotated[str, Field(max_length=20)] = ""
    moved: Annotated[str, Field(max_length=2000)] = ""


@router.get("/week")
def week(request: Request, visit: Visitor, wanted: Annotated[Shown, Query()]) -> HTMLResponse:
    monday = monday_of(wanted.week, visit.now, visit.user.zones)
    if monday == monday_of(None, visit.now, visit.user.zones):
        mark_seen(request, visit)
    said: dict[str, Any] = {"marked": just_marked(visit, wanted.marked), "calendars_saved": wanted.saved == "calendars"}
    return _shown(visit, monday, moved=wanted.moved, **said)


def _shown(visit: Visit, monday: date, *, status: int = 200, moved: str = "", **also: Any) -> HTMLResponse:
    found, owned_, at_places = cached_week(visit, monday), owned(visit), weeks.moved(visit)
    return page(
        "week.html",
        visit,
        status=status,
        path="/week",
        name=week_name(monday),
        first=date_text(monday, "%-d %b"),
        last=date_text(monday + A_WEEK - timedelta(days=1), "%-d %b %Y"),
        earlier=week_name(monday - A_WEEK),
        later=week_name(monday + A_WEEK),
        is_current=monday == monday_of(None, visit.now, visit.user.zones),
        calendar=found.calendar,
        days=_drawn(visit, found, owned_, at_places),
        just_moved=next((place for place in at_places if place["task"] == moved), None),
        coming=bool(weeks.coming_days(visit, monday)),
        week_name=week_name(monday),
        owned=owned_,
        **{"marked": None, "calendars_saved": False, "wrong": None, **also},
    )


@router.get("/week/slots")
def slots_for(visit: Visitor, task: Annotated[str, Query(max_length=2000)]) -> HTMLResponse:
    """Send the coming slots to which a task may be moved, each with a hint. Slots without room cannot be chosen."""
    known = visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
    slots = ahead.slots_ahead(visit)
    fit = rescheduling.fitting(visit.bridge, visit.user, task, slots, known=known)
    choices = [(ahead.key(slot), _slot_text(slot_name(slot), fit.get(slot)), slot in fit) for slot in slots]
    return page("week/slots.html", visit, choices=choices)


def _slot_text(name: str, hint: str | None) -> str:
    if hint is None:
        return _("{slot}: no room", slot=name)
    return shown(say(HINTS[hint], slot=name)) if hint else name


@router.get("/week/ahead")
def week_ahead(request: Request, visit: Visitor, week: Annotated[str, Query(max_length=20)]) -> Response:
    """Send the slots of a week's coming days in which suggestions and tasks are expected.

    If the browser asks for a whole page, lead it to the page of the week.
    """
    monday = monday_of(week, visit.now, visit.user.zones)
    if not is_part(request):
        return RedirectResponse(f"/week?week={week_name(monday)}", 303)
    found = weeks.expected(visit, monday, seen=is_seen(request, visit))
    moved = weeks.moved(visit)
    cells = {one["cell"] for one in (*found, *moved)}
    week_ = cached_week(visit, monday)
    days = _days(_Drawn(visit=visit, week=week_, tones=_tones(owned(visit)), expected=found, moved=moved))
    heads = {task["id"] for day in days for task in (*day["due"], *day["more"])}
    shown: dict[str, Any] = {"slots": [slot for day in days for slot in day["slots"] if slot["id"] in cells]}
    shown |= {"choices": ahead.choices(visit), "name": week_name(monday), "week_name": week_name(monday)}
    return page("week/ahead.html", visit, placed=heads.intersection(one["due"] for one in found), **shown)


def _drawn(visit: Visit, week: Week, owned_: dict[str, Any], moved: Sequence[dict[str, Any]]) -> Markup:
    def made() -> Markup:
        drawn = _Drawn(visit=visit, week=week, tones=_tones(owned_), expected=moved, moved=moved)
        shown: dict[str, Any] = {"days": _days(drawn, said), "choices": ahead.choices(visit)}
        return part("week/days.html", visit, **shown, name=week_name(week.monday), week_name=week_name(week.monday))

    said = tuple(modes.spells(visit.bridge.store, visit.user))
    version = week, moment_at(visit.now, visit.user.zones), visit.today, visit.csrf, said, moved
    return visit.app.results.get(visit.user, "days of the week", version, made)


@router.post("/week/task")
def move_task(visit: Visitor, task: Key, to: Named, week: Named = "") -> Response:
    """Give a task its best time in the slot ``to``, and show the same week again.

    If the slot is too far ahead or full, or the task not open, the week shows the reason with status 400.
    """
    monday = monday_of(week or None, visit.now, visit.user.zones)
    try:
        slot = ahead.chosen(visit, to, since_now=False)
        known = visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
        rescheduling.move_task(visit.bridge, visit.user, task, slot, known=known)
    except SetupError as error:
        return _shown(visit, monday, status=400, wrong=told(error))
    return RedirectResponse(f"/week?{urlencode({'week': week_name(monday), 'moved': task})}", 303)


@router.post("/week/task/back")
def move_back(visit: Visitor, task: Key, week: Named = "") -> RedirectResponse:
    """Undo the user's move of a task, and show the same week again."""
    visit.bridge.store.task_notes.move_back(visit.user.id, task, now=visit.now)
    return RedirectResponse(f"/week?week={week_name(monday_of(week or None, visit.now, visit.user.zones))}", 303)


@router.post("/week/{number}")
def move(visit: Visitor, number: Annotated[int, Path(ge=1, le=2**53)], to: Named, week: Named = "") -> Response:
    """Move a recommendation to the slot ``to``, and show the same week again.

    If the slot is too far ahead, or the recommendation answered on a past day, the week shows the reason with status
    400.
    """
    monday, bridge, user = monday_of(week or None, visit.now, visit.user.zones), visit.bridge, visit.user
    try:
        to_ = ahead.chosen(visit, to, since_now=False)
        known = visit.app.today_cache.planning_snapshot(bridge, user, visit.now)
        rescheduling.answer(bridge, user, number, Answer.RESCHEDULE, now=visit.now, moved_to=to_, known=known)
    except SetupError as error:
        return _shown(visit, monday, status=400, wrong=told(error))
    return RedirectResponse(f"/week?week={week_name(monday)}", 303)


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    visit: Visit
    week: Week
    tones: Mapping[str, int | None]
    expected: Sequence[dict[str, Any]] = ()
    moved: Sequence[dict[str, Any]] = ()  # tasks at the places that the user gave them


def _tones(owned_: Mapping[str, Any]) -> dict[str, int | None]:
    return {calendar["name"]: calendar["tone"] for calendar in owned_["calendars"]}


def _days(drawn: _Drawn, said: Sequence[modes.Spell] = ()) -> list[dict[str, Any]]:
    week, now = drawn.week, moment_at(drawn.visit.now, drawn.visit.user.zones)
    open_slots = set(ahead.slots_ahead(drawn.visit))
    return [
        {
            "key": slots[0].facts.moment.date.isoformat(),
            "name": date_text(slots[0].facts.moment.date, "%A"),
            "date": date_text(slots[0].facts.moment.date, "%-d %b"),
            "today": slots[0].facts.moment.date == drawn.visit.today,
            "over": slots[-1].facts.moment < now,
            "mode": _mode(said, slots[0].facts.moment.date),
            **_due(drawn, slots[0].facts.moment.date, drawn.visit.today),
            "slots": [_slot(drawn, slot, is_open=slot.facts.moment in open_slots) for slot in slots],
        }
        for slots in (week.slots[day : day + 4] for day in range(0, len(week.slots), 4))
    ]


def _mode(said: Sequence[modes.Spell], day: date) -> str | None:
    found = modes.said_on(said, day)
    return None if found is None else shown(MODE_WORDS[found])


def _due(drawn: _Drawn, day: date, today: date) -> dict[str, Any]:
    cells = {weeks.cell_id(slot.facts.moment.date, slot.facts.moment.slot) for slot in drawn.week.slots}
    moved = {one["task"]: one["when"] for one in drawn.moved}
    here = {one["task"] for one in drawn.moved if one["cell"] in cells}
    due = [(task, task.due) for task in drawn.week.tasks if task.due is not None and str(task.key) not in here]
    found = [one for one, date_ in due if (max(date_, today) if day == today else date_) == day >= today]
    told = [
        {
            "id": weeks.due_id(one.key),
            "key": one.key,
            "title": one.title,
            "moved": moved.get(str(one.key)),
            "overdue": bool(one.due and one.due < today),
        }
        for one in found[: DUE_MAX + DUE_MORE]
    ]
    return {"due": told[:DUE_MAX], "more": told[DUE_MAX:]}


def _entries(drawn: _Drawn, slot: WeekSlot) -> Iterator[dict[str, Any]]:
    """Yield groups of entries that overlap, of those that begin in the slot."""
    week, first, end = drawn.week, slot.facts.moment.slot is Slot.MORNING, slot.facts.start
    group: dict[str, Any] = {}
    for one, label in sorted(slot.entries, key=lambda pair: pair[0].start):
        if not first if one.event.all_day else one.start < slot.facts.start:
            continue
        tone = drawn.tones.get(one.event.calendar)
        shown_ = {**today_event_document(one, label, week.zones), "key": one.key, "tone": tone}
        if group and not one.event.all_day and one.start < end:
            group["entries"].append(shown_)
        else:
            group = {"at": one.start, "entries": [shown_]}
            yield group
        end = end if one.event.all_day else max(end, one.end)


def _slot(drawn: _Drawn, slot: WeekSlot, *, is_open: bool) -> dict[str, Any]:
    visit, week, moment = drawn.visit, drawn.week, slot.facts.moment
    cell = weeks.cell_id(moment.date, moment.slot)
    entries = [*_entries(drawn, slot)]
    things = [*entries, *(_advice(visit, one, slot) for one in slot.advice)]
    things += [one for one in drawn.expected if one["cell"] == cell]
    alone = not entries or slot is week.slots[0]  # the week shows nothing of what began before it elsewhere
    lasting = [*_lasting(slot, week.zones, alone=alone)]
    return {
        "id": cell,
        "name": shown(SLOT_TITLES[moment.slot]),
        "full": shown(say(SLOT_HEADINGS[moment.slot], weekday=WEEKDAYS[moment.day])),
        "key": ahead.key(moment) if is_open else None,
        "now": moment == moment_at(visit.now, visit.user.zones),
        "over": slot.facts.end <= visit.now,
        "busy": number(slot.facts.busy, ".0%") if week.calendar and round(100 * slot.facts.busy) else None,
        "facts": describe_facts(slot) if week.calendar else "",
        "things": sorted(things, key=lambda one: one["at"]),
        "lasting": [text for text, _ in lasting],
        # A phone shows what lasts for days once a day.
        "empty": not things and not any(moment.slot is Slot.MORNING or not long for _, long in lasting),
    }


def _lasting(slot: WeekSlot, zones: ZoneHistory, *, alone: bool) -> Iterator[tuple[str, bool]]:
    """Yield (text, is long) of earlier slots' entries that last into this one, only of long ones unless ``alone``."""
    for one, label in slot.entries:
        long = one.end - one.start >= LASTING
        lasts = one.start < slot.facts.start < one.end and not one.event.all_day and takes_time(one.event)
        if lasts and (alone or long):
            told, over = today_event_document(one, label, zones), local_time(one.end, zones)
            until = date_text(over, "%a %H:%M") if long else told["to"]
            yield _("until {time}: {what}", time=until, what=told["title"] or _("(untitled)")), long


def _advice(visit: Visit, one: Recommendation, slot: WeekSlot) -> dict[str, Any]:
    moment, here = slot.facts.moment, is_moved(one, slot.facts.moment)
    elsewhere = one.moved_to is not None and not here and one.moved_to != moment
    inside = one.start is not None and slot.facts.start <= one.start < slot.facts.end
    open_ = feedback.may_move(one) and feedback.may_change(one, visit.user, visit.now)
    movable = open_ and not elsewhere and one.created_at <= visit.now
    return {
        "at": one.start if inside and one.start is not None else slot.facts.end,
        "from": weeks.clock(visit, one.start) if inside and one.start is not None else None,
        "name": shown(advice_title(one.action, one.kind)),
        "what": titled(one.what),
        "reasons": for_person(one.facts[: weeks.REASONS_MAX] if slot.facts.end > visit.now else ()),
        "state": _("put off from {slot}", slot=slot_name(one.moment)) if here else answered(one) or None,
        "moves_to": f"/week/{one.id}" if movable else None,
        "undo": one.id if here and movable else None,
        "task": None,
        "moved": False,
        "expected": False,
    }
