"""Weeks and lives with decisions by the model in PyTorch, many at a time. Completed slots are processed once."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.evaluation.week import Weeks
from lab.training.llm.sequence.model import DIGITS, SequenceModel
from lab.training.network import simulate
from policies.llm.sequence import inputs
from rhythm_env.constants import BELIEF
from rhythm_env.interface import HISTORY_STEPS

Floats = NDArray[np.float32]
Heard = tuple[list[Tensor], list[Tensor]]  # keys and values of a layer


class Reader:
    """The state of the model for n people, with attention to the last ``sight`` completed slots.

    ``digits`` is a list of the beliefs (n, 3) stated so far, as digits. ``belief`` (n, 3) is the last one.
    """

    def __init__(self, model: SequenceModel, n: int, sight: int) -> None:
        self._model, self._sight = model, sight
        self._past: list[list[tuple[Tensor, Tensor]]] = [[] for _ in model.blocks]
        self.digits: list[NDArray[np.int64]] = []
        self.belief: Floats = np.zeros((n, len(BELIEF)), np.float32)

    @torch.no_grad()
    def complete(self, slots: Floats) -> None:
        """Process a completed slot (n, PER_SLOT) in each layer, and keep the result."""
        x = self._model.past(torch.from_numpy(inputs.past(slots)))
        for block, kept in zip(self._model.blocks, self._past, strict=True):
            _, k, v = block.heads_of(x)
            kept.append((k, v))
            del kept[: -self._sight]
            x = block.after_attention(x, v.flatten(1))

    @torch.no_grad()
    def decide(self, now: Floats) -> Tensor:
        """State the belief for the slot that begins, ``now`` (n, PRESENT), and return log probabilities (n, 2, 10)."""
        begun = self._model.now(torch.from_numpy(inputs.now(now)))
        own = [_together(past) for past in self._past]
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

    def _hear(self, x: Tensor, own: list[Heard]) -> Tensor:
        """Return the last layer's output (n, width) at the next position of the decision, which is added to ``own``."""
        far = len(self._past[0])
        for number, block in enumerate(self._model.blocks):
            q, k, v = block.heads_of(x)
            keys, values = (
                torch.cat([*seen, new[:, :, None]], 2) for seen, new in zip(own[number], (k, v), strict=True)
            )
            own[number] = ([keys], [values])
            score = (keys @ q[..., None])[..., 0] * q.shape[-1] ** -0.5
            score[..., :far] += block.distance[:, torch.arange(far, 0, -1)]
            x = block.after_attention(x, (score.softmax(dim=-1)[..., None, :] @ values).flatten(1))
        return self._model.last(x)


def _together(past: list[tuple[Tensor, Tensor]]) -> Heard:
    """Return the keys and the values (n, heads, t, d) of completed slots, each alone in a list, empty for none."""
    if not past:
        return [], []
    keys, values = (torch.stack([one[kind] for one in past], dim=2) for kind in (0, 1))
    return [keys], [values]


class Playing:
    """The input of n weeks as the model sees them, with the last HISTORY_STEPS slots visible."""

    def __init__(self, model: SequenceModel, weeks: Weeks) -> None:
        self._weeks = weeks
        self.seen = simulate.watch(weeks)
        self.reader = Reader(model, weeks.n, HISTORY_STEPS)

    def look(self) -> Tensor:
        """Process the last completed slot, and return the present one's log probabilities (n, objective, action)."""
        at = self._weeks.step
        simulate.look(self.seen, self._weeks)
        if at:
            self.reader.complete(self.seen.slots[:, at - 1])
        return self.reader.decide(self.seen.now[:, at])
