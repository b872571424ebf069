"""A step of supervised learning of the belief, of the choice of an action, and of answers to recommendations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.training.llm.sequence.lessons import Lessons
from lab.training.llm.sequence.model import DIGITS, Said, SequenceModel
from policies.llm.sequence import inputs as read
from policies.llm.sequence.slots import weighed
from rhythm_env.constants import METERS

BELIEVES, TAKES = 1.0, 0.3  # weights of the losses beside the choice's
FORGOTTEN = 0.1  # share of weeks of people who answer that are shown without any past: a first day may be any day
CLIPPED = 1.0  # norm of a gradient
_NOTHING = weighed(np.zeros((1, METERS)), np.zeros(1)).astype(np.float32)


@contextmanager
def half(device: torch.device) -> Iterator[None]:
    """Return a context manager in which matrix products use bfloat16."""
    with torch.autocast(device.type, dtype=torch.bfloat16):
        yield


def forgetful(lessons: Lessons, rng: np.random.Generator, *, silent: bool = False) -> Lessons:
    """Return the lessons with the history of some random people removed, in place.

    Only people who answer are drawn, with ``silent`` also others.
    """
    return without_past(lessons, (rng.random(len(lessons)) < FORGOTTEN) & (lessons.answers | silent))


def without_past(lessons: Lessons, gone: NDArray[np.bool_]) -> Lessons:
    """Remove the history of the people for whom ``gone`` (n,) is True, in place, and return the lessons."""
    lessons.now[gone, :, read.WEIGHT_COLUMN : read.WEIGHT_COLUMN + 2 * METERS] = _NOTHING
    lessons.now[gone, :, read.TOLD] = 0.0
    lessons.sight[gone] = 0
    return lessons


def inputs(lessons: Lessons, digits: Tensor, device: torch.device) -> tuple[Tensor, ...]:
    """Return the four tensors that ``SequenceModel.forward`` takes. ``digits`` (n, t, 3) are those of the belief."""
    t = lessons.slots.shape[1]
    apart = torch.arange(t)[:, None] - torch.arange(t)
    sight = (apart > 0) & (apart <= torch.from_numpy(lessons.sight)[:, None, None])
    past, now = (torch.from_numpy(made) for made in (read.past(lessons.slots), read.now(lessons.now)))
    return past.to(device), now.to(device), digits.to(device), sight.to(device)


def digits_of(target: np.ndarray, t: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Return random digits (n, t, 3) with the mean ``target`` (n, 3), and their probabilities (n, 3, 10)."""
    at = np.clip(target, 0, 1) * (DIGITS - 1)
    chances = np.maximum(1 - np.abs(at[..., None] - np.arange(DIGITS)), 0).astype(np.float32)
    drawn = np.floor(at[:, None] + rng.random((len(at), t, 3))).astype(np.int64)
    return torch.from_numpy(np.minimum(drawn, DIGITS - 1)), torch.from_numpy(chances)


def losses(model: SequenceModel, lessons: Lessons, rng: np.random.Generator) -> dict[str, Tensor]:
    """Return the loss ``total`` and its parts for a batch of lessons, in nats."""
    device = next(model.parameters()).device
    drawn, chances = digits_of(lessons.target, lessons.slots.shape[1], rng)
    with half(device):
        said = model(*inputs(lessons, drawn, device))
    belief = -(chances.to(device)[:, None] * said.digits).sum(dim=-1).mean(dim=(0, 1)).sum()
    choice, taken = _choice(said, lessons, device), _taken(said, lessons, device)
    return {"total": choice + BELIEVES * belief + TAKES * taken, "choice": choice, "belief": belief, "taken": taken}


def _choice(said: Said, lessons: Lessons, device: torch.device) -> Tensor:
    """Return the loss of the scores against the wanted scores, by KL divergence.

    For lessons from single persons it is KL(student | softmax(value)), which is least at the mean value over all
    people who look alike to the model.
    """
    wanted, weight = torch.from_numpy(lessons.wanted).to(device), torch.from_numpy(lessons.weighed).to(device)
    ignorant = (wanted.exp() * (wanted - said.scores)).sum(dim=-1)
    knowing = (said.scores.exp() * (said.scores - wanted)).sum(dim=-1)
    single = torch.from_numpy(lessons.single).to(device)[:, None, None]
    each = torch.where(single, knowing, ignorant).mean(dim=1)
    return (each * weight).sum() / weight.sum()


def _taken(said: Said, lessons: Lessons, device: torch.device) -> Tensor:
    """Return the loss of the predicted acceptance against the true probabilities of all actions.

    People who do not answer add nothing.
    """
    truth = torch.from_numpy(lessons.chances).to(device)
    each = torch.nn.functional.binary_cross_entropy_with_logits(said.taken, truth, reduction="none").mean(dim=(1, 2))
    heard = torch.from_numpy(lessons.answers).to(device).float()
    return (each * heard).sum() / heard.sum().clamp(min=1)


def step(
    model: SequenceModel,
    optimiser: torch.optim.Optimizer,
    lessons: Lessons,
    rng: np.random.Generator,
    *,
    silent: bool = False,
) -> dict[str, float]:
    """Take a training step on a batch, and return the losses before it. ``silent`` is that of ``forgetful``."""
    found = losses(model, forgetful(lessons, rng, silent=silent), rng)
    optimiser.zero_grad()
    found["total"].backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIPPED)
    optimiser.step()
    return {name: float(value.detach()) for name, value in found.items()}
