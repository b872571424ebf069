"""Supposed people in the planner's memory: they live as the simulator's do, and remembering changes no decision."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from lab.environments.dynamics import sampled
from lab.people.answering import own_choice
from policies.planner import Planner
from policies.planner.inference import infer
from policies.planner.particle_filter import Memory, live, renew
from policies.planner.population import PLACE, anybody, column, population, within
from policies.planner.responses import Particles
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Interaction, Slot, StepRecord
from rhythm_env.profiles import archetypes, belief_target
from tests.policies.test_planner import believed, heard, interaction

HISTORY = tuple(interaction(n, ACTIONS[(3 * n) % 10], list(Answer)[(n * n) % 3]) for n in range(125))


def crowd_of(name: str, size: int = 4000) -> Particles:
    return Particles(np.repeat(column(archetypes([name])), size, axis=1))


def test_who_is_left_alone_chooses_as_the_simulators_people_do() -> None:
    crowd, person = crowd_of("workaholic_stoic"), archetypes(["workaholic_stoic"])
    changes = crowd.changes(1)
    before = crowd.meters.copy()
    live(crowd, changes, crowd.standings(changes), None)
    calm = [n for n in range(4000) if np.isclose(changes[:, :, n].T, crowd.meters[:, n] - before[:, n]).all(1).any()]
    assert len(calm) == pytest.approx(3600, abs=150)  # nothing happened to nine in ten
    worked = np.mean([crowd.meters[2, n] > before[2, n] + 0.01 for n in calm])
    rng = random.Random(1)
    chosen = [own_choice(before[:, :1].astype(float), Slot(1), person, tuple(ActionType), rng) for _ in range(3000)]
    work = {ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN}
    assert worked == pytest.approx(np.mean([one in work for one in chosen]), abs=0.04)


def test_places_are_given_anew_without_moving_the_crowd() -> None:
    crowd = Particles(anybody())
    crowd.logs = -40 * (crowd.people[PLACE["social_cost"]] - 1.0) ** 2
    mean, kept = crowd.people @ crowd.weights(), crowd.people.copy()
    renew(crowd)
    assert crowd.weights().max() == pytest.approx(crowd.weights().min())
    spread = kept.std(axis=1)
    assert np.abs(crowd.people @ crowd.weights() - mean).max() < 0.2 * spread.max()
    known = population()
    assert (crowd.people >= known.low).all()
    assert (crowd.people <= known.high).all()
    assert set(np.unique(crowd.people[PLACE["guilt"]])) <= {0.0, 1.0}
    assert crowd.people[:5].sum(axis=0) == pytest.approx(1)


def test_kinds_of_people_never_mix() -> None:
    three = np.repeat(column(archetypes(["introvert_morning", "extrovert_night_owl", "workaholic_stoic"])), 50, axis=1)
    crowd = Particles(three, kinds=3)
    crowd.logs = np.random.default_rng(1).normal(0, 6, 150)
    shares = crowd.weights().reshape(3, 50).sum(axis=1)
    renew(crowd)
    assert crowd.people == pytest.approx(three)
    assert crowd.weights().reshape(3, 50).sum(axis=1) == pytest.approx(shares)


@pytest.mark.parametrize("count", [1, 7, 8, 20, 111, 120])
def test_remembering_changes_no_decision(count: int) -> None:
    remembering = Planner()
    for known in range(max(count - 2, 0), count + 1):
        decided = remembering.decide(heard(*HISTORY[:known]), random.Random(0))
    assert decided == Planner().decide(heard(*HISTORY[:count]), random.Random(0))


def test_another_person_is_not_taken_for_the_last() -> None:
    memory = Memory()
    infer(heard(*HISTORY[:30]), memory)
    other = tuple(replace(one, answer=Answer.ACCEPT) for one in HISTORY[:31])
    assert believed(infer(heard(*other), memory)) == believed(infer(heard(*other)))


def test_what_the_calendar_shows_is_taken_for_done_where_advice_was_not_taken() -> None:
    """Somebody who slept through the last slots, for all one sees, is not tired now."""
    ignored = tuple(interaction(step, ActionType.DEEP_WORK, Answer.IGNORE) for step in range(5))
    seen = heard(*ignored)

    def vitality(action: ActionType | None) -> float:
        steps = tuple(StepRecord(timestep=s, day=s // 4, slot=Slot(s % 4), action=action) for s in range(5))
        crowd = infer(replace(seen, step_history=steps)).crowd
        assert crowd is not None
        return float(crowd.meters[0] @ crowd.weights())

    assert vitality(ActionType.DEEP_WORK) < vitality(None) < vitality(ActionType.SLEEP)


@pytest.mark.parametrize("late", [0, 5])
def test_the_week_starts_anew_however_late_on_sunday_advice_was_asked_for(late: int) -> None:
    """Sunday evening, then Monday morning: two slots apart, be it at 18:00 or 23:00."""
    week = [interaction(step, ActionType.DEEP_WORK, Answer.ACCEPT) for step in range(0, 27, 2)]
    week[-1] = replace(week[-1], at=week[-1].at + timedelta(hours=late))
    crowd = infer(heard(*week, interaction(28, ActionType.SLEEP, Answer.ACCEPT))).crowd
    assert crowd is not None
    assert crowd.meters[2] @ crowd.weights() < 0.1


def test_the_calendar_is_read_by_slots_and_not_by_hours() -> None:
    """Ignored at 11:50, then asked again at 18:10: what the calendar shows of the afternoon is of neither."""
    day = [interaction(step, ActionType.LEARN, Answer.IGNORE) for step in (0, 2)]
    hours = (timedelta(hours=5, minutes=50), timedelta(minutes=10))
    moved = [replace(one, at=one.at + hour) for one, hour in zip(day, hours, strict=True)]
    slept = StepRecord(timestep=1, day=0, slot=Slot(1), action=ActionType.SLEEP)
    unknown = (
        replace(slept, timestep=0, slot=Slot(0), action=None),
        replace(slept, timestep=2, slot=Slot(2), action=None),
    )
    seen = replace(heard(*day), step_history=(unknown[0], slept, unknown[1]))
    assert believed(infer(replace(seen, history=tuple(moved)))) == believed(infer(seen))


def test_answers_tell_of_people_who_are_outside_of_every_range() -> None:
    people = column(sampled(range(5), "shifted"))
    assert np.abs(within(people) - people).max() < 0.02


def test_told_of_three_kinds_it_states_their_mixture() -> None:
    work = [interaction(n, ActionType.DEEP_WORK, Answer.ACCEPT) for n in range(8)]
    told = Planner().variant(objective="reward", three=True).decide(heard(*work), random.Random(0))
    workaholic = belief_target(archetypes(["workaholic_stoic"]))[:, 0]
    assert told.belief.vector() == pytest.approx(workaholic, abs=0.05)


def history_of(gap: int) -> tuple[Interaction, ...]:
    return tuple(interaction(gap * n, ACTIONS[n % 10], Answer.IGNORE) for n in range(60))


@pytest.mark.parametrize("gap", [1, 3, 29])
def test_answers_with_any_gaps_between_them_are_heard(gap: int) -> None:
    mean, sd = believed(infer(heard(*history_of(gap))))
    assert all(0 <= one <= 1 for one in mean)
    assert all(0 < one < 0.4 for one in sd)
