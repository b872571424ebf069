"""Choose by inferring the user's traits and planning the rest of the week anew in every slot.

Users are served by the objective ``reward``. The objective ``grade`` reproduces published figures.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from policies.planner.population import CROWD, USUAL, Kind
from rhythm_env.interface import ActionType, Belief, Decision, Observation, Policy

if TYPE_CHECKING:
    from policies.planner.inference import Posterior
    from policies.planner.responses import Particles
    from rhythm_env.profiles import Profiles

# Value of a unit less error of the belief. For ``grade`` it is the published share, for ``reward`` it is less.
CURIOSITY = {"reward": 0.15, "grade": 0.2}
DIGITS = 4  # of beliefs and scores: differences between processors are far smaller


class Planner:
    """A policy that infers a user's traits and plans by an ``objective``, either ``reward`` or ``grade``.

    Without ``learns`` the planner plans for the average person. ``three`` restricts the particles to the three
    published archetypes. ``prior`` is a user's prior from ``learn``, after which only later answers are processed.
    ``knows`` gives the true person, for comparisons. None is no prior, and an unknown person. ``crowd`` is the number
    of particles for a user who answers, of each of the ``kinds`` of people, by default of the usual.
    """

    name = "planner"
    version = 3

    def __init__(
        self,
        objective: str = "reward",
        *,
        learns: bool = True,
        three: bool = False,
        prior: Mapping[str, Any] | None = None,
        knows: Profiles | None = None,
        crowd: int = CROWD,
        kinds: tuple[Kind, ...] = USUAL,
    ) -> None:
        self.objective, self.learns, self.three, self.prior, self.knows = objective, learns, three, prior, knows
        self.crowd, self.kinds = crowd, kinds
        self._whom: Particles | None = None

    def variant(
        self, *, objective: str, learns: bool = True, three: bool = False, knows: Profiles | None = None
    ) -> Planner:
        """Return a planner with another objective or other assumptions, for comparisons. It has no user's prior."""
        return Planner(objective, learns=learns, three=three, knows=knows, crowd=self.crowd, kinds=self.kinds)

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """Return possible people who fit all answers, in JSON form, as a prior. Raises ValueError without answers."""
        from policies.planner.inference import learnt

        return learnt(observation, self.kinds)

    def personal(self, prior: Mapping[str, Any]) -> Planner:
        """Return the same planner with a user's prior. The answers behind the prior are not processed again."""
        return Planner(self.objective, learns=self.learns, prior=prior, crowd=self.crowd, kinds=self.kinds)

    def chance(self, observation: Observation, action: ActionType) -> float:
        """Return the probability that the user accepts the action, or 0.5 for a simulated person who never answers."""
        from policies.planner.advice import taken

        return taken(observation, self.posterior(observation), action)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        """Return the decision for the feasible action with the best score. ``rng`` is not used.

        The action's probability is 1, and that of all others 0.
        """
        from policies.planner.advice import advise
        from policies.planner.inference import prior

        posterior = self.posterior(observation) if self.learns else prior()
        curious = self.learns and self.knows is None
        advice = advise(observation, posterior, self.objective, CURIOSITY[self.objective] if curious else 0.0)
        mean, sd = (tuple(round(float(x), DIGITS) for x in values) for values in posterior.belief())
        return Decision(
            action=advice.action,
            belief=Belief(social=mean[0], morning=mean[1], work=mean[2]),
            scores={action: round(score, DIGITS) for action, score in advice.scores.items()},
            probabilities={action: float(action is advice.action) for action in advice.scores},
            reasons=advice.reasons,
            belief_sd=(sd[0], sd[1], sd[2]),
            by="" if self.prior is None else f"prior-{self.prior['through'][:10]}",
        )

    def posterior(self, observation: Observation) -> Posterior:
        """Return the posterior over the user's traits, given the observation and the prior, if any."""
        from policies.planner.inference import anyone, infer
        from policies.planner.particle_filter import SHARED

        if self.knows is not None:
            from policies.planner.inference import certain

            self._whom = self._whom or certain(self.knows)
            return infer(observation, SHARED, whom=self._whom, known=True)
        if self.prior is None:
            return infer(observation, SHARED, three=self.three, whom=anyone(self.crowd, self.kinds))
        from policies.planner.inference import crowd_of, since

        self._whom = self._whom or crowd_of(self.prior, self.crowd)
        return infer(since(observation, self.prior), SHARED, whom=self._whom)


def open_policy() -> Policy:
    """Return the policy of this module, with the objective ``reward``, which BRIDGE_POLICY=planner chooses."""
    return Planner()
