"""Policies of simulated people that keep the product's limits of recommendations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bridge.domain.guard import Guard, silence
from rhythm_env.interface import Decision, Interaction, Observation, Policy

DAY = timedelta(days=1)


class Guarded:
    """A policy that is limited and randomised by the product's guard, under the policy's own name and version."""

    def __init__(self, policy: Policy, guard: Guard) -> None:
        self._policy, self._guard = policy, guard
        self.name, self.version = policy.name, policy.version

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return the policy's decision among the allowed actions, or now and then an action drawn at random."""
        last = observation.history[-1].at if observation.history else datetime.min.replace(tzinfo=UTC)
        allowed, _ = self._guard.allowed(observation, now=last)
        return self._guard.explored(self._policy.decide(allowed, rng), allowed, rng)

    def gives(self, history: Sequence[Interaction], day: int, now: datetime) -> float:
        """Return the probability of a recommendation in a slot of ``day`` (0 is Monday), 0 if the day is full."""
        if sum(one.day == day and now - one.at < DAY for one in history) >= self._guard.a_day:
            return 0.0
        return 1 - silence(history, now)
