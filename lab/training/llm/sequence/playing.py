"""Weeks played by the model in PyTorch, many at a time, slot by slot. Completed slots are read once."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.evaluation.week import Weeks
from lab.training.llm.sequence.model import DIGITS, SequenceModel
from lab.training.network import simulate
from policies.llm.sequence import reading
from rhythm_env.constants import BELIEF
from rhythm_env.interface import HISTORY_STEPS


class Playing:
    """``n`` weeks as the model sees them. ``digits``: (n, 3) said in each slot; ``belief``: (n, 3), the last."""

    def __init__(self, model: SequenceModel, weeks: Weeks) -> None:
        self._model, self._weeks = model, weeks
        self.seen = simulate.watch(weeks)
        self._past: list[list[tuple[Tensor, Tensor]]] = [[] for _ in model.blocks]
        self.digits: list[NDArray[np.int64]] = []
        self.belief: NDArray[np.float32] = np.zeros((weeks.n, len(BELIEF)), np.float32)

    @torch.no_grad()
    def look(self) -> Tensor:
        """Read the slot just completed and the slot that begins. Returns log-probabilities (n, 2, 10)."""
        at = self._weeks.step
        simulate.look(self.seen, self._weeks)
        if at:
            self._complete(torch.from_numpy(reading.past(self.seen.slots[:, at - 1])))
        begun = self._model.now(torch.from_numpy(reading.now(self.seen.now[:, at])))
        own: list[list[tuple[Tensor, Tensor]]] = [[] for _ in self._model.blocks]
        told, digits = torch.zeros_like(begun), []
        for number in range(len(BELIEF)):
            heard = self._hear(begun + self._model.asked[number] + told, own)
            chances = self._model.belief(heard).view(len(heard), -1, DIGITS)[:, number].softmax(dim=-1)
            mean = (chances.float() * torch.arange(DIGITS)).sum(dim=-1)
            self.belief[:, number] = (mean / (DIGITS - 1)).numpy()
            digits.append(mean.round().long())
            told = self._model.digit(digits[-1] + number * DIGITS)
        self.digits.append(torch.stack(digits, dim=1).numpy())
        scores = self._model.scores(self._hear(begun + self._model.asked[-1] + told, own))
        return torch.log_softmax(scores.view(len(scores), 2, -1).float(), dim=-1)

    def _complete(self, past: Tensor) -> None:
        """Keep what each layer makes of a completed slot, of the last seven."""
        x = self._model.past(past)
        for block, kept in zip(self._model.blocks, self._past, strict=True):
            _, k, v = block.heads_of(x)
            kept.append((k, v))
            del kept[:-HISTORY_STEPS]
            x = block.after_attention(x, v.flatten(1))

    def _hear(self, x: Tensor, own: list[list[tuple[Tensor, Tensor]]]) -> Tensor:
        """Return the last layer's output (n, width) at the next position of the decision."""
        for block, past, near in zip(self._model.blocks, self._past, own, strict=True):
            q, k, v = block.heads_of(x)
            near.append((k, v))
            every = past + near
            keys, values = (torch.stack([one[kind] for one in every], dim=2) for kind in (0, 1))
            score = (keys @ q[..., None])[..., 0] * q.shape[-1] ** -0.5
            score[..., : len(past)] += block.distance[:, torch.arange(len(past), 0, -1)]
            x = block.after_attention(x, (score.softmax(dim=-1)[..., None, :] @ values).flatten(1))
        return self._model.last(x)
