"""How the network is trained; needs PyTorch (``pip install 'rhythm-bridge[train]'``). ``bridge train`` calls both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Watch = Callable[[str], Callable[[int, int], None]]  # a stage's name -> what shows (done, total)

MINUTES = 20.0  # of one core: the length of the course that made the weights beside us


def train(out: Path, *, minutes: float, seed: int, resume: bool, watch: Watch) -> dict[str, Any]:
    """See ``course.train``. Raises ImportError without PyTorch."""
    from policies.network.training.course import train as run

    return run(out, minutes=minutes, seed=seed, resume=resume, watch=watch)


def draw(out: Path, *, episodes: int, watch: Watch) -> list[Path]:
    """See ``plots.draw``. Raises ImportError without matplotlib."""
    from policies.network.training.plots import draw as run

    return run(out, episodes=episodes, watch=watch)
