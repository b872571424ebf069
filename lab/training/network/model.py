"""The network in PyTorch, for training. ``lab.policies.network.forward`` is the same in numpy, with the same names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lab.policies.network.forward import LARGEST_SD, SMALLEST_SD
from policies.llm.sequence.slots import PER_SLOT, PRESENT
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import BELIEF, STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS

STARTS = torch.clamp(torch.arange(STEPS) - HISTORY_STEPS, min=0)
SIGHT = STARTS[:, None] + torch.arange(HISTORY_STEPS)  # (28, 7): the slots in sight at a step, from the left
LENGTHS = torch.clamp(torch.arange(STEPS), max=HISTORY_STEPS)  # how many of them are completed
TOLD, MEMORY, WIDTH, CHOICE = 96, 128, 256, 192


@dataclass(frozen=True, slots=True)
class Thoughts:
    """The network's output, with ``scores`` (n, 2, 10) as log probabilities and ``taken`` as logits."""

    belief: Tensor
    sd: Tensor
    scores: Tensor
    taken: Tensor


class Network(nn.Module):
    """A network that computes a belief first, from which the layers that choose an action start."""

    def __init__(self) -> None:
        super().__init__()
        self.slot = nn.Linear(PER_SLOT, TOLD)
        self.memory = nn.GRU(TOLD, MEMORY, batch_first=True)
        self.first = nn.Linear(MEMORY + PRESENT, WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)
        self.belief = nn.Linear(WIDTH, 2 * len(BELIEF))
        self.third = nn.Linear(WIDTH + 2 * len(BELIEF), CHOICE)
        self.scores = nn.Linear(CHOICE, len(OBJECTIVES) * len(ACTIONS))
        self.taken = nn.Linear(CHOICE, len(ACTIONS))

    def weeks(self, slots: Tensor) -> Tensor:
        """Return the memory (n, 28, MEMORY) before each slot of weeks (n, 28, PER_SLOT), from the last seven slots."""
        told = torch.relu(self.slot(slots))[:, SIGHT.to(slots.device)]
        states, _ = self.memory(told.flatten(0, 1))
        states = torch.cat([torch.zeros_like(states[:, :1]), states], dim=1)
        chosen = LENGTHS.to(slots.device).repeat(len(slots))
        return states[torch.arange(len(chosen)), chosen].view(len(slots), len(SIGHT), -1)

    def slot_of_weeks(self, slots: Tensor, step: int) -> Tensor:
        """Return the memory (n, MEMORY) before slot ``step``, from the last HISTORY_STEPS slots."""
        seen = slots[:, max(step - HISTORY_STEPS, 0) : step]
        return self.lives(seen)[:, -1] if step else slots.new_zeros(len(slots), MEMORY)

    def lives(self, slots: Tensor) -> Tensor:
        """Return the memory (n, t + 1, MEMORY) before each of the slots (n, t, PER_SLOT) and after the last."""
        states, _ = self.memory(torch.relu(self.slot(slots)))
        return torch.cat([torch.zeros_like(states[:, :1]), states], dim=1)

    def forward(self, memory: Tensor, now: Tensor) -> Thoughts:
        """Return the output for decisions with ``memory`` (n, MEMORY) and ``now`` (n, PRESENT)."""
        trunk = torch.relu(self.second(torch.relu(self.first(torch.cat([memory, now], dim=1)))))
        believed = self.belief(trunk)
        mean = torch.sigmoid(believed[:, : len(BELIEF)])
        sd = SMALLEST_SD + (LARGEST_SD - SMALLEST_SD) * torch.sigmoid(believed[:, len(BELIEF) :])
        chosen = torch.relu(self.third(torch.cat([trunk, mean, sd], dim=1)))
        scores = self.scores(chosen).view(-1, len(OBJECTIVES), len(ACTIONS))
        return Thoughts(mean, sd, torch.log_softmax(scores, dim=2), self.taken(chosen))


def save(network: Network, path: Path) -> None:
    """Write the weights in half precision, for ``lab.policies.network.forward``."""
    arrays = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in network.state_dict().items()}
    np.savez_compressed(path, **arrays)


def load(path: Path) -> Network:
    """Return the network in a file that ``save`` wrote."""
    network = Network()
    with np.load(path) as file:
        network.load_state_dict({name: torch.from_numpy(file[name].astype(np.float32)) for name in file.files})
    return network
