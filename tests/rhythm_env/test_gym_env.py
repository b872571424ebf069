"""The Gymnasium environments keep Gymnasium's contract and tell the simulator's story."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rhythm_env.gym_env import SIZE, RhythmEnv, RhythmVectorEnv, observation_space
from rhythm_env.week import begin


def test_the_environment_passes_the_checker() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(RhythmEnv(), skip_render_check=True)


def week(env: RhythmEnv, **options: Any) -> list[tuple[np.ndarray, float]]:
    env.reset(seed=4, options=options)
    return [env.step(step % 10)[:2] for step in range(28)]  # type: ignore[misc]


def test_a_seed_is_a_week_and_a_person_can_be_chosen() -> None:
    first, second = week(RhythmEnv()), week(RhythmEnv())
    assert all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(first, second, strict=True))
    chosen = week(RhythmEnv(), person=77)
    weeks = begin([77])
    for step in range(27):
        assert weeks.advance(np.array([step % 10]))[0] == chosen[step][1]


def test_who_the_person_was_is_told_at_the_end_only() -> None:
    env = RhythmEnv(render_mode="ansi")
    env.reset(seed=1)
    assert str(env.render()).startswith("step  0 V=0.70")
    for step in range(28):
        seen, _, done, truncated, info = env.step(step % 10)
        assert env.observation_space.contains(seen)
        assert not truncated
        assert done == (step == 27)
        assert bool(info) == done
    assert set(info) == {"final_score", "profile", "belief_target"}
    with pytest.raises(ValueError, match="the week is over"):
        env.step(0)


def test_many_weeks_are_single_weeks_side_by_side() -> None:
    env = RhythmVectorEnv(8)
    seen, _ = env.reset(seed=3)
    assert seen.shape == (8, SIZE)
    for step in range(28):
        seen, rewards, done, truncated, info = env.step(np.full(8, step % 10))
        assert all(observation_space().contains(row) for row in seen)
        assert rewards.shape == (8,)
        assert done.all() == (step == 27)
        assert not truncated.any()
    assert info["final_score"].shape == (8,)
    seen, rewards, done, _, _ = env.step(np.zeros(8, dtype=int))  # begins the next weeks
    assert not done.any()
    assert not rewards.any()
    assert seen[:, 0] == pytest.approx(0.7)
