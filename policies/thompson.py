"""Thompson sampling per slot of the day, without any model of actions, as a baseline.

For every action and slot of the day the policy counts accepted recommendations (Thompson 1933, prior Beta(1, 1)). It
draws an acceptance rate per action from the posterior and recommends the highest. The counts come from the observed
history, so no state is kept.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from rhythm_env.interface import ActionType, Answer, Belief, Decision, Observation, Policy

DRAWS = 32  # rounds that estimate the probability of each action
Counts = Mapping[ActionType, tuple[int, int]]


class Thompson:
    """A policy that draws the acceptance rates of all actions in 32 rounds. The highest rate wins a round.

    An action is recommended as often as it wins rounds. Scores are mean rates.
    """

    name = "thompson"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Draw an action with the probability of its share of won rounds."""
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
    """Return (accepted, refused) of every feasible action in this slot of the day."""
    here = [one for one in observation.history if one.slot is observation.slot]
    taken = Counter(one.recommended for one in here if one.answer is Answer.ACCEPT)
    refused = Counter(one.recommended for one in here if one.answer is not Answer.ACCEPT)
    return {action: (taken[action], refused[action]) for action in observation.feasible}


def _winner(counts: Counts, rng: random.Random) -> ActionType:
    """Return the action with the highest drawn rate."""
    drawn = {action: rng.betavariate(1 + taken, 1 + refused) for action, (taken, refused) in counts.items()}
    return max(drawn, key=lambda action: drawn[action])


def _said(observation: Observation, action: ActionType, taken: int, refused: int) -> str:
    """Describe earlier answers to the action in this slot."""
    plain, slot = action.lower().replace("_", " "), observation.slot.name.lower()
    if not taken + refused:
        return f"{plain} was never suggested in the {slot} yet"
    return f"{plain} was taken {taken} of {taken + refused} times in the {slot}"


def open_policy() -> Policy:
    return Thompson()
