"""The client, used as ``with RhythmEnv(base_url=...).sync() as env``."""

from __future__ import annotations

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from lab.environments.openenv.models import RhythmAction, RhythmObservation, RhythmState


class RhythmEnv(EnvClient[RhythmAction, RhythmObservation, RhythmState]):
    """A client whose session is a person's week."""

    def _step_payload(self, action: RhythmAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(mode="json", exclude={"metadata"})
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[RhythmObservation]:
        done, reward = bool(payload.get("done", False)), payload.get("reward")
        seen = RhythmObservation(**{**payload["observation"], "done": done, "reward": reward})
        return StepResult(observation=seen, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> RhythmState:
        return RhythmState(**payload)
