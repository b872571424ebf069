"""Run the sequence model in numpy. ``lab.training.llm.sequence.model`` defines the same model in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.llm.sequence import inputs
from policies.llm.sequence.thought import Thought
from rhythm_env.constants import BELIEF

Array = NDArray[Any]

DIGIT_VALUES = 10
LARGEST = 127  # of a weight in eight bits
SCALE = ".scale"
STEADY = 1e-5  # added to a variance, as PyTorch's LayerNorm has it


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of the sequence model by name (``known``), with its numbers of layers and attention heads."""

    known: Mapping[str, Array]
    layers: int
    heads: int


@cache
def load(path: Path) -> Model:
    """Load the model from an .npz file of weights in 8 bits and half precision. Later calls return the same object."""
    with np.load(path) as file:
        stored = {name: file[name] for name in file.files}
    known = {name: unpacked(stored, name) for name in stored if not name.endswith(SCALE)}
    known = {name: np.ascontiguousarray(value) for name, value in known.items()}
    layers = sum(name.endswith(".distance") for name in known)
    return Model(known, layers, len(known["blocks.0.distance"]))


def unpacked(stored: Mapping[str, Array], name: str) -> Array:
    """Return the weight called ``name`` in single precision, multiplied by its scale per row if one is stored."""
    value: Array = stored[name].astype(np.float32)
    scale = stored.get(name + SCALE)
    return value if scale is None else value * scale.astype(np.float32)[:, None]


def packed(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Return weights in stored form, with matrices in 8 bits and a scale per row under ``name + SCALE``.

    Vectors and the weights whose names end with ``distance`` or ``asked`` are in half precision.
    """
    found: dict[str, Array] = {}
    for name, value in weights.items():
        if value.ndim < 2 or name.endswith(("distance", "asked")):
            found[name] = value.astype(np.float16)
            continue
        scale = np.maximum(np.abs(value).max(axis=1), 1e-12).astype(np.float32) / LARGEST
        found[name] = np.rint(value / scale[:, None]).astype(np.int8)
        found[name + SCALE] = scale
    return found


def think(slots: Array, present: Array, model: Model) -> Thought:
    """Run the model and return its belief, scores and probabilities of acceptance.

    ``slots`` (t, PER_SLOT) are the completed slots, oldest first, and ``present`` (PRESENT,) is the slot to decide.
    """
    known = model.known
    seen = _completed(inputs.past(slots[-inputs.SLOTS_MAX :]), model)
    asked = _Asked(model, seen)
    begun = _linear(inputs.now(present[None]), known, "now") + known["asked"][:, None]
    told: Array = np.zeros_like(begun[0])
    chances = []
    for number in range(len(BELIEF)):
        answer = _linear(asked.hear(begun[number] + told), known, "belief")[0].reshape(-1, DIGIT_VALUES)[number]
        chances.append(_softmax(answer))
        digit = int(np.rint(chances[-1] @ np.arange(DIGIT_VALUES)))
        told = known["digit.weight"][number * DIGIT_VALUES + digit][None]
    chosen = asked.hear(begun[-1] + told)
    scores = _linear(chosen, known, "scores").reshape(2, -1)
    belief, sd = _moments(np.array(chances))
    taken = 1 / (1 + np.exp(-_linear(chosen, known, "taken")[0]))
    return Thought(belief, sd, np.log(_softmax(scores)), taken)


def _moments(chances: Array) -> tuple[Array, Array]:
    values = np.arange(DIGIT_VALUES) / (DIGIT_VALUES - 1)
    mean = chances @ values
    return mean, np.sqrt(np.maximum(chances @ values**2 - mean**2, 0.0))


def _completed(past: Array, model: Model) -> list[tuple[Array, Array]]:
    x, found = _linear(past, model.known, "past"), []
    for number in range(model.layers):
        layer = f"blocks.{number}."
        _, k, v = _qkv(x, model, layer)
        found.append((_by_head(k, model), _by_head(v, model)))
        x = _after(x, v, model, layer)
    return found


class _Asked:
    """The state of attention after the completed slots, extended by each position of the answer in turn."""

    def __init__(self, model: Model, seen: list[tuple[Array, Array]]) -> None:
        self._model, self._past = model, len(seen[0][0][0])
        self._seen = seen

    def hear(self, x: Array) -> Array:
        model = self._model
        for number in range(model.layers):
            layer = f"blocks.{number}."
            q, k, v = (_by_head(one, model) for one in _qkv(x, model, layer))
            before_k, before_v = self._seen[number]
            keys, values = np.concatenate([before_k, k], axis=1), np.concatenate([before_v, v], axis=1)
            self._seen[number] = keys, values
            score = (q @ keys.transpose(0, 2, 1))[:, 0] * np.float32(q.shape[-1] ** -0.5)
            apart = np.arange(self._past, 0, -1)
            score[:, : self._past] += model.known[layer + "distance"][:, apart]
            attended = (_softmax(score)[:, None] @ values).reshape(1, -1)
            x = _after(x, attended, model, layer)
        return _normal(x, model.known, "last")


def _qkv(x: Array, model: Model, layer: str) -> Array:
    made = _linear(_normal(x, model.known, layer + "before"), model.known, layer + "qkv")
    return np.asarray(made.reshape(len(x), 3, made.shape[-1] // 3).swapaxes(0, 1))


def _by_head(x: Array, model: Model) -> Array:
    return x.reshape(len(x), model.heads, x.shape[-1] // model.heads).swapaxes(0, 1)


def _after(x: Array, attended: Array, model: Model, layer: str) -> Array:
    known = model.known
    x = x + _linear(attended, known, layer + "out")
    wide = np.maximum(_linear(_normal(x, known, layer + "after"), known, layer + "wide"), 0)
    return np.asarray(x + _linear(wide, known, layer + "narrow"))


def _linear(x: Array, known: Mapping[str, Array], name: str) -> Array:
    # A single row is multiplied on its own, because products of matrices wake threads, which wait for a core.
    weight, bias = known[name + ".weight"], known[name + ".bias"]
    if len(x) == 1:
        return np.asarray((weight @ x[0] + bias)[None])
    return np.asarray(x @ weight.T + bias)


def _normal(x: Array, known: Mapping[str, Array], name: str) -> Array:
    middle = x - x.mean(axis=-1, keepdims=True)
    size = np.sqrt((middle * middle).mean(axis=-1, keepdims=True) + np.float32(STEADY))
    return np.asarray(middle / size * known[name + ".weight"] + known[name + ".bias"])


def _softmax(x: Array) -> Array:
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))
