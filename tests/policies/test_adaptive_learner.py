"""The learner hears many answers at once, which is held against hearing them one by one."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from policies.adaptive.learner import BLOCK, POINTS, SIZE, Asked, Learner, _rows, fresh


def one_by_one(learner: Learner, asked: Asked, taken: bool, days: float) -> Learner:
    """Hear an answer after some days by assumed density filtering, without any shortcut and in double precision."""
    known = learner.of
    left = np.exp(-days / known.lasting)[:, None]
    mean = left * learner.mean + (1 - left) * known.prior
    cov = learner.cov * left[..., None] ** 2 + ((1 - left**2) * known.spread)[:, :, None] * np.eye(SIZE)
    row = _rows([asked])[0].astype(float)
    shared = cov @ row
    variance = shared @ row
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    weights = weights / weights.sum()
    likely = known.seen[:, None] / (1 + np.exp(-((mean @ row)[:, None] + np.sqrt(variance)[:, None] * points)))
    likely = likely if taken else 1 - likely
    total = likely @ weights
    first = likely @ (weights * points) / total
    second = likely @ (weights * points**2) / total - first**2
    gain = shared / np.sqrt(variance)[:, None]
    return replace(
        learner,
        mean=mean + gain * first[:, None],
        cov=cov - gain[:, :, None] * gain[:, None, :] * (1 - second)[:, None, None],
        logs=learner.logs + np.log(total),
    )


@pytest.mark.parametrize("seed", range(6))
def test_many_answers_at_once_are_heard_as_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.choice([1, 2, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
    asked = [
        Asked(rng.randrange(10), rng.randrange(4), rng.randrange(7), rng.gauss(0, 2), rng.random(), rng.gauss(0, 1))
        for _ in range(count)
    ]
    taken = [rng.random() < 0.4 for _ in range(count)]
    days = [rng.choice([0.0, 0.25, 1.0, 20.0, 3000.0]) for _ in range(count)]
    plain = fresh(planner=seed % 2 == 0)
    plain, fast = replace(plain, cov=plain.cov.astype(float)), plain.hear_all(asked, taken, days)
    for one, given, before in zip(asked, taken, days, strict=True):
        plain = one_by_one(plain, one, given, before)
    np.testing.assert_allclose(fast.mean, plain.mean, atol=2e-3)
    np.testing.assert_allclose(fast.cov, plain.cov, atol=2e-3)
    np.testing.assert_allclose(fast.weights(), plain.weights(), atol=2e-3)
    assert np.abs(plain.mean - fresh(planner=seed % 2 == 0).mean).max() > 0.02  # there was something to hear
