"""Plan a week for a person one knows, or takes for granted: coordinate ascent over all remaining slots, anew each day.

Every action of the plan is tried against all ten with the rest held fixed, several times over, in the simulator itself
and without the events that nobody can foresee; each morning the plan is revised from where the person really is. It is
an estimate of the limit, not the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rhythm_env import dynamics, grading
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType
from rhythm_env.profiles import Profiles, average
from rhythm_env.week import Weeks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.intp]

OBJECTIVES = ("grade", "reward")
SWEEPS, REVISIONS = 3, 1  # passes over the plan on Monday, and each later morning
FIRST_PLAN = (ActionType.DEEP_WORK, ActionType.LEARN, ActionType.FAMILY_TIME, ActionType.SLEEP)


class Planner:
    """Plays what it planned for ``people``; None: for the average person, whoever is really there."""

    def __init__(self, people: Profiles | None, objective: str) -> None:
        self._people, self._objective = people, objective
        self._plan: Ints | None = None

    def actions(self, weeks: Weeks) -> Ints:
        import numpy as np

        people = self._people if self._people is not None else average(weeks.n)
        if self._plan is None:
            first = [ACTIONS.index(FIRST_PLAN[step % SLOTS]) for step in range(STEPS)]
            self._plan = np.repeat(np.array(first, dtype=np.intp)[:, None], weeks.n, axis=1)
        if weeks.step % SLOTS == 0:
            for _ in range(SWEEPS if weeks.step == 0 else REVISIONS):
                _improve(self._plan, weeks, people, self._objective)
        return np.asarray(self._plan[weeks.step])


def _improve(plan: Ints, weeks: Weeks, people: Profiles, objective: str) -> None:
    """One pass: each remaining slot's action becomes the best of the ten, in place."""
    import numpy as np

    meters = weeks.meters
    many = people.take(np.tile(np.arange(weeks.n), len(ACTIONS)))
    past_levels, past_rewards = list(weeks.levels), list(weeks.rewards)
    for step in range(weeks.step, STEPS):
        tried = np.repeat(np.arange(len(ACTIONS)), weeks.n)
        worth = _worth(meters, step, tried, plan, many, objective, past_levels, past_rewards)
        plan[step] = worth.reshape(len(ACTIONS), weeks.n).argmax(axis=0)
        after, deltas = _calm(meters, plan[step], step, people)
        past_levels.append(after)
        past_rewards.append(grading.step_reward(deltas, after, people.weights))
        meters = after


def _calm(meters: Array, actions: Ints, step: int, people: Profiles) -> tuple[Array, Array]:
    """A step in which nothing happens from outside."""
    import numpy as np

    wanted, _ = dynamics.changes(meters, actions, step % SLOTS, people)
    after = np.clip(meters + wanted, 0.0, 1.0)
    return after, after - meters


def _worth(
    meters: Array,
    step: int,
    tried: Ints,
    plan: Ints,
    people: Profiles,
    objective: str,
    past_levels: list[Array],
    past_rewards: list[Array],
) -> Array:
    """What each tried action is worth with the rest of the plan behind it, for every person."""
    import numpy as np

    copies = len(ACTIONS)
    now = np.tile(meters, copies)
    levels, rewards = [], []
    for at in range(step, STEPS):
        actions = tried if at == step else np.tile(plan[at], copies)
        now, deltas = _calm(now, actions, at, people)
        levels.append(now)
        rewards.append(grading.step_reward(deltas, now, people.weights))
    if objective == "reward":
        return np.asarray(np.einsum("tmn,mn->n", np.array(levels), people.weights))
    all_levels = np.array([*(np.tile(past, copies) for past in past_levels), *levels])
    all_rewards = np.array([*(np.tile(past, copies) for past in past_rewards), *rewards])
    return grading.grade_v2(grading.components(all_levels, all_rewards))
