"""Choose among the actions that fit a span of time.

It says which suggestions have a reason, and which later times to offer. It also says what wishes, habits and tasks add
to scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from bridge.calendar.busy import Stretch
from bridge.calendar.plans import COMPANY
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import Moment, moment_at, slot_bounds
from bridge.domain.types import Reading
from bridge.planning.common_sense import free_option, options
from bridge.planning.facts import NORMAL, SERVES, grounds, times_this_week
from bridge.planning.situation import Option, Situation
from bridge.planning.tasks import due_tasks, task_for
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import ActionType, Answer, Decision, Meter

GAPS_AHEAD, GAPS_MAX = timedelta(hours=48), 3  # times that are offered when a recommendation is put off
GAPS_AT_MOST = timedelta(days=6)  # in which they are looked for, if the next 48 hours hold too few
A_DAY = timedelta(days=1)
NOT_AT_ONCE = timedelta(hours=1)  # least distance of such a time from the one that was put off
USUAL, DUE, DUE_NOW, OVERDUE, LOW, REPEATED = 0.15, 0.3, 0.8, 0.6, 0.5, 0.08  # parts of a score; our choice
LATER, NOW = 0.08, timedelta(hours=1)  # taken off for each hour that a suggestion begins later than within NOW
SOON, REPEATED_DAYS = timedelta(days=1), timedelta(days=3)
CLEARLY = 0.02
NEAR_PLANNED, NEAR_BY = 2.0, timedelta(hours=2)  # added for an entry that is near: it comes before any suggestion
KEPT_MAX = 2  # days of the last seven; what is kept in the same slot more often goes without saying
HABIT, HABITS_MIN, OFTEN = 0.08, 2, 0.75  # part of a score; habits from which a missing one says something; a week
FLIGHT_NEAR = timedelta(hours=6)  # until it leaves, from which a flight is the reason why nothing is advised
NO_OPTIONS: Mapping[ActionType, Option] = MappingProxyType({})
NO_READINGS: Mapping[Meter, Reading] = MappingProxyType({})
NO_GROUNDS = fact("no_grounds")
GOAL_BONUS = 0.3  # added to the score of an action whose weekly goal fills all days that are left; our choice


def sensible(
    situation: Situation, span: Stretch, readings: Mapping[Meter, Reading] = NO_READINGS
) -> tuple[dict[ActionType, Option], dict[ActionType, Fact]]:
    """Return (action -> option, action -> the reason against it) for a span of time. An option is an action at a time.

    A suggestion without a fact that speaks for it is left out. So are all suggestions once the day has as many as the
    user wishes. With fewer than two known habits and a calendar alone, the day's first suggestion needs no fact.
    Company and series still need one. ``readings`` are the meters, which such facts rest on.
    """
    found, held = options(situation, span)
    given, most = suggested_on(situation, span[0]), situation.wishes.suggestions
    if given >= most:
        full = fact("enough_today", given=given, most=most)
        held |= {action: full for action, option in found.items() if option.kind == "suggested"}
        found = {action: option for action, option in found.items() if option.kind != "suggested"}
    arbitrary = {
        action
        for action, option in found.items()
        if option.kind == "suggested" and not grounds(option, situation, readings, task_for(situation, action))
    }
    if not given and _is_new(situation):
        arbitrary &= COMPANY | {ActionType.BINGE_WATCH}
    held |= dict.fromkeys(arbitrary, NO_GROUNDS)
    return {action: option for action, option in found.items() if action not in arbitrary}, held


def _is_new(situation: Situation) -> bool:
    """Return True if fewer than two habits and no night or workout of the user are known.

    Hardly any fact can then speak for a suggestion.
    """
    return len(situation.routine.habits) < HABITS_MIN and not situation.known.episodes


def suggested_on(situation: Situation, at: datetime) -> int:
    """Return how many suggestions were made for other slots of the local day of ``at`` than the slot of ``at``."""
    moment = moment_at(at, situation.known.zones)
    return sum(
        one.kind == "suggested" and one.moment.date == moment.date and one.moment != moment for one in situation.advised
    )


def place(
    situation: Situation, action: ActionType, span: Stretch, *, since: datetime
) -> tuple[Option | None, Fact | None]:
    """Return (option, None) if a recommended action still fits into ``span``, else (None, the reason against it).

    Earlier recommendations count against it, except the one created at ``since``, which is this recommendation itself.
    """
    others = [one for one in situation.advised if one.created_at != since]
    found, held = options(replace(situation, advised=others), span)
    return found.get(action), held.get(action)


def good_gaps(situation: Situation, action: ActionType, *, after: datetime) -> list[Option]:
    """Return up to three options for an action in later slots, by start, for a user who puts it off.

    They lie in the coming 48 hours, or if these hold fewer than three, in the coming six days. They begin at least an
    hour after ``after``. If there are more than three, those at the user's usual hours are taken first, then the
    earliest. If any is tomorrow, one of tomorrow is among the three.
    """
    zones, found = situation.known.zones, list[Option]()
    moment = moment_at(situation.now, zones).shifted(1)
    while slot_bounds(moment, zones)[0] < situation.now + (GAPS_AHEAD if len(found) >= GAPS_MAX else GAPS_AT_MOST):
        option = gap_in(situation, action, moment, after=after)
        if option is not None and all(option.start >= one.end for one in found):
            found.append(option)
        moment = moment.shifted(1)
    best = sorted(found, key=lambda one: (not one.usual, one.start))
    tomorrow = situation.date_of(situation.now) + A_DAY
    of_tomorrow = [one for one in best if situation.date_of(one.start) == tomorrow]
    chosen = best[:GAPS_MAX]
    if of_tomorrow and not any(one in chosen for one in of_tomorrow):
        chosen[-1] = of_tomorrow[0]
    return sorted(chosen, key=lambda one: one.start)


def gap_in(situation: Situation, action: ActionType, moment: Moment, *, after: datetime) -> Option | None:
    """Return an option for an action in the slot ``moment``, at least an hour after ``after``.

    Return None if none fits. A calendar entry to keep is no such option. Free time beside it may be.
    """
    start, end = slot_bounds(moment, situation.known.zones)
    span = max(start, after + NOT_AT_ONCE), end
    if span[0] >= span[1]:
        return None
    option = options(situation, span)[0].get(action)
    return free_option(situation, action, span) if option is None or option.kind == "keep" else option


def quiet(situation: Situation, held: Mapping[ActionType, Fact]) -> Fact:
    """Return why nothing is advised now.

    The reasons, in this order, are usual sleep, a flight, a calendar entry, and a flight within six hours. After these
    come nothing needed and nothing that fits. ``held`` maps each action to the reason against it.
    """
    now = situation.now
    for date in (situation.date_of(now), situation.date_of(now) + timedelta(days=1)):
        bed, wake = situation.sleep(date)
        if bed <= now < wake:
            return fact("asleep_now")
    flight = next((o for o in situation.flights if o.start <= now < o.end), None)
    if flight is not None:
        return fact("flight_lands", time=situation.local(flight.end))
    until = next((end for start, end in situation.attended if start <= now < end), None)
    if until is not None:
        return fact("entry_until", time=situation.local(until))
    leaves = next((o.start for o in situation.flights if now < o.start < now + FLIGHT_NEAR), None)
    if leaves is not None:
        return fact("flight_leaves", time=situation.local(leaves))
    idle = NO_GROUNDS in held.values() and not due_tasks(situation)
    return fact("nothing_needed") if idle else NOTHING_FITS


NOTHING_FITS = fact("nothing_fits")


def nothing_fits(held: Mapping[ActionType, Fact], head: Fact = NOTHING_FITS) -> tuple[Fact, ...]:
    """Return ``head``, then a fact per reason with the actions it speaks against, most actions first.

    ``held`` maps each action to the reason against it. A single reason is told together with ``head``.
    """
    why: dict[Fact, list[str]] = {}
    for action, reason in held.items():
        why.setdefault(reason, []).append(str(action))
    if len(why) == 1:
        return (fact("nothing_because", situation=head, reason=next(iter(why))),)
    ranked = sorted(why.items(), key=lambda one: -len(one[1]))
    return head, *(fact("not_actions", actions=tuple(actions), reason=reason) for reason, actions in ranked)


def as_wished(
    decision: Decision,
    situation: Situation,
    found: Mapping[ActionType, Option] = NO_OPTIONS,
    readings: Mapping[Meter, Reading] = NO_READINGS,
) -> Decision:
    """Return the decision with clearly worse actions replaced by the best action for this user's day.

    To find the best, ``bonus`` and ``fit`` are added to the scores. An action that is 0.02 or more below the best is
    clearly worse. The decision keeps its own scores. The probabilities of replaced actions are added to that of the
    best. A decision without scores is returned unchanged. ``found`` maps actions to their options, and ``readings`` are
    the meters.
    """
    if not decision.scores:
        return decision
    scores = {
        action: score + bonus(situation, action) + fit(situation, action, found.get(action), readings.get)
        for action, score in decision.scores.items()
    }
    best = max(scores, key=lambda action: scores[action])
    moved = {a for a in decision.probabilities if scores[best] >= scores.get(a, 0.0) + CLEARLY} - {best}
    if not moved:
        return decision
    shares = {a: 0.0 if a in moved else share for a, share in decision.probabilities.items()}
    shares[best] = shares.get(best, 0.0) + sum(decision.probabilities[a] for a in moved)
    return replace(decision, action=best if decision.action in moved else decision.action, probabilities=shares)


def fit(
    situation: Situation,
    action: ActionType,
    option: Option | None,
    reading: Callable[[Meter], Reading | None],
) -> float:
    """Return the number that an action's option adds to its score. It is 0.0 without an option.

    A calendar entry to keep adds the more, the nearer it is. For a suggestion, the usual hour, habits, a due task and a
    low meter add. Each hour beyond the first until its start subtracts 0.08. So does each suggestion of the action in
    the last three days that was not accepted. The night's sleep adds 0.0. ``reading`` returns a meter's reading, or
    None.
    """
    if option is not None and option.kind == "keep":
        return _near(situation, option)
    if option is None or option.kind != "suggested":
        return 0.0
    total = (USUAL if option.usual else 0.0) + _habitual(situation, action)
    total -= LATER * max((option.start - situation.now - NOW) / timedelta(hours=1), 0.0)
    task = task_for(situation, action)
    if task is not None and task.due is not None:
        left = task.due - situation.date_of(option.start)
        total += _pressure(left)
    served = reading(SERVES[action]) if action in SERVES else None
    if served is not None and served.coverage > 0:
        total += LOW * max(NORMAL - served.level, 0.0)
    since = situation.now - REPEATED_DAYS
    said = [one for one in situation.advised if one.action is action and one.created_at >= since]
    return total - sum(REPEATED for one in said if one.kind == "suggested" and one.answer is not Answer.ACCEPT)


def _pressure(left: timedelta) -> float:
    """Return what a task adds to a score, when ``left`` remains until its due date.

    A task due today adds most (0.8). An overdue task adds less (0.6), because it can wait for what is due today. A task
    due tomorrow adds 0.3, and a later one nothing.
    """
    if left <= timedelta(0):
        return DUE_NOW if left == timedelta(0) else OVERDUE
    return DUE if left <= SOON else 0.0


def _near(situation: Situation, kept: Option) -> float:
    """Return what a calendar entry to keep adds to a score.

    That is 2.0 if the entry begins now, falling to 1.0 if it begins in two hours, and 0.0 if later. It is also 0.0 if
    keeping the action was recommended at least twice lately. Lately is in seven days, in this part of the day.
    """
    away = max(kept.start - situation.now, timedelta(0))
    slot, since = moment_at(situation.now, situation.known.zones).slot, situation.now - timedelta(days=7)
    said = [o for o in situation.advised if o.kind == "keep" and o.action is kept.action and o.created_at >= since]
    if away > NEAR_BY or sum(one.moment.slot is slot for one in said) >= KEPT_MAX:
        return 0.0
    return NEAR_PLANNED * (1 - away / NEAR_BY / 2)


def _habitual(situation: Situation, action: ActionType) -> float:
    """Return 0.08 for an action that the user usually does, or accepted in the last eight days, otherwise -0.08.

    "Usually" means a habit of at least 0.75 times a week. The result is 0.0 while fewer than two habits are known.
    """
    habits = situation.routine.habits
    if len(habits) < HABITS_MIN:
        return 0.0
    accepted = any(one.action is action and one.answer is Answer.ACCEPT for one in situation.advised)
    does = accepted or (action in habits and habits[action].per_week >= OFTEN)
    return HABIT if does else -HABIT


def bonus(situation: Situation, action: ActionType) -> float:
    """Return the number that the user's wishes add to an action's score.

    Each meter's weight above or below 1 counts times the action's effect on that meter. A weekly goal adds 0.3 times
    its missing days per day left in the week, at most 0.3.
    """
    weights = situation.wishes.weights
    weighed = sum((weights.get(m, 1.0) - 1.0) * gain for m, gain in zip(Meter, EFFECTS[action], strict=True))
    goal = situation.wishes.goals.get(action)
    if goal is None:
        return weighed
    left = goal - times_this_week(situation, action)
    days = 7 - situation.date_of(situation.now).weekday()
    return weighed + GOAL_BONUS * min(max(left / days, 0.0), 1.0)
