"""Draw the results of ``bridge live``: acceptance, regret and error of beliefs by slot, and meters against truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.meters import METER_COLOURS
from lab.pictures import COLOURS, panels, saved
from rhythm_env.interface import Meter

Body = Mapping[str, Any]
OVER = {  # name of a curve -> title, span
    "acceptance": ("Advice that is accepted", (0, 1)),
    "regret": ("Regret against the oracle, mean level", (-0.05, 0.25)),
    "belief_error": ("Error of the belief", (0, 0.35)),
}


def draw(path: Path, body: Body, dots: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw ``body`` and the points ``dots`` (meter -> (hidden, read) levels) into the picture file ``path``.

    The file's ending gives the format, and an old file is replaced. Raises SetupError without matplotlib, for an
    unknown ending, and if the file cannot be written.
    """
    figure, rows = panels(2, 4, (13, 8))
    axes = rows.ravel()
    everybody = [*body["policies"], {**body["oracle"], "policy": "oracle"}]
    for axis, (name, (title, span)) in zip(axes, OVER.items(), strict=False):
        _curves(axis, everybody, name, title, span)
    for axis, meter in zip(axes[3:], Meter, strict=True):
        _against(axis, meter, dots[str(meter)], body["meters"][str(meter)])
    saved(figure, path)


def _curves(axis: Any, each: Sequence[Body], name: str, title: str, span: tuple[float, float]) -> None:
    """Draw the curve ``name`` of each policy, with its 95 % interval as a band, within the values ``span``."""
    import numpy as np

    for colour, one in zip(COLOURS, each, strict=False):
        points = one["curves"][name]
        slots = [point["slots"] for point in points]
        bounds = np.array([point["ci95"] for point in points], dtype=float).T  # not a number of one person
        axis.fill_between(slots, *bounds, color=colour, alpha=0.15, linewidth=0)
        axis.plot(slots, [point["mean"] for point in points], color=colour, label=one["policy"])
    axis.set_title(title, loc="left", fontsize=9)
    axis.set_xlabel("slots", fontsize=8)
    axis.set_ylim(*span)
    axis.legend(fontsize=7, frameon=False)


def _against(axis: Any, meter: Meter, dots: Sequence[tuple[float, float]], found: Body) -> None:
    """Draw a meter's levels as read (up) against the hidden levels (right), each from 0 to 1."""
    if dots:
        axis.scatter(*zip(*dots, strict=True), s=3, alpha=0.2, color=METER_COLOURS[meter], rasterized=True)
    axis.plot((0, 1), (0, 1), color="0.7", linewidth=0.8)
    correlation = found["correlation"]
    said = "" if correlation is None else f", within people {correlation['mean']:.2f}"
    axis.set_title(f"{str(meter).capitalize()}{said}", loc="left", fontsize=9)
    axis.set_xlabel("hidden", fontsize=8)
    axis.set_ylabel("read", fontsize=8)
    axis.set(xlim=(0, 1), ylim=(0, 1))
