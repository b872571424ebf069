"""Prepare the plan of a day for the templates, with its rows, ticked tasks, expected levels and offered times."""

from __future__ import annotations

from collections.abc import Container
from datetime import date, timedelta
from typing import Any

from bridge.advice.rescheduling import HINTS, is_after_due
from bridge.advice.week import is_known
from bridge.calendar.days import days_of
from bridge.day.blocks import Block
from bridge.day.choice import Option
from bridge.day.outcomes import with_task
from bridge.day.plan import DayPlan
from bridge.documents.plan import ends, moved
from bridge.documents.planning import named
from bridge.domain.languages import _, date_text, number, say, shown
from bridge.domain.records import Deed, Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import DAY, ZoneSpan, moment_at
from bridge.domain.titles import advice_title
from bridge.meters import words
from bridge.meters.outlook import Expected, changes
from bridge.web import phrases
from bridge.web.day import answered, titled
from bridge.web.state import Visit

KIND_NAMES = {
    "entry": say("Entry"),
    "suggested": say("Suggested"),
    "preview": say("Preview"),
    "task": say("Task"),
    "wind_down": say("Wind down"),
    "sleep": say("Sleep"),
}
REASONS_MAX = 2
NO_BREAK = "\N{NO-BREAK SPACE}"
PREVIEW_HOUR = 18  # hour from which tomorrow is shown as well
JUST = timedelta(minutes=10)  # our choice: for so long what was ticked in any plan can be taken back there


def timeline(visit: Visit, plan: DayPlan) -> dict[str, Any]:
    today = visit.today
    store = visit.bridge.store
    current = store.recommendations.of_slot(visit.user.id, moment_at(visit.now, visit.user.zones))
    ticked = _ticked(visit, plan.date)
    done = {one["title"] for one in ticked}
    rows = [
        _moved(visit, one, plan) if isinstance(one, ZoneSpan) else _row(visit, one, current, plan.date)
        for one in plan.rows
        if isinstance(one, ZoneSpan) or not (_of_yesterday(visit, one, plan) or _is_told(one, done))
    ]
    begun = sum(row["begun"] for row in rows)
    return {
        "date": date_text(plan.date, "%A, %-d %B"),
        "is_today": plan.date == today,
        "calendar": is_known(store, visit.user, ()),
        "before": rows[:begun],
        "after": rows[begun:],
        "now": f"{visit.local(visit.now):%H:%M}" if plan.date == today else None,
        "changes": list(map(shown, for_person(plan.changes))),
        "unmet": list(map(shown, for_person(plan.unmet))),
        "tomorrow": _tomorrow(visit) if plan.date == today else None,
        "outlook": _outlook(visit, plan),
        "ticked": ticked,
        "day": "" if plan.date == today else plan.date.isoformat(),
    }


def _of_yesterday(visit: Visit, block: Block, plan: DayPlan) -> bool:
    over = not block.all_day and block.end <= visit.now
    return over and plan.date not in days_of(block.start, block.end, visit.user.zones)


def _is_told(block: Block, done: Container[str | None]) -> bool:
    return block.recommendation_id is not None and block.title in done


def _ticked(visit: Visit, day: date) -> list[dict[str, str]]:
    """Return the tasks ticked on ``day``, and those ticked on any day in the last minutes, for an undo."""
    ticks = visit.bridge.store.task_notes.ticks(visit.user.id)
    done = {
        key: visit.local(at)
        for key, (_due, at) in ticks.items()
        if visit.local(at).date() == day or visit.now - at < JUST
    }
    if not done:
        return []
    titles = {str(one.key): one.title or "" for _source, one in visit.bridge.store.reading.tasks(visit.user.id)}
    return [
        {
            "key": key,
            "title": titles[key],
            "at": f"{at:%H:%M}" if at.date() == day else date_text(at, "%a %H:%M"),
        }
        for key, at in sorted(done.items(), key=lambda one: one[1])
        if key in titles
    ]


def _outlook(visit: Visit, plan: DayPlan) -> dict[str, Any] | None:
    """Return the expected levels as a table of meters by time, with notes on the effect of calendar entries."""
    if not plan.outlook:
        return None
    times = list(dict.fromkeys(one.at for one in plan.outlook))
    found = {(one.meter, one.at): one for one in plan.outlook}
    meters = dict.fromkeys(one.meter for one in plan.outlook)
    return {
        "times": [f"{visit.local(at):%H:%M}" for at in times],
        "rows": [
            {
                "name": phrases.meter_name(meter),
                "levels": [_level(found.get((meter, at))) for at in times],
            }
            for meter in meters
        ],
        "notes": changes(plan.outlook),
    }


def _level(one: Expected | None) -> dict[str, str] | None:
    if one is None:
        return None
    return {
        "words": shown(words.level_words(one.level, one.sd)),
        "number": f"{number(one.level, '.2f')} ±{NO_BREAK}{number(one.sd, '.2f')}",
    }


def _tomorrow(visit: Visit) -> dict[str, str] | None:
    now = visit.local(visit.now)
    day = now.date() + DAY
    return {"key": day.isoformat(), "name": date_text(day, "%A")} if now.hour >= PREVIEW_HOUR else None


def _moved(visit: Visit, stay: ZoneSpan, plan: DayPlan) -> dict[str, Any]:
    told = f"{visit.local(stay.since):%H:%M} {shown(moved(plan, stay, visit.user.zones))}"
    return {"moved": told, "begun": stay.since <= visit.now}


def _row(visit: Visit, block: Block, current: Recommendation | None, day: date) -> dict[str, Any]:
    clocks = (at.replace(" ", NO_BREAK) for at in ends(block, day, visit.user.zones))
    begin, end = (_("all day"), "") if block.all_day else clocks
    preview = block.kind == "suggested" and block.recommendation_id is None
    is_current = current is not None and block.recommendation_id == current.id
    name = None if block.action is None else shown(advice_title(block.action, block.kind))
    kind = shown(KIND_NAMES["preview" if preview else block.kind])
    title = (titled(block.title) if block.kind == "suggested" else block.title or block.own_title) or name or kind
    told = block.kind == "entry" or name in (None, title, kind)  # an entry's own title says what it is
    return {
        "moved": None,
        "from": begin,
        "to": end,
        "kind": block.kind,
        "word": kind,
        "title": title,
        "action": None if told else name,
        "reasons": for_person(block.facts[:REASONS_MAX]),
        "preview": preview,
        "task": block.task if block.end > visit.now else None,
        "answer": _answer(visit, block, current),
        "current": is_current and block.end > visit.now,
        "begun": block.all_day or block.start <= visit.now,
        "over": block.end <= visit.now,
        "now": block.start <= visit.now < block.end and not block.all_day and day == visit.today,
    }


def _answer(visit: Visit, block: Block, current: Recommendation | None) -> str | None:
    if block.recommendation_id is None:
        return None
    is_current = current is not None and block.recommendation_id == current.id
    given = current if is_current else visit.bridge.store.recommendations.by_id(block.recommendation_id)
    if given is None or given.answer is None:
        return None
    tasks = visit.app.today_cache.snapshot(visit.bridge, visit.user, visit.now).tasks
    return _("done") if with_task(given, tasks).outcome is Deed.DONE else answered(given)


def offers(visit: Visit, gaps: list[Option]) -> list[tuple[str, str]]:
    """Return (key, name) of each time to which a suggestion can be moved, with a hint if its task is due before."""
    zones, now = visit.user.zones, visit.now
    late = (gap.task is not None and is_after_due(gap.task, (gap.start, gap.end), now, zones) for gap in gaps)
    hint = HINTS["after_due"]
    return [
        (key, shown(say(hint, slot=name)) if after else name)
        for (key, name), after in zip(named(gaps, zones, now=now), late, strict=True)
    ]
