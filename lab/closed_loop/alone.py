"""Advice of a policy on its own: in every slot an action that has room, without common sense, a plan, or silence."""

from __future__ import annotations

import random
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from bridge.advice.observation import slot_around
from bridge.advice.recommend import build_observation
from bridge.domain.facts import prose
from bridge.domain.guard import Guard
from bridge.domain.ports import EventClassifier
from bridge.domain.records import Recommendation, User
from bridge.domain.slots import moment_at, zone_at
from rhythm_env.interface import Policy

if TYPE_CHECKING:
    from bridge.store import Store


def recommend(
    store: Store, user: User, classifier: EventClassifier, policy: Policy, *, now: datetime, guard: Guard
) -> Recommendation:
    """Make the recommendation of a slot, which has no time in it."""
    moment = moment_at(now, user.zones)
    seen, _ = build_observation(store, user, classifier, at=now)
    observation, _ = guard.allowed(seen, now=now.astimezone(zone_at(now, user.zones)))
    rng = random.Random(f"{user.name}/{moment.week}/{moment.timestep}")
    decision = guard.explored(policy.decide(observation, rng), observation, rng)
    return store.recommendations.add(
        Recommendation(
            id=0,
            user_id=user.id,
            moment=moment,
            action=decision.action,
            policy=f"{policy.name}@{policy.version}",
            belief=asdict(decision.belief),
            belief_sd=decision.belief_sd,
            scores={str(a): score for a, score in decision.scores.items()},
            probabilities={str(a): p for a, p in decision.probabilities.items()},
            facts=tuple(map(prose, decision.reasons)),
            observation=observation.to_json(),
            created_at=now,
            expires_at=slot_around(now, user.zones)[1],
        )
    )
