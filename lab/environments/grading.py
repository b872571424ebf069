"""The reward of a step, the two published grades of a week, and the mean level, which is our main measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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

Array = NDArray[np.float64]


def step_reward(deltas: Array, after: Array, weights: Array) -> Array:
    """Return the reward (n,) of a step from the meters' changes ``deltas`` and levels ``after``, both (5, n).

    It is the change weighted by the persons' ``weights`` (5, n), times REWARD_SCALE, plus shares of the changes of
    progress and connection, less CRASH_PENALTY if any meter is below CRASH_LEVEL.
    """
    felt = np.einsum("mn,mn->n", weights, deltas) * REWARD_SCALE
    bias = PROGRESS_BIAS * deltas[P] + CONNECTION_BIAS * deltas[N]
    return np.asarray(felt + bias - CRASH_PENALTY * (after < CRASH_LEVEL).any(axis=0))


def terminal_reward(final_score: Array) -> Array:
    """Return TERMINAL_SCALE * (final_score - 0.5), the reward (n,) added on the last step, which no grade includes."""
    return TERMINAL_SCALE * (final_score - 0.5)


def components(levels: Array, rewards: Array, accuracy: Array | float = 0.0) -> dict[str, Array]:
    """Return the parts (n,) of the grade of a week by the names of ``GRADE_V2``, each 0..1.

    ``levels`` (28, 5, n) are the meters after each step, ``rewards`` (28, n) exclude the terminal reward, and
    ``accuracy`` is that of the belief.
    """
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
    """Return the first published grade (n,), 0..1, from ``components``. It leaves out the belief's accuracy."""
    return _weighted(parts, GRADE_V1)


def grade_v2(parts: dict[str, Array]) -> Array:
    """Return the second published grade (n,), 0..1, from ``components``. It includes the belief's accuracy."""
    return _weighted(parts, GRADE_V2)


def _weighted(parts: dict[str, Array], weights: dict[str, float]) -> Array:
    return np.asarray(sum(share * parts[name] for name, share in weights.items()))


def belief_mae(belief: Array, target: Array) -> Array:
    """Return the mean absolute error (n,) of beliefs (3, n) against the true beliefs ``target`` (3, n)."""
    return np.asarray(np.abs(belief - target).mean(axis=0))


def mean_level(levels: Array, weights: Array) -> Array:
    """Return the mean level (n,) of the meters over a week, weighted by the persons' weights (5, n).

    ``levels`` (28, 5, n) are the meters after each step. A sum of changes would only reflect the last levels.
    """
    return np.asarray(np.einsum("tmn,mn->n", levels, weights) / STEPS)
