"""The worth of an action or task at a time: a sum of terms in log-odds, each with its reason, weighted by
``weights.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np

from bridge.calendar.busy import clipped, takes_time
from bridge.calendar.plans import COMPANY
from bridge.day import leisure
from bridge.day.body import ILLNESS, OF_NIGHT
from bridge.day.grid import DAY, HOUR, MINUTE, Numbers, Starts
from bridge.day.masks import MISSED, TOLD_NEAR, sport_missed, usual
from bridge.day.routine import name_of
from bridge.day.rules import short_night
from bridge.day.typical import sure
from bridge.day.view import RESTS, Candidate, View, is_of, of_due
from bridge.domain.facts import Fact, fact, length
from bridge.domain.sports import is_sport
from bridge.domain.types import Because, Occurrence, Reading
from bridge.meters.words import usual_reach
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import ActionType, Answer, Meter

A = ActionType
NORMAL = 0.70  # the level of a meter that is the person's normal
LAST_DAYS, SPORT_AGAIN, LONG_AGO, NEARLY = (4, 21), 2, 10, 0.85  # days; share of the usual distance that counts
OFTEN, HABITS_MIN = 0.75, 2  # times a week of a habit; habits from which a missing one says something
NOW_AND_THEN = 0.5  # times a week from which the last time tells something
TELLING = 3  # days until a task is due, that speak for work
FRIDAY = 4  # weekday
TOLD_EARLIER = 10.0  # minutes before the usual time, of which the cause is told
NEAR_HOUR = 60.0  # minutes around the usual hour that count
ALONE = frozenset(A) - COMPANY - {A.ADMIN_WORK, A.SLEEP}  # what is usual without others
LATELY, LOW, CLEARLY_LOW = timedelta(days=6), 0.1, 0.15  # below normal: a level is called low; is reason enough
TOLD_LAST = frozenset({A.EXERCISE, A.MEDITATE, A.ME_TIME, A.FAMILY_TIME, A.SOCIALIZE})
TIRED, SPORT, FOCUS = frozenset({A.SLEEP, A.ME_TIME}), frozenset({A.EXERCISE}), frozenset({A.DEEP_WORK})
IDLING = frozenset(leisure.OF_EVENING.values())
OURSELVES = frozenset({A.EXERCISE, A.MEDITATE, A.ME_TIME, A.LEARN})

# The meter of which a low level speaks for an action. The action lifts it (``rhythm_env.constants``). Sport is no row:
# it lifts serenity, and a body that is strained shows as low serenity first.
SERVES = {A.SLEEP: Meter.VITALITY, A.MEDITATE: Meter.SERENITY, A.ME_TIME: Meter.SERENITY}
SERVES |= dict.fromkeys(COMPANY, Meter.CONNECTION)

COUNTED: Mapping[str, frozenset[str]] = {  # terms of what was done -> the kinds of their facts
    "last_time": frozenset(
        {"last_sport", "last_time", "last_own_time", "last_time_then", "last_as_told", "last_and_before"}
        | {"last_and_often"}
    ),
    "goal": frozenset({"goal", "goal_then"}),
}
Value = Numbers | float
BESIDE, IDLE, ENOUGH = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term in the value of a suggestion: ``value`` returns its log-odds for each start.

    ``told`` returns the fact about a start, or is its kind. ``alone`` says if the fact suffices as a reason: ENOUGH,
    IDLE (on a day without suggestions), or BESIDE another reason.
    """

    name: str
    value: Callable[[Candidate, View, Starts], Value]
    told: str | Callable[[Candidate, View, int], Fact | None] | None = None
    actions: frozenset[ActionType] | None = None
    alone: int | Callable[[Candidate, View], int] = ENOUGH


@cache
def weights() -> Mapping[str, float]:
    return tomllib.loads((Path(__file__).parent / "weights.toml").read_text(encoding="utf-8"))


def values(
    candidate: Candidate, view: View, lengths: Starts, *, names: Container[str] | None = None
) -> dict[str, Value]:
    """Return name of a term -> the log-odds that it adds at each start, of all terms or of those in ``names``."""
    return {
        term.name: weights().get(term.name, 1.0) * term.value(candidate, view, lengths)
        for term in TERMS
        if (term.actions is None or candidate.action in term.actions) and (names is None or term.name in names)
    }


def facts(candidate: Candidate, view: View, start: int, added: Mapping[str, Value]) -> tuple[Fact, ...]:
    """Return the facts of the terms that speak for a start, the strongest first, weighted in log-odds."""
    found: list[Fact] = []
    for term in TERMS:
        value = added.get(term.name, 0.0)
        weight = float(value[start]) if isinstance(value, np.ndarray) else float(value)
        if term.told is None or weight < weights()["grounds"]:
            continue
        told = fact(term.told) if isinstance(term.told, str) else term.told(candidate, view, start)
        if told is not None:
            found.append(told.weighed(round(weight, 2)))
    idle = {"answer_teaches"}
    if any(one.values.get("meter") == str(Meter.VITALITY) for one in found if one.kind in ("low_level", "low_because")):
        idle.add("low_vitality")  # the same figure once
    if any(one.kind in (*ILLNESS, *OF_NIGHT) for one in found):  # the same signs once
        found = [one for one in found if getattr(one.values.get("why"), "kind", "") not in ("illness_signs", *ILLNESS)]
    known = [one for one in found if one.kind not in idle]
    return tuple(sorted(known or found, key=lambda one: -one.weight))


def recounted(candidate: Candidate, view: View, start: int, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return facts of which those that count what was done are as of now. One that holds no more is left out."""
    now = values(candidate, view, np.zeros(view.grid.size, dtype=np.int_), names=COUNTED)
    found: list[Fact] = []
    for one in told:
        name = next((name for name, kinds in COUNTED.items() if one.kind in kinds), None)
        found += [one] if name is None else facts(candidate, view, start, {name: now.get(name, 0.0)})
    return tuple(found)


def reasons(candidate: Candidate, view: View, added: Mapping[str, Value]) -> Numbers:
    """Return, by start, the strongest reason on a day without other suggestions, and on any day (2, size)."""
    best = np.zeros((2, view.grid.size))
    for term in TERMS:
        if term.told is not None and term.name in added:
            carries = term.alone if isinstance(term.alone, int) else term.alone(candidate, view)
            best[:carries] = np.maximum(best[:carries], added[term.name])
    return best


# Habits, goals and tasks ----------------------------------------------------------------------------------------------


def _usual_hour(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    own = [] if candidate.task is not None else usual(candidate, view, timedelta(0))
    if not own or candidate.action not in ALONE or _is_unwanted(candidate.action, view):
        return 0.0
    after = view.grid.minutes - (own[0][0] - view.grid.midnight) / MINUTE
    share: Numbers = np.where(np.abs(after) <= TOLD_NEAR, 1 - np.abs(after) / NEAR_HOUR, 0.0)
    if sport_missed(view) is not None and candidate.action is A.EXERCISE:
        share = np.where((after > TOLD_NEAR) & (after <= MISSED / MINUTE), 0.5, share)
    return share


def _is_unwanted(action: ActionType, view: View) -> bool:
    """Return True if the person wishes not to do the kind of action that is usual on the weekday."""
    habit, unwanted = view.habit(action), view.wishes.unnamed.get(action, frozenset()) | _had_enough(action, view)
    name = "" if habit is None else habit.names.get(view.grid.date.weekday(), "")
    return bool(name) and any(is_sport(name, one) or one.casefold() in name.casefold() for one in unwanted)


def _had_enough(action: ActionType, view: View) -> set[str]:
    most = {name: one.most[action] for name, one in view.wishes.kinds.items() if action in one.most}
    return {name for name, often in most.items() if view.times_of_kind(action, name) >= often}


def _of_usual_hour(candidate: Candidate, view: View, start: int) -> Fact:
    habit = view.person.routine.habits[candidate.action or A.SLEEP]
    usually = habit.starts[view.grid.date.weekday()]
    over = view.grid.minutes[start] > usually + TOLD_NEAR
    kind = "usual_hour_over" if over else "usually_done" if habit.settled else "done_before"
    at = view.grid.midnight + 5 * round(usually / 5) * MINUTE
    time = view.person.local(at)
    if view.grid.minutes[start] <= usually - TOLD_EARLIER and (near := _too_near(view, at, habit.minutes)) is not None:
        return fact("usually_later", time=time, entry=view.person.local(near.start))
    return fact(kind, time=time)


def _too_near(view: View, at: datetime, minutes: float) -> Occurrence | None:
    """Return the entry because of which a habit cannot take its usual time: during it, or within an hour after it."""
    after = at + minutes * MINUTE + HOUR
    return next((one for one, _ in view.grid.entries if one.start < after and at < one.end), None)


def _habit(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    habits, action = view.person.routine.habits, candidate.action
    if len(habits) < HABITS_MIN or action is None:
        return 0.0
    accepted = any(one.action is action and one.answer is Answer.ACCEPT for one in view.person.advised)
    return 1.0 if accepted or (action in habits and habits[action].per_week >= OFTEN) else -1.0


def _last_time(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    ago, usual_days = _ago(candidate, view), _distance(candidate, view)
    least = SPORT_AGAIN if candidate.action is A.EXERCISE else LAST_DAYS[0]
    if ago is None or usual_days is None or not max(least, NEARLY * usual_days) <= ago <= LAST_DAYS[1]:
        return 0.0
    day, starts = view.grid.date.weekday(), view.person.routine.habits[candidate.action or A.SLEEP].starts
    if candidate.action in COMPANY and starts and day < FRIDAY and day not in starts:
        return 0.0  # who meets others on Saturdays is sent to nobody on a Thursday
    return min(ago / usual_days, 2.0) / 2 + 0.5


def _distance(candidate: Candidate, view: View) -> float | None:
    """Return the usual number of days between two times of a habit, or None without a habit."""
    habit = view.habit(candidate.action)
    if habit is None or habit.last is None or candidate.task is not None or habit.per_week > 7:
        return None
    if candidate.action is not A.EXERCISE and habit.per_week < NOW_AND_THEN and not habit.settled:
        return None
    often_told = habit.per_week if habit.per_week < OFTEN else max(round(habit.per_week), 1)
    return min(7 / often_told, LONG_AGO)


def _ago(candidate: Candidate, view: View) -> int | None:
    """Return how many days ago the last time of an action was or will have been: of the kind that a goal names."""
    habit, action = view.habit(candidate.action), candidate.action
    if habit is None or habit.last is None or action is None:
        return None
    kind, gone = view.kind_of_goal(action), {o.end for o in view.person.sport if o.key in view.person.not_done}
    lasts = [at for name, at in habit.lasts.items() if is_of(name, kind)]
    lasts = [at for at in (*lasts, *(() if kind else (habit.last,))) if at not in gone]
    planned = [o.start for o in view.planned(action) if is_of(o.event.title or "", kind)]
    ahead = [one.start for one in view.said if one.foreseen and one.action is action]
    days = [view.person.date_of(at) for at in (*lasts, *planned, *ahead) if at < view.grid.bed]
    return (view.grid.date - max(days)).days if days else None


def _maybe_since(candidate: Candidate, view: View, ago: int) -> bool:
    """Return True if an entry after the last time of an action may have been another one: its label is unsure."""
    since, now = view.grid.midnight - (ago - 1) * DAY, view.person.now
    near = [(o, one) for o, one in view.person.known.agenda if since <= o.start and o.end <= now]
    return any(one.runner_up is candidate.action and sure(one) < 1 and takes_time(o.event) for o, one in near)


def _of_last_time(candidate: Candidate, view: View, _start: int) -> Fact:
    habit, ago = view.person.routine.habits[candidate.action or A.SLEEP], _ago(candidate, view) or 0
    ahead = any(one.foreseen and one.action is candidate.action for one in view.said)
    kind, last = view.kind_of_goal(candidate.action or A.SLEEP), view.person.date_of(habit.last or view.grid.bed)
    same = habit.last_sport and (view.grid.date - last).days == ago and is_of(habit.last_sport, kind)
    told = fact("last_sport", days=ago, title=habit.last_sport) if same else fact("last_time", days=ago)
    if candidate.action is A.ME_TIME:
        told = fact("last_own_time", days=ago)
    told = fact("last_time_then", days=ago) if ahead else told
    of_kind = None if ahead or kind else _ago_of_kind(candidate, view)
    if of_kind is not None and of_kind != ago:
        told, ago = fact("last_time", days=of_kind), of_kind
        return fact("last_as_told", last=told) if _maybe_since(candidate, view, ago) else told
    if not ahead and _maybe_since(candidate, view, ago):
        told = fact("last_as_told", last=told)
    one_kind = candidate.action in view.wishes.named  # and how often is known of all kinds together
    if habit.per_week < OFTEN or not habit.settled or one_kind:
        return told
    lapsed = ago > 2 * (_distance(candidate, view) or LONG_AGO)
    times = max(round(habit.per_week), 1)
    often = fact("times_a_week", times=times) if times > 2 else fact("twice_a_week" if times > 1 else "once_a_week")
    return fact("last_and_before" if lapsed else "last_and_often", last=told, often=often)


def _ago_of_kind(candidate: Candidate, view: View) -> int | None:
    """Return how many days ago the kind of a habit that is usual on the weekday, and so named, was done, or None."""
    habit = view.person.routine.habits[candidate.action or A.SLEEP]
    name = habit.names.get(view.grid.date.weekday(), "")
    found = [at for one, at in habit.lasts.items() if name and (one == name or is_sport(one, name))]
    found += [o.start for o in view.planned(candidate.action) if found and name_of(o.event.title or "") == name]
    days = [(view.grid.date - view.person.date_of(at)).days for at in found if at < view.grid.bed]
    return min(days, default=None)


def _gap(candidate: Candidate, view: View) -> int:
    habit, usual_days = view.habit(candidate.action), _distance(candidate, view)
    if habit is None or usual_days is None:
        return BESIDE
    over = (_ago(candidate, view) or 0) >= usual_days
    if over and habit.settled and habit.per_week >= OFTEN:
        return ENOUGH
    return IDLE if candidate.action is A.EXERCISE or (over and candidate.action in COMPANY) else BESIDE


def _settled(candidate: Candidate, view: View) -> int:
    habit = view.habit(candidate.action)
    return ENOUGH if habit is not None and habit.settled else BESIDE


def _goal(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    goal, _ = _goal_and_done(candidate, view)
    left = 0 if candidate.action is None else goal - view.times_held(candidate.action)
    return min(max(left / (7 - view.grid.date.weekday()), 0.25), 1.0) if left > 0 else 0.0


def _goal_and_done(candidate: Candidate, view: View) -> tuple[int, int]:
    action, grid = candidate.action, view.grid
    if action is None or action not in view.wishes.goals:
        return 0, 0
    until = grid.bed if not view.is_today else view.person.now
    return view.wishes.goals[action], view.times_this_week(action, until, kind=view.kind_of_goal(action))


def _of_goal(candidate: Candidate, view: View, _start: int) -> Fact:
    goal, done = _goal_and_done(candidate, view)
    return fact("goal" if view.is_today else "goal_then", done=done, goal=goal)


def due_weight(candidate: Candidate, day: date) -> float:
    """Return the worth that a near deadline adds to a task on a date."""
    if candidate.due is None:
        return 0.0
    days, given = (candidate.due - day).days, weights()
    if days <= 1:
        return given["overdue"] if days < 0 else given["due_tomorrow"] if days else given["due_today"]
    return given["due_later"] if days <= TELLING else 0.0


def _kept_place(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    place = None if candidate.task is None else view.person.places.get(str(candidate.task.key))
    if place is None:
        return 0.0
    found: Numbers = (np.arange(view.grid.size) == view.grid.up(place[0])).astype(float)
    return found


# The body and the day -------------------------------------------------------------------------------------------------


def _load(_candidate: Candidate, view: View, _lengths: Starts) -> Value:
    return ((view.grid.strained[:-1] >= leisure.LOAD) & view.grid.strained_lately).astype(float)


def of_load(_candidate: Candidate, view: View, start: int) -> Fact:
    told = length(30 * round(float(view.grid.strained[start]) / 30))
    ahead = not view.is_today or float(view.grid.strained[view.now]) < float(view.grid.strained[start])
    return fact("tiring_then" if ahead else "tiring", length=told, kinds=view.grid.strain_kinds())


def _short_night(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    share = 1.25 if candidate.action is A.SLEEP else 1.0  # a nap before time for oneself
    return 0.0 if short_night(view) is None else np.where(view.grid.minutes < 19 * 60, share, 0.0)


def _body(state: str) -> Callable[[Candidate, View, Starts], Value]:
    return lambda _candidate, view, _lengths: float(
        view.is_today and view.person.body.state == state and not _of_an_earlier_night(view)
    )


def _of_an_earlier_night(view: View) -> bool:
    told = view.person.body.facts[:1]
    return any(one.kind in OF_NIGHT and one.values["day"] != view.grid.date.isoformat() for one in told)


def _low_level(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    reading = view.readings.get(SERVES[candidate.action or A.SLEEP]) if view.is_today else None
    if reading is None or not reading.coverage or reading.level >= NORMAL - max(usual_reach(reading.sd), LOW):
        return 0.0  # about usual, as the page says
    says_little = _lowers(reading, view) is None and any(one.share < 0 for one in reading.because)
    return 0.0 if says_little else NORMAL - reading.level


def _of_low_level(candidate: Candidate, view: View, _start: int) -> Fact:
    meter = SERVES[candidate.action or A.SLEEP]
    level, why = round(view.readings[meter].level, 2), _lowers(view.readings[meter], view)
    told = fact("low_level", meter=str(meter), level=level)
    return told if why is None else fact("low_because", meter=str(meter), level=level, why=why.fact)


def _lowers(reading: Reading, view: View) -> Because | None:
    """Return the measured input that lowers a level most, if it explains half of that at least, or None."""
    found = [one for one in reading.strongest if one.share < 0]
    if view.person.slept(view.grid.date) is None:
        found = [one for one in found if not one.fact.kind.startswith("slept")]
    return next((one for one in found if leisure.tells(one, view) and 2 * one.share <= found[0].share), None)


def _measured(candidate: Candidate, view: View) -> int:
    reading = view.readings.get(SERVES[candidate.action or A.SLEEP])
    if reading is None or reading.level > NORMAL - CLEARLY_LOW:
        return BESIDE
    why = _lowers(reading, view)
    if why is None:
        return IDLE
    return BESIDE if candidate.action is A.MEDITATE and why.fact.kind.startswith("slept") else ENOUGH


# Wishes, the policy, and what speaks against --------------------------------------------------------------------------


def _gains(candidate: Candidate, view: View) -> dict[Meter, float]:
    given = view.wishes.weights
    effects = () if candidate.action is None else zip(Meter, EFFECTS[candidate.action], strict=True)
    return {meter: (given.get(meter, 1.0) - 1.0) * gain for meter, gain in effects}


def _of_wish_weight(candidate: Candidate, view: View, _start: int) -> Fact:
    gains = _gains(candidate, view)
    return fact("wished_weight", meter=str(max(gains, key=lambda one: gains[one])))


def _more(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    return float(candidate.task is None and view.wishes.more.get(candidate.action or A.SLEEP, 0) > 0)


def _less(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    return float(candidate.task is None and view.wishes.more.get(candidate.action or A.SLEEP, 0) < 0)


def _repeated(candidate: Candidate, view: View, _lengths: Starts) -> Value:
    since = view.person.now - LATELY
    said = [one for one in view.person.advised if one.action is candidate.action and one.created_at >= since]
    ahead = [one for one in view.said if one.foreseen and one.action is candidate.action]
    times = sum(one.kind == "suggested" and one.answer is not Answer.ACCEPT for one in said) + len(ahead)
    return times * (2.0 if candidate.action in RESTS else 1.0)  # rests can change with each other


def _later(candidate: Candidate, view: View, lengths: Starts) -> Value:
    first = view.now if view.is_today else 0
    own = [] if candidate.task is not None else usual(candidate, view, timedelta(0))
    first = max([first, *(view.grid.up(start) for start, _ in own)])  # nobody waits for a usual hour
    waits: Numbers = np.maximum((np.arange(view.grid.size) - first) / 12 - 1, 0.0)
    if candidate.due is not None and candidate.due <= view.grid.date:
        return 3.0 * (waits - float(waits[np.argmax(lengths > 0)]))  # what must be done today takes its first place
    if candidate.task is not None:
        return waits * 0.5
    return np.minimum(waits, 4.0) if view.is_today else waits * 0.1


def _shorter(candidate: Candidate, _view: View, lengths: Starts) -> Value:
    span = max(candidate.wanted - candidate.least, 5)
    missing: Numbers = np.clip((candidate.wanted - 5.0 * lengths) / span, 0.0, 1.0)
    return missing


def _over_meal(candidate: Candidate, view: View, lengths: Starts) -> Value:
    grid = view.grid
    if candidate.due == grid.date:  # what is due today comes first: a meal that is not entered can move
        return 0.0
    around = HOUR if candidate.action is A.EXERCISE else timedelta(0)
    own = [] if candidate.task is not None else usual(candidate, view, timedelta(0))  # who usually eats later
    eaten = [(low, high + around) for low, high in grid.meals if not clipped(own, low, high + around)]
    meals = np.concatenate([[0], np.cumsum(grid.touched(eaten))])
    starts = np.arange(grid.size)
    over: Numbers = (meals[np.minimum(starts + lengths, grid.size)] > meals[starts]).astype(float)
    return over


def _evening(_candidate: Candidate, view: View, _lengths: Starts) -> Value:
    end = (view.grid.bed - view.grid.midnight) / MINUTE - 90
    return np.where(view.grid.minutes >= 19 * 60, np.maximum(end - view.grid.minutes, 0.0) / 60, 0.0)


def _new_person(_candidate: Candidate, view: View, _lengths: Starts) -> Value:
    habits = view.person.routine.habits.values()
    return float(len(habits) < HABITS_MIN and not view.person.known.episodes and not any(h.settled for h in habits))


TERMS: tuple[Term, ...] = (
    Term(name="usual_hour", value=_usual_hour, told=_of_usual_hour, alone=_settled),
    Term(name="last_time", actions=TOLD_LAST, value=_last_time, told=_of_last_time, alone=_gap),
    Term(name="goal", value=_goal, told=_of_goal),
    Term(name="wanted_then", value=leisure.wanted_then, told=leisure.of_wanted_then),
    Term(name="more", value=_more, told="wished_more"),
    Term(name="less", value=_less),
    Term(name="wished_hours", value=leisure.wished_hours, told=leisure.of_wished_hours),
    Term(
        name="due",
        value=lambda one, view, _: due_weight(one, view.grid.date),
        told=lambda one, view, start: of_due(one, view.grid, view.grid.at(start)),
    ),
    Term(name="ill", actions=TIRED, value=_body("ill"), told=lambda _, view, __: view.person.body.why),
    Term(name="strained", actions=TIRED, value=_body("strained"), told=lambda _, view, __: view.person.body.why),
    Term(name="short_night", actions=TIRED, value=_short_night, told=lambda _one, view, _start: short_night(view)),
    Term(name="load", actions=RESTS | {A.EXERCISE}, value=_load, told=of_load),
    Term(name="low_level", value=_low_level, told=_of_low_level, actions=frozenset(SERVES), alone=_measured),
    Term(name="quiet_stretch", actions=FOCUS, value=leisure.quiet_stretch, told=leisure.of_quiet_stretch, alone=BESIDE),
    Term(name="never_lately", actions=SPORT, value=leisure.never_lately, told="no_sport_lately", alone=IDLE),
    Term(name="free_time", actions=IDLING, value=leisure.free_time, told=leisure.of_free_time, alone=leisure.carries),
    Term(name="wish_weight", value=lambda one, view, _: sum(_gains(one, view).values()), told=_of_wish_weight),
    Term(name="new_person", actions=OURSELVES, value=_new_person, told="answer_teaches"),
    Term(name="habit", value=_habit),
    Term(name="kept_place", value=_kept_place),
    Term(name="evening", actions=frozenset({A.MEDITATE}), value=_evening),
    Term(name="repeated", value=_repeated),
    Term(name="later", value=_later),
    Term(name="shorter", value=_shorter),
    Term(name="over_meal", actions=frozenset(A) - COMPANY, value=_over_meal),
    Term(name="filler", actions=frozenset({A.BINGE_WATCH}), value=lambda *_: 1.0),
)
