"""The result page of taught models: scores, cost, course of the training, and the advice to each archetype."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.cli.figures import table
from lab.training.llm.contest import CONDITIONS, columns
from lab.training.llm.plots import notes_of

WATTS = 12.0  # assumed for a busy processor core: nothing measures it here
MINUTES_PER_HOUR = 60.0


def lines(
    rows: Sequence[Mapping[str, Any]], models: Mapping[str, Path], plots: Sequence[Path], place: Path
) -> list[str]:
    """Return the page in Markdown. ``rows`` are those of ``contest``, and ``place`` is the folder of the page."""
    parts = [
        table(columns(rows)),
        table([_cost(name, folder, rows) for name, folder in models.items()]),
        *(table(_advised(row)) for row in rows if row["policy"] in models and row["actions"]),
        [f"![{path.stem}]({Path(os.path.relpath(path, place)).as_posix()})" for path in plots],
    ]
    return [line for part in parts if part for line in (*part, "")][:-1]


def _cost(name: str, folder: Path, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a model's cost, with the loss and the belief's error at both ends of its training.

    A model that was trained elsewhere, or by an earlier version, has empty cells.
    """
    notes = notes_of(folder)
    minutes = next((row["core_minutes"] for row in reversed(notes) if "core_minutes" in row), None)
    waited = [row["ms"] for row in rows if row["policy"] == name and row["condition"] == CONDITIONS[0]]
    return {
        "model": name,
        "core-minutes": "" if minutes is None else f"{minutes:.1f}",
        "energy in Wh, estimated": "" if minutes is None else f"{minutes / MINUTES_PER_HOUR * WATTS:.1f}",
        "loss": _ends(notes, "loss"),
        "error of the belief": _ends(notes, "belief_mae"),
        "ms a decision": "".join(f"{value:.1f}" for value in waited),
    }


def _ends(notes: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return the first and the last value of a figure in a training's log, or "" if it holds none."""
    told = [float(row[name]) for row in notes if row.get(name) is not None]
    return f"{told[0]:.3f} to {told[-1]:.3f}" if told else ""


def _advised(row: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the share of each action in the weeks of each archetype, as the rows of a table."""
    return [
        {f"actions of {row['policy']}": name, **{action.lower(): f"{share:.0%}" for action, share in shares.items()}}
        for name, shares in row["actions"].items()
    ]
