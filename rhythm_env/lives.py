"""Play a policy in deployed mode over many lives, and say what came of it: what a person takes, and how they live."""

from __future__ import annotations

from typing import Any

from rhythm_env.deployed import Life, Slice
from rhythm_env.evaluation import OnStep, seeds_of, skills, summary, unwatched
from rhythm_env.interface import Answer, Policy
from rhythm_env.profiles import belief_target

WEEKS = 2  # of a life
LOOKS = (8, 28, 55)  # slots of a life whose belief is looked at: as many answers are known by then


def evaluate_deployed(
    policy: Policy, condition: str, lives: int, *, validity: float | None = None, on_step: OnStep = unwatched
) -> dict[str, Any]:
    """Accepted share, mean weighted level of the hidden meters, and the belief's skill after so many answers.

    ``validity``: the correlation of nights and stress with the truth; None: each life's own, from 0.1 to 0.5.
    """
    import numpy as np

    lived, weights, targets = [], [], []
    for done, seed in enumerate(seeds_of(condition, lives), start=1):
        life = Life(seed, condition, validity)
        lived.append(list(life.live(policy, WEEKS)))
        weights.append(life.person.weights[:, 0])
        targets.append(belief_target(life.person)[:, 0])
        on_step(done, lives)
    levels = [np.mean([w @ list(one.after.values()) for one in life]) for w, life in zip(weights, lived, strict=True)]
    taken = [np.mean([one.answer is Answer.ACCEPT for one in life]) for life in lived]
    return {
        "policy": policy.name,
        "condition": condition,
        "lives": lives,
        "weeks": WEEKS,
        "validity": validity,
        "accepted": summary(np.array(taken)),
        "mean_level": summary(np.array(levels)),
        "belief_skill_at": _skills(lived, np.array(targets).T) if getattr(policy, "believes", True) else {},
    }


def _skills(lived: list[list[Slice]], target: Any) -> dict[str, Any]:
    import numpy as np

    stated = {slot: np.array([life[slot].decision.belief.vector() for life in lived]).T for slot in LOOKS}
    return {str(slot): skills(beliefs, target) for slot, beliefs in stated.items()}
