"""The OpenEnv server, which plays a hidden person per session and shows the published observation."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from openenv.core.env_server import Environment, create_app
from openenv.core.env_server.types import EnvironmentMetadata

from lab.environments.grading import belief_mae, terminal_reward
from lab.environments.openenv.models import METERS, RhythmAction, RhythmObservation, RhythmState
from lab.evaluation.week import Weeks, begin
from rhythm_env.constants import ENV_VERSION, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, EVENT_NAMES
from rhythm_env.interface import HISTORY_STEPS, ActionType
from rhythm_env.profiles import archetypes, belief_target

TRAINING_SEEDS = 10_000  # whom a reset without a seed draws from
MOST_SESSIONS = 64


class RhythmEnvironment(Environment[RhythmAction, RhythmObservation, RhythmState]):
    """The environment of a person's week. ``reset`` takes ``seed``, ``condition``, ``profile_mode`` and ``profile``."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._weeks: Weeks | None = None
        self._belief: list[float] | None = None
        self._episode: str | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        condition: str = "in",
        profile_mode: str | None = None,
        profile: str | None = None,
        **_: Any,
    ) -> RhythmObservation:
        chosen = secrets.randbelow(TRAINING_SEEDS) if seed is None else seed
        self._weeks = begin([chosen], "discrete" if profile_mode == "discrete" else condition)
        if profile is not None:  # a named person overrides the seed
            self._weeks.people = archetypes([profile])
        self._belief, self._episode = None, episode_id or secrets.token_hex(8)
        return _seen(self._weeks, reward=None)

    def step(self, action: RhythmAction, timeout_s: float | None = None, **_: Any) -> RhythmObservation:
        del timeout_s
        if self._weeks is None:
            raise ValueError("call reset first")
        weeks = self._weeks
        self._belief = action.belief or self._belief
        reward = float(weeks.advance(np.array([_number(action)]))[0])
        if not weeks.done:
            return _seen(weeks, reward=reward)
        score = weeks.final_score(_accuracy(weeks, self._belief))
        ended = _seen(weeks, reward=reward + float(terminal_reward(score)[0]))
        ended.reward_breakdown = {**ended.reward_breakdown, "final_score": float(score[0])}
        return ended

    @property
    def state(self) -> RhythmState:
        weeks = self._weeks
        step = 0 if weeks is None else weeks.step
        done = weeks is not None and weeks.done
        return RhythmState(episode_id=self._episode, step_count=step, timestep=min(step, STEPS - 1), done=done)

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="rhythm_env", description="One week of one hidden person's life.", version=str(ENV_VERSION)
        )


def _number(action: RhythmAction) -> int:
    return ACTIONS.index(ActionType(str(action.action_type.value).upper()))


def _accuracy(weeks: Weeks, belief: list[float] | None) -> float:
    """Return the accuracy (0 to 1) of the last belief, 0 for an agent that never stated a belief."""
    if belief is None:
        return 0.0
    stated = np.clip(np.array(belief)[:, None], 0.0, 1.0)
    return float(1 - belief_mae(stated, belief_target(weeks.people))[0])


def _seen(weeks: Weeks, *, reward: float | None) -> RhythmObservation:
    step = min(weeks.step, STEPS - 1)
    levels = dict(zip(METERS, weeks.meters[:, 0].tolist(), strict=True))
    deltas = _named(weeks.deltas[-1]) if weeks.deltas else dict.fromkeys(METERS, 0.0)
    anomalies = _named(weeks.anomalies[-1]) if weeks.anomalies else {}
    return RhythmObservation(
        done=weeks.done,
        reward=reward,
        timestep=step,
        day=step // SLOTS,
        slot=step % SLOTS,
        **levels,
        **{f"{name}_delta": value for name, value in deltas.items()},
        active_event=None if weeks.done else EVENT_NAMES[weeks.events[step, 0]],
        last_action=ACTIONS[weeks.actions[-1][0]].lower() if weeks.actions else None,
        remaining_steps=STEPS - weeks.step,
        step_history=[_record(weeks, at) for at in range(max(0, weeks.step - HISTORY_STEPS), weeks.step)],
        reward_breakdown=deltas | {f"{name}_anomaly": value for name, value in anomalies.items()},
    )


def _record(weeks: Weeks, at: int) -> dict[str, Any]:
    return {
        "step": at,
        "action": ACTIONS[weeks.actions[at][0]].lower(),
        "reward": float(weeks.rewards[at][0]),
        "deltas": _named(weeks.deltas[at]),
        "anomalies": _named(weeks.anomalies[at]),
    }


def _named(values: Any) -> dict[str, float]:
    return dict(zip(METERS, values[:, 0].tolist(), strict=True))


app = create_app(
    RhythmEnvironment,
    RhythmAction,
    RhythmObservation,
    env_name="rhythm_env",
    max_concurrent_envs=MOST_SESSIONS,
    state_cls=RhythmState,
)


def main() -> None:
    """Serve on port 8000."""
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=8000)


if __name__ == "__main__":
    main()
