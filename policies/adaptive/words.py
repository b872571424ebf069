"""Explain a decision: by the planner while its forecasts hold, otherwise from the user's answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    import numpy as np
    from numpy.typing import NDArray

    from policies.planner.rollout import Bodies

    Array = NDArray[np.float64]

NO_PATTERN = "your answers do not follow any pattern I know; I go by what you accepted"
LOST = "your answers are not foretold well; for now only what you accepted counts"
PATTERN_ANSWERS = 4  # answers to an action at a time of day that a pattern needs
CERTAIN = 1.645  # standard deviations from zero, the one-sided 5 % level
MOST_SAID = 3
DEALT, SURELY = 400, 0.95  # times that answers are dealt anew, and the share of them that a pattern must exceed
Cells = Mapping[tuple[int, int], Sequence[bool]]  # (action, slot) -> which answers were taken


def reasons(
    action: ActionType, observation: Observation, posterior: Posterior, body: Bodies, known: Heard, trust: float
) -> tuple[str, ...]:
    """Return at least one sentence for a decision: the planner's where it is trusted, else those of ``findings``."""
    if trust >= DOUBTED or len(known.lessons) < MANY_ENOUGH:
        return of_the_planner(action, observation, posterior.person(), body, posterior.belief())
    found = tuple(findings(known))[:MOST_SAID]
    return (NO_PATTERN, *answers(observation.history, observation.slot, action), *found)


def findings(known: Heard) -> Iterator[str]:
    """Yield a sentence per pattern in the user's answers that is clearer than chance, the clearest first."""
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
    """Return the cells (action, slot) whose share of accepted answers lies beyond what random deals reach."""
    import numpy as np

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
    """Return the user's own taste for an action in a slot, in standard deviations from zero.

    The models are averaged by their probability.
    """
    import numpy as np

    places = [ACTION + action, BOTH + action * SLOTS + slot]
    weights = learner.weights()
    mean = learner.mean[:, places].sum(axis=1)
    within = learner.cov[:, places][:, :, places].sum(axis=(1, 2))
    middle = float(weights @ mean)
    variance = float(weights @ (within + (mean - middle) ** 2))
    return middle / float(np.sqrt(max(variance, 1e-9)))
