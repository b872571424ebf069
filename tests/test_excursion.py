"""Effects of advice: right where the truth is known, silent where there is none or too little to go by."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from bridge.advice.excursion import Effect, Point, effect, missing

DAYS, SLOTS = 42, 3


def people(
    seed: int, n: int, true: float, *, binary: bool = False, moderated: float = 0.0, by_day: bool = False
) -> list[Point]:
    """Advice with a chance that hangs on the hour, an outcome that hangs on a mood nobody sees, and on the advice."""
    rng, found = np.random.default_rng(seed), []
    for person in range(n):
        usual, mood = rng.normal(0, 0.5), 0.0
        for step in range(DAYS * SLOTS):
            slot = step % SLOTS
            mood = 0.5 * mood + rng.normal(0, 0.5)
            chance = 0.85 if mood > 0 else 0.7  # advice follows the mood: a plain difference of means is wrong
            given = rng.random() < chance
            dose = float(slot == 2)
            size = true + moderated * dose
            if binary:
                rate = min(0.3 * exp(0.2 * (usual + mood)) * (exp(size) if given else 1.0), 0.95)
                outcome = float(rng.random() < rate)
            else:
                outcome = usual + mood + 0.3 * slot + size * given + rng.normal(0, 1)
            cluster = f"{person}/{step // SLOTS}" if by_day else str(person)
            moderators = (dose,) if moderated else ()
            found.append(
                Point(cluster=cluster, given=bool(given), chance=chance, outcome=outcome, moderators=moderators)
            )
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("true", "binary"), [(0.4, False), (0.0, False), (0.35, True), (0.0, True)])
def test_the_intervals_hold_as_often_as_they_say(true: float, binary: bool) -> None:
    inside, estimates, runs = 0, [], 120
    for seed in range(runs):
        found = effect(people(seed, 24, true, binary=binary), binary=binary)
        assert found is not None
        low, high = found.ci95[0]
        inside += low <= true <= high
        estimates.append(found.estimates[0])
    assert 0.90 <= inside / runs <= 1.0  # two standard errors of 120 runs about 95 %
    assert float(np.mean(estimates)) == pytest.approx(true, abs=0.03)


def test_one_person_is_told_from_their_days() -> None:
    inside = 0
    for seed in range(120):
        found = effect(people(seed, 1, 0.5, by_day=True))
        assert found is not None
        inside += found.ci95[0][0] <= 0.5 <= found.ci95[0][1]
    assert inside >= 108


def test_what_the_effect_hangs_on_is_told() -> None:
    found = effect(people(3, 60, 0.2, moderated=0.5))
    assert found is not None
    assert found.estimates == pytest.approx((0.2 + 0.5 / 3, 0.5), abs=0.15)  # one slot in three moderates
    assert found.told


def test_without_controls_it_is_the_difference_of_weighted_means() -> None:
    points = people(5, 30, 0.4)
    found = effect(points)
    assert found is not None
    rows = [(one.given, (1 / one.chance if one.given else 1 / (1 - one.chance)), one.outcome) for one in points]

    def mean(way: bool) -> float:
        return sum(w * y for given, w, y in rows if given is way) / sum(w for given, w, _ in rows if given is way)

    assert found.estimates[0] == pytest.approx(mean(True) - mean(False), abs=1e-9)


def test_without_controls_it_is_the_logarithm_of_the_ratio_of_shares() -> None:
    points = [
        Point(cluster=str(at), given=at % 2 == 0, chance=0.5, outcome=float(at % 6 in (0, 2, 3))) for at in range(120)
    ]
    found = effect(points, binary=True)
    assert found is not None
    assert found.estimates[0] == pytest.approx(log((2 / 3) / (1 / 3)), abs=1e-6)


def test_too_little_is_said_and_how_much_more_it_takes() -> None:
    few = people(1, 1, 0.5, by_day=True)[:20]
    assert effect(few) is None
    assert missing(few) > 0
    assert missing(people(1, 30, 0.5)) == 0
    with pytest.raises(ValueError, match="drawn"):
        effect([Point(cluster="a", given=True, chance=1.0, outcome=0.0)])
    assert isinstance(effect(people(1, 30, 0.5)), Effect)
