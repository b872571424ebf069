"""What a step is worth and what a week was: the published reward and grades, and a headline that cannot be gamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rhythm_env.constants import (
    ADAPTED_BY,
    CONNECTION_BIAS,
    CRASH_LEVEL,
    CRASH_PENALTY,
    EFFICIENCY_FLOOR,
    EFFICIENCY_SPAN,
    GRADE_V1,
    GRADE_V2,
    METERS,
    PROGRESS_BIAS,
    QUALITY_FLOOR,
    QUALITY_SPAN,
    REWARD_SCALE,
    STEPS,
    TERMINAL_SCALE,
)
from rhythm_env.dynamics import N, P

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def step_reward(deltas: Array, after: Array, weights: Array) -> Array:
    """(n,): the person's weighted change, a bias everybody has towards progress and company, less what crashed."""
    import numpy as np

    felt = np.einsum("mn,mn->n", weights, deltas) * REWARD_SCALE
    bias = PROGRESS_BIAS * deltas[P] + CONNECTION_BIAS * deltas[N]
    return np.asarray(felt + bias - CRASH_PENALTY * (after < CRASH_LEVEL).any(axis=0))


def terminal_reward(final_score: Array) -> Array:
    """Added on the last step, after the score was made, so that it feeds no component of it."""
    return TERMINAL_SCALE * (final_score - 0.5)


def components(levels: Array, rewards: Array, accuracy: Array | float = 0.0) -> dict[str, Array]:
    """name -> (n,) in 0..1. ``levels``: (28, 5, n) after each step; ``rewards``: (28, n) without the terminal part."""
    import numpy as np

    half = STEPS // 2
    early, late = rewards[:half].mean(axis=0), rewards[half:].mean(axis=0)
    improved = np.clip((late - early) / ADAPTED_BY, 0.0, 1.0)
    crashes = (levels < CRASH_LEVEL).sum(axis=(0, 1))
    return {
        "crash_free": 1 - crashes / (STEPS * METERS),
        "progress": levels[-1, P],
        "connection": levels[-1, N],
        "adaptation": improved * np.clip((late + QUALITY_FLOOR) / QUALITY_SPAN, 0.0, 1.0),
        "efficiency": np.clip((rewards.mean(axis=0) + EFFICIENCY_FLOOR) / EFFICIENCY_SPAN, 0.0, 1.0),
        "belief_accuracy": np.broadcast_to(np.asarray(accuracy, dtype=float), crashes.shape),
    }


def grade_v1(parts: dict[str, Array]) -> Array:
    return _weighted(parts, GRADE_V1)


def grade_v2(parts: dict[str, Array]) -> Array:
    return _weighted(parts, GRADE_V2)


def _weighted(parts: dict[str, Array], weights: dict[str, float]) -> Array:
    import numpy as np

    return np.asarray(sum(share * parts[name] for name, share in weights.items()))


def belief_mae(belief: Array, target: Array) -> Array:
    """(n,): mean absolute error over the three dimensions."""
    import numpy as np

    return np.asarray(np.abs(belief - target).mean(axis=0))


def mean_level(levels: Array, weights: Array) -> Array:
    """(n,): how good the week was to live, by the person's own weights; summed changes would only say how it ended."""
    import numpy as np

    return np.asarray(np.einsum("tmn,mn->n", levels, weights) / STEPS)
