"""The planner: its posterior on planted people, its plans, its words, and what a decision may cost."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import pytest

from bridge import registry
from bridge.domain.slots import moment_of
from lab.environments import dynamics
from lab.environments.dynamics import sampled, standing, utilities
from lab.evaluation.grades import play
from lab.evaluation.strategies import Played
from lab.evaluation.week import Weeks, begin, observation
from policies.planner import Planner, open_policy
from policies.planner.advice import answers, read_into
from policies.planner.evidence import rows
from policies.planner.inference import Posterior, infer, prior
from policies.planner.plans import bodies, stepped
from policies.planner.population import PLACE, column, population, profiles
from policies.planner.responses import Particles, likelihood, looked_at
from rhythm_env.dynamics import ACTIONS, acceptance
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation, Slot, StepRecord
from rhythm_env.profiles import belief_target
from tests.pace import paces

MONDAY = datetime(2026, 1, 5, 6, tzinfo=UTC)
UNKNOWN = {meter: MeterState(level=0.7, sd=0.21, coverage=0.0) for meter in Meter}
VARIED = ("DEEP_WORK", "FAMILY_TIME", "LEARN", "SLEEP", "MEDITATE", "SOCIALIZE", "BINGE_WATCH")


def number(action: str) -> int:
    return ACTIONS.index(ActionType(action))


def lived(seeds: range, actions: tuple[str, ...] = VARIED, condition: str = "in") -> Weeks:
    weeks = begin(seeds, condition)
    for action in actions:
        weeks.advance(np.full(weeks.n, number(action)))
    return weeks


def interaction(step: int, action: ActionType, given: Answer) -> Interaction:
    moment = moment_of(MONDAY.date(), step % 28)
    levels = dict.fromkeys(Meter, 0.7)
    at = MONDAY + timedelta(hours=6 * step)
    return Interaction(at=at, day=moment.day, slot=moment.slot, levels=levels, recommended=action, answer=given)


def heard(*history: Interaction) -> Observation:
    """Return the observation of the slot after the last answer, with meters that say nothing."""
    step = round((history[-1].at - MONDAY) / timedelta(hours=6)) + 1 if history else 0
    moment = moment_of(MONDAY.date(), step % 28)
    return Observation(timestep=step % 28, day=moment.day, slot=moment.slot, meters=UNKNOWN, history=history)


def believed(posterior: Posterior) -> tuple[list[float], list[float]]:
    mean, sd = posterior.belief()
    return [float(x) for x in mean], [float(x) for x in sd]


def worth_of(observation: Observation, action: ActionType) -> float:
    """Return the value of the action to the observed person now, relative to all ten."""
    posterior = infer(observation)
    assert posterior.crowd is not None
    standings = posterior.crowd.standings(posterior.crowd.changes(int(observation.slot)))
    return float(standings[number(action)] @ posterior.weights)


# What is supposed


def test_before_anything_is_known_it_is_anybody() -> None:
    """The particles have the moments of the simulator's own people."""
    people, everybody = population().people, column(sampled(range(4000)))
    assert people.mean(axis=1) == pytest.approx(everybody.mean(axis=1), rel=0.05, abs=0.003)
    assert people.std(axis=1) == pytest.approx(everybody.std(axis=1), rel=0.1)
    assert believed(prior())[0] == pytest.approx([0.5] * 3, abs=0.02)
    assert profiles(column(sampled([4]))).weights == pytest.approx(sampled([4]).weights)


@pytest.mark.parametrize("slot", range(4))
def test_supposed_people_live_in_the_simulators_own_dynamics(slot: int) -> None:
    people = sampled(range(10))
    people.traits["guilt"][:] = people.traits["guilt"] > 0.5
    meters = np.random.default_rng(slot).random((5, 10))
    everybody = bodies(people.traits)
    for at in range(10):
        alone = people.take(np.full(10, at))
        now = np.repeat(meters[:, at : at + 1], 10, axis=1)
        after, _, _ = dynamics.step(now, np.arange(10), slot, alone, np.zeros(10, dtype=np.intp))
        assert stepped(now, np.arange(10), slot, everybody.one(at)) == pytest.approx(after)


def test_supposed_people_judge_advice_as_the_simulators_do() -> None:
    people = sampled(range(6))
    people.traits["guilt"][:] = people.traits["guilt"] > 0.5
    crowd = Particles(column(people))
    crowd.meters = np.random.default_rng(1).random((5, 6)).astype(np.float32)
    worth = utilities(crowd.meters.astype(float), 2, people)
    expected = np.array([standing(worth[:, i], tuple(ActionType)) for i in range(6)]).T
    assert crowd.standings(crowd.changes(2)) == pytest.approx(expected, abs=2e-3)


# What meters tell


@pytest.mark.parametrize("condition", ["in", "shifted", "discrete"])
def test_a_varied_stretch_of_days_tells_who_the_person_is(condition: str) -> None:
    weeks = lived(range(30), condition=condition)
    target = belief_target(weeks.people)
    stated = np.array([believed(infer(observation(weeks, i)))[0] for i in range(30)]).T
    left = ((stated - target) ** 2).mean(axis=1) / ((target - 0.5) ** 2).mean(axis=1)
    assert all(left < [0.1, 0.1, 0.1])


def test_weights_and_traits_are_found_and_not_only_what_they_come_to() -> None:
    weeks = lived(range(20))
    found = np.array([infer(observation(weeks, i)).person() for i in range(20)]).T
    truth = column(weeks.people)
    sure = [*range(5), PLACE["social_cost"], PLACE["work_serenity"], PLACE["morning_bonus"]]
    error = np.median(np.abs(found - truth)[sure], axis=1) / np.std(column(sampled(range(500)))[sure], axis=1)
    assert error.max() < 0.05


def test_more_evidence_narrows_the_belief_and_what_was_not_seen_stays_open() -> None:
    seen = [infer(observation(lived(range(3, 4), VARIED[:steps]), 0)) for steps in range(8)]
    widths = [sum(believed(posterior)[1]) for posterior in seen]
    assert widths[0] > widths[1] > widths[2] > widths[3] > max(widths[4:])
    assert widths[7] < 0.1 * widths[0]
    asleep = infer(observation(lived(range(3, 4), ("SLEEP",) * 7), 0))
    assert believed(asleep)[1][2] > 0.5 * believed(prior())[1][2]


def test_changes_alone_tell_less_than_stated_anomalies_and_uncertain_ones_next_to_nothing() -> None:
    weeks = lived(range(5))
    full = observation(weeks, 0)
    bare = replace(full, step_history=tuple(replace(r, anomalies=None, reward=None) for r in full.step_history))
    vague = replace(bare, meters={m: replace(s, sd=0.13, coverage=0.5) for m, s in bare.meters.items()})
    widths = [sum(believed(infer(o))[1]) for o in (full, bare, vague, replace(full, step_history=()))]
    assert widths[0] < widths[1] < 0.9 * widths[2]
    assert widths[2] == pytest.approx(widths[3], rel=0.1)


def test_an_answers_reward_is_not_taken_for_a_meters() -> None:
    record = StepRecord(timestep=0, day=0, slot=Slot.MORNING, action=ActionType.SLEEP, answer=Answer.ACCEPT, reward=1.0)
    seen = replace(heard(), step_history=(replace(record, deltas=dict.fromkeys(Meter, 0.1)),))
    assert all(max(row.shares) < 18 and 0 not in row.shares for row in rows(seen))


# What answers tell


def test_an_ignore_lowers_the_belief_that_the_action_fits_then() -> None:
    """At the same time of the next day, after nights that say nothing."""
    for action, step in ((ActionType.SOCIALIZE, 2), (ActionType.DEEP_WORK, 0)):
        fits = [worth_of(heard(interaction(step, action, given)), action) for given in (Answer.IGNORE, Answer.ACCEPT)]
        assert fits[0] < fits[1]


def test_reschedule_is_kept_apart_from_ignore() -> None:
    """Both speak against work in the morning; put off speaks for a mind that clears later in the day."""
    mornings = {
        given: infer(heard(*(interaction(4 * day, ActionType.DEEP_WORK, given) for day in range(4))))
        for given in Answer
    }
    late = {
        given: p.person()[PLACE["evening_bonus"]] - p.person()[PLACE["morning_bonus"]] for given, p in mornings.items()
    }
    assert late[Answer.RESCHEDULE] > late[Answer.IGNORE] + 0.02
    morning = {given: believed(posterior)[0][1] for given, posterior in mornings.items()}
    assert morning[Answer.RESCHEDULE] < morning[Answer.IGNORE] < morning[Answer.ACCEPT]
    assert all(
        mornings[given].person()[2] < mornings[Answer.ACCEPT].person()[2] for given in Answer if given != "ACCEPT"
    )


def likely(crowd: Particles, one: Interaction) -> np.ndarray:
    there = crowd.standings(crowd.changes(looked_at(one)))[:, number(one.recommended)]
    return likelihood(one, acceptance(there[0]), there)


def test_the_chances_of_all_answers_add_to_one() -> None:
    crowd = Particles(population().people)
    chances = [likely(crowd, interaction(0, ActionType.LEARN, given)) for given in Answer]
    assert np.sum(chances, axis=0) == pytest.approx(1, abs=1e-5)


def test_put_off_speaks_for_the_hour_that_was_chosen_on_whatever_day() -> None:
    """From an evening to the next morning: a mind that is clearer then. To the same hour: no more than not now."""
    put_off, crowd = interaction(2, ActionType.LEARN, Answer.RESCHEDULE), Particles(population().people)
    morning, same, unsaid = (replace(put_off, moved_to=to) for to in ((1, Slot.MORNING), (1, Slot.EVENING), None))
    by_day = infer(heard(*[morning] * 4)).person() - infer(heard(*[unsaid] * 4)).person()
    assert by_day[PLACE["morning_bonus"]] > 0.01
    accepted = likely(crowd, replace(put_off, answer=Answer.ACCEPT))
    assert likely(crowd, same) == pytest.approx(1 - accepted)


def test_put_off_at_night_is_not_accepted() -> None:
    night, crowd = interaction(3, ActionType.LEARN, Answer.RESCHEDULE), Particles(population().people)
    accepted = likely(crowd, replace(night, answer=Answer.ACCEPT))
    assert likely(crowd, night) == pytest.approx(1 - accepted)


def test_answers_count_whatever_week_they_are_of_and_gaps_do_no_harm() -> None:
    history = tuple(interaction(step, ActionType.SOCIALIZE, Answer.IGNORE) for step in (2, 6, 30, 34, 90))
    few, many = (believed(infer(heard(*some))) for some in (history[:1], history))
    assert many[0][0] < few[0][0] < 0.5
    assert np.isfinite(many[0]).all()


# What it decides


def test_a_person_is_served_by_their_own_reward() -> None:
    policy = registry.policy("planner")
    assert isinstance(policy, Planner)
    assert (policy.objective, policy.learns) == ("reward", True)
    answered = heard(interaction(0, ActionType.LEARN, Answer.IGNORE))
    aimed = policy.variant(objective="grade").decide(answered, random.Random(0))
    assert aimed == policy.decide(answered, random.Random(0))


def test_the_same_week_in_another_process() -> None:
    code = "from tests.policies.test_planner import decisions; print(decisions())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(decisions())


def decisions() -> list[str]:
    weeks, policy, found = begin([5]), open_policy(), []
    while weeks.step < 12:
        action = policy.decide(observation(weeks, 0), random.Random(0)).action
        weeks.advance(np.array([ACTIONS.index(action)]))
        found.append(str(action))
    return found


@pytest.mark.slow
def test_knowing_pays_and_each_objective_is_best_at_its_own() -> None:
    seeds = list(range(6))
    played = {
        (objective, learns): play(begin(seeds), Played(Planner(objective, learns=learns), seeds))
        for objective, learns in (("reward", True), ("reward", False), ("grade", True), ("grade", False))
    }
    level = {key: result.weeks.mean_level().mean() for key, result in played.items()}
    score = {key: result.score().mean() for key, result in played.items()}
    assert level["reward", True] > level["reward", False] > level["grade", True]
    assert score["grade", True] > score["grade", False] + 0.03
    assert score["grade", True] > score["reward", True]


def test_what_is_read_moves_the_meters_the_surer_the_further() -> None:
    def read(level: float, sd: float, coverage: float = 1.0) -> float:
        states = {**UNKNOWN, Meter.VITALITY: MeterState(level=level, sd=sd, coverage=coverage)}
        return float(read_into(np.full(5, 0.8), replace(heard(), meters=states))[0])

    assert read(0.2, 0.05) < read(0.2, 0.15) < read(0.6, 0.15) < read(0.7, 0.15) == pytest.approx(0.8)
    assert read(0.2, 0.15, coverage=0.0) == pytest.approx(0.8)


def test_whoever_is_read_to_be_tired_is_rather_advised_to_rest() -> None:
    def score(level: float) -> float:
        states = {**UNKNOWN, Meter.VITALITY: MeterState(level=level, sd=0.05, coverage=1.0)}
        scores = open_policy().decide(replace(heard(), meters=states), random.Random(0)).scores
        return scores[ActionType.SLEEP] - scores[ActionType.DEEP_WORK]

    assert score(0.1) > score(0.7) > score(1.0)


def test_decides_without_any_reading_or_with_holes_in_the_week() -> None:
    bare = Observation(timestep=9, day=2, slot=Slot.AFTERNOON, meters={})
    record = StepRecord(timestep=8, day=2, slot=Slot.MORNING)
    holes = replace(bare, step_history=(record, replace(record, action=ActionType.SLEEP), record))
    for seen in (bare, holes):
        assert open_policy().decide(seen, random.Random(0)).belief.vector() == pytest.approx((0.5,) * 3, abs=0.03)


def test_a_decision_is_quick() -> None:
    weeks = lived(range(1))
    history = tuple(interaction(n, ACTIONS[n % 10], list(Answer)[n % 3]) for n in range(112))
    for seen in (observation(weeks, 0), heard(*history)):  # the latter with older answers heard before, as in any slot
        assert paces(partial(open_policy().decide, seen, random.Random(0))) < 20


# What it says


def test_says_how_advice_was_answered_at_that_time_of_day() -> None:
    ignored = [interaction(4 * day, ActionType.DEEP_WORK, Answer.IGNORE) for day in range(3)]
    others = [
        interaction(4 * day, ActionType.SLEEP, given) for day, given in ((3, Answer.ACCEPT), (4, Answer.RESCHEDULE))
    ]
    elsewhere = [interaction(2, ActionType.DEEP_WORK, Answer.ACCEPT)]
    said = list(answers([*ignored, *others, *elsewhere], Slot.MORNING, ActionType.SLEEP))
    assert said == ["mornings: sleep accepted 1 of 2, put off 1 of 2", "mornings: deep work ignored 3 of 3"]
    assert list(answers([], Slot.MORNING, ActionType.SLEEP)) == []


def test_says_what_the_action_is_for_and_who_the_person_seems_to_be() -> None:
    weeks = lived(range(1), condition="discrete")
    decision = open_policy().decide(observation(weeks, 0), random.Random(0))
    assert str(decision.action).lower().replace("_", " ") in decision.reasons[0]
    assert any("company seems to cost you" in reason for reason in decision.reasons)
    assert decision.belief.social < 0.2
    assert decision.belief_sd is not None
    assert max(decision.belief_sd) < 0.2


def test_says_when_nothing_is_known_and_when_a_meter_is_low() -> None:
    seen = heard()
    first = open_policy().decide(seen, random.Random(0)).reasons[0]
    assert first.startswith("nothing is known of you yet; for most people ")
    tired = replace(seen, meters={**UNKNOWN, Meter.VITALITY: MeterState(level=0.2, sd=0.05, coverage=1.0)})
    said = open_policy().decide(tired, random.Random(0)).reasons[0]
    assert said.startswith("your vitality is low (0.20), and ")
