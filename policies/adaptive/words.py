"""Explanations of a decision, by the planner while its forecasts hold, otherwise from the user's answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from policies.adaptive.learner import ACTION, BOTH, Learner
from policies.adaptive.trust import DOUBTED, MANY_ENOUGH, Heard
from policies.planner.inference import Posterior
from policies.planner.words import TIMES, answers, plain
from policies.planner.words import reasons as of_the_planner
from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Observation, Slot

if TYPE_CHECKING:
    from policies.planner.rollout import Bodies

NO_PATTERN = "your answers do not follow any pattern I know; I go by what you accepted"
LOST = "your answers are not foretold well; for now only what you accepted counts"
ENOUGH = 4  # answers to an action at a time of day that a pattern needs
CERTAIN = 1.645  # standard deviations from zero, the one-sided 5 % level
MOST_SAID = 3


def reasons(
    action: ActionType, observation: Observation, posterior: Posterior, body: Bodies, known: Heard, trust: float
) -> tuple[str, ...]:
    """Return the sentences for a decision, the strongest first. There is always at least a single sentence."""
    if trust >= DOUBTED or len(known.lessons) < MANY_ENOUGH:
        return of_the_planner(action, observation, posterior.person(), body, posterior.belief())
    found = tuple(findings(known))[:MOST_SAID]
    return (NO_PATTERN, *answers(observation.history, observation.slot, action), *found)


def findings(known: Heard) -> Iterator[str]:
    """Yield the clear patterns in the user's answers with their evidence, the clearest first."""
    cells: dict[tuple[int, int], list[bool]] = {}
    for lesson in known.lessons:
        cells.setdefault((lesson.action, lesson.slot), []).append(lesson.taken)
    often = {cell: taken for cell, taken in cells.items() if len(taken) >= ENOUGH}
    clear = {cell: z for cell in often if abs(z := standing_out(known.known, *cell)) >= CERTAIN}
    for cell in sorted(clear, key=lambda cell: -abs(clear[cell])):
        taken = often[cell]
        way = "you often take" if clear[cell] > 0 else "you hardly ever take"
        what, when = plain(ACTIONS[cell[0]]), TIMES[Slot(cell[1])]
        yield f"{way} {what} ({when}: {sum(taken)} of {len(taken)})"


def standing_out(learner: Learner, action: int, slot: int) -> float:
    """Return the user's own taste for an action in a slot, in standard deviations over all models."""
    import numpy as np

    places = [ACTION + action, BOTH + action * SLOTS + slot]
    weights = learner.weights()
    mean = learner.mean[:, places].sum(axis=1)
    within = learner.cov[:, places][:, :, places].sum(axis=(1, 2))
    middle = float(weights @ mean)
    variance = float(weights @ (within + (mean - middle) ** 2))
    return middle / float(np.sqrt(max(variance, 1e-9)))
