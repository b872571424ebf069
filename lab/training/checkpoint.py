"""Checkpoints of trainings. A kill leaves a whole one, which ``--resume`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch


def keep(path: Path, state: Any, course: Sequence[float], names: Sequence[str]) -> None:
    """Write model, optimiser and the named attributes of ``state`` beside the last checkpoint, then replace it.

    ``course`` tells one training from another.
    """
    kept = {"course": list(course), "model": state.model.state_dict(), "optimiser": state.optimiser.state_dict()}
    replace(path, kept | {name: getattr(state, name) for name in names})


def replace(path: Path, kept: dict[str, Any]) -> None:
    """Save a file beside and then rename it."""
    torch.save(kept, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def restore(path: Path, state: Any, course: Sequence[float], names: Sequence[str], *, told: str) -> None:
    """Read a checkpoint into ``state``. Raises ValueError for another course, which the options ``told`` name."""
    kept = torch.load(path, weights_only=True)
    if kept["course"] != list(course):
        raise ValueError(f"{path.parent} holds another course: name the same {told}, or another --out")
    for name in names:
        setattr(state, name, kept[name])
    state.model.load_state_dict(kept["model"])
    state.optimiser.load_state_dict(kept["optimiser"])


def at_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Let an optimiser learn at a rate from now on."""
    for group in optimiser.param_groups:
        group["lr"] = rate
