"""Refinement of the network by policy gradient in groups of weeks of the same person (GRPO, Shao et al. 2024).

Training by the teacher cannot teach the worth of information, because the teacher knows the person. Here the score of
the whole week decides, with the belief and events included. The policy stays near the earlier policy (KL). Its entropy
has a lower limit, because a group of equal weeks teaches nothing.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.environments.grading import belief_mae
from lab.evaluation.week import Weeks
from lab.training.network import simulate
from lab.training.network.dataset import Lessons, objective_of
from lab.training.network.distil import BATCH, CLIPPED, batch, belief_loss, losses
from lab.training.network.model import Network, Thoughts
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import STEPS
from rhythm_env.profiles import belief_target

GROUP = 8  # weeks of each person
PEOPLE = 32  # per update
NEAR = 0.02  # weight of KL(policy | distilled)
OPEN, KEPT_OPEN = 0.15, 0.5  # nats of entropy below which the policy is pushed back, and how hard
BELIEF_WORTH = {"grade": 0.15, "reward": 0.05}  # beside the score: without it the belief is soon let go of for the rest
REHEARSED = 4  # batches of lives per update
BELIEVED = 4.0  # weight of the belief's loss: the better it is, the more a look is worth
EVEN = 1e-4  # added to a group's deviation


@dataclass(slots=True)
class Group:
    """Weeks played by the policy, with ``actions`` (n, 28), ``score`` and ``advantage`` (n,), and objectives."""

    seen: simulate.Seen
    actions: NDArray[np.intp]
    score: NDArray[np.float64]
    advantage: NDArray[np.float32]
    own: NDArray[np.intp]
    target: NDArray[np.float32]


def lived(network: Network, seeds: range) -> Group:
    """Play GROUP weeks for each person, with actions drawn from the policy."""
    weeks = simulate.begin(seeds, GROUP)
    own = np.tile(objective_of(len(seeds)), GROUP)
    seen, rng = simulate.watch(weeks), np.random.default_rng((seeds.start, 2))
    thoughts = None
    while not weeks.done:
        simulate.look(seen, weeks)
        thoughts = thought(network, seen, weeks.step)
        scores = thoughts.scores.numpy()[np.arange(weeks.n), own]
        weeks.advance((scores + rng.gumbel(size=scores.shape)).argmax(axis=1))
    assert thoughts is not None  # noqa: S101 - a week has slots
    target = belief_target(weeks.people)
    score = scored(weeks, thoughts.belief.numpy().T, target, own)
    by_person = score.reshape(GROUP, -1)
    advantage = (by_person - by_person.mean(axis=0)) / (by_person.std(axis=0) + EVEN)
    actions = np.array(weeks.actions).T
    return Group(seen, actions, score, advantage.reshape(-1).astype(np.float32), own, target.T.astype(np.float32))


@torch.no_grad()
def thought(network: Network, seen: simulate.Seen, step: int) -> Thoughts:
    device = next(network.parameters()).device
    slots, now = torch.from_numpy(seen.slots).to(device), torch.from_numpy(seen.now[:, step]).to(device)
    found = network(network.slot_of_weeks(slots, step), now)
    return Thoughts(found.belief.cpu(), found.sd.cpu(), found.scores.cpu(), found.taken.cpu())


def scored(weeks: Weeks, belief: np.ndarray, target: np.ndarray, own: np.ndarray) -> NDArray[np.float64]:
    """Return the score (n,) of each week by its objective, with a part for the belief's accuracy."""
    accuracy = 1 - belief_mae(belief, target)
    plain = {"grade": weeks.final_score(accuracy), "reward": weeks.mean_level()}
    each = [plain[name] + BELIEF_WORTH[name] * accuracy for name in OBJECTIVES]
    return np.asarray(np.array(each)[own, np.arange(weeks.n)])


def distilled(network: Network) -> Network:
    """Return a copy of the network whose weights are not trained."""
    fixed = copy.deepcopy(network)
    fixed.requires_grad_(requires_grad=False)
    return fixed


def update(
    network: Network,
    anchor: Network,
    optimiser: torch.optim.Optimizer,
    seeds: range,
    lives: Lessons,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Take a gradient step on newly simulated weeks and on ``lives`` with answers. Returns figures to plot.

    A penalty keeps the action probabilities of ``network`` near those of ``anchor``.
    """
    device = next(network.parameters()).device
    group = lived(network, seeds)
    slots, now = torch.from_numpy(group.seen.slots).to(device), torch.from_numpy(group.seen.now).to(device)
    thoughts = network(network.weeks(slots).flatten(0, 1), now.flatten(0, 1))
    with torch.no_grad():
        before = anchor(anchor.weeks(slots).flatten(0, 1), now.flatten(0, 1))
    scores, old = (_own(one, group.own, device) for one in (thoughts, before))
    loss = _gradient(scores, group, device) + NEAR * (scores.exp() * (scores - old)).sum(dim=1).mean()
    entropy = -(scores.exp() * scores).sum(dim=1).mean()
    loss = loss + KEPT_OPEN * torch.relu(OPEN - entropy)
    target = torch.from_numpy(group.target).to(device).repeat_interleave(STEPS, dim=0)
    loss = loss + BELIEVED * belief_loss(thoughts, target)[0]
    for _ in range(REHEARSED):
        pick = rng.integers(0, len(lives), min(BATCH["lives"], len(lives)))
        loss = loss + losses(network, batch(lives, pick, device), "lives").total / REHEARSED
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), CLIPPED)
    optimiser.step()
    means = {name: float(group.score[group.own == at].mean()) for at, name in enumerate(OBJECTIVES)}
    return {**means, "entropy": float(entropy.detach()), "repeats": repeats(group.actions)}


def _own(thoughts: Thoughts, own: np.ndarray, device: torch.device) -> Tensor:
    """Return log probabilities by each week's own objective, shape (n * 28, 10)."""
    which = torch.from_numpy(own).to(device).repeat_interleave(STEPS)
    return thoughts.scores[torch.arange(len(which)), which]


def _gradient(scores: Tensor, group: Group, device: torch.device) -> Tensor:
    """Return the loss whose gradient makes the actions of better weeks likelier."""
    taken = torch.from_numpy(group.actions).to(device).flatten()
    advantage = torch.from_numpy(group.advantage).to(device).repeat_interleave(STEPS)
    return -(advantage * scores[torch.arange(len(taken)), taken]).mean()


def repeats(actions: np.ndarray) -> float:
    """Return the share of slots whose action is that of either of the two slots before."""
    same = (actions[:, 2:] == actions[:, 1:-1]) | (actions[:, 2:] == actions[:, :-2])
    return float(same.mean())
