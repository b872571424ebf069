"""Draw acceptance and errors of beliefs over the number of answers, as a picture or as a line of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge import origin
from bridge.cli.show import SPARKS
from bridge.domain.errors import SetupError

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")  # Okabe and Ito 2008
STYLES = {"social": "-", "morning": "--", "work": ":"}
Body = Mapping[str, Any]


def draw(path: Path, body: Body) -> None:
    """Draw the curves of ``body`` into the file ``path``, in the format that its name ends with. An old file is
    replaced.

    Raises SetupError without matplotlib, for an unknown ending, and if the file cannot be written.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise origin.lacking("plot") from None
    figure = Figure(figsize=(11, 7), layout="constrained")
    axes = figure.subplots(2, 2)
    alone = [one for one in body["lives"] if one["answers_only"]]
    anybody = [one for one in alone if one["condition"] != "discrete"]
    _acceptance(axes[0][0], anybody)
    _archetypes(axes[0][1], [one for one in alone if one["archetypes"]])
    _errors(axes[1][0], [one for one in anybody if one["belief_error_over"]])
    _skills(axes[1][1], [one for one in body.get("weeks", ()) if one["belief_skill_over"]])
    try:
        with mpl.rc_context({"svg.hashsalt": "rhythm-bridge", "svg.fonttype": "none"}):  # the same picture every time
            figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (ValueError, OSError) as error:
        ways = "end it with .png, .svg or .pdf, in a folder that can be written"
        raise SetupError(f"{path.name} cannot be drawn ({error}); {ways}") from None


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
    shown = [one for one in weeks if one["condition"] == "in" and one["policy"] != "oracle"]
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
    """Draw shares (0 to 1) as a line of block characters."""
    return "".join(SPARKS[min(int(value * len(SPARKS)), len(SPARKS) - 1)] for value in values)
