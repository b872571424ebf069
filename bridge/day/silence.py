"""Say why nothing is advised: sleep, a flight, an entry, the body, sport, or that nothing needs doing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import combinations

import numpy as np

from bridge.calendar.busy import is_open_hours, takes_time
from bridge.calendar.flights import is_journey, journey
from bridge.day.choice import judged, of_bedtime
from bridge.day.grid import DAY, EVENING, Grid
from bridge.day.masks import sport_missed, urgency
from bridge.day.person import LONG_SPORT
from bridge.day.recovery import at_risk
from bridge.day.rules import fit, little_sleep, short_night
from bridge.day.view import (
    Candidate,
    View,
    due_tasks,
    is_there,
    of_action,
    of_due,
    of_task,
    said_of,
    stands,
    taken_at,
    title_of,
)
from bridge.domain.facts import Fact, fact
from bridge.domain.types import Occurrence
from rhythm_env.interface import ActionType

FLIGHT_NEAR, ENTRY_NEAR, ENTRY_SOON = timedelta(hours=6), timedelta(hours=2), timedelta(minutes=45)
TRAINED_FRESH = timedelta(hours=4)  # after the beginning of sport: later, it explains no silence
SPORT_OVER = timedelta(hours=20)  # after midnight: later, sport explains no silence
ELSEWHERE = {"planned_later", "new_zone"}  # kinds of facts by which a task waits for its own time
OF_TODAY = {"late_for_it", "hour_of_day", "no_gap", "no_calls", "offices_closed"}  # kinds that another day changes
NO_ANSWER = {"no_grounds", "often_enough", "no_sport_now", "hour_of_day"}  # kinds that do not say why there is no sport
RACE_SOON, CLASH_AHEAD, WAY_LATE = timedelta(minutes=90), timedelta(hours=8), timedelta(minutes=60)
NIGHT_EARLIER, FOR_SPORT = timedelta(minutes=20), timedelta(hours=36)


def quiet(view: View, held: Mapping[ActionType, Fact]) -> tuple[Fact, ...]:
    """Return why nothing is advised now: sleep, a flight, an entry, or what speaks against each action."""
    person, now = view.person, view.person.now
    taken = taken_at(view, now) or _soon(view) or _waiting(view)
    risk, clash = at_risk(person), tuple(_clash(view))
    if taken is not None and taken.kind in ("leave_by", "leave_now", "flight_leaves"):
        return (taken, *clash)
    if taken is not None:
        return (taken, *(risk if taken.kind in ("get_ready", "entry_next") else ()))
    enough = next((why for why in held.values() if why.kind == "enough_today"), None)
    ahead = min((one.start for one in view.near if now < one.end and one.start < view.grid.bed), default=None)
    if enough is not None or ahead is not None:
        return (enough or fact("suggestion_at", time=view.person.local(ahead or now)),)
    closing, earlier = _closing(view), tuple(_earlier_night(view))
    slept = None if person.body.ill else little_sleep(view)
    body = slept or next(iter(person.body.facts), None)
    if body is not None:
        easier = fact("rest_first" if person.body.ill else "take_it_easier")
        return body, easier, *risk[1:], *earlier, *(() if closing is None or person.body.ill else (closing,))
    other = closing or _of_sport(view, held.get(ActionType.EXERCISE)) or _later_task(view)
    if earlier and (other is None or other.kind == "trained"):
        short = None if now >= view.grid.since(EVENING) else short_night(view)
        return earlier if short is None else (short, *earlier)
    if other is not None:
        return (other,)
    ahead_of = _entry_within(view, ENTRY_NEAR)
    if clash:
        return clash
    if ahead_of is not None:
        return (fact("nothing_before", time=view.person.local(ahead_of.start)),)
    evening = now >= view.grid.since(EVENING) and not any(
        high > now and low < view.grid.bed for low, high in view.entries
    )
    return (fact("evening_yours" if evening else "nothing_needed"),)


def _of_sport(view: View, why: Fact | None) -> Fact | None:
    """Return why there is no sport, as far as it is near or its usual hour is over, else None."""
    now, missed = view.person.now, sport_missed(view)
    if why is None or now >= view.grid.since(SPORT_OVER):
        return None
    if why.kind == "suggestion_over":
        return fact("slot_had", action=str(ActionType.EXERCISE), why=why)
    if why.kind == "trained":
        return why if now < datetime.fromisoformat(str(why.values["time"])) + TRAINED_FRESH else None
    if why.kind in ("long_sport_done", "long_sport_today", "long_sport_yesterday"):
        return why
    if why.kind == "sport_rests":
        habit = view.habit(ActionType.EXERCISE)
        return why if habit is not None and habit.settled and view.grid.date.weekday() in habit.starts else None
    if why.kind == "long_sport":
        return why if datetime.fromisoformat(str(why.values["time"])) <= now + DAY else None
    if missed is None or why.kind in NO_ANSWER or _fits(of_action(ActionType.EXERCISE, view.person), view) is not None:
        return None
    return fact("hour_over", time=view.person.local(missed), why=why)


def _fits(candidate: Candidate, view: View) -> datetime | None:
    """Return when a candidate suits the rest of a day best, or None."""
    one = judged(candidate, view, view.now if view.is_today else 0, view.grid.size)
    return None if one.refusal is not None else view.grid.at(int(np.argmax(one.value)))


def _earlier_night(view: View) -> Iterator[Fact]:
    """Yield the bedtime that a short night or an unwell body asks for, if it is clearly earlier than usual."""
    ends = view.grid.date + DAY
    usual = view.person.usual_sleep(ends)[0]
    if view.person.night(ends).moved in ("short_night", "unwell") and view.grid.bed <= usual - NIGHT_EARLIER:
        yield of_bedtime(view.person, ends)


def _closing(view: View) -> Fact | None:
    """Return what closes today for the last time before the sport that it may be for, such as a packet pickup."""
    person, now = view.person, view.person.now
    hours = [o for o, _ in person.entries if is_open_hours(o.event) and stands(o.event) and o.end > now]
    for one in (o for o in hours if o.end < view.grid.bed):
        race = next((o for o in person.races if one.end <= o.start <= one.end + FOR_SPORT), None)
        if race is not None and not any(one.end < other.end <= race.start for other in hours):
            return fact(
                "closes_before", title=title_of(one), closes=person.local(one.end), time=person.local(race.start)
            )
    return None


def _later_task(view: View) -> Fact | None:
    """Return the first task that is overdue or due today and has a time later today, or None."""
    for task in due_tasks(view.person, view.grid.date):
        candidate = of_task(task, view.person)
        if urgency(task.due, view.grid.date) == 0 and _fits(candidate, view) is not None:
            return fact("task_later", due=of_due(candidate, view.grid), title=task.title)
    return None


def _soon(view: View) -> Fact | None:
    """Return the flight or entry before which no time is left, or None."""
    person, now = view.person, view.person.now
    leaves = next((o.start for o in person.flights if now < o.start < now + FLIGHT_NEAR), None)
    if leaves is not None:
        way = next((low for low, high in person.journeys if low <= leaves < high), leaves)
        kind = "leave_by" if now < way else "leave_now" if now < way + WAY_LATE else "flight_leaves"
        return fact(kind, time=person.local(way if kind == "leave_by" else leaves))
    near = ((o, RACE_SOON if o.end - o.start >= LONG_SPORT else ENTRY_SOON) for o in person.races)
    race = next((o for o, soon in near if now <= o.start < now + soon), None)
    if race is not None:
        return fact("get_ready", time=person.local(race.start), title=title_of(race))
    soon = _entry_within(view, ENTRY_SOON)
    return None if soon is None else fact("entry_next", time=view.person.local(soon.start), title=title_of(soon))


def _clash(view: View) -> Iterator[Fact]:
    """Yield the first two entries of one's own that overlap within the coming hours, once by their names."""
    person, now = view.person, view.person.now
    mine = [o for o, _ in person.entries if takes_time(o.event) and not o.event.all_day and not is_open_hours(o.event)]
    mine = [o for o in mine if now < o.start < now + CLASH_AHEAD and o.start < view.grid.bed]
    for one, other in combinations(mine, 2):
        flight = next((o for o in (one, other) if is_journey(o)), None)
        low, high = (one.start, one.end) if flight is None else journey(flight)
        beside = one if flight is other else other
        if beside.start < high and low < beside.end and one.event.title != other.event.title:
            names = [f"{title_of(o)} {person.clock(o.start)}" for o in (one, other) if title_of(o)]
            named = ", ".join(names) if len(names) > 1 else None
            yield fact("overlap" if flight is None else "clash", time=person.local(beside.start), title=named)
            return


def _entry_within(view: View, ahead: timedelta) -> Occurrence | None:
    now, entries = view.person.now, view.person.entries
    return next((o for o, label in entries if now <= o.start < now + ahead and is_there(o, label)), None)


def _waiting(view: View) -> Fact | None:
    """Return the first task that is overdue or due today and does not fit any more, with why, or None."""
    for task in due_tasks(view.person, view.grid.date):
        candidate = of_task(task, view.person)
        why = fit(candidate, view, view.now, view.grid.size).refusal if candidate.action is not None else None
        if why is not None and why.kind not in ELSEWHERE and urgency(task.due, view.grid.date) == 0:
            told = {"due": of_due(candidate, view.grid), "reason": why}
            tomorrow = View(grid=Grid(person=view.person, date=view.grid.date + DAY), said=said_of(view.person))
            time = _fits(candidate, tomorrow) if why.kind in OF_TODAY else None
            if time is not None:
                return fact("waits_until", title=task.title, time=view.person.local(time), **told)
            return fact("task_waits", title=task.title, **told)
    return None
