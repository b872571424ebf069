"""Training of the network. It needs PyTorch (the laboratory's extra ``train``), and ``bridge train`` runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Watch = Callable[[str], Callable[[int, int], None]]  # a stage's name -> what shows (done, total)

MINUTES = 20.0  # of one core: the length of the course that made the weights beside us


def train(out: Path, *, minutes: float, seed: int, resume: bool, watch: Watch) -> dict[str, Any]:
    """Call ``train`` of the module ``train``. Raises ImportError without PyTorch."""
    from lab.training.network.train import train as run

    return run(out, minutes=minutes, seed=seed, resume=resume, watch=watch)


def draw(out: Path, *, episodes: int, watch: Watch) -> list[Path]:
    """Call ``draw`` of the module ``plots``. Raises ImportError without matplotlib."""
    from lab.training.network.plots import draw as run

    return run(out, episodes=episodes, watch=watch)
