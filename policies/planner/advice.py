"""From a posterior to one action: the best plan for the mean person and, where a person answers, what advice achieves.

A simulated person does what a policy says. A real one may not: then advice is worth the chance that it is taken times
what taking it gains over what they would do by themselves, and a turned-down recommendation costs a little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from policies.planner.inference import Posterior, exact, levels
from policies.planner.plans import Situation, best_plan
from policies.planner.population import profiles
from policies.planner.responses import Crowd, accepts
from policies.planner.rollout import bodies
from policies.planner.situation import NORMAL, situation_of
from policies.planner.words import reasons
from rhythm_env.constants import METERS, SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Meter, Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

AHEAD = 12  # slots that are planned for a person who answers: life goes on after Sunday
TAKEN = 0.06  # what a taken recommendation is worth in itself, in mean level over the plan
STRAY = 0.1  # how far a life strays from what the answers let suppose, standard deviation of a meter
COUNTED = (Meter.PROGRESS, Meter.CONNECTION)
INQUIRY = 0.06  # what a nat about the person is worth, in the same unit


@dataclass(frozen=True, slots=True)
class Advice:
    action: ActionType
    scores: dict[ActionType, float]
    reasons: tuple[str, ...]


def advise(observation: Observation, posterior: Posterior, objective: str, curiosity: float) -> Advice:
    """The feasible action with the best score; scores are mean levels, or points of the grade, over the plan."""
    situation, crowd = situation_of(observation), posterior.crowd
    if crowd is not None:
        supposed = crowd.meters @ posterior.weights
        meters = levels(observation) if exact(observation) else read_into(supposed, observation)
        situation = replace(situation, meters=meters, until=situation.step + AHEAD)
    person = posterior.person()
    body = bodies(profiles(person.astype("f4")[:, None]).traits).one(0)  # plans need no more than single precision
    if crowd is None:
        worth = best_plan(situation, person[:METERS], body, objective, curiosity).worth
    else:  # whoever answers is served by their own reward, whatever else is asked for
        planned = best_plan(situation, person[:METERS], body, "reward", curiosity=0.0).worth
        worth = _of_advice(planned, situation, posterior.weights, crowd)
    scores = {action: float(worth[ACTIONS.index(action)]) for action in observation.feasible}
    action = max(scores, key=lambda a: scores[a])
    return Advice(action, scores, reasons(action, observation, person, body, posterior.belief()))


def taken(observation: Observation, posterior: Posterior, action: ActionType) -> float:
    """The probability that advice is taken; one half where nobody answers."""
    crowd = posterior.crowd
    if crowd is None:
        return 0.5
    standing = crowd.standings(crowd.changes(int(observation.slot)))
    return float(accepts(standing)[ACTIONS.index(action)] @ posterior.weights)


def read_into(supposed: Array, observation: Observation) -> Array:
    """(5,): where the meters are supposed to be, moved by what is read of them now, the surer the further.

    Body and mind are read against the person's own normal, so it is their distance from it that moves; progress and
    company are counted, and move towards their count.
    """
    import numpy as np

    found = supposed.astype(float)
    for at, meter in enumerate(Meter):
        state = observation.meters.get(meter)
        if state is not None and state.coverage > 0:
            distance = state.level - (found[at] if meter in COUNTED else NORMAL)
            found[at] += distance * STRAY**2 / (STRAY**2 + state.sd**2)
    return np.asarray(np.clip(found, 0.0, 1.0))


def _of_advice(worth: Array, situation: Situation, weights: Array, crowd: Crowd) -> Array:
    """(10,): what advising each action achieves over saying nothing, and tells; -inf for what is not possible.

    Whether it is taken is told from where answers suppose the meters to be: moved by readings, fewer people took it.
    """
    import numpy as np

    standing = crowd.standings(crowd.changes(situation.step % SLOTS))
    each = accepts(standing)
    taken, possible = each @ weights, np.isfinite(worth)
    habit = np.exp(standing) @ weights * possible
    alone = float((np.where(possible, worth, 0.0) * habit).sum() / habit.sum())
    told = _entropy(taken) - _entropy(each) @ weights
    return np.where(possible, taken * (worth - alone + TAKEN) + INQUIRY * told, -np.inf)


def _entropy(chance: Array) -> Array:
    """Of a yes or no, in nats."""
    import numpy as np

    return np.asarray(-chance * np.log(chance) - (1 - chance) * np.log1p(-chance))
