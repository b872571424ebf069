"""Limits between a model and a person: no advice that cannot be followed, that nags, or that is tried at a bad time.

The guard narrows what a policy may choose from, then lets a few decisions be drawn by lot, so that it can be told later
what other advice would have brought. What is kept as the decision's probabilities is what the action was really drawn
from, after the guard: without it no evaluation from logged feedback is possible (Horvitz and Thompson 1952).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bridge.domain.errors import SetupError
from rhythm_env.interface import ActionType, Answer, Decision, Interaction, Meter, Observation, Policy, Slot

EXPLORE_DEFAULT = 0.04  # of decisions that are drawn from what the policy would not choose, by default
EXPLORE_MAX = 0.2  # of decisions that may be
EACH = 0.02  # the least chance with which an action is tried: a smaller one could never be weighed
A_DAY = 3  # pieces of advice, by default
# Slots that would get advice and get none, so that it can be told later what advice does: the more, the more was said
# of late (dosage as in HeartSteps V2: x <- .95 x + advice). Their bounds are our choice.
SILENT = (0.1, 0.2)
FADES = 0.95  # of a dosage, from one slot to the next
SLOT, DAY = timedelta(hours=6), timedelta(hours=24)
IGNORES_BEFORE_PAUSE = 3  # ignored so often in a row in one kind of slot, an action rests there
ACTION_PAUSE = timedelta(days=7)  # from the last time it was ignored
STRAINED_BELOW = 0.25  # a known meter below it: no time for trying things
WAKING_SLOTS = (Slot.MORNING, Slot.AFTERNOON)  # slots in which only the tired are sent to sleep
TIRED_BELOW = 0.5  # a known vitality below it: a nap is worth its hours
REASONS_OF_THE_HOUR = ("are quiet", "are for those who are awake")  # ends of reasons that follow from the hour alone
QUIET_ACTIONS = (ActionType.SLEEP, ActionType.MEDITATE, ActionType.ME_TIME)  # what may be advised in quiet slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Limits of advice.

    ``explore`` is the share of decisions drawn from what the policy would not choose. In ``quiet`` slots only rest may
    be advised. ``a_day`` is the largest number a day. ``silent`` lets some slots, drawn by lot, get no advice.
    """

    explore: float = EXPLORE_DEFAULT
    a_day: int = A_DAY
    silent: bool = True
    quiet: frozenset[Slot] = frozenset({Slot.NIGHT})

    def allowed(
        self, observation: Observation, *, now: datetime, sleep: bool = False
    ) -> tuple[Observation, Mapping[ActionType, str]]:
        """Return the observation with only the allowed actions as ``feasible``, and the reasons against the others.

        ``feasible`` is never empty. If no action is left, paused actions are allowed, and then loud actions too.
        ``sleep`` says that the user's routine allows sleep at this hour.
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

    def withheld(self, allowed: Observation, *, now: datetime) -> dict[ActionType, str]:
        """Why each action that cannot be advised cannot, of an observation as ``allowed`` left it."""
        full = f"your {allowed.slot.name.lower()} is full"
        return {a: self._against(a, allowed, now) or full for a in ActionType if a not in allowed.feasible}

    def _against(self, action: ActionType, observation: Observation, now: datetime) -> str | None:
        """Return the reason against advising an action now, whether it fits or not, or None."""
        slot = observation.slot.name.lower()
        if self._loud(action, observation):
            return f"{slot}s {REASONS_OF_THE_HOUR[0]}"
        if action is ActionType.SLEEP and _awake(observation):
            return f"{slot}s {REASONS_OF_THE_HOUR[1]}"
        if (until := paused_until(observation.history, action, observation.slot)) is not None and until > now:
            ends = until.astimezone(now.tzinfo)
            return f"ignored {IGNORES_BEFORE_PAUSE} times in a row on {slot}s, it rests until {ends:%d %b}"
        return None

    def gives(self, history: Sequence[Interaction], day: int, now: datetime) -> float:
        """The probability that a slot gets advice: none once the day has had its number, else now and then none."""
        if sum(one.day == day and now - one.at < DAY for one in history) >= self.a_day:
            return 0.0
        return 1 - silence(history, now)

    def explored(self, decision: Decision, observation: Observation, rng: random.Random) -> Decision:
        """The decision, now and then another action by lot; its probabilities are those of both together.

        Tried are a few of those that the policy would not choose, each with at least ``EACH``.
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
        instead = f"a try, as {share:.0%} of advice is: it shows what suits you (else: {decision.action})"
        return replace(decision, action=action, probabilities=mixed, reasons=(instead,))


class Guarded:
    """A policy behind the guard, as people meet it."""

    def __init__(self, policy: Policy, guard: Guard) -> None:
        self._policy, self._guard = policy, guard
        self.name, self.version = policy.name, policy.version

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Simulated people have no calendar date: their last answer was just before."""
        last = observation.history[-1].at if observation.history else datetime.min.replace(tzinfo=UTC)
        allowed, _ = self._guard.allowed(observation, now=last)
        return self._guard.explored(self._policy.decide(allowed, rng), allowed, rng)


def silence(history: Sequence[Interaction], now: datetime) -> float:
    """Return the probability that a slot gets no advice by lot. More recent advice raises it."""
    least, most = SILENT
    return least + (most - least) * dosage(history, now)


def dosage(history: Sequence[Interaction], now: datetime) -> float:
    """Return the share of recent slots with answered advice, from 0 to 1."""
    return (1 - FADES) * sum(float(FADES ** ((now - one.at) / SLOT - 1)) for one in history if one.at < now)


def paused_until(history: Sequence[Interaction], action: ActionType, slot: Slot) -> datetime | None:
    """Until when an action rests in a kind of slot; None unless its last answers there were all Ignore.

    Put off is another matter: the action was right and the hour was not, which the model hears.
    """
    answers = [one for one in history if one.recommended is action and one.slot is slot][-IGNORES_BEFORE_PAUSE:]
    if len(answers) < IGNORES_BEFORE_PAUSE or any(one.answer is not Answer.IGNORE for one in answers):
        return None
    return answers[-1].at + ACTION_PAUSE


def _awake(observation: Observation) -> bool:
    """Return True if sleep has no place now. A model of weeks does not know that people sleep at night."""
    vitality = observation.meters.get(Meter.VITALITY)
    tired = vitality is not None and vitality.coverage > 0 and vitality.level < TIRED_BELOW
    return observation.slot in WAKING_SLOTS and not tired and ActionType.SLEEP not in observation.planned


def may_explore(observation: Observation) -> bool:
    """Return True if exploring is allowed: after a first answer, by day, with a choice, and no known meter strained."""
    if not observation.history:
        return False
    levels = [s.level for m, s in observation.meters.items() if s.coverage > 0 and m is not Meter.PROGRESS]
    return (
        observation.slot is not Slot.NIGHT
        and len(observation.feasible) > 1
        and min(levels, default=1) >= STRAINED_BELOW
    )


def guard_from_settings(explore: str, quiet: str) -> Guard:
    """From settings: ``BRIDGE_EXPLORE`` (0 to 0.2) and ``BRIDGE_QUIET`` (slots by name, with commas, or "none")."""
    try:
        share = float(explore)
    except ValueError:
        share = -1.0
    if not 0 <= share <= EXPLORE_MAX:
        raise SetupError(f"BRIDGE_EXPLORE is the share of advice that is a try: a number from 0 to {EXPLORE_MAX}")
    named = [name.strip().upper() for name in quiet.split(",") if name.strip().lower() not in ("", "none")]
    unknown = sorted(set(named) - {slot.name for slot in Slot})
    if unknown:
        raise SetupError(f"BRIDGE_QUIET names slots: {', '.join(slot.name.lower() for slot in Slot)}, or none")
    return Guard(explore=share, quiet=frozenset(Slot[name] for name in named))
