"""The answers for a user's adapter (LoRA), the check that they are enough, and the withdrawal of an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bridge.advice import feedback
from bridge.advice.adapters import POLICY, begun, lacking
from bridge.domain.errors import SetupError
from bridge.domain.records import FullRecommendation, User
from bridge.installation import Bridge
from rhythm_env.interface import Interaction


def version(bridge: Bridge) -> str:
    """Return ``name@version`` of the language-model policy, to which adapters belong."""
    policy = bridge.policy(POLICY)
    return f"{policy.name}@{policy.version}"


def answered_advice(bridge: Bridge, user: User, now: datetime) -> list[tuple[Interaction, FullRecommendation]]:
    """Return each answer since the last reset with its whole recommendation."""
    found = bridge.store.recommendations.full_between(user.id, since=begun(bridge, user, now), until=now)
    pairs = ((feedback.interaction(one, now), one) for one in found)
    return [(answered, one) for answered, one in pairs if answered is not None]


def enough(bridge: Bridge, user: User, answers: Sequence[Interaction], now: datetime) -> None:
    """Raise SetupError, with the next command, if ``answers`` are too few, in all or since the last adapter."""
    little = lacking(bridge, user, answers, now, again=timedelta(0))
    if little:
        raise SetupError(f"{user.name} {little}; answer more recommendations: bridge recommend --user {user.name}")


def take_back(bridge: Bridge, user: User) -> datetime:
    """Withdraw a user's newest adapter, and return when it was made. Raises SetupError if there is none."""
    when = bridge.store.lessons.withdraw_prior(user.id, version(bridge))
    if when is None:
        raise SetupError(f"{user.name} has no adapter: bridge llm personalise --user {user.name} --model FOLDER")
    return when
