"""The guard: what may be advised, what rests, and by which lot the rest is drawn."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.domain.errors import SetupError
from bridge.domain.guard import (
    ACTION_PAUSE,
    EXPLORE_MAX,
    QUIET_ACTIONS,
    Guard,
    guard_from_settings,
    may_explore,
    paused_until,
)
from bridge.domain.rendering import for_person, told
from lab.evaluation.guarded import Guarded
from policies.heuristic import open_policy
from rhythm_env.interface import (
    ActionType,
    Answer,
    Belief,
    Decision,
    Interaction,
    Meter,
    MeterState,
    Observation,
    Slot,
)

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
WELL = {meter: MeterState(level=0.6, sd=0.1) for meter in Meter}


def said(action: ActionType, answer: Answer, *, days: float, slot: Slot = Slot.MORNING) -> Interaction:
    levels = dict.fromkeys(Meter, 0.6)
    at = NOW - timedelta(days=days)
    return Interaction(at=at, day=0, slot=slot, levels=levels, recommended=action, answer=answer)


def seen(*history: Interaction, slot: Slot = Slot.MORNING, **more: object) -> Observation:
    return Observation(timestep=int(slot), day=0, slot=slot, meters=WELL, history=history, **more)  # type: ignore[arg-type]


def three(action: ActionType, *answers: Answer) -> tuple[Interaction, ...]:
    return tuple(said(action, answer, days=3 - at) for at, answer in enumerate(answers))


IGNORED, TAKEN, PUT_OFF = Answer.IGNORE, Answer.ACCEPT, Answer.RESCHEDULE


def test_what_was_ignored_three_times_in_a_row_rests_a_week_in_that_kind_of_slot() -> None:
    history = three(ActionType.DEEP_WORK, IGNORED, IGNORED, IGNORED)
    allowed, held = Guard().allowed(seen(*history), now=NOW)
    assert ActionType.DEEP_WORK not in allowed.feasible
    assert "mornings" in told(held[ActionType.DEEP_WORK])
    assert paused_until(history, ActionType.DEEP_WORK, Slot.MORNING) == history[-1].at + ACTION_PAUSE
    assert ActionType.DEEP_WORK in Guard().allowed(seen(*history, slot=Slot.EVENING), now=NOW)[0].feasible
    assert ActionType.DEEP_WORK in Guard().allowed(seen(*history), now=NOW + ACTION_PAUSE)[0].feasible


@pytest.mark.parametrize("answers", [(IGNORED, IGNORED), (IGNORED, IGNORED, PUT_OFF), (IGNORED, TAKEN, IGNORED)])
def test_anything_else_does_not_nag(answers: tuple[Answer, ...]) -> None:
    allowed, held = Guard().allowed(seen(*three(ActionType.DEEP_WORK, *answers)), now=NOW)
    assert ActionType.DEEP_WORK in allowed.feasible
    assert ActionType.DEEP_WORK not in held


@pytest.mark.parametrize(
    ("slot", "vitality", "planned", "offered"),
    [
        (Slot.MORNING, MeterState(level=0.6, sd=0.1), {}, False),
        (Slot.AFTERNOON, MeterState(level=0.3, sd=0.1, coverage=0.0), {}, False),
        (Slot.AFTERNOON, MeterState(level=0.3, sd=0.1), {}, True),
        (Slot.MORNING, MeterState(level=0.9, sd=0.1), {ActionType.SLEEP: 0.5}, True),
        (Slot.EVENING, MeterState(level=0.9, sd=0.1), {}, True),
        (Slot.NIGHT, MeterState(level=0.9, sd=0.1), {}, True),
    ],
)
def test_by_day_only_who_is_known_to_be_tired_or_has_planned_it_is_sent_to_sleep(
    slot: Slot, vitality: MeterState, planned: dict[ActionType, float], offered: bool
) -> None:
    observation = replace(seen(slot=slot, planned=planned), meters=WELL | {Meter.VITALITY: vitality})
    allowed, held = Guard().allowed(observation, now=NOW)
    assert (ActionType.SLEEP in allowed.feasible) is offered
    assert (ActionType.SLEEP in held) is not offered


def test_quiet_slots_are_for_rest_and_for_what_is_planned() -> None:
    allowed, _ = Guard().allowed(seen(slot=Slot.NIGHT, planned={ActionType.SOCIALIZE: 0.5}), now=NOW)
    assert set(allowed.feasible) == {*QUIET_ACTIONS, ActionType.SOCIALIZE}
    everything, _ = guard_from_settings("0.1", "none").allowed(seen(slot=Slot.NIGHT), now=NOW)
    assert everything.feasible == tuple(ActionType)


def test_until_when_an_action_rests_is_said_by_the_clock_of_the_person() -> None:
    seven = datetime(2026, 11, 20, 18, tzinfo=UTC)  # in Auckland it is Saturday
    history = tuple(replace(one, at=seven) for one in three(ActionType.DEEP_WORK, IGNORED, IGNORED, IGNORED))
    now = seven.astimezone(ZoneInfo("Pacific/Auckland"))
    _, held = Guard().allowed(seen(*history), now=now)
    assert told(held[ActionType.DEEP_WORK]).endswith("rests until 28 Nov")


def test_something_is_always_left() -> None:
    history = tuple(said(a, IGNORED, days=n / 8, slot=Slot.NIGHT) for n, a in enumerate(QUIET_ACTIONS * 3))
    observation = seen(*history, slot=Slot.NIGHT, feasible=QUIET_ACTIONS)
    allowed, held = Guard().allowed(observation, now=NOW)
    assert (allowed.feasible, held) == (QUIET_ACTIONS, {})


def test_who_turns_down_all_rest_at_night_is_not_sent_to_work() -> None:
    history = tuple(said(a, IGNORED, days=3 - n / 8, slot=Slot.NIGHT) for n, a in enumerate(QUIET_ACTIONS * 3))
    allowed, _ = Guard().allowed(seen(*history, slot=Slot.NIGHT), now=NOW)
    assert allowed.feasible == tuple(action for action in ActionType if action in QUIET_ACTIONS)


def test_it_is_said_why_everything_else_is_not_advised() -> None:
    history = three(ActionType.DEEP_WORK, IGNORED, IGNORED, IGNORED)
    full = seen(*history, feasible=(ActionType.ADMIN_WORK,), planned={ActionType.ADMIN_WORK: 1.0})
    withheld = Guard().withheld(Guard().allowed(full, now=NOW)[0], now=NOW)
    assert set(withheld) == set(ActionType) - {ActionType.ADMIN_WORK}
    assert "rests until" in told(withheld[ActionType.DEEP_WORK])
    assert told(withheld[ActionType.LEARN]) == "your morning is full"
    assert len(set(for_person(withheld.values()))) == 3
    night = Guard().allowed(seen(slot=Slot.NIGHT), now=NOW)[0]
    assert set(map(told, Guard().withheld(night, now=NOW).values())) == {"nights are quiet"}


@given(
    feasible=st.lists(st.sampled_from(list(ActionType)), min_size=1, unique=True),
    share=st.floats(0, EXPLORE_MAX),
    seed=st.integers(0, 50),
    slot=st.sampled_from(Slot),
)
def test_the_lot_is_what_it_says(feasible: list[ActionType], share: float, seed: int, slot: Slot) -> None:
    observation = seen(feasible=tuple(feasible), slot=slot)
    decision = Guarded(open_policy(), Guard(explore=share)).decide(observation, random.Random(seed))
    assert sum(decision.probabilities.values()) == pytest.approx(1)
    assert decision.action in feasible
    assert decision.probabilities[decision.action] > 0
    if slot is Slot.NIGHT:
        assert max(decision.probabilities.values()) == 1


def test_it_is_drawn_as_often_as_it_says() -> None:
    guard = Guard(explore=0.2)
    sure = Decision(
        action=ActionType.LEARN, belief=Belief(), scores={}, probabilities={ActionType.LEARN: 1.0}, reasons=("x",)
    )
    rng, known = random.Random(1), seen(said(ActionType.LEARN, TAKEN, days=1))
    drawn = [guard.explored(sure, known, rng) for _ in range(20_000)]
    counts = Counter(one.action for one in drawn)
    for action, chance in drawn[0].probabilities.items():
        assert counts[action] / len(drawn) == pytest.approx(chance, abs=0.01)
    tries = [one for one in drawn if one.action is not ActionType.LEARN]
    assert all(one.reasons == () for one in tries)


def test_nothing_is_tried_on_somebody_strained() -> None:
    strained = {**WELL, Meter.SERENITY: MeterState(level=0.2, sd=0.1)}
    unknown = {**WELL, Meter.SERENITY: MeterState(level=0.2, sd=0.3, coverage=0.0)}
    known = (said(ActionType.LEARN, TAKEN, days=1),)
    assert not may_explore(Observation(timestep=0, day=0, slot=Slot.MORNING, meters=strained, history=known))
    assert may_explore(Observation(timestep=0, day=0, slot=Slot.MORNING, meters=unknown, history=known))
    assert not may_explore(seen())  # nothing is tried before the first answer


def test_what_is_tried_can_be_weighed_later() -> None:
    """On all that the policy would not choose together at most 4 %, each with at least 2 % or not at all."""
    sure = Decision(action=ActionType.LEARN, belief=Belief(), scores={}, probabilities={ActionType.LEARN: 1.0})
    known, tried = seen(said(ActionType.LEARN, TAKEN, days=1)), Counter[ActionType]()
    for seed in range(40):
        shares = Guard().explored(sure, known, random.Random(seed)).probabilities
        others = {a: share for a, share in shares.items() if a is not ActionType.LEARN and share > 0}
        assert sum(others.values()) <= 0.04 + 1e-9
        assert min(others.values()) >= 0.02 - 1e-9
        tried.update(others)
    assert len(tried) == len(ActionType) - 1


def test_a_day_has_its_number_and_now_and_then_a_slot_has_none() -> None:
    policy, today = (
        Guarded(open_policy(), Guard()),
        [said(ActionType.LEARN, TAKEN, days=hours / 24) for hours in (12, 6, 1)],
    )
    assert policy.gives(today, 0, NOW) == 0
    assert policy.gives(today, 1, NOW) > 0
    assert policy.gives([], 0, NOW) == pytest.approx(0.9)
    much = [said(ActionType.LEARN, TAKEN, days=n / 4) for n in range(120, 0, -1)]
    assert 0.8 <= policy.gives(much, 3, NOW) < 0.85


@pytest.mark.parametrize(("explore", "quiet"), [("0.5", "night"), ("x", "night"), ("-1", "night"), ("0.1", "dusk")])
def test_settings_that_cannot_be_are_refused(explore: str, quiet: str) -> None:
    with pytest.raises(SetupError, match="BRIDGE_"):
        guard_from_settings(explore, quiet)


def test_the_same_seed_draws_the_same() -> None:
    policy = Guarded(open_policy(), Guard(explore=0.2))
    assert policy.decide(seen(), random.Random("a")) == policy.decide(seen(), random.Random("a"))
