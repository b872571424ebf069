"""A low-rank adapter (LoRA, Hu et al. 2021) of the sequence model for one person, tested on later answers.

Simulated people get the model's recommendations for four weeks. An adapter learns from the first 70 % of a person's
answers to predict them, and is tested on the rest, against the model with the same answers in context. It is kept if
its predictions are better by more than their error. The same test on answers drawn from the model's own predictions
gives the share of adapters that would be kept by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lab.training.llm.sequence import answering, learning
from lab.training.llm.sequence.lessons import Lessons, week_of
from lab.training.llm.sequence.model import SequenceModel, opened
from lab.training.llm.sequence.playing import Reader
from lab.training.network.dataset import seen_of
from policies.llm.sequence.inputs import SLOTS_MAX
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS

OnStep = Callable[[int, int], None]
Losses = NDArray[np.float64]

WEEKS, LEARNT = 4, 0.7  # of a life, and the share of its answers that an adapter learns from
RANK, RATE, UPDATES, DECAY = 4, 5e-4, 8, 0.1  # of an adapter and its learning
LAYERS = ("qkv", "out", "wide", "narrow")  # of every block
SURE = 1.96  # standard errors by which a kept adapter is better
FIRST = 820_000_000  # seed of practice people


class Adapted(nn.Module):
    """A linear layer plus a product of two thin matrices, which is zero at first."""

    def __init__(self, plain: nn.Linear) -> None:
        super().__init__()
        self.plain = plain
        self.narrow = nn.Parameter(torch.randn(RANK, plain.in_features) * plain.in_features**-0.5)
        self.widen = nn.Parameter(torch.zeros(plain.out_features, RANK))

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.plain(x) + (x @ self.narrow.T) @ self.widen.T
        return found


@dataclass(frozen=True, slots=True)
class Lived:
    """The lives of n people over t slots, with the model's input ``lessons`` and stated digits ``digits`` (n, t, 3).

    ``advised`` (n, t) are the recommended actions, and ``taken`` (n, t) is 1 for acceptance, else 0.
    """

    lessons: Lessons
    digits: Tensor
    advised: Tensor
    taken: Tensor

    def one(self, at: int) -> Lived:
        """Return the life of a single person."""
        only = slice(at, at + 1)
        return Lived(self.lessons.pick(only), self.digits[only], self.advised[only], self.taken[only])


def lived(model: SequenceModel, seeds: range, weeks: int = WEEKS) -> Lived:
    """Simulate lives of ``weeks`` weeks with the model's recommendations."""
    life, reader = answering.begin(seeds), Reader(model, len(seeds), SLOTS_MAX)
    for _ in range(weeks * STEPS):
        slots, now = seen_of(life, last=True)
        if slots.shape[1]:
            reader.complete(slots[:, -1])
        life.advance(reader.decide(now[:, -1])[:, OBJECTIVES.index("reward")].argmax(dim=1).numpy())
    slots, now = seen_of(life)
    unknown = np.zeros((*slots.shape[:2], len(ACTIONS)), np.float32)
    return Lived(
        week_of(life, slots, now[:, : slots.shape[1]], unknown, unknown),
        torch.from_numpy(np.array(reader.digits).transpose(1, 0, 2)),
        torch.from_numpy(np.array(life.advised).T),
        torch.from_numpy((np.array(life.answer).T == 0).astype(np.float32)),
    )


def forecasts(model: SequenceModel, some: Lived) -> Tensor:
    """Return the logits (n, t) by which the model predicts that each recommendation is accepted."""
    device = torch.device("cpu")
    with learning.half(device):
        said = model(*learning.inputs(some.lessons, some.digits, device))
    return said.taken.gather(2, some.advised[..., None])[..., 0]


def losses(logits: Tensor, taken: Tensor) -> Tensor:
    """Return the loss of each prediction, in nats."""
    return nn.functional.binary_cross_entropy_with_logits(logits, taken, reduction="none")


def adapter(file: Path, one: Lived, learnt: int) -> SequenceModel:
    """Return the model in ``file`` with an adapter trained on the first ``learnt`` answers of a person."""
    model = opened(file)
    model.requires_grad_(requires_grad=False)
    torch.manual_seed(0)
    for block in model.blocks:
        for name in LAYERS:
            setattr(block, name, Adapted(getattr(block, name)))
    own = [value for value in model.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(own, lr=RATE, weight_decay=DECAY)
    for _ in range(UPDATES):
        optimiser.zero_grad()
        losses(forecasts(model, one), one.taken)[:, :learnt].mean().backward()
        optimiser.step()
    return model


@torch.no_grad()
def tried(file: Path, plain: SequenceModel, one: Lived) -> tuple[Losses, Losses]:
    """Return the losses (m,) of the model without and with an adapter, over a person's last answers."""
    learnt = int(LEARNT * one.taken.shape[1])
    with torch.enable_grad():
        own = adapter(file, one, learnt)
    plainly, adapted = (losses(forecasts(each, one), one.taken)[0, learnt:] for each in (plain, own))
    return plainly.double().numpy(), adapted.double().numpy()


def better(plainly: Losses, adapted: Losses) -> bool:
    """Return True if an adapter's mean loss is lower by more than SURE standard errors of the paired difference."""
    gain = plainly - adapted
    return bool(gain.mean() > SURE * gain.std(ddof=1) / len(gain) ** 0.5)


@torch.no_grad()
def trial(file: Path, people: int, *, seed: int, on_step: OnStep) -> dict[str, Any]:
    """Test an adapter for each of ``people`` simulated people, and again with answers drawn from the model's forecasts.

    Returns mean losses in nats per answer without a history (``none``), with it (``context``) and with the adapter
    (``adapted``). ``kept`` and ``kept_by_chance`` are the shares of people whose adapter was better in the two tests.
    """
    torch.set_num_threads(1)
    plain, begun = opened(file), process_time()
    some = lived(plain, range(FIRST + seed * people, FIRST + (seed + 1) * people))
    chances = torch.sigmoid(forecasts(plain, some))
    drawn = torch.bernoulli(chances, generator=torch.Generator().manual_seed(seed))
    learnt = int(LEARNT * some.taken.shape[1])
    ignorant = losses(forecasts(plain, _forgotten(some)), some.taken)[:, learnt:].mean()
    found, by_chance = [], []
    for at in range(people):
        one = some.one(at)
        found.append(tried(file, plain, one))
        by_chance.append(better(*tried(file, plain, Lived(one.lessons, one.digits, one.advised, drawn[at][None]))))
        on_step(at + 1, people)
    gains = np.array([(plainly - adapted).mean() for plainly, adapted in found])
    return {
        "people": people,
        "none": float(ignorant),
        "context": float(np.mean([plainly for plainly, _ in found])),
        "adapted": float(np.mean([adapted for _, adapted in found])),
        "gain": float(gains.mean()),
        "gain_within": float(SURE * gains.std(ddof=1) / people**0.5),
        "kept": float(np.mean([better(*one) for one in found])),
        "kept_by_chance": float(np.mean(by_chance)),
        "core_seconds_each": (process_time() - begun) / (2 * people),
    }


def _forgotten(some: Lived) -> Lived:
    lessons = some.lessons.pick(np.arange(len(some.lessons)))
    return Lived(learning.without_past(lessons, np.ones(len(lessons), bool)), some.digits, some.advised, some.taken)
