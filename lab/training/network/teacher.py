"""A teacher that knows each person, and plans the rest of many weeks by coordinate ascent and exchanges.

It revises its plan in every slot from the state that the student has reached, returns the value of each action there,
and counts the information that a plan would give about the person. The student learns the mean over all people who look
alike, which is the best without planning for later information (QMDP, Littman, Cassandra & Kaelbling 1995).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.environments import dynamics, grading
from lab.evaluation.week import Weeks
from policies.planner import CURIOSITY
from policies.planner.plans import informed
from rhythm_env.constants import (
    ADAPTED_BY,
    CRASH_LEVEL,
    EFFICIENCY_FLOOR,
    EFFICIENCY_SPAN,
    GRADE_V2,
    METERS,
    QUALITY_FLOOR,
    QUALITY_SPAN,
    SLOTS,
    STEPS,
)
from rhythm_env.dynamics import ACTIONS, N, P
from rhythm_env.interface import ActionType
from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

MANY = len(ACTIONS)
FIRST_PLANS = {
    "grade": (ActionType.DEEP_WORK, ActionType.LEARN, ActionType.FAMILY_TIME, ActionType.DEEP_WORK),
    "reward": (ActionType.DEEP_WORK, ActionType.LEARN, ActionType.FAMILY_TIME, ActionType.SLEEP),
}
SWEEPS = 3  # passes over the plan on Monday
REACH = 6  # slots ahead that are revised in a slot that is no morning
EXCHANGES = 24  # pairs of slots tried per revision


@dataclass(slots=True)
class Tally:
    """Sums over the completed steps, of rewards in both halves (2, n), crashes (n,) and weighted levels (n,)."""

    rewards: Array
    crashes: Array
    levels: Array

    def tiled(self, copies: int) -> Tally:
        return Tally(np.tile(self.rewards, copies), np.tile(self.crashes, copies), np.tile(self.levels, copies))


class Teacher:
    """A planner of n weeks for known people and an objective, to the end of the week or ``ahead`` slots."""

    def __init__(self, people: Profiles, objective: str, seed: int = 0, ahead: int | None = None) -> None:
        self._people, self._objective, self._ahead = people, objective, ahead
        self._rng = np.random.default_rng(seed)
        first = [ACTIONS.index(action) for action in FIRST_PLANS[objective]]
        self._plan: Ints = np.repeat(np.resize(first, STEPS * 4)[:, None], len(people), axis=1)

    def worth(self, weeks: Weeks) -> Array:
        """Return the value (10, n) of each action in the slot that begins, with the best plans after it."""
        return self.worth_at(weeks, weeks.step)

    def worth_at(self, weeks: Weeks, here: int) -> Array:
        """Return the value (10, n) of each action in slot ``here``, with the best plans after it."""
        end = STEPS if self._ahead is None else here + self._ahead
        for turn in range(SWEEPS if here == 0 else 1):
            whole = turn or here % SLOTS == 0 or self._ahead
            self._improve(weeks, here, end, end if whole else min(here + REACH, end))
            self._exchange(weeks, here, end)
        return self._tried(here, end, weeks.meters, _so_far(weeks), weeks)

    def _improve(self, weeks: Weeks, here: int, end: int, until: int) -> None:
        """Replace the planned action of each slot by the best, in a single pass."""
        meters, tally = weeks.meters, _so_far(weeks)
        for step in range(here, until):
            self._plan[step] = self._tried(step, end, meters, tally, weeks).argmax(axis=0)
            meters, tally = _lived(meters, self._plan[step][None], step, self._people, tally)

    def _tried(self, step: int, end: int, meters: Array, tally: Tally, weeks: Weeks) -> Array:
        """Return the plan's value (10, n) with each action in slot ``step``, from the meters and sums before it."""
        plans = np.tile(self._plan[step:end], MANY)
        plans[0] = np.repeat(np.arange(MANY), len(self._people))
        return self._judged(plans, step, np.tile(meters, MANY), tally.tiled(MANY), weeks).reshape(MANY, -1)

    def _exchange(self, weeks: Weeks, here: int, end: int) -> None:
        if end - here < 2:
            return
        tally = _so_far(weeks)
        best = self._judged(self._plan[here:end], here, weeks.meters, tally, weeks)
        for _ in range(EXCHANGES):
            one, other = self._rng.choice(np.arange(here, end), 2, replace=False)
            plan = self._plan.copy()
            plan[[one, other]] = plan[[other, one]]
            worth = self._judged(plan[here:end], here, weeks.meters, tally, weeks)
            better = worth > best
            self._plan[:, better], best = plan[:, better], np.maximum(best, worth)

    def _judged(self, plans: Ints, step: int, meters: Array, tally: Tally, weeks: Weeks) -> Array:
        """Return the value (m,) of plans (s, m) from ``step`` on. Columns of plans and meters repeat the people."""
        copies = plans.shape[1] // len(self._people)
        people = self._people if copies == 1 else self._people.take(np.tile(np.arange(len(self._people)), copies))
        end, total = _lived(meters, plans, step, people, tally)
        if self._ahead is not None:
            return np.asarray((total.levels - tally.levels) / len(plans))
        past = [np.tile(actions, copies) for actions in [*weeks.actions, *self._plan[weeks.step : step]]]
        week = np.concatenate([np.array(past, dtype=np.intp).reshape(-1, plans.shape[1]), plans])
        worth = total.levels / STEPS if self._objective == "reward" else _grade(end, total)
        return np.asarray(worth + CURIOSITY[self._objective] * informed(week, 0, ()))


def _so_far(weeks: Weeks) -> Tally:
    half, rewards = STEPS // 2, weeks.rewards
    zero = np.zeros(weeks.n)
    levels = np.array(weeks.levels).reshape(-1, METERS, weeks.n)
    return Tally(
        rewards=np.array([sum(rewards[:half], zero), sum(rewards[half:], zero)]),
        crashes=(levels < CRASH_LEVEL).sum(axis=(0, 1)).astype(float),
        levels=np.einsum("tmn,mn->n", levels, weeks.people.weights),
    )


def _lived(meters: Array, plans: Ints, first: int, people: Profiles, tally: Tally) -> tuple[Array, Tally]:
    """Return the meters and sums after plans (s, n) from slot ``first`` on, without events."""
    total = Tally(tally.rewards.copy(), tally.crashes.copy(), tally.levels.copy())
    for step, actions in enumerate(plans, start=first):
        wanted, _ = dynamics.changes(meters, actions, step % SLOTS, people)
        after = np.minimum(np.maximum(meters + wanted, 0.0), 1.0)
        total.rewards[int(step >= STEPS // 2)] += grading.step_reward(after - meters, after, people.weights)
        total.crashes += (after < CRASH_LEVEL).sum(axis=0)
        total.levels += np.einsum("mn,mn->n", people.weights, after)
        meters = after
    return meters, total


def _grade(end: Array, total: Tally) -> Array:
    """Return the published grade (n,) without its belief, from sums. See ``lab.environments.grading``."""
    early, late = total.rewards / (STEPS // 2)
    improved = np.clip((late - early) / ADAPTED_BY, 0.0, 1.0)
    parts = {
        "crash_free": 1 - total.crashes / (STEPS * METERS),
        "progress": end[P],
        "connection": end[N],
        "adaptation": improved * np.clip((late + QUALITY_FLOOR) / QUALITY_SPAN, 0.0, 1.0),
        "efficiency": np.clip(((early + late) / 2 + EFFICIENCY_FLOOR) / EFFICIENCY_SPAN, 0.0, 1.0),
    }
    return np.asarray(sum(GRADE_V2[name] * values for name, values in parts.items()))
