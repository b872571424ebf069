"""The course of the sequence model, which is supervised learning from two advisers. It resumes after a stop.

The first half learns from the network's weeks. They are made when needed, and each is seen once. Meanwhile a second
process lets the planner lead weeks, which the second half learns from too. People who answer are among the lessons
throughout.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import torch

from lab.training.llm.sequence import learning, lessons, planned
from lab.training.llm.sequence.exam import examined
from lab.training.llm.sequence.lessons import Lessons
from lab.training.llm.sequence.model import SequenceModel, save
from lab.training.network.model import Network
from policies.network.forward import OBJECTIVES

TAUGHT = "taught.pt"  # full precision, for the refinement
Watch = Callable[[str], Callable[[int, int], None]]

WEEKS = 40_000  # of the full course, each seen once
PLANNED_SHARE = 0.05  # as many weeks, of them, does the planner lead
PLANNED_PART = 50  # of them in a file
BATCH = {"weeks": 32, "lives": 8}
SECOND = {"weeks": 12, "planned": 24, "lives": 8}  # in the second half, where the planner alone teaches the grade
PART_STEPS = 16  # steps between checkpoints, and the lessons that are made at a time
RATE, LAST_RATE, WARM = 1e-3, 1e-5, 60  # of learning; steps of warming up
DECAY = 0.01  # of weights
EXAMS = 8  # over a course
FIRST = {"weeks": 100_000_000, "lives": 300_000_000, "planned": 30_000_000}  # seeds of practice people
PER_SEED = {"weeks": 4_000_000, "lives": 4_000_000, "planned": 1_000_000}  # people of one course


class Size(NamedTuple):
    """The numbers of weeks that the network leads and that the planner leads."""

    weeks: int
    planned: int

    @classmethod
    def of(cls, weeks: int) -> Size:
        return cls(weeks, max(int(weeks * PLANNED_SHARE), 2))


@dataclass(slots=True)
class Course:
    """The state of a training run, which ``--resume`` continues after a kill."""

    out: Path
    size: Size
    seed: int = 0
    parts: int = 0  # done
    seconds: float = 0.0  # of one core, lessons included
    notes: list[dict[str, float]] = field(default_factory=list)
    model: SequenceModel = field(init=False)
    optimiser: torch.optim.Optimizer = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(self.seed)
        self.model = SequenceModel().to("cuda" if torch.cuda.is_available() else "cpu")
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98))

    @property
    def all_parts(self) -> int:
        return max(self.size.weeks // (PART_STEPS * BATCH["weeks"]), 2)

    def seeds(self, kind: str, part: int, count: int) -> range:
        first = FIRST[kind] + self.seed % 10 * PER_SEED[kind] + part * count
        return range(first, first + count)

    def rate(self, step: int) -> float:
        """Warmed up, then along a cosine."""
        total = self.all_parts * PART_STEPS
        fall = LAST_RATE + (RATE - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(step / total, 1.0)))
        return fall * min((step + 1) / WARM, 1.0)


def train(out: Path, size: Size, *, seed: int, resume: bool, watch: Watch) -> dict[str, Any]:
    """Teach a model into ``out``: ``taught.pt``, ``weights.npz`` and ``notes.json``.

    Raises ValueError where ``resume`` finds another course.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    course = Course(out, size, seed)
    if resume and (out / "course.pt").exists():
        _restore(course)
    network, on_step = lessons.teacher(), watch("learning")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:
        files = _planner_leads(course, beside)
        while course.parts < course.all_parts:
            second = course.parts >= course.all_parts / 2
            led = _together([planned.load(one.result()) for one in files]) if second else None
            _part(course, network, led)
            on_step(course.parts, course.all_parts)
    torch.save(course.model.state_dict(), out / TAUGHT)
    save(course.model, out / "weights.npz")
    (out / "notes.json").write_text(json.dumps(course.notes), encoding="utf-8")
    return {"out": str(out), "core_minutes": round(course.seconds / 60, 1), **course.notes[-1]}


def _planner_leads(course: Course, beside: ProcessPoolExecutor) -> list[Any]:
    """The files of the planner's weeks, as futures."""
    count = max(course.size.planned // PLANNED_PART, 1)
    size = min(course.size.planned, PLANNED_PART)
    return [beside.submit(_led, course.seeds("planned", part, size), course.out) for part in range(count)]


def _led(seeds: range, out: Path) -> Path:
    path = out / f"planned-{seeds.start}.npz"
    if not path.exists():
        planned.save(planned.led(seeds), path)
    return path


def _together(some: list[planned.Planned]) -> Lessons:
    return lessons.together([lessons.planned(one) for one in some])


def _part(course: Course, network: Network, led: Lessons | None) -> None:
    """Make some lessons, learn from them, and keep where the course has got to."""
    begun, part = process_time(), course.parts
    sizes = BATCH if led is None else SECOND
    made = {
        "weeks": lessons.weeks(course.seeds("weeks", part, PART_STEPS * BATCH["weeks"]), network),
        "lives": lessons.lives(course.seeds("lives", part, PART_STEPS * BATCH["lives"] // 2), network),
    }
    if led is not None:
        made["weeks"].weighed[:, OBJECTIVES.index("grade")] = 0  # two plans of a week, mixed, are none
    rng = np.random.default_rng((course.seed, part))
    torch.manual_seed(course.seed * 100_000 + part)
    found = []
    for number in range(PART_STEPS):
        some = [made[kind].pick(slice(number * sizes[kind], (number + 1) * sizes[kind])) for kind in made]
        if led is not None:
            some.append(led.pick(rng.integers(0, len(led), sizes["planned"])))
        for group in course.optimiser.param_groups:
            group["lr"] = course.rate(part * PART_STEPS + number)
        found.append(learning.step(course.model, course.optimiser, lessons.together(some), rng))
    course.parts += 1
    course.seconds += process_time() - begun
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    step = course.parts * PART_STEPS
    course.notes.append({"step": step, "loss": means.pop("total"), **means})
    if course.parts == course.all_parts or course.parts % max(course.all_parts // EXAMS, 1) == 0:
        course.notes.append({"step": step, "valid": 1.0, **examined(course.model)})
    _keep(course)


def _keep(course: Course) -> None:
    """Write a checkpoint beside the last checkpoint and then replace it, so that a kill leaves a whole checkpoint."""
    kept = {
        "course": [*course.size, course.seed],
        "parts": course.parts,
        "seconds": course.seconds,
        "notes": course.notes,
        "model": course.model.state_dict(),
        "optimiser": course.optimiser.state_dict(),
    }
    torch.save(kept, course.out / "course.new")
    (course.out / "course.new").replace(course.out / "course.pt")


def _restore(course: Course) -> None:
    kept = torch.load(course.out / "course.pt", weights_only=True)
    if kept["course"] != [*course.size, course.seed]:
        raise ValueError(f"{course.out} holds another course: name the same --weeks and --seed, or another --out")
    course.parts, course.seconds, course.notes = kept["parts"], kept["seconds"], kept["notes"]
    course.model.load_state_dict(kept["model"])
    course.optimiser.load_state_dict(kept["optimiser"])
