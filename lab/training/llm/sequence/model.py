"""The sequence model in PyTorch, for training. ``policies.llm.sequence.forward`` computes the same in numpy.

A completed slot is a single position. A decision is four positions, which are the present with its event, then the
digits of social, morning and work, each read by the next. The last position chooses. A completed slot sees only itself,
because its meaning does not depend on earlier slots. Positions of a decision see the completed slots in sight and the
earlier positions of the same decision. They see no other decision, because the labels are the true belief. A week is
therefore trained in a single pass. A decision that sees seven slots comes out the same as in a pass over the whole
week.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from policies.llm.sequence.forward import load, packed
from policies.llm.sequence.inputs import ASKING, HATS, NOW, PAST, PAST_NUMBERS, PRESENT_NUMBERS, SLOTS_MAX
from policies.llm.sequence.slots import PER_SLOT, PRESENT
from rhythm_env.constants import BELIEF
from rhythm_env.dynamics import ACTIONS

DIGITS, OBJECTIVES = 10, 2
WIDTH, LAYERS, HEADS = 192, 4, 6
SMOOTH, SMALL = 4, 0.1  # waves of a number's first embedding, and its size
UNSEEN = -1e4  # added to a score of attention


@dataclass(frozen=True, slots=True)
class Said:
    """The model's output, with log probabilities ``digits`` (n, t, 3, 10) and ``scores`` (n, t, 2, 10).

    ``taken`` (n, t, 10) are the logits of acceptance.
    """

    digits: Tensor
    scores: Tensor
    taken: Tensor


class Block(nn.Module):
    """A layer with attention over the visible positions, then two matrices with a rectifier between."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.after = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.distance = nn.Parameter(torch.zeros(heads, SLOTS_MAX + 1))

    def forward(self, x: Tensor, sight: Tensor, apart: Tensor) -> Tensor:
        """Return the layer's output for ``x`` (n, t, FIELDS, width).

        ``sight`` (n, 1, t, 1, t) is added to the scores of attention, and ``apart`` (t, t) is the number of slots
        between.
        """
        return self.after_attention(x, self._attended(x, sight, apart))

    def after_attention(self, x: Tensor, attended: Tensor) -> Tensor:
        """Return the layer's output from its input and the result of attention."""
        x = x + self.out(attended)
        return x + self.narrow(torch.relu(self.wide(self.after(x))))

    def heads_of(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values (..., heads, d) of ``x`` (..., width)."""
        made = self.qkv(self.before(x))
        q, k, v = made.view(*x.shape[:-1], 3, self.heads, -1).unbind(-3)
        return q, k, v

    def _attended(self, x: Tensor, sight: Tensor, apart: Tensor) -> Tensor:
        n, t, _, width = x.shape
        q, k, v = self.heads_of(x)
        far_k, far_v = k[:, :, 0].permute(0, 2, 3, 1), v[:, :, 0].transpose(1, 2)  # (n, h, d, t), (n, h, t, d)
        own_q, own_k, own_v = (one[:, :, 1:].permute(0, 3, 1, 2, 4) for one in (q, k, v))  # (n, h, t, 4, d)
        size = own_q.shape[-1] ** -0.5
        far = (own_q.flatten(2, 3) @ far_k).view(n, self.heads, t, ASKING, t) * size
        far = far + self.distance[:, apart][None, :, :, None] + sight
        near = own_q @ own_k.transpose(-1, -2) * size + _earlier(x)
        weights = torch.cat([far, near], dim=-1).float().softmax(dim=-1).to(own_v.dtype)
        seen = (weights[..., :t].flatten(2, 3) @ far_v).view(n, self.heads, t, ASKING, -1) + weights[..., t:] @ own_v
        first = v[:, :, 0].reshape(n, t, 1, width)  # a completed slot sees itself
        return torch.cat([first, seen.permute(0, 2, 3, 1, 4).reshape(n, t, ASKING, width).to(first.dtype)], dim=2)


def _earlier(x: Tensor) -> Tensor:
    """Return a mask (4, 4) by which a position of a decision sees the positions before it."""
    return torch.triu(torch.full((ASKING, ASKING), UNSEEN, device=x.device), 1)


class SequenceModel(nn.Module):
    """A transformer of ``width``, ``layers`` and ``heads``, by default with 2 million weights."""

    def __init__(self, width: int = WIDTH, layers: int = LAYERS, heads: int = HEADS) -> None:
        super().__init__()
        self.past, self.now = nn.Linear(PAST, width), nn.Linear(NOW, width)
        self.digit = nn.Embedding(len(BELIEF) * DIGITS, width)
        self.asked = nn.Parameter(torch.randn(ASKING, width) * SMALL)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.belief = nn.Linear(width, len(BELIEF) * DIGITS)
        self.scores = nn.Linear(width, OBJECTIVES * len(ACTIONS))
        self.taken = nn.Linear(width, len(ACTIONS))
        _smooth(self.past, PER_SLOT, PAST_NUMBERS)
        _smooth(self.now, PRESENT, PRESENT_NUMBERS)
        for block in self.blocks:
            for layer in (block.out, block.narrow):
                nn.init.normal_(layer.weight, std=0.5 * width**-0.5 * (2 * layers) ** -0.5)

    def forward(self, past: Tensor, now: Tensor, digits: Tensor, sight: Tensor) -> Said:
        """Return the output for t slots of n weeks, from ``past`` (n, t, PAST), ``now`` (n, t, NOW) and ``digits`` (n,
        t, 3).

        ``sight`` (n, t, t) is True if the decision of a slot (second axis) sees the completed slot (third axis).
        """
        t = past.shape[1]
        x = self.embedded(past, now, digits)
        apart = (torch.arange(t)[:, None] - torch.arange(t)).clamp(0, SLOTS_MAX).to(past.device)
        hidden = torch.where(sight, 0.0, UNSEEN)[:, None, :, None]
        for block in self.blocks:
            x = block(x, hidden, apart)
        return self.said(self.last(x[:, :, 1:]))

    def embedded(self, past: Tensor, now: Tensor, digits: Tensor) -> Tensor:
        """Return the embeddings (n, t, FIELDS, width) of the input."""
        present = self.now(now)[:, :, None]
        each = torch.arange(len(BELIEF), device=digits.device) * DIGITS
        told = self.digit(digits + each)
        told = torch.cat([torch.zeros_like(told[:, :, :1]), told], dim=2)
        return torch.cat([self.past(past)[:, :, None], present + self.asked + told], dim=2)

    def said(self, x: Tensor) -> Said:
        """Return the output from the last layer's positions of decisions (n, t, 4, width)."""
        n, t = x.shape[:2]
        wanted = self.belief(x[:, :, : len(BELIEF)]).view(n, t, len(BELIEF), len(BELIEF), DIGITS)
        digits = torch.diagonal(wanted, dim1=2, dim2=3).transpose(-1, -2)
        chosen = self.scores(x[:, :, -1]).view(n, t, OBJECTIVES, -1)
        return Said(
            torch.log_softmax(digits.float(), dim=-1),
            torch.log_softmax(chosen.float(), dim=-1),
            self.taken(x[:, :, -1]).float(),
        )


def _smooth(layer: nn.Linear, plain: int, numbers: tuple[tuple[range, float, float], ...]) -> None:
    """Initialise the weights so that nearby values of a number have nearly equal embeddings."""
    count = sum(len(columns) for columns, _, _ in numbers)
    steps = torch.linspace(0, 1, HATS)
    waves = torch.stack([torch.cos(torch.pi * k * steps) / (k + 1) for k in range(SMOOTH)], dim=1)
    with torch.no_grad():
        layer.weight.normal_(std=SMALL)
        drawn = torch.randn(layer.weight.shape[0], count, SMOOTH) * SMALL
        layer.weight[:, plain : plain + count * HATS] = (drawn @ waves.T).flatten(1)


def save(model: SequenceModel, path: Path) -> None:
    """Write the weights in 8 bits, for ``policies.llm.sequence.forward``."""
    weights = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    arrays: dict[str, Any] = dict(packed(weights))
    np.savez_compressed(path, **arrays)


def opened(path: Path) -> SequenceModel:
    """Return the model in a file that ``save`` wrote. Raises ValueError for any other file."""
    model = SequenceModel()
    try:
        model.load_state_dict({name: torch.tensor(value) for name, value in load(path).known.items()})
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise ValueError(
            f"{path} holds no weights of this sequence model: name a weights.npz of the same size"
        ) from error
    return model
