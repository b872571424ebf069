"""Refinement of the sequence model by policy gradient in groups of weeks of the same person (GRPO, Shao et al. 2024).

The reward is the end reward of the published environment, which is the grade with its belief, or a person's own mean
level. Refined weights are kept only if they are better on people outside the training.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.training.checkpoint import at_rate, keep, restore
from lab.training.llm.sequence import learning, lessons
from lab.training.llm.sequence.course import TAUGHT
from lab.training.llm.sequence.exam import examined, play
from lab.training.llm.sequence.lessons import Lessons
from lab.training.llm.sequence.model import Said, SequenceModel, save
from lab.training.network.policy_gradient import EVEN, scored
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS
from rhythm_env.profiles import belief_target

UPDATES = 120
GROUP, PEOPLE = 8, 16  # weeks of each person, people per update
GRADED = 13  # of the people: their weeks are about the grade, the others' about their own mean level
RATE, NEAR = 1e-4, 0.02  # of learning, falling to nothing; weight of KL(model | taught model)
TRIED = 0.3  # temperature of what is tried: near the best action, which is what serves
OPEN, KEPT_OPEN = 0.15, 0.5  # nats of entropy below which the model is pushed back, and how hard
REHEARSED = 12  # lives per update
REHEARSED_PEOPLE = 256
FRESH, PER_SEED = 500_000_000, 4_000_000  # seeds of the people who are played
KEPT_EVERY = 10  # updates between checkpoints
CHECKPOINT, KEPT = "course.pt", ("updates", "before", "notes")
LOST = 0.002  # mean level that a better grade may cost


@dataclass(slots=True)
class Played:
    """Weeks to learn from, with the input ``lessons``, and stated ``digits`` (n, 28, 3) and ``actions`` (n, 28)."""

    lessons: Lessons
    digits: Tensor
    actions: Tensor
    advantage: Tensor
    own: NDArray[np.intp]
    score: NDArray[np.float64]


def group(model: SequenceModel, seeds: range) -> Played:
    """Play GROUP weeks for each person, with actions drawn from the model."""
    own = np.tile((np.arange(len(seeds)) >= GRADED).astype(np.intp), GROUP)
    with learning.half(torch.device("cpu")):
        weeks, playing = play(model, seeds, GROUP, own, drawn=TRIED)
    score = scored(weeks, playing.reader.belief.T, belief_target(weeks.people), own)
    by_person = score.reshape(GROUP, -1)
    advantage = ((by_person - by_person.mean(axis=0)) / (by_person.std(axis=0) + EVEN)).reshape(-1)
    n, nothing = weeks.n, np.zeros(weeks.n, bool)
    target = belief_target(weeks.people).T.astype(np.float32)
    shape, sight = (n, STEPS, len(OBJECTIVES), 1), np.full(n, HISTORY_STEPS)
    chances = np.zeros((n, STEPS, len(ACTIONS)), np.float32)
    seen = Lessons(
        playing.seen.slots, playing.seen.now, sight, np.zeros(shape, np.float32), np.ones((n, 2), np.float32),
        nothing, chances, target, nothing,
    )  # fmt: skip
    digits = torch.from_numpy(np.array(playing.reader.digits).transpose(1, 0, 2))
    actions = torch.from_numpy(np.array(weeks.actions).T)
    return Played(seen, digits, actions, torch.from_numpy(advantage.astype(np.float32)), own, score)


def update(
    model: SequenceModel, taught: SequenceModel, optimiser: torch.optim.Optimizer, seeds: range, lives: Lessons
) -> dict[str, float]:
    """Take a gradient step on new weeks and on lives with answers. Returns figures to plot."""
    device, rng = next(model.parameters()).device, np.random.default_rng((seeds.start, 53))
    played = group(model, seeds)
    inputs = learning.inputs(played.lessons, played.digits, device)
    with learning.half(device):
        said = model(*inputs)
        with torch.no_grad():
            before = taught(*inputs)
    rows = torch.arange(len(played.own))
    scores, old = (
        torch.log_softmax(one.scores[rows, :, torch.from_numpy(played.own)] / TRIED, dim=-1) for one in (said, before)
    )
    likely = scores.gather(2, played.actions[..., None])[..., 0]
    entropy = -(scores.exp() * scores).sum(dim=-1).mean()
    loss = -(played.advantage[:, None] * likely).mean()
    loss = loss + NEAR * (scores.exp() * (scores - old)).sum(dim=-1).mean() + KEPT_OPEN * torch.relu(OPEN - entropy)
    loss = loss + _believed(said, played.lessons, rng)
    some = lives.pick(rng.integers(0, len(lives), REHEARSED))
    loss = loss + learning.losses(model, learning.forgetful(some, rng), rng)["total"]
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), learning.CLIPPED)
    optimiser.step()
    means = {name: float(played.score[played.own == at].mean()) for at, name in enumerate(OBJECTIVES)}
    return {**means, "entropy": float(entropy.detach())}


def _believed(said: Said, seen: Lessons, rng: np.random.Generator) -> Tensor:
    _, chances = learning.digits_of(seen.target, STEPS, rng)
    return -learning.BELIEVES * (chances[:, None] * said.digits).sum(dim=-1).mean(dim=(0, 1)).sum()


@dataclass(slots=True)
class Refinement:
    """The state of a refinement of ``taught``, as saved in checkpoints and continued by ``--resume``."""

    taught: SequenceModel
    model: SequenceModel
    optimiser: torch.optim.Optimizer
    seed: int
    updates: int = 0
    before: dict[str, float] = field(default_factory=dict)
    notes: list[dict[str, float]] = field(default_factory=list)


def train(
    folder: Path, out: Path, *, updates: int, seed: int, resume: bool, on_step: Callable[[int, int], None]
) -> dict[str, Any]:
    """Refine the model in ``folder`` into ``out``, and return figures.

    The weights in ``out`` are the refined ones only if they are better.
    """
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    state = _begun(folder, seed)
    if resume and (out / CHECKPOINT).exists():
        restore(out / CHECKPOINT, state, (seed,), KEPT, told="--seed")
    state.before = state.before or examined(state.model)
    first = FRESH + seed % 10 * PER_SEED
    lives = lessons.lives(range(first, first + REHEARSED_PEOPLE), lessons.teacher())
    while state.updates < updates:
        torch.manual_seed(seed * 100_000 + state.updates)
        at_rate(state.optimiser, RATE * (1 - state.updates / updates))
        start = first + REHEARSED_PEOPLE + state.updates * PEOPLE
        found = update(state.model, state.taught, state.optimiser, range(start, start + PEOPLE), lives)
        state.updates += 1
        state.notes.append({"step": state.updates, "loss": -found["grade"], **found})
        if state.updates % KEPT_EVERY == 0 or state.updates == updates:
            keep(out / CHECKPOINT, state, (seed,), KEPT)
        on_step(state.updates, updates)
    return _closed(state, out)


def _begun(folder: Path, seed: int) -> Refinement:
    model = SequenceModel()
    model.load_state_dict(torch.load(folder / TAUGHT, weights_only=True, map_location="cpu"))
    taught = copy.deepcopy(model).requires_grad_(requires_grad=False)
    return Refinement(taught, model, torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98)), seed)


def _closed(state: Refinement, out: Path) -> dict[str, Any]:
    after = examined(state.model)
    kept = after["score"] > state.before["score"] and after["level"] > state.before["level"] - LOST
    best = state.model if kept else state.taught
    torch.save(best.state_dict(), out / TAUGHT)
    save(best, out / "weights.npz")
    looks = [{"step": at, "valid": 1.0, **one} for at, one in ((0, state.before), (state.updates, after))]
    (out / "notes.json").write_text(json.dumps([*state.notes, *looks]), encoding="utf-8")
    told = {f"{name}_before": value for name, value in state.before.items()}
    return {"out": str(out), "kept": kept, **told, **{f"{name}_after": value for name, value in after.items()}}
