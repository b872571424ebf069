"""The simulator as Gymnasium environments, single and vectorised. It needs the laboratory's extra ``gym``.

An observation is a vector of 48 numbers, which are the five meters (0 to 1), their last changes and the last anomalies
(-1 to 1), day and slot (one-hot), the share of the week that is left, the last reward, the last action (one-hot) and
this step's event (one-hot). The person is in ``info`` after the week (``profile``, ``belief_target``, ``final_score``).
Actions are those of ``rhythm_env.interface.ActionType``, in their order. The reward is that of the published
environment, with its terminal part. An episode is a week of 28 steps. It is terminated, never truncated.  Version 1 has
the numbers of ``rhythm_env.constants`` as first fitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from lab.environments.dynamics import sampled
from lab.environments.grading import terminal_reward
from lab.evaluation.week import Weeks, begin
from rhythm_env.constants import EVENT_CHANCE, METERS, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, EVENT_NAMES, start
from rhythm_env.profiles import belief_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DAYS = STEPS // SLOTS
SEEDS = 10_000  # people that training draws from; those from here on are kept for evaluation
REWARD_SPAN = 20.0  # rewards are shown divided by this, which none exceeds
SIZE = 3 * METERS + DAYS + SLOTS + 2 + len(ACTIONS) + len(EVENT_NAMES)
_CHANGES, _ANOMALIES, _DAY = METERS, 2 * METERS, 3 * METERS
_SLOT, _LEFT = _DAY + DAYS, _DAY + DAYS + SLOTS
_REWARD, _ACTION = _LEFT + 1, _LEFT + 2
_EVENT = _ACTION + len(ACTIONS)


def observation_space() -> spaces.Box:
    low = np.zeros(SIZE, dtype=np.float32)
    low[_CHANGES:_DAY] = low[_REWARD] = -1.0
    return spaces.Box(low, np.ones(SIZE, dtype=np.float32))


def vectors(weeks: Weeks) -> Floats:
    """Return the observation vectors (n, 48) of all weeks."""
    step = min(weeks.step, STEPS - 1)
    seen = np.zeros((SIZE, weeks.n), dtype=np.float32)
    seen[:METERS] = weeks.meters
    seen[_DAY + step // SLOTS] = seen[_SLOT + step % SLOTS] = 1.0
    seen[_LEFT] = 1 - weeks.step / STEPS
    everybody = np.arange(weeks.n)
    if weeks.actions:
        seen[_CHANGES:_ANOMALIES] = weeks.deltas[-1]
        seen[_ANOMALIES:_DAY] = weeks.anomalies[-1]
        seen[_REWARD] = np.clip(weeks.rewards[-1] / REWARD_SPAN, -1.0, 1.0)
        seen[_ACTION + weeks.actions[-1], everybody] = 1.0
    if not weeks.done:
        seen[_EVENT + weeks.events[step], everybody] = 1.0
    return np.ascontiguousarray(seen.T)


class RhythmEnv(gym.Env[Any, Any]):
    """The environment of a person's week. ``reset(options={"person": SEED})`` chooses the person.

    ``condition`` names the population, as in ``lab.environments.dynamics.sampled``.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - the name and type are Gymnasium's

    def __init__(self, render_mode: str | None = None, condition: str = "in") -> None:
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(len(ACTIONS))
        self._condition = condition
        self._weeks: Weeks | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed)
        person = (options or {}).get("person")
        drawn = int(self.np_random.integers(SEEDS)) if person is None else int(person)
        self._weeks = begin([drawn], self._condition)
        return vectors(self._weeks)[0], {}

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        if self._weeks is None:
            raise gym.error.ResetNeeded("call reset() first")
        weeks = self._weeks
        reward = float(weeks.advance(np.array([int(action)], dtype=np.intp))[0])
        info: dict[str, Any] = {}
        if weeks.done:
            score = weeks.final_score()
            reward += float(terminal_reward(score)[0])
            info = {"final_score": float(score[0]), **_revealed(weeks)}
        return vectors(weeks)[0], reward, weeks.done, False, info

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self._weeks is None:
            return None
        levels = " ".join(f"{name}={x:.2f}" for name, x in zip("VCPSN", self._weeks.meters[:, 0], strict=True))
        return f"step {self._weeks.step:2} {levels}"


def _revealed(weeks: Weeks) -> dict[str, Any]:
    traits = {name: float(values[0]) for name, values in weeks.people.traits.items()}
    profile = traits | {"weights": weeks.people.weights[:, 0].tolist()}
    return {"profile": profile, "belief_target": belief_target(weeks.people)[:, 0].tolist()}


class RhythmVectorEnv(VectorEnv[Any, Any, Any]):
    """An environment of many weeks in step. All end together, and the next step begins new weeks (``NEXT_STEP``)."""

    def __init__(self, num_envs: int, condition: str = "in") -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = observation_space()
        self.single_action_space = spaces.Discrete(len(ACTIONS))
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self._condition = condition
        self._population = sampled(range(SEEDS), condition)  # drawn once: 10,000 people to meet again and again
        self._weeks: Weeks | None = None
        self._rng = np.random.default_rng()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin new weeks and return their observations. Without ``seed`` the random numbers continue.

        A list of seeds counts as a single seed for all weeks.
        """
        del options
        given = ([one for one in seed if one is not None] or None) if isinstance(seed, list) else seed
        if given is not None:
            self._rng = np.random.default_rng(given)
        return self._begin(), {}

    def _begin(self) -> Floats:
        who = self._rng.integers(0, SEEDS, self.num_envs)
        happens = self._rng.random((STEPS, self.num_envs)) < EVENT_CHANCE
        events = np.where(happens, self._rng.integers(1, len(EVENT_NAMES), happens.shape), 0)
        self._weeks = Weeks(people=self._population.take(who), events=events, meters=start(self.num_envs))
        return vectors(self._weeks)

    def step(self, actions: Any) -> tuple[Floats, Any, Any, Any, dict[str, Any]]:
        if self._weeks is None:
            raise gym.error.ResetNeeded("call reset() first")
        never = np.zeros(self.num_envs, dtype=bool)
        if self._weeks.done:
            return self._begin(), np.zeros(self.num_envs), never, never, {}
        weeks = self._weeks
        rewards = weeks.advance(np.asarray(actions, dtype=np.intp)).copy()
        info: dict[str, Any] = {}
        if weeks.done:
            score = weeks.final_score()
            rewards += terminal_reward(score)
            info = {"final_score": score, "belief_target": belief_target(weeks.people)}
        return vectors(weeks), rewards, np.full(self.num_envs, weeks.done), never, info


__all__ = ["RhythmEnv", "RhythmVectorEnv", "observation_space", "vectors"]
