"""The chances that are kept with a choice are those of the action after the day's facts were added."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from bridge.day.routine import learn_routine
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneSpan
from bridge.domain.wishes import Wishes
from bridge.planning.choice import as_wished
from bridge.planning.situation import Situation
from rhythm_env.interface import ActionType, Belief, Decision

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
LEARN, EXERCISE, MEDITATE = ActionType.LEARN, ActionType.EXERCISE, ActionType.MEDITATE


def test_the_kept_chances_are_those_of_all_draws() -> None:
    zones = (ZoneSpan(since=datetime(1970, 1, 1, tzinfo=UTC), zone="UTC"),)
    known = Snapshot(at=NOW, zones=zones, samples=[], episodes=[], agenda=[], tasks=[], interactions=[], proxies=None)
    wishes = Wishes(goals={EXERCISE: 3})
    situation = Situation(known=known, now=NOW, routine=learn_routine(known), wishes=wishes)
    scores, chances = {LEARN: 0.9, EXERCISE: 0.6, MEDITATE: 0.5}, {LEARN: 0.5, EXERCISE: 0.2, MEDITATE: 0.3}
    rng, counts = Random(1), dict.fromkeys(scores, 0)
    for _ in range(4000):
        drawn = rng.choices(list(chances), weights=list(chances.values()))[0]
        found = as_wished(Decision(action=drawn, belief=Belief(), scores=scores, probabilities=chances), situation)
        counts[found.action] += 1
        assert sum(found.probabilities.values()) == pytest.approx(1)
    assert {action: count / 4000 for action, count in counts.items()} == pytest.approx(found.probabilities, abs=0.03)
