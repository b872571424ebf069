"""An observation of a simulated life with four pieces of advice a day, and a policy that has heard nothing of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import islice

from bridge import registry
from lab.evaluation.deployed import Life
from policies.adaptive import trust
from policies.planner import particle_filter
from rhythm_env.interface import Observation

A_SLOT = timedelta(hours=6)  # between two answers
POLICY = "adaptive"


def observed(answers: int) -> Observation:
    """Return an observation with so many answers, one a slot."""
    life = Life(3)
    weeks = answers // 28 + 2
    for _ in islice(life.live(registry.policy("random"), weeks), answers):
        pass
    last = next(life.live(registry.policy("random"), 1, first=weeks)).observation
    found = tuple(replace(one, at=life.answers[0].at + A_SLOT * n) for n, one in enumerate(life.answers[:answers]))
    return replace(last, history=found)


def forget() -> None:
    """Empty the caches of a process."""
    trust.SHARED, particle_filter.SHARED = trust.Listening(), particle_filter.Memory()
