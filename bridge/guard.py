"""What stands between a model and a person: no advice that cannot be followed, nags, sends
the rested to bed in the morning, or is tried at a bad time.

The guard narrows what a policy may choose from, then lets a few decisions be drawn by lot, so that it can be told later
what other advice would have brought. What is kept as the decision's probabilities is what the action was really drawn
from, after the guard: without it no evaluation from logged feedback is possible (Horvitz and Thompson 1952).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bridge.errors import SetupError
from rhythm_env.interface import ActionType, Answer, Decision, Interaction, Meter, Observation, Policy, Slot

EXPLORE = 0.1  # of decisions drawn by lot, by default
MOST = 0.2  # of decisions that may be
TURNED_DOWN = 3  # ignored so often in a row in one kind of slot, an action rests there
REST = timedelta(days=7)  # from the last time it was ignored
STRAINED = 0.25  # a known meter below it: no time for trying things
WAKING = (Slot.MORNING, Slot.AFTERNOON)  # slots in which only the tired are sent to sleep
TIRED = 0.5  # a known vitality below it: a nap is worth its hours
ORDINARY = ("are quiet", "are for those who are awake")  # ends of reasons that follow from the hour alone
QUIET = (ActionType.SLEEP, ActionType.MEDITATE, ActionType.ME_TIME)  # what may be advised in quiet slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """``explore``: share of decisions drawn by lot from everything allowed; ``quiet``: slots in which only rest is."""

    explore: float = EXPLORE
    quiet: frozenset[Slot] = frozenset({Slot.NIGHT})

    def allowed(self, observation: Observation, *, now: datetime) -> tuple[Observation, Mapping[ActionType, str]]:
        """The observation with what may be advised as ``feasible``, and why what else would fit may not.

        Never empty: where nothing is left, what rests may be advised after all; where nothing that fits is quiet,
        what fits may.
        """
        against = {action: self._against(action, observation, now) for action in observation.feasible}
        held = {action: why for action, why in against.items() if why is not None}
        for kept in (held, {action: why for action, why in held.items() if self._loud(action, observation)}):
            left = tuple(action for action in observation.feasible if action not in kept)
            if left:
                return replace(observation, feasible=left), kept
        return observation, {}

    def _loud(self, action: ActionType, observation: Observation) -> bool:
        return observation.slot in self.quiet and action not in QUIET and action not in observation.planned

    def withheld(self, allowed: Observation, *, now: datetime) -> dict[ActionType, str]:
        """Why each action that cannot be advised cannot, of an observation as ``allowed`` left it."""
        full = f"your {allowed.slot.name.lower()} is full"
        return {a: self._against(a, allowed, now) or full for a in ActionType if a not in allowed.feasible}

    def _against(self, action: ActionType, observation: Observation, now: datetime) -> str | None:
        """What speaks against advising an action now, whether it fits or not; a day is told by the clock of ``now``."""
        slot = observation.slot.name.lower()
        if self._loud(action, observation):
            return f"{slot}s {ORDINARY[0]}"
        if action is ActionType.SLEEP and _awake(observation):
            return f"{slot}s {ORDINARY[1]}"
        if (until := resting(observation.history, action, observation.slot)) is not None and until > now:
            return (
                f"ignored {TURNED_DOWN} times in a row on {slot}s, it rests until {until.astimezone(now.tzinfo):%d %b}"
            )
        return None

    def drawn(self, decision: Decision, observation: Observation, rng: random.Random) -> Decision:
        """The decision, now and then another action by lot; its probabilities are those of both together."""
        share = self.explore if may_try(observation) else 0.0
        allowed = observation.feasible
        certain = {action: decision.probabilities.get(action, 0.0) for action in allowed}
        mixed = {action: (1 - share) * p + share / len(allowed) for action, p in certain.items()}
        if rng.random() >= share:
            return replace(decision, probabilities=mixed)
        tried = rng.choice(allowed)
        if tried is decision.action:
            return replace(decision, probabilities=mixed)
        instead = f"a try, as {share:.0%} of advice is: it shows what suits you (else: {decision.action})"
        return replace(decision, action=tried, probabilities=mixed, reasons=(instead,))


class Guarded:
    """A policy behind the guard, as people meet it."""

    def __init__(self, policy: Policy, guard: Guard) -> None:
        self._policy, self._guard = policy, guard
        self.name, self.version = policy.name, policy.version

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Simulated people have no calendar date: their last answer was just before."""
        last = observation.history[-1].at if observation.history else datetime.min.replace(tzinfo=UTC)
        allowed, _ = self._guard.allowed(observation, now=last)
        return self._guard.drawn(self._policy.decide(allowed, rng), allowed, rng)


def resting(history: Sequence[Interaction], action: ActionType, slot: Slot) -> datetime | None:
    """Until when an action rests in a kind of slot; None unless its last answers there were all Ignore.

    Put off is another matter: the action was right and the hour was not, which the model hears.
    """
    answers = [one for one in history if one.recommended is action and one.slot is slot][-TURNED_DOWN:]
    if len(answers) < TURNED_DOWN or any(one.answer is not Answer.IGNORE for one in answers):
        return None
    return answers[-1].at + REST


def _awake(observation: Observation) -> bool:
    """Whether sleep has no place now: a model of weeks knows four slots a day, but not that people sleep at night."""
    vitality = observation.meters.get(Meter.VITALITY)
    tired = vitality is not None and vitality.coverage > 0 and vitality.level < TIRED
    return observation.slot in WAKING and not tired and ActionType.SLEEP not in observation.planned


def may_try(observation: Observation) -> bool:
    """Whether it is a time to try things: by day, with a choice, and no known meter strained."""
    levels = [s.level for m, s in observation.meters.items() if s.coverage > 0 and m is not Meter.PROGRESS]
    return observation.slot is not Slot.NIGHT and len(observation.feasible) > 1 and min(levels, default=1) >= STRAINED


def guard_of(explore: str, quiet: str) -> Guard:
    """From settings: ``BRIDGE_EXPLORE`` (0 to 0.2) and ``BRIDGE_QUIET`` (slots by name, with commas, or "none")."""
    try:
        share = float(explore)
    except ValueError:
        share = -1.0
    if not 0 <= share <= MOST:
        raise SetupError(f"BRIDGE_EXPLORE is the share of advice that is a try: a number from 0 to {MOST}")
    named = [name.strip().upper() for name in quiet.split(",") if name.strip().lower() not in ("", "none")]
    unknown = sorted(set(named) - {slot.name for slot in Slot})
    if unknown:
        raise SetupError(f"BRIDGE_QUIET names slots: {', '.join(slot.name.lower() for slot in Slot)}, or none")
    return Guard(explore=share, quiet=frozenset(Slot[name] for name in named))
