"""What a policy that can learn one person offers beside ``Policy``, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from rhythm_env.interface import ActionType, Observation, Policy


class Personal(Policy, Protocol):
    """A policy that can be given one person's own prior in place of the population's."""

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """A prior, as JSON can hold it, of all answers that the observation holds, however old."""
        ...

    def personal(self, prior: Mapping[str, Any]) -> Personal:
        """The policy with that prior; it hears only the answers that the prior has not."""
        ...

    def chance(self, observation: Observation, action: ActionType) -> float:
        """How likely advice is taken, in the policy's opinion."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """One person's prior for one version of a policy. ``gain``: over the old one, in nats per later answer."""

    policy: str  # name@version
    made_at: datetime
    body: Mapping[str, Any]
    learnt_from: int  # answers
    tried_on: int  # later answers
    gain: float
    kept: bool  # it was better, and nobody has taken it back
