"""Choose actions by the planner's forecasts, corrected by the user's own answers. This is the default policy.

The planner (``policies.planner``) predicts simulated people well and real people badly, so ``learner`` corrects it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from policies.planner import Planner
from policies.planner.population import KINDS
from rhythm_env.interface import ActionType, Decision, Observation, Policy

if TYPE_CHECKING:
    from policies.adaptive.trust import Heard
    from policies.planner.responses import Particles
    from rhythm_env.profiles import Profiles

# Particles of the planner. Forecasts of answers hardly need more: over 60 simulated people their error is 0.194 with
# 192 particles and 0.192 with 1024, and a decision takes half the time.
# There are as many of each kind of people.
CROWD = 128


class Adaptive:
    """The policy that corrects the forecasts of the planner (``policies.planner``) by the user's own answers.

    ``prior`` is a mapping that ``learn`` returned for this user, None to begin without knowledge of the user. For a
    simulated person, who never answers, the planner decides alone.
    """

    name = "adaptive"
    version = 3

    def __init__(self, planner: Planner | None = None, *, prior: Mapping[str, Any] | None = None) -> None:
        self._planner, self._prior = planner or Planner(crowd=CROWD, kinds=KINDS), prior

    def variant(
        self, *, objective: str, learns: bool = True, three: bool = False, knows: Profiles | None = None
    ) -> Adaptive:
        """Return a copy for comparisons, without a user's prior. The arguments are those of ``Planner``."""
        return Adaptive(self._planner.variant(objective=objective, learns=learns, three=three, knows=knows))

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """Return what all answers in ``observation`` tell about the user, as JSON values for ``personal``.

        Raises ValueError if the observation has no answers.
        """
        from policies.adaptive.trust import kept

        body = self._planner.learn(observation)
        return {**body, "heard": kept(self._crowd(observation), observation.routine)}

    def personal(self, prior: Mapping[str, Any]) -> Adaptive:
        """Return a copy that starts from ``prior``, a result of ``learn``, and learns from later answers only."""
        return Adaptive(self._planner.personal(prior), prior=prior)

    def chance(self, observation: Observation, action: ActionType) -> float:
        """Return the probability that the user accepts ``action`` if it is recommended now.

        It is 0.5 for a simulated person, who never answers.
        """
        from policies.adaptive.advice import chances

        crowd = self._crowd(observation)
        return (
            0.5 if crowd is None else float(chances(observation, crowd, self._listen(crowd, observation), [action])[0])
        )

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return a decision for the feasible action with the highest probability of acceptance times benefit.

        The policy ``shared_arms`` decides instead if the forecasts of the last answers were clearly wrong. ``rng``
        draws between two actions that are nearly equally good.
        """
        from policies.adaptive.advice import advise

        posterior = self._planner.posterior(observation)
        if posterior.crowd is None or not self._planner.learns:
            return self._planner.decide(observation, rng)
        known = self._listen(posterior.crowd, observation)
        if known.lost():
            return _without_suppositions(observation, rng)
        decision = advise(observation, posterior, posterior.crowd, known, rng)
        return decision if self._prior is None else replace(decision, by=f"prior-{self._prior['through'][:10]}")

    def _crowd(self, observation: Observation) -> Particles | None:
        return self._planner.posterior(observation).crowd

    def _listen(self, crowd: Particles, observation: Observation) -> Heard:
        from policies.adaptive.trust import SHARED

        return SHARED.heard(crowd, observation.routine, self._prior)


def _without_suppositions(observation: Observation, rng: random.Random) -> Decision:
    """Return the decision of ``shared_arms``, for a user whose answers were predicted badly."""
    from policies.adaptive.advice import LOST, UNKNOWN_SD
    from policies.shared_arms import SharedArms

    decision = SharedArms().decide(observation, rng)
    reasons = (LOST, *decision.reasons)
    return replace(decision, reasons=reasons, belief_sd=(UNKNOWN_SD,) * 3, by="shared_arms")


def open_policy() -> Policy:
    """Return a new ``Adaptive`` without a user's prior. The setting BRIDGE_POLICY=adaptive chooses this policy."""
    return Adaptive()
