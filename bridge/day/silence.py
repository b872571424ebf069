"""Say why nothing is advised: sleep, a flight, an entry, the body, sport, or that nothing needs doing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np

from bridge.calendar.busy import takes_time
from bridge.calendar.flights import is_by_land, is_journey, journey, to_leave
from bridge.calendar.kinds import title_of
from bridge.day.agreed import agreed_over
from bridge.day.bedtime import leaving, of_bedtime
from bridge.day.body import Condition
from bridge.day.choice import judged
from bridge.day.grid import CELL, DAY, EVENING, LUNCH_UNTIL, MINUTE, Grid, run
from bridge.day.known import LONG_SPORT, PREPARES
from bridge.day.leisure import is_wanted
from bridge.day.masks import TOLD_NEAR, nap_span, nap_until, sport_missed, urgency, usual
from bridge.day.person import EARLIER_LEAST, Person
from bridge.day.recovery import at_risk, held_back, if_at_all, leaving_for
from bridge.day.rules import NO_GAP, fit, little_sleep, part_of, short_night
from bridge.day.sleep import TO_GET_UP
from bridge.day.terms import ALONE
from bridge.day.view import Candidate, View, due_tasks, of_action, of_due, of_task, taken_at, what_begins
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Deed
from bridge.domain.types import EpisodeKind, Task
from rhythm_env.interface import ActionType

FLIGHT_NEAR, ENTRY_NEAR, ENTRY_SOON = timedelta(hours=6), timedelta(hours=2), timedelta(minutes=45)
FRESH, NAP = timedelta(hours=4), timedelta(minutes=20)  # after getting up, in which a night is told; of a nap
TRAINED_FRESH = timedelta(hours=4)  # after the beginning of sport: later, it explains no silence
SPORT_OVER = timedelta(hours=20)  # after midnight: later, sport explains no silence
ELSEWHERE = {"planned_later", "new_zone", "zone_set"}  # kinds of facts by which a task waits for its own time
OF_TODAY = {"late_for_it", "hour_of_day", *NO_GAP, "no_calls", "offices_closed", "long_week"}  # another day changes it
NO_ANSWER = {
    "no_grounds",
    "often_enough",
    "goal_held",
    "no_sport_now",
    "hour_of_day",
}  # no reasons for no sport
RACE_SOON, CLASH_AHEAD = PREPARES + TO_GET_UP, timedelta(hours=8)
MUST_LEAVE = {"flight_leaves", *(f"leave_{when}{land}" for when in ("by", "now", "late") for land in ("", "_land"))}
ASLEEP = {"asleep_now", "asleep_until", "asleep_then", "asleep_common"}
IN_BED = {*ASLEEP, "flight_lands", *MUST_LEAVE}  # no bedtime is told
BUSY = {"entry_until", "entry_next", "lasts_until", "begins_soon", "entry_all_day"}  # kinds of an entry now or soon
ASKED = {"short_night", "unwell", "early_entry", "after_entry"}  # what moved a night whose bedtime is told in a silence


def quiet(view: View, held: Mapping[ActionType, Fact]) -> tuple[Fact, ...]:
    """Return the reasons why nothing is advised now, and in the evening also why tonight's bedtime is earlier."""
    told = list(_why(view, held))
    if view.person.now >= view.grid.since(EVENING) and not any(one.kind in IN_BED for one in told):
        told += _earlier_night(view)
    return tuple(dict.fromkeys(told))


def _why(view: View, held: Mapping[ActionType, Fact]) -> Iterator[Fact]:
    person, now = view.person, view.person.now
    taken = taken_at(view, now) or _soon(view) or _waiting(view)
    if taken is not None:
        yield from _while_taken(view, taken)
        return
    enough = next((why for why in held.values() if why.kind == "enough_today"), None)
    ahead = min((one.start for one in view.near if now < one.end and one.start < view.grid.bed), default=None)
    if enough is not None or ahead is not None:
        yield enough or fact("suggestion_at", time=person.local(ahead or now))
        return
    earlier, later = tuple(_earlier_night(view)), _later_task(view)
    errand = [later] if later is not None and later.kind == "errand_later" else []
    slept = None if person.body.ill else little_sleep(view)
    body = slept or next(iter(person.body.facts), None)
    if body is not None:
        yield from (body, _counsel(person), *at_risk(person)[1:], *_nap(view), *earlier)
        yield from () if person.body.ill else errand
        return
    other = next(iter(errand), None) or _of_sport(view, held.get(ActionType.EXERCISE)) or later
    night = tuple(_night(view, EVENING if earlier else FRESH))
    if other is not None and other.kind != "trained":
        yield from (other, *(one for one in night if one not in other.parts()))
        return
    warned = None if other is None else held_back(person, view.grid.date)
    told = (*night, *earlier) if night else ()  # a bedtime alone is the reason of no morning's silence
    yield from told or ((other,) if other is not None else tuple(_clash(view))) or (_nothing(view),)
    yield from () if warned is None else (warned,)


def _while_taken(view: View, taken: Fact) -> Iterator[Fact]:
    """Yield the facts to show while an entry or sleep goes on or is near, such as a meal or when to leave."""
    person, now = view.person, view.person.now
    lunch = view.grid.no_lunch if view.is_today and now < view.grid.since(LUNCH_UNTIL) else None
    meal = view.grid.no_meal(now) if lunch is None else lunch[1]
    errand = _later_task(view, errands=True) if taken.kind in BUSY else None
    yield from () if errand is None else (errand,)
    if meal is not None and taken.kind in ("entry_until", "entry_next"):
        yield meal
    risk = at_risk(person) if taken.kind in ("get_ready", "entry_next", "begins_soon") else ()
    yield from (*risk, if_at_all(person, taken) if risk else taken)
    if taken.kind == "get_ready":
        yield from leaving_for(person, next(o for o in person.races if now < o.start))
    if taken.kind in MUST_LEAVE or taken.kind in ("entry_until", "lasts_until"):
        yield from _clash(view)
    if not risk and taken.kind not in IN_BED:
        yield from _night(view, FRESH)


def _night(view: View, until: timedelta) -> Iterator[Fact]:
    """Yield, until a time of the day, that last night was short or showed illness, and what to do about it."""
    person, grid = view.person, view.grid
    over = grid.since(until) if until == EVENING else grid.wake + until
    if not view.is_today or person.slept(grid.date) is None:
        return
    why, nap = little_sleep(view) or short_night(view) or next(iter(person.body.facts), None), tuple(_nap(view))
    if why is not None and (nap or person.now < over):
        needs_rest = person.body.state is not Condition.WELL or little_sleep(view) is not None
        yield from (why, *((_counsel(person),) if needs_rest else ()), *nap)


def _counsel(person: Person) -> Fact:
    return fact("rest_first" if person.body.ill else "take_it_easier")


def _nothing(view: View) -> Fact:
    person, now = view.person, view.person.now
    running = next((o for o, _ in person.entries if o.start <= now < o.end and o.key in person.missed), None)
    if running is not None:
        return fact("slept_into", until=person.local(running.end))
    ahead = view.entry_within(ENTRY_NEAR)
    if ahead is not None:
        return fact("nothing_before", time=person.local(ahead.start), what=what_begins(person, ahead.start))
    later = next(_usual_later(view), None)
    if later is not None:
        return later
    free = not any(high > now and low < view.grid.bed for low, high in view.entries)
    return fact("evening_yours" if free and now >= view.grid.since(EVENING) else "nothing_needed")


def _usual_later(view: View) -> Iterator[Fact]:
    for action in (one for one in sorted(ALONE) if view.has_habit_today(one)):
        candidate = of_action(action, view.person)
        start, suits = usual(candidate, view, timedelta(0))[0][0], _fits(candidate, view)
        if suits is not None and view.person.now < start and abs(suits - start) <= TOLD_NEAR * MINUTE:
            name = view.person.routine.habits[action].names.get(view.grid.date.weekday())
            yield fact("usual_later", action=str(action), time=view.person.local(suits), title=name)


def _nap(view: View) -> Iterator[Fact]:
    """Yield when to nap after a short night (or that it is too late), and then that bedtime is earlier."""
    person, day = view.person, view.grid.date
    nap = _fits(of_action(ActionType.SLEEP, person), view)
    napped = any(one.kind is EpisodeKind.NAP and one.day == day for one in person.recorded)
    said = (one for one in person.advised if one.kind == "suggested" and one.moment.date == day)
    heard = any(one.action is ActionType.SLEEP and one.answer is not None for one in said)
    wanted = ActionType.SLEEP not in view.wishes.never and (person.body.ill or short_night(view) is not None)
    hours = view.grid.work if person.routine.work_known else ()  # published hours are not called the person's
    at_work = any(low <= person.now < high and nap_until(view.grid) <= high for low, high in hours)
    if nap is not None:
        yield fact("nap_later", time=person.local(nap))
    elif wanted and at_work and not (napped or heard) and person.now < nap_until(view.grid) - NAP:
        gap = _gap_at_work(view)
        yield fact("nap_at_work") if gap is None else fact("nap_in_work", time=person.local(gap))
    elif wanted and not (napped or heard) and nap_until(view.grid) - NAP < person.now < view.grid.since(EVENING):
        yield from (fact("nap_late"), *_earlier_night(view))


def _gap_at_work(view: View) -> datetime | None:
    """Return the first time for a nap at which no entry is, or None: the calendar tells no more of the work."""
    low, high = nap_span(view.grid)
    free = view.grid.inside([(max(low, view.person.now), high)]) & ~view.grid.entered
    starts = np.flatnonzero(run(free) >= NAP // CELL)
    return view.grid.at(int(starts[0])) if starts.size else None


def _of_sport(view: View, why: Fact | None) -> Fact | None:
    now, missed = view.person.now, sport_missed(view)
    if why is None or now >= view.grid.since(SPORT_OVER):
        return None
    if why.kind == "suggestion_over":
        return fact("slot_had", action=str(ActionType.EXERCISE), why=why)
    if why.kind == "trained":
        return why if now < datetime.fromisoformat(str(why.values["time"])) + TRAINED_FRESH else None
    if why.kind in ("long_sport_done", "long_sport_today", "long_sport_yesterday"):
        return why
    if why.kind in ("sport_rests", "sport_rests_ill", "long_sport"):
        soon = why.kind == "long_sport" and datetime.fromisoformat(str(why.values["time"])) <= now + DAY
        wanted = why.kind == "sport_rests_ill" and is_wanted(ActionType.EXERCISE, view)
        return why if soon or wanted or view.has_habit_today(ActionType.EXERCISE) else None
    if missed is None or why.kind in NO_ANSWER or _fits(of_action(ActionType.EXERCISE, view.person), view) is not None:
        return None
    return fact("hour_over", time=view.person.local(missed), why=why)


def _fits(candidate: Candidate, view: View) -> datetime | None:
    one = judged(candidate, view, view.now if view.is_today else 0, view.grid.size)
    return None if one.refusal is not None else view.grid.at(int(np.argmax(one.value)))


def _tomorrow(task: Task, view: View) -> datetime | None:
    """Return the time tomorrow for an overdue task: that of an entry planned for it, else the best time, or None."""
    day = view.grid.date + DAY
    late = of_task(replace(task, due=day, due_at=None), view.person)
    one = judged(late, tomorrow := View(grid=Grid(person=view.person, date=day), said=view.said), 0, tomorrow.grid.size)
    if one.refusal is None:
        return view.person.local(tomorrow.grid.at(int(np.argmax(one.value))))
    return datetime.fromisoformat(str(one.refusal.values["time"])) if one.refusal.kind == "planned_later" else None


def _earlier_night(view: View) -> Iterator[Fact]:
    """Yield the fact of tonight's bedtime if it is clearly earlier than usual, or leaves too little sleep."""
    ends = view.grid.date + DAY
    usual, told = view.person.usual_sleep(ends)[0], of_bedtime(view.person, ends)
    early = view.person.night(ends).moved in ASKED and view.grid.bed <= usual - EARLIER_LEAST
    leaves = any(part.kind in ("bedtime_leaves", "bedtime_short_now") for part in told.parts())
    yield from (told, *leaving(view.person, ends)) if early or leaves else ()


def _later_task(view: View, *, errands: bool = False) -> Fact | None:
    over = agreed_over(view.person)
    for task in due_tasks(view.person, view.grid.date):
        if (agreed := over.get(task.title or "")) is not None:
            if agreed.outcome is not Deed.DONE and agreed.start is not None and not errands:
                return fact("still_open", time=view.person.local(agreed.start), title=task.title)
            continue
        candidate, errand = of_task(task, view.person), task.key in view.person.errands
        meant = errand >= errands and urgency(task.due, view.grid.date) == 0
        in_time = errand and view.person.now + candidate.least * MINUTE <= view.person.errands[task.key].hours[1]
        if meant and ((errands and in_time) or _fits(candidate, view) is not None):
            return fact("errand_later" if errand else "task_later", due=of_due(candidate, view.grid), title=task.title)
    return None


def _soon(view: View) -> Fact | None:
    person, now = view.person, view.person.now
    for one in sorted((*person.flights, *person.trips), key=lambda o: o.start):
        way, by_land, leave = journey(one)[0], one in person.trips, to_leave(one, now)
        soon = way < now + ENTRY_SOON if by_land else one.start < now + FLIGHT_NEAR
        if now < one.start and soon and not (by_land and leave is None):
            kind = "flight_leaves" if leave is None else f"leave_{leave}_land" if by_land else f"leave_{leave}"
            told: dict[str, Any] = {"leave": person.local(way)} if leave == "late" else {}
            told["time"] = person.local(way if leave == "by" else one.start)
            return fact(kind, title=title_of(one) if by_land else None, **told)
    near = ((o, RACE_SOON if o.end - o.start >= LONG_SPORT else ENTRY_SOON) for o in person.races)
    race = next((o for o, ahead in near if now < o.start < now + ahead), None)
    if race is not None:
        return fact("get_ready", time=person.local(race.start), title=title_of(race))
    coming = view.entry_within(ENTRY_SOON)
    if coming is None:
        return None
    time, what = person.local(coming.start), what_begins(person, coming.start)
    if what == "entry":
        return fact("entry_next", time=time, title=title_of(coming))
    return fact("begins_soon", time=time, what=what, title=title_of(coming))


def _clash(view: View) -> Iterator[Fact]:
    person, now = view.person, view.person.now
    near = [o for o, _ in person.entries if now < o.end and o.start < min(now + CLASH_AHEAD, view.grid.bed)]
    mine = [o for o in near if takes_time(o.event)]
    for one, other in (pair for pair in combinations(mine, 2) if now < max(o.start for o in pair)):
        trip = next((o for o in (one, other) if is_journey(o) or is_by_land(o)), None)
        low, high = (one.start, one.end) if trip is None else journey(trip)
        beside = one if trip is other else other
        if beside.start < high and low < beside.end and one.event.title != other.event.title:
            names = [f"{title_of(o)} {person.clock(o.start)}" for o in (one, other) if title_of(o)]
            kind = "overlap" if trip is None else "clash" if is_journey(trip) else "clash_land"
            yield fact(kind, time=person.local(beside.start), title=", ".join(names) if len(names) > 1 else None)
            return


def _waiting(view: View) -> Fact | None:
    over = agreed_over(view.person)
    for task in (one for one in due_tasks(view.person, view.grid.date) if one.title not in over):
        candidate = of_task(task, view.person)
        why = fit(candidate, view, view.now, view.grid.size) if candidate.action is not None else None
        if isinstance(why, Fact) and why.kind not in ELSEWHERE and urgency(task.due, view.grid.date) == 0:
            if why.kind in NO_GAP and task.due == view.grid.date:
                why = fact("no_gap_today", minutes=part_of(candidate))
            told = {"due": of_due(candidate, view.grid), "reason": why}
            time = _tomorrow(task, view) if why.kind in OF_TODAY else None
            if time is not None:
                return fact("waits_until", title=task.title, time=time, **told)
            return fact("task_waits", title=task.title, **told)
    return None
