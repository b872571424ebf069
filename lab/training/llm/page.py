"""The result page of trained models, with scores, cost, course of the training, and actions by archetype."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.cli.figures import table
from lab.evaluation.intervals import half
from lab.pictures import COLOURS, panels, saved
from lab.training.llm.contest import CONDITIONS, columns

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
    """Return a model's cost, and the loss and the belief's error at both ends of its training, as texts.

    Cells of unknown figures are empty.
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
    """Return table rows with the share of each action in the weeks of each archetype."""
    return [
        {f"actions of {row['policy']}": name, **{action.lower(): f"{share:.0%}" for action, share in shares.items()}}
        for name, shares in row["actions"].items()
    ]


NOTHING = float("nan")
BLUE, GREEN, GREY = COLOURS[0], COLOURS[2], COLOURS[6]
HEIGHT = 3.6  # inches


def draw(models: Mapping[str, Path], rows: Sequence[Mapping[str, Any]], out: Path) -> list[Path]:
    """Draw ``loss.svg``, ``belief.svg``, ``scores.svg`` and ``actions.svg``. Raises SetupError without matplotlib."""
    out.mkdir(parents=True, exist_ok=True)
    notes = {name: notes_of(folder) for name, folder in models.items()}
    return [
        _losses(notes, out / "loss.svg"),
        _beliefs(notes, out / "belief.svg"),
        _scores(rows, out / "scores.svg"),
        _actions([row for row in rows if row["policy"] in models and row["actions"]], out / "actions.svg"),
    ]


def notes_of(folder: Path) -> list[dict[str, Any]]:
    """Return the log of a training in ``folder``, or nothing if there is none."""
    path = folder / "notes.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def _losses(notes: Mapping[str, list[dict[str, Any]]], path: Path) -> Path:
    """Draw the training losses, a panel for each model, because they have different scales."""
    many = max(len(notes), 1)
    figure, (axis,) = panels(1, many, (5.0 * many, HEIGHT))
    for axes, (name, rows) in zip(axis, notes.items(), strict=False):
        told = [row for row in rows if "loss" in row]
        axes.plot([row["step"] for row in told], [float(row["loss"]) for row in told], color=BLUE, linewidth=0.9)
        axes.set(title=name, xlabel="step", ylabel="training loss")
    return saved(figure, path)


def _beliefs(notes: Mapping[str, list[dict[str, Any]]], path: Path) -> Path:
    """Draw the error of the belief and the share of readable answers on prompts outside the training."""
    many = max(len(notes), 1)
    figure, (axis,) = panels(1, many, (5.0 * many, HEIGHT))
    for axes, (name, rows) in zip(axis, notes.items(), strict=False):
        told = [row for row in rows if "valid" in row]
        steps = [row["step"] for row in told]
        axes.plot(
            steps,
            [NOTHING if row["belief_mae"] is None else row["belief_mae"] for row in told],
            color=BLUE,
            marker="o",
            label="error of the belief",
        )
        axes.plot(steps, [row["constant_mae"] for row in told], color=GREY, ls=":", label="of saying nothing")
        axes.plot(steps, [row["valid"] for row in told], color=GREEN, marker=".", label="share readable")
        axes.set(title=name, xlabel="step", ylim=(0, 1.05))
        axes.legend(frameon=False, fontsize=8)
    return saved(figure, path)


def _scores(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    conditions = list(dict.fromkeys(row["condition"] for row in rows))
    names = list(dict.fromkeys(row["policy"] for row in rows))
    figure, ((axes,),) = panels(1, 1, (10.0, HEIGHT))
    wide = 0.8 / max(len(names), 1)
    for at, name in enumerate(names):
        own = [row["score"] for row in rows if row["policy"] == name]
        places = [number + at * wide for number in range(len(own))]
        within = [half(one) for one in own]
        colour = COLOURS[at % len(COLOURS)]
        axes.bar(places, [one["mean"] for one in own], wide * 0.92, yerr=within, color=colour, label=name)
    axes.set_xticks([number + 0.4 - wide / 2 for number in range(len(conditions))], conditions)
    axes.set(ylabel="published grade, belief included")
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return saved(figure, path)


def _actions(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    many = max(len(rows), 1)
    figure, (axis,) = panels(1, many, (6.0 * many, HEIGHT))
    for axes, row in zip(axis, rows, strict=False):
        begun = dict.fromkeys(row["actions"], 0.0)
        for at, action in enumerate(next(iter(row["actions"].values()))):
            shares = [each[action] for each in row["actions"].values()]
            axes.barh(list(begun), shares, left=list(begun.values()), color=f"C{at}", label=action.lower())
            begun = {name: done + share for (name, done), share in zip(begun.items(), shares, strict=True)}
        axes.set(title=row["policy"], xlim=(0, 1))
        axes.legend(frameon=False, fontsize=7, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    return saved(figure, path)
