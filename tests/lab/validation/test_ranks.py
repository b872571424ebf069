"""Rank correlation against examples worked by hand, intervals, and shifts."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.advice.intervals import student
from lab.validation import ranks


def test_ties_share_the_mean_of_their_ranks() -> None:
    assert ranks.ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist() == [2.5, 1.0, 2.5, 4.0]


def test_spearman_with_ties_by_hand() -> None:
    # ranks 1, 2.5, 2.5, 4 against 2, 1, 4, 3: covariance 1.75 by sums, lengths sqrt(4.5) and sqrt(5)
    x, y = np.array([1.0, 2.0, 2.0, 3.0]), np.array([20.0, 10.0, 40.0, 30.0])
    assert ranks.spearman(x, y) == pytest.approx(1.5 / (4.5 * 5) ** 0.5)


def test_a_monotone_relation_is_one_however_bent() -> None:
    x = np.arange(1.0, 30.0)
    assert ranks.spearman(x, np.exp(x)) == pytest.approx(1)
    assert ranks.spearman(x, -(x**3)) == pytest.approx(-1)


def test_what_never_changes_has_no_correlation() -> None:
    assert ranks.spearman(np.ones(5), np.arange(5.0)) is None


def test_shifts_are_the_correlations_of_turned_reports() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=24), rng.integers(1, 5, 24).astype(float)
    expected = [ranks.spearman(x, np.roll(y, -k)) for k in range(7, 18)]
    assert ranks.shifted(x, y) == pytest.approx(expected)


def test_unrelated_days_give_a_null_about_zero() -> None:
    rng = np.random.default_rng(5)
    means = ranks.null_means([ranks.shifted(rng.normal(size=60), rng.normal(size=60)) for _ in range(20)])
    low, high = np.quantile(means, (0.025, 0.975))
    assert low < 0 < high
    assert len(means) >= 200
    assert abs(means.mean()) < 0.03


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (33, 2.035)])
def test_students_quantile(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=0.02)


def test_an_interval_by_hand() -> None:
    assert ranks.interval([0.1, 0.2, 0.3]) == pytest.approx([0.2 - 0.2484, 0.2 + 0.2484], abs=1e-3)
    assert ranks.interval([0.1]) == [None, None]
