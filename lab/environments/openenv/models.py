"""The messages of the environment, named in lower case as in the published environment."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from openenv.core.env_server import Action, Observation, State
from pydantic import Field

from rhythm_env.interface import ActionType

METERS = ("vitality", "cognition", "progress", "serenity", "connection")
ActionName = StrEnum("ActionName", {action.name: action.value.lower() for action in ActionType})  # type: ignore[misc]


class RhythmAction(Action):
    """An action, and optionally the agent's belief [social, morning, work]. The last belief of an episode is graded."""

    action_type: ActionName
    belief: list[float] | None = Field(default=None, min_length=3, max_length=3)


class StepRecord(State):
    step: int
    action: str
    reward: float
    deltas: dict[str, float]
    anomalies: dict[str, float]


class RhythmObservation(Observation):
    """The published fields. ``reward_breakdown`` has changes and anomalies of meters, and finally the score."""

    timestep: int
    day: int
    slot: int
    vitality: float
    cognition: float
    progress: float
    serenity: float
    connection: float
    vitality_delta: float = 0.0
    cognition_delta: float = 0.0
    progress_delta: float = 0.0
    serenity_delta: float = 0.0
    connection_delta: float = 0.0
    active_event: str | None = None
    last_action: str | None = None
    remaining_steps: int = 28
    step_history: list[dict[str, Any]] = Field(default_factory=list)
    reward_breakdown: dict[str, float] = Field(default_factory=dict)


class RhythmState(State):
    """The state of an episode, without the person's hidden traits, because any client may read it."""

    timestep: int = 0
    done: bool = False
