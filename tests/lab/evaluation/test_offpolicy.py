"""Off-policy estimates against people whose answers are known: right on average, honest about how sure they are."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from lab.evaluation.offpolicy import ENOUGH, Logged, estimate, model, was_drawn
from lab.evaluation.simulated_logs import simulated, wanted
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Meter, MeterState, Observation, Slot

WELL = {meter: MeterState(level=0.6, sd=0.1) for meter in Meter}
SHARE = 0.5


def liking(slot: Slot, action: int) -> float:
    """The chance that anybody of this test accepts."""
    return 0.15 + 0.7 * ((action + 3 * int(slot)) % 10) / 9


def answered(people: int, rng: random.Random, *, share: float = SHARE) -> Iterator[Logged]:
    """Advice by a policy that says DEEP_WORK and tries other things."""
    for person in range(people):
        moody = rng.uniform(-0.1, 0.1)
        for step in range(20):
            slot = Slot(step % 3)
            chances = tuple((1 - share) * (at == 0) + share / 10 for at in range(10))
            at = rng.choices(range(10), chances)[0]
            accepts = rng.random() < liking(slot, at) + moody
            yield Logged(
                cluster=str(person),
                observation=Observation(timestep=step, day=0, slot=slot, meters=WELL),
                action=ACTIONS[at],
                chances=chances,
                reward=1.0 if accepts else -1.0,
            )


def truth(logged: list[Logged], chosen: np.ndarray) -> float:
    expected = [[2 * liking(one.observation.slot, at) - 1 for at in range(10)] for one in logged]
    return float((chosen * np.array(expected)).sum(axis=1).mean())


def always(logged: list[Logged], at: int) -> np.ndarray:
    chosen = np.zeros((len(logged), 10))
    chosen[:, at] = 1.0
    return chosen


def test_the_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    inside, missed = Counter[str](), defaultdict[str, list[float]](list)
    for seed in range(24):
        logged = list(answered(70, random.Random(seed)))
        chosen = always(logged, 7)
        found, true = estimate(logged, chosen), truth(logged, chosen)
        for way in ("ips", "snips", "dr"):
            low, high = found[way]["ci95"]
            inside[way] += low <= true <= high
            missed[way].append(found[way]["mean"] - true)
    assert min(inside.values()) >= 20  # 23 expected
    assert max(abs(float(np.mean(values))) for values in missed.values()) < 0.06


def test_a_model_of_answers_makes_it_surer() -> None:
    logged = list(answered(60, random.Random(5)))
    liked = np.zeros((len(logged), 10))
    for at, one in enumerate(logged):
        liked[at, max(range(10), key=lambda action, one=one: liking(one.observation.slot, action))] = 1.0  # type: ignore[misc]
    found = estimate(logged, liked)
    width = {way: found[way]["ci95"][1] - found[way]["ci95"][0] for way in ("ips", "dr")}
    assert width["dr"] < 0.9 * width["ips"]
    low, high = found["dr"]["ci95"]
    assert low <= truth(logged, liked) <= high


def test_a_wrong_model_does_not_make_it_wrong() -> None:
    missed = []
    for seed in range(12):
        logged = list(answered(60, random.Random(seed)))
        chosen = always(logged, 7)
        found = estimate(logged, chosen, modelled=np.full((len(logged), 10), -0.9))
        missed.append(found["dr"]["mean"] - truth(logged, chosen))
    assert abs(float(np.mean(missed))) < 0.06


def test_what_was_never_possible_is_not_judged() -> None:
    logged = [one for one in answered(10, random.Random(1), share=0.0) if not was_drawn(one)]
    assert len(logged) == 200
    found = estimate(logged, always(logged, 7))
    assert (found["support"], found["ips"], found["dr"]) == (0.0, None, None)
    rare = list(answered(1, random.Random(1)))
    assert estimate(rare, always(rare, 7))["effective"] < ENOUGH
    assert estimate(rare, always(rare, 7))["snips"] is None


def test_the_model_of_answers_never_saw_the_answer_it_supposes() -> None:
    logged = list(answered(10, random.Random(2)))
    turned = [
        one if one.cluster != "3" else Logged(**{n: getattr(one, n) for n in one.__slots__} | {"reward": -one.reward})
        for one in logged
    ]
    mine = [at for at, one in enumerate(logged) if one.cluster == "3"]
    assert np.array_equal(model(logged)[mine], model(turned)[mine])


def test_simulated_people_answer_as_their_truth_says() -> None:
    from lab.policies.random import open_policy

    log = simulated(open_policy, range(4), weeks=1)
    assert len(log.logged) == 4 * 28
    chosen = wanted(log.logged, open_policy)
    assert chosen.sum(axis=1) == pytest.approx(np.ones(len(log.logged)))
    assert np.all(np.abs(log.truth) <= 1)
    taken = [ACTIONS.index(one.action) for one in log.logged]
    expected = log.truth[np.arange(len(taken)), taken].mean()
    assert float(np.mean([one.reward for one in log.logged])) == pytest.approx(float(expected), abs=0.25)
    assert isinstance(log.logged[0].action, ActionType)


@pytest.mark.slow
def test_of_simulated_people_the_truth_lies_within_the_interval() -> None:
    from lab.policies.random import open_policy
    from policies.heuristic import open_policy as plain

    log = simulated(open_policy, range(12), weeks=1)
    chosen = wanted(log.logged, plain)
    true = float((chosen * log.truth).sum(axis=1).mean())
    found = estimate(log.logged, chosen)
    for way in ("ips", "snips", "dr"):
        low, high = found[way]["ci95"]
        assert low <= true <= high
        assert high - low < 1.1


def test_advice_that_was_never_drawn_is_left_out_of_the_log() -> None:
    from policies.heuristic import open_policy

    assert simulated(open_policy, range(2), weeks=1).logged == []
