"""The training of the sequence model in three stages of supervised learning, which can be resumed.

The first stage learns from the network's decisions in weeks that are made when needed. Meanwhile a second process tries
every action in further weeks, and simulates people who answer. The second stage learns the better actions of those
weeks. The third stage is in ``practice``.
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
from typing import Any

import numpy as np
import torch

from lab.training.checkpoint import at_rate, keep, restore
from lab.training.llm.sequence import learning, lessons, practice, rolled
from lab.training.llm.sequence.exam import examined
from lab.training.llm.sequence.lessons import Lessons
from lab.training.llm.sequence.model import SequenceModel, opened, save
from lab.training.network.model import Network
from policies.llm.sequence.thought import OBJECTIVES

TAUGHT = "taught.pt"  # full precision, for the refinement
CHECKPOINT, KEPT = "course.pt", ("parts", "seconds", "notes")
Watch = Callable[[str], Callable[[int, int], None]]

WEEKS = 50_176  # of the network, in a full course of 112 parts
PART_STEPS = 16  # steps of a part, after which a checkpoint is written
BATCH = {"weeks": 28, "lives": 12}
SECOND = {"weeks": 4, "lives": 6, "firsts": 12, "rolled": 18}
FIRST_STAGE = 0.6  # of the parts
MADE = {"lives": 32, "rolled": 32}  # people per part of the first stage, whom the second process plays
MADE_SECOND = {"firsts": 64}  # and per part of the second stage
RATE, LAST_RATE, WARM = 1e-3, 1e-5, 60  # of learning; steps of warming up
DECAY = 0.01  # of weights
EXAMS = 4  # over a course
# seeds of practice people
FIRST = {"weeks": 100_000_000, "lives": 300_000_000, "firsts": 600_000_000, "rolled": 30_000_000}
PER_SEED = {"weeks": 4_000_000, "lives": 4_000_000, "firsts": 4_000_000, "rolled": 1_000_000}  # people of one course


@dataclass(slots=True)
class Course:
    """The state of a training, as saved in checkpoints and continued by ``--resume``."""

    out: Path
    weeks: int = WEEKS
    seed: int = 0
    parts: int = 0  # done
    seconds: float = 0.0  # of one core, lessons and the second process included
    notes: list[dict[str, float]] = field(default_factory=list)
    model: SequenceModel = field(init=False)
    optimiser: torch.optim.Optimizer = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(self.seed)
        self.model = SequenceModel().to("cuda" if torch.cuda.is_available() else "cpu")
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98))

    @property
    def all_parts(self) -> int:
        return max(self.weeks // (PART_STEPS * BATCH["weeks"]), 2)

    @property
    def first_parts(self) -> int:
        """The number of parts in the first stage."""
        return max(int(FIRST_STAGE * self.all_parts), 1)

    def seeds(self, kind: str, part: int, count: int) -> range:
        first = FIRST[kind] + self.seed % 10 * PER_SEED[kind] + part * count
        return range(first, first + count)

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, which rises at first and then falls along a cosine."""
        total = self.all_parts * PART_STEPS
        fall = LAST_RATE + (RATE - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(step / total, 1.0)))
        return fall * min((step + 1) / WARM, 1.0)


def train(out: Path, weeks: int, *, seed: int, resume: bool, watch: Watch, start: Path | None = None) -> dict[str, Any]:
    """Train a model and write ``taught.pt``, ``weights.npz`` and ``notes.json`` into ``out``. Returns figures.

    With the file of weights ``start`` only the third stage is run. Raises ValueError if ``resume`` finds another
    training, and for a file without such weights.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    course = Course(out, weeks, seed)
    if start is not None:
        course.model, course.parts = opened(start), course.all_parts
    elif resume and (out / CHECKPOINT).exists():
        restore(out / CHECKPOINT, course, (weeks, seed), KEPT, told="--weeks and --seed")
    if course.parts < course.all_parts:
        _taught(course, watch("learning"))
    parts = max(weeks * practice.PARTS // WEEKS, 1)
    last = practice.train(out, course.model, parts=parts, seed=seed, resume=resume, on_step=watch("practising"))
    step = course.parts * PART_STEPS
    notes = [*course.notes, *({**note, "step": step + note["step"]} for note in last.notes)]
    torch.save(last.model.state_dict(), out / TAUGHT)
    save(last.model, out / "weights.npz")
    notes[-1]["core_minutes"] = round((course.seconds + last.seconds) / 60, 1)
    (out / "notes.json").write_text(json.dumps(notes), encoding="utf-8")
    return {"out": str(out), **notes[-1]}


def _taught(course: Course, on_step: Callable[[int, int], None]) -> None:
    network = lessons.teacher()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:
        coming = [beside.submit(_made, _people(course, part), course.out) for part in range(course.all_parts)]
        pools: dict[str, Lessons] = {}
        for part in range(course.all_parts):
            paths = coming[part].result()
            _fill(pools, paths)
            if part >= course.parts:
                course.seconds += sum(map(lessons.seconds_of, paths.values()))
                _part(course, network, pools)
                on_step(course.parts, course.all_parts)


def _fill(pools: dict[str, Lessons], paths: dict[str, Path]) -> None:
    for kind, path in paths.items():
        some = lessons.kept(path)
        pools[kind] = lessons.together([pools[kind], some]) if kind in pools else some


def _people(course: Course, part: int) -> dict[str, range]:
    made = MADE if part < course.first_parts else MADE_SECOND
    return {kind: course.seeds(kind, part, count) for kind, count in made.items()}


def _made(people: dict[str, range], out: Path) -> dict[str, Path]:
    """Make the lessons of each kind from people with the given seeds, unless the file exists. Return the files."""
    torch.set_num_threads(1)
    network = lessons.teacher()
    make: dict[str, Callable[[range, Network], Lessons]] = {
        "lives": lessons.lives,
        "firsts": lessons.firsts,
        "rolled": lambda seeds, network: lessons.rolled(rolled.led(seeds, network)),
    }
    paths = {kind: out / f"{kind}-{seeds.start}.npz" for kind, seeds in people.items()}
    for kind, path in paths.items():
        if not path.exists():
            begun = process_time()
            made = make[kind](people[kind], network)
            lessons.save(made, path, process_time() - begun)
    return paths


def _part(course: Course, network: Network, pools: dict[str, Lessons]) -> None:
    """Run a part of the training on new weeks and stored lessons, and save the state."""
    begun, part = process_time(), course.parts
    first = part < course.first_parts
    sizes = BATCH if first else SECOND
    fresh = course.seeds("weeks", part, PART_STEPS * BATCH["weeks"])
    weeks = lessons.weeks(fresh[: PART_STEPS * sizes["weeks"]], network)
    if not first:
        weeks.weighed[:, OBJECTIVES.index("grade")] = 0  # two plans of a week, mixed, are none
    rng = np.random.default_rng((course.seed, part))
    torch.manual_seed(course.seed * 100_000 + part)
    found = []
    for number in range(PART_STEPS):
        some = [weeks.pick(slice(number * sizes["weeks"], (number + 1) * sizes["weeks"]))]
        some += [pool.pick(rng.integers(0, len(pool), sizes.get(kind, 0))) for kind, pool in pools.items()]
        at_rate(course.optimiser, course.rate(part * PART_STEPS + number))
        found.append(learning.step(course.model, course.optimiser, lessons.together(some), rng, silent=not first))
    course.parts += 1
    course.seconds += process_time() - begun
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    step = course.parts * PART_STEPS
    course.notes.append({"step": step, "loss": means.pop("total"), **means})
    if course.parts == course.all_parts or course.parts % max(course.all_parts // EXAMS, 1) == 0:
        course.notes.append({"step": step, "valid": 1.0, **examined(course.model)})
    keep(course.out / CHECKPOINT, course, (course.weeks, course.seed), KEPT)
