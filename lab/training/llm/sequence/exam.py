"""Evaluation of the sequence model on simulated people who are in no lesson."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lab.environments.grading import belief_mae
from lab.evaluation.grades import best_constant
from lab.evaluation.week import Weeks
from lab.training.llm.sequence import answering
from lab.training.llm.sequence.model import SequenceModel
from lab.training.llm.sequence.playing import Playing, Reader
from lab.training.network import simulate
from lab.training.network.dataset import seen_of
from policies.llm.sequence.inputs import SLOTS_MAX
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.profiles import belief_target

HELD_OUT = range(10_500_000, 10_500_192)  # seeds
ANSWERING, WEEKS = range(10_600_000, 10_600_128), 4  # seeds of people who answer, and their weeks


def play(
    model: SequenceModel, seeds: range, copies: int, own: NDArray[np.intp], *, drawn: float
) -> tuple[Weeks, Playing]:
    """Play a week for each person of ``seeds`` and copy, under the objective number in ``own`` (n,).

    ``drawn`` is the temperature of the choice of actions, 0 for the best action.
    """
    weeks = simulate.begin(seeds, copies)
    playing, rng = Playing(model, weeks), np.random.default_rng((seeds.start, 51))
    while not weeks.done:
        scores = playing.look().numpy()[np.arange(weeks.n), own]
        weeks.advance((scores + drawn * rng.gumbel(size=scores.shape)).argmax(axis=1))
    return weeks, playing


def examined(model: SequenceModel, seeds: range = HELD_OUT) -> dict[str, float]:
    """Return means over weeks of people with ``seeds``, such as the grade with and without the belief.

    The keys are score, no_belief, belief_mae, constant_mae, skill (1 - error / error of the best constant) and level.
    """
    weeks, playing = play(model, seeds, 1, _aim("grade", len(seeds)), drawn=0)
    target = belief_target(weeks.people)
    errors = belief_mae(playing.reader.belief.T.astype(float), target)
    others, _ = play(model, seeds, 1, _aim("reward", len(seeds)), drawn=0)
    return {
        "score": float(weeks.final_score(1 - errors).mean()),
        "no_belief": float(weeks.final_score().mean()),
        "belief_mae": float(errors.mean()),
        "constant_mae": float(belief_mae(np.full(target.shape, 0.5), target).mean()),
        "skill": float(1 - errors.mean() / belief_mae(best_constant(target), target).mean()),
        "level": float(others.mean_level().mean()),
    }


def answered(model: SequenceModel, seeds: range = ANSWERING) -> dict[str, float]:
    """Return the mean probability of acceptance of people by the simulator's rule and of people by own tastes.

    The first is over a week, the second over four weeks.
    """
    life, reader = answering.begin(seeds), Reader(model, len(seeds), SLOTS_MAX)
    taken, everybody = [], np.arange(len(seeds))
    for _ in range(WEEKS * STEPS):
        slots, now = seen_of(life, last=True)
        if slots.shape[1]:
            reader.complete(slots[:, -1])
        best = reader.decide(now[:, -1])[:, OBJECTIVES.index("reward")].argmax(dim=1).numpy()
        taken.append(life.chances(life.step % SLOTS)[best, everybody])
        life.advance(best)
    found = np.array(taken)
    return {
        "taken_simulated": float(found[:STEPS, life.plain].mean()),
        "taken_own": float(found[:, life.own == 1].mean()),
    }


def _aim(objective: str, n: int) -> NDArray[np.intp]:
    return np.full(n, OBJECTIVES.index(objective), dtype=np.intp)
