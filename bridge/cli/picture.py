"""The meters as a picture: levels with their uncertainty, and below them the inputs they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import SetupError
from rhythm_env.interface import Meter, zone_at

if TYPE_CHECKING:
    from bridge.cli.meters import Look
    from bridge.types import Reading

COLOURS = {  # distinguishable with any colour vision (Okabe and Ito 2008)
    Meter.VITALITY: "#E69F00",
    Meter.COGNITION: "#0072B2",
    Meter.PROGRESS: "#009E73",
    Meter.SERENITY: "#56B4E9",
    Meter.CONNECTION: "#CC79A7",
}
NORMAL = 0.70


def draw(path: Path, look: Look) -> None:
    """Write a picture in the format its name ends with. Raises SetupError without matplotlib or for a wrong ending."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SetupError("pictures need matplotlib: pip install 'rhythm-bridge[plot]'") from None
    figure = Figure(figsize=(10, 15), layout="constrained")
    axes = figure.subplots(2 * len(Meter), 1, sharex=True, height_ratios=[2, 1] * len(Meter))
    times = [start.astimezone(zone_at(start, look.zones)).replace(tzinfo=None) for start in look.starts]
    for k, meter in enumerate(Meter):
        readings = [one[meter] for one in look.before]
        _levels(axes[2 * k], meter, times, readings)
        _inputs(axes[2 * k + 1], times, readings)
    axes[-1].tick_params(axis="x", rotation=30)
    try:
        figure.savefig(path, dpi=110)
    except (ValueError, OSError) as error:
        raise SetupError(f"{path.name} cannot be drawn ({error}); end it with .png, .svg or .pdf") from None


def _levels(axis: Any, meter: Meter, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    levels = [r.level if r.coverage else float("nan") for r in readings]
    bands = [[level + side * r.sd for level, r in zip(levels, readings, strict=True)] for side in (-1, 1)]
    axis.axhline(NORMAL, color="0.7", linewidth=0.8)
    axis.fill_between(times, *bands, color=COLOURS[meter], alpha=0.25, linewidth=0)
    axis.plot(times, levels, color=COLOURS[meter], linewidth=1.5)
    axis.set_ylim(0, 1)
    validated = "" if any(r.validated for r in readings) else " (not validated)"
    axis.set_title(f"{str(meter).capitalize()}{validated}", loc="left", fontsize=10)


def _inputs(axis: Any, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    """A line per signal, in points of the level."""
    seen: Mapping[str, None] = {b.signal: None for r in readings for b in r.because}
    for signal in seen:
        shares = [{b.signal: b.contribution for b in r.because}.get(signal, float("nan")) for r in readings]
        axis.plot(times, shares, linewidth=1.0, label=signal.replace("_", " "))
    axis.axhline(0, color="0.7", linewidth=0.8)
    axis.set_ylabel("points", fontsize=8)
    if seen:
        axis.legend(fontsize=7, ncols=5, loc="upper left", frameon=False)
