"""Choose an action from forecasts of the user's answers, state a belief about the user, and explain the decision."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from policies.adaptive.learner import ACTION, BOTH, SHARES, Asked, Forecast, Learner, forecast
from policies.adaptive.trust import DOUBTED, MANY_ENOUGH, Heard, logit, usual
from policies.planner.advice import TAKEN, TIMES, answers, body_of, plain, prospects
from policies.planner.advice import reasons as of_the_planner
from policies.planner.inference import Posterior, prior
from policies.planner.population import CONTRARY
from policies.planner.responses import Particles
from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Belief, Decision, Observation, Slot

Array = NDArray[np.float64]

DIGITS = 4
CURIOSITY = 0.2  # standard deviations added to a probability, so that uncertain actions of worth are explored
LIKELY = (0.2, 0.8)  # bounds of the probability of the better of two close actions (HeartSteps V2, Oralytics)
LOSS = 1.5  # weight of a loss against an equal gain: advice may do less good than it could, but should do no harm
# Share of the meters' weight that is lost where a person refuses what is good. Nobody has both there: a policy that
# knew such people fully had acceptance .67 at level .60, .61 at .65 or .53 at .71, by this weight alone.
DISSENT = 0.4
# Weight of the meters where forecasts do not hold. Near the largest acceptance a little of it costs next to none, and
# brings level: with tastes of one's own .735 at level .780 (by 0.4), beside .733 at .745 without. At 0.5 it cost.
LEAST = 0.3
CLOSE = 0.15  # standard errors within which two actions count as equally good
TRUSTED = 0.4  # share of the planner at which its values count in full
UNKNOWN_SD = 0.31  # of a belief about somebody unlike all: 1.645 standard deviations reach from the middle to 0 and 1
STRANGER, STRANGER_SD = 0.5, 0.289  # mean and spread of a trait of which every value is as likely
# Errors of the planner's belief over its stated spread, over 126 lives of 24 people: particles are few and too alike.
WIDER = 1.15
ALMOST_SURE = 1e-3  # spread that no belief falls below, so that it can be divided by
UNBELIEVED, BELIEVED = 0.4, 0.7  # shares of the planner at which its belief begins to count, and counts in full
OFF = 2.0  # standard errors by which the number of Accept differs from the planner's forecasts, and nothing is believed
# Spread of the planner's forecasts over actions, in logits. A residual of this size halves the planner's share.
PLANNED = 1.4


def chances(observation: Observation, crowd: Particles, known: Heard, actions: Sequence[ActionType]) -> Array:
    """Return the probability (n,) that the user accepts each of the n ``actions`` if it is recommended now.

    ``crowd`` are the planner's possible persons, ``known`` is the state of the learner after the user's answers.
    """
    standing = crowd.standings(crowd.changes(int(observation.slot)))
    planned = crowd.accepted(standing) @ supposed(crowd)
    return _foretold(observation, planned, known, actions).taken()


def advise(
    observation: Observation, posterior: Posterior, crowd: Particles, known: Heard, rng: random.Random
) -> Decision:
    """Return a decision for the feasible action with the highest probability of acceptance times benefit.

    ``rng`` draws between the best two if their difference is within the error of the forecast. ``posterior`` and
    ``crowd`` are the planner's possible persons, ``known`` is the state of the learner after the user's answers.
    """
    trust, whom = say(known.known), replace(posterior, weights=supposed(crowd))
    ahead, feasible = prospects(observation, whom, crowd, _served(whom, trust)), observation.feasible
    places = [ACTIONS.index(action) for action in feasible]
    found = _foretold(observation, ahead.taken, known, feasible)
    value = worth(ahead.gains[places], weighed(trust, crowd.contrary()))
    score = found.taken() * value + CURIOSITY * found.spread() * np.maximum(value, 0.0)
    order = np.argsort(-score, kind="stable")
    probabilities = dict.fromkeys(feasible, 0.0)
    for at, chance in zip(order, _close(score, value, found, order), strict=False):
        probabilities[feasible[at]] = chance
    action = rng.choices(list(probabilities), list(probabilities.values()))[0]
    mean, sd = belief(posterior, known)
    return Decision(
        action=action,
        belief=Belief(**{name: mean[at] for at, name in enumerate(("social", "morning", "work"))}),
        scores={one: round(float(value), DIGITS) for one, value in zip(feasible, found.taken(), strict=True)},
        probabilities=probabilities,
        reasons=reasons(action, observation, posterior, known),
        belief_sd=sd,
    )


def supposed(crowd: Particles) -> Array:
    """Return the weights (n,), adding to 1, of the n possible persons in ``crowd`` for decisions.

    Persons who refuse what is good for them get weight 0 until the answers make them likelier than at first.
    """
    weights = crowd.weights()
    if crowd.contrary() > CONTRARY:
        return weights
    others = np.where(crowd.way > 0, weights, 0.0)
    return np.asarray(others / others.sum())


def worth(gains: Array, weight: float) -> Array:
    """Return the value (n,) of each of n actions once accepted, as 1 plus ``weight`` times its scaled gain.

    ``gains`` (n,) are changes of the mean meter level (0 to 1), compared with what the person would do otherwise.
    Losses are multiplied by LOSS.
    """
    return np.asarray(1 + weight * np.where(gains < 0, LOSS * gains, gains) / TAKEN)


def weighed(trust: float, contrary: float) -> float:
    """Return the weight (0 to 1) of the meters' gains in decisions.

    It grows with ``trust``, the planner's share in the forecasts (0 to 1), and falls with ``contrary``, the probability
    that the person refuses what is good for them.
    """
    return (LEAST + (1 - LEAST) * counted(trust)) * (1 - DISSENT * contrary)


def _served(posterior: Posterior, trust: float) -> Array:
    """Return the person (18,) to plan for, between the average (``trust`` 0) and the estimated person (``trust`` 1)."""
    share = counted(trust)
    return share * posterior.person() + (1 - share) * prior().person()


def _foretold(observation: Observation, planned: Array, known: Heard, actions: Sequence[ActionType]) -> Forecast:
    slot, day = int(observation.slot), observation.day
    options = [
        Asked(
            number,
            slot,
            day,
            logit(float(planned[number])),
            known.repeated[number],
            usual(observation.routine, day, slot, number),
        )
        for number in map(ACTIONS.index, actions)
    ]
    return forecast(known.known, options)


def _close(score: Array, value: Array, found: Forecast, order: NDArray[np.intp]) -> tuple[float, ...]:
    if len(order) < 2:
        return (1.0,)
    best, next_best = int(order[0]), int(order[1])
    error = found.apart(best, next_best) * max(float(value[[best, next_best]].mean()), 0.0)
    ahead = float(score[best] - score[next_best])
    if ahead >= CLOSE * error:
        return (1.0, 0.0)
    chance = min(max(NormalDist().cdf(ahead / error), LIKELY[0]), LIKELY[1])
    return (round(chance, DIGITS), round(1 - chance, DIGITS))


def say(learner: Learner) -> float:
    """Return the share (0 to 1) of the variance of forecasts that is due to the planner, not to the user's own tastes.

    A result near 0 means that the answers do not follow the planner's forecasts.
    """
    from policies.adaptive.learner import PLANNER

    known = learner.of
    slope = np.clip(learner.mean[:, PLANNER], 0.0, 1.0) * known.listens
    own = known.size * sum(share**2 for share in SHARES.values()) ** 0.5
    return float(learner.weights() @ (slope * PLANNED**2 / (PLANNED**2 + own**2)))


def counted(trust: float) -> float:
    """Return ``trust`` on a scale from 0 at or below DOUBTED to 1 at or above TRUSTED, linear between."""
    return min(max((trust - DOUBTED) / (TRUSTED - DOUBTED), 0.0), 1.0)


def belief(posterior: Posterior, known: Heard) -> tuple[tuple[float, ...], tuple[float, float, float]]:
    """Return (mean, standard deviation) of the user's three traits social, morning and work, each from 0 to 1.

    The planner's estimate has the share ``believed(known)``, and the estimate for a stranger has the rest. The two are
    combined by precision (power posterior).
    """
    mean, sd = posterior.belief()
    share = believed(known)
    sure, rest = share / np.maximum(WIDER * sd, ALMOST_SURE) ** 2, (1 - share) / STRANGER_SD**2
    middle, spread = (sure * mean + rest * STRANGER) / (sure + rest), (sure + rest) ** -0.5
    found = [round(float(x), DIGITS) for x in spread]
    return tuple(round(float(x), DIGITS) for x in middle), (found[0], found[1], found[2])


def believed(known: Heard) -> float:
    """Return the share (0 to 1) that the planner's estimate of the user's traits has in ``belief``.

    It rises with the planner's share in the forecasts. It falls to 0 if the number of accepted answers is OFF or more
    standard errors from the planner's forecast. Without answers it is 0.
    """
    if not known.lessons:
        return 0.0
    share = (say(known.known) - UNBELIEVED) / (BELIEVED - UNBELIEVED)
    off = OFF - abs(known.surprise())
    return min(max(share, 0.0), 1.0) * min(max(off, 0.0), 1.0)


NO_PATTERN = "your answers do not follow any pattern I know; I go by what you accepted"
LOST = "your answers are not foretold well; for now only what you accepted counts"
PATTERN_ANSWERS = 4  # answers to an action at a time of day that a pattern needs
CERTAIN = 1.645  # standard deviations from zero, the one-sided 5 % level
MOST_SAID = 3
DEALT, SURELY = 400, 0.95  # times that answers are dealt anew, and the share of them that a pattern must exceed
Cells = Mapping[tuple[int, int], Sequence[bool]]  # (action, slot) -> which answers were taken


def reasons(action: ActionType, observation: Observation, posterior: Posterior, known: Heard) -> tuple[str, ...]:
    """Return at least one sentence that explains to the user why ``action`` was chosen.

    The planner explains while its forecasts hold or answers are few. Otherwise the sentences count the user's answers.
    """
    if say(known.known) >= DOUBTED or len(known.lessons) < MANY_ENOUGH:
        person = posterior.person()
        return of_the_planner(action, observation, person, body_of(person), posterior.belief())
    found = tuple(findings(known))[:MOST_SAID]
    return (NO_PATTERN, *answers(observation.history, observation.slot, action), *found)


def findings(known: Heard) -> Iterator[str]:
    """Yield a sentence for each action and time of day that the user accepts unusually often or rarely.

    Only clear deviations count, by a permutation test and the learner's estimate. The clearest comes first.
    """
    cells: dict[tuple[int, int], list[bool]] = {}
    for lesson in known.lessons:
        cells.setdefault((lesson.action, lesson.slot), []).append(lesson.taken)
    often = beyond_chance(cells)
    clear = {cell: z for cell in often if abs(z := standing_out(known.known, *cell)) >= CERTAIN}
    for cell in sorted(clear, key=lambda cell: -abs(clear[cell])):
        taken = often[cell]
        way = "you often take" if clear[cell] > 0 else "you hardly ever take"
        what, when = plain(ACTIONS[cell[0]]), TIMES[Slot(cell[1])]
        yield f"{way} {what} ({when}: {sum(taken)} of {len(taken)})"


def beyond_chance(cells: Cells) -> Cells:
    """Return the cells (action, slot) with a share of accepted answers too far from the overall share to be chance.

    The limit is a quantile of the largest deviation after random permutations of the answers. Cells with fewer than
    PATTERN_ANSWERS answers are left out.
    """
    often = {cell: taken for cell, taken in cells.items() if len(taken) >= PATTERN_ANSWERS}
    if not often:
        return often
    rest = [taken for cell, taken in cells.items() if cell not in often]
    everything = np.concatenate([*often.values(), *rest]).astype(float)
    sizes = np.array([len(taken) for taken in often.values()])
    dealt = np.random.default_rng(len(everything)).permuted(np.tile(everything, (DEALT, 1)), axis=1)
    starts = np.cumsum(sizes) - sizes

    def apart(answers: Array) -> Array:
        counts = np.add.reduceat(answers[:, : sizes.sum()], starts, axis=1)
        return np.asarray(np.abs(counts - sizes * everything.mean()) / np.sqrt(sizes))

    limit = np.quantile(apart(dealt).max(axis=1), SURELY)
    return {cell: often[cell] for cell, far in zip(often, apart(everything[None])[0], strict=True) if far > limit}


def standing_out(learner: Learner, action: int, slot: int) -> float:
    """Return the learner's mean effect (in logits) of an action in a slot of the day, over its standard deviation.

    ``action`` and ``slot`` are the numbers of both.
    """
    places = [ACTION + action, BOTH + action * SLOTS + slot]
    weights = learner.weights()
    mean = learner.mean[:, places].sum(axis=1)
    within = learner.cov[:, places][:, :, places].sum(axis=(1, 2))
    middle = float(weights @ mean)
    variance = float(weights @ (within + (mean - middle) ** 2))
    return middle / float(np.sqrt(max(variance, 1e-9)))
