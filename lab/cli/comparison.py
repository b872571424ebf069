"""Run ``bridge evaluate --comparison``, which grades every policy in every condition and in deployed mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from bridge.cli import show
from lab.cli import curves
from lab.cli.documented import markdown
from lab.marked_documents import put
from lab.pool import worked

if TYPE_CHECKING:
    from lab.evaluation.comparison import Part
    from lab.evaluation.lives import Lived

LEARNERS = ("planner", "network")  # policies that infer, where they are there


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
    first = sorted(asked, key=lambda part: part.kind is not None)
    with show.Progress() as progress:
        found = dict(worked(play, first, cores, progress.steps("comparison")))
    return [found[part][0] for part in asked], sum(spent for _, spent in found.values())


def play(part: Part) -> tuple[dict[str, Any] | Lived, float]:
    """Play a part in a worker process, and return its result and its CPU seconds."""
    from time import process_time

    from bridge import registry

    begun = process_time()
    return part.play(registry.policy), process_time() - begun
