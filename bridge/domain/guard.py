"""Limits on advice before it reaches a person, such as quiet parts of the day and pauses for ignored actions.

Actions chosen at random keep their probabilities, which later evaluations need (Horvitz and Thompson 1952).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from rhythm_env.interface import ActionType, Answer, Decision, Interaction, Meter, Observation, Slot

EXPLORE_DEFAULT = 0.04  # share of decisions that are drawn from what the policy would not choose
EXPLORE_MAX = 0.2  # the largest such share
EACH = 0.02  # the least probability of a tried action: estimates cannot use actions that are rarer
A_DAY = 3  # the largest number of recommendations a day, by default
# Least and largest probability that a slot gets no advice, so that later evaluations can tell what advice does. The
# probability grows with recent advice (dosage as in HeartSteps V2: x <- .95 x + advice). The bounds are our choice.
SILENT = (0.1, 0.2)
FADES = 0.95  # share of a dosage that is left in the next slot
SLOT, DAY = timedelta(hours=6), timedelta(hours=24)
IGNORES_BEFORE_PAUSE = 3  # an action ignored so often in a row in a slot of the day is paused there
ACTION_PAUSE = timedelta(days=7)  # from the last time it was ignored
STRAINED_BELOW = 0.25  # while a known meter is below this, no action is drawn at random
WAKING_SLOTS = (Slot.MORNING, Slot.AFTERNOON)  # slots in which sleep is advised to tired people only
TIRED_BELOW = 0.5  # people whose known vitality is below this are tired
QUIET_ACTIONS = (ActionType.SLEEP, ActionType.MEDITATE, ActionType.ME_TIME)  # what may be advised in quiet slots

ADVICE, WATCH, PERSON = "advice", "watch", "person"  # of a switch: what it turns, and who may turn it
REASON_MAX = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Limits on advice to a person. In ``quiet`` slots (parts of the day) only restful or planned actions are advised.

    ``explore`` is the share of decisions made at random, and ``a_day`` the most recommendations in a day. If ``silent``
    is True, slots drawn at random get no advice, so that later evaluations can compare.
    """

    explore: float = EXPLORE_DEFAULT
    a_day: int = A_DAY
    silent: bool = True
    quiet: frozenset[Slot] = frozenset({Slot.NIGHT})

    def allowed(
        self, observation: Observation, *, now: datetime, sleep: bool = False
    ) -> tuple[Observation, Mapping[ActionType, Fact]]:
        """Return the observation with only the allowed actions in ``feasible``, and forbidden action -> reason.

        If all are forbidden, only quiet parts of the day forbid actions, and if that again is all, nothing does.
        With ``sleep=True`` sleep is always allowed.
        """
        against = {action: self._against(action, observation, now) for action in observation.feasible}
        if sleep:
            against[ActionType.SLEEP] = None
        held = {action: why for action, why in against.items() if why is not None}
        for kept in (held, {action: why for action, why in held.items() if self._loud(action, observation)}):
            left = tuple(action for action in observation.feasible if action not in kept)
            if left:
                return replace(observation, feasible=left), kept
        return observation, {}

    def _loud(self, action: ActionType, observation: Observation) -> bool:
        return observation.slot in self.quiet and action not in QUIET_ACTIONS and action not in observation.planned

    def withheld(self, allowed: Observation, *, now: datetime) -> dict[ActionType, Fact]:
        """Return action -> reason for each action missing from ``allowed.feasible``.

        The reason is that of the guard, or, for an action that the guard does not forbid, that the slot is full.
        """
        full = fact(f"full_{allowed.slot.name.lower()}")
        return {a: self._against(a, allowed, now) or full for a in ActionType if a not in allowed.feasible}

    def _against(self, action: ActionType, observation: Observation, now: datetime) -> Fact | None:
        slots = observation.slot.name.lower()
        if self._loud(action, observation):
            return fact("quiet_slot", slots=slots)
        if action is ActionType.SLEEP and _awake(observation):
            return fact("awake_slot", slots=slots)
        if (until := paused_until(observation.history, action, observation.slot)) is not None and until > now:
            ends = until.astimezone(now.tzinfo)
            return fact("paused", times=IGNORES_BEFORE_PAUSE, slots=slots, ends=ends)
        return None

    def explored(self, decision: Decision, observation: Observation, rng: random.Random) -> Decision:
        """Return the decision or, with probability ``explore``, a feasible action that the policy would never choose.

        The new probabilities include that draw. The chosen action stays as it is if ``may_explore`` returns False.
        """
        certain = {action: decision.probabilities.get(action, 0.0) for action in observation.feasible}
        others = [action for action, chance in certain.items() if chance == 0]
        tried = (
            rng.sample(others, min(len(others), int(self.explore / EACH + 1e-9))) if may_explore(observation) else []
        )
        share = self.explore if tried else 0.0
        mixed = {a: share / len(tried) if a in tried else (1 - share) * chance for a, chance in certain.items()}
        if rng.random() >= share:
            return replace(decision, probabilities=mixed)
        action = rng.choice(tried)
        return replace(decision, action=action, probabilities=mixed, reasons=())


def silence(history: Sequence[Interaction], now: datetime) -> float:
    """Return the probability that a slot gets no advice. Recent advice raises it."""
    least, most = SILENT
    return least + (most - least) * dosage(history, now)


def dosage(history: Sequence[Interaction], now: datetime) -> float:
    """Return the share of recent slots that got a recommendation, from 0 to 1. Later slots weigh more."""
    return (1 - FADES) * sum(float(FADES ** ((now - one.at) / SLOT - 1)) for one in history if one.at < now)


def paused_until(history: Sequence[Interaction], action: ActionType, slot: Slot) -> datetime | None:
    """Return the end of the pause of an action that was ignored several times in a row in a slot of the day, else None.

    The end may be in the past. An action put off to another time was not ignored.
    """
    answers = [one for one in history if one.recommended is action and one.slot is slot][-IGNORES_BEFORE_PAUSE:]
    if len(answers) < IGNORES_BEFORE_PAUSE or any(answer.answer is not Answer.IGNORE for answer in answers):
        return None
    return answers[-1].at + ACTION_PAUSE


def _awake(observation: Observation) -> bool:
    vitality = observation.meters.get(Meter.VITALITY)
    tired = vitality is not None and vitality.coverage > 0 and vitality.level < TIRED_BELOW
    return observation.slot in WAKING_SLOTS and not tired and ActionType.SLEEP not in observation.planned


def may_explore(observation: Observation) -> bool:
    """Return True if an action may be drawn at random.

    That takes earlier answers, a slot that is not the night, at least two feasible actions, and no low meter.
    """
    if not observation.history:
        return False
    levels = [s.level for m, s in observation.meters.items() if s.coverage > 0 and m is not Meter.PROGRESS]
    return (
        observation.slot is not Slot.NIGHT
        and len(observation.feasible) > 1
        and min(levels, default=1) >= STRAINED_BELOW
    )


def guard_from_settings(explore: str, quiet: str) -> Guard:
    """Return the guard for ``BRIDGE_EXPLORE`` (a share) and ``BRIDGE_QUIET`` (names of slots, separated by commas).

    Raises SetupError for a share out of range and for unknown slots.
    """
    try:
        share = float(explore)
    except ValueError:
        share = -1.0
    if not 0 <= share <= EXPLORE_MAX:
        raise SetupError(
            f"BRIDGE_EXPLORE must be the share of advice that is drawn at random, from 0 to {EXPLORE_MAX}, e.g. "
            "0.1; correct it, then: bridge doctor"
        )
    named = [name.strip().upper() for name in quiet.split(",") if name.strip().lower() not in ("", "none")]
    unknown = sorted(set(named) - {slot.name for slot in Slot})
    if unknown:
        names = ", ".join(slot.name.lower() for slot in Slot)
        raise SetupError(
            f"BRIDGE_QUIET names {', '.join(unknown).lower()}; set it to slots of the day ({names}) with commas "
            "between, or to the word none, then: bridge doctor"
        )
    return Guard(explore=share, quiet=frozenset(Slot[name] for name in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A change of ``what``, either advice or the watch (the check that stops harmful advice), to on or off.

    ``by`` names who made it, the person or the watch. The watch gives no ``reason`` in words but ``evidence`` (an
    e-value) and the numbers of slots without and with advice.
    """

    at: datetime
    what: str
    on: bool
    by: str = PERSON
    reason: str = ""
    evidence: float | None = None
    silent: int = 0
    advised: int = 0


def is_on(switches: Sequence[Switch], what: str) -> bool:
    """Return True unless the last switch of ``what`` (advice or watch) turned it off."""
    return next((switch.on for switch in reversed(switches) if switch.what == what), True)
