"""The last stage of the training, with weeks of many people who answer, each with other tastes.

Each week is of another person and is learned once, because reading tastes from few answers is learned from many people.
Weeks without answers are repeated, with the scores of the model as it was before this stage.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

import numpy as np
import torch

from lab.training.checkpoint import at_rate, keep, restore
from lab.training.llm.sequence import learning, led, lessons
from lab.training.llm.sequence.exam import answered, examined
from lab.training.llm.sequence.lessons import Lessons
from lab.training.llm.sequence.model import SequenceModel
from lab.training.network.model import Network

OnStep = Callable[[int, int], None]

PARTS, PART_STEPS = 60, 16
BATCH = {"strangers": 10, "others": 16, "weeks": 8}  # weeks per step
WEEK = (0.4, 0.2, 0.2, 0.2)  # shares of the first to the fourth week
RATE, LAST_RATE, WARM = 4e-4, 1e-5, 60  # of learning; steps of warming up
EXAMS = 4  # over the stage
FIRST = {"strangers": 700_000_000, "others": 750_000_000, "weeks": 800_000_000}  # seeds of practice people
PER_SEED = 4_000_000  # people of one course
STATE, KEPT = "practice.pt", ("done", "seconds", "notes")


@dataclass(slots=True)
class Practice:
    """The state of the last stage of the training. ``before`` is the model at its beginning."""

    before: SequenceModel
    parts: int = PARTS
    seed: int = 0
    done: int = 0
    seconds: float = 0.0  # of one core, lessons included
    notes: list[dict[str, float]] = field(default_factory=list)
    model: SequenceModel = field(init=False)
    optimiser: torch.optim.Optimizer = field(init=False)

    def __post_init__(self) -> None:
        self.model = copy.deepcopy(self.before)
        self.before.requires_grad_(requires_grad=False)
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))

    def seeds(self, kind: str, count: int) -> range:
        first = FIRST[kind] + self.seed % 10 * PER_SEED + self.done * count
        return range(first, first + count)

    def rate(self, number: int) -> float:
        """Return the learning rate of a step of the part, which rises at first and then falls along a cosine."""
        step, total = self.done * PART_STEPS + number, self.parts * PART_STEPS
        fall = LAST_RATE + (RATE - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * step / total))
        return fall * min((step + 1) / WARM, 1.0)


def train(out: Path, before: SequenceModel, *, parts: int, seed: int, resume: bool, on_step: OnStep) -> Practice:
    """Train the model ``before`` further, with checkpoints in ``out``, and return the final state."""
    state = Practice(before, parts, seed)
    if resume and (out / STATE).exists():
        restore(out / STATE, state, (parts, seed), KEPT, told="--weeks and --seed")
    network = lessons.teacher()
    if not state.done:
        state.notes.append({"step": 0, "valid": 1.0, **looked(state.model)})
    while state.done < parts:
        _part(state, network)
        keep(out / STATE, state, (parts, seed), KEPT)
        on_step(state.done, parts)
    return state


def looked(model: SequenceModel) -> dict[str, float]:
    """Return the model's figures on simulated people in no lesson, with and without answers."""
    return {**examined(model), **answered(model)}


def _part(state: Practice, network: Network) -> None:
    begun = process_time()
    rng = np.random.default_rng((state.seed, state.done, 3))
    torch.manual_seed(state.seed * 100_000 + state.done)
    pools = _pools(state, network, rng)
    found = []
    for number in range(PART_STEPS):
        some = [pool.pick(slice(number * BATCH[kind], (number + 1) * BATCH[kind])) for kind, pool in pools.items()]
        at_rate(state.optimiser, state.rate(number))
        found.append(learning.step(state.model, state.optimiser, lessons.together(some), rng))
    state.done += 1
    state.seconds += process_time() - begun
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    step = state.done * PART_STEPS
    state.notes.append({"step": step, "loss": means.pop("total"), **means})
    if state.done == state.parts or state.done % max(state.parts // EXAMS, 1) == 0:
        state.notes.append({"step": step, "valid": 1.0, **looked(state.model)})


def _pools(state: Practice, network: Network, rng: np.random.Generator) -> dict[str, Lessons]:
    people = {kind: state.seeds(kind, PART_STEPS * size) for kind, size in BATCH.items()}
    number = int(rng.choice(len(WEEK), p=WEEK))
    return {
        "strangers": led.week(people["strangers"], network, number, strangers=True),
        "others": led.week(people["others"], network, number, strangers=False),
        "weeks": _rehearsed(state, lessons.weeks(people["weeks"], network), rng),
    }


@torch.no_grad()
def _rehearsed(state: Practice, weeks: Lessons, rng: np.random.Generator) -> Lessons:
    """Replace the scores of weeks, some with their history removed, by those of the model before this stage."""
    shown = learning.forgetful(weeks, rng, silent=True)
    drawn, _ = learning.digits_of(shown.target, shown.slots.shape[1], rng)
    with learning.half(torch.device("cpu")):
        said = state.before(*learning.inputs(shown, drawn, torch.device("cpu")))
    shown.wanted = said.scores.numpy()
    return shown
