"""Choose an action from the best plan for the mean person and the probability of acceptance.

An action's score is this probability times the gain over the user's own choice. Sentences explain the decision by the
action's purpose, earlier answers, and the belief about the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policies.planner.inference import Posterior, exact, levels
from policies.planner.plans import NORMAL, Bodies, best_plan, bodies, situation_of, stepped
from policies.planner.population import profiles
from policies.planner.responses import Particles
from rhythm_env.constants import METERS, SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, Observation, Slot

if TYPE_CHECKING:
    from policies.planner.plans import Bodies

Array = NDArray[np.float64]

AHEAD = 12  # slots in a plan for a user who answers, also past Sunday
TAKEN = 0.06  # value of an acceptance in itself, in mean level over the plan
STRAY = 0.1  # standard deviation of a real meter around the meter that answers suggest
COUNTED = (Meter.PROGRESS, Meter.CONNECTION)
INQUIRY = 0.06  # value of a nat of information about the user, in the same unit


@dataclass(frozen=True, slots=True)
class Advice:
    action: ActionType
    scores: dict[ActionType, float]
    reasons: tuple[str, ...]


def advise(observation: Observation, posterior: Posterior, objective: str, curiosity: float) -> Advice:
    """Return the feasible action with the best score, with all scores and the reasons in sentences.

    Scores are mean levels of meters for the objective "reward", points (0 to 1) for "grade", and ``Prospects.scores``
    for a user who answers. ``curiosity`` is the value of a unit of information about the person.
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
    """Return the probability that the user accepts the action, or 0.5 for a simulated person, who never answers."""
    crowd = posterior.crowd
    if crowd is None:
        return 0.5
    standing = crowd.standings(crowd.changes(int(observation.slot)))
    return float(crowd.accepted(standing)[ACTIONS.index(action)] @ posterior.weights)


def read_into(supposed: Array, observation: Observation) -> Array:
    """Return simulated levels (5,) of the meters, corrected by the measured levels in the observation.

    The smaller the standard deviation of a measured level, the larger its weight. Meters in COUNTED move towards the
    level itself, other meters by its distance from NORMAL.
    """
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

    ``taken`` is the probability of acceptance, ``gains`` the mean level of the meters above that of the user's own
    choice (-inf if infeasible), and ``tells`` the information of the answer in nats.
    """

    taken: Array
    gains: Array
    tells: Array

    def scores(self) -> Array:
        """Return the value (10,) of recommending each action rather than nothing, in mean level, -inf if infeasible."""
        possible = np.isfinite(self.gains)
        achieved = self.taken * (np.where(possible, self.gains, 0.0) + TAKEN) + INQUIRY * self.tells
        return np.where(possible, achieved, -np.inf)


def prospects(
    observation: Observation, posterior: Posterior, crowd: Particles, person: Array | None = None
) -> Prospects:
    """Return the predicted effects of recommending each action now, by plans of AHEAD slots.

    ``crowd`` are the possible persons, weighted by ``posterior``. Plans start from their mean meters, corrected by the
    measured levels. They serve ``person`` (18,), by default the mean person.
    """
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
    """Return the tables of effects for plans of a person (18,), in single precision."""
    return bodies(profiles(person.astype("f4")[:, None]).traits).one(0)


def _entropy(chance: Array) -> Array:
    return np.asarray(-chance * np.log(chance) - (1 - chance) * np.log1p(-chance))


TIMES = {Slot.MORNING: "mornings", Slot.AFTERNOON: "afternoons", Slot.EVENING: "evenings", Slot.NIGHT: "nights"}
SAID = {Answer.ACCEPT: "accepted", Answer.IGNORE: "ignored", Answer.RESCHEDULE: "put off"}
SIDES = {  # dimension of the belief -> sentences for its low and its high end
    "social": ("company seems to cost you more than it gives", "company seems to do you good"),
    "morning": ("your head seems clearer late in the day", "your head seems clearer in the morning"),
    "work": ("work seems to take more out of you than it gives", "work seems to do you good"),
}
LEANING = 0.15  # least distance of a belief from the middle for a sentence
LOW = 0.5  # a level below this is mentioned, as everybody's own normal is 0.7
OFTEN = 2  # refusals of an action at a time of day that are worth a sentence
NOUNS = {
    ActionType.LEARN: "learning",
    ActionType.MEDITATE: "meditation",
    ActionType.SOCIALIZE: "company",
    ActionType.ME_TIME: "time for yourself",
    ActionType.BINGE_WATCH: "watching something",
}


def reasons(
    action: ActionType, observation: Observation, person: Array, supposed: Bodies, belief: tuple[Array, Array]
) -> tuple[str, ...]:
    """Return at least one sentence that explains the action, by its purpose, then earlier answers, then the belief.

    ``person`` (18,) is the mean person, ``supposed`` its tables of effects, and ``belief`` the (mean, standard
    deviation) of the traits social, morning and work, each (3,).
    """
    found = [purpose(action, observation, person, supposed)]
    found += answers(observation.history, observation.slot, action)
    found += leanings(*belief)
    return tuple(found)


def purpose(action: ActionType, observation: Observation, person: Array, supposed: Bodies) -> str:
    """Return a sentence about the meter that the action raises most for this person, with the expected change.

    ``person`` (18,) begins with the weights of the meters. ``supposed`` are the person's tables of effects.
    """
    levels = [0.7 if (state := observation.meters.get(meter)) is None else state.level for meter in Meter]
    now = np.repeat(np.array(levels)[:, None], len(ACTIONS), axis=1)
    changes = stepped(now, np.arange(len(ACTIONS)), int(observation.slot), supposed) - now
    number = ACTIONS.index(action)
    ahead = person[:METERS] * (changes[:, number] - changes.mean(axis=1))
    best = int(ahead.argmax())
    change = float(changes[best, number])
    if change <= 0:
        return f"{plain(action)} fits the rest of the week best; what it costs now comes back later"
    return _opening(observation, tuple(Meter)[best], action) + f" (about {change:+.2f})"


def _opening(observation: Observation, meter: Meter, action: ActionType) -> str:
    state, name = observation.meters.get(meter), meter.lower()
    if not observation.history and all(other.coverage <= 0 for other in observation.meters.values()):
        return f"nothing is known of you yet; for most people {plain(action)} does most for {name} now"
    if state is not None and state.coverage > 0 and state.level < LOW:
        return f"your {name} is low ({state.level:.2f}), and {plain(action)} would do most for it now"
    return f"{plain(action)} would do most for your {name} now"


def answers(history: Sequence[Interaction], slot: Slot, action: ActionType) -> Iterator[str]:
    """Yield a sentence that counts the earlier answers to ``action`` in this slot of the day, if there are any.

    Then yield a sentence on the other action that was refused most often there, and never accepted.
    """
    here = [one for one in history if one.slot is slot]
    mine = [one for one in here if one.recommended is action]
    if mine:
        yield _counted(slot, action, mine)
    others = {one.recommended for one in here} - {action}
    refused = {a: [one for one in here if one.recommended is a] for a in sorted(others)}
    refused = {a: some for a, some in refused.items() if len(some) >= OFTEN and not _accepted(some)}
    if refused:
        most = max(refused, key=lambda a: len(refused[a]))
        yield _counted(slot, most, refused[most])


def _accepted(some: Sequence[Interaction]) -> bool:
    return any(one.answer is Answer.ACCEPT for one in some)


def _counted(slot: Slot, action: ActionType, some: Sequence[Interaction]) -> str:
    counts = {answer: sum(one.answer is answer for one in some) for answer in Answer}
    said = ", ".join(f"{SAID[answer]} {count} of {len(some)}" for answer, count in counts.items() if count)
    return f"{TIMES[slot]}: {plain(action)} {said}"


def leanings(mean: Array, sd: Array) -> Iterator[str]:
    """Yield a sentence for each trait (social, morning, work) whose mean is clearly above or below 0.5.

    Its distance must exceed both LEANING and its standard deviation. ``mean`` and ``sd`` have the shape (3,).
    """
    for (low, high), centre, spread in zip(SIDES.values(), mean, sd, strict=True):
        lean = float(centre) - 0.5
        if abs(lean) > max(LEANING, float(spread)):
            yield f"{high if lean > 0 else low} ({float(centre):.2f} ± {float(spread):.2f} of 1)"


def plain(action: ActionType) -> str:
    """Return an action's name for use inside a sentence, such as "time for yourself"."""
    return NOUNS.get(action, action.lower().replace("_", " "))
