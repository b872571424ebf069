"""Prepare the parts of today's page for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from fastapi import Request

from bridge.advice import outcomes, requests
from bridge.advice.feedback import may_move
from bridge.advice.week import WeekSlot
from bridge.daemon import backups
from bridge.day.body import ILLNESS
from bridge.day.opening import in_order
from bridge.documents.calendar import today_event_document
from bridge.documents.meters import reading_document
from bridge.documents.recommendations import recommendation_document
from bridge.documents.text import slot_name, writable
from bridge.domain.facts import Fact
from bridge.domain.languages import WEEKDAYS, _, capital, date_text, number, say, shown
from bridge.domain.records import Deed, FullRecommendation, Recommendation, Snapshot
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import moment_at, zone_at
from bridge.domain.sport_names import subject
from bridge.domain.titles import SLOT_TITLES, advice_title, answer_text
from bridge.domain.types import Label, Occurrence, Reading, Task
from bridge.domain.zones import place_of
from bridge.ingest import connecting
from bridge.meters import words
from bridge.meters.fuse import OWN_WORD
from bridge.web import phrases
from bridge.web.state import Visit, is_seen
from bridge.web.today_cache import Today
from rhythm_env.interface import ActionType, Answer, Meter, Slot

OUTCOME_LABELS = {
    Deed.DONE: say("done"),
    Deed.PARTLY: say("partly done"),
    Deed.NOT_DONE: say("not done"),
    Deed.UNKNOWN: say("not known"),
}
SLOT_HEADINGS = {
    Slot.MORNING: say("{weekday} morning"),
    Slot.AFTERNOON: say("{weekday} afternoon"),
    Slot.EVENING: say("{weekday} evening"),
    Slot.NIGHT: say("{weekday} night"),
}
OF_BODY = frozenset({*ILLNESS, "signs_of_night", "low_vitality", "said_ill"})  # told once on a page
DUE = frozenset({"task_long_due", "task_was_due", "task_due_today", "due_by_today"})  # facts of tasks in an opening
DUE_MAX = 50  # of them, which can be ticked there
MOVED_MIN = 0.05  # our choice: a smaller change of a level since yesterday is none
JUST_SAID_HOURS = 3.0  # our choice: for so long an answer needs no newer data beside it
WELL_INFORMED_COVERAGE = 0.5  # of a meter; below it the page warns that little is known


def is_part(request: Request) -> bool:
    """Return True for a request by htmx, which needs only a part of a page, False for one that needs a whole page."""
    return "hx-request" in request.headers


def mark_seen(request: Request, visit: Visit) -> None:
    """Save that the user has seen the current slot's recommendation, if the request is one that shows the page."""
    current = visit.bridge.store.recommendations.of_slot(visit.user.id, moment_at(visit.now, visit.user.zones))
    if current is not None and current.shown_at is None and is_seen(request, visit):
        visit.bridge.store.recommendations.mark_shown(current.id, now=visit.now)


def backup(visit: Visit) -> dict[str, Any]:
    """Return the state of the installation's backups for the template. ``age`` is None without a good backup."""
    found = backups.state(visit.bridge, visit.now)
    age = None if found.last is None else phrases.age((visit.now - found.last) / timedelta(hours=1))
    return {"on": found.on, "old": found.old, "age": age}


def title(visit: Visit) -> dict[str, str]:
    """Return the title of today's page, ``slot`` (weekday and part of the day) and ``date`` (with the time)."""
    now, moment = visit.local(visit.now), moment_at(visit.now, visit.user.zones)
    heading = say("Night into {weekday}") if moment.slot is Slot.NIGHT else SLOT_HEADINGS[moment.slot]
    slot = say(heading, weekday=WEEKDAYS[now.weekday()])
    return {"slot": shown(slot), "date": date_text(now, "%-d %B, %H:%M")}


def meters(
    readings: Mapping[Meter, Reading], before: Mapping[Meter, Reading] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Return the five meters for the template, where ``percent``, ``low`` and ``wide`` are in percent.

    ``before`` are the readings of a day ago. A meter without data has the level "not known" instead of a number.
    """
    return [
        _meter(meter, reading) | {"course": _course(reading, before.get(meter))} for meter, reading in readings.items()
    ]


def _course(reading: Reading, before: Reading | None) -> dict[str, str] | None:
    if before is None or reading.coverage <= 0 or before.coverage <= 0:
        return None
    if words.steps_from_usual(reading.level, reading.sd) == 0:  # "as usual" has no direction
        return None
    change = reading.level - before.level
    if abs(change) < MOVED_MIN:
        return {"sign": "→", "text": _("as yesterday")}
    return (
        {"sign": "↑", "text": _("up since yesterday")}
        if change > 0
        else {"sign": "↓", "text": _("down since yesterday")}
    )


def _meter(meter: Meter, reading: Reading) -> dict[str, Any]:
    is_known, steps = reading.coverage > 0, words.steps_from_usual(reading.level, reading.sd)
    low, high = (max(0.0, reading.level - reading.sd), min(1.0, reading.level + reading.sd))
    reach, (word, text) = words.usual_reach(reading.sd), words.reading_words(reading)
    oldest = max((b.age_hours for b in reading.because), default=None)
    said = min((b.age_hours for b in reading.because if b.signal == OWN_WORD), default=JUST_SAID_HOURS)
    return {
        **reading_document(reading),
        "name": phrases.meter_name(meter),
        "known": is_known,
        "percent": round(100 * reading.level, 1),
        "low": round(100 * low, 1),
        "wide": round(100 * (high - low), 1),
        "shown": number(reading.level, ".2f") if is_known else _("not known"),
        "words": shown(text) if is_known else None,
        "steps": steps if is_known else None,
        "word": shown(word) if is_known else None,
        "hardly": is_known and steps == 0 and text not in words.LEVEL_TEXTS,
        "usual_low": number(words.NORMAL - reach, ".2f"),
        "usual_high": number(words.NORMAL + reach, ".2f"),
        "fresh": number(reading.coverage, ".0%"),
        "stale": reading.coverage < WELL_INFORMED_COVERAGE and said >= JUST_SAID_HOURS,
        "said": phrases.age(said) if said < JUST_SAID_HOURS else None,
        "oldest": None if oldest is None else phrases.age(oldest),
        "reasons": [{"text": told(b.fact), "share": phrases.signed(b.share)} for b in reading.strongest if b.share],
        "idle": [shown(told(b.fact)) for b in reading.strongest if not b.share],
    }


def due(visit: Visit, known: Snapshot, opening: Sequence[Fact]) -> list[Task]:
    """Return the open tasks due by today, or [] unless the notes at the top of the page (``opening``) mention them."""
    if not DUE & {one.kind for one in opening}:
        return []
    today = visit.today
    found = [task for task in known.tasks if task.completed is None and task.title and task.due and task.due <= today]
    return in_order(found, today)[:DUE_MAX]


def slots(today: Today, visit: Visit) -> list[dict[str, Any]]:
    return [_slot(slot, today, visit) for slot in today.slots]


def _slot(slot: WeekSlot, today: Today, visit: Visit) -> dict[str, Any]:
    start, end = visit.local(slot.facts.start), visit.local(slot.facts.end)
    first = slot is today.slots[0]  # it also shows what began before the day
    entries = [pair for pair in slot.entries if first or pair[0].start >= slot.facts.start]
    return {
        "name": shown(SLOT_TITLES[slot.facts.moment.slot]),
        "hours": f"{start:%H:%M}–{end:%H:%M}",
        "now": slot.facts.moment == today.moment,
        "over": slot.facts.end <= today.at,
        "busy": number(slot.facts.busy, ".0%"),
        "events": [_event(one, label, visit) for one, label in entries],
        "advice": [
            {"action": str(given.action), "answer": given.answer, "answered": answered(given)} for given in slot.advice
        ],
    }


def _event(one: Occurrence, label: Label, visit: Visit) -> dict[str, Any]:
    unclaimed = label.action is None and label.runner_up is not None
    sure = {"confidence": 1} if unclaimed else {}  # that was of another action
    return {**today_event_document(one, label, visit.user.zones), **sure, "key": one.key}


def answered(given: Recommendation) -> str:
    """Return the answer to a recommendation in words, or "" if it has none."""
    return "" if given.answer is None else shown(answer_text(given.answer, given.moved_to))


def recommendation(visit: Visit, found: FullRecommendation, opening: Sequence[Fact] = ()) -> dict[str, Any]:
    """Return a recommendation for the template, with its reasons, scores and withheld actions.

    Its reasons about the body that ``opening``, the notes at the top of the page, already states are in ``above``.
    """
    above = [one for one in found.facts if one.kind in OF_BODY & {one.kind for one in opening}]
    held = requests.withheld(visit.bridge, visit.user, found)
    name = shown(advice_title(found.action, found.kind))
    return {
        **recommendation_document(found),
        "title": _("Keep {title}", title=writable(found.what or name)) if found.kind == "keep" else name,
        "answered": answered(found),
        "hours": _hours(visit, found),
        "doing": titled(found.what) if found.kind == "suggested" else None,
        "to_calendar": _goes_to_calendar(visit, found),
        "slot_name": slot_name(found.moment),
        "until": f"{visit.local(found.expires_at):%H:%M}",
        "over": found.expires_at <= visit.now,
        "because": for_person(fact for fact in found.facts if fact not in above),
        "above": for_person(above),
        "bars": _bars(found),
        "withheld": [{"action": str(action), "why": told(why)} for action, why in held.items()],
        "movable": may_move(found),
        "moved": None if found.moved_to is None else slot_name(found.moved_to),
        "accepted": found.answer is Answer.ACCEPT,
        "ignored": found.answer is Answer.IGNORE,
    }


def titled(name: str | None) -> str | None:
    """Return the name of a suggestion in the reader's language. A name in lower case gets a capital letter.

    >>> titled("running"), titled("iOS release")
    ('Running', 'iOS release')
    """
    return capital(shown(subject(name))) if name is not None and name.islower() else name


def _hours(visit: Visit, found: Recommendation) -> str | None:
    if found.start is None or found.end is None:
        return None
    if found.moved_to not in (None, moment_at(found.start, visit.user.zones)):
        return None  # it is moved to a slot that has no time for it yet
    same_day = moment_at(found.start, visit.user.zones).date == found.moment.date
    return ("" if same_day else date_text(visit.local(found.start), "%a") + " ") + clocks(visit, found.start, found)


def clocks(visit: Visit, start: datetime, found: Recommendation) -> str:
    """Return start and end of a recommendation as a text in the user's time zone.

    If it was answered or withdrawn before the user changed zones, the text keeps the zone of its reasons, and names it.
    """
    end, made = found.end or start, zone_at(found.created_at, visit.user.zones)
    mine = visit.local(start), visit.local(end)
    theirs = start.astimezone(made), end.astimezone(made)
    closed = found.answer is not None or found.superseded_at is not None
    kept = closed and any(a.utcoffset() != b.utcoffset() for a, b in zip(mine, theirs, strict=True))
    start, end = theirs if kept else mine
    text = _("{start:%H:%M} to {end:%H:%M}", start=start, end=end)
    gone = kept and end.utcoffset() != end.astimezone(zone_at(visit.now, visit.user.zones)).utcoffset()
    return _("{hours} ({place} time)", hours=text, place=place_of(made.key)) if gone else text


def _goes_to_calendar(visit: Visit, found: Recommendation) -> bool:
    agreed = found.answer is Answer.ACCEPT or (found.answer is Answer.RESCHEDULE and found.moved_to is not None)
    new = found.kind == "suggested" and found.end is not None and found.end > visit.now
    return agreed and new and not connecting.writes_advice(visit.bridge, visit.user)


def questions(visit: Visit) -> list[dict[str, Any]]:
    """Return past recommendations for the template, those of which the page asks whether the user followed them."""
    return [past_advice(question) for question in outcomes.questions(visit.bridge.store, visit.user, now=visit.now)]


def past_advice(one: Recommendation) -> dict[str, Any]:
    """Return a past recommendation for the template, with its texts in the current language."""
    return {
        "id": one.id,
        "action": str(one.action),
        "title": shown(advice_title(one.action, one.kind)),
        "what": one.what and shown(subject(one.what)),
        "slot": slot_name(one.moment),
        "date": date_text(one.moment.date, "%-d %b"),
        "answer": answered(one),
        "outcome": _("not known yet") if one.outcome is None else shown(OUTCOME_LABELS[one.outcome]),
        "evidence": phrases.evidence_text(one.evidence),
    }


def _bars(found: Recommendation) -> list[dict[str, Any]]:
    scores = sorted(found.scores.items(), key=lambda pair: -pair[1])
    if not scores:
        return []
    best, worst = scores[0][1], scores[-1][1]
    span = best - worst or 1.0
    return [
        {
            "action": name,
            "score": number(score, ".3f"),
            "percent": round(4 + 96 * (score - worst) / span, 1),
            "chosen": ActionType(name) is found.action,
        }
        for name, score in scores
    ]
