"""Reasons of a suggestion: facts of the calendar, the tasks and the body, the strongest first, without a promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from bridge.domain.types import Because, EpisodeKind, Reading, Task
from bridge.planning.common_sense import Option
from bridge.planning.situation import Situation
from rhythm_env.interface import DAY_NAMES, ActionType, Meter

NORMAL = 0.70  # the level of a meter that is the user's normal
BODY_FACTS_MAX = 2
FACT_MIN = 0.02  # contribution of an input that is worth telling
# The meter of which low readings speak for an action, and the meter of which high readings allow it.
SERVES = {
    ActionType.SLEEP: Meter.VITALITY,
    ActionType.EXERCISE: Meter.SERENITY,
    ActionType.MEDITATE: Meter.SERENITY,
    ActionType.ME_TIME: Meter.SERENITY,
    ActionType.FAMILY_TIME: Meter.CONNECTION,
    ActionType.SOCIALIZE: Meter.CONNECTION,
}
NEEDS = {ActionType.DEEP_WORK: Meter.COGNITION, ActionType.LEARN: Meter.COGNITION}
LAST_DAYS = (2, 21)  # days ago that are worth telling


def reasons(
    option: Option, situation: Situation, readings: Mapping[Meter, Reading], task: Task | None = None
) -> tuple[str, ...]:
    """Return the facts that speak for an option, at least one of them."""
    found = [
        *_of_calendar(option, situation),
        *of_task(task, situation),
        *_of_goal(option.action, situation),
        *_of_last_time(option, situation),
        *_of_body(option.action, readings),
        *_of_gap(option, situation),
    ]
    return tuple(dict.fromkeys(found))


def _of_calendar(option: Option, situation: Situation) -> list[str]:
    """Return that an action is planned, usual, or the night."""
    if option.kind == "keep":
        return [f"it is in your calendar at {situation.clock(option.start)}"]
    if option.kind == "sleep":
        return [f"you usually get up at {situation.clock(option.end)}"]
    if option.usual:
        day = DAY_NAMES[situation.date_of(option.start).weekday()]
        return [f"you usually do it on {day} at {situation.clock(option.start)}"]
    if option.action is ActionType.SLEEP and situation.short_of_sleep is not None:
        return [f"last night was {situation.short_of_sleep // timedelta(minutes=1)} min shorter than your usual"]
    return []


def of_task(task: Task | None, situation: Situation) -> tuple[str, ...]:
    """Return when a task is due."""
    if task is None or task.due is None:
        return ()
    days = (task.due - situation.date_of(situation.now)).days
    if days < 0:
        return (f"it was due {-days} {'day' if days == -1 else 'days'} ago",)
    return (("it is due today", "it is due tomorrow")[days] if days < 2 else f"it is due in {days} days",)


def _of_goal(action: ActionType, situation: Situation) -> list[str]:
    """Return how far a goal of the week is."""
    goal = situation.wishes.goals.get(action)
    return [] if goal is None else [f"your goal: {times_this_week(situation, action)} of {goal} this week so far"]


def times_this_week(situation: Situation, action: ActionType) -> int:
    """Return how often the user did an action since Monday, by calendar and workouts."""
    today = situation.date_of(situation.now)
    monday = today - timedelta(days=today.weekday())
    shown = {
        situation.date_of(o.start)
        for o, label in situation.entries
        if label.action is action and o.end <= situation.now and situation.date_of(o.start) >= monday
    }
    if action is ActionType.EXERCISE:
        shown |= {monday + timedelta(days=k) for k in range(7) if situation.workouts(monday + timedelta(days=k))}
    return len(shown)


def _of_body(action: ActionType, readings: Mapping[Meter, Reading]) -> list[str]:
    """Return the strongest facts about the meter that an action serves, or that it needs."""
    if action in SERVES:
        reading = readings.get(SERVES[action])
        found = [] if reading is None or reading.level >= NORMAL else _strong(reading.because, sign=-1)
        if action is ActionType.EXERCISE:  # a short night is no reason to train
            found = [one for one in found if not one[1].startswith("slept")]
    elif action in NEEDS:
        reading = readings.get(NEEDS[action])
        found = [] if reading is None or reading.level < NORMAL else _strong(reading.because, sign=1)
    else:
        found = []
    return [text for _, text in sorted(found, key=lambda one: -one[0])[:BODY_FACTS_MAX]]


def _strong(because: Sequence[Because], *, sign: int) -> list[tuple[float, str]]:
    return [(sign * b.contribution, b.text) for b in because if sign * b.contribution >= FACT_MIN and b.source]


def _of_last_time(option: Option, situation: Situation) -> list[str]:
    """Return how long ago the user last did what is usual, from two days on."""
    habitual = option.action in situation.routine.habits or option.action is ActionType.EXERCISE
    if option.kind != "suggested" or option.action in NEEDS or not habitual:
        return []
    done = [o.end for o, label in situation.known.agenda if label.action is option.action and o.end <= situation.now]
    if option.action is ActionType.EXERCISE:
        done += [e.end for _, e in situation.known.episodes if e.kind is EpisodeKind.WORKOUT and e.end <= situation.now]
    ago = (situation.date_of(situation.now) - situation.date_of(max(done))).days if done else 0
    return [f"the last time was {ago} days ago"] if LAST_DAYS[0] <= ago <= LAST_DAYS[1] else []


def _of_gap(option: Option, situation: Situation) -> list[str]:
    """Return the gap that a suggestion lies in."""
    if option.kind != "suggested":
        return []
    if option.until is None or situation.busy_from(option.until) is None:
        return ["nothing else is planned then"]
    return [f"you are free until {situation.clock(option.until)}"]
