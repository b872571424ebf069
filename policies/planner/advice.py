"""Choose an action from the best plan for the mean person and the probability of acceptance.

An action is worth that probability times its gain over the user's own choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from policies.planner.inference import Posterior, exact, levels
from policies.planner.plans import NORMAL, best_plan, situation_of
from policies.planner.population import profiles
from policies.planner.responses import Particles
from policies.planner.rollout import Bodies, bodies
from policies.planner.words import reasons
from rhythm_env.constants import METERS, SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Meter, Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

AHEAD = 12  # slots in a plan for a user who answers, also past Sunday
TAKEN = 0.06  # value of an acceptance in itself, in mean level over the plan
STRAY = 0.1  # standard deviation of a real meter around the meter that answers suggest
COUNTED = (Meter.PROGRESS, Meter.CONNECTION)
INQUIRY = 0.06  # value of a nat of information about the user, in the same unit


@dataclass(frozen=True, slots=True)
class Advice:
    """The chosen action, the score of each feasible action, and sentences with the reasons."""

    action: ActionType
    scores: dict[ActionType, float]
    reasons: tuple[str, ...]


def advise(observation: Observation, posterior: Posterior, objective: str, curiosity: float) -> Advice:
    """Return the feasible action with the best score, with all scores and reasons.

    Scores are mean levels for ``reward``, points for ``grade``, or ``Prospects.scores`` for a user who answers.
    """
    person = posterior.person()
    body = body_of(person)
    if posterior.crowd is None:
        worth = best_plan(situation_of(observation), person[:METERS], body, objective, curiosity).worth
    else:  # users who answer are always served by their own reward
        worth = prospects(observation, posterior, posterior.crowd).scores()
    scores = {action: float(worth[ACTIONS.index(action)]) for action in observation.feasible}
    action = max(scores, key=lambda a: scores[a])
    return Advice(action, scores, reasons(action, observation, person, body, posterior.belief()))


def taken(observation: Observation, posterior: Posterior, action: ActionType) -> float:
    """Return the probability that the action is accepted. It is 0.5 for a simulated person, who never answers."""
    crowd = posterior.crowd
    if crowd is None:
        return 0.5
    standing = crowd.standings(crowd.changes(int(observation.slot)))
    return float(crowd.accepted(standing)[ACTIONS.index(action)] @ posterior.weights)


def read_into(supposed: Array, observation: Observation) -> Array:
    """Return the supposed meters (5,) moved towards the readings, further for more certain readings.

    Felt meters move by their distance from the user's normal, counted ones towards the reading.
    """
    import numpy as np

    found = supposed.astype(float)
    for at, meter in enumerate(Meter):
        state = observation.meters.get(meter)
        if state is not None and state.coverage > 0:
            distance = state.level - (found[at] if meter in COUNTED else NORMAL)
            found[at] += distance * STRAY**2 / (STRAY**2 + state.sd**2)
    return np.asarray(np.clip(found, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Prospects:
    """Predicted effects of recommending each action to a user who answers, as arrays (10,).

    ``gains`` are over the user's own choice, -inf if infeasible. ``tells`` is information in nats.
    """

    taken: Array
    gains: Array
    tells: Array

    def scores(self) -> Array:
        """Return the value (10,) of recommending each action, compared with no advice, -inf if infeasible."""
        import numpy as np

        possible = np.isfinite(self.gains)
        achieved = self.taken * (np.where(possible, self.gains, 0.0) + TAKEN) + INQUIRY * self.tells
        return np.where(possible, achieved, -np.inf)


def prospects(
    observation: Observation, posterior: Posterior, crowd: Particles, person: Array | None = None
) -> Prospects:
    """Return the predicted effects of recommending each action in the observation's slot.

    The particles' mean meters are moved towards the readings, and plans reach 12 slots ahead. If all meters are read
    without error, the readings replace the mean meters. The gains are those of ``person`` (18,), by default of the mean
    particle.
    """
    import numpy as np

    supposed = crowd.meters @ posterior.weights
    meters = levels(observation) if exact(observation) else read_into(supposed, observation)
    situation = situation_of(observation)
    situation = replace(situation, meters=meters, until=situation.step + AHEAD)
    person = posterior.person() if person is None else person
    worth = best_plan(situation, person[:METERS], body_of(person), "reward", curiosity=0.0).worth
    standing = crowd.standings(crowd.changes(situation.step % SLOTS))
    each = crowd.accepted(standing)
    taken, possible = each @ posterior.weights, np.isfinite(worth)
    habit = np.exp(standing) @ posterior.weights * possible
    alone = float((np.where(possible, worth, 0.0) * habit).sum() / habit.sum())
    return Prospects(taken, worth - alone, _entropy(taken) - _entropy(each) @ posterior.weights)


def body_of(person: Array) -> Bodies:
    """Return the tables of actions for a person (18,), in single precision, which is enough for plans."""
    return bodies(profiles(person.astype("f4")[:, None]).traits).one(0)


def _entropy(chance: Array) -> Array:
    import numpy as np

    return np.asarray(-chance * np.log(chance) - (1 - chance) * np.log1p(-chance))
