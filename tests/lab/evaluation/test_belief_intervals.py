"""What the default policy states about simulated people after four weeks: intervals that hold, and tell something."""

from __future__ import annotations

from bridge.domain.guard import Guard
from lab.evaluation.deployed import Life
from lab.evaluation.guarded import Guarded
from lab.evaluation.trials import NINETY
from lab.evaluation.worlds import WORLDS
from policies.adaptive import Adaptive
from policies.adaptive.advice import STRANGER_SD
from rhythm_env.profiles import belief_target

LIVES, WEEKS = range(600, 604), 4


def stated(world: str, seed: int, weeks: int = WEEKS) -> list[tuple[float, float, float]]:
    """Mean, standard deviation and truth of each trait after some weeks of answers, without a band."""
    policy = Guarded(Adaptive(), Guard())
    life = Life(seed, answers_by=WORLDS[world], gives=policy.gives, recorded=False)
    *_, last = life.live(policy, weeks)
    assert last.decision.belief_sd is not None
    truth = belief_target(life.person)[:, 0].tolist()
    return list(zip(last.decision.belief.vector(), last.decision.belief_sd, truth, strict=True))


def test_intervals_hold_their_people_and_are_narrower_than_for_strangers() -> None:
    found = [one for seed in LIVES for one in stated("simulated", seed)]
    held = sum(abs(mean - truth) <= NINETY * sd for mean, sd, truth in found) / len(found)
    assert held >= 8 / 12  # what 99 of 100 such dozens do at 90 %
    assert sum(sd for _, sd, _ in found) / len(found) < 0.25
    assert min(sd for _, sd, _ in found) < 0.23


def test_nothing_is_believed_of_people_who_take_far_more_than_foretold() -> None:
    assert all(sd >= STRANGER_SD for _, sd, _ in stated("eager", 600, weeks=3))
