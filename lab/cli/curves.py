"""Draw acceptance and errors of beliefs over the number of answers, as a picture or as a line of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.show import SPARKS
from lab.pictures import COLOURS, panels, saved

STYLES = {"social": "-", "morning": "--", "work": ":"}
Body = Mapping[str, Any]


def draw(path: Path, body: Body) -> None:
    """Draw the curves of ``body`` into the file ``path``, in the format of its ending, and replace an old file.

    Raises SetupError without matplotlib, for an unknown ending, and if the file cannot be written.
    """
    figure, axes = panels(2, 2, (11, 7))
    alone = [one for one in body["lives"] if one["answers_only"]]
    anybody = [one for one in alone if one["condition"] != "discrete"]
    _acceptance(axes[0][0], anybody)
    _archetypes(axes[0][1], [one for one in alone if one["archetypes"]])
    _errors(axes[1][0], [one for one in anybody if one["belief_error_over"]])
    _skills(axes[1][1], [one for one in body.get("weeks", ()) if one["belief_skill_over"]])
    saved(figure, path)


def _acceptance(axis: Any, lives: Sequence[Body]) -> None:
    import numpy as np

    for colour, one in zip(COLOURS, lives, strict=False):
        over = one["accepted_over"]
        answers = [point["answers"] for point in over]
        bounds = np.array([point["ci95"] for point in over], dtype=float).T  # not a number of one person
        axis.fill_between(answers, *bounds, color=colour, alpha=0.2, linewidth=0)
        axis.plot(answers, [point["mean"] for point in over], color=colour, label=one["policy"])
    _dressed(axis, "Advice that is accepted", "answers", (0, 1))


def _archetypes(axis: Any, lives: Sequence[Body]) -> None:
    for colour, one in zip(COLOURS, lives, strict=False):
        over = one["archetypes"]["right_over"]
        label = one["policy"] + (", told of the three" if one["told"] else "")
        axis.plot([p["answers"] for p in over], [p["share"] for p in over], color=colour, label=label)
    _dressed(axis, "Archetype known from answers alone, share of people", "answers", (0, 1))


def _errors(axis: Any, lives: Sequence[Body]) -> None:
    for colour, one in zip(COLOURS, lives, strict=False):
        over = one["belief_error_over"]
        for name, style in STYLES.items():
            values = [point[name] for point in over]
            label = f"{one['policy']}, {name}"
            axis.plot([p["answers"] for p in over], values, linestyle=style, color=colour, label=label)
    _dressed(axis, "Error of the belief, anybody, answers alone", "answers", (0, 0.3))


def _skills(axis: Any, weeks: Sequence[Body]) -> None:
    shown = [week for week in weeks if week["condition"] == "in" and week["policy"] != "oracle"]
    shown = [one for one in shown if max(point["work"] for point in one["belief_skill_over"]) > 0]
    for colour, one in zip(COLOURS, shown, strict=False):
        over = one["belief_skill_over"]
        for name, style in STYLES.items():
            label = f"{one['policy']} ({one['objective']}), {name}"
            slots = [point["slot"] for point in over]
            axis.plot(slots, [point[name] for point in over], linestyle=style, color=colour, label=label)
    _dressed(axis, "Skill of the belief, weeks without error", "slot", (0, 1))


def _dressed(axis: Any, title: str, over: str, span: tuple[float, float]) -> None:
    axis.set_title(title, loc="left", fontsize=10)
    axis.set_xlabel(over, fontsize=8)
    axis.set_ylim(*span)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=7, frameon=False)


def line(values: Sequence[float]) -> str:
    """Return shares (0 to 1) as a line of block characters."""
    return "".join(SPARKS[min(int(value * len(SPARKS)), len(SPARKS) - 1)] for value in values)
