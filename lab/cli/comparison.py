"""Run ``bridge evaluate --comparison``, which grades every policy in every condition and in deployed mode."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from bridge.cli import show
from bridge.recordings.recorded_life import environment
from lab.cli import curves
from lab.cli.documented import markdown
from lab.marked_documents import put

if TYPE_CHECKING:
    from lab.evaluation.comparison import Part
    from lab.evaluation.lives import Lived

LEARNERS = ("planner", "network")  # policies that infer, where they are there
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def compare(episodes: int, cores: int, write: Path | None, picture: Path | None, *, json: bool) -> None:
    """Play and print the comparison. Put its tables into the document ``write`` and its curves into ``picture``.

    Each of the two may be None.
    """
    body = compared(episodes, cores)
    if json:
        show.document(body)
    else:
        typer.echo(markdown(body))
    if write is not None:
        put(write, markdown(body), mark="policies")
    if picture is not None:
        curves.draw(picture, body)


def compared(episodes: int, cores: int) -> dict[str, Any]:
    from bridge import registry
    from lab.evaluation.comparison import gathered, parts

    begun = perf_counter()
    asked = parts(episodes, [name for name in LEARNERS if name in registry.names("policies")])
    found, spent = _played(asked, cores)
    body = gathered(asked, found, registry.policy)
    minutes = {"minutes": (perf_counter() - begun) / 60, "core_minutes": spent / 60}
    return {"episodes": episodes, "cores": cores, **minutes, **body}


def _played(asked: Sequence[Part], cores: int) -> tuple[list[dict[str, Any] | Lived], float]:
    """Return the results of the parts in their order, and their sum of CPU seconds. The longest parts start first."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    first = sorted(range(len(asked)), key=lambda n: asked[n].kind is not None)
    found: dict[int, tuple[dict[str, Any] | Lived, float]] = {}
    with show.Progress() as progress, one_thread_each():
        step = progress.steps("comparison")
        with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(play, asked[n]): n for n in first}
            for done, future in enumerate(as_completed(waiting), start=1):
                found[waiting[future]] = future.result()
                step(done, len(asked))
    return [found[n][0] for n in range(len(asked))], sum(spent for _, spent in found.values())


def play(part: Part) -> tuple[dict[str, Any] | Lived, float]:
    """Play a part in a worker process, and return its result and its CPU seconds."""
    from time import process_time

    from bridge import registry

    begun = process_time()
    return part.play(registry.policy), process_time() - begun


def one_thread_each() -> AbstractContextManager[None]:
    """Limit numeric libraries of processes started in the block to a thread each, as each process has its own core."""
    return environment(dict.fromkeys(THREADS, "1"))
