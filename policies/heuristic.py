"""Choose by fixed rules, which raise a low meter or else propose what suits the time of day.

Order and thresholds are our own, because the rules of the simulator's baseline were not published.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rhythm_env.interface import ActionType, Belief, Decision, Meter, Observation, Policy, Slot

LOW = 0.3  # a meter below this level is raised first
FRESH_MORNING, FRESH_AFTERNOON = 0.4, 0.35  # least cognition for deep work and for learning

# Meter -> remedies. The second remedy is used if the first is not feasible.
MENDING = (
    (Meter.VITALITY, (ActionType.SLEEP, ActionType.ME_TIME)),
    (Meter.SERENITY, (ActionType.MEDITATE, ActionType.ME_TIME)),
    (Meter.CONNECTION, (ActionType.FAMILY_TIME, ActionType.SOCIALIZE)),
)

# Fallback actions, gentle and short actions first.
OTHERWISE = (
    ActionType.ME_TIME,
    ActionType.ADMIN_WORK,
    ActionType.EXERCISE,
    ActionType.LEARN,
    ActionType.MEDITATE,
    ActionType.FAMILY_TIME,
    ActionType.SOCIALIZE,
    ActionType.DEEP_WORK,
    ActionType.SLEEP,
    ActionType.BINGE_WATCH,
)


class Proposal(NamedTuple):
    action: ActionType
    reason: str


class Heuristic:
    """A deterministic policy that takes the first feasible action in the order of its rules.

    Scores fall in equal steps from 1 for the first action to above 0 for the last. The belief is uninformative.
    """

    name = "heuristic"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        """Return the decision for the first feasible action in the order of the rules. ``rng`` is not used."""
        proposals = _ranked(observation)
        chosen = proposals[0]
        return Decision(
            action=chosen.action,
            belief=Belief(),
            scores={proposal.action: 1 - place / len(proposals) for place, proposal in enumerate(proposals)},
            probabilities={proposal.action: float(proposal is chosen) for proposal in proposals},
            reasons=(chosen.reason,),
        )


def _ranked(observation: Observation) -> list[Proposal]:
    proposals: dict[ActionType, Proposal] = {}
    for proposal in (*_mend(observation), SLOTS[observation.slot](observation), *_rest(observation)):
        if proposal.action in observation.feasible:
            proposals.setdefault(proposal.action, proposal)
    return list(proposals.values())


def _mend(observation: Observation) -> Iterator[Proposal]:
    for meter, remedies in MENDING:
        level = known(observation, meter)
        remedy = next((action for action in remedies if action in observation.feasible), None)
        if level is not None and level < LOW and remedy is not None:
            yield Proposal(remedy, f"your {meter.lower()} is low ({level:.2f})")


def _rest(observation: Observation) -> Iterator[Proposal]:
    where = observation.slot.name.lower()
    for action in OTHERWISE:
        yield Proposal(action, f"what the {where} would suggest does not fit now; this does")


def known(observation: Observation, meter: Meter) -> float | None:
    """Return a meter's level (0 to 1), or None if it has no fresh inputs, because then the level is only assumed."""
    state = observation.meters.get(meter)
    return None if state is None or state.coverage <= 0 else state.level


def _morning(observation: Observation) -> Proposal:
    return _if_fresh(observation, "morning", FRESH_MORNING, ActionType.DEEP_WORK, ActionType.EXERCISE)


def _afternoon(observation: Observation) -> Proposal:
    return _if_fresh(observation, "afternoon", FRESH_AFTERNOON, ActionType.LEARN, ActionType.ADMIN_WORK)


def _if_fresh(observation: Observation, slot: str, needed: float, fresh: ActionType, tired: ActionType) -> Proposal:
    level = known(observation, Meter.COGNITION)
    if level is None:
        return Proposal(fresh, f"it is {slot}, and nothing is known of your cognition that speaks against it")
    if level > needed:
        return Proposal(fresh, f"it is {slot} and your cognition is up to it ({level:.2f})")
    return Proposal(tired, f"it is {slot}, but your cognition is low ({level:.2f})")


def _evening(observation: Observation) -> Proposal:
    if observation.day % 2 == 0:
        return Proposal(ActionType.FAMILY_TIME, "it is evening, and today is an evening for your people")
    return Proposal(ActionType.EXERCISE, "it is evening, and today is an evening to move")


def _night(observation: Observation) -> Proposal:  # noqa: ARG001 - all rules share a signature
    return Proposal(ActionType.SLEEP, "it is night")


SLOTS: dict[Slot, Callable[[Observation], Proposal]] = {
    Slot.MORNING: _morning,
    Slot.AFTERNOON: _afternoon,
    Slot.EVENING: _evening,
    Slot.NIGHT: _night,
}


def open_policy() -> Policy:
    """Return a new ``Heuristic``. The setting BRIDGE_POLICY=heuristic chooses this policy."""
    return Heuristic()
