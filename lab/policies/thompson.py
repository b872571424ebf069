"""Thompson sampling (Thompson 1933) for each slot of the day separately, as a baseline."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from rhythm_env.interface import ActionType, Answer, Belief, Decision, Observation, Policy

DRAWS = 32  # rounds that estimate the probability of each action
Counts = Mapping[ActionType, tuple[int, int]]


class Thompson:
    """A policy that chooses the feasible action with the highest sampled rate of acceptance in this slot of the day."""

    name = "thompson"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return a decision for an action, drawn by how often its sampled rate is the highest in DRAWS rounds."""
        counts = counted(observation)
        wins = Counter(_winner(counts, rng) for _ in range(DRAWS))
        action = rng.choices(list(wins), list(wins.values()))[0]
        return Decision(
            action=action,
            belief=Belief(),
            scores={a: (1 + taken) / (2 + taken + refused) for a, (taken, refused) in counts.items()},
            probabilities={a: wins[a] / DRAWS for a in counts},
            reasons=(_said(observation, action, *counts[action]),),
        )


def counted(observation: Observation) -> Counts:
    """Return feasible action -> (number of Accept, number of other answers), in the observation's slot of the day."""
    here = [one for one in observation.history if one.slot is observation.slot]
    taken = Counter(one.recommended for one in here if one.answer is Answer.ACCEPT)
    refused = Counter(one.recommended for one in here if one.answer is not Answer.ACCEPT)
    return {action: (taken[action], refused[action]) for action in observation.feasible}


def _winner(counts: Counts, rng: random.Random) -> ActionType:
    drawn = {action: rng.betavariate(1 + taken, 1 + refused) for action, (taken, refused) in counts.items()}
    return max(drawn, key=lambda action: drawn[action])


def _said(observation: Observation, action: ActionType, taken: int, refused: int) -> str:
    plain, slot = action.lower().replace("_", " "), observation.slot.name.lower()
    if not taken + refused:
        return f"{plain} was never suggested in the {slot} yet"
    return f"{plain} was taken {taken} of {taken + refused} times in the {slot}"


def open_policy() -> Policy:
    return Thompson()
