"""The planner: infer who the person is, then plan the rest of the week for them, anew in every slot.

``inference`` turns what an observation holds into supposed people, ``plans`` searches the best rest of the week for
their mean, ``advice`` weighs it with how likely the person takes the advice, ``words`` says why. A person is always
served by the objective ``reward``: their own weighted meters. ``grade`` exists for the comparison with the published
figures, which pay for a bad first half of the week; ``variant`` makes it, and the planner that never learns.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rhythm_env.interface import ActionType, Belief, Decision, Observation, Policy

if TYPE_CHECKING:
    from policies.planner.inference import Posterior
    from policies.planner.memory import Memory
    from policies.planner.responses import Crowd
    from rhythm_env.profiles import Profiles

# What an error of the belief is worth: the published grade's share of it; next to one's own meters, less.
CURIOSITY = {"reward": 0.15, "grade": 0.2}
DIGITS = 4  # of beliefs and scores: single precision differs from processor to processor far behind them


class Planner:
    """``objective``: reward or grade; ``learns``: False plans for the average person, whatever is seen.

    ``three``: it is told that everybody is one of the three published archetypes. ``prior``: one person's, as ``learn``
    gave it; then only answers that it has not heard are. ``knows``: who the person is, for comparisons.
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
    ) -> None:
        self.objective, self.learns, self.three, self.prior, self.knows = objective, learns, three, prior, knows
        self._memory: Memory | None = None
        self._whom: Crowd | None = None

    def variant(
        self, *, objective: str, learns: bool = True, three: bool = False, knows: Profiles | None = None
    ) -> Planner:
        """The same planner with another aim or another idea of who there is, for comparisons."""
        return Planner(objective, learns=learns, three=three, knows=knows)

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """One person's prior, of all answers that the observation holds, however old. Raises ValueError without any."""
        from policies.planner.personal import learnt

        return learnt(observation)

    def personal(self, prior: Mapping[str, Any]) -> Planner:
        """The planner of the person whose prior this is."""
        return Planner(self.objective, learns=self.learns, prior=prior)

    def chance(self, observation: Observation, action: ActionType) -> float:
        """How likely the advice is taken, in the planner's opinion."""
        from policies.planner.advice import taken

        return taken(observation, self._posterior(observation), action)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        from policies.planner.advice import advise
        from policies.planner.inference import prior

        posterior = self._posterior(observation) if self.learns else prior()
        advice = advise(observation, posterior, self.objective, CURIOSITY[self.objective] if self.learns else 0.0)
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

    def _posterior(self, observation: Observation) -> Posterior:
        from policies.planner.inference import infer
        from policies.planner.memory import Memory

        self._memory = self._memory or Memory()
        if self.knows is not None:
            from policies.planner.inference import certain

            self._whom = self._whom or certain(self.knows)
            return infer(observation, self._memory, whom=self._whom, known=True)
        if self.prior is None:
            return infer(observation, self._memory, three=self.three)
        from policies.planner.personal import crowd_of, since

        self._whom = self._whom or crowd_of(self.prior)
        return infer(since(observation, self.prior), self._memory, whom=self._whom)


def open_policy() -> Policy:
    return Planner()
