"""Supervised training of the belief by the true person, and of the choice by the teacher's values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lab.training.network.dataset import Lessons
from lab.training.network.model import Network, Thoughts
from policies.llm.sequence.slots import PRESENT, TALLIES, weighed
from rhythm_env.constants import METERS

TEMPERATURE = 0.003  # differences of worth that a choice is about; half of all best actions are ahead by this or less
BELIEVES, UNSURE, TAKES = 20.0, 0.1, 0.3  # weights of the losses beside the choice's
FORGOTTEN = 0.06  # share of decisions from no evidence at all: the network without its inference
BATCH = {"weeks": 64, "lives": 24}  # people
CLIPPED = 1.0  # norm of a gradient

_NOTHING = weighed(np.zeros((1, METERS)), np.zeros(1)).astype(np.float32)
_WEIGHTS = slice(PRESENT - 1 - TALLIES - 2 * METERS, PRESENT - 1 - TALLIES)
_TOLD = slice(PRESENT - 1 - TALLIES, PRESENT)


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of a batch, ``choice`` as a KL divergence in nats and ``belief`` as a mean squared error."""

    total: Tensor
    choice: float
    belief: float


def batch(lessons: Lessons, pick: np.ndarray, device: torch.device) -> tuple[Tensor, ...]:
    """Return slots, now, worth, taken and target of the people ``pick`` as tensors."""
    return tuple(
        torch.from_numpy(values[pick]).to(device)
        for values in (lessons.slots, lessons.now, lessons.worth, lessons.taken, lessons.target)
    )


def losses(network: Network, tensors: tuple[Tensor, ...], kind: str) -> Losses:
    """Return the losses of a batch of the kind "weeks" or "lives"."""
    slots, now, worth, taken, target = tensors
    memory = network.weeks(slots) if kind == "weeks" else network.lives(slots)[:, :-1]
    memory, now = forgetful(memory.flatten(0, 1), now.flatten(0, 1))
    thoughts = network(memory, now)
    choice = preference(thoughts.scores, worth.flatten(0, 1))
    believed, squared = belief_loss(thoughts, target.repeat_interleave(slots.shape[1], dim=0))
    total = choice + believed
    if kind == "lives":
        answers = torch.nn.functional.binary_cross_entropy_with_logits(thoughts.taken, taken.flatten(0, 1))
        total = total + TAKES * answers
    return Losses(total, float(choice.detach()), squared)


def forgetful(memory: Tensor, now: Tensor) -> tuple[Tensor, Tensor]:
    """Return ``memory`` and ``now`` with the evidence of some random decisions removed."""
    gone = torch.rand(len(now), 1, device=now.device) < FORGOTTEN
    blank = now.clone()
    blank[:, _WEIGHTS] = torch.from_numpy(_NOTHING).to(now.device)
    blank[:, _TOLD] = 0.0
    return torch.where(gone, torch.zeros_like(memory), memory), torch.where(gone, blank, now)


def preference(scores: Tensor, worth: Tensor) -> Tensor:
    """Return the mean loss KL(scores

    softmax(``worth`` / TEMPERATURE)), from log probabilities and values (..., 10).

    For people whom the student cannot tell apart, the best scores are the softmax of their mean values.
    """
    wanted = torch.log_softmax(worth / TEMPERATURE, dim=-1)
    return (scores.exp() * (scores - wanted)).sum(dim=-1).mean()


def belief_loss(thoughts: Thoughts, target: Tensor) -> tuple[Tensor, float]:
    """Return (loss of the belief's mean and standard deviation, mean squared error of the mean)."""
    left = (thoughts.belief - target) ** 2
    unsure = (0.5 * left.detach() / thoughts.sd**2 + thoughts.sd.log()).mean()
    return BELIEVES * left.mean() + UNSURE * unsure, float(left.detach().mean())


def learn(
    network: Network, optimiser: torch.optim.Optimizer, weeks: Lessons, lives: Lessons, rng: np.random.Generator
) -> tuple[Losses, Losses]:
    """Take a gradient step on a batch of both kinds of lessons, and return the losses."""
    device = next(network.parameters()).device
    found = []
    for kind, lessons in (("weeks", weeks), ("lives", lives)):
        pick = rng.integers(0, len(lessons), min(BATCH[kind], len(lessons)))
        found.append(losses(network, batch(lessons, pick, device), kind))
    optimiser.zero_grad()
    (found[0].total + found[1].total).backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), CLIPPED)
    optimiser.step()
    return found[0], found[1]
