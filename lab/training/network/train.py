"""The whole training, with rounds of data and supervised learning, then the policy gradient. It can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lab.environments.grading import belief_mae
from lab.evaluation.grades import LOOKS, best_constant
from lab.training.checkpoint import at_rate, replace
from lab.training.network import dataset, distil, policy_gradient, simulate, trajectories
from lab.training.network.dataset import Lessons
from lab.training.network.model import Network, save
from lab.training.network.policy_gradient import thought
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.profiles import belief_target

Watch = Callable[[str], Callable[[int, int], None]]

FULL = 20.0  # minutes of one core that the numbers below take
ROUNDS = 4
WEEKS, LIVES = (3000, 1500), (1000, 500)  # people in the first round and in each later one
LEARNED, REFINED = 900, 320  # steps of distillation per round, updates of refinement
RATE, LAST_RATE, REFINING = 2e-3, 1e-4, 1e-4  # of learning: distillation's falls from the first to the second
KEPT_EVERY = 20  # updates of refinement between checkpoints
NOTED_EVERY = 25  # steps between points of the plotted loss
EXAM = 10_000_000  # seeds from here on are practice people kept for the exams between rounds
FRESH = 20_000_000  # and from here on those of the refinement


@dataclass(slots=True)
class Course:
    """The state of a training, as saved in checkpoints. ``updates`` counts those of the policy gradient."""

    out: Path
    minutes: float
    seed: int
    network: Network = field(default_factory=Network)
    rounds: int = 0
    updates: int = 0
    optimiser: dict[str, Any] = field(default_factory=dict)  # of the refinement
    notes: dict[str, list[Any]] = field(default_factory=lambda: {"loss": [], "exam": [], "refined": []})

    @property
    def scale(self) -> float:
        return self.minutes / FULL

    def sized(self, number: int) -> int:
        """Return ``number``, which is for a full training, scaled to the length of this one."""
        return max(int(number * self.scale), 4)


def train(out: Path, *, minutes: float, seed: int, resume: bool, watch: Watch) -> dict[str, Any]:
    """Train a network into ``out``, with ``weights.npz``, the played weeks and the log for plots. Returns figures.

    ``minutes`` of a core scale the number of weeks. The same minutes and seed give the same network on the same
    machine. Raises ValueError if ``resume`` finds another training.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    course = Course(out, minutes, seed)
    if resume and (out / "course.pt").exists():
        _restore(course)
    if torch.cuda.is_available():
        course.network.cuda()
    while course.rounds < ROUNDS:
        _round(course, watch)
    _refine(course, watch)
    save(course.network, out / "weights.npz")
    return {"rounds": course.rounds, "updates": course.updates, "exam": course.notes["exam"][-1], "out": str(out)}


def _round(course: Course, watch: Watch) -> None:
    number = course.rounds
    _live(course, number, watch)
    torch.manual_seed(course.seed * 1000 + number)
    weeks, lives = (_all(course, kind, number) for kind in ("weeks", "lives"))
    rng = np.random.default_rng((course.seed, number))
    steps, on_step = course.sized(LEARNED), watch(f"round {number + 1} of {ROUNDS}: learning")
    optimiser = torch.optim.Adam(course.network.parameters())
    for step in range(steps):
        part = (number + step / steps) / ROUNDS
        at_rate(optimiser, RATE * (LAST_RATE / RATE) ** part)
        of_weeks, of_lives = distil.learn(course.network, optimiser, weeks, lives, rng)
        if step % NOTED_EVERY == 0:
            course.notes["loss"].append(
                [number * steps + step, of_weeks.choice, of_lives.choice, of_weeks.belief, of_lives.belief]
            )
        on_step(step + 1, steps)
    course.rounds += 1
    _examine(course)
    _keep(course)


def _live(course: Course, number: int, watch: Watch) -> None:
    student = None if number == 0 else course.network
    first = course.seed % 10 * 1_000_000 + 100_000 * number
    many = int(number > 0)
    for kind, size in (("weeks", WEEKS[many]), ("lives", LIVES[many])):
        path = course.out / f"{kind}-{number}.npz"
        if path.exists():
            continue
        seeds = range(first, first + course.sized(size))
        on_step = watch(f"round {number + 1} of {ROUNDS}: living {kind}")
        with torch.no_grad():
            if kind == "lives":
                found = dataset.of_lives(seeds, student, on_step)
            else:
                found, lived = dataset.of_weeks(seeds, student, on_step)
                if number == 0:
                    trajectories.write(course.out / "trajectories.jsonl", seeds, lived)
                    trajectories.check(course.out / "trajectories.jsonl")
        found.save(path)


def _all(course: Course, kind: str, number: int) -> Lessons:
    return dataset.together([dataset.load(course.out / f"{kind}-{each}.npz") for each in range(number + 1)])


def _refine(course: Course, watch: Watch) -> None:
    updates, on_step = course.sized(REFINED), watch("refining")
    lives = _all(course, "lives", ROUNDS - 1)
    anchor = policy_gradient.distilled(_distilled(course))
    optimiser = torch.optim.Adam(course.network.parameters(), lr=REFINING)
    if course.optimiser:
        optimiser.load_state_dict(course.optimiser)
    while course.updates < updates:
        number = course.updates
        torch.manual_seed(course.seed * 1000 + 500 + number)
        first = FRESH + (course.seed * 10_000 + number) * policy_gradient.PEOPLE
        rng = np.random.default_rng((course.seed, 99, number))
        found = policy_gradient.update(
            course.network, anchor, optimiser, range(first, first + policy_gradient.PEOPLE), lives, rng
        )
        course.notes["refined"].append({"update": number, **found})
        course.updates += 1
        on_step(course.updates, updates)
        if course.updates % KEPT_EVERY == 0 or course.updates == updates:
            course.optimiser = optimiser.state_dict()
            if course.updates % (KEPT_EVERY * 4) == 0 or course.updates == updates:
                _examine(course)
            _keep(course)


def _distilled(course: Course) -> Network:
    path = course.out / "distilled.pt"
    if course.updates == 0:
        torch.save(course.network.state_dict(), path)
    network: Network = Network().to(next(course.network.parameters()).device)
    network.load_state_dict(torch.load(path, weights_only=True))
    return network


def _examine(course: Course) -> None:
    seeds = range(EXAM, EXAM + max(course.sized(200), 8))
    found = examined(course.network, seeds)
    course.notes["exam"].append({"rounds": course.rounds, "updates": course.updates, **found})
    (course.out / "notes.json").write_text(json.dumps(course.notes), encoding="utf-8")


def _keep(course: Course) -> None:
    state = {
        "network": course.network.state_dict(),
        "rounds": course.rounds,
        "updates": course.updates,
        "notes": json.dumps(course.notes),
        "minutes": course.minutes,
        "seed": course.seed,
        "optimiser": course.optimiser,
    }
    replace(course.out / "course.pt", state)


def _restore(course: Course) -> None:
    state = torch.load(course.out / "course.pt", weights_only=True)
    if (state["minutes"], state["seed"]) != (course.minutes, course.seed):
        raise ValueError(f"{course.out} holds a course of {state['minutes']:g} minutes with seed {state['seed']}")
    course.network.load_state_dict(state["network"])
    course.rounds, course.updates, course.optimiser = state["rounds"], state["updates"], state["optimiser"]
    course.notes = json.loads(state["notes"])


def examined(network: Network, seeds: range) -> dict[str, Any]:
    """Return by objective the mean grade, mean level, and belief skill in the slots of LOOKS.

    Belief skill is 1 - error / error of the medians.
    """
    return {name: _examined(network, seeds, number) for number, name in enumerate(OBJECTIVES)}


def _examined(network: Network, seeds: range, objective: int) -> dict[str, Any]:
    weeks = simulate.begin(seeds)
    target = belief_target(weeks.people)
    constant = belief_mae(best_constant(target), target).mean()
    seen, skill, belief = simulate.watch(weeks), {}, target
    while not weeks.done:
        simulate.look(seen, weeks)
        thoughts = thought(network, seen, weeks.step)
        belief = thoughts.belief.numpy().T
        if weeks.step in LOOKS:
            skill[str(weeks.step)] = float(1 - belief_mae(belief, target).mean() / constant)
        weeks.advance(thoughts.scores.numpy()[:, objective].argmax(axis=1))
    accuracy = 1 - belief_mae(belief, target)
    return {
        "score": float(weeks.final_score(accuracy).mean()),
        "level": float(weeks.mean_level().mean()),
        "belief_skill": skill,
    }
