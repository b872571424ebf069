"""Measure how often the 95 % intervals of ``bridge evaluate --logged`` hold the truth.

Run ``python -m lab.benchmarks.offpolicy [LOGS] [LIVES]``. A policy (the logger) recommends to simulated lives of two
weeks within the product's limits. Each log holds people drawn from these lives with replacement, with new actions and
answers. The truth is the expected answer to another policy, in the situations of the log and of all lives. 60 lives and
400 logs of each size take two minutes of a core for each logger.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from bridge import registry
from bridge.domain.guard import Guard
from lab.evaluation.guarded import Guarded
from lab.evaluation.offpolicy import MANY, Logged, designs, estimate, model
from lab.evaluation.simulated_logs import simulated, wanted
from rhythm_env.dynamics import ACTIONS

Array = NDArray[np.float64]
LOGS, LIVES = 400, 100
FIRST = 1_000  # seeds from here on, so that no person of another table is met again
LOGGERS = ("random", "thompson", "adaptive")
POLICIES = ("heuristic", "random", "shared_arms")
PEOPLE = (1, 20, 60)
WAYS = ("ips", "snips", "dr")
A_DAY = 4  # answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Logged decisions with their features, the expected answers to all actions, and what each policy would choose.

    ``places`` are the indices of each person's decisions.
    """

    logged: Sequence[Logged]
    designs: Array
    truth: Array
    wanted: dict[str, Array]
    places: Sequence[NDArray[np.intp]]


def pool(logger: str, lives: int) -> Pool:
    """Return the decisions of a policy called ``logger`` for ``lives`` simulated people."""
    log = simulated(lambda: Guarded(registry.policy(logger), Guard()), range(FIRST, FIRST + lives))
    people = [one.cluster for one in log.logged]
    chosen = {name: wanted(log.logged, lambda name=name: registry.policy(name)) for name in POLICIES}  # type: ignore[misc]
    places = [np.flatnonzero([one == person for one in people]) for person in dict.fromkeys(people)]
    return Pool(logged=log.logged, designs=designs(log.logged), truth=log.truth, wanted=chosen, places=places)


def drawn(known: Pool, people: int, seed: int) -> tuple[list[Logged], Array]:
    """Return a log of ``people`` people drawn with replacement, and the indices of its decisions in the pool.

    Actions and answers are drawn again, so that logs do not share them.
    """
    rng = np.random.default_rng((people, seed))
    who = rng.integers(0, len(known.places), people)
    found = []
    for number, person in enumerate(who):
        for at in known.places[person]:
            one = known.logged[at]
            day = f"/{len(one.observation.history) // A_DAY}" if people < MANY else ""
            action = rng.choice(len(ACTIONS), p=np.array(one.chances) / sum(one.chances))
            reward = 1.0 if rng.random() < (1 + known.truth[at, action]) / 2 else -1.0
            found.append(replace(one, cluster=f"{number}{day}", action=ACTIONS[action], reward=reward))
    return found, np.concatenate([known.places[person] for person in who])


def verdicts(known: Pool, people: int, seed: int) -> Iterator[tuple[str, str, bool | None, bool | None]]:
    """Yield (policy, estimator, whether its interval holds the log's truth, whether it holds the pool's truth).

    The last two are None if no interval is given.
    """
    logged, at = drawn(known, people, seed)
    supposed = model(logged, known.designs[at])
    for name, chosen in known.wanted.items():
        found = estimate(logged, chosen[at], modelled=supposed)
        everywhere = (chosen * known.truth).sum(axis=1)
        for way in WAYS:
            if found[way] is None or found[way]["ci95"][0] is None:
                yield name, way, None, None
                continue
            low, high = found[way]["ci95"]
            own, whole = float(everywhere[at].mean()), float(everywhere.mean())
            yield name, way, low <= own <= high, low <= whole <= high


def main(logs: int, lives: int) -> None:
    print("| logger | people | policy | estimator | told | hold the log's truth | hold the pool's |")
    print("|---|---|---|---|---|---|---|")
    for logger in LOGGERS:
        known = pool(logger, lives)
        for people in PEOPLE:
            told, held, whole = (Counter[tuple[str, str]]() for _ in range(3))
            for seed in range(logs):
                for name, way, own, all_ in verdicts(known, people, seed):
                    told[name, way] += own is not None
                    held[name, way] += own is True
                    whole[name, way] += all_ is True
            for name in POLICIES:
                for way in WAYS:
                    n = told[name, way]
                    shares = [f"{count[name, way] / n:.1%}" if n else "-" for count in (held, whole)]
                    print(
                        f"| {logger} | {people} | {name} | {way} | {n} of {logs} | {' | '.join(shares)} |", flush=True
                    )


if __name__ == "__main__":
    main(*(int(text) for text in (sys.argv[1:3] + [str(LOGS), str(LIVES)][len(sys.argv) - 1 :])))
