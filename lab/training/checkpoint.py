"""Checkpoints of trainings, always complete even if the process is killed, from which ``--resume`` continues."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch


def keep(path: Path, state: Any, course: Sequence[float], names: Sequence[str]) -> None:
    """Write model, optimiser and the named attributes of ``state`` to a checkpoint, in place of the last one.

    ``course`` are the numbers by which ``restore`` recognises the same training.
    """
    kept = {"course": list(course), "model": state.model.state_dict(), "optimiser": state.optimiser.state_dict()}
    replace(path, kept | {name: getattr(state, name) for name in names})


def replace(path: Path, kept: dict[str, Any]) -> None:
    """Save a file under another name first and then rename it, so that it is always complete."""
    torch.save(kept, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def restore(path: Path, state: Any, course: Sequence[float], names: Sequence[str], *, told: str) -> None:
    """Read a checkpoint into ``state``. Raises ValueError if ``course`` differs, naming the options ``told``."""
    kept = torch.load(path, weights_only=True)
    if kept["course"] != list(course):
        raise ValueError(f"{path.parent} holds another course: name the same {told}, or another --out")
    for name in names:
        setattr(state, name, kept[name])
    state.model.load_state_dict(kept["model"])
    state.optimiser.load_state_dict(kept["optimiser"])


def at_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of an optimiser."""
    for group in optimiser.param_groups:
        group["lr"] = rate
