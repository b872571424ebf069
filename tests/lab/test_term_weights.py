"""Weights of the day's terms are found again in answers that were drawn by them, with what each is worth."""

from __future__ import annotations

import numpy as np
import pytest

from lab.plans.term_weights import TERMS, lived, told

PEOPLE, ANSWERS = 20, 60


def test_the_weights_that_drew_the_answers_are_fitted_and_leaving_out_a_term_costs_only_where_it_counts() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(PEOPLE * ANSWERS, len(TERMS)))
    true = np.array([1.0, 0.5, 0.0, -0.5])
    taken = rng.random(len(rows)) < 1 / (1 + np.exp(-rows @ true))
    found = told(rows, taken, np.repeat(np.arange(PEOPLE), ANSWERS), again=10)
    assert [one["term"] for one in found] == list(TERMS)
    fitted = [float(one["fitted"].split()[0]) for one in found]
    np.testing.assert_allclose(fitted, true, atol=0.2)
    costs = [float(one["left out costs"].split()[0]) for one in found]
    assert costs[0] > costs[1] > 0.005 > abs(costs[2])
    assert costs[3] > 0.005


@pytest.mark.slow
def test_a_person_of_a_world_yields_the_terms_of_every_piece_of_advice() -> None:
    rows, taken = lived("habits", 0, 1)
    assert len(rows) == len(taken) > 14
    usual_hour = [row[TERMS.index("usual_hour")] for row in rows]
    assert 0 < sum(usual_hour) < len(rows)
    assert all(abs(row[0]) <= 0.5 for row in rows)
