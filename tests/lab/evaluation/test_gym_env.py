"""The Gymnasium environments keep Gymnasium's contract and tell the simulator's story."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lab.environments.gym_env import SIZE, RhythmEnv, RhythmVectorEnv, observation_space
from lab.evaluation.week import begin


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


@pytest.mark.parametrize("seed", [7, np.int64(7), [1, 2], [5, None]])
def test_any_seed_is_heard_and_without_one_chance_goes_on(seed: Any) -> None:
    env, other = RhythmVectorEnv(4), RhythmVectorEnv(4)

    def after(env: RhythmVectorEnv, seed: Any) -> list[float]:
        env.reset(seed=seed)
        return [float(x) for _ in range(3) for x in env.step(np.full(4, 5))[1]]

    first, second = (after(env, one) for one in (seed, None))
    assert first != second
    assert (first, second) == (after(other, seed), after(other, None)) == (after(env, seed), after(env, None))


def test_out_of_distribution_nobody_is_met_who_is_trained_on() -> None:
    env = RhythmEnv(condition="ood")
    env.reset(seed=4, options={"person": 77})
    alone = begin([10_077], "ood")
    for same in (begin([77], "ood"), begin([10_077])):
        assert np.array_equal(alone.people.weights, same.people.weights)
        assert np.array_equal(alone.events, same.events)
    assert all(env.step(n)[1] == alone.advance(np.array([n]))[0] for n in range(10))
    trained, many = RhythmVectorEnv(50), RhythmVectorEnv(50, condition="ood")
    met = []
    for weeks in (trained, many):
        weeks.reset(seed=3)
        told = [weeks.step(np.full(50, 3)) for _ in range(28)][-1][4]["belief_target"]
        met.append({tuple(one) for one in told.T})
    assert not met[0] & met[1]
    with pytest.raises(ValueError, match="shifted"):
        RhythmEnv(condition="oodd").reset()


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
