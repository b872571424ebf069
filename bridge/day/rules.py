"""Rules of what may be on a day: one table, each with the cells of the day that it allows and the fact it refuses with.

A rule is a row of ``RULES``. Hours are our choice where no source is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bridge.calendar.plans import COMPANY
from bridge.day.grid import HOUR, MINUTE, OFFICE_WORK, Cells, run
from bridge.day.masks import (
    LEISURE,
    ONE_REST,
    PLANNED_ONCE,
    after_waking,
    ahead,
    answered,
    by_the_deadline,
    hours,
    is_urgent,
    not_enough,
    not_lately,
    not_planned,
    not_too_late,
    not_too_often,
    of_enough,
    of_hours,
    of_lately,
    of_planned,
    of_too_often,
    one_kind_of_rest,
    presses,
    wished,
)
from bridge.day.view import WORK, Candidate, View, local, promised
from bridge.domain.facts import Fact, fact, length
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import ActionType, Meter

A = ActionType
Starts = NDArray[np.intp]

DAY_SLEEP = 12 * HOUR  # a sleep that ends later was in the daytime
TIRING = 8.5 * 60  # minutes of entries, after which there is no sport and no more work
SHORT_NIGHT = HOUR  # a night so much shorter than usual is short
DIGESTION, ALONE, APART, PAUSE = HOUR, 3 * HOUR, 2 * HOUR, 30 * MINUTE
LONELY = 0.5  # Connection
SHOWN_LOW, TAKES = 0.35, -0.05  # a level shown as low, and an effect that lowers it further
OF_PERSON = frozenset({"veto", "not today", "body", "mode", "away", "wished hours"})  # rules of what changes in a slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``mask`` gives the cells in which a candidate may lie, or with ``starts`` those in which it may begin.

    ``actions`` None is every action. A ``firm`` rule holds even for what the person puts off.
    """

    name: str
    mask: Callable[[Candidate, View], Cells | bool]
    refusal: Callable[[Candidate, View], Fact]
    actions: frozenset[ActionType] | None = None
    starts: bool = False
    firm: bool = True

    def holds_for(self, candidate: Candidate) -> bool:
        return self.actions is None or candidate.action in self.actions


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Cells that a candidate has from each start, 0 where it may not begin, or the fact that refuses it."""

    cells: Starts
    refusal: Fact | None = None


def fit(candidate: Candidate, view: View, first: int, last: int, *, asked: bool = False) -> Fit:
    """Return where a candidate may begin from the cell ``first`` to before ``last``, else the first refusal.

    ``asked`` says that the person wants it: then firm rules alone count.
    """
    size, least, wanted = view.grid.size, -(-candidate.least // 5), candidate.wanted // 5
    free, begins = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
    begins[first:last] = True
    run_of = run(free)
    for rule in RULES:
        if not rule.holds_for(candidate) or (asked and not rule.firm):
            continue
        mask = rule.mask(candidate, view)
        if mask is True:
            continue
        if rule.starts or mask is False:
            begins = begins & mask
        else:
            free = free & mask
            run_of = run(free)
        if not (begins & (run_of >= least)).any():
            return Fit(cells=np.zeros(size, dtype=np.intp), refusal=rule.refusal(candidate, view))
    fitting = begins & (run_of >= least)
    none = None if fitting.any() else fact("nothing_fits")
    return Fit(cells=np.where(fitting, np.minimum(run_of, wanted), 0), refusal=none)


def taken_back(candidate: Candidate, view: View, start: datetime, end: datetime) -> Fact | None:
    """Return the fact by which what the person said or how they are speaks against what was suggested, if any."""
    low, high = view.grid.up(start), view.grid.down(end)
    for rule in RULES:
        if rule.name in OF_PERSON and rule.holds_for(candidate):
            mask = rule.mask(candidate, view)
            if mask is False or (mask is not True and not mask[low:high].all()):
                return rule.refusal(candidate, view)
    return None


def _says(kind: str) -> Callable[[Candidate, View], Fact]:
    return lambda _candidate, _view: fact(kind)


# Wishes, body and mode ------------------------------------------------------------------------------------------------


def _not_vetoed(candidate: Candidate, view: View) -> bool:
    return candidate.action not in view.person.wishes.never


def _not_resting(candidate: Candidate, view: View) -> bool:
    named = "" if candidate.task is None else candidate.task.title or ""
    resting = view.person.resting.get(view.grid.date, ())
    return not any(action is candidate.action and what in ("", named) for action, what in resting)


def _body_allows(candidate: Candidate, view: View) -> Cells | bool:
    state = view.person.body.state if view.is_today else "well"
    if state == "well":
        return True
    if state == "strained":
        return candidate.action is not A.EXERCISE
    return candidate.action in ONE_REST or (candidate.task is not None and is_urgent(candidate, view))


def _of_body(_candidate: Candidate, view: View) -> Fact:
    why = view.person.body.facts
    return why[0] if why else fact("said_ill")


def _mode_allows(candidate: Candidate, view: View) -> bool:
    mode = view.person.mode.on(view.grid.date)
    if mode == "normal":
        return True
    due = candidate.task is not None and presses(candidate, view)
    if mode == "ill":
        return candidate.action in ONE_REST or due
    if mode == "holiday":
        return candidate.action not in OFFICE_WORK or due
    return mode != "away" or candidate.action not in COMPANY


def _of_mode(_candidate: Candidate, view: View) -> Fact:
    return fact(f"mode_{view.person.mode.on(view.grid.date)}")


def _at_home(_candidate: Candidate, view: View) -> bool:
    return not view.person.away(view.grid.date)


def _with_somebody(candidate: Candidate, view: View) -> bool:
    """Company needs somebody, and learning something to learn: a habit or a goal shows it, or a task.

    Whose connection is low hears of company all the same.
    """
    connection = view.readings.get(Meter.CONNECTION) if view.is_today and candidate.action is A.SOCIALIZE else None
    return (
        candidate.task is not None
        or (connection is not None and connection.coverage > 0 and connection.level < LONELY)
        or candidate.action in view.person.routine.habits
        or candidate.action in view.person.wishes.goals
    )


def _in_own_zone(candidate: Candidate, view: View) -> Cells | bool:
    """On a day in a new zone only rest, and none before the flight."""
    grid = view.grid
    if not grid.in_new_zone or candidate.action not in ONE_REST:
        return not grid.in_new_zone
    return ~grid.touched((grid.begin, start) for start, _ in view.person.journeys if start < grid.bed)


def _level_allows(candidate: Candidate, view: View) -> bool:
    return _lowered(candidate, view) is None or (candidate.task is not None and presses(candidate, view))


def _lowered(candidate: Candidate, view: View) -> Meter | None:
    if candidate.action is None or not view.is_today:
        return None
    for meter, change in zip(Meter, EFFECTS[candidate.action], strict=True):
        reading = view.readings.get(meter)
        taxes = change <= TAKES or (candidate.action is A.EXERCISE and meter is Meter.VITALITY)
        if taxes and reading is not None and reading.coverage > 0 and reading.level < SHOWN_LOW:
            return meter
    return None


def _of_level(candidate: Candidate, view: View) -> Fact:
    meter = _lowered(candidate, view) or Meter.VITALITY
    return fact("level_is_low", meter=str(meter), level=round(view.readings[meter].level, 2))


# Tiredness ------------------------------------------------------------------------------------------------------------


def _rested(_candidate: Candidate, view: View) -> bool:
    return _tired(view) is None


def _tired(view: View) -> Fact | None:
    """Return why the person is too tired for sport and long work: a short night, a day sleep, or a long day."""
    grid, short = view.grid, view.person.short_of_sleep if view.is_today else None
    if short is not None and short >= SHORT_NIGHT:
        return fact("short_night", length=length(short / MINUTE))
    if grid.wake > grid.since(DAY_SLEEP):
        return fact("slept_until", time=local(view, grid.wake))
    strained = float(grid.strained[-1])
    return None if strained < TIRING else fact("tiring_day", length=length(strained))


def _of_tired(_candidate: Candidate, view: View) -> Fact:
    return _tired(view) or fact("tiring_day", length=length(float(view.grid.strained[-1])))


def _has_room(candidate: Candidate, view: View) -> bool:
    work = candidate.task is not None or candidate.action in WORK
    return not work or is_urgent(candidate, view) or float(view.grid.strained[-1]) < TIRING


def _short_night(_candidate: Candidate, view: View) -> bool:
    short = view.person.short_of_sleep if view.is_today else None
    ill = view.is_today and view.person.body.state == "ill"
    return ill or (short is not None and short >= SHORT_NIGHT)


# Free time ------------------------------------------------------------------------------------------------------------


def _free(candidate: Candidate, view: View) -> Cells:
    grid = view.grid
    taken = [
        *promised(view.person),
        *view.attended_beside,
        *([] if candidate.action is A.FAMILY_TIME else grid.with_family),
    ]
    if candidate.action in COMPANY:
        taken += [(o.start - ALONE, o.end + ALONE) for o, label in grid.entries if label.action in COMPANY]
    if candidate.action is A.EXERCISE:
        taken += [(end, end + DIGESTION) for start, end in grid.meals if (start, end) in view.person.attended]
    after = candidate.length.after // 5
    busy = grid.busy
    if after:  # time to wash, or for the way, after it
        busy = busy | _shifted(busy, after)
    return ~(busy | grid.touched(taken))


def _shifted(cells: Cells, by: int) -> Cells:
    found = cells.copy()
    ends = np.flatnonzero(cells)
    for start in ends[np.flatnonzero(np.diff(ends, prepend=-2) > 1)]:
        found[max(start - by, 0) : start] = True
    return found


def _of_free(candidate: Candidate, _view: View) -> Fact:
    return fact("no_gap", minutes=candidate.least)


def _apart(candidate: Candidate, view: View) -> Cells | bool:
    apart = APART if candidate.task is None else PAUSE
    return ~view.grid.touched((one.start - apart, one.end + apart) for one in view.near) if view.near else True


def _of_apart(_candidate: Candidate, view: View) -> Fact:
    return fact("suggestion_at", time=local(view, view.near[-1].start)) if view.near else fact("nothing_fits")


RULES: tuple[Rule, ...] = (
    Rule(name="veto", mask=_not_vetoed, refusal=_says("vetoed")),
    Rule(name="not today", mask=_not_resting, refusal=_says("not_today"), firm=False),
    Rule(name="tired", actions=frozenset({A.EXERCISE}), mask=_rested, refusal=_of_tired),
    Rule(name="body", mask=_body_allows, refusal=_of_body),
    Rule(name="mode", mask=_mode_allows, refusal=_of_mode),
    Rule(name="subject", actions=frozenset({A.LEARN}), mask=_with_somebody, refusal=_says("no_grounds"), firm=False),
    Rule(name="away", actions=COMPANY, mask=_at_home, refusal=_says("away")),
    Rule(name="somebody", actions=COMPANY, mask=_with_somebody, refusal=_says("nobody_known"), firm=False),
    Rule(name="new zone", mask=_in_own_zone, refusal=_says("new_zone"), firm=False),
    Rule(name="level", mask=_level_allows, refusal=_of_level),
    Rule(name="planned", actions=PLANNED_ONCE, mask=not_planned, refusal=of_planned, firm=False),
    Rule(name="lately", mask=not_lately, refusal=of_lately, firm=False),
    Rule(name="deadline", mask=by_the_deadline, refusal=_says("deadline_over")),
    Rule(name="too often", mask=not_too_often, refusal=of_too_often, firm=False),
    Rule(name="often enough", mask=not_enough, refusal=of_enough, firm=False),
    Rule(name="one rest", actions=LEISURE, mask=one_kind_of_rest, refusal=_says("another_rest"), firm=False),
    Rule(name="nap", actions=frozenset({A.SLEEP}), mask=_short_night, refusal=_says("bedtime_far"), firm=False),
    Rule(name="long day", mask=_has_room, refusal=_of_tired),
    Rule(name="hours", mask=hours, refusal=of_hours),
    Rule(name="after waking", mask=after_waking, refusal=_says("hour_of_day")),
    Rule(name="wished hours", mask=wished, refusal=_says("outside_hours")),
    Rule(name="calls", actions=WORK, mask=answered, refusal=_says("no_calls")),
    Rule(name="ahead", mask=ahead, refusal=_says("hour_of_day"), starts=True),
    Rule(name="free", mask=_free, refusal=_of_free),
    Rule(name="apart", mask=_apart, refusal=_of_apart, firm=False),
    Rule(name="late", mask=not_too_late, refusal=_says("hour_of_day"), starts=True),
)
