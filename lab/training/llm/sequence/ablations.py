"""Ablations of the sequence model's history, which measure what the model infers about a person from it.

A shuffled history costs nothing if the model reads every slot by itself. Another person's history misleads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.recall import ANOTHERS, NONE, SHUFFLED
from lab.evaluation.week import Weeks, observation
from rhythm_env.constants import METERS

Array = NDArray[Any]
Read = tuple[Array, Array]


class Player:
    """A strategy that plays weeks by the sequence model's scores, with the history replaced as ``past`` says."""

    def __init__(self, file: Path, past: str, seeds: list[int]) -> None:
        self._file, self._past = file, past
        self._rng = np.random.default_rng((seeds[0], 61))
        self._belief: Array | None = None

    def actions(self, weeks: Weeks) -> NDArray[np.intp]:
        from policies.llm.sequence.forward import load, think
        from policies.llm.sequence.thought import OBJECTIVES

        model = load(self._file)
        thoughts = [think(*shown, model) for shown in self._shown(weeks)]
        self._belief = np.array([thought.belief for thought in thoughts]).T
        grade = OBJECTIVES.index("grade")
        return np.array([thought.scores[grade].argmax() for thought in thoughts], dtype=np.intp)

    def belief(self, weeks: Weeks) -> Array | None:  # noqa: ARG002 - the protocol's shape
        return self._belief

    def _shown(self, weeks: Weeks) -> list[Read]:
        from policies.llm.sequence.inputs import read

        own = [read(observation(weeks, i), learns=self._past != NONE) for i in range(weeks.n)]
        if self._past == SHUFFLED:
            return [(self._rng.permutation(slots), now) for slots, now in own]
        if self._past == ANOTHERS:
            return [_exchanged(one, other) for one, other in zip(own, [*own[1:], own[0]], strict=True)]
        return own


def _exchanged(one: Read, other: Read) -> Read:
    from policies.llm.sequence.inputs import TOLD, WEIGHT_COLUMN

    now = one[1].copy()
    for part in (slice(WEIGHT_COLUMN, WEIGHT_COLUMN + 2 * METERS), TOLD):
        now[part] = other[1][part]
    return other[0], now
