"""Choose by inferring the user's traits and planning the rest of the week anew in every slot."""

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
    """A policy that infers a user's traits and plans by an ``objective``, either "reward" or "grade" (the final grade).

    Without ``learns`` it plans for the average person. ``three`` considers only the three published archetypes,
    ``prior`` is a result of ``learn``, ``knows`` are the true traits, and ``crowd`` is the number of possible persons
    for each of ``kinds``.
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
        """Return a planner for comparisons, without a user's prior. The arguments are those of ``Planner``."""
        return Planner(objective, learns=learns, three=three, knows=knows, crowd=self.crowd, kinds=self.kinds)

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """Return possible persons who fit all answers in ``observation``, as JSON values for ``personal``.

        Raises ValueError if the observation has no answers.
        """
        from policies.planner.inference import learnt

        return learnt(observation, self.kinds)

    def personal(self, prior: Mapping[str, Any]) -> Planner:
        """Return a copy that starts from ``prior``, a result of ``learn``, and learns from later answers only."""
        return Planner(self.objective, learns=self.learns, prior=prior, crowd=self.crowd, kinds=self.kinds)

    def chance(self, observation: Observation, action: ActionType) -> float:
        """Return the probability that the user accepts the action, or 0.5 for a simulated person, who never answers."""
        from policies.planner.advice import taken

        return taken(observation, self.posterior(observation), action)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        """Return the decision for the feasible action with the best score, with probability 1. ``rng`` is not used."""
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
        """Return possible persons with weights, given the observation and the user's prior, if the planner has one."""
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
    """Return a new ``Planner`` for the objective "reward". The setting BRIDGE_POLICY=planner chooses this policy."""
    return Planner()
