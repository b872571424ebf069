"""The information that a plan is expected to give, against the planner's knowledge afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from lab.evaluation.week import observation
from policies.planner.inference import infer
from policies.planner.plans import LOOK_AT, informed
from rhythm_env.profiles import belief_target
from tests.policies.test_planner import VARIED, lived, number

MANY = range(60)


def errors(*actions: str) -> float:
    """The mean error of the belief about company after these slots."""
    weeks = lived(MANY, actions)
    stated = [infer(observation(weeks, i)).belief()[0][0] for i in MANY]
    return float(np.abs(np.array(stated) - belief_target(weeks.people)[0]).mean())


def test_exercise_tells_what_company_alone_leaves_open() -> None:
    """Idle hours take from the serenity of company; of exercise they are all there is."""
    without, beside = VARIED, tuple("EXERCISE" if action == "BINGE_WATCH" else action for action in VARIED)
    plans = np.array([[number(action) for action in each] for each in (without, beside)]).T
    expected = np.diff(informed(plans, 0, ()))[0] * 3 / LOOK_AT[7]
    assert errors(*without) - errors(*beside) == pytest.approx(expected, abs=0.015)
    assert expected > 0.04
