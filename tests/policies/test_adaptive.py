"""The policy people are served: it follows the planner where that foretells a person, and their answers where not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.environments.dynamics import sampled, standing, utilities
from policies.adaptive import Adaptive
from policies.adaptive.advice import (
    LIKELY,
    LOSS,
    LOST,
    NO_PATTERN,
    STRANGER_SD,
    beyond_chance,
    counted,
    findings,
    say,
    weighed,
    worth,
)
from policies.adaptive.learner import Asked, Forecast, forecast, fresh
from policies.adaptive.trust import SHARED, Listening
from policies.planner.inference import prior
from policies.planner.population import KINDS, profiles
from rhythm_env.dynamics import ACTIONS, acceptance
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation, Slot, kind_of_slot
from rhythm_env.profiles import Profiles

MONDAY = datetime(2026, 1, 5, 6, tzinfo=UTC)
LEVELS = dict.fromkeys(Meter, 0.7)
METERS = {meter: MeterState(level=0.7, sd=0.2) for meter in Meter}


def history(taken: Callable[[ActionType, Slot], bool], answers: int, seed: int = 0) -> tuple[Interaction, ...]:
    """Answers to advice drawn by lot, three a day."""
    rng, found = random.Random(seed), []
    for number in range(answers):
        day, slot, action = number // 3, Slot(number % 3), rng.choice(ACTIONS)
        given = Answer.ACCEPT if taken(action, slot) else Answer.IGNORE
        at = MONDAY + timedelta(days=day, hours=6 * slot)
        found.append(Interaction(at=at, day=day % 7, slot=slot, levels=LEVELS, recommended=action, answer=given))
    return tuple(found)


def seen(answers: tuple[Interaction, ...], slot: Slot = Slot.MORNING) -> Observation:
    day = len(answers) // 3 % 7
    return Observation(timestep=day * 4 + int(slot), day=day, slot=slot, meters=METERS, history=answers)


def odd(action: ActionType, slot: Slot) -> bool:
    """Tastes that no supposed person has: the number of the action tells."""
    return (ACTIONS.index(action) + int(slot)) % 3 == 0


def told_apart(policy: Adaptive, observation: Observation) -> float:
    """By how much more likely what is liked is said to be taken."""
    liked = [policy.chance(observation, action) for action in ACTIONS if odd(action, observation.slot)]
    rest = [policy.chance(observation, action) for action in ACTIONS if not odd(action, observation.slot)]
    return float(np.mean(liked) - np.mean(rest))


def test_what_a_person_of_an_unknown_kind_takes_is_learnt_from_their_answers() -> None:
    observation = seen(history(odd, 84))
    policy = Adaptive()
    assert told_apart(policy, observation) > 0.25
    drawn = {policy.decide(observation, random.Random(seed)).action for seed in range(20)}
    assert all(odd(action, Slot.MORNING) for action in drawn)


def test_the_planner_loses_its_say_and_the_belief_its_certainty_where_answers_are_foretold_badly() -> None:
    observation = seen(history(odd, 84))
    policy, planner = Adaptive(), Adaptive()._planner
    mine, theirs = policy.decide(observation, random.Random(1)), planner.decide(observation, random.Random(1))
    heard = SHARED.heard(planner.posterior(observation).crowd, {})  # type: ignore[arg-type]
    assert counted(say(heard.known)) < 0.2
    assert mine.belief_sd is not None
    assert theirs.belief_sd is not None
    assert all(wider >= sure for wider, sure in zip(mine.belief_sd, theirs.belief_sd, strict=True))
    assert sum(mine.belief_sd) > sum(theirs.belief_sd) + 0.05
    assert mine.reasons[0] == NO_PATTERN


def patterns(observation: Observation) -> list[str]:
    return list(findings(SHARED.heard(Adaptive()._crowd(observation), {})))  # type: ignore[arg-type]


def test_what_stands_out_is_said_with_its_evidence() -> None:
    said = patterns(seen(history(odd, 84)))
    assert said
    for sentence in said:
        assert sentence.startswith(("you often take", "you hardly ever take"))
        assert sentence.endswith(")")
        assert " of " in sentence
    silent = history(lambda _action, _slot: random.Random(3).random() < 0.5, 9)
    assert patterns(seen(silent)) == []


def test_a_forecast_that_comes_true_is_trusted_and_one_that_does_not_is_not() -> None:
    right, wrong, rng = fresh(), fresh(), random.Random(2)
    for _ in range(60):
        logit = rng.gauss(0, 1.5)
        asked = Asked(rng.randrange(10), rng.randrange(3), 0, logit, 0.0)
        taken = rng.random() < 1 / (1 + np.exp(-logit))
        right, wrong = right.hear(asked, taken=taken), wrong.hear(asked, taken=rng.random() < 0.4)
    assert say(right) > 0.7
    assert say(wrong) < 0.3


def test_chances_agree_with_the_share_that_is_taken() -> None:
    learner, rng = fresh(planner=False), random.Random(4)
    for _ in range(200):
        learner = learner.hear(Asked(0, 0, 0, 0.0, 0.0), taken=rng.random() < 0.8)
    found = forecast(learner, [Asked(0, 0, 0, 0.0, 0.0), Asked(1, 0, 0, 0.0, 0.0)])
    assert found.taken()[0] == pytest.approx(0.8, abs=0.06)
    assert found.spread()[0] < found.spread()[1]


def test_ignored_because_it_was_not_seen_is_told_from_refused() -> None:
    """However certain the planner is of advice, it is never taken more often than four times in ten."""
    learner, rng = fresh(), random.Random(5)
    for _ in range(200):
        logit = rng.gauss(0, 3)
        taken = rng.random() < 0.45 / (1 + np.exp(-logit))
        learner = learner.hear(Asked(rng.randrange(10), rng.randrange(3), 0, logit, 0.0), taken=taken)
    unseen = learner.weights()[learner.of.seen < 1].sum()
    assert unseen > 0.5


def test_a_taste_that_changed_is_forgotten() -> None:
    learner = fresh(planner=False)
    for week in range(8):
        for _ in range(10):
            learner = learner.hear(Asked(0, 0, 0, 0.0, 0.0), taken=week < 4)
        learner = learner.after(7.0)
    changing = learner.weights()[np.isfinite(learner.of.lasting)].sum()
    assert changing > 0.6
    assert forecast(learner, [Asked(0, 0, 0, 0.0, 0.0)]).taken()[0] < 0.4


def test_only_what_cannot_be_told_apart_is_drawn_and_within_bounds() -> None:
    observation = seen(history(odd, 60))
    shares = Adaptive().decide(observation, random.Random(1)).probabilities
    drawn = [share for share in shares.values() if share > 0]
    assert len(drawn) in (1, 2)
    assert sum(drawn) == pytest.approx(1)
    assert drawn == [1.0] or all(LIKELY[0] <= share <= LIKELY[1] for share in drawn)


def contrary(policy: Adaptive, answers: int) -> tuple[Interaction, ...]:
    """Every piece of advice is answered against the forecast."""
    found: tuple[Interaction, ...] = ()
    for one in history(odd, answers):
        likely = policy.chance(seen(found), one.recommended) > 0.5
        found = (*found, replace(one, answer=Answer.IGNORE if likely else Answer.ACCEPT))
    return found


def test_who_is_foretold_worse_than_by_a_constant_is_advised_without_suppositions() -> None:
    policy = Adaptive()
    answers = contrary(policy, 60)
    decision = policy.decide(seen(answers), random.Random(1))
    assert decision.by == "shared_arms"
    assert decision.reasons[0] == LOST
    assert decision.belief_sd is not None
    assert min(decision.belief_sd) * 1.645 > 0.5
    assert policy.decide(seen(answers[:24]), random.Random(1)).by == ""
    assert policy.decide(seen(history(odd, 84)), random.Random(1)).by == ""


def test_what_was_kept_changes_nothing() -> None:
    answers = history(odd, 70)
    warm = Listening()
    policy = Adaptive()
    for known in (20, 40, 69, 70):
        crowd = policy._crowd(seen(answers[:known]))
        assert crowd is not None
        mine, anew = warm.heard(crowd, {}), Listening().heard(crowd, {})
        np.testing.assert_allclose(mine.known.mean, anew.known.mean, rtol=1e-4, atol=1e-5)
        assert mine.lessons == anew.lessons


def test_a_persons_prior_remembers_their_answers() -> None:
    answers = history(odd, 84)
    policy = Adaptive()
    prior = json.loads(json.dumps(policy.learn(seen(answers))))
    later = Adaptive().personal(prior)
    nothing_since = seen(answers[-1:])
    assert told_apart(later, nothing_since) > 0.2 > told_apart(Adaptive(), nothing_since)
    assert later.decide(nothing_since, random.Random(1)).by.startswith("prior-2026")


def test_what_a_person_does_anyway_is_advised_before_the_first_answers() -> None:
    shown = {
        kind_of_slot(day, slot): {ActionType.MEDITATE: 12.0, ActionType.LEARN: 4.0} for day in (0, 6) for slot in Slot
    }
    known = replace(seen(()), routine=shown)
    usual, unusual = Adaptive(), Adaptive()
    assert usual.chance(known, ActionType.MEDITATE) > unusual.chance(seen(()), ActionType.MEDITATE) + 0.1
    assert usual.decide(known, random.Random(1)).action in (ActionType.MEDITATE, ActionType.LEARN)


def test_a_forecast_is_as_uncertain_as_its_models_disagree() -> None:
    apart = Forecast(np.array([[2.0], [-2.0]]), np.full((2, 1), 1e-6), np.array([0.5, 0.5]), np.zeros((2, 1, 1)))
    assert apart.taken()[0] == pytest.approx(0.5)
    assert apart.spread()[0] > 0.3
    assert patterns(seen(history(odd, 3))) == []


def test_chance_alone_is_not_called_a_pattern() -> None:
    called = 0
    for seed in range(60):
        rng = random.Random(seed)
        cells = {(action, slot): [rng.random() < 0.5 for _ in range(6)] for action in range(10) for slot in range(3)}
        called += bool(beyond_chance(cells))
    assert called <= 7  # 3 expected
    liked = {(action, slot): [(action + slot) % 3 == 0] * 6 for action in range(10) for slot in range(3)}
    assert {cell for cell, taken in beyond_chance(liked).items() if all(taken)} == {c for c in liked if sum(c) % 3 == 0}


def answered_to(policy: Adaptive, taken: Callable[[ActionType, Slot], bool], answers: int) -> Observation:
    """A person whose answers are to the advice that the policy gives, three a day."""
    rng, observation = random.Random(3), seen(())
    for number in range(answers):
        day, slot = number // 3, Slot(number % 3)
        here = replace(observation, timestep=day % 7 * 4 + int(slot), day=day % 7, slot=slot)
        action = policy.decide(here, rng).action
        given = Answer.ACCEPT if taken(action, slot) else Answer.IGNORE
        at = MONDAY + timedelta(days=day, hours=6 * slot)
        one = Interaction(at=at, day=day % 7, slot=slot, levels=LEVELS, recommended=action, answer=given)
        observation = replace(here, history=(*here.history, one))
    return observation


def relative(person: Profiles, action: ActionType, slot: Slot) -> NDArray[np.float64]:
    """How good the action is for a person with meters of 0.6, among all actions."""
    values = utilities(np.full((5, 1), 0.6), int(slot), person)[:, 0]
    return standing(values, ACTIONS)[ACTIONS.index(action)]


def worthwhile(action: ActionType, slot: Slot) -> bool:
    return bool(relative(profiles(prior().person()[:, None]), action, slot) > 0)


def test_who_refuses_what_is_good_is_found_out_by_a_handful_of_answers() -> None:
    def refusing(observation: Observation) -> float:
        crowd = Adaptive()._planner.posterior(observation).crowd
        assert crowd is not None
        return crowd.contrary()

    policy = Adaptive()
    contrary = answered_to(policy, lambda action, slot: not worthwhile(action, slot), 9)
    assert refusing(contrary) > 0.6
    assert refusing(answered_to(policy, worthwhile, 9)) < 0.1
    assert refusing(seen(())) == pytest.approx(sum(one.probability for one in KINDS if one.way < 0))
    kept = Adaptive().personal(policy.learn(contrary))._planner.posterior(contrary).crowd
    assert kept is not None  # what was found out goes into the person's prior
    assert kept.contrary() > 0.6


def test_a_week_with_who_refuses_what_is_good_is_taken_no_less_than_advice_at_random() -> None:
    person, rng = sampled([33]), random.Random(33)

    def liked(action: ActionType, slot: Slot) -> float:
        return float(acceptance(-relative(person, action, slot)))

    lived = answered_to(Adaptive(), lambda action, slot: rng.random() < liked(action, slot), 28).history
    at_random = np.mean([[liked(action, one.slot) for action in ACTIONS] for one in lived])
    assert np.mean([liked(one.recommended, one.slot) for one in lived]) > at_random


def test_a_loss_weighs_more_than_a_gain_and_both_more_where_forecasts_hold() -> None:
    gains = np.array([-0.02, 0.0, 0.02])
    for weight in (0.3, 1.0):
        low, middle, high = worth(gains, weight)
        assert middle == 1
        assert middle - low == pytest.approx(LOSS * (high - middle))
    assert 0 == counted(0.0) < counted(0.2) < counted(1.0) == 1
    assert worth(gains, 1.0)[2] > worth(gains, 0.2)[2] > worth(gains, 0.0)[2] == 1


def test_meters_weigh_somewhat_for_everybody_and_less_where_the_person_refuses_what_is_good() -> None:
    assert 0 < weighed(0.0, 0.0) < weighed(0.2, 0.0) < weighed(1.0, 0.0) == 1
    assert 0 < weighed(1.0, 1.0) < weighed(1.0, 0.5) < 1


def test_something_is_believed_of_who_answers_as_foretold_and_nothing_of_others() -> None:
    def stated(observation: Observation) -> list[tuple[float, float]]:
        decision = Adaptive().decide(observation, random.Random(0))
        assert decision.belief_sd is not None
        return list(zip(decision.belief.vector(), decision.belief_sd, strict=True))

    assert all(stated(seen(()))[at] == pytest.approx((0.5, STRANGER_SD), abs=0.01) for at in range(3))
    drawn = random.Random(7)
    likely = history(lambda *asked: drawn.random() < acceptance(relative(sampled([4]), *asked)), 84)
    known = stated(seen(likely))
    assert sum(sd for _, sd in known) < 0.75
    assert max(abs(mean - 0.5) for mean, _ in known) > 0.03
    mute = stated(seen(history(lambda *_: True, 84)))  # who takes everything tells nothing
    assert all(mean == 0.5 and sd >= STRANGER_SD for mean, sd in mute)
