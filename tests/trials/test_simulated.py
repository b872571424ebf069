"""The intervals and the promise of power hold over made-up nights. ``lab.benchmarks.trials`` measures more of them."""

from __future__ import annotations

import pytest

from lab.benchmarks.trials import LARGE, NONE, PROMISED, SMALL, measure

TRIALS = 400


@pytest.mark.parametrize("size", [NONE, SMALL, LARGE])
def test_intervals_hold_as_often_as_they_say(size: str) -> None:
    found = measure(size, TRIALS)
    assert found.told > 0.95 * TRIALS
    assert 0.92 < found.held / found.told < 0.98  # three standard errors of 400 trials


def test_the_promised_power_is_kept() -> None:
    found = measure(PROMISED, TRIALS)
    assert 0.74 < found.claimed / found.told < 0.86
