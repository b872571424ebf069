"""Draw the meters as a picture of levels with their uncertainty, and below them their inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.domain.errors import SetupError
from bridge.domain.slots import zone_at
from bridge.ingest.files import make_private
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.documents.meters import MetersView
    from bridge.domain.types import Reading

METER_COLOURS = {  # distinguishable with any colour vision (Okabe and Ito 2008)
    Meter.VITALITY: "#E69F00",
    Meter.COGNITION: "#0072B2",
    Meter.PROGRESS: "#009E73",
    Meter.SERENITY: "#56B4E9",
    Meter.CONNECTION: "#CC79A7",
}
NORMAL_LEVEL = 0.70


def draw(path: Path, view: MetersView) -> None:
    """Write a picture in the format of its ending. Raises SetupError without matplotlib, or for an unknown ending."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SetupError("pictures need matplotlib: pip install 'rhythm-bridge[plot]'") from None
    figure = Figure(figsize=(10, 15), layout="constrained")
    axes = figure.subplots(2 * len(Meter), 1, sharex=True, height_ratios=[2, 1] * len(Meter))
    times = [start.astimezone(zone_at(start, view.zones)).replace(tzinfo=None) for start in view.starts]
    for k, meter in enumerate(Meter):
        readings = [one[meter] for one in view.before]
        _levels(axes[2 * k], meter, times, readings)
        _inputs(axes[2 * k + 1], times, readings)
    axes[-1].tick_params(axis="x", rotation=30)
    try:
        make_private(path)
        figure.savefig(path, dpi=110)
    except (ValueError, OSError) as error:
        raise SetupError(f"{path.name} cannot be drawn ({error}); end it with .png, .svg or .pdf") from None


def _levels(axis: Any, meter: Meter, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    levels = [r.level if r.coverage else float("nan") for r in readings]
    bands = [[level + side * r.sd for level, r in zip(levels, readings, strict=True)] for side in (-1, 1)]
    axis.axhline(NORMAL_LEVEL, color="0.7", linewidth=0.8)
    axis.fill_between(times, *bands, color=METER_COLOURS[meter], alpha=0.25, linewidth=0)
    axis.plot(times, levels, color=METER_COLOURS[meter], linewidth=1.5)
    axis.set_ylim(0, 1)
    validated = "" if any(r.validated for r in readings) else " (not validated)"
    axis.set_title(f"{str(meter).capitalize()}{validated}", loc="left", fontsize=10)


def _inputs(axis: Any, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    """Draw a line per signal, in points of the level."""
    signals: Mapping[str, None] = {b.signal: None for r in readings for b in r.because}
    for signal in signals:
        shares = [{b.signal: b.contribution for b in r.because}.get(signal, float("nan")) for r in readings]
        axis.plot(times, shares, linewidth=1.0, label=signal.replace("_", " "))
    axis.axhline(0, color="0.7", linewidth=0.8)
    axis.set_ylabel("points", fontsize=8)
    if signals:
        axis.legend(fontsize=7, ncols=5, loc="upper left", frameon=False)
