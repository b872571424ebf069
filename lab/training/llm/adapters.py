"""Tune the language model to a user and write the attempt down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from bridge.advice.adapters import answered_advice, attempts, enough, version
from bridge.domain.records import Prior, User
from bridge.domain.rendering import for_person
from bridge.installation import Bridge
from rhythm_env.interface import Answer, observation_from_json

Step = Callable[[int, int], None]


def make(
    bridge: Bridge, user: User, *, now: datetime, base: Path, threads: int, on_step: Step, options: dict[str, Any]
) -> Prior:
    """Tune, try, and write the attempt down. Raises SetupError where there is too little, ImportError without torch."""
    from lab.training.llm.model import facts_of
    from lab.training.llm.personal import row
    from lab.training.llm.tuning import Course, tune

    tokens = facts_of(base).tokens
    pairs = answered_advice(bridge, user, now)
    enough(bridge, user, [one for one, _ in pairs], now)
    rows = [
        row(
            observation_from_json(advice.observation),
            reasons=tuple(for_person(advice.facts)),
            belief=advice.belief,
            action=advice.action,
            taken=answered.answer is Answer.ACCEPT,
            tokens=tokens,
        )
        for answered, advice in pairs
    ]
    name = f"u{user.id}-v{1 + len(attempts(bridge, user))}"
    found = tune(rows, Course(base=base, out=bridge.settings.adapters / name, threads=threads, **options), on_step)
    made = Prior(
        policy=version(bridge),
        made_at=now,
        body={"adapter": name, "through": pairs[-1][0].at.isoformat()},
        **found,
    )
    bridge.store.lessons.add_prior(user.id, made)
    return made
