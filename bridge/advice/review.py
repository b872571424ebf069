"""Review a week of a user, with the advice and its outcomes, how the week was, and ideas of what to try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from bridge.advice import modes, outcomes, recommend
from bridge.advice.effect import known_effects
from bridge.advice.review_words import Compared, KnownEffect, Review, Sleep, ideas
from bridge.calendar.busy import Stretch, clipped, length, merged, takes_time
from bridge.calendar.days import hours_of
from bridge.calendar.kinds import counts_as_meeting
from bridge.calendar.plans import COMPANY
from bridge.day.agreed import said_done
from bridge.day.body import ModeKind
from bridge.day.outcomes import over_at, took_place
from bridge.day.routine import missed
from bridge.domain.metrics import Metric
from bridge.domain.records import Deed, Recommendation, Snapshot, User
from bridge.domain.slots import INSTANT, local_time, moment_at, moment_of, slot_start
from bridge.domain.types import EpisodeKind
from bridge.meters import read_slots
from bridge.meters.nights import Nights
from bridge.meters.overlaps import once
from bridge.meters.sleep import Night
from rhythm_env.interface import SLOTS_PER_DAY, STEPS_PER_WEEK, ActionType, Meter

if TYPE_CHECKING:
    from bridge.installation import Bridge

DAY, WEEK, HOUR, MINUTE = timedelta(days=1), timedelta(weeks=1), timedelta(hours=1), timedelta(minutes=1)
WEEKS_BEFORE = 4  # that make what is usual
NIGHTS_MIN = 3  # that a spread of bedtimes needs
NOON = timedelta(hours=12)  # bedtimes are counted from noon, so that midnight divides none


def load_review(
    bridge: Bridge,
    user: User,
    monday: date,
    *,
    now: datetime,
    effects_of: Callable[[Sequence[ActionType]], Iterable[KnownEffect]] | None = None,
) -> Review:
    """Return the review of the week that begins on ``monday``. The week's outcomes are first updated in the store.

    ``effects_of`` gives the known effects of actions, which are estimated if None.
    """
    store = bridge.store
    wishes = store.people.wishes(user.id)
    start, end = (slot_start(moment_of(day, 0), user.zones) for day in (monday, monday + WEEK))
    until = min(max(now, start), end)
    outcomes.confirm(bridge, user, now=now, since=start, until=end)
    back = max(now - start, timedelta(0)) + WEEKS_BEFORE * WEEK + DAY
    known = recommend.load_snapshot(bridge, user, at=now, back=back)
    seen = tuple(
        one
        for one in outcomes.advised(store, user, since=start, until=min(end, now + INSTANT))
        if (one.shown_at is not None or one.answer is not None) and one.kind != "keep"
    )
    parts = list(_parts(user, monday, until))
    since = {action: max(start, _day_begin(at, user)) for action, at in wishes.since.items() if at > start}
    goals = {action: wanted for action, wanted in wishes.goals.items() if since.get(action, start) < end}
    given = outcomes.advised(store, user, since=start - WEEK, until=min(end, now + INSTANT))
    counts = {action: times_done(action, known, (since.get(action, start), until), given) for action in goals}
    during = {action: moment_at(at, user.zones).date for action, at in since.items() if start < at < end}
    whole = {goal: wanted for goal, wanted in goals.items() if goal not in during}
    actions = tuple(dict.fromkeys(one.action for one in seen))
    days = (moment_at(until - INSTANT, user.zones).date - monday).days + 1
    spells = modes.spells(store, user)
    stated = Counter(filter(None, (modes.said_on(spells, monday + k * DAY) for k in range(days))))
    return Review(
        person=user.name,
        monday=monday,
        start=start,
        until=until,
        over=now >= end,
        advised=seen,
        meters=_meters(known, user, monday, until),
        sleep=_sleep(known, monday, days),
        done=_done(known, parts),
        goals={action: (counts[action], wanted) for action, wanted in goals.items()},
        effects=tuple(known_effects(store, user, actions, now=now) if effects_of is None else effects_of(actions)),
        ahead=frozenset(one.id for one in seen if _is_ahead(one, user, now)),
        modes=stated,
        ideas=() if ModeKind.ILL in stated else tuple(ideas(seen, whole, counts)),
        since=during,
    )


def _is_ahead(one: Recommendation, user: User, now: datetime) -> bool:
    return one.outcome in (None, Deed.UNKNOWN) and over_at(one, user.zones) > now


def _day_begin(at: datetime, user: User) -> datetime:
    return slot_start(moment_of(moment_at(at, user.zones).date, 0), user.zones)


def review_week(now: datetime, user: User) -> date:
    """Return the Monday of the week to review, which is the week of one day ago."""
    return moment_at(now - DAY, user.zones).week


def _parts(user: User, monday: date, until: datetime) -> Iterator[Stretch]:
    passed = until - slot_start(moment_of(monday, 0), user.zones)
    for weeks in range(WEEKS_BEFORE + 1):
        start, end = (slot_start(moment_of(monday - (weeks - k) * WEEK, 0), user.zones) for k in (0, 1))
        yield start, min(start + passed, end)


def _compared(values: Sequence[float | None], days: int = 0) -> Compared:
    before = [value for value in values[1:] if value is not None]
    return Compared(value=values[0] if values else None, usual=fmean(before) if before else None, days=days)


def _meters(known: Snapshot, user: User, monday: date, until: datetime) -> dict[Meter, Compared]:
    steps = [step for step in range(STEPS_PER_WEEK) if slot_start(moment_of(monday, step), user.zones) < until]
    weeks = [monday - back * WEEK for back in range(WEEKS_BEFORE, -1, -1)]
    starts = [slot_start(moment_of(week, step), user.zones) for week in weeks for step in steps]
    if steps and until < slot_start(moment_of(monday + WEEK, 0), user.zones):
        starts[-1] = until  # the running slot as it is now, like Today
    found = read_slots(known, starts) if steps else []
    compared: dict[Meter, Compared] = {}
    for meter in Meter:
        levels = [reading[meter].level if reading[meter].coverage else None for reading in found]
        by_week = [levels[k * len(steps) : (k + 1) * len(steps)] for k in range(len(weeks))]
        days = {step // SLOTS_PER_DAY for step, level in zip(steps, by_week[-1], strict=True) if level is not None}
        compared[meter] = _compared([_mean(week) for week in reversed(by_week)], len(days))
    return compared


def _mean(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return fmean(found) if found else None


def _sleep(known: Snapshot, monday: date, days: int) -> Sleep:
    by_day = Nights(known.episodes, known.zones, known.preference).counted()
    weeks = [
        [by_day[day] for day in (monday - back * WEEK + k * DAY for k in range(days)) if day in by_day]
        for back in range(WEEKS_BEFORE + 1)
    ]
    beds = [[_bedtime(night) for night in nights] for nights in weeks]
    return Sleep(
        asleep=_compared([_mean([night.asleep * 60 for night in nights]) for nights in weeks], len(weeks[0])),
        bedtime=_compared([_mean(minutes) for minutes in beds], len(weeks[0])),
        spread=_compared([stdev(m) if len(m) >= NIGHTS_MIN else None for m in beds], len(weeks[0])),
    )


def _bedtime(night: Night) -> float:
    local = night.start + night.offset - NOON
    return local.hour * 60 + local.minute


def _done(known: Snapshot, parts: Sequence[Stretch]) -> dict[str, Compared]:
    workouts, entries = workout_stretches(known), [one for one in known.agenda if one[0].start < parts[0][1]]
    occurrences = [occurrence for occurrence, _ in entries]
    hours = [(o, label, hours_of(o.start, o.end, label.action, known.zones)) for o, label in entries]
    company = merged(p for o, of, some in hours if of.action in COMPANY and takes_time(o.event) for p in some)
    met = merged(p for o, label, some in hours if counts_as_meeting(o, label) for p in some)
    deep = ActionType.DEEP_WORK
    focus = merged(p for o, of, some in hours if of.action is deep and takes_time(o.event) for p in some)
    completed = sorted(task.completed for task in known.tasks if task.completed is not None)
    began = min((o.start for o in occurrences), default=None)
    return {
        "workouts": _counted([start for start, _ in workouts], parts),
        "workout_minutes": _lengths(workouts, parts, workouts[0][0] if workouts else None, MINUTE),
        "tasks_done": _counted(completed, parts),
        "meeting_hours": _lengths(met, parts, began, HOUR),
        "focus_hours": _lengths(focus, parts, began, HOUR),
        "company_hours": _lengths(company, parts, began, HOUR),
    }


def workout_stretches(known: Snapshot) -> list[Stretch]:
    """Return begin and end of the finished workouts, ascending. Workouts that overlap or touch are one stretch."""
    workouts = (one for _, one in once(known.episodes, known.preference) if one.kind is EpisodeKind.WORKOUT)
    found = ((workout.start, workout.end) for workout in workouts)
    return merged((start, end) for start, end in found if end <= known.at)


def _counted(at: Sequence[datetime], parts: Sequence[Stretch]) -> Compared:
    known = [part for part in parts if at and at[0] < part[1]]
    return _compared([float(sum(start <= one < end for one in at)) for start, end in known])


def _lengths(
    stretches: Sequence[Stretch], parts: Sequence[Stretch], began: datetime | None, unit: timedelta
) -> Compared:
    known = [part for part in parts if began is not None and began < part[1]]
    return _compared([length(clipped(stretches, *part)) / unit for part in known])


def times_done(action: ActionType, known: Snapshot, part: Stretch, given: Sequence[Recommendation] = ()) -> int:
    """Return how often an action was done in a part of a week. Entries that a watch shows as missed do not count.

    A suggestion of those ``given`` that the user says to have done counts on a day without other times.
    """
    found = [
        (o.start, o.end)
        for o, label in known.agenda
        if label.action is action
        and took_place(o.event)
        and part[0] <= o.start
        and o.end <= min(part[1], known.at)
        and o.key not in missed(known)
    ]
    if action is ActionType.EXERCISE:
        found += [stretch for stretch in workout_stretches(known) if part[0] <= stretch[0] < part[1]]
    if action is ActionType.MEDITATE:
        sessions = (one for _, one in known.samples if one.metric is Metric.MINDFUL and part[0] <= one.start < part[1])
        found += [(session.start, session.end or session.start + session.value * MINUTE) for session in sessions]
    days = {local_time(start, known.zones).date() for start, _ in found}
    said = (one for one, _ in said_done(given, action) if part[0] <= one[0] < part[1])
    return len(merged([*found, *(one for one in said if local_time(one[0], known.zones).date() not in days)]))
