"""Run the network in numpy: read the slots in order, form a belief, and score the actions by that belief.

    slot -> 96 -> GRU, 128
    the 128 joined with the features of the present: 256 -> 256 -> belief (mean and deviation of each dimension)
    the 256 joined with the belief: 192 -> an action's score under either objective
                                        -> the probability that each action is accepted

Weights are half precision in the file and single precision here. ``lab.training.network.model`` is the same network in
PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.llm.sequence.thought import OBJECTIVES, Thought

Array = NDArray[Any]

LARGEST_SD, SMALLEST_SD = 0.5, 0.005  # of a belief


@cache
def weights(path: Path) -> Mapping[str, Array]:
    """Return the weights of the network by name, read from a file and cached.

    ``lab.training.network.model`` uses the same names.
    """
    with np.load(path) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def think(slots: Array, now: Array, known: Mapping[str, Array]) -> Thought:
    """Return the network's output for the completed ``slots`` (t, PER_SLOT), oldest first, and ``now`` (PRESENT,).

    ``known`` holds the weights by name.
    """
    trunk = np.concatenate([_recalled(slots, known), now])
    for layer in ("first", "second"):
        trunk = np.maximum(_linear(trunk, known, layer), 0.0)
    believed = _linear(trunk, known, "belief")
    mean, sd = _logistic(believed[:3]), SMALLEST_SD + (LARGEST_SD - SMALLEST_SD) * _logistic(believed[3:])
    chosen = np.maximum(_linear(np.concatenate([trunk, mean, sd]), known, "third"), 0.0)
    scores = _linear(chosen, known, "scores").reshape(len(OBJECTIVES), -1)
    scores = scores - scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return Thought(mean, sd, scores, _logistic(_linear(chosen, known, "taken")))


def _recalled(slots: Array, known: Mapping[str, Array]) -> Array:
    """Return the state (128,) of a gated recurrent unit (Cho et al. 2014) after all slots."""
    size = known["memory.weight_hh_l0"].shape[1]
    state = np.zeros(size, dtype=np.float32)
    heard, bias_heard = known["memory.weight_ih_l0"], known["memory.bias_ih_l0"]
    kept, bias_kept = known["memory.weight_hh_l0"], known["memory.bias_hh_l0"]
    for slot in slots:  # row by row: products of whole matrices start threads, which wait for a busy core
        row = heard @ np.maximum(_linear(slot, known, "slot"), 0.0) + bias_heard
        own = kept @ state + bias_kept
        gates = _logistic(row[: 2 * size] + own[: 2 * size])
        fresh = np.tanh(row[2 * size :] + gates[:size] * own[2 * size :])
        state = fresh + gates[size:] * (state - fresh)
    return state


def _linear(values: Array, known: Mapping[str, Array], layer: str) -> Array:
    return np.asarray(known[f"{layer}.weight"] @ values + known[f"{layer}.bias"])


def _logistic(values: Array) -> Array:
    return np.asarray(0.5 * np.tanh(0.5 * values) + 0.5)
